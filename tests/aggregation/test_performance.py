"""Performance: known counts of wrong answers, crossed intervals against a slow loop, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from aggregation.bootstrap import draw_unit_counts
from aggregation.errors import HromadaError
from aggregation.intervals import wilson_interval
from aggregation.labels import scores
from aggregation.labels.consensus import build_label_consensus
from aggregation.labels.scores import score_labels
from aggregation.performance import Performance
from aggregation.schema import Votes, order_annotators

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
GOLD = dict(zip("ijklmn", "xyxyxy", strict=True))
ROWS = st.lists(
    st.tuples(st.sampled_from("ijklmn"), st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=30
)


def draw_people(rng: np.random.Generator, *, n_draws: int, rows: Rows, more: Sequence[str] = ()) -> NDArray[np.int64]:
    """How often each annotator is drawn, sorted by name; they are numbered by their votes, who only skipped last."""
    order = [*order_annotators(pd.DataFrame(rows, columns=["item", "annotator", "answer"]))[1], *more]
    return draw_unit_counts(rng, n_units=len(order), n_draws=n_draws).astype(int)[:, np.argsort(order)]


def some_rows(seed: int, *, items: str = "ijklmn", people: str = "abcde") -> Rows:
    rng = np.random.default_rng(seed)
    return [(item, person, "xyz"[rng.integers(0, 3)]) for item in items for person in people if rng.random() < 0.7]


def counted(made: Performance) -> dict[str, tuple[int, int, int]]:
    return {unit.unit: (unit.total, unit.wrong, unit.n_ties) for unit in made.units}


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("PARus", "individual", (1500, 65, 0)),
        ("PARus", "majority", (500, 8, 0)),
        ("PARus", "dawid_skene", (500, 8, 0)),
        ("dog", "majority", (807, 168, 50)),
        ("rte", "majority", (800, 115, 65)),
    ],
)
def test_wrong_answers_on_a_real_set_are_the_known_ones(
    real: Build, name: str, unit: str, expected: tuple[int, int, int]
) -> None:
    """Totals, wrong and ties, a tie being wrong."""
    assert counted(score_labels(real(name), n_resamples=10))[unit] == expected


def test_the_people_behind_parus_are_described(real: Build) -> None:
    """Counts, chance and the single people's table are those of the votes."""
    made = score_labels(real("PARus"), n_resamples=200)
    assert (made.n_items, made.n_items_with_gold, made.n_items_scored) == (500, 500, 500)
    assert (made.random, made.random_exact) == (0.5, 0.5)
    assert (len(made.annotators), made.annotators["n"].sum(), made.annotators["right"].sum()) == (111, 1500, 1435)
    single = made["individual"]
    score = single["accuracy"]
    assert score.value == pytest.approx(1435 / 1500)
    assert single.ann_mean == pytest.approx(made.annotators["accuracy"].mean())
    assert (single.ann_min, single.ann_max) == (made.annotators["accuracy"].min(), 1.0)
    assert score.low is not None
    assert score.high is not None
    assert score.low < score.value < score.high
    assert single.ci_method == "crossed bootstrap, 200 draws over people and items, seed 0"
    assert made["dawid_skene"].ci_method == single.ci_method


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
    assert counted(made) == {"individual": (6, 3, 0), "majority": (3, 2, 1)}
    assert (made.n_items, made.n_items_with_gold, made.n_items_scored) == (5, 4, 3)
    assert made.random == pytest.approx(1 / 2.8)
    assert made.random_exact == 0.5  # of the three scored items alone
    assert made["individual"].n_annotators == 3
    assert made.refused.keys() == {"dawid_skene"}
    expected = pd.DataFrame(
        {"n": [2, 2, 2], "right": [1, 2, 0], "accuracy": [0.5, 1.0, 0.0]},
        index=pd.Index(list("abc"), name="annotator"),
    )
    pd.testing.assert_frame_equal(made.annotators[["n", "right", "accuracy"]], expected)
    assert made.annotators.loc["b", "wilson_low"] == wilson_interval(2, 2, confidence_level=0.95).low


def test_dawid_skene_is_fitted_on_all_votes_and_scored_on_gold(votes_of: Build) -> None:
    """Votes on items without gold count for the fit and for its number of annotators, not for the total."""
    rows = some_rows(3) + [("free", person, "x") for person in "abcdefg"]
    made = score_labels(votes_of(rows, classes="xyz", gold=GOLD), n_resamples=20)
    assert (made["dawid_skene"].total, made["dawid_skene"].n_annotators) == (6, 7)
    assert (made["majority"].n_annotators, made["individual"].n_annotators) == (5, 5)


@pytest.mark.parametrize("grouped", [False, True])
def test_crossed_intervals_equal_those_of_a_slow_loop(votes_of: Build, grouped: bool) -> None:
    """Writing out the drawn people's votes on the drawn items gives the same percentiles."""
    rows = some_rows(1, items="ijklmnopqr")
    gold = {item: "x" if n % 3 else "y" for n, item in enumerate("ijklmnopqr")}
    groups = {item: f"g{n // 2}" if grouped else item for n, item in enumerate("ijklmnopqr")}
    made = score_labels(votes_of(rows, gold=gold, groups=groups), n_resamples=80, seed=6, confidence_level=0.8)
    of_people, of_groups = np.random.default_rng(6).spawn(2)
    names = sorted(set(groups.values()))
    people = draw_people(of_people, n_draws=80, rows=rows)
    times = draw_unit_counts(of_groups, n_units=len(names), n_draws=80).astype(int)
    single, majority = [], []
    for draw in range(80):
        drawn = [row for row in rows for _ in range(people[draw, "abcde".index(row[1])])]
        single.append(slow_share(drawn, gold, groups, dict(zip(names, times[draw], strict=True)), plurality=False))
        majority.append(slow_share(drawn, gold, groups, dict(zip(names, times[draw], strict=True)), plurality=True))
    for unit, shares in (("individual", single), ("majority", majority)):
        low, high = np.nanquantile(shares, [0.1, 0.9])
        score = made[unit]["accuracy"]
        assert (score.low, score.high) == pytest.approx((low, high))
        assert score.undefined_resamples == np.isnan(shares).sum()


@pytest.mark.parametrize("unit", ["individual", "majority", "dawid_skene"])
def test_every_metric_is_resampled_by_the_scorer_of_models(votes_of: Build, unit: str) -> None:
    """Writing out each draw's people and items, scoring it with scikit-learn and refitting gives the same interval."""
    rows = some_rows(11, items="ijklmnopqrst")
    gold = {item: "xyz"[n % 3] for n, item in enumerate("ijklmnopqrst")}
    made = score_labels(votes_of(rows, classes="xyz", gold=gold), n_resamples=25, seed=2, confidence_level=0.8)[unit]
    of_people, of_groups = np.random.default_rng(2).spawn(2)
    people = draw_people(of_people, n_draws=25, rows=rows)
    times = draw_unit_counts(of_groups, n_units=12, n_draws=25).astype(int)
    drawn = [slow_pairs(votes_of, rows, gold, unit, people=people[draw], times=times[draw]) for draw in range(25)]
    known: dict[str, Any] = {"labels": list("xyz"), "zero_division": 0}
    scores: dict[str, Callable[[list[str], list[str]], float]] = {
        "accuracy": accuracy_score,
        "macro_f1": lambda truth, said: float(f1_score(truth, said, average="macro", **known)),
        "weighted_f1": lambda truth, said: float(f1_score(truth, said, average="weighted", **known)),
        "mcc": matthews_corrcoef,
    }
    for metric, score in scores.items():
        low, high = np.quantile([score(truth, said) for truth, said in drawn], [0.1, 0.9])
        assert (made[metric].low, made[metric].high) == pytest.approx((low, high), abs=1e-9)


def slow_pairs(
    build: Build, rows: Rows, gold: dict[str, str], unit: str, *, people: Any, times: Any
) -> tuple[list[str], list[str]]:
    """Gold and answers of one draw, people and items copied as often as they were drawn; a tie is an answer `tie`."""
    copies = [
        (f"{item}-{copy}", f"{person}-{twin}", answer)
        for item, person, answer in rows
        for copy in range(times["ijklmnopqrst".index(item)])
        for twin in range(people["abcde".index(person)])
    ]
    if unit == "individual":
        return [gold[row[0][0]] for row in copies], [row[2] for row in copies]
    method: Any = unit
    labels = build_label_consensus(build(copies, classes="xyz"), method=method, ties="drop").labels["label"]
    return [gold[str(item)[0]] for item in labels.index], [label or "tie" for label in labels]


def slow_share(
    drawn: Rows, gold: dict[str, str], groups: dict[str, str], times: dict[str, int], *, plurality: bool
) -> float:
    right, total = 0.0, 0.0
    for item, truth in gold.items():
        votes = Counter(answer for voted, _, answer in drawn if voted == item)
        weight = times[groups[item]]
        if plurality and votes:
            best = max(votes.values())
            right += weight * ([answer for answer in votes if votes[answer] == best] == [truth])
            total += weight
        elif votes:
            right += weight * votes[truth]
            total += weight * votes.total()
    return right / total if total else float("nan")


def test_items_of_one_group_are_not_independent(votes_of: Build) -> None:
    """When whole groups are right or wrong, drawing groups widens every interval and the text says what was drawn."""
    rows = [(f"{g}{n}", p, "x" if g < "d" else "y") for g in "abcdef" for n in range(9) for p in "pqrst"]
    gold = {row[0]: "x" for row in rows}
    apart = score_labels(votes_of(rows, classes="xy", gold=gold), n_resamples=300)
    together = score_labels(
        votes_of(rows, classes="xy", gold=gold, groups={item: item[0] for item in gold}), n_resamples=300
    )
    for one, two in zip(apart.units, together.units, strict=True):
        low, wider = one["accuracy"].low, two["accuracy"].low
        assert low is not None
        assert wider is not None
        assert wider < low
        assert "groups of items" in two.ci_method
        assert "groups" not in one.ci_method


def test_many_votes_are_refitted_less_often(votes_of: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of refits is bounded by votes, from 200 on, and stands in the method; the labels are kept."""
    monkeypatch.setattr(scores, "MAX_REFITTED_VOTES", 100)
    made = score_labels(votes_of(some_rows(3), classes="xyz", gold=GOLD), n_resamples=300)
    assert made["dawid_skene"].ci_method == "crossed bootstrap, 200 draws over people and items, seed 0"
    assert made["majority"].ci_method == "crossed bootstrap, 300 draws over people and items, seed 0"
    assert made.dawid_skene is not None
    assert made.dawid_skene.method == "dawid_skene"


def test_options_that_differ_have_the_accuracy_alone(votes_of: Build) -> None:
    """Without shared classes there is no F1 and no MCC."""
    made = score_labels(votes_of(some_rows(3), gold=GOLD), n_resamples=10)
    assert {tuple(score.metric for score in unit.scores) for unit in made.units} == {("accuracy",)}
    assert made.dawid_skene is None


def test_few_people_and_few_groups_are_said(votes_of: Build) -> None:
    """Four people do not show how people vary; four groups give no interval at all."""
    four_people = score_labels(votes_of(some_rows(2, people="abcd"), classes="xyz", gold=GOLD), n_resamples=20)
    assert four_people["individual"].note == "Between-person variation is not estimable from 4 people."
    groups = dict(zip("ijklmn", "ABCDDD", strict=True))
    four_groups = score_labels(votes_of(some_rows(2), classes="xyz", gold=GOLD, groups=groups), n_resamples=20)
    assert {(unit["accuracy"].low, unit.ci_method, unit.note) for unit in four_groups.units} == {
        (None, "none", "No interval: 4 groups of items are fewer than the 5 to resample.")
    }


def test_a_majority_above_its_interval_is_explained(votes_of: Build) -> None:
    """Redrawn people tie where all people did not, which can leave the value outside; the note says so."""
    rng = np.random.default_rng(0)
    rows = [
        (f"i{n:03}", f"p{p:02}", "x" if k else "y") for n in range(300) for k, p in enumerate(rng.permutation(30)[:3])
    ]
    made = score_labels(votes_of(rows, gold={row[0]: "x" for row in rows}), n_resamples=200)["majority"]
    score = made["accuracy"]
    assert score.value == 1
    assert score.high is not None
    assert score.high < 1
    assert made.note.startswith("The value lies above its interval")


def test_no_gold_is_an_error_with_a_way_out(votes_of: Build) -> None:
    """No item with gold, and no vote on one, are different sentences."""
    with pytest.raises(HromadaError, match=r"No item has gold .* Declare gold or a truth file\."):
        score_labels(votes_of([("i", "a", "x")], classes="xy"))
    with pytest.raises(HromadaError, match="Nobody answered an item that has gold"):
        score_labels(votes_of([("i", "a", "x")], classes="xy", gold={"j": "x"}))
    with pytest.raises(HromadaError, match="Nobody answered"):
        score_labels(votes_of([], classes="xy", gold={"j": "x"}))


@pytest.mark.parametrize(("answer", "value"), [("x", 1.0), ("y", 0.0)])
def test_all_right_and_all_wrong_work(votes_of: Build, answer: str, value: float) -> None:
    """One annotator, one label: every unit has the same value and an interval of one point."""
    rows = [(item, "a", answer) for item in GOLD]
    made = score_labels(votes_of(rows, classes="xy", gold=dict.fromkeys(GOLD, "x")), n_resamples=20)
    scores = [unit["accuracy"] for unit in made.units]
    assert {(score.value, score.low, score.high) for score in scores} == {(value, value, value)}


def test_progress_rises_to_one_over_all_units(votes_of: Build) -> None:
    """The parts of the work add up, with three units as with two."""
    for classes in ("xyz", None):
        heard: list[float] = []
        score_labels(votes_of(some_rows(4), classes=classes, gold=GOLD), n_resamples=20, progress=heard.append)
        assert heard == sorted(heard)
        assert heard[-1] == 1
        assert len(heard) == (3 if classes else 2)


@settings(deadline=None, max_examples=15)
@given(rows=ROWS, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(votes_of: Build, rows: Rows, seed: int) -> None:
    """Every figure and both tables are identical."""
    votes = votes_of(rows, classes="xyz", gold=GOLD)
    shuffled = replace(votes, frame=votes.frame.sample(frac=1, random_state=seed).reset_index(drop=True))
    one, two = (score_labels(given, n_resamples=20, seed=seed) for given in (votes, shuffled))
    assert one.units == two.units
    pd.testing.assert_frame_equal(one.annotators, two.annotators, check_exact=True)


@settings(deadline=None, max_examples=25)
@given(rows=ROWS)
def test_new_names_change_no_count(votes_of: Build, rows: Rows) -> None:
    """Renaming labels (with gold) and people leaves totals, wrong answers and ties."""
    names = {"x": "r", "y": "p", "z": "q"}
    renamed = [(item, f"p{person}", names[answer]) for item, person, answer in rows]
    one = score_labels(votes_of(rows, gold=GOLD), n_resamples=5)
    two = score_labels(votes_of(renamed, gold={item: names[label] for item, label in GOLD.items()}), n_resamples=5)
    assert counted(one) == counted(two)


def skips_of(*rows: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item", "annotator"], dtype=object)


@pytest.mark.parametrize("classes", ["xyz", None])
def test_a_skip_is_wrong_and_no_vote(votes_of: Build, classes: str | None) -> None:
    """Three right answers, two skips: 3 of 5; the majority of i is right all the same, j that all skipped is wrong."""
    votes = votes_of(
        [("i", "a", "x"), ("k", "a", "z"), ("k", "b", "z")], classes=classes, gold={"i": "x", "k": "z", "j": "y"}
    )
    made = score_labels(votes, skips=skips_of(("i", "b"), ("j", "c")), n_resamples=10)
    assert counted(made)["individual"] == (5, 2, 0)
    assert counted(made)["majority"] == (3, 1, 0)
    assert made.annotators[["n", "right"]].to_numpy().tolist() == [[2, 2], [2, 1], [1, 0]]
    assert made.random_exact == 0.5
    if classes:
        assert counted(made)["dawid_skene"] == (3, 1, 0)


@pytest.mark.parametrize("classes", ["xyz", None])
def test_intervals_with_skips_equal_those_of_a_slow_loop(votes_of: Build, classes: str | None) -> None:
    """A draw in which an item was only skipped has it wrong; one in which nobody met it leaves it out."""
    names = "ijklmnopqrst"
    gold = {item: "x" if n % 3 else "y" for n, item in enumerate(names)}
    rows = [row for n, row in enumerate(some_rows(1, items=names)) if n % 4 and row[0] not in "ij"]
    passed = [(item, "a") for item in "ijkl"] + [("i", "f"), ("m", "b")]
    made = score_labels(votes_of(rows, classes=classes, gold=gold), skips=skips_of(*passed), n_resamples=40, seed=6)
    of_people, of_items = np.random.default_rng(6).spawn(2)
    people = draw_people(of_people, n_draws=40, rows=rows, more=["f"])
    times = draw_unit_counts(of_items, n_units=12, n_draws=40).astype(int)
    shares: dict[str, list[float]] = {unit.unit: [] for unit in made.units}
    for draw in range(40):
        twice = range(max(people[draw]))
        items = [(item, f"{item}-{copy}") for item, n in zip(names, times[draw], strict=True) for copy in range(n)]
        given = {(who, twin) for who, n in zip("abcdef", people[draw], strict=True) for twin in twice if twin < n}
        drawn = [
            (copy, f"{who}-{twin}", said)
            for item, copy in items
            for voted, who, said in rows
            for twin in twice
            if voted == item and (who, twin) in given
        ]
        skipped = [copy for item, copy in items for met, who in passed if met == item for w, _ in given if w == who]
        right = [said == gold[item[0]] for item, _, said in drawn]
        shares["individual"].append(sum(right) / (len(right) + len(skipped)))
        for unit in set(shares) - {"individual"}:
            labels = build_label_consensus(votes_of(drawn, classes=classes), method=unit, ties="drop").labels["label"]  # type: ignore[arg-type]
            told = dict.fromkeys(skipped) | dict(labels.items())
            shares[unit].append(sum(label == gold[str(item)[0]] for item, label in told.items()) / len(told))
    for unit, found in shares.items():
        score = made[unit]["accuracy"]
        assert (score.low, score.high) == pytest.approx(tuple(np.quantile(found, [0.025, 0.975]))), unit
    assert made["majority"].n_annotators == 6


def test_units_beside_the_individual_one_can_be_left_out(votes_of: Build) -> None:
    """Dawid-Skene is neither fitted nor refused where it was not asked for."""
    votes = votes_of(some_rows(3), classes="xyz", gold=GOLD)
    made = score_labels(votes, n_resamples=20, units=("individual", "majority"))
    assert [unit.unit for unit in made.units] == ["individual", "majority"]
    assert (made.refused, made.dawid_skene) == ({}, None)
    assert made.units == score_labels(votes, n_resamples=20).units[:2]
