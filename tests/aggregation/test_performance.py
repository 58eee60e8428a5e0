"""Performance: known counts of wrong answers, people described, skips and ties, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation import scoring
from aggregation.errors import HromadaError
from aggregation.intervals.shares import share_interval
from aggregation.schema import Votes
from aggregation.scores.labels import score_labels
from aggregation.scores.performance import Performance

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
GOLD = dict(zip("ijklmn", "xyxyxy", strict=True))
ROWS = st.lists(
    st.tuples(st.sampled_from("ijklmn"), st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=30
)


def some_rows(seed: int, *, items: str = "ijklmn", people: str = "abcde") -> Rows:
    rng = np.random.default_rng(seed)
    return [(item, person, "xyz"[rng.integers(0, 3)]) for item in items for person in people if rng.random() < 0.7]


def counted(made: Performance) -> dict[str, tuple[int, int | None, int | None]]:
    return {unit.unit: (unit.total, unit.wrong, unit.n_ties) for unit in made.units}


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("PARus", "individual", (1500, 65, 0)),
        ("PARus", "majority", (500, 8, 0)),
        ("PARus", "dawid_skene", (500, 8, 0)),
        ("dog", "majority", (807, 118, 50)),
        ("rte", "majority", (800, 50, 65)),
    ],
)
def test_wrong_answers_on_a_real_set_are_the_known_ones(
    real: Build, name: str, unit: str, expected: tuple[int, int, int]
) -> None:
    """Totals, wrong ones without a tie, and ties."""
    assert counted(score_labels(real(name)))[unit] == expected


@pytest.mark.parametrize("seed", [10, 17, 39])
def test_an_interval_for_new_people_holds_that_for_these(votes_of: Build, seed: int) -> None:
    """Six items: by its own variance and degrees of freedom the interval for new people was narrower here."""
    made = score_labels(votes_of(some_rows(seed), classes="xyz", gold=GOLD))
    score = made["individual"].primary
    assert (score.ci_low, score.ci_high) == (score.item_only_low, score.item_only_high)


def test_the_people_behind_parus_are_described(real: Build) -> None:
    """Counts, chance and the single people's table are those of the votes."""
    made = score_labels(real("PARus"))
    assert made.n_items == 500
    assert (made.random, made.random_exact) == (0.5, 0.5)
    assert (len(made.annotators), made.annotators["n"].sum(), made.annotators["right"].sum()) == (111, 1500, 1435)
    single = made["individual"]
    score = single["accuracy"]
    assert score.value == pytest.approx(1435 / 1500)
    assert single.ann_mean == pytest.approx(made.annotators["accuracy"].mean())
    quartiles = np.quantile(made.annotators["accuracy"], [0.25, 0.5, 0.75])
    assert (single.ann_q1, single.ann_median, single.ann_q3) == pytest.approx(tuple(quartiles))
    busy = made.annotators.loc[made.annotators["n"] >= 20, "accuracy"]
    assert (single.ann_min, single.ann_max) == (busy.min(), busy.max())
    assert made.annotators["accuracy"].min() < busy.min()
    assert score.ci_method == (
        "two-way jackknife: 111 people (by people), 500 items; if people's skills vary like a normal distribution, a"
        " fresh panel covered .90-.99 in simulation with at least 20 items (docs/explanation/coverage.md)"
    )
    assert "refitted without groups of people" in made["dawid_skene"]["accuracy"].ci_method
    (warning,) = [warning for unit in made.units for warning in unit.warnings]
    assert warning.startswith("1 of 111 annotators met items of one label only")


def test_a_small_case_is_counted_by_hand(votes_of: Build) -> None:
    """One item right by two to one, one tied, one wrong, one without votes, one without gold."""
    rows = [("i", "a", "x"), ("i", "b", "x"), ("i", "c", "y"), ("j", "a", "x"), ("j", "b", "y"), ("k", "c", "y")]
    rows += [("free", "a", "x"), ("free", "d", "x")]
    made = score_labels(
        votes_of(
            rows,
            gold={"i": "x", "j": "y", "k": "x", "l": "y"},
            n_options={**dict.fromkeys("ijk", 2), "l": 4, "free": 4},
        )
    )
    assert counted(made) == {"individual": (6, 3, 0), "majority": (3, 1, 1)}
    majority = made["majority"]
    assert (majority.primary.value, majority.primary.value_ties_wrong) == pytest.approx((1.5 / 3, 1 / 3))
    assert majority.title == "majority of 1–3"
    assert made.n_items == 5
    assert made.random == pytest.approx(1 / 2.8)
    assert made.random_exact == 0.5  # of the three scored items alone
    assert made["individual"].n_annotators == 3
    assert made.refused.keys() == {"dawid_skene"}
    expected = pd.DataFrame(
        {"n": [2, 2, 2], "right": [1, 2, 0], "accuracy": [0.5, 1.0, 0.0]},
        index=pd.Index(list("abc"), name="annotator"),
    )
    pd.testing.assert_frame_equal(made.annotators[["n", "right", "accuracy"]], expected)
    assert made.annotators.loc["b", "independent_low"] == share_interval(2, 2, confidence_level=0.95).low


def test_dawid_skene_is_fitted_on_all_votes_and_scored_on_gold(votes_of: Build) -> None:
    """Votes on items without gold count for the fit and for its number of annotators, not for the total."""
    rows = some_rows(3) + [("free", person, "x") for person in "abcdefg"]
    made = score_labels(votes_of(rows, classes="xyz", gold=GOLD))
    assert (made["dawid_skene"].total, made["dawid_skene"].n_annotators) == (6, 7)
    assert (made["majority"].n_annotators, made["individual"].n_annotators) == (5, 5)


def test_options_that_differ_have_the_accuracy_alone(votes_of: Build) -> None:
    """Without shared classes there is no F1 and no MCC."""
    made = score_labels(votes_of(some_rows(3), gold=GOLD))
    assert {tuple(score.metric for score in unit.scores) for unit in made.units} == {("accuracy",)}
    assert made.dawid_skene is None


def test_no_gold_is_an_error_with_a_way_out(votes_of: Build) -> None:
    """No item with gold, and no vote on one, are different sentences."""
    with pytest.raises(HromadaError, match=r"No item has gold .* Declare gold or a truth file\."):
        score_labels(votes_of([("i", "a", "x")], classes="xy"))
    with pytest.raises(HromadaError, match="Nobody answered an item that has gold"):
        score_labels(votes_of([("i", "a", "x")], classes="xy", gold={"j": "x"}))
    with pytest.raises(HromadaError, match="Nobody answered"):
        score_labels(votes_of([], classes="xy", gold={"j": "x"}))


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(rows=ROWS, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(votes_of: Build, rows: Rows, seed: int) -> None:
    """Every figure and both tables are identical."""
    votes = votes_of(rows, classes="xyz", gold=GOLD)
    shuffled = replace(votes, frame=votes.frame.sample(frac=1, random_state=seed).reset_index(drop=True))
    one, two = (score_labels(given) for given in (votes, shuffled))
    assert one.units == two.units
    pd.testing.assert_frame_equal(one.annotators, two.annotators, check_exact=True)


@settings(deadline=None, max_examples=limit_examples(25))
@given(rows=ROWS)
def test_new_names_change_no_count(votes_of: Build, rows: Rows) -> None:
    """Renaming labels (with gold) and people leaves totals, wrong answers and ties."""
    names = {"x": "r", "y": "p", "z": "q"}
    renamed = [(item, f"p{person}", names[answer]) for item, person, answer in rows]
    one = score_labels(votes_of(rows, gold=GOLD))
    two = score_labels(votes_of(renamed, gold={item: names[label] for item, label in GOLD.items()}))
    assert counted(one) == counted(two)


def skips_of(*rows: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item", "annotator"], dtype=object)


@pytest.mark.parametrize("classes", ["xyz", None])
def test_a_skip_is_wrong_and_no_vote(votes_of: Build, classes: str | None) -> None:
    """Three right answers, two skips: 3 of 5; the majority of i is right all the same, j that all skipped is wrong."""
    votes = votes_of(
        [("i", "a", "x"), ("k", "a", "z"), ("k", "b", "z")], classes=classes, gold={"i": "x", "k": "z", "j": "y"}
    )
    made = score_labels(votes, skips=skips_of(("i", "b"), ("j", "c")))
    assert counted(made)["individual"] == (5, 2, 0)
    assert counted(made)["majority"] == (3, 1, 0)
    assert made.annotators[["n", "right"]].to_numpy().tolist() == [[2, 2], [2, 1], [1, 0]]
    assert made.random_exact == 0.5
    if classes:
        assert counted(made)["dawid_skene"] == (3, 1, 0)


def test_units_beside_the_individual_one_can_be_left_out(votes_of: Build) -> None:
    """Dawid-Skene is neither fitted nor refused where it was not asked for."""
    votes = votes_of(some_rows(3), classes="xyz", gold=GOLD)
    made = score_labels(votes, units=("individual", "majority"))
    assert [unit.unit for unit in made.units] == ["individual", "majority"]
    assert (made.refused, made.dawid_skene) == ({}, None)
    assert made.units == score_labels(votes).units[:2]


def test_few_people_are_warned_of_beside_each_unit(votes_of: Build) -> None:
    """Nine people are few, ten are not; extremes of people need twenty answers each."""
    for people, warned in (("abcdefghi", True), ("abcdefghij", False)):
        made = score_labels(votes_of(some_rows(2, people=people), classes="xyz", gold=GOLD))
        for unit in made.units:
            assert any(f"Only {len(people)} people" in warning for warning in unit.warnings) == warned
        assert (made["individual"].ann_min, made["individual"].ann_max) == (None, None)
        assert made["individual"].ann_median is not None


@pytest.mark.parametrize(
    ("loads", "unequal"),
    [([30] * 5 + [31] * 5, None), (list(range(20, 40, 2)), None), ([90] * 4 + [10] * 8, "4 people"), ([8] * 30, None)],
    ids=["ten of 30 or 31 answers", "ten of 20 to 38", "four of twelve", "thirty of 8"],
)
def test_few_people_gave_most_answers_only_where_they_did(
    votes_of: Build, loads: list[int], unequal: str | None
) -> None:
    """Slightly unequal shares are no warning, and the coverage is that of so many people."""
    rows = [
        (f"i{number}", f"p{who}", "x" if (3 * number * number + 7 * who * who + number * who) % 11 > 2 else "y")
        for who, load in enumerate(loads)
        for number in range(load)
    ]
    gold = {f"i{number}": "x" for number in range(max(loads))}
    unit = score_labels(votes_of(rows, classes="xy", gold=gold), units=["individual"])["individual"]
    warnings = [one for one in unit.warnings if one.startswith("Few people gave most answers")]
    assert bool(warnings) == (unequal is not None)
    assert all(str(unequal) in one for one in warnings)
    assert ("covered .84-.92" in unit.primary.ci_method) == (unequal is not None)


@pytest.mark.parametrize(
    ("people", "share", "least"),
    [(5, ".88-.99", ".41"), (10, ".88-.99", ".65"), (20, ".90-.99", ".88"), (30, ".90-.99", None)],
)
def test_coverage_is_said_with_its_condition(votes_of: Build, people: int, share: str, least: str | None) -> None:
    """That skills vary normally, and what spammers do whom few people may not have among them; with the page."""
    rows = [
        (f"i{item:02}", f"p{who:02}", "x" if (item * item + 3 * who) % 7 else "y")
        for item in range(30)
        for who in range(people)
    ]
    gold = {item: "x" for item, _, _ in rows}
    method = score_labels(votes_of(rows, classes="xy", gold=gold), units=["individual"])["individual"].primary.ci_method
    assert f"if people's skills vary like a normal distribution, a fresh panel covered {share} in simulation" in method
    assert (f"if a tenth of all people answer at random, it can cover as little as {least}" in method) == (
        least is not None
    )
    assert "(docs/explanation/coverage.md)" in method


def test_what_dawid_skene_says_of_itself_stands_beside_its_scores(votes_of: Build) -> None:
    """Fewer votes a person than a confusion matrix has cells is a warning of that unit alone."""
    made = score_labels(votes_of(some_rows(3), classes="xyz", gold=GOLD))
    assert made.dawid_skene is not None
    few = [warning for warning in made.dawid_skene.warnings if "fewer than the 9 cells" in warning]
    assert len(few) == 1
    assert [few[0] in unit.warnings for unit in made.units] == [False, False, True]


def test_a_tie_is_shared_by_every_metric(votes_of: Build) -> None:
    """Of four items two are right, one wrong and one tied: all metrics are those of the expected confusion matrix."""
    rows = [("i", "a", "x"), ("j", "a", "y"), ("k", "a", "x"), ("l", "a", "x"), ("l", "b", "y")]
    gold = {"i": "x", "j": "y", "k": "y", "l": "y"}
    unit = score_labels(votes_of(rows, classes="xyz", gold=gold))["majority"]
    # the tie of l is half an x (wrong) and half a y (right): x is 1 of 1 gold and 2.5 answers, y 1.5 of 3 and 1.5
    f1_x, f1_y = 2 * 1 / (1 + 2.5), 2 * 1.5 / (3 + 1.5)
    assert (unit["accuracy"].value, unit["accuracy"].value_ties_wrong) == (2.5 / 4, 2 / 4)
    assert unit["macro_f1"].value == pytest.approx((f1_x + f1_y) / 2)  # nobody means z: it is no class of zero
    assert unit["weighted_f1"].value == pytest.approx((f1_x + 3 * f1_y) / 4)
    phi = (1 * 1.5 - 1.5 * 0) / (1 * 3 * 2.5 * 1.5) ** 0.5
    assert unit["mcc"].value == pytest.approx(phi)
    wrong = scoring.count_labels(list(gold.values()), ["x", "y", "x", None], classes="xyz")
    for name, metric in scoring.METRICS.items():
        assert unit[name].value_ties_wrong == pytest.approx(metric(wrong))


def test_what_is_undefined_has_no_value_and_the_reason(votes_of: Build) -> None:
    """One gold label and one answer have no correlation; nothing is published as zero."""
    made = score_labels(votes_of([(item, "a", "x") for item in GOLD], classes="xy", gold=dict.fromkeys(GOLD, "x")))
    for unit in made.units:
        assert (unit["macro_f1"].value, unit["mcc"].value) == (1, None)
        assert unit["mcc"].reason.startswith("Undefined")
        assert (unit["mcc"].ci_low, unit["mcc"].item_only_low) == (None, None)
