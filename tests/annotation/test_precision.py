"""What a plan promises, against simulation and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aggregation.planning import assumed_variance
from annotation.workflow.lifecycle import precision


def test_single_answers_to_single_items_give_the_textbook_interval() -> None:
    """One answer an item, every item its own group: 1.96·√(p(1−p)/n)."""
    assert precision.compute_half_width([1] * 400, overlap=1, spread=0.25) == pytest.approx(1.96 * 0.5 / 20, abs=1e-4)


def test_the_design_effect_is_that_of_three_levels() -> None:
    """By hand: 100 items, 3 answers, groups of 5: D = 1 + 2·0.3 + 3·4·0.05 = 2.2; unequal groups count by Σm²/Σm."""
    by_hand = precision.Z95 * math.sqrt(0.09 / 300 * 2.2)
    assert precision.compute_half_width([5] * 20, overlap=3, spread=0.09) == pytest.approx(by_hand)
    assert precision.compute_half_width([1] * 50 + [50], overlap=1, spread=0.09) == pytest.approx(
        precision.Z95 * math.sqrt(0.09 / 100 * (1 + (25.5 - 1) * 0.05))
    )


def test_the_formula_meets_a_simulation_of_its_own_assumptions() -> None:
    """Beta-free: answers copy the group's, the item's or a fresh coin, so that the correlations are those assumed."""
    rng = np.random.default_rng(5)
    groups, size, overlap, share = 30, 4, 3, 0.9
    means = []
    for _ in range(4000):
        shape = (groups, size, overlap)
        coins = [rng.random((groups, 1, 1)) < share, rng.random((groups, size, 1)) < share, rng.random(shape) < share]
        draw = rng.random(shape)
        a, b = (
            math.sqrt(assumed_variance.GROUP_CORRELATION),
            math.sqrt(assumed_variance.ITEM_CORRELATION - assumed_variance.GROUP_CORRELATION),
        )
        means.append(np.where(draw < a, coins[0], np.where(draw < a + b, coins[1], coins[2])).mean())
    planned = precision.compute_half_width([size] * groups, overlap=overlap, spread=share * (1 - share))
    assert planned == pytest.approx(precision.Z95 * float(np.std(means)), rel=0.06)


def test_an_annotation_is_planned_in_answers_and_hours() -> None:
    """Judgements from overlap and its maximum, hours from the seconds of one item; a baseline has its interval too."""
    plan = precision.plan_precision([2, 1], overlap=3, max_overlap=5, seconds=60.0, result=None)
    assert precision.describe_plan(plan.to_dict()) == "3 items in 2 groups, 9 to 15 answers, about 0.15 hours"
    told = precision.describe_plan(
        precision.plan_precision(
            [1] * 100, overlap=1, max_overlap=1, seconds=None, result=assumed_variance.plan_share()
        ).to_dict()
    )
    assert told == (
        "100 items in 100 groups, 100 answers; 95 % interval for these people about ±0.059"
        " if 90 % of the answers are right, ±0.098 if half are"
    )


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (assumed_variance.plan_win_rate(), "win rate for these people about ±0.064, without ties ±0.072"),
        (
            assumed_variance.plan_mean(lowest=0, highest=100),
            "mean opinion for these people about ±3.58 points, ±7.16 if all choose the ends of the scale",
        ),
        (
            assumed_variance.plan_at_least(),
            "share at a point or above for these people about ±0.072 if it is a half",
        ),
    ],
)
def test_ratings_and_preferences_are_planned_in_their_own_words(
    result: assumed_variance.PlannedResult, told: str
) -> None:
    """By hand: 1.96·√(σ²/3 · 1.6/100), σ² .2, .25 of 100 squared, and .25."""
    plan = precision.plan_precision([1] * 100, overlap=3, max_overlap=3, seconds=None, result=result).to_dict()
    assert precision.describe_plan(plan) == f"100 items in 100 groups, 300 answers; 95 % interval of the {told}"
