"""The result of measuring agreement: coefficients with intervals.

A coefficient is computed from sums over items. So each item has a row of numbers, a resample of items adds up the rows
of the items that were drawn, and the coefficient of the resample is computed from the sums.

The agreement of every answer type is such a result. Which coefficients there are is in the package of the type:
`agreement.coefficients`, `answer_types.boxes`, `answer_types.span`, `answer_types.text`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.agreement.item_columns import ItemColumns, Statistic, build_item_columns
from aggregation.agreement.two_populations import (
    REASON_NO_PAIRS_OF_PEOPLE,
    REASON_NOTHING_VARIES,
    BothIntervals,
    estimate_both,
    explain_few_people,
    take_share_interval,
)
from aggregation.findings import Finding
from aggregation.intervals.panel import NO_INTERVAL
from aggregation.intervals.resampling import FEWEST_GROUPS, Resampling, percentile_interval
from aggregation.intervals.shares import Interval
from aggregation.schema import Floats, MeasurementLevel

Basis = Literal["first", "pooled"]
"""Which votes count: `first` as many votes of each item as were planned for every item, `pooled` all votes."""
Level = MeasurementLevel | Literal["similarity"]
"""How two answers are compared: at a level of measurement (`nominal`: equal or not), or by how similar they are (the
boxes, words or characters that they share).
"""
REASON_NO_PAIRS = Finding("no-pairs")
VARIATION_TOLERANCE = 1e-12  # an interval that is not wider has no width but rounding errors


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient over the items that have two votes or more; `n_votes` and `n_annotators` count on those items.

    The names of the fields are published as keys of `hromada agreement --json`. `low` and `high` are the ends of the
    interval for these people and new items, `new_people_low` and `new_people_high` of that for new people and new
    items; `undefined_resamples` counts the resamples in which the coefficient had no value. `how` describes how value
    and intervals were computed; `reason` says why the value or the first interval is missing, `new_people_reason` why
    the second one is, else they are empty. `level` is the level of measurement at which answers are compared (see
    `Level`). `basis` says which votes count. `positions` (so it is published) is true where the classes are positions
    of options, because the options themselves differ from item to item. `of` names the label, annotator, box or period
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
    new_people_low: float | None = None
    new_people_high: float | None = None
    new_people_reason: str = ""


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


def estimate_coefficient(
    name: str,
    value: float,
    *,
    resampled: Floats | None,
    item_columns: ItemColumns,
    resampling: Resampling,
    how: str,
    reason_undefined: str,
    statistic: Statistic | None = None,
    level: Level = "nominal",
    basis: Basis = "pooled",
    classes_are_positions: bool = False,
    of: str = "",
    is_share: bool = False,
    is_error: bool = False,
    least: float = -1.0,
) -> Coefficient:
    """A coefficient from its value, with its intervals and descriptions.

    `value` is nan where the coefficient is undefined, for the reason `reason_undefined`. Both intervals are those of
    `two_populations` where the `statistic` of the column sums is given, and it is 0 at full agreement where `is_error`
    says so, else 1, with `least` as its smallest value. Without it there is the percentile interval for these people,
    of `resampled` with one value per draw, None with too few groups. Where nothing varies, a share of items or votes
    (`is_share`) has that of a share, with the number of groups of items as n, and any other coefficient none.
    """
    made = _Made(both=BothIntervals(these_people=NO_INTERVAL, new_people=NO_INTERVAL), how=how, reason=reason_undefined)
    if not len(item_columns.groups):
        made = replace(made, reason=reason_undefined or REASON_NO_PAIRS)
    elif not np.isnan(value):
        made = (
            _estimate_both(
                value,
                statistic,
                item_columns,
                resampling,
                how=how,
                is_share=is_share,
                is_error=is_error,
                least=0.0 if is_share else least,
            )
            if statistic is not None
            else _resample_interval(value, resampled, item_columns, resampling, how=how, is_share=is_share)
        )
    n_items, n_votes, n_annotators = item_columns.counts
    these, new = made.both.these_people, made.both.new_people
    return Coefficient(
        name=name,
        value=None if np.isnan(value) else value,
        low=these.low,
        high=these.high,
        n_items=n_items,
        n_votes=n_votes,
        n_annotators=n_annotators,
        how=made.how,
        reason=made.reason,
        undefined_resamples=these.undefined,
        level=level,
        basis=basis,
        positions=classes_are_positions,
        of=of,
        new_people_low=new.low,
        new_people_high=new.high,
        new_people_reason=made.both.reason_new,
    )


@dataclass(frozen=True, kw_only=True)
class _Made:
    """The intervals of a coefficient, how value and intervals were computed, and why the first one is missing."""

    both: BothIntervals
    how: str
    reason: str = ""


def _estimate_both(
    value: float,
    statistic: Statistic,
    item_columns: ItemColumns,
    resampling: Resampling,
    *,
    how: str,
    is_share: bool,
    is_error: bool,
    least: float,
) -> _Made:
    """Both intervals of a coefficient that has a value, from its variance."""
    few, level = explain_few_people(item_columns), resampling.confidence_level
    if item_columns.n_groups < FEWEST_GROUPS:
        both = BothIntervals(these_people=NO_INTERVAL, new_people=NO_INTERVAL, reason_new=few)
        return _Made(both=both, how=how, reason=_explain_few(item_columns))
    made = estimate_both(value, statistic, item_columns, confidence_level=level, is_error=is_error, least=least)
    if made is not None:
        clusters = f"{item_columns.resampled_units}" + ("" if few else f" and {item_columns.count_people()} people")
        return _Made(both=made, how=f"{how}; {100 * level:g} % intervals of the clustered variance over {clusters}")
    if not is_share:
        reason = REASON_NOTHING_VARIES
        both = BothIntervals(these_people=NO_INTERVAL, new_people=NO_INTERVAL, reason_new=few or reason)
        return _Made(both=both, how=how, reason=reason)
    return _take_share_interval(value, item_columns, level, how=how)


def _take_share_interval(value: float, item_columns: ItemColumns, level: float, *, how: str) -> _Made:
    units = f"{100 * level:g} % modified Jeffreys interval of {item_columns.resampled_units}, as nothing varies"
    return _Made(both=take_share_interval(value, item_columns, confidence_level=level), how=f"{how}; {units}")


def _resample_interval(
    value: float,
    resampled: Floats | None,
    item_columns: ItemColumns,
    resampling: Resampling,
    *,
    how: str,
    is_share: bool,
) -> _Made:
    """The interval of a coefficient that has a value for these people; for new people there is none."""
    nothing = BothIntervals(these_people=NO_INTERVAL, new_people=NO_INTERVAL, reason_new=REASON_NO_PAIRS_OF_PEOPLE)
    if resampled is None:
        return _Made(both=nothing, how=how, reason=_explain_few(item_columns))
    level, n = resampling.confidence_level, item_columns.n_groups
    interval = percentile_interval(resampled, confidence_level=level, n_groups=n)
    low, high = interval.low, interval.high
    drawn = f"{resampling.n_resamples} resamples of {item_columns.resampled_units}, seed {resampling.seed}"
    description = f"{how}; {100 * level:g} % percentile interval, {drawn}"
    if low is None or high is None:
        return _Made(both=replace(nothing, these_people=interval), how=description)
    if high - low >= VARIATION_TOLERANCE:
        wide = replace(interval, low=min(low, value), high=max(high, value))
        return _Made(both=replace(nothing, these_people=wide), how=description)
    if not is_share:
        none = Interval(low=None, high=None, undefined=interval.undefined)
        return _Made(both=replace(nothing, these_people=none), how=how, reason=REASON_NOTHING_VARIES)
    return _take_share_interval(value, replace(item_columns, losses=None), level, how=how)


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
