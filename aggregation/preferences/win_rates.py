"""How often one system is preferred to another, ties as halves, with intervals and tests against one half."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betainc, ndtri, stdtr

from aggregation.comparison.difference_tests import adjust_by_holm, compute_detectable_difference
from aggregation.findings import Finding, join_findings, name_coverage
from aggregation.intervals.panel import Contributions, Form, Metric, estimate_intervals
from aggregation.intervals.shares import share_interval
from aggregation.preferences.comparisons import HALF, LOSS, WIN, Comparisons
from aggregation.schema import Floats, divide_safely

EVEN = 0.5
"""The win rate of two systems between which people see no difference."""
FEW_PEOPLE = 10
"""With fewer people a warning says that new ones are hardly known, as beside scores."""
COVERED = ".90-.97"
"""How often intervals of 95% of a win rate for new people and new items covered in simulation."""


def _compute_mean(sums: Floats) -> Floats:
    return divide_safely(sums[:, 0], sums[:, 1])


FRACTION = Metric(compute=_compute_mean, scale="fraction")
"""The mean of numbers from 0 to 1, of the columns [Σ value, n]."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value with both intervals, as every value row of a published table ends.

    `ci_low`, `ci_high`, `se` and `df` are for a fresh panel, or for these people if there is none; `item_only_low` and
    `item_only_high` for these people. `reason` says why a value or an interval is missing, `warning` what makes it
    doubtful.
    """

    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    df: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    ci_method: str = "none"
    n_items: int = 0
    n_annotators: int = 0
    n_answers: int = 0
    warning: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """How often `one` was preferred to `two`: `estimate` is the win rate (wins + ties / 2) / all.

    `ties` counts all ties, `both_bad` those of them whose texts were both called bad. `p_value` is two-sided, against
    one half, and agrees with the interval; `p_holm` is corrected for all pairs. `detectable` is the least distance from
    one half that this many answers find with a chance of 80%.
    """

    one: str
    two: str
    wins: int
    ties: int
    losses: int
    both_bad: int
    estimate: Estimate
    p_value: float | None
    p_holm: float | None
    detectable: float | None


def measure_pairs(comparisons: Comparisons, *, confidence_level: float = 0.95) -> tuple[PairResult, ...]:
    """The win rate of each pair that was compared, in the order of the systems."""
    n_systems = len(comparisons.systems)
    pairs = comparisons.one * n_systems + comparisons.two
    order = np.argsort(pairs, kind="stable")
    starts = np.flatnonzero(np.diff(pairs[order], prepend=-1))
    found = [
        _measure_pair(comparisons.keep(chosen), confidence_level)
        for chosen in np.split(order, starts[1:])
        if len(chosen)
    ]
    corrected = adjust_by_holm([pair.p_value for pair in found])
    return tuple(replace(pair, p_holm=p) for pair, p in zip(found, corrected, strict=True))


def _measure_pair(pair: Comparisons, confidence_level: float) -> PairResult:
    contributions = pair.sum_values(pair.outcome)
    estimate, p_value = estimate_fraction(contributions, pair, confidence_level=confidence_level)
    detectable = None
    if estimate.se and estimate.df:
        detectable = compute_detectable_difference(se=estimate.se, df=estimate.df, confidence_level=confidence_level)
    return PairResult(
        one=pair.systems[pair.one[0]],
        two=pair.systems[pair.two[0]],
        wins=int((pair.outcome == WIN).sum()),
        ties=int((pair.outcome == HALF).sum()),
        losses=int((pair.outcome == LOSS).sum()),
        both_bad=int(pair.both_bad.sum()),
        estimate=estimate,
        p_value=p_value,
        p_holm=None,
        detectable=None if detectable is None or detectable > EVEN else detectable,
    )


def estimate_fraction(
    contributions: Contributions, of: Comparisons, *, confidence_level: float, chance: float = EVEN
) -> tuple[Estimate, float | None]:
    """A mean of numbers from 0 to 1 with both intervals, and its two-sided p against `chance`.

    Where all are 0, or all 1, the interval is that of a share of groups of items, and p is exact for them.
    """
    value = float(FRACTION.compute(contributions.sums)[0])
    n_groups = contributions.n_groups
    metric = replace(FRACTION, scale="share") if value in (0.0, 1.0) else FRACTION
    intervals = estimate_intervals(metric, contributions, confidence_level=confidence_level)
    bare = Estimate(
        value=value,
        n_items=len(contributions.columns),
        n_annotators=contributions.n_people,
        n_answers=contributions.n_independent,
    )
    if intervals.form == "share":
        ends = share_interval(value * n_groups, n_groups, confidence_level=confidence_level)
        is_fresh = intervals.fresh_panel.low is not None
        estimate = replace(
            bare,
            ci_low=ends.low if is_fresh else None,
            ci_high=ends.high if is_fresh else None,
            item_only_low=ends.low,
            item_only_high=ends.high,
            ci_method=describe_method(intervals.form, of),
            reason=join_findings(Finding("all-one-answer"), "" if is_fresh else explain_people(of, contributions)),
        )
        return estimate, min(1.0, 2 * (chance if value else 1 - chance) ** n_groups)
    variance, has_people = intervals.variance, intervals.form in ("two-way", "people-zero")
    if variance is None:
        all_tied = (of.outcome == HALF).all() and chance == EVEN
        return replace(bare, reason=Finding("all-ties") if all_tied else intervals.reason), None
    fresh = intervals.fresh_panel.widen(intervals.this_panel)
    se = (variance.total if has_people else variance.items) ** 0.5
    df = variance.total_df if has_people else variance.items_df
    p_value = max(
        compute_p_value(value, variance=part, df=part_df, chance=chance)
        for part, part_df in ((variance.items, variance.items_df), (se**2, df))
    )
    estimate = replace(
        bare,
        ci_low=fresh.low,
        ci_high=fresh.high,
        se=se,
        df=df,
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        ci_method=describe_method(intervals.form, of),
        warning=warn_of_few_people(of) if has_people else "",
        reason="" if has_people else explain_people(of, contributions),
    )
    return estimate, p_value


def compute_p_value(value: float, *, variance: float, df: float, chance: float = EVEN) -> float:
    """1 - the highest confidence level whose interval (`panel.build_interval`, fraction) excludes `chance`."""
    if value < chance:
        return compute_p_value(1 - value, variance=variance, df=df, chance=1 - chance)
    n = value * (1 - value) / variance
    right, wrong = value * n, (1 - value) * n
    factor, shift = min(max(right - 1, 0.0), 1.0), max(0.0, 1 - wrong) / 2
    if value == chance or factor <= chance:
        return 1.0
    tail = float(betainc(max(right, 1.0) + 0.5 - shift, wrong + 0.5 + shift, chance / factor))
    return min(1.0, float(2 * stdtr(df, float(ndtri(tail)))))


def describe_method(form: Form, of: Comparisons) -> str:
    """How the intervals of a win rate were made."""
    n_groups = len(np.unique(of.groups))
    units = "items" if n_groups == len(np.unique(of.items)) else "groups"
    if form in ("two-way", "people-zero"):
        coverage = Finding("preference-covered", share=name_coverage(COVERED))
        return Finding(f"two-way-{units}", n=of.n_people, made=Finding("by-people"), m=n_groups, coverage=coverage)
    return Finding(f"{'share' if form == 'share' else 'variance'}-{units}", n=n_groups)


def warn_of_few_people(of: Comparisons) -> str:
    """A warning if there are people enough for an interval for new ones, but few."""
    return Finding("few-people-preference", n=of.n_people, least=FEW_PEOPLE) if of.n_people < FEW_PEOPLE else ""


def explain_people(of: Comparisons, contributions: Contributions) -> Finding:
    """Why there is no interval for new people."""
    if not of.knows_people:
        return Finding("people-unknown")
    if of.n_people == 1:
        return Finding("one-person-panel", least=contributions.fewest_people)
    return Finding("few-people-panel", n=of.n_people, least=contributions.fewest_people)


@dataclass(frozen=True, kw_only=True)
class SystemShare:
    """What a system was chosen: `mean_win_rate` is the mean of its win rates against each system that it met.

    `first_choice` is the share of the answers that showed it in which it was chosen; a tie of k texts counts 1/k.
    """

    system: str
    mean_win_rate: float
    first_choice: Estimate


def measure_systems(
    comparisons: Comparisons, pairs: Sequence[PairResult], *, n_sides: int, confidence_level: float = 0.95
) -> tuple[SystemShare, ...]:
    """The mean win rate and the share of first choices of each system, in their order."""
    rates: dict[str, list[float]] = {system: [] for system in comparisons.systems}
    for pair in pairs:
        value = pair.estimate.value or 0.0
        rates[pair.one].append(value)
        rates[pair.two].append(1 - value)
    shares = []
    for code, system in enumerate(comparisons.systems):
        estimate = Estimate(value=None)
        if n_sides > 2:
            own = comparisons.keep((comparisons.one == code) | (comparisons.two == code))
            first = np.where(own.outcome == HALF, 1 / n_sides, np.where(own.one == code, own.outcome, 1 - own.outcome))
            _, places = np.unique(own.answers, return_index=True)
            shown = own.keep(places)
            estimate, _ = estimate_fraction(
                shown.sum_values(first[places]), shown, confidence_level=confidence_level, chance=1 / n_sides
            )
        shares.append(SystemShare(system=system, mean_win_rate=float(np.mean(rates[system])), first_choice=estimate))
    return tuple(shares)
