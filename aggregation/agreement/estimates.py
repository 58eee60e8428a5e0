"""A coefficient with its interval, from columns that add up over items: what every measure of agreement ends in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.bootstrap import (
    FEWEST_CLUSTERS,
    Draws,
    Interval,
    Sparse,
    cluster_statistics,
    group_codes,
    percentile_interval,
)
from aggregation.schema import Codes, Floats

Basis = Literal["first", "pooled"]
NOTHING = "No item has two votes, so there is nothing to compare."


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient over the items that have two votes or more; `n_votes` and `n_annotators` are those items' own.

    `low` and `high` bound the middle share `level` of the resamples; `undefined_resamples` had no value and were left
    out. `how` says how value and interval were made; `reason` why either is missing, else it is empty. `basis` tells
    the first votes of each item (as many as everybody was to give it) from all votes pooled. `positions` marks figures
    whose classes are positions of options that differ. `of` names the label, person, box or period of a breakdown.
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """Items with the columns that add up over them (items × columns), and the group of each item.

    `counts` are the items, votes and annotators that a coefficient over the pool is said to rest on.
    """

    columns: Floats | Sparse
    groups: Codes
    n_groups: int
    counts: tuple[int, int, int]

    @property
    def units(self) -> str:
        """What is resampled, with its number."""
        units = "items" if self.n_groups == len(self.groups) else "groups of items"
        return "1 " + units.replace("s", "", 1) if self.n_groups == 1 else f"{self.n_groups} {units}"

    def value(self, statistic: Callable[[Floats], Floats]) -> float:
        """The statistic of the sums over all items; nan where it is undefined or there are no items."""
        if not len(self.groups):
            return float("nan")
        sums = np.atleast_2d(np.asarray(self.columns.sum(axis=0), dtype=np.float64))
        return float(statistic(sums)[0])

    def resampled(self, draws: Draws, *, statistic: Callable[[Floats], Floats] | None = None) -> Floats | None:
        """The column sums, or a statistic of them, in resamples of whole groups; None with too few groups."""
        if self.n_groups < FEWEST_CLUSTERS:
            return None
        return cluster_statistics(
            self.columns,
            groups=self.groups,
            draws=draws.resamples,
            rng=draws.rng(),
            statistic=statistic or (lambda sums: sums),
            progress=draws.progress,
        )


def pool(columns: Floats | Sparse, *, groups: pd.Series[str], n_votes: int, n_annotators: int) -> Pool:
    """A pool of items; `groups` has the name of each item's group, in the order of the rows."""
    codes, n_groups = group_codes(groups.to_numpy(dtype=object))
    return Pool(columns=columns, groups=codes, n_groups=n_groups, counts=(len(codes), n_votes, n_annotators))


def estimated(
    name: str,
    value: float,
    *,
    resampled: Floats | None,
    pool: Pool,
    draws: Draws,
    how: str,
    undefined: str,
    basis: Basis = "pooled",
    positions: bool = False,
    of: str = "",
) -> Coefficient:
    """A value (nan: undefined, for the reason `undefined`) and the values of its resamples, as a coefficient."""
    said, interval, reason = how, Interval(low=None, high=None), ""
    if not len(pool.groups):
        reason = undefined or NOTHING
    elif np.isnan(value):
        reason = undefined
    elif resampled is None:
        verb = "is" if pool.n_groups == 1 else "are"
        reason = f"No interval: {pool.units} {verb} fewer than the {FEWEST_CLUSTERS} to resample."
    else:
        interval = percentile_interval(resampled, level=draws.level)
        said = (
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
        how=said,
        reason=reason,
        undefined_resamples=interval.undefined,
        basis=basis,
        positions=positions,
        of=of,
    )


def mean_over_items(
    name: str,
    of_items: Floats,
    *,
    groups: pd.Series[str],
    counts: tuple[int, int],
    draws: Draws,
    how: str,
    undefined: str = NOTHING,
    basis: Basis = "pooled",
    of: str = "",
) -> Coefficient:
    """The mean of one number an item; nan marks items without one, which are left out. `counts`: votes, annotators."""
    known = ~np.isnan(of_items)
    columns = np.column_stack([np.ones(int(known.sum())), of_items[known]])
    items = pool(columns, groups=groups.loc[known], n_votes=counts[0], n_annotators=counts[1])

    def mean(sums: Floats) -> Floats:
        return np.asarray(sums[:, 1] / sums[:, 0])

    sums = items.resampled(draws)
    return estimated(
        name,
        items.value(mean),
        resampled=None if sums is None else mean(sums),
        pool=items,
        draws=draws,
        how=how,
        undefined=undefined,
        basis=basis,
        of=of,
    )
