"""A model's distributions beside the votes of people: unbiased with few votes, or beside people's ceiling alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import jensenshannon

from aggregation.comparison.soft_labels import (
    JENSEN_SHANNON,
    SoftScore,
    expect_ceiling,
    expect_distance,
    score_distributions,
)
from aggregation.schema import MeasurementLevel, Votes, check_votes

OPTIONS = ("а", "б", "в", "г")
TRUE = (0.55, 0.25, 0.15, 0.05)


def build_votes(
    said: list[str], *, people: int, options: tuple[str, ...] = OPTIONS, level: MeasurementLevel = "nominal"
) -> Votes:
    """Votes in turn, as many on each item as people."""
    rows = [(f"i{place // people:03}", f"p{place % people}", answer) for place, answer in enumerate(said)]
    frame = pd.DataFrame(rows, columns=["item", "annotator", "answer"], dtype=object)
    ids = pd.Index(sorted(frame["item"].unique()), name="item")
    items = pd.DataFrame({"group": list(ids), "gold": None, "n_options": len(options)}, index=ids)
    return check_votes(frame, items=items, classes=options, measurement_level=level)


def score(votes: Votes, given: Mapping[str, Mapping[str, float]]) -> tuple[SoftScore, SoftScore]:
    """The cross-entropy and the Jensen–Shannon divergence."""
    scores = {one.metric: one for one in score_distributions(votes, given, model="m")}
    return scores["cross_entropy"], scores["jensen_shannon"]


def test_cross_entropy_is_the_mean_over_votes_of_the_bits_that_each_costs() -> None:
    """A vote of probability 0 costs that of 1e-6, and is counted."""
    votes = build_votes(["а", "а", "б", "б"], people=2)
    given = {
        "i000": {"а": 0.5, "б": 0.5, "в": 0.0, "г": 0.0},
        "i001": {"а": 0.75, "б": 0.0, "в": 0.25, "г": 0.0},
    }
    entropy, divergence = score(votes, given)
    assert entropy.value == pytest.approx((1 + 1 + 2 * math.log2(1e6)) / 4)
    assert (entropy.n_items, entropy.n_annotators, entropy.n_answers, entropy.n_floored) == (2, 2, 4, 2)
    assert entropy.reason.startswith("No interval")
    assert (divergence.n_items, divergence.people_ceiling) == (2, 0.0)


def test_a_true_model_costs_its_entropy_however_few_the_votes() -> None:
    """With 3 and 9 votes an item; the divergence of the same model falls with the votes, and is below the ceiling."""
    rng, found = np.random.default_rng(1), {}
    for people in (3, 9):
        said = [OPTIONS[code] for code in rng.choice(4, size=400 * people, p=TRUE)]
        given = {f"i{number:03}": dict(zip(OPTIONS, TRUE, strict=True)) for number in range(400)}
        found[people] = score(build_votes(said, people=people), given)
    true = -sum(share * math.log2(share) for share in TRUE)
    for entropy, divergence in found.values():
        assert entropy.value == pytest.approx(true, abs=0.08)
        assert divergence.value is not None
        assert divergence.people_ceiling is not None
        assert divergence.value < divergence.people_ceiling
    assert (found[9][1].value or 1) < (found[3][1].value or 0) / 2
    assert found[9][0].ci_low is not None


@pytest.mark.parametrize("counts", [(3, 2, 0, 0), (1, 1, 1, 2), (4, 0, 0, 0), (1, 1, 0, 0), (5, 3, 2, 1)])
def test_expected_divergences_are_means_over_random_halves(counts: tuple[int, ...]) -> None:
    """As scipy has them, over 3,000 draws of two halves without a common vote."""
    rng = np.random.default_rng(2)
    votes = np.repeat(np.arange(4), counts)
    half = len(votes) // 2
    model, people = [], []
    for _ in range(3000):
        drawn = rng.permutation(votes)
        one, two = (np.bincount(part, minlength=4) / half for part in (drawn[:half], drawn[half : 2 * half]))
        model.append(jensenshannon(TRUE, one, base=2) ** 2)
        people.append(np.nan_to_num(jensenshannon(one, two, base=2)) ** 2)
    assert expect_distance(JENSEN_SHANNON, TRUE, counts) == pytest.approx(np.mean(model), abs=0.01)
    assert expect_ceiling(JENSEN_SHANNON, counts) == pytest.approx(np.mean(people), abs=0.02)


def test_items_with_one_vote_have_no_half() -> None:
    entropy, divergence = score(build_votes(["а"], people=1), {"i000": dict.fromkeys(OPTIONS, 0.25)})
    assert (entropy.value, divergence.value, divergence.people_ceiling) == (2.0, None, None)
    assert score_distributions(build_votes(["а"], people=1), {}, model="m") == ()
