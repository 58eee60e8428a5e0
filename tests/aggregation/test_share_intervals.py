"""The modified Jeffreys interval: published values, other code, and numbers of answers that are not whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from statsmodels.stats.proportion import proportion_confint

from aggregation.intervals.panel import build_interval
from aggregation.intervals.shares import find_ends, share_interval


@pytest.mark.parametrize(
    ("right", "low", "high"), [(0, 0, 0.410), (1, 0, 0.501), (2, 0.065, 0.648), (3, 0.139, 0.766), (7, 0.590, 1)]
)
def test_seven_answers_have_the_published_ends(right: int, low: float, high: float) -> None:
    """Brown, Cai and DasGupta 2001, table 5."""
    made = share_interval(right, 7)
    assert (made.low, made.high) == pytest.approx((low, high), abs=6e-4)


@pytest.mark.parametrize("n", [7, 99, 1000])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_away_from_the_ends_it_is_jeffreys(n: int, level: float) -> None:
    """Statsmodels' ends, but for one right or wrong, which allow 0 or 1, and for none, which have (α/2)^(1/n)."""
    for right in sorted({0, 1, 2, n // 3, n - 2, n - 1, n}):
        low, high = proportion_confint(right, n, alpha=1 - level, method="jeffreys")
        most = ((1 - level) / 2) ** (1 / n)
        low = {n: most, 1: 0.0, 0: 0.0}.get(right, low)
        high = {0: 1 - most, n - 1: 1.0, n: 1.0}.get(right, high)
        made = share_interval(right, n, confidence_level=level)
        assert (made.low, made.high) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("n", [1, 1.5, 2, 3, 5.5, 20, 199.7, 5000])
def test_both_ends_are_continuous_and_never_fall(n: float) -> None:
    """For right answers that are not whole, through 0, 1, n - 1 and n; and the share is never outside."""
    steps = 4000
    shares = np.linspace(0, 1, steps + 1)
    ends = np.array([find_ends(share, n, quantile=1.96) for share in shares])
    assert (np.diff(ends, axis=0) >= -1e-12).all()
    assert np.abs(np.diff(ends, axis=0)).max() <= max(4, n) / steps
    assert (ends[:, 0] <= shares).all()
    assert (ends[:, 1] >= shares).all()


def test_ends_are_continuous_in_the_number_of_answers() -> None:
    """An effective number a little below a whole one changes little, also where one answer is wrong."""
    for right in (48.0, 49.0, 49.5):
        one, two = share_interval(right, 50), share_interval(right * 49.999999 / 50, 49.999999)
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-5)


def test_without_answers_there_is_none() -> None:
    """And all right, all wrong touch the ends."""
    assert share_interval(0, 0).low is None
    assert (share_interval(5, 5).high, share_interval(0, 5).low) == (1, 0)


@pytest.mark.parametrize(("right", "n"), [(198, 200), (199, 200), (4995, 5000)])
def test_it_covers_near_the_ceiling_where_wilsons_did_not(right: int, n: int) -> None:
    """Exact coverage of .9993 of 200 answers, and of what else is near 1: Wilson's has .87 there."""
    numbers = np.arange(n + 1)
    ends = np.array([find_ends(x / n, n, quantile=float(ndtri(0.975))) for x in numbers[-40:]])
    from scipy.stats import binom

    for share in (right / n, 1 - 0.14 / n):
        chances = binom.pmf(numbers[-40:], n, share)
        covered = float(chances[(ends[:, 0] <= share) & (share <= ends[:, 1])].sum())
        assert covered >= 0.92


def test_a_quantile_of_student_widens_it() -> None:
    """With few degrees of freedom both ends are further off, as for a mean."""
    narrow, wide = find_ends(0.8, 30, quantile=1.96), find_ends(0.8, 30, quantile=2.78)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_effective_answers_are_at_most_the_answers() -> None:
    """A variance below that of independent answers counts as theirs; one above takes answers away."""
    ends: dict[str, Any] = {
        name: build_interval(0.9, variance, scale="share", quantile=1.96, n=100)
        for name, variance in (("small", 1e-5), ("binomial", 0.09 / 100), ("large", 0.09 / 25))
    }
    assert (ends["small"].low, ends["small"].high) == pytest.approx((ends["binomial"].low, ends["binomial"].high))
    assert (ends["large"].low, ends["large"].high) == pytest.approx(find_ends(0.9, 25, quantile=1.96))
