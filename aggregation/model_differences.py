"""A difference of people and a model: its values, two-way intervals, p, and what the design could have shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from aggregation.difference_tests import adjust_by_holm, compute_detectable_difference, compute_p_value
from aggregation.panel_intervals import NO_INTERVALS, estimate_intervals
from aggregation.panel_variance import Contributions, Metric
from aggregation.scored_units import ScoredUnit, ScoredUnits

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class PublishedScore:
    """A score of a model that was only published, on `n_items` items, of which it is not known which it had right."""

    name: str
    value: float
    n_items: int


@dataclass(frozen=True, kw_only=True)
class ModelDifference:
    """People's value of a metric less a model's, on the items of a `part` (a class, tag or stratum; `all` of them).

    `ci_low`, `ci_high`, `se` and `df` are for a fresh panel (new people and items), `item_only_low` and
    `item_only_high` for these people on new items. `p_value` tests whether the difference for a fresh panel is 0;
    `p_holm` is corrected for the models, or for the parts of one model, which are tested together. `detectable` is the
    least true difference that this design would have found with a power of 80 %, `item_only_detectable` the same for
    these people. `is_paired` is false for a published score. `above` is who is above the other by `p_holm`: `people`,
    `model`, or empty. `reason` says why a number is missing.
    """

    model: str
    unit: ScoredUnit
    metric: str
    kind: str = ALL
    part: str = ALL
    people: float | None
    value: float | None
    difference: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    df: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    detectable: float | None = None
    item_only_detectable: float | None = None
    n_items: int
    n_people: int
    is_paired: bool = True
    above: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelPair:
    """People and a model on the same items, and both units of people with the model's columns beside theirs."""

    name: str
    people: ScoredUnits
    model: ScoredUnits
    joined: Mapping[ScoredUnit, Contributions]


def build_difference(
    pair: ModelPair, unit: ScoredUnit, metric: str, joined: Contributions, confidence_level: float
) -> ModelDifference:
    """One difference, of the joined contributions of all items or of a part of them."""
    built = _build_metric(pair, metric)
    width = pair.people.individual.columns.shape[1]
    sums = joined.sums
    people = float(pair.people.metrics[metric].compute(sums[:, :width])[0])
    value = float(pair.model.metrics[metric].compute(sums[:, width:])[0])
    if unit == "majority" and not built.covers_majority:
        intervals = NO_INTERVALS
    else:
        intervals = estimate_intervals(built, joined, confidence_level=confidence_level)
    is_known = not np.isnan(people - value)
    row = ModelDifference(
        model=pair.name,
        unit=unit,
        metric=metric,
        people=None if np.isnan(people) else people,
        value=None if np.isnan(value) else value,
        difference=people - value if is_known else None,
        ci_low=intervals.fresh_panel.low,
        ci_high=intervals.fresh_panel.high,
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        n_items=len(joined.columns),
        n_people=joined.n_people,
        reason=intervals.reason if is_known else "Undefined for people or for the model.",
    )
    variance = intervals.variance
    if variance is None:
        return row
    detectable = compute_detectable_difference(
        se=variance.items**0.5, df=variance.items_df, confidence_level=confidence_level
    )
    row = replace(row, item_only_detectable=detectable)
    return row if intervals.se is None else _add_test(row, intervals.se, variance.total_df, confidence_level)


def _add_test(row: ModelDifference, se: float, df: float, confidence_level: float) -> ModelDifference:
    return replace(
        row,
        se=se,
        df=df,
        p_value=compute_p_value(row.difference or 0.0, se=se, df=df),
        detectable=compute_detectable_difference(se=se, df=df, confidence_level=confidence_level),
    )


def compare_published(
    people: ScoredUnits, unit: ScoredUnit, score: PublishedScore, confidence_level: float
) -> ModelDifference:
    """People less a published score: unpaired, its own variance p(1 - p)/n beside people's, Satterthwaite's df."""
    measure = people.measure(unit)
    own = estimate_intervals(people.metrics[people.primary], measure.contributions, confidence_level=confidence_level)
    spread, n = score.value * (1 - score.value) / score.n_items, max(score.n_items - 1, 1)
    row = ModelDifference(
        model=score.name,
        unit=unit,
        metric=people.primary,
        people=measure.value,
        value=score.value,
        difference=measure.value - score.value,
        n_items=len(measure.contributions.columns),
        n_people=len(measure.people),
        is_paired=False,
        reason=own.reason,
    )
    variance = own.variance
    if variance is None:
        return row

    def join(part: float, df: float) -> tuple[float, float, float, float]:
        se, joint_df = (part + spread) ** 0.5, (part + spread) ** 2 / (part**2 / df + spread**2 / n)
        half = float(stdtrit(joint_df, (1 + confidence_level) / 2)) * se
        return se, joint_df, measure.value - score.value - half, measure.value - score.value + half

    se, df, low, high = join(variance.items, variance.items_df)
    detectable = compute_detectable_difference(se=se, df=df, confidence_level=confidence_level)
    row = replace(row, item_only_low=low, item_only_high=high, item_only_detectable=detectable)
    if own.se is None:
        return row
    se, df, low, high = join(variance.total, variance.total_df)
    return _add_test(replace(row, ci_low=low, ci_high=high), se, df, confidence_level)


def _build_metric(pair: ModelPair, name: str) -> Metric:
    """People's value less the model's, of the sums of both side by side."""
    width = pair.people.individual.columns.shape[1]
    one, two = pair.people.metrics[name].compute, pair.model.metrics[name].compute
    return Metric(
        compute=lambda sums: np.asarray(one(sums[:, :width]) - two(sums[:, width:])),
        scale="difference",
        covers_majority=pair.people.metrics[name].covers_majority,
    )


def correct_families(
    rows: Sequence[ModelDifference], family: Callable[[ModelDifference], Hashable], *, confidence_level: float
) -> list[ModelDifference]:
    """The rows with Holm's p and who is above, corrected within each family of rows that are tested together."""
    corrected = list(rows)
    places: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(family(row), []).append(place)
    for of_family in places.values():
        adjusted = adjust_by_holm([rows[place].p_value for place in of_family])
        for place, p in zip(of_family, adjusted, strict=True):
            above = _name_better(rows[place], p, largest=1 - confidence_level)
            corrected[place] = replace(rows[place], p_holm=p, above=above)
    return corrected


def _name_better(row: ModelDifference, p: float | None, *, largest: float) -> str:
    if p is None or p >= largest or not row.difference:
        return ""
    return "people" if row.difference > 0 else "model"
