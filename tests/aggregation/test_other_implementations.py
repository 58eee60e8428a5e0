"""Every coefficient equals an independent implementation; those libraries are in the development environment alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from aggregation.agreement.coefficients import compute_label_agreement
from aggregation.agreement.people import compute_cohen_pairs
from aggregation.schema import MeasurementLevel, Votes, count_answers

Build = Callable[..., Votes]
CLOSE = 1e-9


def some_votes(build: Build, seed: int, *, level: MeasurementLevel = "nominal", share: float = 0.8) -> Votes:
    """Forty items, five people, labels 1, 2, 3, 5: an agreeing crowd with gaps and errors."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([1, 2, 3, 5], 40, p=[0.4, 0.3, 0.2, 0.1])
    rows = [
        (f"i{item:02}", person, str(truth[item] if rng.random() < 0.6 else rng.choice([1, 2, 3, 5])))
        for item in range(40)
        for person in "abcde"
        if rng.random() < share
    ]
    return build(rows, classes="1235", level=level)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_equals_krippendorff(votes_of: Build, seed: int, level: MeasurementLevel) -> None:
    """The package of that name, at every level of measurement."""
    krippendorff = pytest.importorskip("krippendorff", reason="GPL: in the development environment alone")
    votes = some_votes(votes_of, seed, level=level)
    counts = count_answers(votes).table
    expected = krippendorff.alpha(value_counts=counts, value_domain=[1, 2, 3, 5], level_of_measurement=level)
    made = compute_label_agreement(votes, n_resamples=5)[f"krippendorff_alpha_{level}"]
    assert made.value == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("name", ["PARus", "RWSD", "RCB"])
def test_alpha_on_real_votes_equals_krippendorff(real: Build, name: str) -> None:
    """Unequal overlap and repeats included."""
    krippendorff = pytest.importorskip("krippendorff", reason="GPL: in the development environment alone")
    votes = real(name)
    expected = krippendorff.alpha(value_counts=count_answers(votes).table, level_of_measurement="nominal")
    assert compute_label_agreement(votes, n_resamples=5)["krippendorff_alpha_nominal"].value == pytest.approx(
        expected, abs=CLOSE
    )


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_equals_statsmodels(votes_of: Build, seed: int) -> None:
    """With every person on every item."""
    raters = pytest.importorskip("statsmodels.stats.inter_rater", reason="in the development environment alone")
    votes = some_votes(votes_of, seed, share=1.1)
    expected = raters.fleiss_kappa(count_answers(votes).table)
    assert compute_label_agreement(votes, n_resamples=5)["fleiss_kappa"].value == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("seed", range(5))
def test_cohen_equals_scikit_learn(votes_of: Build, seed: int) -> None:
    """Each pair on the items that both answered; pooled, each weighs as many times as it shares items."""
    from sklearn.metrics import cohen_kappa_score

    votes = some_votes(votes_of, seed)
    wide = votes.frame.pivot(index="item", columns="annotator", values="answer")
    expected, shared, equal, chance = [], [], [], []
    for one, two in combinations("abcde", 2):
        both = wide[[one, two]].dropna()
        expected.append(float(cohen_kappa_score(both[one], both[two])))
        shared.append(len(both))
        equal.append(float((both[one] == both[two]).mean()))
        chance.append(1 - (1 - equal[-1]) / (1 - expected[-1]))
    assert compute_cohen_pairs(votes)["kappa"].tolist() == pytest.approx(expected, abs=CLOSE)
    made = compute_label_agreement(votes, n_resamples=5)["cohen_kappa_pooled"]
    pooled, by_chance = np.average(equal, weights=shared), np.average(chance, weights=shared)
    assert made.value == pytest.approx(float((pooled - by_chance) / (1 - by_chance)), abs=CLOSE)
    assert made.low is not None


@pytest.mark.parametrize("column", ["gwet_ac1", "gwet_ac2_linear", "gwet_ac2_quadratic"])
def test_gwet_equals_the_handbook_written_out(votes_of: Build, column: str) -> None:
    """Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., eq. 5.8 and on, item by item."""
    votes = some_votes(votes_of, 3, level="interval")
    x = np.array([1, 2, 3, 5])
    apart: Any = np.abs(x[:, None] - x[None, :]) / 4
    weights = {"gwet_ac1": np.eye(4), "gwet_ac2_linear": 1 - apart, "gwet_ac2_quadratic": 1 - apart**2}[column]
    table = count_answers(votes).table
    observed = []
    for row in table[table.sum(axis=1) > 1]:
        m = row.sum()
        observed.append(sum(row[k] * (weights[k] @ row - 1) for k in range(4)) / (m * (m - 1)))
    shares = np.mean([row / row.sum() for row in table], axis=0)
    chance = weights.sum() / 12 * (shares * (1 - shares)).sum()
    expected = (np.mean(observed) - chance) / (1 - chance)
    assert compute_label_agreement(votes, n_resamples=5)[column].value == pytest.approx(expected, abs=CLOSE)
