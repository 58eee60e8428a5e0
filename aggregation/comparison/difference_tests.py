"""Tests and intervals of a difference between two means or two shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, nctdtrinc, stdtr, stdtrit

from aggregation.intervals.panel import build_interval
from aggregation.intervals.shares import Interval

POWER = 0.8
"""The probability of finding a difference that is called detectable."""
MOST_DF = 1e6  # from here Student's t is normal to six digits; the noncentral one cannot be computed much beyond


@dataclass(frozen=True, kw_only=True)
class McNemarTest:
    """McNemar's test on items that two parties answered, each right or wrong.

    `only_first` and `only_second` count the items that only one of them has right, `both` and `neither` the others.
    `n_ties` counts the items that were left out because of a tie. `p_exact` is the p of the exact conditional test
    (twice the smaller binomial tail, at most 1), `p_mid` that of its mid-p version, in which the observed outcome
    counts half (Fagerland, Lydersen and Laake 2013). Items are treated as independent.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    p_exact: float
    p_mid: float
    n_ties: int = 0


def compute_mcnemar(
    first: NDArray[np.bool_], second: NDArray[np.bool_], *, tied: NDArray[np.bool_] | None = None
) -> McNemarTest:
    """McNemar's test of two parties, right (`True`) or wrong on the same items; `tied` items are left out."""
    n_ties = 0 if tied is None else int(tied.sum())
    if tied is not None:
        first, second = first[~tied], second[~tied]
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    fewer, n_discordant = min(only_first, only_second), only_first + only_second
    tail = float(bdtr(fewer, n_discordant, 0.5)) if n_discordant else 1.0
    point = tail - (float(bdtr(fewer - 1, n_discordant, 0.5)) if fewer else 0.0)
    mid = 1 - point / 2 if only_first == only_second else 2 * tail - point
    return McNemarTest(
        both=int((first & second).sum()),
        only_first=only_first,
        only_second=only_second,
        neither=int((~first & ~second).sum()),
        p_exact=min(1.0, 2 * tail),
        p_mid=mid if n_discordant else 1.0,
        n_ties=n_ties,
    )


def compute_p_value(value: float, *, se: float, df: float) -> float:
    """The two-sided p of a value that is 0 under the null hypothesis, by Student's t with `df` degrees of freedom."""
    return float(2 * stdtr(min(df, MOST_DF), -abs(value) / se))


def adjust_by_holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's (1979) adjusted p values, in the order given; None stays None.

    Of m values that with rank r, from 0, is multiplied by m - r; none is below one of lower rank, or above 1.
    """
    ordered = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(ordered):
        largest = max(largest, min(1.0, (len(ordered) - rank) * p))
        adjusted[index] = largest
    return adjusted


def compute_detectable_difference(
    *, se: float, df: float, stretch: float = 1.0, confidence_level: float = 0.95
) -> float:
    """The least true difference that a two-sided t test finds with the POWER, where its standard error is `se`.

    It is δ · se, with δ the noncentrality at which t with `df` degrees of freedom is below its critical value with the
    chance 1 - POWER (the chance to be beyond the other one is left out: it is below 1e-6). `stretch` is how many times
    as far as quantile · se the interval reaches by which the test is made (`ShareDifference.measure_stretch`).
    """
    df = min(df, MOST_DF)
    critical = float(stdtrit(df, (1 + confidence_level) / 2)) * stretch
    return float(nctdtrinc(df, 1 - POWER, critical)) * se


LARGEST_QUANTILE = 1e4  # of the p values that are told apart
STEPS = 60  # of the bisection for p
LEAST_VARIANCE = 1e-18  # below it is what rounding leaves where nothing varies

IntervalByQuantile = Callable[[float], Interval]
"""Gives the interval of a share that reaches so many standard errors (a quantile) to each side."""


@dataclass(frozen=True, kw_only=True)
class ShareDifference:
    """Two shares, the intervals of each by quantile, their correlation, and the difference's degrees of freedom."""

    first: float
    second: float
    first_ends: IntervalByQuantile
    second_ends: IntervalByQuantile
    df: float
    correlation: float = 0.0

    def build_interval(self, confidence_level: float) -> Interval:
        """The interval of first - second, with no ends if either share has no interval."""
        return self._build_at(float(stdtrit(min(self.df, MOST_DF), (1 + confidence_level) / 2)))

    def _build_at(self, quantile: float) -> Interval:
        """The interval of the difference from those of both shares (MOVER, Zou and Donner 2008)."""
        first, second = self.first_ends(quantile), self.second_ends(quantile)
        if first.low is None or first.high is None or second.low is None or second.high is None:
            return Interval(low=None, high=None)
        down = self._combine_margins(self.first - first.low, second.high - self.second)
        up = self._combine_margins(first.high - self.first, self.second - second.low)
        return Interval(low=self.first - self.second - down, high=self.first - self.second + up)

    def measure_stretch(self, se: float, confidence_level: float) -> float:
        """The length of the interval towards 0 divided by that of Student's, quantile · se; 1 without an interval."""
        ends, value = self.build_interval(confidence_level), self.first - self.second
        if ends.low is None or ends.high is None:
            return 1.0
        length = value - ends.low if value >= 0 else ends.high - value
        return length / (float(stdtrit(min(self.df, MOST_DF), (1 + confidence_level) / 2)) * se)

    def compute_p_value(self) -> float:
        """The two-sided p of a difference of 0: 1 - the highest confidence level whose interval excludes 0."""
        low, high = 0.0, LARGEST_QUANTILE
        for _ in range(STEPS):
            middle = (low + high) / 2
            ends = self._build_at(middle)
            if ends.low is None or ends.high is None or ends.low <= 0 <= ends.high:
                high = middle
            else:
                low = middle
        return float(2 * stdtr(min(self.df, MOST_DF), -low))

    def _combine_margins(self, one: float, two: float) -> float:
        return math.sqrt(max(0.0, one * one + two * two - 2 * self.correlation * one * two))


def span_share(share: float, variance: float, *, n: int) -> IntervalByQuantile:
    """A function: the interval of a share by quantile, with the effective n of its variance, at most `n`."""
    return lambda quantile: build_interval(share, variance, scale="share", quantile=quantile, n=n)


def correlate_shares(first: float, second: float, *, difference: float, total_first: float) -> float:
    """The correlation of two shares on the same items, from the items' variances of both and of their difference.

    `total_first` is the variance of the first with the part of people. 0 if either does not vary.
    """
    if min(first, second, total_first) < LEAST_VARIANCE:
        return 0.0
    covariance = (first + second - difference) / 2
    return max(-1.0, min(1.0, float(covariance / (total_first * second) ** 0.5)))
