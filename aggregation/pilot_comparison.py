"""Pilots of several wordings or interfaces over the same items, compared in pairs: differences with paired intervals.

Only items that all pilots have are compared, and for each measure only those that have it in all of them. A difference
is one metric of the sums of both pilots, so that it has the two-way variance of `panel_variance`: an item, and a person
who took part in both, enters once with what both pilots say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from aggregation.bootstrap import encode_groups
from aggregation.errors import HromadaError, Refused
from aggregation.paired_measures import ItemMeasure, join_measures
from aggregation.panel_intervals import PanelIntervals, estimate_intervals
from aggregation.panel_variance import FEWEST_PEOPLE, Contributions, Metric
from aggregation.performance import FEW_PEOPLE
from aggregation.pilot_measures import PilotAnswers, list_measures

REASON_NO_ITEMS = "No item has it in all of the projects."
REASON_POSTERIOR = "No interval for a fresh panel: posteriors are taken for known, and people are in their model."
METHODS = {
    "two-way": "two-way jackknife of the paired difference: {people} people, {items}",
    "people-zero": "two-way jackknife of the paired difference: {people} people, who differ no more than by chance,"
    " {items}",
    "items": "variance of the paired difference of {items}",
    "wilson": "none",
    "none": "none",
}


@dataclass(frozen=True, kw_only=True)
class PilotValue:
    """A measure of one pilot on the compared items; `value` is None where it is undefined, for that `reason`.

    `value_ties_wrong` counts the ties of a majority as wrong; None where nothing ties.
    """

    measure: str
    pilot: str
    value: float | None
    n_items: int
    n_answers: int
    n_people: int
    reason: str
    value_ties_wrong: float | None = None


@dataclass(frozen=True, kw_only=True)
class PilotDifference:
    """A measure of pilot `one` less that of pilot `two`.

    `ci_low`, `ci_high` and the standard error `se` are for a fresh panel (new people and items), `item_only_low` and
    `item_only_high` for these people on new items. `n_people` counts everybody of both, `n_common_people` those of
    both pilots. `reason` says why the value or an interval is missing.
    """

    measure: str
    one: str
    two: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    se: float | None
    item_only_low: float | None
    item_only_high: float | None
    n_items: int
    n_people: int
    n_common_people: int
    ci_method: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PilotComparison:
    """Several pilots over the `items` that all have; measures in the order of `list_measures`, pairs as given."""

    pilots: tuple[str, ...]
    items: tuple[str, ...]
    values: tuple[PilotValue, ...]
    differences: tuple[PilotDifference, ...]
    warnings: tuple[str, ...]

    def find_difference(self, measure: str, one: str, two: str) -> PilotDifference:
        """The difference of these two pilots in that measure."""
        return {(row.measure, row.one, row.two): row for row in self.differences}[measure, one, two]


def compare_pilots(
    pilots: Sequence[PilotAnswers], *, confidence_level: float = 0.95, only: Collection[str] = ()
) -> PilotComparison:
    """Compare every two pilots by all measures that fit their type of answers, or by `only` those named.

    Groups of items are those of the first pilot.

    Raises HromadaError for fewer than two pilots, two of one name, answers of different types, and where no item is in
    all of them.
    """
    _check_pilots(pilots)
    common = sorted(set.intersection(*(set(pilot.answers.votes.items.index) for pilot in pilots)))
    if not common:
        raise HromadaError("No item is in all of these projects.", remedy="Give the same items the same ids.")
    kept = [pilot.keep_items(pd.Index(common)) for pilot in pilots]
    values: list[PilotValue] = []
    differences: list[PilotDifference] = []
    measures = [list_measures(pilot.answers) for pilot in kept]
    shared = [name for name in measures[0] if all(name in one for one in measures) and name in (only or (name,))]
    for name in shared:
        find_items, measure = measures[0][name]
        items = pd.Index(sorted(set.intersection(*(find_items(pilot) for pilot in kept))))
        measured, reason = (None, REASON_NO_ITEMS) if items.empty else _measure_pilots(kept, items, measure)
        if measured is None:
            values += [_build_missing_value(name, pilot.name, reason) for pilot in kept]
            differences += [
                _build_missing_difference(name, one.name, two.name, reason) for one, two in combinations(kept, 2)
            ]
            continue
        values += [_build_value(name, pilot.name, one) for pilot, one in zip(kept, measured, strict=True)]
        groups = pilots[0].answers.votes.items["group"].reindex(items).to_numpy(dtype=object)
        for (one, two), (first, second) in zip(combinations(kept, 2), combinations(measured, 2), strict=True):
            joined, difference = join_measures(first, second, groups=encode_groups(groups)[0])
            intervals = estimate_intervals(difference, joined, confidence_level=confidence_level)
            n_common = len(np.intersect1d(first.people, second.people))
            differences.append(_build_difference(name, one.name, two.name, difference, joined, intervals, n_common))
    return PilotComparison(
        pilots=tuple(pilot.name for pilot in pilots),
        items=tuple(common),
        values=tuple(values),
        differences=tuple(differences),
        warnings=_list_warnings(kept),
    )


def _check_pilots(pilots: Sequence[PilotAnswers]) -> None:
    names = [pilot.name for pilot in pilots]
    if len(names) < 2:
        raise HromadaError("One project has nothing to be compared with.", remedy="Name two projects or more.")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise HromadaError(f"{repeated[0]!r} is named twice.", remedy="Name each project once.")
    kinds = {pilot.answers.kind: pilot.name for pilot in reversed(pilots)}
    if len(kinds) > 1:
        (first, one), (second, two) = sorted(kinds.items())[:2]
        raise HromadaError(
            f"Answers to {one!r} are of the type {first!r}, to {two!r} of the type {second!r}.",
            remedy="Compare questions of one type; --question names them.",
        )


def _measure_pilots(
    pilots: Sequence[PilotAnswers], items: pd.Index[str], measure: Callable[[PilotAnswers], ItemMeasure]
) -> tuple[list[ItemMeasure] | None, str]:
    """The measure of each pilot on these items, or why there is none."""
    try:
        return [measure(pilot.keep_items(items)) for pilot in pilots], ""
    except Refused as refusal:
        return None, str(refusal)


def _build_value(name: str, pilot: str, measure: ItemMeasure) -> PilotValue:
    contributions, value = measure.contributions, measure.value
    other = contributions.count_ties_wrong()
    return PilotValue(
        measure=name,
        pilot=pilot,
        value=None if np.isnan(value) else value,
        n_items=len(contributions.columns),
        n_answers=len(contributions.items),
        n_people=len(measure.people),
        reason="Undefined: nothing varies." if np.isnan(value) else "",
        value_ties_wrong=None if other is None else float(measure.compute(other.sums)[0]),
    )


def _build_missing_value(name: str, pilot: str, reason: str) -> PilotValue:
    return PilotValue(measure=name, pilot=pilot, value=None, n_items=0, n_answers=0, n_people=0, reason=reason)


def _build_difference(
    name: str, one: str, two: str, metric: Metric, joined: Contributions, intervals: PanelIntervals, n_common: int
) -> PilotDifference:
    value = float(metric.compute(joined.sums)[0])
    units = "items" if joined.n_groups == len(joined.columns) else "groups of items"
    method = METHODS["none" if intervals.this_panel.low is None else intervals.form]
    return PilotDifference(
        measure=name,
        one=one,
        two=two,
        value=None if np.isnan(value) else value,
        ci_low=intervals.fresh_panel.low,
        ci_high=intervals.fresh_panel.high,
        se=intervals.se,
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        n_items=len(joined.columns),
        n_people=joined.n_people,
        n_common_people=n_common,
        ci_method=method.format(people=joined.n_people, items=f"{joined.n_groups} {units}"),
        reason=_explain_interval(name, value, intervals),
    )


def _explain_interval(name: str, value: float, intervals: PanelIntervals) -> str:
    if np.isnan(value):
        return "Undefined in one of both."
    if intervals.form != "items":
        return intervals.reason
    if name == "posterior":
        return REASON_POSTERIOR
    return f"No interval for a fresh panel: one of both has fewer than {FEWEST_PEOPLE} people."


def _build_missing_difference(name: str, one: str, two: str, reason: str) -> PilotDifference:
    return PilotDifference(
        measure=name,
        one=one,
        two=two,
        value=None,
        ci_low=None,
        ci_high=None,
        se=None,
        item_only_low=None,
        item_only_high=None,
        n_items=0,
        n_people=0,
        n_common_people=0,
        ci_method="none",
        reason=reason,
    )


def _list_warnings(pilots: Sequence[PilotAnswers]) -> tuple[str, ...]:
    """What makes a comparison doubtful: few people, and numbers of votes that differ."""
    warnings = []
    votes_by_pilot = {}
    for pilot in pilots:
        frame = pilot.answers.votes.frame
        n_people = frame["annotator"].nunique()
        votes_by_pilot[pilot.name] = len(frame) / max(frame["item"].nunique(), 1)
        if n_people < FEW_PEOPLE:
            warnings.append(f"{pilot.name}: {n_people} people are few; what others would do is hardly known from them.")
    if max(votes_by_pilot.values()) - min(votes_by_pilot.values()) > 0.1:
        numbers = ", ".join(f"{name} {number:.1f}" for name, number in votes_by_pilot.items())
        warnings.append(f"Votes an item differ ({numbers}): with more votes the vote share is lower by itself.")
    return tuple(warnings)
