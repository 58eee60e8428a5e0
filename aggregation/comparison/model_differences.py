"""Models beside people: the rows of a comparison, and the difference of each pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aggregation.comparison.difference_tests import (
    IntervalByQuantile,
    ShareDifference,
    adjust_by_holm,
    compute_detectable_difference,
    compute_p_value,
    correlate_shares,
    span_share,
)
from aggregation.comparison.scored_units import ScoredUnit, ScoredUnits
from aggregation.consensus.consensus import name_majority
from aggregation.findings import Finding
from aggregation.intervals.paired_measures import select_items
from aggregation.intervals.panel import (
    NO_INTERVALS,
    SMALLEST_VARIANCE,
    Contributions,
    Metric,
    PanelVariance,
    estimate_intervals,
    estimate_variance,
    explain_few_people,
)
from aggregation.intervals.resampling import FEWEST_GROUPS

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class ModelDifference:
    """People's value of a metric less a model's, on the items of a `part` (a class, tag or stratum; `all` of them).

    `ci_low`, `ci_high`, `se` and `df` are for a fresh panel (new people and items), `item_only_low` and
    `item_only_high` for these people on new items. `p_value` tests whether the difference for a fresh panel is 0: of a
    share by `share_differences`, of other metrics by Student's t; `p_holm` is corrected for the models, or for the
    parts of one model, which are tested together. `detectable` is the least true difference that this design would have
    found with a power of 80 %, `item_only_detectable` the same for
    these people. `is_paired` is false for a published score. `above` is who is above the other by `p_holm`: `people`,
    `model`, or empty. `reason` says why a number is missing.

    People's value shares ties, or follows the rule that was asked for. `n_ties` counts the tied items of a majority;
    where there are any, `people_ties_wrong`, `difference_ties_wrong` and `p_ties_wrong` are those in which each tie is
    wrong, and somebody is `above` only where both differences show it. `fewest_votes` and `most_votes` are those of an
    item, for a majority.
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
    n_ties: int = 0
    people_ties_wrong: float | None = None
    difference_ties_wrong: float | None = None
    p_ties_wrong: float | None = None
    fewest_votes: int | None = None
    most_votes: int | None = None

    @property
    def unit_title(self) -> str:
        """The unit in words, a majority with its number of votes: `majority of 2–5`."""
        return "single answers" if self.unit == "individual" else name_majority(self.fewest_votes, self.most_votes)


def add_ties_wrong(row: ModelDifference, other: ModelDifference, *, n_ties: int) -> ModelDifference:
    """The row with the values of another one, in which ties are wrong."""
    return replace(
        row,
        n_ties=n_ties,
        people_ties_wrong=other.people,
        difference_ties_wrong=other.difference,
        p_ties_wrong=other.p_value,
    )


def correct_families(
    rows: Sequence[ModelDifference], family: Callable[[ModelDifference], Hashable], *, confidence_level: float
) -> list[ModelDifference]:
    """The rows with Holm's p and who is above, corrected within each family of rows that are tested together.

    Where there are ties, who is above must be so with shared ties and with ties wrong.
    """
    corrected = list(rows)
    places: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(family(row), []).append(place)
    for of_family in places.values():
        adjusted = adjust_by_holm([rows[place].p_value for place in of_family])
        wrong = adjust_by_holm([_get_ties_wrong(rows[place])[1] for place in of_family])
        for place, p, p_wrong in zip(of_family, adjusted, wrong, strict=True):
            above = _name_better(rows[place].difference, p, largest=1 - confidence_level)
            other = _name_better(_get_ties_wrong(rows[place])[0], p_wrong, largest=1 - confidence_level)
            corrected[place] = replace(rows[place], p_holm=p, above=above if above == other else "")
    return corrected


def _get_ties_wrong(row: ModelDifference) -> tuple[float | None, float | None]:
    """The difference and its p with ties wrong; its own where there are none."""
    return (row.difference_ties_wrong, row.p_ties_wrong) if row.n_ties else (row.difference, row.p_value)


def _name_better(difference: float | None, p: float | None, *, largest: float) -> str:
    if p is None or p >= largest or not difference:
        return ""
    return "people" if difference > 0 else "model"


@dataclass(frozen=True, kw_only=True)
class PublishedScore:
    """A score of a model that was only published, on `n_items` items, of which it is not known which it had right."""

    name: str
    value: float
    n_items: int


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelPair:
    """People and a model on the same items, and both units of people with the model's columns beside theirs."""

    name: str
    people: ScoredUnits
    model: ScoredUnits
    joined: Mapping[ScoredUnit, Contributions]


def build_difference(
    pair: ModelPair, unit: ScoredUnit, metric: str, kept: NDArray[np.bool_] | None, confidence_level: float
) -> ModelDifference:
    """One difference, over all items or over those that are `kept` (a truth value for each)."""
    joined, own, of_model = pair.joined[unit], pair.people.measure(unit).contributions, pair.model.individual
    if kept is not None:
        joined, own, of_model = (select_items(part, kept) for part in (joined, own, of_model))
    row = _measure_difference(pair, unit, metric, joined, own, of_model, confidence_level)
    wrong_joined, wrong_own = joined.count_ties_wrong(), own.count_ties_wrong()
    if wrong_joined is not None and wrong_own is not None:
        other = _measure_difference(pair, unit, metric, wrong_joined, wrong_own, of_model, confidence_level)
        row = add_ties_wrong(row, other, n_ties=own.n_ties)
    return _add_votes(row, pair.people, kept)


def _add_votes(row: ModelDifference, people: ScoredUnits, kept: NDArray[np.bool_] | None) -> ModelDifference:
    """The row of a majority with how many votes an item has."""
    if row.unit != "majority":
        return row
    votes = np.bincount(people.scored.items[people.scored.voted], minlength=len(people.scored.gold))
    votes = votes if kept is None else votes[kept]
    votes = votes[votes > 0]
    return replace(row, fewest_votes=int(votes.min()), most_votes=int(votes.max())) if len(votes) else row


def _measure_difference(
    pair: ModelPair,
    unit: ScoredUnit,
    metric: str,
    joined: Contributions,
    own: Contributions,
    of_model: Contributions,
    confidence_level: float,
) -> ModelDifference:
    """The difference of the people's contributions and the model's, which `joined` has side by side."""
    built = _build_metric(pair, metric)
    width = pair.people.individual.columns.shape[1]
    people = float(pair.people.metrics[metric].compute(joined.sums[:, :width])[0])
    value = float(pair.model.metrics[metric].compute(joined.sums[:, width:])[0])
    is_known = not np.isnan(people - value)
    is_covered = unit == "individual" or built.covers_majority
    intervals = estimate_intervals(built, joined, confidence_level=confidence_level) if is_covered else NO_INTERVALS
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
        reason=intervals.reason if is_known else Finding("undefined-difference"),
    )
    row = _add_errors(row, intervals.variance, intervals.se, confidence_level)
    if metric != pair.people.primary or joined.n_groups < FEWEST_GROUPS:
        return row
    variance = estimate_variance(built, joined)
    return _compare_shares(row, pair.people.metrics[metric], own, of_model, variance, confidence_level)


def _add_errors(
    row: ModelDifference, variance: PanelVariance | None, se: float | None, confidence_level: float
) -> ModelDifference:
    """The row with the standard error for a fresh panel, what could have been shown, and p by Student's t."""
    if variance is None:
        return row
    this_panel = compute_detectable_difference(
        se=variance.items**0.5, df=variance.items_df, confidence_level=confidence_level
    )
    row = replace(row, item_only_detectable=this_panel)
    if se is None:
        return row
    return replace(
        row,
        se=se,
        df=variance.total_df,
        p_value=compute_p_value(row.difference or 0.0, se=se, df=variance.total_df),
        detectable=compute_detectable_difference(se=se, df=variance.total_df, confidence_level=confidence_level),
    )


def _compare_shares(
    row: ModelDifference,
    metric: Metric,
    people: Contributions,
    model: Contributions,
    joined: PanelVariance,
    confidence_level: float,
) -> ModelDifference:
    """The row of a share with intervals and p made of those of both shares (see `share_differences`)."""
    own, of_model = estimate_variance(metric, people), estimate_variance(metric, model)
    joined = replace(joined, items_df=people.n_groups - 1)  # intervals of shares know how their variance varies

    def join(part: float, df: float) -> ShareDifference:
        return ShareDifference(
            first=float(metric.compute(people.sums)[0]),
            second=float(metric.compute(model.sums)[0]),
            first_ends=_build_ends(metric, people, part),
            second_ends=_build_ends(metric, model, of_model.items),
            df=df,
            correlation=correlate_shares(own.items, of_model.items, difference=joined.items, total_first=part),
        )

    is_fixed = people.n_groups == people.n_independent  # one answer an item: the interval has the normal quantile
    this_panel = join(own.items, math.inf if is_fixed else joined.items_df)
    fresh = None if own.people is None else join(own.total, joined.total_df)
    return _set_intervals(row, fresh, this_panel, confidence_level, reason=_explain_missing(people, own))


def _build_ends(metric: Metric, contributions: Contributions, variance: float) -> IntervalByQuantile:
    """The interval of a share of this variance, by quantile; over its groups where nothing varies."""
    value = float(metric.compute(contributions.sums)[0])
    is_varying = variance >= SMALLEST_VARIANCE and 0 < value < 1
    n, part = (contributions.n_independent, variance) if is_varying else (contributions.n_groups, 0.0)
    return span_share(value, part, n=n)


def _explain_missing(contributions: Contributions, variance: PanelVariance) -> str:
    return explain_few_people(contributions) if variance.people is None else ""


def _set_intervals(
    row: ModelDifference,
    fresh: ShareDifference | None,
    this_panel: ShareDifference,
    confidence_level: float,
    *,
    reason: str,
) -> ModelDifference:
    own = this_panel.build_interval(confidence_level)
    row = replace(row, item_only_low=own.low, item_only_high=own.high, reason=reason)
    row = replace(row, item_only_detectable=_keep_possible(row.item_only_detectable))
    if fresh is None:
        return replace(row, ci_low=None, ci_high=None, p_value=None)
    ends = fresh.build_interval(confidence_level)
    row = replace(row, ci_low=ends.low, ci_high=ends.high, p_value=fresh.compute_p_value())
    if row.se is None or row.df is None:
        return row
    stretch = fresh.measure_stretch(row.se, confidence_level)
    shown = compute_detectable_difference(se=row.se, df=row.df, stretch=stretch, confidence_level=confidence_level)
    return replace(row, detectable=_keep_possible(shown))


def _keep_possible(detectable: float | None) -> float | None:
    """A difference of shares that can be there; None for one above 1, which no design shows."""
    return None if detectable is None or detectable > 1 else detectable


def compare_published(
    people: ScoredUnits, unit: ScoredUnit, score: PublishedScore, confidence_level: float
) -> ModelDifference:
    """People less a published score: unpaired, its variance p(1 - p)/n beside people's, Satterthwaite's df."""
    contributions = people.measure(unit).contributions
    row = _measure_published(people, unit, contributions, score, confidence_level)
    ties_wrong = contributions.count_ties_wrong()
    if ties_wrong is not None:
        other = _measure_published(people, unit, ties_wrong, score, confidence_level)
        row = add_ties_wrong(row, other, n_ties=contributions.n_ties)
    return _add_votes(row, people, None)


def _measure_published(
    people: ScoredUnits,
    unit: ScoredUnit,
    contributions: Contributions,
    score: PublishedScore,
    confidence_level: float,
) -> ModelDifference:
    metric = people.metrics[people.primary]
    value = float(metric.compute(contributions.sums)[0])
    row = ModelDifference(
        model=score.name,
        unit=unit,
        metric=people.primary,
        people=value,
        value=score.value,
        difference=value - score.value,
        n_items=len(contributions.columns),
        n_people=len(people.measure(unit).people),
        is_paired=False,
    )
    intervals = estimate_intervals(metric, contributions, confidence_level=confidence_level)
    if contributions.n_groups < FEWEST_GROUPS:
        return replace(row, reason=intervals.reason)
    variance = estimate_variance(metric, contributions)
    spread, df = score.value * (1 - score.value) / score.n_items, max(score.n_items - 1, 1)
    whole = variance.items + spread
    joint = PanelVariance(
        items=whole,
        people=variance.people,
        items_df=whole**2 / (variance.items**2 / variance.items_df + spread**2 / df) if whole else variance.items_df,
        people_df=variance.people_df,
    )
    if joint.total >= SMALLEST_VARIANCE:
        row = _add_errors(row, joint, None if variance.people is None else joint.total**0.5, confidence_level)

    def join(part: float, df: float) -> ShareDifference:
        return ShareDifference(
            first=value,
            second=score.value,
            first_ends=_build_ends(metric, contributions, part),
            second_ends=span_share(score.value, 0.0, n=score.n_items),
            df=df,
        )

    fresh = None if variance.people is None else join(variance.total, joint.total_df)
    this_panel = join(variance.items, joint.items_df)
    reason = _explain_missing(contributions, variance)
    return _set_intervals(row, fresh, this_panel, confidence_level, reason=reason)


def _build_metric(pair: ModelPair, name: str) -> Metric:
    """People's value less the model's, of the sums of both side by side."""
    width = pair.people.individual.columns.shape[1]
    one, two = pair.people.metrics[name].compute, pair.model.metrics[name].compute
    return Metric(
        compute=lambda sums: np.asarray(one(sums[:, :width]) - two(sums[:, width:])),
        scale="difference",
        covers_majority=pair.people.metrics[name].covers_majority,
    )
