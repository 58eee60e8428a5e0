"""Confidence interval of a share: the modified Jeffreys interval, for numbers of right answers that need not be whole.

Jeffreys' interval has the quantiles of Beta(x + 1/2, n - x + 1/2) as its ends. Its coverage falls deeply near 0 and 1.
Brown, Cai and DasGupta (2001, Statistical Science 16:101, section 4.1.2) correct both ends: with nothing wrong the
interval is [(α/2)^(1/n), 1], with one wrong its upper end is 1; with nothing right, and one right, the mirror image.

An effective number of answers, and a share of it, are not whole. Between none and one wrong answer the parameters of
the lower end go linearly from Beta(n, 1), whose quantile is (α/2)^(1/n), to Jeffreys'; between one and two the upper
end goes linearly from 1 to Jeffreys'. So both ends are continuous in x and never fall as x grows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri

MOST_ANSWERS = 1e9  # of an effective number: more change no digit that is shown


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Both ends of a confidence interval; both are None if there is no interval.

    `undefined` is the number of resamples that had no value and were left out; 0 for an interval from a formula.
    """

    low: float | None
    high: float | None
    undefined: int = 0

    def widen(self, other: Interval) -> Interval:
        """The least interval that holds this one and the other; this one where either has no ends."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return self
        return replace(self, low=min(self.low, other.low), high=max(self.high, other.high))


def share_interval(right: float, total: float, *, confidence_level: float = 0.95) -> Interval:
    """The modified Jeffreys interval for `right` of `total` answers, both numbers from 0 on, as if independent.

    Without answers there is no interval.
    """
    if total <= 0:
        return Interval(low=None, high=None)
    low, high = find_ends(right / total, total, quantile=float(ndtri((1 + confidence_level) / 2)))
    return Interval(low=low, high=high)


def find_ends(share: float, total: float, *, quantile: float) -> tuple[float, float]:
    """Both ends of a share of `total` answers, which hold the share itself.

    Each tail is as likely as a normal variable is to be above `quantile`. A quantile of Student's t so widens the
    interval as it widens that of a mean.
    """
    lows, highs = find_many_ends(np.array([share]), np.array([total]), quantiles=np.array([quantile]))
    return float(lows[0]), float(highs[0])


def find_many_ends(
    shares: NDArray[np.float64], totals: NDArray[np.float64], *, quantiles: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of `find_ends` for arrays of one shape: all lower ones, and all upper ones."""
    totals = np.minimum(totals, MOST_ANSWERS)
    tails, right = ndtr(-quantiles), shares * totals
    lows = np.minimum(shares, _find_lows(right, totals - right, tails))
    return lows, np.maximum(shares, 1 - _find_lows(totals - right, right, tails))


def _find_lows(
    right: NDArray[np.float64], wrong: NDArray[np.float64], tails: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The lower ends; the upper ones are 1 less the lower ends of what is wrong."""
    shifts = np.maximum(0.0, 1 - wrong) / 2
    found = betaincinv(np.maximum(right, 1.0) + 0.5 - shifts, wrong + 0.5 + shifts, tails)
    return np.asarray(np.clip(right - 1, 0.0, 1.0) * found)
