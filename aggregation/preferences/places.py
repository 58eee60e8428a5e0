"""Intervals of strengths by items and people, the places that they leave open, and cycles of majorities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.sparse import coo_array
from scipy.special import stdtrit

from aggregation.comparison.difference_tests import adjust_by_holm, compute_p_value
from aggregation.errors import Refused
from aggregation.findings import Finding, name_coverage
from aggregation.intervals.panel import FEWEST_PEOPLE, SMALLEST_VARIANCE, PanelVariance
from aggregation.intervals.resampling import FEWEST_GROUPS
from aggregation.preferences.comparisons import Comparisons
from aggregation.preferences.strengths import (
    Counts,
    Model,
    Strengths,
    compute_residuals,
    count_outcomes,
    find_components,
    fit_strengths,
)
from aggregation.preferences.win_rates import Estimate, explain_people, warn_of_few_people
from aggregation.schema import Codes, Floats

ALPHA = 0.05
"""A system is surely above another if Holm's p of their difference is below this."""
MOST_CYCLES = 3  # that are named
COVERED = ".93-.95"
"""How often intervals of 95% of a strength for new people and new items covered in simulation, by both models."""


@dataclass(frozen=True, kw_only=True)
class RankedSystem:
    """A system in a ranking: its strength (logarithm, all sum to 0) with intervals, and its place, 1 for the strongest.

    `place_low` is 1 + the systems that are surely above it, `place_high` the last place that those surely below leave.
    `component` numbers the systems between which wins and ties lead both ways. Without strengths all but this is None.
    """

    system: str
    component: int
    strength: Estimate
    place: int | None = None
    place_low: int | None = None
    place_high: int | None = None


@dataclass(frozen=True, kw_only=True)
class PreferenceRanking:
    """The systems from the strongest to the weakest under a model; `reason` says why there is no strength."""

    model: Model
    systems: tuple[RankedSystem, ...]
    tie_parameter: float | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Cycles:
    """Majorities that contradict an order: `triads` counts circles of three, of which some are named.

    `winner` is the system that more answers prefer to each other one than the reverse, None if there is none.
    """

    winner: str | None
    triads: int
    named: tuple[tuple[str, str, str], ...]


def rank_comparisons(
    comparisons: Comparisons, *, model: Model = "bradley_terry", confidence_level: float = 0.95
) -> PreferenceRanking:
    """Rank the systems by strength, with the places that Holm's tests of all differences leave open."""
    if not len(comparisons):
        return PreferenceRanking(model=model, systems=(), tie_parameter=None, reason=Finding("no-comparisons"))
    counts = count_outcomes(comparisons)
    components = find_components(counts) + 1
    bare = Estimate(
        value=None,
        n_items=int(comparisons.items.max()) + 1,
        n_annotators=comparisons.n_people,
        n_answers=int(comparisons.answers.max()) + 1,
    )
    try:
        fitted = fit_strengths(counts, comparisons.systems, model)
    except Refused as refusal:
        refused = replace(bare, reason=refusal.problem)
        rows = zip(comparisons.systems, components.tolist(), strict=True)
        unranked = [RankedSystem(system=name, component=component, strength=refused) for name, component in rows]
        return PreferenceRanking(model=model, systems=tuple(unranked), tie_parameter=None, reason=refusal.problem)
    sandwich = estimate_sandwich(fitted, comparisons)
    lows, highs = _find_places(fitted, sandwich)
    rounded = np.round(fitted.strengths, 9)
    n = len(comparisons.systems)
    ranked = [
        RankedSystem(
            system=system,
            component=int(components[code]),
            strength=_estimate_contrast(
                replace(bare, value=float(fitted.strengths[code])),
                np.eye(n)[code] - 1 / n,
                sandwich,
                comparisons,
                confidence_level=confidence_level,
            ),
            place=1 + int((rounded > rounded[code]).sum()),
            place_low=None if lows is None else int(lows[code]),
            place_high=None if highs is None else int(highs[code]),
        )
        for code, system in enumerate(comparisons.systems)
    ]
    order = np.argsort(-rounded, kind="stable")
    return PreferenceRanking(
        model=model,
        systems=tuple(ranked[code] for code in order),
        tie_parameter=fitted.tie_parameter,
        reason="",
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Sandwich:
    """H⁻¹BH⁻¹ of the strengths in three parts: B by items (or their groups), by people, and by what both share.

    `people` is None if they are too few, or unknown; `items` is None if groups are too few.
    """

    items: Floats | None
    people: Floats | None
    cells: Floats | None
    n_groups: int
    n_people: int

    def measure(self, contrast: Floats) -> PanelVariance | None:
        """The variance of a contrast of the strengths, its part of people cut at 0; None without intervals."""
        if self.items is None:
            return None
        people = None
        if self.people is not None and self.cells is not None:
            people = max(0.0, float(contrast @ (self.people - self.cells) @ contrast))
        return PanelVariance(
            items=float(contrast @ self.items @ contrast),
            people=people,
            items_df=self.n_groups - 1,
            people_df=self.n_people - 1,
        )


def estimate_sandwich(fitted: Strengths, comparisons: Comparisons) -> Sandwich:
    """The variance of strengths if items and people are drawn anew; B is the sum of squared scores of each of them."""
    n = len(comparisons.systems)
    of_strength, of_ties = compute_residuals(fitted, comparisons)
    n_groups = int(comparisons.groups.max(initial=-1)) + 1
    n_people = comparisons.n_people

    def square(clusters: Codes, factor: float) -> Floats:
        """H⁻¹BH⁻¹ for the strengths, with B over these clusters of comparisons."""
        size = int(clusters.max()) + 1
        columns = [(comparisons.one, of_strength), (comparisons.two, -of_strength)]
        if fitted.tie_parameter is not None:
            columns.append((np.full(len(clusters), n), of_ties))
        table = coo_array(
            (
                np.concatenate([values for _, values in columns]),
                (np.tile(clusters, len(columns)), np.concatenate([codes for codes, _ in columns])),
            ),
            shape=(size, n + 1),
        ).tocsr()
        spread = np.asarray((table.T @ table).todense())
        return np.asarray(factor * (fitted.inverse @ spread @ fitted.inverse)[:n, :n])

    has_people = n_people >= FEWEST_PEOPLE
    cells = comparisons.groups * max(n_people, 1) + comparisons.people
    return Sandwich(
        items=square(comparisons.groups, n_groups / (n_groups - 1)) if n_groups >= FEWEST_GROUPS else None,
        people=square(comparisons.people, n_people / (n_people - 1)) if has_people else None,
        cells=square(np.unique(cells, return_inverse=True)[1], 1.0) if has_people else None,
        n_groups=n_groups,
        n_people=n_people,
    )


def _estimate_contrast(
    bare: Estimate, contrast: Floats, sandwich: Sandwich, comparisons: Comparisons, *, confidence_level: float
) -> Estimate:
    """An estimate with its value as one with intervals, or with the reason why it has none."""
    variance, value = sandwich.measure(contrast), bare.value or 0.0
    units = "groups" if sandwich.n_groups < bare.n_items else "items"
    if variance is None:
        return replace(bare, reason=Finding(f"few-{units}", n=sandwich.n_groups, least=FEWEST_GROUPS))
    if variance.items < SMALLEST_VARIANCE:
        return replace(bare, reason=Finding("no-variance"))

    def reach(part: float, df: float) -> float:
        return float(stdtrit(df, (1 + confidence_level) / 2) * part**0.5)

    own = reach(variance.items, variance.items_df)
    is_fresh = variance.people is not None
    fresh = max(own, reach(variance.total, variance.total_df))
    return replace(
        bare,
        ci_low=value - fresh if is_fresh else None,
        ci_high=value + fresh if is_fresh else None,
        se=variance.total**0.5,
        df=variance.total_df,
        item_only_low=value - own,
        item_only_high=value + own,
        ci_method=_describe_method(sandwich, units) if is_fresh else Finding(f"strength-{units}", n=sandwich.n_groups),
        warning=warn_of_few_people(comparisons) if is_fresh else "",
        reason="" if is_fresh else explain_people(comparisons, comparisons.sum_values(comparisons.outcome)),
    )


def _describe_method(sandwich: Sandwich, units: str) -> Finding:
    """How the interval of a strength for new people and new items was made, and how often it covers."""
    covered = Finding("preference-covered", share=name_coverage(COVERED))
    return Finding(f"strength-two-way-{units}", n=sandwich.n_people, m=sandwich.n_groups, coverage=covered)


def _find_places(fitted: Strengths, sandwich: Sandwich) -> tuple[Codes | None, Codes | None]:
    """The first and the last place that each system can have, by Holm's tests of all differences."""
    n = len(fitted.strengths)
    pairs = list(combinations(range(n), 2))
    p_values: list[float | None] = []
    for one, two in pairs:
        variance = sandwich.measure(np.eye(n)[one] - np.eye(n)[two])
        if variance is None:
            return None, None
        value = float(fitted.strengths[one] - fitted.strengths[two])
        if variance.items < SMALLEST_VARIANCE:
            p_values.append(None)
            continue
        p_values.append(
            max(
                compute_p_value(value, se=part**0.5, df=df)
                for part, df in ((variance.items, variance.items_df), (variance.total, variance.total_df))
            )
        )
    above, below = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
    for (one, two), p in zip(pairs, adjust_by_holm(p_values), strict=True):
        if p is not None and p < ALPHA:
            best, worst = (one, two) if fitted.strengths[one] > fitted.strengths[two] else (two, one)
            above[worst] += 1
            below[best] += 1
    return 1 + above, n - below


def find_cycles(counts: Counts, systems: tuple[str, ...]) -> Cycles:
    """The Condorcet winner and the circular triads of the majorities of pairs (Kendall and Babington Smith 1940)."""
    beats = counts.wins > counts.wins.T
    n = len(systems)
    winners = np.flatnonzero(beats.sum(axis=1) == n - 1) if n > 1 else np.zeros(0, dtype=np.intp)
    as_numbers = beats.astype(np.float64)
    named = []
    for one, two in np.argwhere(beats):
        named += [
            (systems[one], systems[two], systems[three])
            for three in np.flatnonzero(beats[two] & beats[:, one])
            if one == min(one, two, three)
        ]
        if len(named) >= MOST_CYCLES:
            break
    return Cycles(
        winner=systems[int(winners[0])] if len(winners) else None,
        triads=round(float(np.trace(as_numbers @ as_numbers @ as_numbers)) / 3),
        named=tuple(named[:MOST_CYCLES]),
    )
