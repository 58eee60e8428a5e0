"""The points of a scale: which numbers they are, and which results points have. It needs the standard library alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

LEVELS_WITH_MEANS = ("interval", "ratio")
"""The levels of measurement at which the distance of two points means something, so that points have a mean."""
RANK_METRICS = ("spearman", "kendall_tau_b")
"""The metrics that need an order alone."""
ORDER_METRICS = (*RANK_METRICS, "kappa_quadratic")
"""The metrics of points that are words, whose places weigh kappa: they have an order, and no distances."""
POINT_METRICS = ("mae", "rmse", "bias", "pearson", *ORDER_METRICS)
"""The metrics of points that are numbers, in the order in which they are shown."""
ICC_NAMES = ("icc_a_1", "icc_c_1", "icc_a_k", "icc_c_k")
"""Intraclass correlations: of absolute agreement and of consistency; of one person and of the mean of all k."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")


def read_point(name: str) -> float | None:
    """The number that a point of a scale is, with a decimal comma or point and any minus; None for other texts.

    An exponent makes no point: somebody who types 1e2 did not mean 100.
    """
    written = name.strip().replace(",", ".").replace("\u2212", "-")
    number = float(written) if _NUMBER.fullmatch(written) else None
    return number if number is not None and isfinite(number) else None


def list_point_metrics(points: Sequence[str]) -> tuple[str, ...]:
    """The metrics of these points of a scale against gold."""
    return ORDER_METRICS if any(read_point(point) is None for point in points) else POINT_METRICS
