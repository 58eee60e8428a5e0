"""What else moves a judge that compares two texts: the order in which it is shown them, and their lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aggregation.intervals.panel import Metric, PanelIntervals, estimate_intervals
from aggregation.judges.judged_votes import join_judge
from aggregation.schema import Floats, Votes, divide_safely
from aggregation.sides import BOTH_BAD, SIDES, TIE

HALF_POINTS: Mapping[str, float] = {SIDES[0]: 1.0, SIDES[1]: 0.0, TIE: 0.5, BOTH_BAD: 0.5}
"""What an answer is worth to the first of two texts."""


@dataclass(frozen=True, kw_only=True)
class SwapCounts:
    """How often a judge that was asked in both orders answered the same.

    `n_items` were asked so, `n_equal` of them answered alike. Of the others the judge chose what it was shown first
    both times on `n_first`, and what it was shown last on `n_last`.
    """

    n_items: int = 0
    n_equal: int = 0
    n_first: int = 0
    n_last: int = 0

    def add(self, answers: Sequence[str], orders: Sequence[Sequence[str]]) -> SwapCounts:
        """The counts with one more item: its answers, and the sides in the order shown, of both times."""
        pairs = zip(answers, orders, strict=True)
        places = [tuple(order).index(answer) if answer in order else -1 for answer, order in pairs]
        is_equal = len(set(answers)) == 1
        last = len(orders[0]) - 1
        return SwapCounts(
            n_items=self.n_items + 1,
            n_equal=self.n_equal + is_equal,
            n_first=self.n_first + (not is_equal and set(places) == {0}),
            n_last=self.n_last + (not is_equal and set(places) == {last}),
        )


NO_SWAPS = SwapCounts()


@dataclass(frozen=True, kw_only=True)
class LengthSlope:
    """How much more a judge chooses the longer text than people do.

    `value` is the slope of the judge's choice of the first text (1, ½, 0) less people's mean on the logarithm of the
    length of the first over the second; None where all ratios are equal.
    """

    value: float | None
    n_items: int
    n_groups: int
    n_people: int
    n_answers: int
    intervals: PanelIntervals


def measure_length_slope(
    votes: Votes, judge: Mapping[str, str], lengths: Mapping[str, Sequence[int]], *, confidence_level: float = 0.95
) -> LengthSlope | None:
    """The length slope over the items whose two texts both have a length; None without such an item.

    Items are clusters, and people are left out one at a time, as for the agreement difference.
    """
    known = {
        item: answer for item, answer in judge.items() if len(lengths.get(item, ())) == 2 and min(lengths[item]) > 0
    }
    judged = join_judge(votes, known)
    if judged is None:
        return None
    own, told = (np.array([HALF_POINTS[answer] for answer in said]) for said in (judged.answers, judged.told))
    ratios = np.log([lengths[str(item)][0] / lengths[str(item)][1] for item in judged.item_ids])
    n, items = judged.n_votes, judged.items
    sums = judged.sum_items(own)
    columns = _build_columns(told - sums / n, ratios)
    without = _build_columns(told[items] - (sums[items] - own) / (n[items] - 1), ratios[items])
    contributions = judged.build_contributions(columns, without - columns[items], by_person=True)
    metric = Metric(compute=_compute_slope, scale="difference")
    value = float(_compute_slope(contributions.sums)[0])
    return LengthSlope(
        value=None if np.isnan(value) else value,
        n_items=judged.n_items,
        n_groups=judged.n_groups,
        n_people=len(judged.person_ids),
        n_answers=len(items),
        intervals=estimate_intervals(metric, contributions, confidence_level=confidence_level),
    )


def _build_columns(rises: Floats, ratios: Floats) -> Floats:
    return np.column_stack([np.ones(len(ratios)), ratios, ratios**2, rises, ratios * rises])


def _compute_slope(sums: Floats) -> Floats:
    """The least-squares slope of rows of sums [n, x, x², y, xy]."""
    n, x, xx, y, xy = sums.T
    return divide_safely(n * xy - x * y, n * xx - x * x, above=1e-12)
