"""People's numbers on a task, measured in one place: whatever states how well people do takes them from here.

They are those of `hromada baseline` and `hromada agreement`. The manifest of a build, the metadata of its tasks, the
data card, Croissant, CITATION.cff and `hromada results` show them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from aggregation.agreement.table import Coefficient
from aggregation.scores.performance import Unit
from exports.inputs import DataSet
from exports.results import DataSetResult, ResultOptions
from exports.rounding import round_row
from exports.score_variants import VARIANT_UNITS

HumanUnit = Literal["individual", "majority", "ceiling", "agreement"]
NO_REVIEW = "No gold review is planned."
NO_AGREEMENT = "No item has two answers that count."
NAMES = {"individual": "Single answers", "ceiling": "Ceiling", "agreement": "Agreement"}
SIMULATED = "SIMULATED, no person answered. "
DECIMALS = 3


@dataclass(frozen=True, kw_only=True)
class HumanScore:
    """One number of people: single answers, their majority, the ceiling of a score, or their agreement.

    `title` names the unit with the number of votes of a majority, `metric` what `value` is. `ci_low` and `ci_high` are
    for new people and new items, `item_only_low` and `item_only_high` for these people and new items; those of the
    ceiling are for items like these and for these very items. `value_ties_wrong` counts each tie as wrong, None without
    ties. `n_items` and `n_answers` are those on which the number rests: of the ceiling the reviewed items. `reason`
    says why the value or an interval is missing.
    """

    unit: HumanUnit
    title: str
    metric: str = ""
    value: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    value_ties_wrong: float | None = None
    n_items: int | None = None
    n_annotators: int | None = None
    n_answers: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        """The number in words with its interval: the one for new people, or where there is none the other one."""
        if self.value is None:
            return f"{self.title}: – ({self.reason.rstrip('.')})"
        ends, whom = (self.ci_low, self.ci_high), ""
        if None in ends:
            ends, whom = (self.item_only_low, self.item_only_high), " for these people"
        interval = "" if None in ends else f" [95% CI{whom} {', '.join(f'{end:z.{DECIMALS}f}' for end in ends)}]"
        name = self.metric.replace("_", " ")
        return f"{self.title}: {name} {self.value:z.{DECIMALS}f}{interval}"


@dataclass(frozen=True, kw_only=True)
class HumanScores:
    """People's numbers on a task, a row of each unit; one without a value says why.

    `n_left_out` counts items on which `hromada baseline` scores people, but which models are not asked (retired, or not
    kept by a filtering rule): where there are any, the rows are without them. With `simulated` no person answered.
    """

    rows: tuple[HumanScore, ...]
    n_left_out: int = 0
    simulated: bool = False

    def __getitem__(self, unit: HumanUnit) -> HumanScore:
        """The row of that unit."""
        return next(row for row in self.rows if row.unit == unit)

    def to_plain(self) -> dict[str, Any]:
        """The numbers for JSON, rounded as everywhere: the rows by unit."""
        rows: dict[str, Any] = {row.unit: _round(row) for row in self.rows}
        return rows | {"n_left_out": self.n_left_out, "simulated": self.simulated}

    def __str__(self) -> str:
        """All numbers in one line; simulated answers are marked."""
        told = [str(row) for row in self.rows if row.value is not None or row.unit == "individual"]
        own = self["individual"]
        if own.value is not None:
            told.append(f"people: {own.n_annotators}, answers: {own.n_answers}, items: {own.n_items}")
        return f"{SIMULATED if self.simulated else ''}{'; '.join(told)}."


def _round(row: HumanScore) -> dict[str, Any]:
    values = {name: value for name, value in asdict(row).items() if name != "unit"}
    return round_row(values) | {"reason": str(row.reason)}


def measure_human_scores(data: DataSet, items: Collection[str]) -> HumanScores:
    """Measure people on the test items of a task, as `hromada baseline` does on the whole data set.

    The two differ only if people were scored on items that are no test items.
    """
    first = data.keep_first_places()
    gold = dict(zip(data.items["item_id"], data.list_scoring_gold().notna(), strict=True))
    counted = first.responses.loc[first.exclusion_kinds().isna(), "item_id"]
    left_out = {item for item in counted if gold[item]} - set(items)
    result = DataSetResult(
        data=_drop_items(data, left_out) if left_out else data, options=ResultOptions(units=VARIANT_UNITS)
    )
    return HumanScores(
        rows=(*_list_scores(result), _measure_ceiling(result), _measure_agreement(result)),
        n_left_out=len(left_out),
        simulated=data.simulated,
    )


def _drop_items(data: DataSet, left_out: Collection[str]) -> DataSet:
    sample = data.sample
    return replace(
        data,
        items=data.items.loc[~data.items["item_id"].isin(left_out)],
        responses=data.responses.loc[~data.responses["item_id"].isin(left_out)],
        sample=None if sample is None else replace(sample, items=sample.items.difference(left_out)),
    )


def _list_scores(result: DataSetResult) -> Iterator[HumanScore]:
    """The rows of single answers and of the majority."""
    scores = result.performance
    yield _read_unit("individual", None if scores is None else scores["individual"], result.no_performance)
    yield _read_unit("majority", result.majority, result.missing_units.get("majority", result.no_performance))


def _read_unit(name: Literal["individual", "majority"], unit: Unit | None, reason: str) -> HumanScore:
    if unit is None:
        return HumanScore(unit=name, title=NAMES.get(name, "Majority"), reason=reason)
    score = unit.primary
    return HumanScore(
        unit=name,
        title=NAMES.get(name, unit.title.capitalize()),
        metric=score.metric,
        value=score.value,
        ci_low=score.ci_low,
        ci_high=score.ci_high,
        item_only_low=score.item_only_low,
        item_only_high=score.item_only_high,
        value_ties_wrong=score.value_ties_wrong,
        n_items=unit.n_items,
        n_annotators=unit.n_annotators,
        n_answers=unit.total if name == "individual" else None,
        reason=score.reason,
    )


def _measure_ceiling(result: DataSetResult) -> HumanScore:
    title, estimate = NAMES["ceiling"], result.ceiling
    if estimate is None:
        return HumanScore(unit="ceiling", title=title, reason=NO_REVIEW)
    share = estimate.ceiling
    return HumanScore(
        unit="ceiling",
        title=title,
        metric="items_with_right_gold",
        value=share.value,
        ci_low=share.low,
        ci_high=share.high,
        item_only_low=share.pool_low,
        item_only_high=share.pool_high,
        n_items=sum(stratum.n_reviewed for stratum in estimate.strata),
        reason=estimate.reason,
    )


def _measure_agreement(result: DataSetResult) -> HumanScore:
    title, found = NAMES["agreement"], result.headline_agreement
    if found is None:
        return HumanScore(unit="agreement", title=title, reason=result.no_performance or NO_AGREEMENT)
    return _read_coefficient(found, title)


def _read_coefficient(found: Coefficient, title: str) -> HumanScore:
    return HumanScore(
        unit="agreement",
        title=title,
        metric=found.name,
        value=found.value,
        ci_low=found.new_people_low,
        ci_high=found.new_people_high,
        item_only_low=found.low,
        item_only_high=found.high,
        n_items=found.n_items,
        n_annotators=found.n_annotators,
        n_answers=found.n_votes,
        reason=found.reason or found.new_people_reason,
    )
