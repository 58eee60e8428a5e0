"""The main job at size: import, consensus and agreement with intervals of 100,000 seeded votes, from a CSV file on.

100,000 votes, three an item, four labels, text ids, 500 people of skill .6 to .95. Prints a table, or with --json one
object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import crowdkit.aggregation
import numpy as np
from _figures import Figure, show

from aggregation.labels import agreement, consensus
from annotation.store import database, pseudonyms, queries
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects
from bot import release

VOTES, OVERLAP, PEOPLE, LABELS = 100_000, 3, 500, ("a", "b", "c", "d")
PROJECT = """
project: main-job
title: Main job
language: en
question: {type: choice, text: "Which?", options: [a, b, c, d]}
items: from votes
votes: {format: crowd-kit, file: votes.csv}
"""


def write_votes(file: Path, *, seed: int = 1) -> None:
    """Votes of people of different skill, shuffled; a wrong answer is any other label."""
    rng = np.random.default_rng(seed)
    n_items = VOTES // OVERLAP + 1
    truth = rng.integers(len(LABELS), size=n_items)
    skill = rng.uniform(0.6, 0.95, size=PEOPLE)
    items = np.repeat(np.arange(n_items), OVERLAP)[:VOTES]
    people = np.concatenate([rng.choice(PEOPLE, OVERLAP, replace=False) for _ in range(n_items)])[:VOTES]
    wrong = (truth[items] + rng.integers(1, len(LABELS), size=VOTES)) % len(LABELS)
    answers = np.where(rng.random(VOTES) < skill[people], truth[items], wrong)
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["task", "worker", "label"])
        for i in rng.permutation(VOTES):
            rows.writerow([f"item-{items[i]:06}", f"person-{people[i]:03}", LABELS[answers[i]]])


@contextmanager
def clocked(into: dict[str, float], what: str) -> Iterator[None]:
    """Add the seconds of a block to `into[what]`."""
    begun = time.perf_counter()
    yield
    into[what] = into.get(what, 0.0) + time.perf_counter() - begun


def watched(method: Callable[..., object], into: dict[str, float]) -> Callable[..., object]:
    """A method of crowd-kit that adds its own seconds to `into`."""

    def run(*arguments: object, **options: object) -> object:
        with clocked(into, "crowd-kit's own"):
            return method(*arguments, **options)

    return run


def measure(folder: Path) -> dict[str, float]:
    """Seconds of each part, and of crowd-kit within them."""
    seconds: dict[str, float] = {}
    for name in ("MajorityVote", "DawidSkene"):
        model = getattr(crowdkit.aggregation, name)
        model.fit = watched(model.fit, seconds)
    now = datetime.now(UTC)
    (folder / "project.yaml").write_text(PROJECT, encoding="utf-8")
    with database.open_database(f"sqlite:///{folder / 'job.db'}") as db:
        with clocked(seconds, "load"), db.transaction() as session:
            projects.load_project_file(session, folder / "project.yaml", now=now)
        with clocked(seconds, "import"), db.transaction() as session:
            key = pseudonyms.ensure_key(session, file=folder / "job.key", now=now)
            project = queries.get_project(session, "main-job")
            vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=now)
        with clocked(seconds, "read"), db.transaction() as session:
            votes = release.build_data_sets(session)[0].build_votes()
    with clocked(seconds, "majority"):
        consensus.build_label_consensus(votes, method="majority", ties="random", seed=1)
    with clocked(seconds, "Dawid-Skene"):
        consensus.build_label_consensus(votes, method="dawid_skene", ties="first")
    with clocked(seconds, "agreement, 1,000 resamples"):
        agreement.compute_label_agreement(votes, n_resamples=1000, seed=1)
    return seconds


def main() -> None:
    """Measure and show."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_votes(folder / "votes.csv")
        seconds = measure(folder)
    inner = seconds.pop("crowd-kit's own")
    whole = sum(seconds.values())
    show(
        "The main job on 100,000 votes",
        [
            *(Figure(part, value, "s") for part, value in seconds.items()),
            Figure("whole", whole, "s", goal="< 15", holds=whole < 15),
            Figure("crowd-kit's own share", inner / whole, "share"),
        ],
    )


if __name__ == "__main__":
    main()
