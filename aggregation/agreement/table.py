"""The result of measuring agreement: coefficients with intervals.

A coefficient is computed from sums over items. So each item has a row of numbers, a resample of items adds up the rows
of the items that were drawn, and the coefficient of the resample is computed from the sums.

The agreement of every answer type is such a result. Which coefficients there are is in the package of the type:
`agreement.coefficients`, `answer_types.boxes`, `answer_types.span`, `answer_types.text`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.findings import Finding
from aggregation.intervals.resampling import (
    FEWEST_GROUPS,
    Resampling,
    Sparse,
    encode_groups,
    percentile_interval,
    resample_groups,
)
from aggregation.intervals.shares import Interval, share_interval
from aggregation.schema import Codes, Floats, MeasurementLevel

Basis = Literal["first", "pooled"]
"""Which votes count: `first` as many votes of each item as were planned for every item, `pooled` all votes."""
Level = MeasurementLevel | Literal["similarity"]
"""How two answers are compared: at a level of measurement (`nominal`: equal or not), or by how similar they are (the
boxes, words or characters that they share).
"""
REASON_NO_PAIRS = Finding("no-pairs")
VARIATION_TOLERANCE = 1e-12  # an interval that is not wider has no width but rounding errors
REASON_NOTHING_VARIES = Finding("items-equal")


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient over the items that have two votes or more; `n_votes` and `n_annotators` count on those items.

    The names of the fields are published as keys of `hromada agreement --json`. `low` and `high` are the ends of the
    percentile interval; `undefined_resamples` counts the resamples in which the coefficient had no value. `how`
    describes how value and interval were computed; `reason` says why the value or the interval is missing, else it is
    empty. `level` is the level of measurement at which answers are compared (see `Level`). `basis` says which votes
    count. `positions` (so it is published) is true where the classes are positions of
    options, because the options themselves differ from item to item. `of` names the label, annotator, box or period
    that the coefficient of a breakdown is about; it is empty for coefficients of the whole data set.
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
    level: Level = "nominal"
    basis: Basis = "pooled"
    positions: bool = False
    of: str = ""


@dataclass(frozen=True, kw_only=True)
class AgreementTable:
    """All coefficients that fit the answers, in a fixed order; one that cannot be computed is a row with the reason.

    Where an overlap was planned, the rows of the basis `first` come first; they are the headline, the rows to report.
    Rows of the basis `pooled` follow where items have more votes than planned. These rows are biased: how many votes
    an item got then depends on how much its votes disagreed.
    """

    rows: tuple[Coefficient, ...]

    def __getitem__(self, name: str) -> Coefficient:
        """The coefficient of that name; the headline one where there are two."""
        return {str(row.name): row for row in reversed(self.rows)}[name]

    @property
    def headline(self) -> tuple[Coefficient, ...]:
        """The rows to report: all rows with the basis of the first row."""
        return tuple(row for row in self.rows if row.basis == self.rows[0].basis)


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemColumns:
    """One row of numbers per item, made to be summed over items, and the group of each item.

    `columns` is items × columns; `groups` is the code of each item's group. `counts` are the numbers of items, votes
    and annotators that are published with a coefficient of these items.
    """

    columns: Floats | Sparse
    groups: Codes
    n_groups: int
    counts: tuple[int, int, int]

    @property
    def resampled_units(self) -> str:
        """The number of units that are resampled, with their name: "5 items", or "1 group of items"."""
        name = "items" if self.n_groups == len(self.groups) else "groups of items"
        return "1 " + name.replace("s", "", 1) if self.n_groups == 1 else f"{self.n_groups} {name}"

    def compute(self, statistic: Callable[[Floats], Floats]) -> float:
        """A statistic of the column sums over all items; nan where it is undefined or there are no items.

        `statistic` takes column sums (draws × columns) and returns one number per draw.
        """
        if not len(self.groups):
            return float("nan")
        sums = np.atleast_2d(np.asarray(self.columns.sum(axis=0), dtype=np.float64))
        return float(statistic(sums)[0])

    def resample(self, resampling: Resampling, *, statistic: Callable[[Floats], Floats] | None = None) -> Floats | None:
        """The column sums, or a statistic of the column sums, in resamples of whole groups of items.

        Returns draws × columns, or draws × numbers of the statistic; None with fewer than FEWEST_GROUPS groups.
        """
        if self.n_groups < FEWEST_GROUPS:
            return None
        return resample_groups(
            self.columns,
            groups=self.groups,
            n_resamples=resampling.n_resamples,
            rng=resampling.rng(),
            statistic=statistic or (lambda sums: sums),
            progress=resampling.progress,
        )


def build_item_columns(
    columns: Floats | Sparse, *, groups: pd.Series[str], n_votes: int, n_annotators: int
) -> ItemColumns:
    """The columns with their items' groups; `groups` has the name of each item's group, in the order of the rows."""
    codes, n_groups = encode_groups(groups.to_numpy(dtype=object))
    return ItemColumns(columns=columns, groups=codes, n_groups=n_groups, counts=(len(codes), n_votes, n_annotators))


def estimate_coefficient(
    name: str,
    value: float,
    *,
    resampled: Floats | None,
    item_columns: ItemColumns,
    resampling: Resampling,
    how: str,
    reason_undefined: str,
    level: Level = "nominal",
    basis: Basis = "pooled",
    classes_are_positions: bool = False,
    of: str = "",
    is_share: bool = False,
) -> Coefficient:
    """A coefficient from its value and the values of its resamples, with its interval and descriptions.

    `value` is nan where the coefficient is undefined, for the reason `reason_undefined`. `resampled` has one value per
    draw; it is None where there is no interval. Where all resamples have the same value, a share of items or votes
    (`is_share`) has that of a share, with the number of resampled units as n, and any other coefficient none.
    """
    interval, description, reason = Interval(low=None, high=None), how, reason_undefined
    if not len(item_columns.groups):
        reason = reason_undefined or REASON_NO_PAIRS
    elif not np.isnan(value):
        interval, description, reason = _estimate_interval(
            value, resampled=resampled, item_columns=item_columns, resampling=resampling, how=how, is_share=is_share
        )
    n_items, n_votes, n_annotators = item_columns.counts
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
        level=level,
        basis=basis,
        positions=classes_are_positions,
        of=of,
    )


def _estimate_interval(
    value: float,
    *,
    resampled: Floats | None,
    item_columns: ItemColumns,
    resampling: Resampling,
    how: str,
    is_share: bool,
) -> tuple[Interval, str, str]:
    """The interval of a coefficient that has a value, how both were computed, and why there is no interval."""
    nothing = Interval(low=None, high=None)
    if resampled is None:
        return nothing, how, _explain_few(item_columns)
    level, n = resampling.confidence_level, item_columns.n_groups
    interval = percentile_interval(resampled, confidence_level=level, n_groups=n)
    low, high = interval.low, interval.high
    drawn = f"{resampling.n_resamples} resamples of {item_columns.resampled_units}, seed {resampling.seed}"
    description = f"{how}; {100 * level:g} % percentile interval, {drawn}"
    if low is None or high is None:
        return interval, description, ""
    if high - low >= VARIATION_TOLERANCE:
        return replace(interval, low=min(low, value), high=max(high, value)), description, ""
    if not is_share:
        return replace(interval, low=None, high=None), how, REASON_NOTHING_VARIES
    units = f"{100 * level:g} % modified Jeffreys interval of {item_columns.resampled_units}, as nothing varies"
    return share_interval(value * n, n, confidence_level=level), f"{how}; {units}", ""


def _explain_few(item_columns: ItemColumns) -> Finding:
    n, is_grouped = item_columns.n_groups, item_columns.n_groups != len(item_columns.groups)
    if n == 1:
        return Finding("one-group-resampled" if is_grouped else "one-item-resampled", least=FEWEST_GROUPS)
    return Finding("few-groups-resampled" if is_grouped else "few-items-resampled", n=n, least=FEWEST_GROUPS)


def estimate_item_mean(
    name: str,
    item_values: Floats,
    *,
    groups: pd.Series[str],
    n_votes: int,
    n_annotators: int,
    resampling: Resampling,
    how: str,
    reason_undefined: str = REASON_NO_PAIRS,
    level: Level = "nominal",
    basis: Basis = "pooled",
    of: str = "",
    is_share: bool = False,
) -> Coefficient:
    """The mean over items of `item_values`, one number per item; items whose number is nan are left out.

    `groups` has the name of each item's group; `n_votes` and `n_annotators` are published with the coefficient;
    `is_share` says that the numbers are shares (see `estimate_coefficient`).
    """
    is_defined = ~np.isnan(item_values)
    columns = np.column_stack([np.ones(int(is_defined.sum())), item_values[is_defined]])
    item_columns = build_item_columns(
        columns, groups=groups.loc[is_defined], n_votes=n_votes, n_annotators=n_annotators
    )

    def compute_mean(sums: Floats) -> Floats:
        return np.asarray(sums[:, 1] / sums[:, 0])

    resampled_sums = item_columns.resample(resampling)
    return estimate_coefficient(
        name,
        item_columns.compute(compute_mean),
        resampled=None if resampled_sums is None else compute_mean(resampled_sums),
        item_columns=item_columns,
        resampling=resampling,
        how=how,
        reason_undefined=reason_undefined,
        level=level,
        basis=basis,
        of=of,
        is_share=is_share,
    )
