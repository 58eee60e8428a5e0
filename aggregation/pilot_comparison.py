"""Two pilots of other wordings or interfaces over the same items, compared: differences with paired intervals.

Only items that both pilots have are compared, and for each measure only those that have it in both. A difference is one
metric of the sums of both pilots, so that it has the two-way variance of `panel_variance`: an item, and a person who
took part in both, enters once with what both pilots say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from aggregation.bootstrap import encode_groups
from aggregation.errors import HromadaError, Refused
from aggregation.paired_measures import ItemMeasure, join_measures
from aggregation.panel_intervals import PanelIntervals, estimate_intervals
from aggregation.panel_variance import FEWEST_PEOPLE
from aggregation.performance import FEW_PEOPLE
from aggregation.pilot_measures import Basis, PilotAnswers, list_measures

REASON_NO_ITEMS = "No item has it in both projects."
REASON_POSTERIOR = "No interval for a fresh panel: posteriors are taken for known, and people are in their model."
METHODS = {
    "two-way": "two-way jackknife of the paired difference: {people} people, {items}",
    "people-zero": "two-way jackknife of the paired difference: {people} people, who differ no more than by chance,"
    " {items}",
    "items": "variance of the paired difference of {items}",
    "none": "none",
}


@dataclass(frozen=True, kw_only=True)
class PilotDifference:
    """A measure of the `first` pilot, of the `second`, and the `difference`, the first less the second.

    `ci_low`, `ci_high` and the standard error `se` are for a fresh panel (new people and items), `item_only_low` and
    `item_only_high` for these people on new items. The values with ties wrong count the ties of a majority as wrong;
    they are None if nothing ties. `n_answers` and `n_people` count those of both pilots, `n_common_people` the people
    who took part in both. `reason` says why a value or an interval is missing.
    """

    measure: str
    first: float | None = None
    second: float | None = None
    difference: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    first_ties_wrong: float | None = None
    second_ties_wrong: float | None = None
    n_items: int = 0
    n_answers: int = 0
    n_people: int = 0
    n_common_people: int = 0
    ci_method: str = "none"
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class PilotComparison:
    """Two pilots over the items that both have: differences in the order of `list_measures`, and what is doubtful."""

    differences: tuple[PilotDifference, ...]
    warnings: tuple[str, ...]
    confidence_level: float

    def find_difference(self, measure: str) -> PilotDifference:
        """The difference in that measure."""
        return {row.measure: row for row in self.differences}[measure]


def compare_pilots(
    first: PilotAnswers, second: PilotAnswers, *, confidence_level: float = 0.95, only: Collection[str] = ()
) -> PilotComparison:
    """Compare two pilots by all measures that fit their type of answers, or by `only` those named.

    Groups of items are those of the first pilot. Raises HromadaError for two pilots of one name, answers of different
    types, and if no item is in both.
    """
    if first.name == second.name:
        raise HromadaError(f"{first.name!r} is named twice.", remedy="Name two projects.")
    if first.answers.kind != second.answers.kind:
        raise HromadaError(
            f"Answers to {first.name!r} are of the type {first.answers.kind!r}, to {second.name!r} of the type"
            f" {second.answers.kind!r}.",
            remedy="Compare questions of one type; --question names them.",
        )
    common = first.answers.votes.items.index.intersection(second.answers.votes.items.index)
    if common.empty:
        raise HromadaError("No item is in both projects.", remedy="Give the same items the same ids.")
    pilots = [pilot.keep_items(common) for pilot in (first, second)]
    known, other = (list_measures(pilot.answers) for pilot in pilots)
    names = [name for name in known if name in other and name in (only or known)]
    return PilotComparison(
        differences=tuple(_compare(name, pilots, *known[name], confidence_level) for name in names),
        warnings=tuple(_list_warnings(pilots)),
        confidence_level=confidence_level,
    )


def _compare(
    name: str,
    pilots: Sequence[PilotAnswers],
    basis: Basis,
    measure: Callable[[PilotAnswers], ItemMeasure],
    confidence_level: float,
) -> PilotDifference:
    """The measure on the items that have its basis in both pilots, or the reason why there is none."""
    items = pd.Index(sorted(set.intersection(*(pilot.list_items(basis) for pilot in pilots))))
    if items.empty:
        return PilotDifference(measure=name, reason=REASON_NO_ITEMS)
    try:
        one, two = (measure(pilot.keep_items(items)) for pilot in pilots)
    except Refused as refusal:
        return PilotDifference(measure=name, reason=str(refusal))
    groups = pilots[0].answers.votes.items["group"].reindex(items).to_numpy(dtype=object)
    joined, metric = join_measures(one, two, groups=encode_groups(groups)[0])
    intervals = estimate_intervals(metric, joined, confidence_level=confidence_level)
    method = METHODS["none" if intervals.this_panel.low is None else intervals.form]
    units = "items" if joined.n_groups == len(items) else "groups of items"
    difference = float(metric.compute(joined.sums)[0])
    return PilotDifference(
        measure=name,
        first=_drop_nan(one.value),
        second=_drop_nan(two.value),
        difference=_drop_nan(difference),
        ci_low=intervals.fresh_panel.low,
        ci_high=intervals.fresh_panel.high,
        se=intervals.se,
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        first_ties_wrong=None if joined.tied is None else one.value_ties_wrong,
        second_ties_wrong=None if joined.tied is None else two.value_ties_wrong,
        n_items=len(items),
        n_answers=len(joined.items),
        n_people=joined.n_people,
        n_common_people=len(np.intersect1d(one.people, two.people)),
        ci_method=method.format(people=joined.n_people, items=f"{joined.n_groups} {units}"),
        reason=_explain_interval(name, difference, intervals),
    )


def _drop_nan(value: float) -> float | None:
    return None if np.isnan(value) else value


def _explain_interval(name: str, difference: float, intervals: PanelIntervals) -> str:
    if np.isnan(difference):
        return "Undefined in one of both: nothing varies."
    if intervals.form != "items":
        return intervals.reason
    if name == "posterior":
        return REASON_POSTERIOR
    return f"No interval for a fresh panel: one of both has fewer than {FEWEST_PEOPLE} people."


def _list_warnings(pilots: Sequence[PilotAnswers]) -> Iterator[str]:
    """What makes a comparison doubtful: few people, and numbers of votes that differ."""
    votes = {}
    for pilot in pilots:
        frame = pilot.answers.votes.frame
        n_people = frame["annotator"].nunique()
        votes[pilot.name] = len(frame) / max(frame["item"].nunique(), 1)
        if n_people < FEW_PEOPLE:
            yield f"{pilot.name}: {n_people} people are few; what others would do is hardly known from them."
    if max(votes.values()) - min(votes.values()) > 0.1:
        numbers = ", ".join(f"{name} {number:.1f}" for name, number in votes.items())
        yield f"Votes an item differ ({numbers}): with more votes the vote share is lower by itself."
