"""Confidence interval of a share: the modified Jeffreys interval, for numbers of right answers that need not be whole.

Jeffreys' interval has the quantiles of Beta(x + 1/2, n - x + 1/2) as its ends. Its coverage falls deeply near 0 and 1.
Brown, Cai and DasGupta (2001, Statistical Science 16:101, section 4.1.2) mend it at both ends: with nothing wrong the
interval is [(α/2)^(1/n), 1], with one wrong its upper end is 1; with nothing right, and one right, the mirror image.

An effective number of answers, and a share of it, are not whole. Between none and one wrong answer the parameters of
the lower end go linearly from Beta(n, 1), whose quantile is (α/2)^(1/n), to Jeffreys'; between one and two the upper
end goes linearly from 1 to Jeffreys'. So both ends are continuous in x and never fall as x grows.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import betaincinv, ndtr, ndtri

MOST_ANSWERS = 1e9  # of an effective number: more change no digit that is shown


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Both ends of a confidence interval; both are None where there is no interval.

    `undefined` is the number of resamples that had no value and were left out; 0 for an interval from a formula.
    """

    low: float | None
    high: float | None
    undefined: int = 0


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
    total = min(total, MOST_ANSWERS)
    tail, right = float(ndtr(-quantile)), share * total
    low = min(share, _find_low(right, total - right, tail))
    return low, max(share, 1 - _find_low(total - right, right, tail))


def _find_low(right: float, wrong: float, tail: float) -> float:
    """The lower end; the upper one is 1 less the lower end of what is wrong."""
    if right <= 1:
        return 0.0
    shift = max(0.0, 1 - wrong) / 2
    return min(1.0, right - 1) * float(betaincinv(right + 0.5 - shift, wrong + 0.5 + shift, tail))
