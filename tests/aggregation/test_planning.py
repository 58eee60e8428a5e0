"""Plans: by hand, against simulation, and what they can never do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from _panels import Design
from _plans import UNITS, find_detectable_model, find_differences, measure_widths, plan_width
from statsmodels.stats.power import NormalIndPower, TTestPower

from aggregation.intervals.shares import share_interval
from aggregation.planning import variance_models
from aggregation.planning.design import (
    find_items,
    find_people,
    list_trade_offs,
    plan_design,
    predict_detectable,
    predict_half_width,
)
from aggregation.planning.variance_models import assume_variance
from annotation.workflow.lifecycle import precision

DESIGN = Design(name="8 people, 100 x 8", people=8, items=100, votes=8, level=2.2)


def test_single_answers_to_many_items_give_the_textbook_interval() -> None:
    """People who do not differ, one answer an item: half of it is reached with the half width of that interval."""
    model = assume_variance(share=0.8, votes=1, person_correlation=0)
    ends = share_interval(800, 1000)
    planned = predict_half_width(model, items=1000, people=None, assurance=0.5)
    assert planned == pytest.approx((ends.high - ends.low) / 2, rel=0.01)  # type: ignore[operator]


def test_a_plan_and_a_start_assume_the_same() -> None:
    """The half width that `start` promises is that of these people, without the assurance."""
    model = assume_variance(share=0.9, votes=3)
    promised = precision.compute_half_width([1] * 2000, overlap=3, share=0.9)
    assert predict_half_width(model, items=2000, people=None, assurance=0.5) == pytest.approx(promised, rel=0.01)


def test_the_detectable_difference_is_that_of_statsmodels() -> None:
    """Paired, with people who do not differ, a t test; unpaired, of many items, a test of two means."""
    model = assume_variance(share=0.8, votes=1, person_correlation=0, model_correlation=0.5)
    n, spread = 400, 0.16
    paired = predict_detectable(model, items=n, people=1000, is_paired=True)
    effect = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
    assert paired == pytest.approx(effect * math.sqrt(2 * spread * 0.5), rel=0.04)
    unpaired = predict_detectable(model, items=n, people=1000, is_paired=False)
    effect = NormalIndPower().solve_power(nobs1=n, alpha=0.05, power=0.8)
    assert unpaired == pytest.approx(effect * math.sqrt(spread), rel=0.04)


def test_more_people_and_items_never_need_more_of_the_other() -> None:
    """What is found is enough, and one less is not; where people are too few no number of items helps."""
    model = assume_variance(share=0.9, votes=3)
    needed = list_trade_offs(model, (5, 20, 50, 100, 200), half_width=0.03)
    assert [items for _, items in needed[:2]] == [None, None]
    known = [items for _, items in needed if items is not None]
    assert known == sorted(known, reverse=True)
    for people, items in needed[3:]:
        assert items is not None
        assert predict_half_width(model, items=items, people=people) <= 0.03
        assert predict_half_width(model, items=items - 1, people=people) > 0.03
    assert find_people(model, items=50, half_width=0.01) is None
    shown = find_items(model, people=100, difference=0.05)
    assert shown is not None
    assert plan_design(model, items=shown, people=100).paired <= 0.05


def test_no_plan_has_fewer_items_than_two_groups() -> None:
    """Nor fewer than ten, however wide the interval may be."""
    wide = [
        find_items(assume_variance(share=0.8, votes=1, group_size=size), people=30, half_width=0.9) for size in (1, 20)
    ]
    assert wide == [10, 40]


def test_a_plan_expects_a_few_people_far_below_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their spread is known less well than that of normal draws, so that the interval may come out wider."""
    model = assume_variance(share=0.9, votes=3)
    planned = predict_half_width(model, items=500, people=8)
    monkeypatch.setattr(variance_models, "PERSON_KURTOSIS", 0.0)
    assert predict_half_width(model, items=500, people=8) < planned


@pytest.mark.slow
def test_what_is_planned_is_reached_and_found() -> None:
    """A small run of benchmarks/planning.py: seeded, so that it gives the same shares each time."""
    widths = measure_widths(DESIGN, range(100))
    for unit in UNITS:
        planned = plan_width(DESIGN, unit)
        assert 0.82 <= np.mean([row[unit] <= planned for row in widths]) <= 0.98
    difference, _ = find_detectable_model(DESIGN, "individual", is_paired=True)
    assert 0.05 < difference < 0.3
    assert 105 <= find_differences(DESIGN, "individual", range(150), is_paired=True) <= 138
