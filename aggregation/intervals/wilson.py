"""Confidence intervals by formula: the Wilson interval of a share; standard library alone.

Importing this module loads neither numpy nor pandas, so that the bot's process can use it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Both ends of a confidence interval; both are None where there is no interval.

    `undefined` is the number of resamples that had no value and were left out; 0 for an interval from a formula.
    """

    low: float | None
    high: float | None
    undefined: int = 0


def wilson_interval(right: float, total: int, *, confidence_level: float = 0.95) -> Interval:
    """Wilson (1927): (p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n), for `right` of `total` independent answers.

    p is the share of right answers, q = 1 - p, n is `total`, and z the normal quantile for `confidence_level`.
    Without answers there is no interval.
    """
    if total == 0:
        return Interval(low=None, high=None)
    z = NormalDist().inv_cdf((1 + confidence_level) / 2)
    share = right / total
    center = share + z * z / (2 * total)
    half_width = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # Without right answers the lower end is exactly 0, without wrong ones the upper end exactly 1; rounding errors
    # would give 3e-17 instead.
    low = (center - half_width) / scale if right > 0 else 0.0
    high = (center + half_width) / scale if right < total else 1.0
    return Interval(low=low, high=high)
