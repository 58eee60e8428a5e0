"""Intervals of a score for a fresh panel (new people and items) and for this panel (new items): closed forms.

The variance is that of `panel_variance`; the interval of a share is Wilson's with an effective n (Franco, Little, Louis
and Slud 2019). How often these intervals cover is measured by `benchmarks/coverage.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from aggregation.bootstrap import FEWEST_GROUPS
from aggregation.intervals import Interval, wilson_interval
from aggregation.panel_variance import (
    SMALLEST_VARIANCE,
    Contributions,
    Metric,
    PanelVariance,
    Scale,
    estimate_variance,
)

Form = Literal["two-way", "people-zero", "items", "wilson", "none"]

NOT_COVERED = "No interval: that for a majority covered too little in simulation."
NOTHING_VARIES = "Nothing varies between items or people, so there is no variance to estimate."


@dataclass(frozen=True, kw_only=True)
class PanelIntervals:
    """Both intervals of a score: `fresh_panel` and `this_panel`; `se` is the standard error for a fresh panel.

    `form` is how they are made: `two-way`, `people-zero` where V_people is not above V_cell, so that its term is cut to
    0, `items` where there is none of people, `wilson` where nothing varies, `none`. `reason` says why an interval is
    missing, or why it is not made of a variance. `variance` is that of which they are made, None where they are not.
    """

    fresh_panel: Interval
    this_panel: Interval
    se: float | None
    form: Form
    reason: str
    variance: PanelVariance | None = None


NO_INTERVAL = Interval(low=None, high=None)
NO_INTERVALS = PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason=NOT_COVERED)


def estimate_intervals(metric: Metric, contributions: Contributions, *, confidence_level: float) -> PanelIntervals:
    """Both intervals of a metric.

    V = V_items + max(0, V_people - V_cell). Where nothing varies a share has Wilson's interval over the groups of
    items, and any other metric none.
    """
    value = float(metric.compute(contributions.sums)[0])
    n_groups, is_grouped = contributions.n_groups, contributions.n_groups < len(contributions.columns)
    if np.isnan(value):
        return PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason="")
    if n_groups < FEWEST_GROUPS:
        units = "groups of items" if is_grouped else "items"
        reason = f"No interval: {n_groups} {units} are fewer than {FEWEST_GROUPS}."
        return PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason=reason)
    return build_intervals(metric, contributions, estimate_variance(metric, contributions), confidence_level)


def build_intervals(
    metric: Metric, contributions: Contributions, variance: PanelVariance, confidence_level: float
) -> PanelIntervals:
    """Both intervals of a metric that is defined and has FEWEST_GROUPS groups or more, of its variance."""
    value = float(metric.compute(contributions.sums)[0])
    n_groups, is_grouped = contributions.n_groups, contributions.n_groups < len(contributions.columns)
    part = variance.total if metric.scale == "share" else variance.items
    if part < SMALLEST_VARIANCE or (metric.scale == "share" and value in (0.0, 1.0)):
        if metric.scale != "share":
            reason = f"No interval: {NOTHING_VARIES[0].lower()}{NOTHING_VARIES[1:]}"
            return PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason=reason)
        wilson = wilson_interval(value * n_groups, n_groups, confidence_level=confidence_level)
        few = [explain_few_people(contributions)] if contributions.n_people < contributions.fewest_people else []
        return PanelIntervals(
            fresh_panel=NO_INTERVAL if few else wilson,
            this_panel=wilson,
            se=None,
            form="wilson",
            reason=" ".join([NOTHING_VARIES, "The interval is Wilson's.", *few]),
        )
    n = contributions.n_independent

    def build(part: float, df: float) -> Interval:
        quantile = float(stdtrit(df, (1 + confidence_level) / 2))
        return build_interval(value, part, scale=metric.scale, quantile=quantile, n=n)

    is_fixed = contributions.item_sets is None and not is_grouped and n == len(contributions.columns)
    if metric.scale == "share" and is_fixed:
        this_panel = wilson_interval(value * n, n, confidence_level=confidence_level)
    else:
        this_panel = build(variance.items, variance.items_df)
    if variance.people is None:
        reason = explain_few_people(contributions)
        return PanelIntervals(
            fresh_panel=NO_INTERVAL, this_panel=this_panel, se=None, form="items", reason=reason, variance=variance
        )
    fresh = build(variance.total, variance.total_df)
    form: Form = "two-way" if variance.people > 0 else "people-zero"
    return PanelIntervals(
        fresh_panel=fresh, this_panel=this_panel, se=variance.total**0.5, form=form, reason="", variance=variance
    )


def explain_few_people(contributions: Contributions) -> str:
    """Why there is no interval for a fresh panel."""
    people = "1 person is" if contributions.n_people == 1 else f"{contributions.n_people} people are"
    return f"No interval for a fresh panel: {people} fewer than {contributions.fewest_people}."


def build_interval(value: float, variance: float, *, scale: Scale, quantile: float, n: int) -> Interval:
    """The interval of a value with a variance: Wilson's with an effective n between fixed ends, else ± quantile · se.

    The effective n of a share is at most `n`. A value at an end of its scale, or without variance, has none.
    """
    if scale in ("errors", "difference"):
        half_width = quantile * variance**0.5
        low = value - half_width
        return Interval(low=max(0.0, low) if scale == "errors" else low, high=value + half_width)
    if scale == "correlation":
        half = build_interval((1 + value) / 2, variance / 4, scale="fraction", quantile=quantile, n=n)
        if half.low is None or half.high is None:
            return half
        return Interval(low=2 * half.low - 1, high=2 * half.high - 1)
    spread = value * (1 - value)
    if scale == "fraction" and (spread <= 0 or variance < SMALLEST_VARIANCE):
        return NO_INTERVAL
    effective = spread / variance if variance * n > spread or scale == "fraction" else float(n)
    squared = quantile * quantile
    center = (value + squared / (2 * effective)) / (1 + squared / effective)
    half_width = quantile / (1 + squared / effective) * (spread / effective + squared / (4 * effective**2)) ** 0.5
    return Interval(low=max(0.0, min(value, center - half_width)), high=min(1.0, max(value, center + half_width)))
