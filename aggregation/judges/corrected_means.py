"""Means over all items that a judge scored, of which people answered some: prediction-powered, and Rogan–Gladen's."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from aggregation.intervals.panel import (
    FEWEST_PEOPLE,
    NO_INTERVAL,
    Contributions,
    Metric,
    PanelVariance,
    estimate_variance,
    explain_few_people,
)
from aggregation.intervals.resampling import FEWEST_GROUPS
from aggregation.intervals.shares import Interval
from aggregation.judges.judged_votes import JudgedVotes
from aggregation.schema import Floats, divide_safely


@dataclass(frozen=True, kw_only=True)
class CorrectedMean:
    """A mean over all items that a judge scored, with its intervals for new people and for these, and what it is of.

    `n_others` items were answered by the judge alone. `value` is None where the judge tells nothing apart.
    """

    value: float | None
    n_others: int
    fresh_panel: Interval = NO_INTERVAL
    this_panel: Interval = NO_INTERVAL
    se: float | None = None
    df: float | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class PoweredMean:
    """A prediction-powered mean, the weight λ of the judge in it, and what the judge's other items add to V."""

    value: float
    weight: float
    others_variance: float


def power_mean(people: Floats, same: Floats, others: Floats, *, weight: float | None = None) -> PoweredMean:
    """ȳ + λ(F̄ − f̄) of items' means of people (y) and the judge's values of the same (f) and of other items (F).

    λ = cov(y, f) / (var f · (1 + n/N)), cut to [0, 1], unless a weight is given (Angelopoulos, Duchi and Zrnic 2023,
    "PPI++", arXiv:2311.01453). V is var(y − λf)/n + λ² var(F)/N.
    """
    if weight is None:
        spread = float(same.var()) * (1 + len(same) / len(others))
        shared = float(np.mean((people - people.mean()) * (same - same.mean())))
        weight = min(1.0, max(0.0, shared / spread)) if spread > 0 else 0.0
    return PoweredMean(
        value=float(people.mean() + weight * (others.mean() - same.mean())),
        weight=weight,
        others_variance=float(weight**2 * others.var() / len(others)),
    )


def estimate_powered_mean(
    judged: JudgedVotes, values: Floats, told: Floats, others: Floats, *, confidence_level: float = 0.95
) -> CorrectedMean:
    """The prediction-powered mean of the values of votes; the items of people must be a random sample of all.

    `values` has a number for each vote, `told` and `others` those of the judge's answers on these items and on others.
    What people add is the two-way variance of the votes less λ times the judge's answer.
    """
    means = judged.sum_items(values) / judged.n_votes
    powered = power_mean(means, told, others)
    shift = powered.weight * float(others.mean())
    changes = np.column_stack([values - powered.weight * told[judged.items], np.ones(len(values))])
    metric = Metric(compute=lambda sums: divide_safely(sums[:, 0], sums[:, 1]) + shift, scale="difference")
    return _build_mean(metric, _sum_votes(judged, changes), powered.others_variance, len(others), confidence_level)


@dataclass(frozen=True, kw_only=True)
class CorrectedShare:
    """The share of a class, as a judge found it and corrected for its sensitivity and specificity.

    `corrected` is None where both add up to 1 or less: the judge tells nothing apart. `slope` is the derivative of it
    by the raw share.
    """

    sensitivity: float
    specificity: float
    raw: float
    corrected: float | None
    slope: float = 0.0


def correct_share(people: Floats, same: Floats, others: Floats) -> CorrectedShare:
    """Rogan and Gladen's (1978) share: (q + specificity − 1) / (sensitivity + specificity − 1), cut to [0, 1].

    All values are 1 for the class and 0 for the other one; `people` and `same` have one for each vote, `others` one for
    each item that only the judge answered.
    """
    sensitivity = float(same[people == 1].mean()) if (people == 1).any() else np.nan
    specificity = float(1 - same[people == 0].mean()) if (people == 0).any() else np.nan
    raw, power = float(others.mean()), sensitivity + specificity - 1
    if not power > 0:
        return CorrectedShare(sensitivity=sensitivity, specificity=specificity, raw=raw, corrected=None)
    corrected = min(1.0, max(0.0, (raw + specificity - 1) / power))
    return CorrectedShare(
        sensitivity=sensitivity, specificity=specificity, raw=raw, corrected=corrected, slope=1 / power
    )


def estimate_corrected_share(
    judged: JudgedVotes, values: Floats, told: Floats, others: Floats, *, confidence_level: float = 0.95
) -> CorrectedMean:
    """`correct_share` with intervals, in which the raw share varies with the items, and both rates with the votes too.

    It assumes that both rates are the same on the items that only the judge answered.
    """
    of_votes = told[judged.items]
    share = correct_share(values, of_votes, others)
    if share.corrected is None:
        return CorrectedMean(value=None, n_others=len(others))
    changes = np.column_stack([values * of_votes, values, (1 - values) * (1 - of_votes), 1 - values])

    def correct(sums: Floats) -> Floats:
        sensitivity, specificity = divide_safely(sums[:, 0], sums[:, 1]), divide_safely(sums[:, 2], sums[:, 3])
        return divide_safely(share.raw + specificity - 1, sensitivity + specificity - 1)

    variance = share.slope**2 * share.raw * (1 - share.raw) / len(others)
    metric = Metric(compute=correct, scale="difference")
    made = _build_mean(metric, _sum_votes(judged, changes), variance, len(others), confidence_level)
    return replace(clip_mean(made, 0.0, 1.0), value=share.corrected)


def clip_mean(mean: CorrectedMean, low: float, high: float) -> CorrectedMean:
    """The mean with its value and intervals cut to the ends of what can be answered."""

    def clip(number: float | None) -> float | None:
        return None if number is None else min(high, max(low, number))

    fresh, this = (Interval(low=clip(ends.low), high=clip(ends.high)) for ends in (mean.fresh_panel, mean.this_panel))
    return replace(mean, value=clip(mean.value), fresh_panel=fresh, this_panel=this)


def _sum_votes(judged: JudgedVotes, changes: Floats) -> Contributions:
    columns = np.column_stack([judged.sum_items(column) for column in changes.T])
    return replace(judged.build_contributions(columns, changes, by_person=False), fewest_people=FEWEST_PEOPLE)


def _build_mean(
    metric: Metric, contributions: Contributions, more: float, n_others: int, confidence_level: float
) -> CorrectedMean:
    """A mean with ± t · se of the two-way variance and of `more`, that of the judge's other items."""
    value = float(metric.compute(contributions.sums)[0])
    made = CorrectedMean(value=value, n_others=n_others)
    if contributions.n_groups < FEWEST_GROUPS:
        return made
    own = estimate_variance(metric, contributions)
    this, df = _add_variance(replace(own, people=None), more, n_others)
    made = replace(made, this_panel=_span(value, this, df, confidence_level))
    if own.people is None:
        return replace(made, reason=explain_few_people(contributions))
    fresh, df = _add_variance(own, more, n_others)
    return replace(made, fresh_panel=_span(value, fresh, df, confidence_level), se=fresh**0.5, df=df)


def _add_variance(variance: PanelVariance, more: float, n: int) -> tuple[float, float]:
    """The variance with that of n other items, and Satterthwaite's degrees of freedom of both."""
    total = variance.total + more
    parts = variance.total**2 / variance.total_df + more**2 / max(n - 1, 1)
    return total, total**2 / parts if parts > 0 else variance.total_df


def _span(value: float, variance: float, df: float, confidence_level: float) -> Interval:
    half = float(stdtrit(df, (1 + confidence_level) / 2)) * variance**0.5
    return Interval(low=value - half, high=value + half) if variance > 0 else NO_INTERVAL
