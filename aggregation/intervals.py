"""Intervals that need the standard library alone: the Wilson interval of a share, wherever the product shows one.

Importing this module loads neither numpy nor pandas, so that the bot's process can use it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Both ends of an interval, None where there is none.

    `undefined` counts the resamples that had no value and were left out; 0 for an interval from a formula.
    """

    low: float | None
    high: float | None
    undefined: int = 0


def wilson_interval(right: float, total: int, *, level: float = 0.95) -> Interval:
    """Wilson (1927): (p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n), for `right` of `total` independent answers.

    `level` is the share that the interval covers. Without answers there is no interval.
    """
    if total == 0:
        return Interval(low=None, high=None)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = right / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # With none right, or all, that end is exact; rounding would print a 3e-17 instead.
    low = (middle - half) / scale if right > 0 else 0.0
    high = (middle + half) / scale if right < total else 1.0
    return Interval(low=low, high=high)
