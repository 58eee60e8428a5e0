"""The variance components of right answers: those of the analysis of variance, unbiased in any design."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from aggregation.gold_comparison import compare_with_gold
from aggregation.schema import Floats, Votes, check_votes
from aggregation.scores.labels import score_labels
from aggregation.scores.variance_components import VarianceComponents, estimate_components


def build_votes(right: Floats, *, votes: int | None = None, group_size: int = 1) -> Votes:
    """Votes of a table items × people of right (1) and wrong (0) answers; on each item of `votes` people in turn."""
    n_items, n_people = right.shape
    rows = [
        (f"i{item:04}", f"p{person:03}", "так" if right[item, person] else "ні")
        for item in range(n_items)
        for person in ((item + step) % n_people for step in range(votes or n_people))
    ]
    ids = pd.Index([f"i{item:04}" for item in range(n_items)], name="item")
    groups = [f"g{item // group_size:04}" for item in range(n_items)]
    items = pd.DataFrame({"group": groups, "gold": "так", "n_options": 2}, index=ids)
    frame = pd.DataFrame(rows, columns=["item", "annotator", "answer"], dtype=object)
    return check_votes(frame, items=items, classes=("так", "ні"))


def estimate(right: Floats, **design: int) -> VarianceComponents:
    found = estimate_components(compare_with_gold(build_votes(right, **design)))
    assert found is not None
    return found


def test_a_full_table_gives_the_analysis_of_variance() -> None:
    """σ²_e = MSE, σ²_people = (MSC − MSE)/n and σ²_items = (MSR − MSE)/k, so that icc_items is ICC(A,1)."""
    right = np.random.default_rng(1).random((30, 6)) < np.linspace(0.5, 0.95, 6)
    y = right.astype(np.float64)
    n, k = y.shape
    rows, columns, mean = y.mean(axis=1), y.mean(axis=0), y.mean()
    msr, msc = k * ((rows - mean) ** 2).sum() / (n - 1), n * ((columns - mean) ** 2).sum() / (k - 1)
    mse = ((y - rows[:, None] - columns + mean) ** 2).sum() / ((n - 1) * (k - 1))
    found = estimate(y)
    assert found.groups is None
    assert found.icc_groups is None
    assert (found.people, found.items, found.cell) == pytest.approx(((msc - mse) / n, (msr - mse) / k, mse))
    assert found.icc_items == pytest.approx((msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n))


def test_an_incomplete_design_is_unbiased() -> None:
    """Three of twenty people an item, items in groups of four: the mean of 200 campaigns is the truth."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(200):
        chance = 0.7 + rng.choice([-0.1, 0.1], 20) + np.repeat(rng.choice([-0.07, 0.07], 10), 4)[:, None]
        chance = chance + rng.choice([-0.1, 0.1], (40, 1))
        found.append(estimate((rng.random((40, 20)) < chance).astype(np.float64), votes=3, group_size=4))
    means = np.array([(one.people, one.groups, one.items) for one in found], dtype=np.float64)
    errors = means.std(axis=0) / len(found) ** 0.5
    assert (np.abs(means.mean(axis=0) - [0.01, 0.0049, 0.01]) < 3 * errors).all()


@pytest.mark.parametrize(("shape", "votes"), [((20, 1), 1), ((20, 20), 1), ((20, 5), 1), ((1, 5), 5)])
def test_answers_that_do_not_tell_components_apart_have_none(shape: tuple[int, int], votes: int) -> None:
    """One person, one answer a person, one answer an item, one item."""
    right = (np.random.default_rng(3).random(shape) < 0.5).astype(np.float64)
    assert estimate_components(compare_with_gold(build_votes(right, votes=votes))) is None


def test_equal_answers_vary_by_nothing() -> None:
    """All right: components of 0 and no correlation, since there is nothing to share."""
    found = estimate(np.ones((10, 4)))
    assert (found.people, found.items, found.cell) == pytest.approx((0, 0, 0))
    assert (found.icc_people, found.icc_items) == (None, None)


def test_they_stand_beside_single_answers_alone() -> None:
    performance = score_labels(build_votes(np.eye(6)), units=("individual", "majority"))
    assert performance["individual"].components is not None
    assert performance["majority"].components is None
