"""Variance and interval of a mean over people who answered items: both are drawn, and each answer shares both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from aggregation.findings import Finding, join_findings
from aggregation.intervals.few_errors import FEW_ERRORS, End, Few, carry_interval, name_few
from aggregation.intervals.resampling import FEWEST_GROUPS
from aggregation.intervals.shares import Interval, find_ends, share_interval
from aggregation.schema import Codes, Floats, find_different_rows

Scale = Literal["share", "fraction", "correlation", "errors", "difference"]
"""What values a metric has: a share counts right answers; a fraction is any other number from 0 to 1; a correlation
goes from -1 to 1; errors are 0 or more; a difference has no ends."""

FEWEST_PEOPLE = 5  # with fewer people there is none for a fresh panel: fewer were not simulated
RELATIVE_STEP = 1e-5  # of the central differences by which a gradient is taken
SMALLEST_VARIANCE = 1e-18  # what rounding leaves where nothing varies


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric of column sums: `compute` takes one row of sums a draw and returns a number each, nan for undefined.

    `covers_majority` says whether its intervals for a majority covered enough in simulation to be published.
    `carry` gives the least or the largest value that the metric can have, from the columns of items and the share of
    right answers; without it what is wrong is worth anything from 0 to 1.
    """

    compute: Callable[[Floats], Floats]
    scale: Scale
    covers_majority: bool = True
    carry: Callable[[Floats, float, End], float] | None = None

    def carry_share(self, columns: Floats, share: Interval, end: End) -> float:
        """The least or the largest value with a share of right answers in this interval, which has both ends."""
        low, high = share.low or 0.0, 1.0 if share.high is None else share.high
        if self.carry is not None:
            return self.carry(columns, low if end == "least" else high, end)
        if self.scale == "errors":
            return 0.0 if end == "least" else 1 - low
        return low if end == "least" else 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class SetChanges:
    """What items' columns lose where a set of items is left out of a fit: `changes[change]` is sets × items × columns.

    `is_lost` marks the changes of items that are themselves left out.
    """

    changes: Floats
    change: Codes
    is_lost: NDArray[np.bool_]

    def estimate_variance(self, gradient: Floats) -> float:
        """The jackknife variance over the sets, less that of single items that follow a refit by chance."""
        effects = self.changes @ gradient
        sums = effects[self.change].sum(axis=1)
        by_chance = np.where(self.is_lost, 0.0, effects**2)[self.change].sum()
        factor = len(sums) / (len(sums) - 1)
        return float(factor * (((sums - sums.mean()) ** 2).sum() - by_chance))


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions:
    """What each item adds to the column sums of a unit, and how the sums change where one person is left out.

    `columns` is items × columns; `groups` is the code of each item's group. `changes` holds the different changes of an
    item's columns (changes × columns); each vote has the code of its change (`change`), its item and its person. For
    single answers the change is the answer itself. `people_factor` and `cell_factor` belong to the kind of change:
    A/(A-1) and 1 where one vote each is left out, (A-1)/A for both where a mean over subsets, or a fit, is made anew.
    `n_independent` is the largest n that a share can have: the number of answers, or of items. `item_sets` is for a
    fit in which items depend on each other: what leaving out sets of items changes. With less than `fewest_people`
    there is no interval for a fresh panel; `is_refitted` says that it is the score of a fit that needs more of them,
    and `is_short` that one of two measures, of which this is the difference, has fewer people of its own.

    `columns` share ties. `ties_wrong` are the columns in which each tie counts as no answer, `tied` marks the items
    with a tie; both are None where nothing ties.
    """

    columns: Floats
    groups: Codes
    n_groups: int
    changes: Floats
    change: Codes
    items: Codes
    people: Codes
    n_people: int
    people_factor: float
    cell_factor: float
    n_independent: int
    item_sets: SetChanges | None = None
    fewest_people: int = FEWEST_PEOPLE
    is_refitted: bool = False
    is_short: bool = False
    ties_wrong: Floats | None = None
    tied: NDArray[np.bool_] | None = None

    @cached_property
    def sums(self) -> Floats:
        """The column sums: 1 × columns."""
        return np.asarray(self.columns.sum(axis=0), dtype=np.float64)[None, :]

    @property
    def n_ties(self) -> int:
        """The number of items with a tie."""
        return 0 if self.tied is None else int(self.tied.sum())

    def count_ties_wrong(self) -> Contributions | None:
        """The same with ties counted wrong; None where nothing ties."""
        return None if self.ties_wrong is None else replace(self, columns=self.ties_wrong)

    @cached_property
    def group_sums(self) -> tuple[Floats, Codes]:
        """The different sums of columns that groups of items have, and which of them each group has."""
        sums = np.zeros((self.n_groups, self.columns.shape[1]))
        np.add.at(sums, self.groups, self.columns)
        return find_different_rows(sums)


@dataclass(frozen=True, kw_only=True)
class PanelVariance:
    """The variance of a score: of items, and what people add to it (None where they are too few)."""

    items: float
    people: float | None
    items_df: float
    people_df: int

    @property
    def total(self) -> float:
        """The variance for a fresh panel."""
        return self.items + (self.people or 0.0)

    @property
    def total_df(self) -> float:
        """Satterthwaite's degrees of freedom of the total."""
        parts = self.items**2 / self.items_df + (self.people or 0.0) ** 2 / max(self.people_df, 1)
        return self.total**2 / parts if parts else float(self.items_df)


def estimate_variance(metric: Metric, contributions: Contributions) -> PanelVariance:
    """The two-way clustered variance of a metric: items (or their groups), people, and their common cells.

    With e the change of the metric by a vote, centred: V_people = factor · Σ_j (Σ_i e_ij)², V_cell = factor · Σ_ij
    e_ij² (over groups where items have them). For V_items see `measure_items`. Where items depend on each other in a
    fit it is the larger of two estimates, with the degrees of freedom of that one.
    """
    gradient = compute_gradient(metric, contributions.sums[0])
    of_groups = measure_items(metric, contributions, gradient)
    items = float((of_groups**2).sum())
    items_df = count_items_df(metric, contributions, of_groups)
    if contributions.item_sets is not None:
        refitted = contributions.item_sets.estimate_variance(gradient)
        if refitted > items:
            items, items_df = refitted, len(contributions.item_sets.change) - 1
    n_people, people = contributions.n_people, None
    if n_people >= contributions.fewest_people and not contributions.is_short:
        effects = (contributions.changes @ gradient)[contributions.change]
        effects = effects - effects.mean()
        of_people = np.bincount(contributions.people, weights=effects, minlength=n_people)
        cells = contributions.groups[contributions.items] * n_people + contributions.people
        _, cell = np.unique(cells, return_inverse=True)
        of_cells = np.bincount(cell, weights=effects)
        v_people = contributions.people_factor * float((of_people**2).sum())
        people = max(0.0, v_people - contributions.cell_factor * float((of_cells**2).sum()))
    return PanelVariance(items=items, people=people, items_df=items_df, people_df=n_people - 1)


def measure_items(metric: Metric, contributions: Contributions, gradient: Floats) -> Floats:
    """What each group of items adds to the metric, scaled so that V_items is the sum of squares.

    For a share √(G/(G-1)) · Σ_i (h_i - θ) / n. Any other metric is computed again without each group (a jackknife):
    taken as linear, F1 of few items a class had a variance a tenth too small. It is taken so only where the metric is
    undefined without one of the groups.
    """
    n_groups = contributions.n_groups
    if metric.scale != "share":
        different, place = contributions.group_sums
        without = metric.compute(contributions.sums - different)[place]
        if not np.isnan(without).any():
            return np.asarray((without - without.mean()) * ((n_groups - 1) / n_groups) ** 0.5)
    of_items = contributions.columns @ gradient
    of_groups = np.bincount(contributions.groups, weights=of_items - of_items.mean(), minlength=n_groups)
    return np.asarray(of_groups * (n_groups / (n_groups - 1)) ** 0.5)


def count_items_df(metric: Metric, contributions: Contributions, of_groups: Floats) -> float:
    """The degrees of freedom of V_items: 2G / (2G/(G-1) + (1 - d) · max(0, κ - 3)), G-1 where d is 1.

    With d = 0 they are 2V²/Var(V) of the sample variance of G values with the kurtosis κ: Var(V)/V² = 2/(G-1) + (κ-3)/G
    (O'Neill 2014, "Some useful moment results in sampling problems"). The interval of a share knows how its variance
    follows its value, so κ counts only as far as values are no shares: d is V_items over that of G independent shares,
    p(1-p)/G, at most 1. To weigh κ so, and not to let it add to G-1, is our own choice, made by simulation.
    """
    squared = of_groups**2
    n_groups, variance = len(of_groups), float(squared.sum())
    if variance < SMALLEST_VARIANCE:
        return n_groups - 1
    value = float(metric.compute(contributions.sums)[0])
    if metric.scale == "correlation":
        value, variance = (1 + value) / 2, variance / 4
    spread = value * (1 - value)
    design_effect = (
        0.0 if metric.scale in ("errors", "difference") else 1.0 if spread <= 0 else variance * n_groups / spread
    )
    excess = max(0.0, n_groups * float((squared**2).sum()) / float(squared.sum()) ** 2 - 3)
    return 2 * n_groups / (2 * n_groups / (n_groups - 1) + (1 - min(1.0, design_effect)) * excess)


def compute_gradient(metric: Metric, sums: Floats) -> Floats:
    """The derivative of the metric by each column sum, by central differences; 0 for a column that is all zero."""
    steps = RELATIVE_STEP * np.abs(sums)
    moved = np.flatnonzero(steps)
    nudges = np.zeros((len(moved), len(sums)))
    nudges[np.arange(len(moved)), moved] = steps[moved]
    gradient = np.zeros(len(sums))
    gradient[moved] = (metric.compute(sums + nudges) - metric.compute(sums - nudges)) / (2 * steps[moved])
    return gradient


Form = Literal["two-way", "people-zero", "items", "share", "carried", "none"]

NOT_COVERED = Finding("not-covered")
NO_VARIANCE = Finding("no-variance")


@dataclass(frozen=True, kw_only=True)
class PanelIntervals:
    """Both intervals of a score: `fresh_panel` and `this_panel`; `se` is the standard error for a fresh panel.

    `form` is how they are made: `two-way`, `people-zero` where V_people is not above V_cell, so that its term is cut to
    0, `items` where there is none of people, `share` where nothing varies, `carried` where that of the share is carried
    to another metric, `none`. `reason` says why an interval is missing, or why it is not made of a variance alone.
    `variance` is that of which they are made, None where they are not.
    """

    fresh_panel: Interval
    this_panel: Interval
    se: float | None
    form: Form
    reason: str
    variance: PanelVariance | None = None


NO_INTERVAL = Interval(low=None, high=None)
NO_INTERVALS = PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason=NOT_COVERED)


def estimate_intervals(
    metric: Metric, contributions: Contributions, *, confidence_level: float, share: Metric | None = None
) -> PanelIntervals:
    """Both intervals of a metric.

    V = V_items + max(0, V_people - V_cell). Where nothing varies a share has its interval over the groups of items. Any
    other metric has that of `share`, the share of right answers, carried to it (see `few_errors`) where nothing varies
    or few groups of items have errors; without `share` it has none where nothing varies.
    """
    value = float(metric.compute(contributions.sums)[0])
    n_groups, is_grouped = contributions.n_groups, contributions.n_groups < len(contributions.columns)
    if np.isnan(value):
        return PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason="")
    if n_groups < FEWEST_GROUPS:
        reason = (
            Finding("one-group" if is_grouped else "one-item", least=FEWEST_GROUPS)
            if n_groups == 1
            else Finding("few-groups" if is_grouped else "few-items", n=n_groups, least=FEWEST_GROUPS)
        )
        return PanelIntervals(fresh_panel=NO_INTERVAL, this_panel=NO_INTERVAL, se=None, form="none", reason=reason)
    made = build_intervals(metric, contributions, estimate_variance(metric, contributions), confidence_level)
    if share is None or metric.scale in ("share", "difference"):
        return made
    sums, of_groups = contributions.group_sums
    few = name_few(share.compute(sums)[of_groups])
    if made.form != "none" and few == "none-varies":
        return made
    of_share = estimate_intervals(share, contributions, confidence_level=confidence_level)
    return _carry_intervals(made, metric, contributions, of_share, few)


def _carry_intervals(
    made: PanelIntervals, metric: Metric, contributions: Contributions, of_share: PanelIntervals, few: Few
) -> PanelIntervals:
    """The intervals of a metric widened to what those of the share of right answers allow."""
    carry = partial(
        carry_interval,
        carry=partial(metric.carry_share, contributions.columns),
        value=float(metric.compute(contributions.sums)[0]),
    )
    units = "groups" if contributions.n_groups < len(contributions.columns) else "items"
    return replace(
        made,
        fresh_panel=carry(made.fresh_panel, share=of_share.fresh_panel),
        this_panel=carry(made.this_panel, share=of_share.this_panel),
        form="carried",
        reason=join_findings(
            Finding(f"{few}-{units}", least=FEW_ERRORS), _explain_people(contributions, of_share.form)
        ),
    )


def build_intervals(
    metric: Metric, contributions: Contributions, variance: PanelVariance, confidence_level: float
) -> PanelIntervals:
    """Both intervals of a metric that is defined and has FEWEST_GROUPS groups or more, of its variance."""
    value = float(metric.compute(contributions.sums)[0])
    n_groups, is_grouped = contributions.n_groups, contributions.n_groups < len(contributions.columns)
    part = variance.total if metric.scale == "share" else variance.items
    if part < SMALLEST_VARIANCE or (metric.scale == "share" and value in (0.0, 1.0)):
        if metric.scale != "share":
            return replace(NO_INTERVALS, reason=NO_VARIANCE)
        of_groups = share_interval(value * n_groups, n_groups, confidence_level=confidence_level)
        return PanelIntervals(
            fresh_panel=NO_INTERVAL if contributions.n_people < contributions.fewest_people else of_groups,
            this_panel=of_groups,
            se=None,
            form="share",
            reason=join_findings(
                Finding(_name_equal(value)), Finding("is-of-share"), _explain_people(contributions, "share")
            ),
        )
    n = contributions.n_independent

    def build(part: float, df: float) -> Interval:
        quantile = float(stdtrit(df, (1 + confidence_level) / 2))
        return build_interval(value, part, scale=metric.scale, quantile=quantile, n=n)

    is_fixed = contributions.item_sets is None and not is_grouped and n == len(contributions.columns)
    if metric.scale == "share" and is_fixed:
        this_panel = share_interval(value * n, n, confidence_level=confidence_level)
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


def explain_few_people(contributions: Contributions) -> Finding:
    """Why there is no interval for a fresh panel."""
    if contributions.is_refitted:
        return Finding("few-people-refitted", n=contributions.n_people, least=contributions.fewest_people)
    if contributions.n_people == 1:
        return Finding("one-person-panel", least=contributions.fewest_people)
    if contributions.n_people >= contributions.fewest_people:
        return Finding("few-people-in-either", least=contributions.fewest_people)
    return Finding("few-people-panel", n=contributions.n_people, least=contributions.fewest_people)


def _name_equal(share: float) -> str:
    """The code that says why a share has no variance."""
    return {0.0: "all-wrong", 1.0: "all-right"}.get(share, "nothing-varies")


def _explain_people(contributions: Contributions, form: Form) -> str:
    """Why nothing is said of new people, or only what is said of these, where nothing varies; else empty."""
    if contributions.n_people < contributions.fewest_people:
        return explain_few_people(contributions)
    return Finding("same-for-new-people") if form == "share" else ""


def build_interval(value: float, variance: float, *, scale: Scale, quantile: float, n: int) -> Interval:
    """The interval of a value with a variance: between fixed ends a share's with an effective n, else ± quantile · se.

    The effective n of a share is at most `n`. Another value at an end of its scale, or without variance, has none.
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
    low, high = find_ends(value, effective, quantile=quantile)
    return Interval(low=low, high=high)
