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

from aggregation.agreement.item_columns import ItemColumns, Statistic, SummedItems, build_item_columns
from aggregation.agreement.two_populations import (
    REASON_NOTHING_VARIES,
    REASON_PEOPLE_KEPT,
    SAME_INTERVALS,
    BothIntervals,
    estimate_both,
    explain_few_people,
    take_share_interval,
)
from aggregation.findings import Finding
from aggregation.intervals.panel import NO_INTERVAL, Scale
from aggregation.intervals.resampling import FEWEST_GROUPS, Resampling, percentile_interval
from aggregation.intervals.shares import Interval
from aggregation.schema import Floats, MeasurementLevel, divide_safely

Basis = Literal["first", "pooled", "sample"]
"""Which votes count: `first` as many votes of each item as were planned for every item, `pooled` all votes, `sample` as
many as were planned for the items of a random sample, and none of other items.
"""
Level = MeasurementLevel | Literal["similarity"]
"""How two answers are compared: at a level of measurement (`nominal`: equal or not), or by how similar they are (the
boxes, words or characters that they share).
"""
REASON_NO_PAIRS = Finding("no-pairs")
NO_INTERVALS = BothIntervals(these_people=NO_INTERVAL, new_people=NO_INTERVAL)
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

    @property
    def explanations(self) -> tuple[str, ...]:
        """Why an interval is missing, or why both are the same."""
        is_same = self.low is not None and (self.low, self.high) == (self.new_people_low, self.new_people_high)
        reasons = (self.reason, self.new_people_reason, SAME_INTERVALS if is_same else "")
        return tuple(dict.fromkeys(filter(None, reasons)))


@dataclass(frozen=True, kw_only=True)
class AgreementTable:
    """All coefficients that fit the answers, in a fixed order; one that cannot be computed is a row with the reason.

    Where an overlap was planned, the rows of the basis `first` come first; they are the headline, the rows to report.
    Rows of the basis `pooled` follow where items have more votes than planned. These rows are biased: how many votes
    an item got then depends on how much its votes disagreed.
    """

    rows: tuple[Coefficient, ...]

    def mark_sample(self, words: str) -> AgreementTable:
        """The table of a random sample of the items, which `words` describe; votes beyond its overlap are left out."""
        rows = (row for row in self.rows if row.basis == self.rows[0].basis)
        return AgreementTable(rows=tuple(replace(row, basis="sample", how=f"{row.how}; {words}") for row in rows))

    def __getitem__(self, name: str) -> Coefficient:
        """The coefficient of that name; the headline one where there are two."""
        return {str(row.name): row for row in reversed(self.rows)}[name]

    @property
    def headline(self) -> tuple[Coefficient, ...]:
        """The rows to report: all rows with the basis of the first row."""
        return tuple(row for row in self.rows if row.basis == self.rows[0].basis)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a coefficient is, whatever its value: the fields of its row that say so, and the scale of its values.

    `reason_undefined` is the reason of a coefficient without a value.
    """

    name: str
    how: str
    scale: Scale = "fraction"
    level: Level = "nominal"
    basis: Basis = "pooled"
    positions: bool = False
    of: str = ""
    reason_undefined: str = REASON_NO_PAIRS


def estimate_coefficient(
    definition: Definition,
    value: float,
    item_columns: ItemColumns,
    resampling: Resampling,
    *,
    resampled: Floats | None,
) -> Coefficient:
    """A coefficient from its value (nan if it is undefined), with its interval for these people and descriptions.

    The interval is the percentile interval of `resampled`, which has one value per draw, None with too few groups.
    Where nothing varies, a share has that of a share, with the number of groups of items as n; any other coefficient
    has none.
    """
    if np.isnan(value):
        made = _Made(how=definition.how, reason=definition.reason_undefined)
    else:
        made = _resample_interval(definition, value, resampled, item_columns, resampling)
    return _build_coefficient(definition, value, made, counts=item_columns.counts)


def estimate_statistic(
    definition: Definition, statistic: Statistic | None, items: SummedItems, *, confidence_level: float
) -> Coefficient:
    """A coefficient that is a statistic of sums over items (None if it is undefined), with both intervals.

    They are those of `two_populations`. Where nothing varies, a share has that of a share, with the number of groups of
    items as n; any other coefficient has none.
    """
    value = float("nan") if statistic is None else items.compute(statistic)
    if statistic is None or np.isnan(value):
        made = _Made(how=definition.how, reason=definition.reason_undefined)
    else:
        made = _estimate_both(definition, value, statistic, items, confidence_level)
    return _build_coefficient(definition, value, made, counts=items.counts)


def _build_coefficient(
    definition: Definition, value: float, made: _Made, *, counts: tuple[int, int, int]
) -> Coefficient:
    n_items, n_votes, n_annotators = counts
    these, new = made.both.these_people, made.both.new_people
    return Coefficient(
        name=definition.name,
        value=None if np.isnan(value) else value,
        low=these.low,
        high=these.high,
        n_items=n_items,
        n_votes=n_votes,
        n_annotators=n_annotators,
        how=made.how,
        reason=made.reason,
        undefined_resamples=these.undefined,
        level=definition.level,
        basis=definition.basis,
        positions=definition.positions,
        of=definition.of,
        new_people_low=new.low,
        new_people_high=new.high,
        new_people_reason=made.both.reason_new,
    )


@dataclass(frozen=True, kw_only=True)
class _Made:
    """The intervals of a coefficient, how value and intervals were computed, and why the first one is missing."""

    both: BothIntervals = NO_INTERVALS
    how: str
    reason: str = ""


def _estimate_both(
    definition: Definition, value: float, statistic: Statistic, item_columns: SummedItems, level: float
) -> _Made:
    """Both intervals of a coefficient that has a value, from its variance."""
    how, few = definition.how, explain_few_people(item_columns)
    if item_columns.n_groups < FEWEST_GROUPS:
        reason = _explain_few(item_columns)
        return _Made(both=replace(NO_INTERVALS, reason_new=few or reason), how=how, reason=reason)
    made = estimate_both(
        value,
        statistic,
        item_columns,
        confidence_level=level,
        is_error=definition.scale == "errors",
        least=-1.0 if definition.scale == "correlation" else 0.0,
    )
    if made is not None:
        clusters = f"{item_columns.resampled_units}" + ("" if few else f" and {item_columns.n_people} people")
        return _Made(both=made, how=f"{how}; {100 * level:g} % intervals of the clustered variance over {clusters}")
    if definition.scale != "share":
        reason = REASON_NOTHING_VARIES
        return _Made(both=replace(NO_INTERVALS, reason_new=few or reason), how=how, reason=reason)
    return _take_share_interval(value, item_columns, level, how=how)


def _take_share_interval(value: float, item_columns: SummedItems, level: float, *, how: str) -> _Made:
    units = f"{100 * level:g} % modified Jeffreys interval of {item_columns.resampled_units}, as nothing varies"
    return _Made(both=take_share_interval(value, item_columns, confidence_level=level), how=f"{how}; {units}")


def _resample_interval(
    definition: Definition,
    value: float,
    resampled: Floats | None,
    item_columns: ItemColumns,
    resampling: Resampling,
) -> _Made:
    """The interval of a coefficient that has a value for these people; for new people there is none."""
    how, nothing = definition.how, replace(NO_INTERVALS, reason_new=REASON_PEOPLE_KEPT)
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
    if definition.scale != "share":
        none = Interval(low=None, high=None, undefined=interval.undefined)
        return _Made(both=replace(nothing, these_people=none), how=how, reason=REASON_NOTHING_VARIES)
    return _take_share_interval(value, replace(item_columns, losses=None), level, how=how)


def _explain_few(item_columns: SummedItems) -> Finding:
    n, is_grouped = item_columns.n_groups, item_columns.is_grouped
    if n == 1:
        return Finding("one-group-resampled" if is_grouped else "one-item-resampled", least=FEWEST_GROUPS)
    return Finding("few-groups-resampled" if is_grouped else "few-items-resampled", n=n, least=FEWEST_GROUPS)


def estimate_item_mean(
    definition: Definition,
    item_values: Floats,
    resampling: Resampling,
    *,
    groups: pd.Series[str],
    n_votes: int,
    n_annotators: int,
) -> Coefficient:
    """The mean over items of `item_values`, one number per item; items whose number is nan are left out.

    `groups` has the name of each item's group; `n_votes` and `n_annotators` are published with the coefficient.
    """
    is_defined = ~np.isnan(item_values)
    return estimate_item_ratio(
        definition,
        item_values[is_defined],
        np.ones(int(is_defined.sum())),
        resampling,
        groups=groups.loc[is_defined],
        n_votes=n_votes,
        n_annotators=n_annotators,
    )


def estimate_item_ratio(
    definition: Definition,
    numerators: Floats,
    denominators: Floats,
    resampling: Resampling,
    *,
    groups: pd.Series[str],
    n_votes: int,
    n_annotators: int,
) -> Coefficient:
    """The sum of `numerators` over that of `denominators`, one of each per item; nan where the latter is 0.

    The other parameters are those of `estimate_item_mean`.
    """
    columns = np.column_stack([denominators, numerators])
    item_columns = build_item_columns(columns, groups=groups, n_votes=n_votes, n_annotators=n_annotators)

    def compute_ratio(sums: Floats) -> Floats:
        return divide_safely(sums[:, 1], sums[:, 0])

    resampled_sums = item_columns.resample(resampling)
    return estimate_coefficient(
        definition,
        item_columns.compute(compute_ratio),
        item_columns,
        resampling,
        resampled=None if resampled_sums is None else compute_ratio(resampled_sums),
    )
