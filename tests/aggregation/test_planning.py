"""Plans: by hand, against simulation, and what they can never do."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from _panels import Design
from _plans import PANELS, UNITS, find_detectable_model, find_differences, measure_widths, plan_width
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestPower

from aggregation.intervals.shares import share_interval
from aggregation.planning.assumed_variance import plan_mean, plan_win_rate
from aggregation.planning.campaign_outcomes import CampaignOutcomes, describe_people
from aggregation.planning.design import (
    find_items,
    find_people,
    list_trade_offs,
    plan_design,
    predict_detectable,
    predict_half_width,
)
from aggregation.planning.variance_models import (
    VarianceModel,
    assume_opinion_variance,
    assume_variance,
    describe_right_answers,
)
from annotation.workflow.lifecycle import precision

MODEL: VarianceModel = assume_variance(share=0.9, votes=3)
DESIGN = Design(name="8 people, 100 x 8", people=8, items=100, votes=8, level=2.2)


def test_single_answers_to_many_items_give_the_textbook_interval() -> None:
    """People who do not differ, one answer an item: half of it is reached with the half width of that interval."""
    model = assume_variance(share=0.8, votes=1, person_correlation=0)
    ends = share_interval(800, 1000)
    planned = predict_half_width(model, items=1000, people=1000, for_panel="this", assurance=0.5)
    assert planned == pytest.approx((ends.high - ends.low) / 2, rel=0.01)  # type: ignore[operator]


def test_a_plan_and_a_start_assume_the_same() -> None:
    """The half width that `start` promises is that of these people, without the assurance."""
    model = assume_variance(share=0.9, votes=3)
    promised = precision.compute_half_width([1] * 2000, overlap=3, spread=0.09)
    assert predict_half_width(model, items=2000, people=2000, for_panel="this", assurance=0.5) == pytest.approx(
        promised, rel=0.01
    )


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


@pytest.mark.parametrize(
    ("items", "people", "half_width", "detected"),
    [(100, 10, 0.093, 0.13), (300, 30, 0.054, 0.076), (1000, 60, 0.034, 0.048)],
)
def test_the_plan_of_a_win_rate_is_that_of_a_simulation(
    items: int, people: int, half_width: float, detected: float
) -> None:
    """Of an independent one, with a fifth of ties and three votes per item: its mean half width, and what it finds."""
    model = assume_opinion_variance(plan_win_rate(ties=0.2), votes=3)
    middle = predict_half_width(model, items=items, people=people, assurance=0.5)
    assert middle == pytest.approx(half_width, rel=0.07)
    assert predict_half_width(model, items=items, people=people) > half_width, "nine of ten reach what is planned"
    assert plan_design(model, items=items, people=people).paired == pytest.approx(detected, rel=0.05)
    assert plan_design(model, items=items, people=people).unpaired is None


def test_the_same_people_show_a_smaller_difference_of_systems() -> None:
    """By hand: 2(S - r·lasting part)/n, and twice what people vary where others rate the second system."""
    model = assume_opinion_variance(plan_mean(lowest=1, highest=5, deviation=1), votes=4)
    assert model.item == pytest.approx(0.0625 / 4 * (1 + 3 * 0.3))
    assert model.person == pytest.approx(0.0625 * 0.05)
    both = model.compare_systems(correlation=0.5, same_people=True)
    assert both.item == pytest.approx(2 * (0.0625 * 0.3 * 0.5 + 0.0625 * 0.7 / 4))
    planned = plan_design(model, items=1000, people=1000, correlation=0.5)
    assert planned.paired == pytest.approx(2.8 * math.sqrt(both.item / 1000), rel=0.03)
    assert planned.unpaired is not None
    assert planned.unpaired > 1.05 * planned.paired


def test_no_win_rate_has_more_ties_than_it_leaves() -> None:
    """Ties count half, so that at most twice the smaller side can be ties."""
    assert plan_win_rate(0.5, ties=1).spread == 0
    with pytest.raises(ValueError, match="too many ties"):
        plan_win_rate(0.9, ties=0.21)


def test_no_plan_has_fewer_items_than_two_groups() -> None:
    """Nor fewer than ten, however wide the interval may be."""
    wide = [
        find_items(assume_variance(share=0.8, votes=1, group_size=size), people=30, half_width=0.9) for size in (1, 20)
    ]
    assert wide == [10, 40]


def test_the_plan_for_these_people_allows_for_who_they_will_be() -> None:
    """Few people differ more from what is expected than many, so that their own interval may come out wider."""
    model = assume_variance(share=0.9, votes=3)
    few, many = (predict_half_width(model, items=500, people=people, for_panel="this") for people in (5, 500))
    assert few > 1.1 * many


def test_a_low_score_comes_with_a_large_variance() -> None:
    """A campaign with poor people by chance shows a lower score, and that people differ more."""
    outcomes = CampaignOutcomes(MODEL, items=500, people=20)
    assert np.corrcoef(outcomes.shares, outcomes.people)[0, 1] < -0.2
    assert np.corrcoef(outcomes.shares, outcomes.items)[0, 1] < -0.9


def test_outcomes_have_the_moments_of_the_model() -> None:
    """The mean and the variance of scores, and the mean of the variance of items that is estimated."""
    outcomes = CampaignOutcomes(MODEL, items=500, people=20)
    variance = MODEL.item / 500 + MODEL.person / 20
    assert float(outcomes.shares.mean()) == pytest.approx(MODEL.share, abs=1e-3)
    assert float(outcomes.shares.var()) == pytest.approx(variance, rel=0.03)
    assert float(outcomes.truth.mean()) == pytest.approx(variance)
    assert float(outcomes.items.mean()) == pytest.approx(MODEL.item / 500, rel=0.03)


def test_single_answers_of_one_vote_leave_the_variance_of_items_nothing_open() -> None:
    """One answer an item is right or wrong: V_items is p(1 - p)/n of the score that is observed."""
    model = replace(assume_variance(share=0.8, votes=1), person=0.0, shown=0.0)
    outcomes = CampaignOutcomes(model, items=400, people=400)
    assert outcomes.items == pytest.approx(outcomes.shares * (1 - outcomes.shares) / 400, rel=0.01)


def test_votes_that_change_an_item_together_are_not_taken_for_people() -> None:
    """Three of five votes that change each item alike are of different people: V_people is then half of V_cell."""
    model = replace(MODEL, person=0.0, shown=0.0, cell=0.01, shared=0.03)
    together = CampaignOutcomes(model, items=100, people=5)
    alone = CampaignOutcomes(replace(model, shared=0.01), items=100, people=5)
    assert (together.people > 0).mean() < 0.5 * (alone.people > 0).mean()


def test_the_shapes_of_items_and_people_are_those_of_draws() -> None:
    """Beta-binomial right answers, and logit-normal people, against a million draws each."""
    rng = np.random.default_rng(1)
    right = rng.binomial(3, rng.beta(0.9 / 0.3 * 0.7, 0.1 / 0.3 * 0.7, 1_000_000))
    drawn = (float(stats.skew(right)), float(stats.kurtosis(right)))
    assert describe_right_answers(0.9, votes=3, correlation=0.3) == pytest.approx(drawn, rel=0.02)
    skills = 1 / (1 + np.exp(-(2.0 + 0.8 * rng.standard_normal(1_000_000))))
    drawn = (float(stats.skew(skills)), float(stats.kurtosis(skills)))
    assert describe_people(float(skills.mean()), float(skills.var())) == pytest.approx(drawn, rel=0.02)


def test_the_majority_of_these_people_has_a_half_width_that_a_campaign_can_have() -> None:
    """It hangs on whole items: 100 items of which so many are right."""
    model = replace(MODEL, item=MODEL.share * (1 - MODEL.share), independent=1.0)
    planned = predict_half_width(model, items=100, people=20, for_panel="this")
    widths = [(ends.high - ends.low) / 2 for ends in (share_interval(right, 100) for right in range(101))]  # type: ignore[operator]
    assert min(abs(planned - width) for width in widths) < 1e-12


@pytest.mark.slow
def test_what_is_planned_is_reached_and_found() -> None:
    """A small run of benchmarks/planning.py: seeded, so that it gives the same shares each time."""
    widths = [measure_widths(DESIGN, number) for number in range(200)]
    for unit, panel in itertools.product(UNITS, PANELS):
        planned = plan_width(DESIGN, unit, panel)
        assert 0.85 <= np.mean([row[unit, panel] <= planned for row in widths]) <= 0.97
    difference, model = find_detectable_model(DESIGN, "individual", is_paired=True)
    assert 0.05 < difference < 0.3
    found = [find_differences(DESIGN, "individual", number, model=model, is_paired=True) for number in range(150)]
    assert 105 <= sum(found) <= 138
