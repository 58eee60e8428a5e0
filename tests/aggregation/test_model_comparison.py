"""People beside models: differences by hand, against other implementations, and in simulated campaigns."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from _coverage_goals import LABELS as DESIGNS
from _simulated_models import SimulatedModel, simulate_comparison
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from aggregation.answers import Answers
from aggregation.comparison.difference_tests import (
    ShareDifference,
    adjust_by_holm,
    compute_detectable_difference,
    compute_mcnemar,
    span_share,
)
from aggregation.comparison.model_differences import ModelDifference, PublishedScore
from aggregation.comparison.people_and_models import ModelAnswers, ModelComparison, compare_models
from aggregation.comparison.scored_units import ScoredUnit
from aggregation.errors import HromadaError
from aggregation.schema import Votes
from aggregation.scores.labels import score_labels

Build = Callable[..., Votes]
ITEMS = [f"i{number:02}" for number in range(30)]
GOLD = {item: "xyz"[number % 3] for number, item in enumerate(ITEMS)}


@pytest.fixture
def answers(votes_of: Build) -> Answers:
    """Eight people, each right on about four of five of thirty items."""
    rng = np.random.default_rng(4)
    rows = [
        (item, who, GOLD[item] if rng.random() < 0.8 else "xyz"[rng.integers(3)])
        for item in ITEMS
        for who in "abcdefgh"
    ]
    return Answers(kind="label", votes=votes_of(rows, classes="xyz", gold=GOLD))


def answer_items(*, right: int, of: int = 30) -> dict[str, str | None]:
    """A model that has the first so many items right and says nothing to the others."""
    return {item: GOLD[item] if number < right else None for number, item in enumerate(ITEMS[:of])}


def find_difference(made: ModelComparison, model: str, unit: ScoredUnit, metric: str | None = None) -> ModelDifference:
    """The difference from this model, over all items, of that metric (the primary one by default)."""
    wanted = (model, unit, metric or made.primary)
    return next(row for row in made.differences if (row.model, row.unit, row.metric) == wanted)


def test_a_difference_is_that_of_the_published_scores(answers: Answers) -> None:
    """People's value is that of `hromada baseline`, the model's its share of right answers, in every metric."""
    found = compare_models(answers, [ModelAnswers(name="m", answers=answer_items(right=21))])
    scores = score_labels(answers.votes)
    for unit in ("individual", "majority"):
        for score in scores[unit].scores:
            row = find_difference(found, "m", unit, score.metric)
            assert row.people == pytest.approx(score.value)
            assert row.difference == pytest.approx(score.value - row.value)  # type: ignore[operator]
    assert find_difference(found, "m", "majority").value == pytest.approx(0.7)


def test_the_variance_of_a_difference_is_that_of_the_reference(answers: Answers) -> None:
    """h_i - m_i in the items' term, people's terms as in their own score, in plain loops (intervals.md)."""
    model = answer_items(right=21)
    made = compare_models(answers, [ModelAnswers(name="m", answers=model)])
    row = find_difference(made, "m", "individual")
    votes = answers.votes.frame
    right = {(i, j): float(a == GOLD[i]) for i, j, a in votes.itertuples(index=False)}
    p, n, people = np.mean(list(right.values())), len(ITEMS), sorted(set(votes["annotator"]))
    h = {i: np.mean([right[i, j] for j in people]) for i in ITEMS}
    d = {i: h[i] - float(model[i] == GOLD[i]) for i in ITEMS}
    mean = np.mean(list(d.values()))
    v_items = sum((one - mean) ** 2 for one in d.values()) / (n * (n - 1))
    e = {cell: (value - p) / len(right) for cell, value in right.items()}
    v_people = len(people) / (len(people) - 1) * sum(sum(e[i, j] for i in ITEMS) ** 2 for j in people)
    v_cell = sum(one**2 for one in e.values())
    assert row.se == pytest.approx(math.sqrt(v_items + max(0.0, v_people - v_cell)))
    assert row.n_people == 8


def test_a_model_that_says_what_a_majority_says_differs_by_nothing(answers: Answers) -> None:
    """The paired interval of equal answers is narrow, and p is 1."""
    from aggregation.consensus.methods import build_label_consensus

    labels = build_label_consensus(answers.votes, method="majority", ties="first").labels["label"]
    found = compare_models(answers, [ModelAnswers(name="m", answers=dict(labels))])
    row = find_difference(found, "m", "majority")
    assert row.difference == pytest.approx(0, abs=0.05)
    unpaired = compare_models(answers, (), published=[PublishedScore(name="m", value=row.value or 0, n_items=30)])
    other = find_difference(unpaired, "m", "majority")
    assert row.detectable is None or row.detectable < (other.detectable or 0)
    assert found.mcnemar[0].test.p_mid > 0.2


def test_mcnemar_prefers_nobody_where_people_tie_on_the_hard_items() -> None:
    """Two votes on each of 200 items and a model, all right in 90 %: without ties it found people better in 95 %."""
    rng, found = np.random.default_rng(1), 0
    for _ in range(100):
        votes, model = rng.random((200, 2)) < 0.9, (rng.random(200) < 0.9).astype(float)
        found += compute_mcnemar(votes.mean(axis=1), model).p_mid < 0.05
    assert found <= 5


@pytest.mark.parametrize("counts", [(9, 2, 4, 0), (5, 8, 1, 3), (30, 0, 6, 1), (4, 3, 3, 2), (3, 0, 0, 1)])
def test_mcnemar_agrees_with_statsmodels(counts: tuple[int, int, int, int]) -> None:
    """The exact p is statsmodels'; the mid-p takes half of what was seen (Fagerland 2013)."""
    both, one, two, neither = counts
    first = np.repeat([True, True, False, False], counts)
    second = np.repeat([True, False, True, False], counts)
    found = compute_mcnemar(first.astype(float), second.astype(float))
    assert (found.both, found.only_first, found.only_second, found.neither) == counts
    assert found.p_exact == pytest.approx(min(1.0, mcnemar([[both, one], [two, neither]], exact=True).pvalue))
    n, least = one + two, min(one, two)
    by_hand = 2 * (stats.binom.cdf(least, n, 0.5) - stats.binom.pmf(least, n, 0.5) / 2) if n else 1.0
    by_hand = 1 - stats.binom.pmf(one, n, 0.5) / 2 if one == two and n else by_hand
    assert found.p_mid == pytest.approx(by_hand)


def test_holm_agrees_with_statsmodels() -> None:
    """Adjusted in the order given; what is unknown stays unknown and counts for nothing."""
    p = [0.04, 0.001, 0.03, 0.2, 0.012]
    assert adjust_by_holm(p) == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert adjust_by_holm([None, 0.03, None, 0.02]) == [None, 0.04, None, 0.04]


@pytest.mark.parametrize("n", [6, 20, 200])
def test_the_detectable_difference_has_that_power(n: int) -> None:
    """Statsmodels' t test of n differences with standard deviation 1 finds it in 80 %."""
    found = compute_detectable_difference(se=1 / math.sqrt(n), df=n - 1)
    assert TTestPower().power(found, nobs=n, alpha=0.05) == pytest.approx(0.8, abs=1e-3)


def test_unpaired_shares_agree_with_statsmodels() -> None:
    """With Jeffreys' intervals of both and no correlation: Newcombe's form with these (Zou and Donner 2008)."""
    made = ShareDifference(
        first=0.8,
        second=0.6,
        first_ends=span_share(40 / 50, 0.0, n=50),
        second_ends=span_share(36 / 60, 0.0, n=60),
        df=math.inf,
    )
    found = made.build_interval(0.95)
    (low, high), (other_low, other_high) = (
        proportion_confint(right, n, method="jeffreys") for right, n in ((40, 50), (36, 60))
    )
    down, up = math.hypot(0.8 - low, other_high - 0.6), math.hypot(high - 0.8, 0.6 - other_low)
    assert (found.low, found.high) == pytest.approx((0.2 - down, 0.2 + up), abs=1e-6)
    newcombe = confint_proportions_2indep(40, 50, 36, 60, method="newcomb")
    assert (found.low, found.high) == pytest.approx(newcombe, abs=5e-3)
    p = made.compute_p_value()
    touching = made.build_interval(1 - p)
    assert touching.low == pytest.approx(0, abs=1e-5)


def test_paired_shares_agree_with_newcombe() -> None:
    """Newcombe 1998, method 10: with Wilson's ends he has [.057, .340] for 36 both, 12 and 2 alone, 0 neither."""
    phi = (36 * 0 - 12 * 2) / math.sqrt(48 * 2 * 38 * 12)
    made = ShareDifference(
        first=0.96,
        second=0.76,
        first_ends=span_share(48 / 50, 0.0, n=50),
        second_ends=span_share(38 / 50, 0.0, n=50),
        df=math.inf,
        correlation=phi,
    )
    found = made.build_interval(0.95)
    assert (found.low, found.high) == pytest.approx((0.0569, 0.3404), abs=6e-3)


def test_people_answered_other_items_too(answers: Answers) -> None:
    """A model is compared on its own items, without changing what others are compared on."""
    few, all_items = (
        ModelAnswers(name="few", answers=answer_items(right=10, of=20)),
        ModelAnswers(name="all", answers=answer_items(right=21)),
    )
    found = compare_models(answers, [few, all_items])
    assert [find_difference(found, name, "majority").n_items for name in ("few", "all")] == [20, 30]
    alone = find_difference(compare_models(answers, [all_items]), "all", "majority")
    assert find_difference(found, "all", "majority").se == alone.se


def test_where_a_model_is_above_people(answers: Answers) -> None:
    """By part of the items: a model that has all of one class right and none of another."""
    model = dict.fromkeys(ITEMS, "x")
    parts = {"class": {name: [item for item in ITEMS if GOLD[item] == name] for name in "xyz"}}
    found = compare_models(answers, [ModelAnswers(name="m", answers=model)], parts=parts)
    above = {row.part: row.above for row in found.parts if row.unit == "individual"}
    assert above == {"x": "", "y": "people", "z": "people"}  # ten items of x are too few to show it
    assert next(row for row in found.parts if row.part == "x").difference < 0  # type: ignore[operator]
    perfect = compare_models(answers, [ModelAnswers(name="m", answers=dict(GOLD))])
    assert find_difference(perfect, "m", "individual").above == "model"
    assert all(row.p_holm is not None and row.p_value is not None and row.p_holm >= row.p_value for row in found.parts)
    assert {row.n_items for row in found.parts} == {10}


def test_few_people_have_no_interval_for_a_fresh_panel(votes_of: Build) -> None:
    """With three people only these people on new items, and the reason with the number that is needed."""
    rows = [(item, who, GOLD[item] if (number + place) % 5 else "x") for number, item in enumerate(ITEMS)
            for place, who in enumerate("abc")]  # fmt: skip
    few = Answers(kind="label", votes=votes_of(rows, classes="xyz", gold=GOLD))
    made = compare_models(few, [ModelAnswers(name="m", answers=answer_items(right=21))])
    row = find_difference(made, "m", "individual")
    assert (row.ci_low, row.p_value, row.detectable) == (None, None, None)
    assert row.item_only_low is not None
    assert row.item_only_detectable is not None
    assert "With 3 people nothing can be said of new ones; 5 are needed." in row.reason


def test_what_cannot_be_compared_is_refused(answers: Answers) -> None:
    """Nothing, one name twice, and a model without an answer to any item."""
    model = ModelAnswers(name="m", answers=answer_items(right=3))
    for models, problem in (
        ((), "nothing to compare"),
        ((model, model), "Two models are called"),
        ((dataclasses.replace(model, answers={"other": "x"}),), "answered none of the items"),
    ):
        with pytest.raises(HromadaError, match=problem):
            compare_models(answers, models)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5 x 20", "8 x 100", "30 people, 100 x 5"])
def test_paired_intervals_cover_the_true_difference(name: str) -> None:
    """A small run of benchmarks/paired_coverage.py: seeded, so that it gives the same shares each time."""
    design = next(one for one in DESIGNS if one.name == name)
    models = {"model": SimulatedModel(level=design.level - 0.8)}
    n_campaigns = 90 if name == "5 x 20" else 150
    made = [simulate_comparison(np.random.default_rng([1, n]), design, models)["model"] for n in range(n_campaigns)]
    for unit in (("individual", "accuracy"), ("majority", "accuracy")):
        fresh = np.mean([one.others[unit] for one in made])
        rows = [(one.differences[unit], one.panel[unit]) for one in made]
        assert all(row.ci_low is not None for row, _ in rows)
        this = np.mean([row.item_only_low <= own <= row.item_only_high for row, own in rows])  # type: ignore[operator]
        ends = np.array([(row.ci_low, row.ci_high) for row, _ in rows], dtype=float)
        other = np.mean((ends[:, 0] <= fresh) & (fresh <= ends[:, 1]))
        assert this >= 0.89, (unit, this)
        assert other >= 0.86, (unit, other)


def test_a_published_score_beside_people_who_are_all_right(votes_of: Build) -> None:
    """Nothing varies: both intervals are the same, within what a difference can be, and nothing is shown above 1."""
    rows = [(item, who, GOLD[item]) for item in ITEMS for who in "abcdef"]
    answers = Answers(kind="label", votes=votes_of(rows, classes="xyz", gold=GOLD))
    found = compare_models(answers, (), published=[PublishedScore(name="m", value=1.0, n_items=30)])
    row = find_difference(found, "m", "majority")
    assert row.item_only_low == pytest.approx(-(row.item_only_high or 0))
    assert 0 < (row.item_only_high or 0) < 0.2
    assert row.detectable is None or row.detectable <= 1
