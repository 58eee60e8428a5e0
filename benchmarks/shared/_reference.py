"""The reference beside which seconds are judged: crowd-kit's Dawid-Skene on 100,000 fixed votes, always 25 iterations.

Machines differ twofold, so that a goal in seconds says little; a ratio to work of the same kind in the same run does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene

VOTES, OVERLAP, PEOPLE, LABELS = 100_000, 3, 500, ("a", "b", "c", "d")
ITERATIONS = 25
"""More than crowd-kit needs to stop by itself on these votes: a number of its own, so that nothing else decides it."""


def make_votes(*, seed: int = 1) -> pd.DataFrame:
    """Votes (task, worker, label) of people of skill .6 to .95, shuffled; a wrong answer is any other label."""
    rng = np.random.default_rng(seed)
    n_items = VOTES // OVERLAP + 1
    truth = rng.integers(len(LABELS), size=n_items)
    skill = rng.uniform(0.6, 0.95, size=PEOPLE)
    items = np.repeat(np.arange(n_items), OVERLAP)[:VOTES]
    people = np.concatenate([rng.choice(PEOPLE, OVERLAP, replace=False) for _ in range(n_items)])[:VOTES]
    wrong = (truth[items] + rng.integers(1, len(LABELS), size=VOTES)) % len(LABELS)
    answers = np.where(rng.random(VOTES) < skill[people], truth[items], wrong)
    rows = [(f"item-{items[i]:06}", f"person-{people[i]:03}", LABELS[answers[i]]) for i in rng.permutation(VOTES)]
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def measure_reference(clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the reference by a clock; `time.process_time` is that of what is compared by processor seconds."""
    votes = make_votes()
    begun = clock()
    DawidSkene(n_iter=ITERATIONS, tol=-math.inf).fit(votes)
    return clock() - begun
