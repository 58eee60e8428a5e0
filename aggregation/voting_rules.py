"""The voting rules of Vote'n'Rank: tasks vote on systems, and a rule makes an order of their votes.

Source: Rofin, Mikhailov, Florinskiy, Kravchenko, Tutubalina, Shavrina, Karabekyan and Artemova 2023, *Vote'n'Rank:
Revision of Benchmarking with Social Choice Theory* (EACL; arXiv:2210.05769). `values` is always systems × tasks, higher
is better, nan is a missing score; `weights` has one number per task. Every rule returns one number per system, the
higher the better. Numbers are rounded to nine decimals, so that sums in another order tie as they should.

Where systems tie on a task they share the points of their places, as is usual; so a task gives away the same points
whether or not systems tie on it, and Baldwin never removes a system that beats every other one. The authors' code
(PragmaticsLab/vote_and_rank) gives all tied systems the worst of their places (plurality, threshold, Borda, Baldwin)
or the best (Dowdall). Without ties both are the same.
"""

from __future__ import annotations

import numpy as np

from aggregation.schema import Codes, Floats

DECIMALS = 9


def score_plurality(values: Floats, weights: Floats) -> Floats:
    """The weight of the tasks on which a system is first: points (1, 0, …, 0)."""
    return _share_points(values, weights, np.eye(1, len(values))[0])


def score_borda(values: Floats, weights: Floats) -> Floats:
    """Points (n - 1, n - 2, …, 0): on each task one for each system below, and a half for each tied one."""
    return _count_borda(compute_margins(values, weights), total=float(weights.sum()))


def score_dowdall(values: Floats, weights: Floats) -> Floats:
    """Points (1, 1/2, …, 1/n)."""
    return _share_points(values, weights, 1 / np.arange(1, len(values) + 1))


def score_threshold(values: Floats, weights: Floats) -> Floats:
    """Points (1, …, 1, 0): as few last places as possible; then, among equals, (1, …, 1, 0, 0), and so on to the first.

    What is returned counts how many different results are worse.
    """
    n_systems = len(values)
    lower = np.tri(n_systems)[-2::-1]  # (1, …, 1, 0), (1, …, 1, 0, 0), …, (1, 0, …, 0)
    points = [_share_points(values, weights, row) for row in lower]
    return np.unique(np.array(points).T, axis=0, return_inverse=True)[1].reshape(-1).astype(np.float64)


def score_baldwin(values: Floats, weights: Floats) -> Floats:
    """Borda again and again without the systems that had the fewest points, until all that are left have as many.

    What is returned is the round in which a system was removed; those that are left have the last one.
    """
    margins = compute_margins(values, weights)
    rounds = np.zeros(len(values))
    left = np.arange(len(values))
    while True:
        points = _count_borda(margins[np.ix_(left, left)], total=float(weights.sum()))
        left = left[points > points.min()]
        if not len(left):
            return rounds
        rounds[left] += 1


def score_condorcet(values: Floats, weights: Floats) -> Floats:
    """1 for the system that beats every other one in pairs, if there is one; 0 for all others."""
    beats = compute_margins(values, weights) > 0
    return np.asarray(beats.sum(axis=1) == len(values) - 1, dtype=np.float64)


def score_copeland(values: Floats, weights: Floats) -> Floats:
    """How many systems it beats in pairs, less how many beat it."""
    signs = np.sign(compute_margins(values, weights))
    return np.asarray(signs.sum(axis=1), dtype=np.float64)


def score_minimax(values: Floats, weights: Floats) -> Floats:
    """Less the weight of the tasks on which it is below the one system that beats it on the most; 0 if none beats it.

    These are winning votes, as the authors' code has them where nothing else is chosen.
    """
    above = _weigh_tasks_above(values, weights)
    lost = np.where(above < above.T, above.T, 0.0)
    return np.asarray(0.0 - lost.max(axis=1, initial=0.0))


def compute_margins(values: Floats, weights: Floats) -> Floats:
    """Systems × systems: the weight of tasks on which the first is above, less that of those on which it is below.

    A pair is compared on the tasks on which both have a score.
    """
    above = _weigh_tasks_above(values, weights)
    return np.round(above - above.T, DECIMALS)


def _weigh_tasks_above(values: Floats, weights: Floats) -> Floats:
    above = np.zeros((len(values), len(values)))
    for column, weight in zip(values.T, weights, strict=True):
        above += weight * (column[:, None] > column[None, :])
    return np.round(above, DECIMALS)


def _count_borda(margins: Floats, *, total: float) -> Floats:
    """Borda's points from margins: on each task the systems below and half of the tied ones."""
    return np.asarray(np.round((margins.sum(axis=1) + (len(margins) - 1) * total) / 2, DECIMALS))


def _share_points(values: Floats, weights: Floats, points: Floats) -> Floats:
    """The weighted points of places (`points`, one per place from the first); tied systems share those of theirs."""
    first, beyond = _find_places(values)
    sums = np.append(0.0, np.cumsum(points))
    return np.asarray(np.round(((sums[beyond] - sums[first]) / (beyond - first)) @ weights, DECIMALS))


def _find_places(values: Floats) -> tuple[Codes, Codes]:
    """Systems × tasks: the first of the places, from 0, that a system shares with those tied with it; the next one."""
    first, beyond = np.empty(values.shape, dtype=np.intp), np.empty(values.shape, dtype=np.intp)
    for task, column in enumerate(values.T):
        best_first = np.sort(-column)
        first[:, task] = np.searchsorted(best_first, -column, side="left")
        beyond[:, task] = np.searchsorted(best_first, -column, side="right")
    return first, beyond
