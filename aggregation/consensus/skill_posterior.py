"""The posterior of an item's label from votes weighted by skill, and the skill itself; standard library alone.

An annotator has one skill q, the chance of a right answer, and a wrong answer is as likely to be one wrong option as
another. With k options, the same prior for each, and votes that are independent given the truth,

    P(z) = prod(q_i if vote_i = z else (1 - q_i) / (k - 1)) / sum over all options of the same.

A vote therefore adds log(q / ((1 - q) / (k - 1))) to the evidence for its own label and nothing to the others.
A skill is that of Toloka's "aggregation by skill", q = (K + right) / (2 K + total) with K = 0.5: the mean of a
Beta(K, K) prior after `total` items with known gold. Source: Toloka, "Aggregation of results", in its
guide for requesters.

Dynamic overlap uses this module while answers are collected, `aggregation.consensus.skills` uses it on whole data sets.
Importing it loads neither numpy nor pandas, so that the bot's process can use it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Number = TypeVar("Number", float, "NDArray[np.float64]")

SMOOTHING = 0.5


def smooth_skill(right: Number, total: Number, *, smoothing: float = SMOOTHING) -> Number:
    """The skill after `right` of `total` control items, (K + right) / (2 K + total); numbers or arrays of numbers.

    Without any control item it is 0.5, the skill that says nothing about two options.
    """
    return (smoothing + right) / (2 * smoothing + total)


def compute_evidence(skill: float, options: float) -> float:
    """The log-odds that one vote adds to its label against any one other option; `skill` between 0 and 1."""
    return math.log(skill) - math.log((1 - skill) / (options - 1))


def normalise_evidence(evidence: Sequence[float], *, options: float) -> tuple[list[float], float]:
    """The posterior of each label that was given, and of any one option that was not.

    `evidence` has the summed log-odds of each given label; `options` is at least their number.
    """
    top = max(0.0, *evidence)
    masses = [math.exp(label - top) for label in evidence]
    unchosen = math.exp(-top)
    total = math.fsum([*masses, (options - len(masses)) * unchosen])
    return [mass / total for mass in masses], unchosen / total


def compute_posterior(votes: Iterable[tuple[str, float]], *, options: int) -> dict[str, float]:
    """The posterior of each label that was given, labels sorted, from (label, skill) pairs and the number of options.

    Without votes the result is empty: every option then has 1 / options. If `options` is below 2 or below the number
    of different labels, the larger of these counts instead.
    """
    pairs = list(votes)
    labels = sorted({label for label, _ in pairs})
    if not labels:
        return {}
    k = max(options, len(labels), 2)
    evidence = [sum(compute_evidence(skill, k) for voted, skill in pairs if voted == label) for label in labels]
    return dict(zip(labels, normalise_evidence(evidence, options=k)[0], strict=True))
