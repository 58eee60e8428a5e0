"""The intervals of a coefficient for two populations: these people and new items; new people and new items.

Between fixed ends both have Wilson's form, with t in place of z and the effective number of answers that gives the
variance (as for scores: Franco, Little, Louis and Slud 2019). Of an error, which has no upper end, they are those of
its logarithm. In simulation (benchmarks/agreement_coverage.py) they cover no less than value ± t · se, and more than
percentiles of resampled items, which cover too little for AC2 and where items are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isnan

import numpy as np
from scipy import sparse
from scipy.special import stdtrit

from aggregation.agreement.item_columns import ItemColumns, Statistic
from aggregation.findings import Finding, name_coverage
from aggregation.intervals.panel import FEWEST_PEOPLE, NO_INTERVAL, SMALLEST_VARIANCE
from aggregation.intervals.resampling import split_resamples
from aggregation.intervals.shares import Interval, share_interval
from aggregation.schema import Floats, count_codes

RELATIVE_STEP = 1e-5  # of the central differences by which a gradient is taken
THESE_PEOPLE, NEW_PEOPLE = Finding("these-people"), Finding("new-people")
"""The names of both populations, on every page and in every table."""
COVERED = {"these": ".92-.98", "new": ".92-.98"}
"""Between what both intervals covered in simulation; see docs/explanation/agreement.md."""
REASON_NO_PAIRS_OF_PEOPLE = Finding("pairs-alone")
REASON_PEOPLE_KEPT = Finding("people-kept")
REASON_NOTHING_VARIES = Finding("items-equal")


def describe_coverage() -> Finding:
    """How often intervals of the nominal level .95 covered in simulation, which is said wherever they are printed."""
    return Finding("agreement-covered", **{name: name_coverage(covered) for name, covered in COVERED.items()})


@dataclass(frozen=True, kw_only=True)
class BothIntervals:
    """The interval for these people and new items, and that for new people and new items, or why there is none."""

    these_people: Interval
    new_people: Interval
    reason_new: str = ""


@dataclass(frozen=True, kw_only=True)
class TwoWayVariance:
    """The variance of a coefficient: V_items with G - 1 degrees of freedom, V_people with A - 1, and V_cell.

    Without people, whose V_people and V_cell are 0, there are no degrees of freedom of theirs.
    """

    items: float
    people: float
    cells: float
    items_df: int
    people_df: int

    @property
    def total(self) -> float:
        """The variance for new people and new items: V_items + max(0, V_people - V_cell)."""
        return self.items + max(0.0, self.people - self.cells)

    @property
    def total_df(self) -> float:
        """Satterthwaite's degrees of freedom, in which V_people counts whole, as its error does not fall by V_cell.

        They are no fewer than those of the people or of the items, whichever are fewer, as with variances that add up.
        """
        spread = self.items**2 / self.items_df + self.people**2 / max(self.people_df, 1)
        return max(self.total**2 / spread if spread else 0.0, min(self.items_df, max(self.people_df, 1)))


def estimate_both(
    value: float,
    statistic: Statistic,
    item_columns: ItemColumns,
    *,
    confidence_level: float,
    is_error: bool = False,
    least: float = -1.0,
) -> BothIntervals | None:
    """Both intervals of a coefficient that has a value, over two groups of items or more; None where nothing varies.

    A coefficient goes from `least` to 1, and an error from 0 on. There is none for new people below
    FEWEST_PEOPLE people, and where the losses of people are not known.
    """
    variance = estimate_variance(statistic, item_columns)
    if isnan(variance.items) or variance.items < SMALLEST_VARIANCE or not (0 if is_error else least) < value:
        return None
    if not is_error and value >= 1:
        return None

    def build(part: float, df: float) -> Interval:
        quantile = float(stdtrit(df, (1 + confidence_level) / 2))
        return _stretch(value, part, quantile) if is_error else _bound(value, part, quantile, least=least)

    reason = explain_few_people(item_columns)
    return BothIntervals(
        these_people=build(variance.items, variance.items_df),
        new_people=NO_INTERVAL if reason else build(variance.total, variance.total_df),
        reason_new=reason,
    )


def _stretch(error: float, variance: float, quantile: float) -> Interval:
    """An error above 0, divided and multiplied by exp(t · se / error)."""
    factor = exp(quantile * variance**0.5 / error)
    return Interval(low=error / factor, high=error * factor)


def _bound(value: float, variance: float, quantile: float, *, least: float) -> Interval:
    """Wilson's interval of p = (value - least) / (1 - least) with n = p (1 - p) / variance of p."""
    width = 1 - least
    share, squared = (value - least) / width, quantile * quantile
    n = share * (1 - share) * width**2 / variance
    center, half = share + squared / (2 * n), quantile * (share * (1 - share) / n + squared / (4 * n * n)) ** 0.5
    low, high = ((center + side * half) / (1 + squared / n) for side in (-1, 1))
    return Interval(low=least + width * low, high=least + width * high)


def explain_few_people(item_columns: ItemColumns) -> str:
    """Why nothing is said of new people; empty where something is."""
    losses = item_columns.losses
    if losses is None:
        return REASON_NO_PAIRS_OF_PEOPLE
    if losses.n_people >= FEWEST_PEOPLE:
        return ""
    code = "one-person-agreement" if losses.n_people == 1 else "few-people-agreement"
    return Finding(code, n=losses.n_people, least=FEWEST_PEOPLE)


def estimate_variance(statistic: Statistic, item_columns: ItemColumns) -> TwoWayVariance:
    """The two-way clustered variance of a coefficient: items (or their groups), and what people add to it.

    V_items = G/(G-1) · Σ_g (Σ_i c_i · g)², c the centred columns of items and g the gradient of the coefficient.
    V_people = (A-1)/A · Σ_j (θ_-j - mean)², θ_-j the coefficient without person j (a jackknife). V_cell is the same sum
    over each person's groups of items, taken as linear. Where the coefficient is undefined without a person, V_people
    is taken as linear too.
    """
    sums = np.asarray(item_columns.columns.sum(axis=0), dtype=np.float64).ravel()
    gradient = differentiate(statistic, sums)
    n_groups = item_columns.n_groups
    of_groups = count_codes(item_columns.groups, size=n_groups, weights=np.asarray(item_columns.columns @ gradient))
    items = n_groups / (n_groups - 1) * float(((of_groups - of_groups.mean()) ** 2).sum())
    people = cells = 0.0
    n_people = 0
    losses = item_columns.losses
    if losses is not None and losses.n_people >= FEWEST_PEOPLE:
        names, codes = np.unique(losses.people, return_inverse=True)
        n_people = len(names)
        effects = np.asarray(losses.losses @ gradient)[losses.loss]
        effects = effects - effects.mean()
        lost = sparse.csr_array((np.ones(len(codes)), (codes, losses.loss)), shape=(n_people, losses.losses.shape[0]))
        without = _compute_without(statistic, sums, sparse.csr_array(lost @ losses.losses))
        of_people = without - without.mean()
        if np.isnan(of_people).any():
            of_people = count_codes(codes, size=n_people, weights=effects)
        _, cell = np.unique(item_columns.groups[losses.items] * n_people + codes, return_inverse=True)
        of_cells = np.bincount(cell, weights=effects)
        factor = (n_people - 1) / n_people
        people, cells = factor * float((of_people**2).sum()), factor * float((of_cells**2).sum())
    return TwoWayVariance(items=items, people=people, cells=cells, items_df=n_groups - 1, people_df=n_people - 1)


def _compute_without(statistic: Statistic, sums: Floats, lost: sparse.csr_array) -> Floats:
    """The coefficient without each person, whose losses are the rows of `lost`."""
    chunks, start = [], 0
    for size in split_resamples(lost.shape[0], width=len(sums)):
        chunks.append(statistic(sums - lost[start : start + size].toarray()))
        start += size
    return np.concatenate(chunks)


def differentiate(statistic: Statistic, sums: Floats) -> Floats:
    """The derivative of a coefficient by each column sum, by central differences; 0 for a column that is all zero."""
    moved, start = np.flatnonzero(sums), 0
    gradient = np.zeros(len(sums))
    for size in split_resamples(len(moved), width=len(sums)):
        part = moved[start : start + size]
        start += size
        steps = RELATIVE_STEP * np.abs(sums[part])
        nudges = np.zeros((size, len(sums)))
        nudges[np.arange(size), part] = steps
        gradient[part] = (statistic(sums + nudges) - statistic(sums - nudges)) / (2 * steps)
    return gradient


def take_share_interval(value: float, item_columns: ItemColumns, *, confidence_level: float) -> BothIntervals:
    """Both intervals of a share that no item changes, with groups of items (people, if fewer) as answers.

    Nothing in the votes says how much other people would differ, so each person counts as one observation.
    """
    n, reason = item_columns.n_groups, explain_few_people(item_columns)
    people = NO_INTERVAL
    if not reason and item_columns.losses is not None:
        fewest = min(n, item_columns.losses.n_people)
        people = share_interval(value * fewest, fewest, confidence_level=confidence_level)
    return BothIntervals(
        these_people=share_interval(value * n, n, confidence_level=confidence_level),
        new_people=people,
        reason_new=reason,
    )
