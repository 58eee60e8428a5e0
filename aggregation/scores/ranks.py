"""Correlations of ranks, Spearman's with mid-ranks and Kendall's τ-b, with a jackknife of items, people and votes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from aggregation.findings import Finding
from aggregation.intervals.panel import (
    FEWEST_PEOPLE,
    NO_INTERVAL,
    NO_VARIANCE,
    SMALLEST_VARIANCE,
    PanelIntervals,
    PanelVariance,
)
from aggregation.intervals.resampling import FEWEST_GROUPS
from aggregation.intervals.shares import Interval
from aggregation.scales import RANK_METRICS
from aggregation.schema import Codes, Floats, divide_safely

LARGEST_BLOCK = 2_000_000
"""Cells of the tables that are computed at once: 16 MB."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedPairs:
    """Pairs of a number `x` and its gold `g`, each in a group of items; and what each vote does to its pair.

    `vote` is the pair of each vote, `people` who gave it, and `without` what x is without it, nan if the pair is gone.
    """

    x: Floats
    g: Floats
    groups: Codes
    n_groups: int
    vote: Codes
    people: Codes
    without: Floats


def correlate_ranks(tables: Floats) -> Floats:
    """Spearman's ρ and Kendall's τ-b of tables of counts (tables × values of x × values of g): tables × 2.

    nan where a side is constant. Ranks are mid-ranks, less their mean: the count below, and half of those equal.
    """
    of_x, of_g = tables.sum(axis=2), tables.sum(axis=1)
    n = of_x.sum(axis=1)
    rank_x, rank_g = (np.cumsum(side, axis=1) - side / 2 - n[:, None] / 2 for side in (of_x, of_g))
    both = np.einsum("bmk,bm,bk->b", tables, rank_x, rank_g, optimize=True)
    spread = np.sqrt((of_x * rank_x**2).sum(axis=1) * (of_g * rank_g**2).sum(axis=1))
    below = np.cumsum(tables, axis=1) - tables
    up_to = np.cumsum(below, axis=2)
    concordant = (tables * (2 * up_to - below - up_to[:, :, -1:])).sum(axis=(1, 2))
    untied = [(n**2 - (side**2).sum(axis=1)) / 2 for side in (of_x, of_g)]
    tau = divide_safely(concordant, np.sqrt(untied[0] * untied[1]), above=1e-9)
    return np.clip(np.column_stack([divide_safely(both, spread, above=1e-9), tau]), -1, 1)


def measure_ranks(pairs: RankedPairs, *, confidence_level: float) -> dict[str, tuple[float, PanelIntervals]]:
    """The correlations by name, with their intervals: V = V_items + max(0, V_people - V_votes), on Fisher's scale."""
    tables = _Tables(pairs)
    values = tables.correlate_once()
    groups = tables.leave_out_groups()
    cells = pairs.groups[pairs.vote] * (int(pairs.people.max(initial=0)) + 1) + pairs.people
    people = tables.leave_out_votes(pairs.people)
    votes = tables.leave_out_votes(cells)
    return {
        name: (
            float(values[column]),
            _build_intervals(
                float(values[column]), groups[:, column], people[:, column], votes[:, column], confidence_level
            ),
        )
        for column, name in enumerate(RANK_METRICS)
    }


class _Tables:
    """The table of counts of pairs, and what it becomes without some of them or of their votes."""

    def __init__(self, pairs: RankedPairs) -> None:
        known = ~np.isnan(pairs.without)
        self._pairs = pairs
        values, codes = np.unique(np.concatenate([pairs.x, pairs.without[known]]), return_inverse=True)
        golds, gold = np.unique(pairs.g, return_inverse=True)
        self._shape = len(values), len(golds)
        own, changed = codes[: len(pairs.x)], codes[len(pairs.x) :]
        self._from = own * len(golds) + gold
        self._to = np.full(len(pairs.vote), -1)
        self._to[known] = changed * len(golds) + gold[pairs.vote[known]]
        self._table = np.bincount(self._from, minlength=len(values) * len(golds)).astype(np.float64)

    def correlate_once(self) -> Floats:
        """Both correlations of all pairs."""
        return np.asarray(correlate_ranks(self._table.reshape(1, *self._shape))[0])

    def leave_out_groups(self) -> Floats:
        """Both correlations without each group of items."""
        return self._compute(self._pairs.groups, self._from, np.full(len(self._from), -1))

    def leave_out_votes(self, sets: Codes) -> Floats:
        """Both correlations without each set of votes."""
        places, size = np.unique(sets, return_inverse=True)
        start, end = self._from[self._pairs.vote], self._to
        alone = (np.bincount(size) == 1)[size]
        found = np.full((len(places), len(RANK_METRICS)), np.nan)
        found[size[alone]] = self._move_single(start[alone], end[alone])
        others, code = np.unique(size[~alone], return_inverse=True)
        found[others] = self._compute(code, start[~alone], end[~alone])
        return found

    def _compute(self, sets: Codes, start: Codes, end: Codes) -> Floats:
        """Both correlations if the pairs of each set move from a cell to another, -1 for none."""
        n_sets = int(sets.max(initial=-1)) + 1
        if n_sets == len(sets):
            return self._move_single(start, end)[np.argsort(sets)]
        parts = [np.empty((0, len(RANK_METRICS)))]
        for low, high in _split(n_sets, max(1, LARGEST_BLOCK // len(self._table))):
            of_block = (sets >= low) & (sets < high)
            tables = np.repeat(self._table[None, :], high - low, axis=0)
            np.subtract.at(tables, (sets[of_block] - low, start[of_block]), 1.0)
            moved = of_block & (end >= 0)
            np.add.at(tables, (sets[moved] - low, end[moved]), 1.0)
            parts.append(correlate_ranks(tables.reshape(-1, *self._shape)))
        return np.concatenate(parts)

    def _move_single(self, start: Codes, end: Codes) -> Floats:
        """Both correlations if one pair moves from a cell to another of the same gold, or is gone (-1).

        With c the mid-ranks less their mean, Spearman's sum R = Σ c_x c_g; each other pair's c changes by half a sign.
        """
        table = self._table.reshape(self._shape)
        of_x, of_g, n = table.sum(axis=1), table.sum(axis=0), self._table.sum()
        rank_x, rank_g = (np.cumsum(side) - side / 2 - n / 2 for side in (of_x, of_g))
        signs = sum_signs(sum_signs(table).T).T  # of each cell: concordant less discordant pairs with it
        by_x, by_g = -sum_signs(table @ rank_g), -sum_signs(rank_x @ table)
        both, concordant = float(rank_x @ table @ rank_g), float((table * signs).sum() / 2)
        x, g = np.divmod(start, self._shape[1])
        is_kept = end >= 0
        to = np.where(is_kept, end // self._shape[1], x)
        moved = by_x[to] / 2 - by_x[x] / 2 + (rank_x[to] - rank_x[x]) * rank_g[g]
        gone = signs[x, g] / 4 - by_g[g] / 2 - by_x[x] / 2 - rank_x[x] * rank_g[g]
        sums = np.column_stack(
            [
                both + np.where(is_kept, moved, gone),
                concordant - signs[x, g] + np.where(is_kept, signs[to, g], 0.0),
            ]
        )
        left = n - 1.0 + is_kept
        spreads = []
        for power in (3, 2):
            ties_x = (of_x**power).sum() - of_x[x] ** power + (of_x[x] - 1) ** power
            raised = np.where(to == x, of_x[to] - 1, of_x[to])
            ties_x = ties_x + np.where(is_kept, (raised + 1) ** power - raised**power, 0.0)
            ties_g = (of_g**power).sum() + np.where(is_kept, 0.0, (of_g[g] - 1) ** power - of_g[g] ** power)
            spreads.append(np.sqrt((left**power - ties_x) * (left**power - ties_g)))
        scaled = np.column_stack([spreads[0] / 12, spreads[1] / 2])
        return np.clip(divide_safely(sums, scaled, above=1e-9), -1, 1)


def sum_signs(counts: Floats) -> Floats:
    """At each place of the first axis the sum of what is before it less that of what is after it."""
    before = np.cumsum(counts, axis=0) - counts
    return np.asarray(before - (counts.sum(axis=0) - counts - before))


def _split(total: int, size: int) -> Iterator[tuple[int, int]]:
    return ((low, min(total, low + size)) for low in range(0, total, size))


def _build_intervals(
    value: float, groups: Floats, people: Floats, votes: Floats, confidence_level: float
) -> PanelIntervals:
    def refuse(reason: str) -> PanelIntervals:
        return PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason=reason)

    n_groups, n_people = len(groups), len(people)
    if math.isnan(value):
        return refuse("")
    if n_groups < FEWEST_GROUPS:
        return refuse(Finding("few-items", n=n_groups, least=FEWEST_GROUPS))
    has_people = n_people >= FEWEST_PEOPLE
    if np.isnan(groups).any() or (has_people and np.isnan(np.concatenate([people, votes])).any()):
        return refuse(Finding("undefined-without-one"))
    variance = PanelVariance(
        items=_sum_jackknife(groups),
        people=max(0.0, _sum_jackknife(people) - float(((votes - value) ** 2).sum())) if has_people else None,
        items_df=n_groups - 1,
        people_df=n_people - 1,
    )
    if variance.items < SMALLEST_VARIANCE or 1 - abs(value) < SMALLEST_VARIANCE:
        return refuse(NO_VARIANCE)

    def build(part: float, df: float) -> Interval:
        half = float(stdtrit(df, (1 + confidence_level) / 2)) * part**0.5 / (1 - value**2)
        middle = math.atanh(value)
        return Interval(low=math.tanh(middle - half), high=math.tanh(middle + half))

    this_panel = build(variance.items, variance.items_df)
    if variance.people is None:
        code = "one-person-panel" if n_people == 1 else "few-people-panel"
        arguments = {} if n_people == 1 else {"n": n_people}
        reason = Finding(code, least=FEWEST_PEOPLE, **arguments)
        return PanelIntervals(
            fresh_panel=NO_INTERVAL, this_panel=this_panel, se=None, form="items", reason=reason, variance=variance
        )
    return PanelIntervals(
        fresh_panel=build(variance.total, variance.total_df),
        this_panel=this_panel,
        se=variance.total**0.5,
        form="two-way" if variance.people > 0 else "people-zero",
        reason="",
        variance=variance,
    )


def _sum_jackknife(without: Floats) -> float:
    """The jackknife variance of the values without each."""
    n = len(without)
    return float((n - 1) / n * ((without - without.mean()) ** 2).sum())
