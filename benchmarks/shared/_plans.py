"""Simulated campaigns whose true variance is known, planned and then held: half widths reached, differences found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from _panels import Design, compute_metrics, draw_answers, draw_panel, expect_counts, expect_people, find_level
from _simulated_models import SimulatedModel, compare_answers

from aggregation.answers import Answers
from aggregation.comparison.model_differences import PublishedScore
from aggregation.comparison.scored_units import ScoredUnit, ScoredUnits, sum_scored_units
from aggregation.intervals.panel import SMALLEST_VARIANCE, estimate_intervals
from aggregation.intervals.shares import Interval
from aggregation.planning.design import ForPanel, predict_detectable, predict_half_width
from aggregation.planning.variance_models import KNOWN, VarianceModel, estimate_variance_model
from aggregation.schema import Floats

PlannedWidth = tuple[ScoredUnit, ForPanel]
PANELS: tuple[ForPanel, ...] = ("this", "fresh")
UNITS: tuple[ScoredUnit, ...] = ("individual", "majority")
LARGE_ITEMS, LARGE_CAMPAIGNS = 2000, 100
"""The large campaigns whose variance counts as the true one."""
AVERAGED = ("item", "person", "cell", "shared", "item_skewness", "item_kurtosis", "tail")
PROPORTIONAL = ("item", "cell", "shared")  # to p(1 - p)
FRESH_PANELS = 1000  # whose mean is the true score, and whose variance what people vary


def place_design(
    name: str, people: int, items: int, votes: int, *, share: float, people_sd: float = 0.5, bias_sd: float = 0.3,
    group_size: int = 1, group_sd: float = 0.0, novices: float = 0.0, novice_gap: float = 0.0,
) -> Design:  # fmt: skip
    """A design whose single answers have this share right (but for novices)."""
    items_sd = float(np.hypot(1.0, group_sd))
    return Design(
        name=name,
        people=people,
        items=items,
        votes=votes,
        level=find_level(share, people_sd=people_sd, items_sd=items_sd, bias_sd=bias_sd),
        people_sd=people_sd,
        bias_sd=bias_sd,
        group_size=group_size,
        group_sd=group_sd,
        novices=novices,
        novice_gap=novice_gap,
    )


@dataclass(frozen=True, kw_only=True)
class KnownTruth:
    """What is true of a design: the score, and the variance of single answers and majorities, by unit."""

    accuracy: Mapping[ScoredUnit, float]
    variance: Mapping[ScoredUnit, VarianceModel]


@cache
def find_truth(design: Design) -> KnownTruth:
    """The true score and variance of a design: what people vary from many fresh panels, the rest from large campaigns.

    What a panel scores on new items is known by quadrature, so its variance over panels is B/A and nothing else. What
    campaigns show of B is what they estimate on average.
    """
    rng = np.random.default_rng([20, *design.name.encode()])
    panels = [draw_panel(rng, design) for _ in range(FRESH_PANELS)]
    counts = [expect_counts(design, panel) for panel in panels]
    of_people = np.array([expect_people(design, panel) for panel in panels])
    accuracy, variance = {}, {}
    drawn = list_drawn_models(design)
    for unit in UNITS:
        accuracy[unit] = compute_metrics(np.mean([one[unit] for one in counts], axis=0))["accuracy"]
        of_panels = np.array([compute_metrics(one[unit])["accuracy"] for one in counts])
        person = _find_person_variance(of_panels, of_people)
        found = [one[unit] for one in drawn]
        variance[unit] = _average_variance(design, found, share=accuracy[unit], person=person)
    shown = {unit: float(np.mean([one[unit].person for one in drawn])) for unit in UNITS}
    if shown["individual"] > 0 and variance["individual"].person > 0:
        # Single answers show B without bias. Of both units in the same campaigns the ratio is surer than either.
        ratio = shown["majority"] / shown["individual"]
        variance["majority"] = replace(variance["majority"], shown=ratio * variance["individual"].person)
    return KnownTruth(accuracy=accuracy, variance=variance)


def _find_person_variance(of_panels: Floats, of_people: Floats) -> float:
    """B from what panels score and what each of their people has right (panels × people).

    The second is known of many more people, so B is what the mean of people explains of a panel's score, and the rest.
    """
    variance, n_people = float(np.var(of_people)), of_people.shape[1]
    if variance < SMALLEST_VARIANCE:
        return 0.0
    slope, start = np.polyfit(of_people.mean(axis=1), of_panels, 1)
    rest = of_panels - start - slope * of_people.mean(axis=1)
    return float(slope**2 * variance + np.var(rest) * n_people)


def list_drawn_models(design: Design) -> list[dict[ScoredUnit, VarianceModel]]:
    """The variance that simulated campaigns show, by unit: large ones, or of the same size if all answer everything."""
    rng = np.random.default_rng([21, *design.name.encode()])
    large, n_campaigns = design, LARGE_CAMPAIGNS * LARGE_ITEMS // design.items // 2
    if not design.is_complete:
        large = replace(design, items=LARGE_ITEMS * design.group_size)
        n_campaigns = LARGE_CAMPAIGNS
    return [estimate_drawn(large, rng) for _ in range(n_campaigns)]


def _average_variance(design: Design, found: list[VarianceModel], *, share: float, person: float) -> VarianceModel:
    means = {name: float(np.mean([getattr(one, name) for one in found])) for name in AVERAGED}
    expected = share * (1 - share) - person / design.people
    ratio = expected / np.mean([one.share * (1 - one.share) for one in found])  # chance had other shares
    means |= {name: means[name] * float(ratio) for name in PROPORTIONAL}
    return replace(
        found[0],
        **means | {"person": person, "shown": person},  # type: ignore[arg-type]  # they are all numbers
        share=share,
        model_share=share,
        items_df=KNOWN,
        people_df=KNOWN,
    )


def estimate_drawn(design: Design, rng: np.random.Generator) -> dict[ScoredUnit, VarianceModel]:
    """The variance that one simulated campaign shows, by unit."""
    drawn = draw_answers(rng, design, draw_panel(rng, design))
    units = sum_scored_units(Answers(kind="label", votes=drawn.build_votes(design)), None)
    metric = units.metrics[units.primary]
    return {
        unit: estimate_variance_model(metric, units.measure(unit).contributions, votes=design.votes) for unit in UNITS
    }


def measure_widths(design: Design, number: int) -> dict[PlannedWidth, float]:
    """The half widths that the campaign of that number reaches, by unit and panel; nan where there is none."""
    rng = np.random.default_rng([22, number, *design.name.encode()])
    drawn = draw_answers(rng, design, draw_panel(rng, design))
    scored = sum_scored_units(Answers(kind="label", votes=drawn.build_votes(design)), None)
    return {key: width for unit in UNITS for key, width in _list_widths(scored, unit)}


def _list_widths(scored: ScoredUnits, unit: ScoredUnit) -> Iterator[tuple[PlannedWidth, float]]:
    metric, contributions = scored.metrics[scored.primary], scored.measure(unit).contributions
    made = estimate_intervals(metric, contributions, confidence_level=0.95)
    yield (unit, "this"), _halve(made.this_panel)
    yield (unit, "fresh"), _halve(made.fresh_panel)


def _halve(ends: Interval) -> float:
    return float("nan") if ends.low is None or ends.high is None else (ends.high - ends.low) / 2


def plan_width(design: Design, unit: ScoredUnit, for_panel: ForPanel) -> float:
    """The half width that is planned with the true variance."""
    known = find_truth(design).variance[unit]
    return predict_half_width(known, items=design.items, people=design.people, for_panel=for_panel)


@cache
def find_detectable_model(design: Design, unit: ScoredUnit, *, is_paired: bool) -> tuple[float, SimulatedModel]:
    """The difference that is planned to be found, and the model that is so far below people."""
    truth = find_truth(design)
    model = SimulatedModel(level=design.level - 1)
    difference = 0.0
    for _ in range(6):
        known = replace(truth.variance[unit], model_share=model.compute_accuracy(design))
        known = replace(known, model_item=_find_paired_variance(design, unit, model))
        difference = predict_detectable(known, items=design.items, people=design.people, is_paired=is_paired)
        model = _find_model(design, truth.accuracy[unit] - difference)
    return difference, model


def _find_paired_variance(design: Design, unit: ScoredUnit, model: SimulatedModel) -> float:
    """S of the difference from a model: the variance over items of what people have right less what it has."""
    rng = np.random.default_rng([23, *design.name.encode()])
    large = replace(design, items=20_000)
    drawn = draw_answers(rng, large, draw_panel(rng, large))
    right = drawn.is_right.mean(axis=1)
    people = right if unit == "individual" else (right > 0.5).astype(np.float64)
    return float(np.var(people - (rng.random(large.items) < model.compute_chances(large, drawn.ease))))


def _find_model(design: Design, accuracy: float) -> SimulatedModel:
    low, high = -8.0, 8.0
    for _ in range(50):
        middle = (low + high) / 2
        is_below = SimulatedModel(level=middle).compute_accuracy(design) < accuracy
        low, high = (middle, high) if is_below else (low, middle)
    return SimulatedModel(level=low)


def find_differences(design: Design, unit: ScoredUnit, number: int, *, model: SimulatedModel, is_paired: bool) -> bool:
    """Whether the campaign of that number finds the planned difference from the model (p < .05)."""
    rng = np.random.default_rng([24, number, int(is_paired), *f"{design.name} {unit}".encode()])
    drawn = draw_answers(rng, design, draw_panel(rng, design))
    if is_paired:
        is_right = {"model": rng.random(design.items) < model.compute_chances(design, drawn.ease)}
        found = compare_answers(design, drawn, is_right)
    else:
        score = float(rng.binomial(design.items, model.compute_accuracy(design)) / design.items)
        published = PublishedScore(name="model", value=score, n_items=design.items)
        found = compare_answers(design, drawn, {}, published=[published])
    row = found["model"][unit, "accuracy"]
    return row.p_value is not None and row.p_value < 0.05 and (row.difference or 0) > 0
