"""The share of wrong gold that a review finds, its intervals, and the ceiling of the score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from _gold_reviews import DESIGNS, ReviewDesign, cover_review
from scipy import stats

from aggregation.comparison.gold_review import CeilingEstimate, WeightedShare, estimate_ceiling, list_chances
from aggregation.errors import HromadaError


def build_reviews(*strata: tuple[str, int, int, int, int]) -> pd.DataFrame:
    """Reviews from strata: name, items, wrong, undecidable and right ones; the others were not reviewed."""
    rows = []
    for name, n_items, wrong, undecidable, right in strata:
        verdicts: list[str | None] = []
        for verdict, number in (("wrong", wrong), ("undecidable", undecidable), ("right", right)):
            verdicts += [verdict] * number
        verdicts += [None] * (n_items - len(verdicts))
        rows += [(f"{name} {number}", name, verdict) for number, verdict in enumerate(verdicts)]
    return pd.DataFrame(rows, columns=["item", "stratum", "verdict"], dtype=object)


def get_ends(share: WeightedShare) -> tuple[float, float, float, float]:
    """Both intervals, which are there."""
    assert share.low is not None
    assert share.high is not None
    assert share.pool_low is not None
    assert share.pool_high is not None
    return share.low, share.high, share.pool_low, share.pool_high


def test_each_stratum_weighs_as_many_items_as_it_has() -> None:
    """12 wrong of 20 conflicts, and 1 wrong of 60 of the other 180: 12/200 + 180/200 · 1/60."""
    found = estimate_ceiling(build_reviews(("conflict", 20, 12, 3, 5), ("rest", 180, 1, 0, 59)))
    assert found.wrong.value == pytest.approx(12 / 200 + 180 / 200 / 60)
    assert found.flawed.value == pytest.approx(15 / 200 + 180 / 200 / 60)
    assert found.ceiling.value == pytest.approx(1 - (15 / 200 + 180 / 200 / 60))
    assert [(one.name, one.n_items, one.n_reviewed, one.n_wrong, one.n_undecidable) for one in found.strata] == [
        ("conflict", 20, 20, 12, 3),
        ("rest", 180, 60, 1, 0),
    ]
    assert (found.reason, found.warnings) == ("", ())


def test_the_ceiling_turns_the_share_of_flawed_gold_round() -> None:
    """Its ends are 1 less those of the share."""
    found = estimate_ceiling(build_reviews(("conflict", 20, 12, 3, 5), ("rest", 180, 1, 0, 59)))
    low, high, pool_low, pool_high = get_ends(found.flawed)
    assert get_ends(found.ceiling) == pytest.approx((1 - high, 1 - low, 1 - pool_high, 1 - pool_low))


def test_a_pool_that_was_reviewed_whole_is_known() -> None:
    """The interval for these items has no width; that for items like these is Jeffreys'."""
    found = estimate_ceiling(build_reviews(("conflict", 40, 8, 0, 32), ("rest", 60, 2, 0, 58)))
    low, high, pool_low, pool_high = get_ends(found.wrong)
    assert (pool_low, pool_high) == (0.1, 0.1)
    jeffreys = stats.beta(10.5, 90.5)
    assert (low, high) == pytest.approx((jeffreys.ppf(0.025), jeffreys.ppf(0.975)))


def test_the_intervals_are_quantiles_of_draws_from_the_same_law() -> None:
    """Drawn from the beta-binomial laws of two sampled strata, then from Beta(T + 1/2, N - T + 1/2)."""
    found = estimate_ceiling(build_reviews(("a", 30, 9, 0, 21), ("b", 120, 3, 0, 57), ("c", 150, 1, 0, 49)))
    rng = np.random.default_rng(3)
    draws = 400_000
    total = (
        13
        + rng.binomial(60, rng.beta(3 + 1 / 3, 57 + 1 / 3, draws))
        + rng.binomial(100, rng.beta(1 + 1 / 3, 49 + 1 / 3, draws))
    )
    new = rng.beta(total + 0.5, 300 - total + 0.5)
    expected = (*np.quantile(new, [0.025, 0.975]), *(np.quantile(total, [0.025, 0.975]) / 300))
    assert get_ends(found.wrong) == pytest.approx(expected, abs=0.004)


@pytest.mark.parametrize(("left", "found", "others"), [(0, 0, 50), (5, 0, 50), (150, 0, 50), (40, 7, 43)])
def test_the_chances_are_those_of_the_beta_binomial_law(left: int, found: int, others: int) -> None:
    """As scipy has it."""
    law = stats.betabinom(left, found + 1 / 3, others + 1 / 3)
    assert list_chances(left, found, others) == pytest.approx(law.pmf(np.arange(left + 1)))


def test_a_clean_sample_proves_little() -> None:
    """No wrong gold among 50 of 950 leaves a few percent possible, and none too."""
    found = estimate_ceiling(build_reviews(("conflict", 50, 0, 0, 50), ("rest", 950, 0, 0, 50)))
    low, high, pool_low, pool_high = get_ends(found.wrong)
    assert found.wrong.value == 0
    assert (low, pool_low) == (0, 0)
    assert 0.02 < pool_high < high < 0.06


def test_a_larger_sample_narrows_both_intervals() -> None:
    """With the same share of wrong gold found."""
    widths = []
    for sample in (50, 100, 400):
        reviews = build_reviews(("conflict", 50, 20, 0, 30), ("rest", 950, sample // 50, 0, sample - sample // 50))
        low, high, pool_low, pool_high = get_ends(estimate_ceiling(reviews).wrong)
        widths.append((high - low, pool_high - pool_low))
    assert widths == sorted(widths, reverse=True)


def test_what_was_hardly_reviewed_is_warned_of() -> None:
    """A sample below 50 is named; a whole stratum below 50 is none; an unreviewed one leaves nothing to say."""
    few = estimate_ceiling(build_reviews(("conflict", 3, 1, 0, 2), ("rest", 100, 0, 0, 10)))
    assert few.warnings == ("Only 10 of the 100 items of 'rest' were reviewed, fewer than 50.",)
    none = estimate_ceiling(build_reviews(("conflict", 3, 1, 0, 2), ("rest", 100, 0, 0, 0)))
    assert none.reason == "No estimate: no item of 'rest' was reviewed."
    assert none.ceiling == WeightedShare(value=None, low=None, high=None, pool_low=None, pool_high=None)


@pytest.mark.parametrize(
    ("reviews", "problem"),
    [
        (pd.DataFrame({"item": ["a"], "stratum": ["rest"]}), "lack the column verdict"),
        (pd.DataFrame({"item": ["a"], "verdict": ["right"]}), "lack the column stratum"),
        (pd.DataFrame({"item": [], "stratum": [], "verdict": []}), "no item to review"),
        (pd.DataFrame({"item": ["a"], "stratum": ["rest"], "verdict": ["fine"]}), "no verdict 'fine'"),
        (pd.DataFrame({"item": ["a", "a"], "stratum": ["r", "r"], "verdict": [None, None]}), "'a' is there twice"),
    ],
)
def test_reviews_that_cannot_be_counted_are_refused(reviews: pd.DataFrame, problem: str) -> None:
    """With what is wrong."""
    with pytest.raises(HromadaError, match=problem):
        estimate_ceiling(reviews)


def test_rows_in_another_order_give_the_same_numbers() -> None:
    """The order of reviews has no influence."""
    reviews = build_reviews(("conflict", 20, 12, 3, 5), ("rest", 180, 1, 0, 59))

    def estimate(frame: pd.DataFrame) -> CeilingEstimate:
        return estimate_ceiling(frame)

    assert estimate(reviews) == estimate(reviews.sample(frac=1, random_state=5))


TESTED = tuple(one for one in DESIGNS if (one.items, one.accuracy) in {(200, 0.8), (1000, 0.95)})


@pytest.mark.parametrize(
    "design", [TESTED[0], *(pytest.param(one, marks=pytest.mark.slow) for one in TESTED[1:])], ids=lambda one: one.name
)
def test_500_reviews_cover_the_planted_share(design: ReviewDesign) -> None:
    """The planted chance in .92-.98 of the reviews; the share of the pool itself in .92 at least.

    `benchmarks/gold_review.py` measures all designs with 2,000 reviews each.
    """
    planted, of_pool, _ = np.mean([cover_review(design, number, seed=19) for number in range(500)], axis=0)
    assert 0.92 <= planted <= 0.98
    assert of_pool >= 0.92
