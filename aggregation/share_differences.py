"""Intervals and p of the difference of two shares, made of the intervals of both.

For d = p - q with the intervals [l, u] of p and [L, U] of q and their correlation r, the lower end is
d - √((p - l)² + (U - q)² - 2r(p - l)(U - q)), the upper d + √((u - p)² + (q - L)² - 2r(u - p)(q - L)): Newcombe (1998,
method 10) for paired shares, in the general form of Zou and Donner (2008). Near 0 and 1, and on few items, where most
differences are 0, ± t · se covered .89 in simulation and this .96; on many items both are about the same. The intervals
of both shares are taken at one quantile of Student's t, with the degrees of freedom of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

from aggregation.difference_tests import MOST_DF
from aggregation.intervals import Interval
from aggregation.panel_intervals import build_interval

LARGEST_QUANTILE = 1e4  # of the p values that are told apart
STEPS = 60  # of the bisection for p
LEAST_VARIANCE = 1e-18  # below it is what rounding leaves where nothing varies

Ends = Callable[[float], Interval]
"""The interval of a share at a quantile, so many standard errors on either side."""


@dataclass(frozen=True, kw_only=True)
class ShareDifference:
    """The shares `first` and `second`, the intervals of each by quantile, their correlation, and the df of both."""

    first: float
    second: float
    first_ends: Ends
    second_ends: Ends
    df: float
    correlation: float = 0.0

    def build_interval(self, confidence_level: float) -> Interval:
        """The interval of first - second; none where one of both has none."""
        return self._span(float(stdtrit(min(self.df, MOST_DF), (1 + confidence_level) / 2)))

    def _span(self, quantile: float) -> Interval:
        one, two = self.first_ends(quantile), self.second_ends(quantile)
        if one.low is None or one.high is None or two.low is None or two.high is None:
            return Interval(low=None, high=None)
        down = self._join_lengths(self.first - one.low, two.high - self.second)
        up = self._join_lengths(one.high - self.first, self.second - two.low)
        return Interval(low=self.first - self.second - down, high=self.first - self.second + up)

    def measure_stretch(self, se: float, confidence_level: float) -> float:
        """How many times as far the interval reaches towards 0 as quantile · se, the interval of Student's t."""
        ends, value = self.build_interval(confidence_level), self.first - self.second
        if ends.low is None or ends.high is None:
            return 1.0
        length = value - ends.low if value >= 0 else ends.high - value
        return length / (float(stdtrit(min(self.df, MOST_DF), (1 + confidence_level) / 2)) * se)

    def compute_p_value(self) -> float:
        """The two-sided p of a difference of 0: one less the highest confidence level whose interval leaves out 0."""
        low, high = 0.0, LARGEST_QUANTILE
        for _ in range(STEPS):
            middle = (low + high) / 2
            ends = self._span(middle)
            if ends.low is None or ends.high is None or ends.low <= 0 <= ends.high:
                high = middle
            else:
                low = middle
        return float(2 * stdtr(min(self.df, MOST_DF), -low))

    def _join_lengths(self, one: float, two: float) -> float:
        return math.sqrt(max(0.0, one * one + two * two - 2 * self.correlation * one * two))


def span_share(share: float, variance: float, *, n: int) -> Ends:
    """Wilson's interval of a share by quantile, with the effective n of its variance, at most `n`."""
    return lambda quantile: build_interval(share, variance, scale="share", quantile=quantile, n=n)


def correlate_shares(first: float, second: float, *, difference: float, whole_first: float) -> float:
    """The correlation of two shares over items, of the items' variances of both and of their difference.

    `whole_first` is the whole variance of the first, with people's part. 0 where one of both does not vary.
    """
    if min(first, second, whole_first) < LEAST_VARIANCE:
        return 0.0
    covariance = (first + second - difference) / 2
    return max(-1.0, min(1.0, float(covariance / (whole_first * second) ** 0.5)))
