"""The best person and the slope over places, against a truth that is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from aggregation.comparison.order_effects import estimate_order_slope
from aggregation.gold_comparison import compare_with_gold
from aggregation.schema import Floats, Votes
from aggregation.scores.best_annotator import BestAnnotator, score_best_annotator


def build_campaign(rng: np.random.Generator, *, people: int, slope: float, is_fixed: bool = False) -> pd.DataFrame:
    """People of different skill who answer 30 to 100 items in sessions of 40, all in one order if it `is_fixed`."""
    skills, ease = 0.8 + 0.08 * rng.standard_normal(people), 0.1 * rng.standard_normal(100)
    parts = []
    for person in range(people):
        n = int(rng.integers(30, 101))
        order = np.arange(100)[:n] if is_fixed else rng.permutation(100)[:n]
        place = np.arange(n) % 40 + 1
        chance = np.clip(skills[person] + ease[order] + slope * (place - 20) / 10, 0, 1)
        right = (rng.random(n) < chance).astype(float)
        parts.append(pd.DataFrame({"item": order, "annotator": person, "place": place, "right": right}))
    return pd.concat(parts, ignore_index=True)


def answer_all(rng: np.random.Generator, skills: Floats, *, items: int = 50) -> BestAnnotator:
    """Everybody answers every item, each right with their own chance."""
    names = [f"i{number:03}" for number in range(items)]
    right = rng.random((len(skills), items)) < skills[:, None]
    frame = pd.DataFrame(
        {
            "item": names * len(skills),
            "annotator": np.repeat([f"p{number:02}" for number in range(len(skills))], items),
            "answer": np.where(right.ravel(), "x", "y"),
        },
        dtype=object,
    )
    known = pd.DataFrame({"group": names, "gold": "x", "n_options": 2}, index=pd.Index(names, dtype=object))
    found = score_best_annotator(compare_with_gold(Votes(frame=frame, items=known, classes=("x", "y"))))
    assert found is not None
    return found


@pytest.mark.parametrize("is_fixed", [False, True])
@pytest.mark.parametrize(
    "people", [pytest.param(5, marks=pytest.mark.slow), 12, pytest.param(30, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("slope", [0.0, -0.03])
def test_the_slope_covers_the_true_one(people: int, slope: float, *, is_fixed: bool) -> None:
    """In 150 campaigns, with few people too, and where everybody has the same order; it was .93-.97 in 400."""
    made = [
        estimate_order_slope(
            build_campaign(np.random.default_rng([1, number]), people=people, slope=slope, is_fixed=is_fixed)
        )
        for number in range(150)
    ]
    ends = np.array([(one.low, one.high) for one in made], dtype=float)
    assert 0.90 <= np.mean((ends[:, 0] <= slope) & (slope <= ends[:, 1])) <= 0.995
    assert np.mean([one.value or 0.0 for one in made]) == pytest.approx(slope, abs=0.012)


def test_the_slope_is_that_of_a_regression_within_people() -> None:
    """Statsmodels' least squares with an intercept of each person has the same slope."""
    answers = build_campaign(np.random.default_rng(3), people=8, slope=-0.05)
    dummies = pd.get_dummies(answers["annotator"], dtype=float)
    fit = sm.OLS(answers["right"], dummies.assign(place=answers["place"] / 10)).fit()
    found = estimate_order_slope(answers)
    assert found.value == pytest.approx(fit.params["place"])
    assert (found.n, found.n_people, found.reason) == (len(answers), 8, "")


def test_skilled_people_who_stay_long_hide_no_decline() -> None:
    """Over all answers the share rises, as those who go on are better; within people it falls."""
    rng = np.random.default_rng(9)
    parts = []
    for person in range(12):
        n = 20 + 10 * person
        place = np.arange(1, n + 1)
        right = (rng.random(n) < np.clip(0.5 + 0.06 * person - 0.03 * place / 10, 0, 1)).astype(float)
        parts.append(pd.DataFrame({"item": place, "annotator": person, "place": place, "right": right}))
    answers = pd.concat(parts, ignore_index=True)
    assert np.polyfit(answers["place"], answers["right"], 1)[0] > 0
    assert (estimate_order_slope(answers).high or 0) < 0


def test_no_slope_without_places_or_with_few_people() -> None:
    """A reason in place of a number."""
    answers = build_campaign(np.random.default_rng(2), people=4, slope=0)
    assert estimate_order_slope(answers).reason == "4 people are fewer than 5: no slope."
    unknown = answers.assign(place=float("nan"))
    assert estimate_order_slope(unknown).reason == "Places are unknown: no slope."


def test_the_best_of_equal_people_is_no_better_than_the_mean() -> None:
    """Twenty people, each right in 80 %: the best has 90 %, and 80 % on items by which nobody was chosen."""
    made = [answer_all(np.random.default_rng([4, number]), np.full(20, 0.8)) for number in range(60)]
    assert np.mean([one.value for one in made]) == pytest.approx(0.897, abs=0.01)
    assert np.mean([one.held_out for one in made]) == pytest.approx(0.8, abs=0.015)
    assert np.mean([one.selection_bias for one in made]) > 0.08


def test_one_who_is_truly_better_stays_better() -> None:
    """Nineteen people of 70 % and one of 97 %: what is left of the best is theirs."""
    skills = np.r_[np.full(19, 0.7), 0.97]
    made = [answer_all(np.random.default_rng([5, number]), skills) for number in range(40)]
    assert np.mean([one.held_out for one in made]) == pytest.approx(0.97, abs=0.015)
    assert {one.annotator for one in made} == {"p19"}
    assert answer_all(np.random.default_rng(1), skills) == answer_all(np.random.default_rng(1), skills)


def test_the_best_is_named_with_those_who_are_tied() -> None:
    """Two people have all right; a third has half."""
    best = answer_all(np.random.default_rng(1), np.array([0.5, 1.0, 1.0]))
    assert (best.annotator, best.n_tied, best.value, best.held_out, best.people) == ("p01", 2, 1.0, 1.0, 3)
