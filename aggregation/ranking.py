"""Systems ranked over many tasks, people among them: Vote'n'Rank, beside means and the optimality gap.

Source: Rofin et al. 2023 (arXiv:2210.05769); the voting rules are in `aggregation/ranking`. The optimality gap is
that of Agarwal et al. 2021 (*Deep Reinforcement Learning at the Edge of the Statistical Precipice*): how far a system
falls short of γ on average, where scores above γ count as γ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import pandas as pd

from aggregation.errors import HromadaError
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
    return _remove_last(compute_margins(values, weights), total=float(weights.sum()))


def _remove_last(margins: Floats, *, total: float) -> Floats:
    rounds = np.zeros(len(margins))
    left = np.arange(len(margins))
    while True:
        points = _count_borda(margins[np.ix_(left, left)], total=total)
        left = left[points > points.min()]
        if not len(left):
            return rounds
        rounds[left] += 1


def score_condorcet(values: Floats, weights: Floats) -> Floats:
    """1 for the system that beats every other one in pairs, if there is one; 0 for all others."""
    return _find_winner(compute_margins(values, weights))


def _find_winner(margins: Floats) -> Floats:
    return np.asarray((margins > 0).sum(axis=1) == len(margins) - 1, dtype=np.float64)


def score_copeland(values: Floats, weights: Floats) -> Floats:
    """How many systems it beats in pairs, less how many beat it."""
    return _count_beaten(compute_margins(values, weights))


def _count_beaten(margins: Floats) -> Floats:
    return np.asarray(np.sign(margins).sum(axis=1), dtype=np.float64)


def score_minimax(values: Floats, weights: Floats) -> Floats:
    """Less the weight of the tasks on which it is below the one system that beats it on the most; 0 if none beats it.

    These are winning votes, as the authors' code has them where nothing else is chosen.
    """
    return _weigh_worst_loss(_weigh_tasks_above(values, weights))


def _weigh_worst_loss(above: Floats) -> Floats:
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


GAMMA = 0.95
Variant = Literal["plain", "weighted", "two_step"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)

VOTING_RULES: Mapping[str, Callable[[Floats, Floats], Floats]] = MappingProxyType(
    {
        "plurality": score_plurality,
        "borda": score_borda,
        "dowdall": score_dowdall,
        "threshold": score_threshold,
        "baldwin": score_baldwin,
        "condorcet": score_condorcet,
        "copeland": score_copeland,
        "minimax": score_minimax,
    }
)
PAIRWISE_RULES = ("condorcet", "copeland", "minimax")
"""The rules that compare systems in pairs, and so need no complete table."""
MEANS = ("arithmetic_mean", "geometric_mean", "optimality_gap")
RULES = (*VOTING_RULES, *MEANS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """The order of systems under one rule.

    `scores` has what the rule gives each system (float, index `system`; points, rounds or means; of `optimality_gap`
    alone less is better). `places` (Int64, the same index) are 1 for the best, tied systems have the best of their
    places; under `condorcet` only the winner has one. `winners` are those of place 1, in the order of the frame.
    `reason` says why there is nothing, or what was assumed.
    """

    rule: str
    scores: pd.Series[float]
    places: pd.Series[int]
    winners: tuple[str, ...]
    reason: str = ""


def rank_systems(
    scores: pd.DataFrame, *, weights: pd.Series[float] | None = None, gamma: float = GAMMA
) -> tuple[Ranking, ...]:
    """Rank systems under every rule of RULES, in that order.

    `scores` is systems (index) × tasks (columns), higher is better, nan where a system has no score. `weights` has a
    number above 0 per task; 1 each where None. With missing scores, `condorcet`, `copeland` and `minimax` compare each
    pair on the tasks that both have; the means take the task's median for a missing score, as the authors' code does
    (the gap too, which their code has for complete tables only); the other voting rules are not computed, as in their
    code. Raises HromadaError for a frame that cannot be ranked, and for a `gamma` that is not a number.
    """
    _check_scores(scores)
    if not math.isfinite(gamma):
        raise HromadaError("γ is not a number.", remedy="Give a score like 0.95, on the scale of the others.")
    weighed = _weigh_evenly(scores) if weights is None else weights.reindex(scores.columns)
    _check_weights(weighed)
    return tuple(_apply_rule(rule, scores, weighed, gamma=gamma) for rule in RULES)


PAIRS_ALONE = "Needs an order of all systems on each item; comparisons of pairs have none."
PAIR_MISSING = "Needs every pair: {one} and {two} were not compared."


def rank_by_pairs(shares: pd.DataFrame) -> tuple[Ranking, ...]:
    """Rank systems by shares of wins under every voting rule, in the order of VOTING_RULES.

    `shares` is systems × systems: the share of comparisons that the row won against the column, nan where they were not
    compared; a tie is a win of neither. So each pair has the weight of one task. A rule that needs more than pairs, or
    pairs that are missing, has the reason. Raises HromadaError for fewer than two systems.
    """
    _check_pairs(shares)
    values = shares.to_numpy(np.float64)
    above = np.round(np.nan_to_num(values), DECIMALS)
    margins = np.round(above - above.T, DECIMALS)
    rules: Mapping[str, Callable[[], Floats]] = {
        "borda": lambda: _count_borda(margins, total=1.0),
        "baldwin": lambda: _remove_last(margins, total=1.0),
        "condorcet": lambda: _find_winner(margins),
        "copeland": lambda: _count_beaten(margins),
        "minimax": lambda: _weigh_worst_loss(above),
    }
    missing = np.argwhere(np.isnan(values) & ~np.eye(len(values), dtype=bool))
    rankings = []
    for rule in VOTING_RULES:
        if rule not in rules:
            rankings.append(_refuse_rule(rule, shares, PAIRS_ALONE))
        elif len(missing) and rule not in PAIRWISE_RULES:
            one, two = (str(shares.index[code]) for code in missing[0])
            rankings.append(_refuse_rule(rule, shares, PAIR_MISSING.format(one=one, two=two)))
        else:
            rankings.append(_order_systems(rule, pd.Series(rules[rule](), index=shares.index)))
    return tuple(rankings)


def rank_in_two_steps(
    scores: pd.DataFrame,
    groups: Mapping[str, str],
    *,
    group_weights: Mapping[str, float] | None = None,
    gamma: float = GAMMA,
) -> tuple[Ranking, ...]:
    """Rank systems within each group of tasks, then the groups' orders by the same rule, under every rule of RULES.

    `groups` maps each task to its group; `group_weights` a group to its weight in the second step (1 where it has
    none). A system without any score in a group has none there. Of a mean or a gap the second step is the mean of those
    of the groups. Raises HromadaError like `rank_systems`.
    """
    _check_scores(scores)
    weights = weigh_groups(scores, groups, group_weights)
    return tuple(
        _apply_rule(rule, scores, weights, gamma=gamma)
        if rule in MEANS
        else _apply_twice(rule, scores, groups, group_weights or {})
        for rule in RULES
    )


def weigh_groups(
    scores: pd.DataFrame, groups: Mapping[str, str], group_weights: Mapping[str, float] | None = None
) -> pd.Series[float]:
    """The weight of each task where the tasks of a group share its weight equally (1 where it has none)."""
    group_of_task = pd.Series({task: groups[task] for task in scores.columns})
    n_tasks = group_of_task.map(group_of_task.value_counts())
    given = group_of_task.map(lambda group: (group_weights or {}).get(group, 1.0))
    weights = given / n_tasks
    _check_weights(weights)
    return weights


def _apply_rule(rule: str, scores: pd.DataFrame, weights: pd.Series[float], *, gamma: float) -> Ranking:
    if rule in MEANS:
        return _average_scores(rule, scores, weights, gamma=gamma)
    missing = _describe_missing(scores)
    if missing and rule not in PAIRWISE_RULES:
        return _refuse_rule(rule, scores, f"Places need every score; {missing}.")
    values = VOTING_RULES[rule](scores.to_numpy(np.float64), np.asarray(weights, dtype=np.float64))
    return _order_systems(rule, pd.Series(values, index=scores.index))


def _apply_twice(
    rule: str, scores: pd.DataFrame, groups: Mapping[str, str], group_weights: Mapping[str, float]
) -> Ranking:
    steps: dict[str, pd.Series[float]] = {}
    for group in dict.fromkeys(groups[task] for task in scores.columns):
        inside = scores[[task for task in scores.columns if groups[task] == group]]
        ranking = _apply_rule(rule, inside, _weigh_evenly(inside), gamma=GAMMA)
        if ranking.scores.isna().all():
            return _refuse_rule(rule, scores, ranking.reason)
        steps[group] = ranking.scores.where(inside.notna().any(axis=1))
    weights = pd.Series({group: float(group_weights.get(group, 1.0)) for group in steps})
    return _apply_rule(rule, pd.DataFrame(steps, index=scores.index), weights, gamma=GAMMA)


def _average_scores(rule: str, scores: pd.DataFrame, weights: pd.Series[float], *, gamma: float) -> Ranking:
    missing = _describe_missing(scores)
    reason = f"Missing scores count as their task's median: {missing}." if missing else ""
    filled = scores.fillna(scores.median())
    values, shares = filled.to_numpy(np.float64), (weights / weights.sum()).to_numpy(np.float64)
    if rule == "optimality_gap":
        if gamma <= 1 < values.max():
            return _refuse_rule(rule, scores, f"Scores above 1 are not on the scale of γ = {gamma:g}.")
        gaps = np.round(np.maximum(gamma - values, 0.0) @ shares, DECIMALS)
        return _order_systems(rule, pd.Series(gaps, index=scores.index), less_is_better=True, reason=reason)
    if rule == "geometric_mean":
        if (values < 0).any():
            system, task = np.argwhere(values < 0)[0]
            where = f"{scores.index[system]} has {values[system, task]:g} on {scores.columns[task]}"
            return _refuse_rule(rule, scores, f"There is no geometric mean of scores below 0; {where}.")
        with np.errstate(divide="ignore"):
            means = np.exp(np.log(values) @ shares)
    else:
        means = values @ shares
    return _order_systems(rule, pd.Series(np.round(means, DECIMALS), index=scores.index), reason=reason)


def _order_systems(rule: str, scores: pd.Series[float], *, less_is_better: bool = False, reason: str = "") -> Ranking:
    places = scores.rank(method="min", ascending=less_is_better).astype("Int64")
    if rule == "condorcet":
        places = places.where(scores == 1.0)
        reason = "" if (scores == 1.0).any() else "No system beats every other one."
    winners = tuple(str(system) for system in places.index[(places == 1).fillna(value=False)])
    return Ranking(rule=rule, scores=scores, places=places, winners=winners, reason=reason)


def _refuse_rule(rule: str, scores: pd.DataFrame, reason: str) -> Ranking:
    nothing = pd.Series(np.nan, index=scores.index)
    return Ranking(rule=rule, scores=nothing, places=nothing.astype("Int64"), winners=(), reason=reason)


def _describe_missing(scores: pd.DataFrame) -> str:
    """Which scores are missing, in words; empty where none is."""
    rows, columns = np.nonzero(scores.isna().to_numpy())
    if not len(rows):
        return ""
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    return f"{scores.index[rows[0]]} has none on {scores.columns[columns[0]]}{more}"


def _weigh_evenly(scores: pd.DataFrame) -> pd.Series[float]:
    return pd.Series(1.0, index=scores.columns)


def _check_scores(scores: pd.DataFrame) -> None:
    if len(scores) < 2 or scores.shape[1] < 1:
        raise HromadaError("There is nothing to rank.", remedy="Give two systems or more, and a task.")
    for axis, names in (("systems", scores.index), ("tasks", scores.columns)):
        if names.has_duplicates:
            twice = names[names.duplicated()][0]
            raise HromadaError(f"Two {axis} are called {twice!r}.", remedy="Rename one.")
    if np.isinf(scores.to_numpy(np.float64)).any():
        raise HromadaError("A score is infinite.", remedy="Give numbers, or leave the score out.")
    for axis, found in (("system", scores.notna().any(axis=1)), ("task", scores.notna().any(axis=0))):
        if not found.all():
            name = found.index[~found][0]
            raise HromadaError(f"The {axis} {name!r} has no score.", remedy="Leave it out.")


def _check_pairs(shares: pd.DataFrame) -> None:
    if len(shares) < 2:
        raise HromadaError("There is nothing to rank.", remedy="Compare two systems or more.")


def _check_weights(weights: pd.Series[float]) -> None:
    values = weights.to_numpy(np.float64)
    if not (np.isfinite(values) & (values > 0)).all():
        raise HromadaError("A task or group has no weight above 0.", remedy="Give each a number above 0, or none.")
