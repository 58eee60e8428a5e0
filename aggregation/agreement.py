"""The result of measuring agreement: coefficients with intervals, computed from columns that add up over items.

Every answer type returns these results; the measures stand beside the type: `labels.agreement`,
`multilabel.agreement`, `spans.agreement`, `texts.agreement`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.bootstrap import (
    FEWEST_CLUSTERS,
    Draws,
    Sparse,
    encode_groups,
    percentile_interval,
    resample_groups,
)
from aggregation.intervals import Interval
from aggregation.schema import Codes, Floats

Basis = Literal["first", "pooled"]
NO_PAIRS = "No item has two votes, so there is nothing to compare."


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient over the items that have two votes or more; `n_votes` and `n_annotators` count on those items.

    `low` and `high` bound the middle share `level` of the resamples; `undefined_resamples` had no value and were left
    out. `how` describes how value and interval were computed; `reason` why either is missing, else it is empty.
    `basis` tells whether it rests on the first votes of each item (as many as were planned for every item) or on all
    votes pooled. `positions` marks figures whose classes are positions of options that differ. `of` names the label,
    annotator, box or period of a breakdown, else it is empty.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    n_items: int
    n_votes: int
    n_annotators: int
    how: str
    reason: str
    undefined_resamples: int = 0
    basis: Basis = "pooled"
    positions: bool = False
    of: str = ""


@dataclass(frozen=True, kw_only=True)
class AgreementTable:
    """All coefficients that fit the answers, in a fixed order; those refused are rows with their reason.

    The headline rows come first: those of each item's first votes, where a least overlap was planned. Rows of the
    basis `pooled` follow where items have more votes than that: how many votes an item got then depends on how much
    its votes disagreed, which biases these rows.
    """

    rows: tuple[Coefficient, ...]

    def __getitem__(self, name: str) -> Coefficient:
        """The headline coefficient of that name."""
        return {str(row.name): row for row in reversed(self.rows)}[name]

    @property
    def headline(self) -> tuple[Coefficient, ...]:
        """The rows to report first."""
        return tuple(row for row in self.rows if row.basis == self.rows[0].basis)


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemPool:
    """Items with the columns that add up over them (items × columns), and the group of each item.

    `counts` are the numbers of items, votes and annotators that are published with a coefficient over the pool.
    """

    columns: Floats | Sparse
    groups: Codes
    n_groups: int
    counts: tuple[int, int, int]

    @property
    def units(self) -> str:
        """The number of resampled units with their name: items, or groups of items."""
        name = "items" if self.n_groups == len(self.groups) else "groups of items"
        return "1 " + name.replace("s", "", 1) if self.n_groups == 1 else f"{self.n_groups} {name}"

    def compute(self, statistic: Callable[[Floats], Floats]) -> float:
        """The statistic of the sums over all items; nan where it is undefined or there are no items."""
        if not len(self.groups):
            return float("nan")
        sums = np.atleast_2d(np.asarray(self.columns.sum(axis=0), dtype=np.float64))
        return float(statistic(sums)[0])

    def resample(self, draws: Draws, *, statistic: Callable[[Floats], Floats] | None = None) -> Floats | None:
        """The column sums, or a statistic of them, in resamples of whole groups; None with too few groups."""
        if self.n_groups < FEWEST_CLUSTERS:
            return None
        return resample_groups(
            self.columns,
            groups=self.groups,
            draws=draws.resamples,
            rng=draws.rng(),
            statistic=statistic or (lambda sums: sums),
            progress=draws.progress,
        )


def build_pool(columns: Floats | Sparse, *, groups: pd.Series[str], n_votes: int, n_annotators: int) -> ItemPool:
    """A pool of items; `groups` has the name of each item's group, in the order of the rows."""
    codes, n_groups = encode_groups(groups.to_numpy(dtype=object))
    return ItemPool(columns=columns, groups=codes, n_groups=n_groups, counts=(len(codes), n_votes, n_annotators))


def estimate_coefficient(
    name: str,
    value: float,
    *,
    resampled: Floats | None,
    pool: ItemPool,
    draws: Draws,
    how: str,
    undefined: str,
    basis: Basis = "pooled",
    positions: bool = False,
    of: str = "",
) -> Coefficient:
    """A coefficient from its value (nan: undefined, for the reason `undefined`) and the values of its resamples."""
    description, interval, reason = how, Interval(low=None, high=None), ""
    if not len(pool.groups):
        reason = undefined or NO_PAIRS
    elif np.isnan(value):
        reason = undefined
    elif resampled is None:
        verb = "is" if pool.n_groups == 1 else "are"
        reason = f"No interval: {pool.units} {verb} fewer than the {FEWEST_CLUSTERS} to resample."
    else:
        interval = percentile_interval(resampled, level=draws.level)
        description = (
            f"{how}; {100 * draws.level:g} % percentile interval, {draws.resamples} resamples of {pool.units}, "
            f"seed {draws.seed}"
        )
    n_items, n_votes, n_annotators = pool.counts
    return Coefficient(
        name=name,
        value=None if np.isnan(value) else value,
        low=interval.low,
        high=interval.high,
        n_items=n_items,
        n_votes=n_votes,
        n_annotators=n_annotators,
        how=description,
        reason=reason,
        undefined_resamples=interval.undefined,
        basis=basis,
        positions=positions,
        of=of,
    )


def estimate_item_mean(
    name: str,
    of_items: Floats,
    *,
    groups: pd.Series[str],
    counts: tuple[int, int],
    draws: Draws,
    how: str,
    undefined: str = NO_PAIRS,
    basis: Basis = "pooled",
    of: str = "",
) -> Coefficient:
    """The mean over items of `of_items`, one number per item; items with nan are left out.

    `groups` has the name of each item's group; `counts` are the numbers of votes and annotators.
    """
    known = ~np.isnan(of_items)
    columns = np.column_stack([np.ones(int(known.sum())), of_items[known]])
    items = build_pool(columns, groups=groups.loc[known], n_votes=counts[0], n_annotators=counts[1])

    def mean(sums: Floats) -> Floats:
        return np.asarray(sums[:, 1] / sums[:, 0])

    sums = items.resample(draws)
    return estimate_coefficient(
        name,
        items.compute(mean),
        resampled=None if sums is None else mean(sums),
        pool=items,
        draws=draws,
        how=how,
        undefined=undefined,
        basis=basis,
        of=of,
    )
