"""The different answers to each item with their grades, and what single answers and pluralities of them contribute."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from aggregation.gold_comparison import ScoredAnswers, count_cells
from aggregation.intervals.panel import Contributions, Metric, Scale
from aggregation.schema import Codes, Floats, divide_safely

LARGEST_PANEL = 10  # people of a panel whose majorities of k are enumerated: at most 252 subsets


@dataclass(frozen=True, kw_only=True, eq=False)
class GradedOptions:
    """The options (different answers) that an item's votes name, sorted by item.

    `items` is the item of each option; `grades` (options × columns) is what an answer that names it adds to the sums,
    `unanswered` (items × columns) what a skip adds. The last column is the number of answers. `right` is 1 for a right
    option. `votes` has the option of each row of `scored`, -1: a skip.
    """

    scored: ScoredAnswers
    items: Codes
    grades: Floats
    unanswered: Floats
    right: Floats
    votes: Codes


def sum_single_answers(options: GradedOptions) -> Contributions:
    """What single answers contribute; a skip is an answer that names nothing."""
    scored = options.scored
    n_items, n_options = len(scored.gold), len(options.items)
    change = np.where(options.votes >= 0, options.votes, n_options + scored.items)
    changes = np.vstack([options.grades, options.unanswered])
    return build_answer_contributions(scored, changes=changes, change=change, n_items=n_items)


def build_answer_contributions(scored: ScoredAnswers, *, changes: Floats, change: Codes, n_items: int) -> Contributions:
    """The contributions of single answers: `changes[change]` is what each row of `scored` adds to the sums."""
    n_people = len(scored.annotator_ids)
    given = count_cells(scored.items, change, shape=(n_items, len(changes)))
    return Contributions(
        columns=np.asarray(given @ changes),
        groups=scored.groups,
        n_groups=scored.n_groups,
        changes=changes,
        change=change,
        items=scored.items,
        people=scored.annotators,
        n_people=n_people,
        people_factor=n_people / max(n_people - 1, 1),
        cell_factor=1.0,
        n_independent=len(scored.frame),
    )


def build_majority_contributions(
    scored: ScoredAnswers,
    *,
    columns: Floats,
    changes: Floats,
    change: Codes,
    tied: NDArray[np.bool_],
    unanswered: Floats,
) -> Contributions:
    """The contributions of majorities: `changes[change]` is what each vote, left out, takes from its item's columns.

    `tied` marks the items with a tie; `unanswered` (items × columns) is what a skip adds.
    """
    people, n_people = _number_people(scored)
    return Contributions(
        columns=columns,
        groups=scored.groups,
        n_groups=scored.n_groups,
        changes=changes,
        change=change,
        items=scored.items[scored.voted],
        people=people,
        n_people=n_people,
        people_factor=n_people / max(n_people - 1, 1),
        cell_factor=1.0,
        n_independent=len(scored.gold),
        ties_wrong=np.where(tied[:, None], unanswered, columns) if tied.any() else None,
        tied=tied if tied.any() else None,
    )


def sum_pluralities(options: GradedOptions) -> Contributions:
    """What the option with the most votes of each item contributes, and how that changes without each vote.

    Tied options share the item, with each vote and without it, so that every metric gets its expected value.
    """
    scored = options.scored
    n_options, n_columns = options.grades.shape
    votes = options.votes[scored.voted]
    counts = np.bincount(votes, minlength=n_options).astype(np.float64)
    starts = np.flatnonzero(np.diff(options.items, prepend=-1))
    slots = np.arange(n_options) - np.repeat(starts, np.diff(np.append(starts, n_options)))
    has_skips = np.bincount(scored.items[~scored.voted], minlength=len(scored.gold)) > 0
    columns = _share_items(options, counts, starts)
    changes = np.zeros((n_options, n_columns))
    for slot in range(int(slots.max(initial=-1)) + 1):
        left_out = slots == slot
        without = _share_items(options, counts - left_out, starts)
        without[
            (np.bincount(options.items, weights=counts - left_out, minlength=len(scored.gold)) == 0) & ~has_skips
        ] = 0
        items = options.items[left_out]
        changes[left_out] = columns[items] - without[items]
    tied = _find_ties(options, counts)
    return build_majority_contributions(
        scored, columns=columns, changes=changes, change=votes, tied=tied, unanswered=options.unanswered
    )


def _find_ties(options: GradedOptions, counts: Floats) -> NDArray[np.bool_]:
    """Which items have several options with the most votes."""
    most = np.zeros(len(options.scored.gold))
    np.maximum.at(most, options.items, counts)
    n_top = np.bincount(options.items[counts == most[options.items]], minlength=len(most))
    return np.asarray(n_top > 1)


def _share_items(options: GradedOptions, counts: Floats, starts: Codes) -> Floats:
    """The columns of each item by the options with the most votes: items × columns; unanswered where there are none."""
    columns = options.unanswered.copy()
    if not len(starts):
        return columns
    items = options.items
    answered = items[starts]
    most = np.maximum.reduceat(counts, starts)
    place = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(items))))
    top = (counts == most[place]) & (counts > 0)
    n_top = np.add.reduceat(top.astype(np.float64), starts)
    shares = divide_safely(top.astype(np.float64), n_top[place])
    shared = np.add.reduceat(np.nan_to_num(shares)[:, None] * options.grades, starts, axis=0)
    has_votes = most > 0
    columns[answered[has_votes]] = shared[has_votes]
    return columns


def sum_fresh_majorities(options: GradedOptions) -> dict[int, Contributions]:
    """The expected right answers of the majority of k people, for every odd k from 3 up to one below the panel's size.

    There are some only where at most LARGEST_PANEL people answered every item once. u_i is the mean over all k-subsets
    of item i's votes of whether their plurality is right (a tie shared); a person's effect is u_i less the mean over
    the subsets without them. Columns: right, items.
    """
    scored = options.scored
    n_items, n_people = len(scored.gold), len(scored.annotator_ids)
    cells = np.unique(scored.items * n_people + scored.annotators)
    is_panel = bool(scored.voted.all()) and len(scored.frame) == len(cells) == n_items * n_people
    if not is_panel or n_people > LARGEST_PANEL:
        return {}
    starts = np.flatnonzero(np.diff(options.items, prepend=-1))
    slots = np.arange(len(options.items)) - np.repeat(starts, np.diff(np.append(starts, len(options.items))))
    given = np.zeros((n_people, n_items, int(slots.max()) + 1))
    given[scored.annotators, scored.items, slots[options.votes]] = 1.0
    right = np.zeros(given.shape[1:])
    right[options.items, slots] = options.right
    return {size: _average_subsets(scored, given, right, size=size) for size in range(3, n_people, 2)}


def _average_subsets(scored: ScoredAnswers, given: Floats, right: Floats, *, size: int) -> Contributions:
    n_people, n_items = given.shape[:2]
    subsets = [list(subset) for subset in combinations(range(n_people), size)]
    hits, sole = np.empty((n_items, len(subsets))), np.empty((n_items, len(subsets)))
    without = np.ones((len(subsets), n_people))
    for number, subset in enumerate(subsets):
        counts = given[subset].sum(axis=0)
        top = counts == counts.max(axis=1, keepdims=True)
        hits[:, number] = (top * right).sum(axis=1) / top.sum(axis=1)
        sole[:, number] = np.where(top.sum(axis=1) == 1, hits[:, number], 0.0)
        without[number, subset] = 0.0
    means, ones = hits.mean(axis=1), np.ones(n_items)
    ties_wrong = np.column_stack([sole.mean(axis=1), ones])
    changes = means[:, None] - (hits @ without) / without.sum(axis=0)
    cells = np.arange(n_items * n_people)
    factor = (n_people - 1) / n_people
    return Contributions(
        columns=np.column_stack([means, ones]),
        groups=scored.groups,
        n_groups=scored.n_groups,
        changes=np.column_stack([changes.ravel(), np.zeros(len(cells))]),
        change=cells,
        items=cells // n_people,
        people=cells % n_people,
        n_people=n_people,
        people_factor=factor,
        cell_factor=factor,
        n_independent=len(scored.frame),
        ties_wrong=ties_wrong if (hits != sole).any() else None,
    )


def _number_people(scored: ScoredAnswers) -> tuple[Codes, int]:
    """The people of the votes numbered anew, without those who only skipped, and how many they are."""
    names, people = np.unique(scored.annotators[scored.voted], return_inverse=True)
    return people, len(names)


def build_share_metric() -> Metric:
    """The share of right answers: the first column over the number of answers."""
    return Metric(compute=lambda sums: divide_safely(sums[:, 0], sums[:, -1]), scale="share")


def build_column_mean(column: int, scale: Scale, *, covers_majority: bool = True) -> Metric:
    """The mean of a column over answers."""
    return Metric(
        compute=lambda sums: divide_safely(sums[:, column], sums[:, -1]),
        scale=scale,
        covers_majority=covers_majority,
    )
