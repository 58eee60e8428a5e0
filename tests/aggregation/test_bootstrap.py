"""Resampling: the draws are what they are called, chunks change nothing, and fast sums equal slow loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aggregation.intervals import resampling
from aggregation.intervals.resampling import (
    draw_unit_counts,
    encode_groups,
    percentile_interval,
    resample_groups,
    split_resamples,
)
from aggregation.schema import Floats

GROUPS, N_GROUPS = encode_groups(np.array(["b", "a", "b", "c", "a", "d"], dtype=object))


def test_a_resample_draws_as_many_units_as_there_are() -> None:
    """Every row sums to the number of units and the mean count is one."""
    counts = draw_unit_counts(np.random.default_rng(0), n_units=7, n_draws=4000)
    assert counts.shape == (4000, 7)
    assert (counts.sum(axis=1) == 7).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.07)
    np.testing.assert_allclose(counts.var(axis=0), 6 / 7, atol=0.1)


def _resample_sums(statistics: Floats, *, n_resamples: int, rng: np.random.Generator, **options: Any) -> Floats:
    """The column sums themselves, in resamples of the groups."""
    return resample_groups(
        statistics, groups=GROUPS, n_resamples=n_resamples, rng=rng, statistic=lambda sums: sums, **options
    )


def test_chunks_hold_the_limit_and_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """No chunk is wider than the limit allows, and one draw always goes."""
    monkeypatch.setattr(resampling, "MAX_CHUNK_NUMBERS", 100)
    assert split_resamples(25, width=10) == [10, 10, 5]
    assert split_resamples(3, width=1000) == [1, 1, 1]


def test_the_size_of_chunks_changes_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same resamples, whatever memory allows."""

    def draw() -> Floats:
        statistics: Floats = np.arange(12, dtype=np.float64).reshape(6, 2)
        return _resample_sums(statistics, n_resamples=9, rng=np.random.default_rng(5))

    whole = draw()
    monkeypatch.setattr(resampling, "MAX_CHUNK_NUMBERS", 13)
    np.testing.assert_array_equal(whole, draw())


def test_group_sums_equal_a_loop_over_items() -> None:
    """Whole groups come and go together."""
    statistics = np.random.default_rng(1).normal(size=(6, 3))
    sums = _resample_sums(statistics, n_resamples=20, rng=np.random.default_rng(2))
    counts = draw_unit_counts(np.random.default_rng(2), n_units=N_GROUPS, n_draws=20)
    for draw in range(20):
        slow = sum(counts[draw, GROUPS[item]] * statistics[item] for item in range(6))
        np.testing.assert_allclose(sums[draw], slow)


def test_progress_rises_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is reported after every chunk, and is 1 at the end."""
    monkeypatch.setattr(resampling, "MAX_CHUNK_NUMBERS", 20)
    heard: list[float] = []
    rng = np.random.default_rng(0)
    _resample_sums(np.ones((6, 1)), n_resamples=10, rng=rng, progress=heard.append)
    assert heard == [0.5, 1.0]


def test_an_undefined_resample_is_counted_and_left_out() -> None:
    """Percentiles are those of the values that exist; none at all gives no interval."""
    interval = percentile_interval(np.array([np.nan, *np.arange(101.0)]), confidence_level=0.9, n_groups=50)
    assert (interval.low, interval.high) == pytest.approx((5, 95))
    assert interval.undefined == 1
    nothing = percentile_interval(np.full(3, np.nan), confidence_level=0.9, n_groups=50)
    assert (nothing.low, nothing.high, nothing.undefined) == (None, None, 3)


def test_few_groups_have_the_tails_of_student() -> None:
    """Up to ten groups the interval of normal draws is ± t √(G/(G-1)) wide; from eleven on it is the plain one."""
    draws = np.random.default_rng(1).standard_normal(400_000)
    for n_groups, reach in ((5, 2.776 * (5 / 4) ** 0.5), (10, 2.262 * (10 / 9) ** 0.5), (11, 1.96)):
        interval = percentile_interval(draws, confidence_level=0.95, n_groups=n_groups)
        assert interval.low == pytest.approx(-reach, abs=0.06)
        assert interval.high == pytest.approx(reach, abs=0.06)
