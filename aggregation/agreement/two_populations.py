"""The intervals of a coefficient for two populations: these people and new items; new people and new items.

Between fixed ends both have Wilson's form, with t in place of z and the effective number of answers that gives the
variance (as for scores: Franco, Little, Louis and Slud 2019). Of an error, which has no upper end, they are those of
its logarithm. In simulation (benchmarks/agreement_coverage.py) they cover no less than value ± t · se, and more than
percentiles of resampled items, which cover too little for AC2 and where items are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isnan

from scipy.special import stdtrit

from aggregation.agreement.item_columns import Statistic, SummedItems
from aggregation.findings import Finding, name_coverage
from aggregation.intervals.panel import FEWEST_PEOPLE, NO_INTERVAL, SMALLEST_VARIANCE
from aggregation.intervals.shares import Interval, share_interval

THESE_PEOPLE, NEW_PEOPLE = Finding("these-people"), Finding("new-people")
"""The names of both populations, on every page and in every table."""
COVERED = {"these": ".92-.98", "new": ".92-.98"}
"""Between what both intervals covered in simulation; see docs/explanation/agreement.md."""
REASON_NO_PAIRS_OF_PEOPLE = Finding("pairs-alone")
REASON_PEOPLE_KEPT = Finding("people-kept")
REASON_NOTHING_VARIES = Finding("items-equal")
SAME_INTERVALS = Finding("same-intervals")


def describe_coverage() -> Finding:
    """How often intervals of the nominal level .95 covered in simulation, which is said wherever they are printed."""
    return Finding("agreement-covered", **{name: name_coverage(covered) for name, covered in COVERED.items()})


@dataclass(frozen=True, kw_only=True)
class BothIntervals:
    """The interval for these people and new items, and that for new people and new items, or why there is none."""

    these_people: Interval
    new_people: Interval
    reason_new: str = ""


def estimate_both(
    value: float,
    statistic: Statistic,
    item_columns: SummedItems,
    *,
    confidence_level: float,
    is_error: bool = False,
    least: float = -1.0,
) -> BothIntervals | None:
    """Both intervals of a coefficient that has a value, over two groups of items or more; None where nothing varies.

    A coefficient goes from `least` to 1, and an error from 0 on. There is none for new people below
    FEWEST_PEOPLE people, and where the losses of people are not known.
    """
    variance = item_columns.estimate_variance(statistic)
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


def explain_few_people(item_columns: SummedItems) -> str:
    """Why nothing is said of new people; empty where something is."""
    n_people = item_columns.n_people
    if n_people is None:
        return REASON_NO_PAIRS_OF_PEOPLE
    if n_people >= FEWEST_PEOPLE:
        return ""
    return Finding("one-person-agreement" if n_people == 1 else "few-people-agreement", n=n_people, least=FEWEST_PEOPLE)


def take_share_interval(value: float, item_columns: SummedItems, *, confidence_level: float) -> BothIntervals:
    """Both intervals of a share that no item changes, with groups of items (people, if fewer) as answers.

    Nothing in the votes says how much other people would differ, so each person counts as one observation.
    """
    n, reason = item_columns.n_groups, explain_few_people(item_columns)
    people = NO_INTERVAL
    if not reason and item_columns.n_people is not None:
        fewest = min(n, item_columns.n_people)
        people = share_interval(value * fewest, fewest, confidence_level=confidence_level)
    return BothIntervals(
        these_people=share_interval(value * n, n, confidence_level=confidence_level),
        new_people=people,
        reason_new=reason,
    )
