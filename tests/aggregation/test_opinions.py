"""Points of a scale: opinions, severity, intraclass correlations, and points against gold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from aggregation.agreement.icc import list_icc_coefficients
from aggregation.answers import Answers
from aggregation.comparison.scored_units import ScoredUnit, add_point_metrics, sum_scored_units
from aggregation.findings import get_code
from aggregation.opinions.opinions import compare_systems, measure_opinions
from aggregation.opinions.people import list_item_opinions, measure_severity, standardise
from aggregation.ratings import Ratings, read_ratings
from aggregation.schema import MeasurementLevel, Votes, check_votes
from aggregation.scores.points import score_points

Table = Sequence[Sequence[object]]


@pytest.fixture
def known(shared: Path) -> Mapping[str, Any]:
    """The known answers by id."""
    path = shared / "reference" / "ratings-known-answers.json"
    return {case["id"]: case for case in json.loads(path.read_text("utf-8"))["cases"]}


def rate(
    table: Table,
    *,
    level: MeasurementLevel = "interval",
    points: Sequence[str] = tuple("12345"),
    gold: Sequence[object] | None = None,
    groups: Sequence[str] | None = None,
) -> Votes:
    """Votes of a table, items × people; None is no vote."""
    names = [f"i{number:03}" for number in range(len(table))]
    rows = [
        (name, f"p{person}", str(said))
        for name, own in zip(names, table, strict=True)
        for person, said in enumerate(own)
        if said is not None
    ]
    items = pd.DataFrame(
        {
            "group": groups or names,
            "gold": pd.Series([None if gold is None else str(one) for one in (gold or names)], dtype=object).to_numpy(),
            "n_options": len(points),
        },
        index=pd.Index(names, name="item"),
    )
    frame = pd.DataFrame(rows, columns=["item", "annotator", "answer"])
    return check_votes(frame, items=items, classes=points, measurement_level=level)


def read(table: Table, systems: Mapping[str, Sequence[str]] | None = None, **facts: Any) -> Ratings:
    """The ratings of a table."""
    ratings = read_ratings(rate(table, **facts), systems)
    assert ratings is not None
    return ratings


TEN = tuple(map(str, range(1, 11)))


def test_severity_and_z_scores_are_those_of_the_definitions(known: Mapping[str, Any]) -> None:
    """Least squares of a complete table are the means of people; z scores take the sample's deviation."""
    case = known["severity-crossed"]
    ratings = read(case["input"]["ratings"], points=TEN)
    found = measure_severity(ratings, confidence_level=0.95)
    assert found.people["least_squares"].tolist() == pytest.approx(case["expected"]["severity"], abs=1e-5)
    shrunk = found.people["severity"]
    assert (shrunk.abs() < found.people["least_squares"].abs()).all()
    assert (found.people["severity_low"] < shrunk).all()
    z, refused = standardise(ratings, fewest=2)
    assert z.tolist() == pytest.approx(known["z-normalised"]["expected"]["item_means"], abs=1e-5)
    assert not any(refused.values())
    items = list_item_opinions(ratings, found)
    assert items.refused == {"few": 4, "constant": 0}  # six ratings each
    assert items.items["z"].isna().all()
    assert items.items["adjusted"].mean() == pytest.approx(case["expected"]["grand_mean"], abs=1e-5)


@pytest.mark.parametrize("grouped", [False, True])
def test_the_standard_error_of_ranks_is_that_of_the_jackknife(grouped: bool) -> None:
    """Items (or their groups), people and votes left out one by one, with scipy's Spearman of means."""
    rng = np.random.default_rng(5)
    quality = rng.normal(size=12) + 3
    table = np.clip(np.round(quality[:, None] + rng.normal(0, 0.8, (12, 6))), 1, 5).astype(int)
    gold = np.clip(np.round(quality + rng.normal(0, 0.6, 12)), 1, 5).astype(int)
    groups = [f"g{number // 2}" if grouped else f"i{number:03}" for number in range(12)]
    votes = rate(table.tolist(), gold=gold.tolist(), groups=groups)
    found = {unit.unit: unit["spearman"] for unit in score_points(votes, confidence_level=0.95)}

    def correlate(x: Any, keep: Any) -> float:
        return float(spearmanr(x[keep], gold[keep])[0])

    def spread(values: Sequence[float]) -> float:
        return float((len(values) - 1) * np.var(values))

    everything = np.ones(12, dtype=bool)
    means, value = table.mean(axis=1), correlate(table.mean(axis=1), everything)
    names = np.array(groups)
    items = spread([correlate(means, names != name) for name in np.unique(names)])
    people = spread([correlate(np.delete(table, person, axis=1).mean(axis=1), everything) for person in range(6)])
    cells = 0.0
    for name in np.unique(names):
        for person in range(6):
            changed = np.where(names == name, np.delete(table, person, axis=1).mean(axis=1), means)
            cells += (correlate(changed, everything) - value) ** 2
    assert found["mean"].value == pytest.approx(value)
    assert found["mean"].se == pytest.approx((items + max(0.0, people - cells)) ** 0.5)
    answers: Any = table.ravel()
    single = float(spearmanr(answers, np.repeat(gold, 6))[0])
    assert found["individual"].value == pytest.approx(single)
    assert found["individual"].ci_low is not None


def test_errors_can_be_the_score_of_a_task(known: Mapping[str, Any]) -> None:
    """`metrics: [mae]` of a project in a mean over tasks; the scores of labels stay what they are."""
    case = known["scale-against-gold"]
    votes = rate([[one, 3] for one in case["input"]["people"]], gold=case["input"]["gold"])
    units = sum_scored_units(Answers(kind="label", votes=votes), None)
    with_points = add_point_metrics(units, votes)
    (single, *_) = score_points(votes, confidence_level=0.95)
    for name in ("mae", "rmse", "bias", "pearson", "kappa_quadratic"):
        assert with_points.measure("individual", name).value == pytest.approx(single[name].value)
    for unit in get_args(ScoredUnit):
        assert with_points.measure(unit, "macro_f1").value == pytest.approx(units.measure(unit, "macro_f1").value)


def test_systems_are_compared_by_the_same_people() -> None:
    """How severe people are cancels; who rated one system alone is counted out of the common people."""
    severe = [[1 + (item + person) % 2 + person % 3 for person in range(6)] for item in range(6)]
    better = [[point + 1 for point in own] for own in severe]
    systems = {f"i{number:03}": ("b" if number < 6 else "a",) for number in range(12)}
    groups = [f"g{number % 6}" for number in range(12)]
    (pair,) = compare_systems(read(severe + better, systems, groups=groups), confidence_level=0.95)
    assert (pair.one, pair.two, pair.n_common_people) == ("a", "b", 6)
    assert pair.difference.value == pytest.approx(1)
    apart = [[*own, *[None] * 6] for own in severe] + [[*[None] * 6, *own] for own in better]
    (pair,) = compare_systems(read(apart, systems), confidence_level=0.95)
    assert pair.n_common_people == 0
    assert "other-people" in [get_code(one) for one in pair.warnings]
    assert not compare_systems(read(severe + better, systems, level="ordinal"), confidence_level=0.95)


def find_reasons(votes: Votes) -> set[str]:
    """The codes of the reasons why something of the votes has no number, or no interval."""
    ratings = read_ratings(votes)
    assert ratings is not None
    severity = measure_severity(ratings, confidence_level=0.95)
    opinions = measure_opinions(ratings, confidence_level=0.95)
    units = score_points(votes, confidence_level=0.95)
    scores = [score for unit in units for score in unit.scores] + [one.mean for one in opinions if one.mean]
    assert all(score.value is None or np.isfinite(score.value) for score in scores)
    assert all(score.value is not None or score.reason for score in scores)
    iccs = list_icc_coefficients(ratings, basis="pooled", confidence_level=0.95)
    return {get_code(one) for one in (severity.reason, *(s.reason for s in scores), *(row.reason for row in iccs))}


@pytest.mark.parametrize(
    ("table", "facts", "reasons"),
    [
        ([[3, 4, 5]], {"gold": [3]}, {"few-items", "icc-few", "one-pair"}),
        ([[1 + item % 4] for item in range(8)], {"gold": [1, 2] * 4}, {"severity-one-person", "icc-few"}),
        ([[3] * 5 for _ in range(8)], {"gold": [3, 2] * 4}, {"icc-constant", "constant-points", "no-variance"}),
        ([[1 + (i + p) % 3 for p in range(5)] for i in range(8)], {"gold": [3] * 8}, {"constant-gold"}),
        ([[1 + i % 3, None, 2, None][i % 2 :] for i in range(8)], {"gold": [1] * 8}, {"icc-incomplete"}),
        ([[1, 2, None, None], [None, None, 3, 4]] * 4, {"gold": [1] * 8}, {"people-disconnected"}),
        ([[1, 2], [2, 1]] * 4, {"gold": [1, 2] * 4, "level": "ordinal"}, {"ordinal-no-means"}),
    ],
    ids=["one item", "one person", "all equal", "equal gold", "incomplete", "apart", "ordinal"],
)
def test_what_cannot_be_computed_has_a_reason(table: Table, facts: Mapping[str, Any], reasons: set[str]) -> None:
    """Neither nan nor an error: a sentence."""
    assert reasons <= find_reasons(rate(table, **facts))


def test_points_that_are_words_have_ranks_alone() -> None:
    """Their median is a word, or two; kappa is weighted by their places."""
    words = ("погано", "так собі", "добре")
    votes = rate(
        [["погано", "добре"], ["добре", "добре"], ["погано", "погано"]] * 3, points=words, level="ordinal",
        gold=["погано", "добре", "погано"] * 3,
    )  # fmt: skip
    ratings = read_ratings(votes)
    assert ratings is not None
    (opinion,) = measure_opinions(ratings, confidence_level=0.95)
    assert (opinion.mean, opinion.median.text, opinion.median.tied) == (None, "погано – добре", ("погано", "добре"))
    units = score_points(votes, confidence_level=0.95)
    assert [unit.unit for unit in units] == ["individual", "median"]
    assert [score.metric for score in units[0].scores] == ["spearman", "kendall_tau_b", "kappa_quadratic"]
