"""What a plan is about, and how it varies: a share of right answers, a win rate, a mean opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggregation.errors import HromadaError
from aggregation.planning import assumed_variance
from aggregation.planning.assumed_variance import PlannedResult

if TYPE_CHECKING:
    from aggregation.comparison.scored_units import ScoredUnit
    from aggregation.intervals.panel import Contributions, Metric, Scale
    from aggregation.planning.variance_models import VarianceModel
    from exports.inputs import DataSet


def choose_result(
    data: DataSet | None, *, share: float | None, ties: float | None, deviation: float | None
) -> PlannedResult:
    """What is planned for a data set, or without one for the assumptions that are given.

    Without gold, preferences are planned for the win rate, and points of a scale for their mean, or on an ordinal scale
    for the share at a point or above. Raises HromadaError for more ties than the win rate leaves.
    """
    is_preference = ties is not None if data is None else data.answer_type.compares_texts
    if is_preference:
        chosen = 0.5 if share is None else share
        try:
            return assumed_variance.plan_win_rate(chosen, ties=assumed_variance.TIES if ties is None else ties)
        except ValueError:
            most = 2 * min(chosen, 1 - chosen)
            raise HromadaError(
                f"With a win rate of {chosen:g} at most {most:g} can be ties.", remedy="Write fewer --ties."
            ) from None
    if data is None and deviation is not None:
        return assumed_variance.plan_mean(deviation=deviation)
    points = None if data is None else _list_points(data)
    if points is None:
        return assumed_variance.plan_share() if share is None else assumed_variance.plan_share(share)
    if data is not None and data.measurement_level == "ordinal":
        return assumed_variance.plan_at_least() if share is None else assumed_variance.plan_at_least(share)
    return assumed_variance.plan_mean(lowest=points[0], highest=points[-1], deviation=deviation)


def _list_points(data: DataSet) -> tuple[float, ...] | None:
    """The points of a scale without gold, as numbers, or as ranks on an ordinal one; None for anything else."""
    from aggregation.scales import read_point

    if not data.answer_type.is_label or data.measurement_level == "nominal" or data.classes is None:
        return None
    if data.list_scoring_gold().notna().any():
        return None
    numbers = [read_point(name) for name in data.classes]
    known = [number for number in numbers if number is not None]
    return tuple(known if len(known) == len(numbers) else map(float, range(len(numbers))))


def assume_model(
    result: PlannedResult,
    *,
    votes: float,
    group_size: float,
    item_correlation: float,
    person_correlation: float,
    model_share: float | None,
    model_correlation: float,
) -> VarianceModel:
    """The variance before the first vote."""
    from aggregation.planning import variance_models

    if result.kind != "share":
        return variance_models.assume_opinion_variance(
            result,
            votes=votes,
            group_size=group_size,
            item_correlation=item_correlation,
            person_correlation=person_correlation,
        )
    return variance_models.assume_variance(
        share=result.value,
        votes=votes,
        group_size=group_size,
        item_correlation=item_correlation,
        person_correlation=person_correlation,
        model_share=model_share,
        model_correlation=model_correlation,
    )


def describe_assumption(result: PlannedResult) -> str:
    """What is assumed of answers, in words."""
    if result.kind == "share":
        return f"{result.value:g} right"
    if result.kind == "win_rate":
        ties = 4 * (result.value * (1 - result.value) - result.spread)
        return f"win rate {result.value:g}, share of ties {ties:g}"
    if result.kind == "at_least":
        return f"{result.value:g} at a point or above"
    unit = " of the range" if result.width == 1 else ""
    return f"ratings with a standard deviation of {result.spread**0.5 * result.width:g}{unit}"


def estimate_models(
    data: DataSet, result: PlannedResult, model_share: float | None, model_correlation: float
) -> dict[str, VarianceModel]:
    """The variance of each unit, estimated from votes; raises HromadaError for fewer than FEWEST_GROUPS groups."""
    from aggregation.comparison.scored_units import sum_scored_units
    from aggregation.intervals.resampling import FEWEST_GROUPS
    from aggregation.planning.variance_models import estimate_variance_model

    first = data.keep_first_places()
    if result.kind != "share":
        metric, contributions = _sum_opinions(first, result)
        _refuse_few(contributions.n_groups, FEWEST_GROUPS, "answers")
        n_votes = contributions.n_independent / len(contributions.columns)
        scale: Scale = "fraction" if result.kind == "win_rate" else "difference"
        return {"individual": estimate_variance_model(metric, contributions, votes=n_votes, scale=scale)}
    units = sum_scored_units(first.build_answers(), first.build_skips())
    _refuse_few(units.individual.n_groups, FEWEST_GROUPS, "gold and answers")
    metric = units.metrics[units.primary]
    n_votes = len(units.scored.frame) / len(units.scored.gold)
    has_majority = data.sample is None or data.overlap != 1
    names: tuple[ScoredUnit, ...] = ("individual", "majority") if has_majority else ("individual",)
    measures = {name: units.measure(name) for name in names}
    return {
        name: estimate_variance_model(
            metric,
            measure.contributions,
            votes=n_votes,
            model_share=model_share,
            model_correlation=model_correlation,
        )
        for name, measure in measures.items()
    }


def _refuse_few(number: int, least: int, what: str) -> None:
    if number < least:
        raise HromadaError(
            f"Only {number} items (or groups of items) have {what}; at least {least} are needed.",
            remedy="Ask about more items, or plan from assumptions: without the project and --pilot.",
        )


def _sum_opinions(data: DataSet, result: PlannedResult) -> tuple[Metric, Contributions]:
    """The votes on a scale from 0 to 1, as sums of numbers and counts.

    Of several pairs of systems the most frequent one is taken; points of an ordinal scale are 1 from the median on.
    """
    import numpy as np

    from aggregation.preferences.win_rates import FRACTION
    from aggregation.ratings import read_ratings
    from exports.preferences import read_preferences

    if result.kind == "win_rate":
        found = read_preferences(data, confidence_level=0.95)
        if found is None or not len(found.comparisons):
            raise HromadaError("No answer compares two systems.", remedy="Plan from assumptions: without the project.")
        pairs = found.comparisons.one * len(found.comparisons.systems) + found.comparisons.two
        pair = found.comparisons.keep(pairs == np.bincount(pairs).argmax())
        return FRACTION, pair.sum_values(pair.outcome)
    ratings = read_ratings(data.build_votes())
    if ratings is None:
        raise HromadaError("These answers have no order.", remedy="Plan from assumptions: without the project.")
    if result.kind == "mean":
        numbers = (ratings.points - result.lowest) / result.width
    else:
        numbers = (np.arange(len(ratings.points)) >= np.median(ratings.places)).astype(np.float64)
    return FRACTION, ratings.sum_votes(np.column_stack([numbers, np.ones(len(numbers))]))


def measure_reached(data: DataSet, result: PlannedResult) -> dict[str, float | None]:
    """The half widths of the observed intervals: for these people, as recorded at the start, and for new people."""
    from dataclasses import replace

    from aggregation.answer_types import score_answers
    from aggregation.intervals.panel import estimate_intervals

    first = data.keep_first_places()
    if result.kind == "share":
        scored = score_answers(first.build_answers(), skips=first.build_skips(), units=["individual"])
        score = scored["individual"].primary
        ends = (score.item_only_low, score.item_only_high), (score.ci_low, score.ci_high)
    else:
        metric, contributions = _sum_opinions(first, result)
        if result.kind != "win_rate":
            metric = replace(metric, scale="difference")
        made = estimate_intervals(metric, contributions, confidence_level=0.95)
        ends = (made.this_panel.low, made.this_panel.high), (made.fresh_panel.low, made.fresh_panel.high)
    return {
        name: None if low is None or high is None else round((high - low) / 2 * result.width, 4)
        for name, (low, high) in zip(("this_panel", "fresh_panel"), ends, strict=True)
    }
