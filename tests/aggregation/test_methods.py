"""The methods beside majority and Dawid-Skene: what each gives, needs, refuses and warns of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.consensus import methods
from aggregation.consensus.consensus import compute_label_accuracy
from aggregation.consensus.methods import Method, build_label_consensus, derive_anchors_and_skills
from aggregation.consensus.skills import compute_control_skills, fit_one_coin
from aggregation.errors import HromadaError, Refused
from aggregation.schema import Votes

Build = Callable[..., Votes]
ROWS = st.lists(
    st.tuples(st.sampled_from("ijkl"), st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=25
)
QUICK: tuple[Method, ...] = ("wawa", "dawid_skene", "one_coin_dawid_skene", "one_coin")
LEARNED: tuple[Method, ...] = (*QUICK, "glad")


def crowd(build: Build, *, items: int = 60, classes: Any = "xyz", seed: int = 0) -> Votes:
    """Four people who are right nine times of ten, and a fifth who guesses."""
    rng = np.random.default_rng(seed)
    gold = {f"i{number:03}": "xyz"[rng.integers(3)] for number in range(items)}
    rows = [
        (item, person, truth if rng.random() < (0.9 if person != "e" else 0.1) else "xyz"[rng.integers(3)])
        for item, truth in gold.items()
        for person in "abcde"
    ]
    return build(rows, classes=classes, gold=gold, n_options=3)


@pytest.mark.parametrize("method", [*LEARNED, "majority", "gold_majority", "skills"])
def test_every_method_finds_the_truth_of_an_honest_crowd(votes_of: Build, method: Method) -> None:
    """Nearly all labels are right, who guesses is weighed less, and the making travels with every label."""
    votes = crowd(votes_of)
    gold = votes.items["gold"].iloc[:20]
    more = {"gold_majority": {"anchors": gold}, "skills": {"skills": compute_control_skills(votes)}}.get(method, {})
    made = build_label_consensus(votes, method=method, ties="drop", **more)  # type: ignore[arg-type]
    score = compute_label_accuracy(made, votes.items["gold"]).value
    assert score is not None
    assert score > 0.94
    if made.skills is not None:
        assert made.skills.idxmin() == "e"
    table = made.to_published()
    assert set(table["method"]) == {made.provenance}
    assert made.provenance.startswith(f"{method} (")
    assert made.provenance.endswith("ties: drop")
    assert set(table["warning"]) == {" ".join(made.warnings)}


@pytest.mark.parametrize(
    "method", ["wawa", "dawid_skene", "one_coin_dawid_skene", pytest.param("glad", marks=pytest.mark.slow)]
)
def test_posteriors_are_crowd_kits_own(real: Build, method: Method) -> None:
    """The numbers are those that crowd-kit gives for the same votes under their own names."""
    from crowdkit import aggregation as crowdkit

    votes = real("CF")
    model: Any = {
        "wawa": crowdkit.Wawa(),
        "dawid_skene": crowdkit.DawidSkene(n_iter=100),
        "one_coin_dawid_skene": crowdkit.OneCoinDawidSkene(n_iter=100),
        "glad": crowdkit.GLAD(n_iter=100),
    }[method]
    frame = votes.frame.set_axis(["task", "worker", "label"], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, about how Wawa asks whether it is fitted
        expected = model.fit_predict_proba(frame.sort_values(["task", "worker", "label"])).sort_index()
    made = build_label_consensus(votes, method=method, ties="drop")
    assert made.posteriors is not None
    own = made.posteriors[list(expected.columns)].to_numpy()
    np.testing.assert_allclose(own, expected.to_numpy(), atol=1e-9)


def test_gold_items_anchor_dawid_skene(votes_of: Build) -> None:
    """Where two camps contradict each other everywhere, gold on a few items tells which is right on the others."""
    rows = [(f"i{number}", person, "xy"[(number % 2) ^ (person > "b")]) for number in range(12) for person in "abcd"]
    votes = votes_of(rows, classes="xy")
    alone = build_label_consensus(votes, method="dawid_skene", ties="drop")
    anchors = pd.Series({f"i{number}": "xy"[number % 2] for number in range(4)} | {"i4": None, "unseen": "x"})
    made = build_label_consensus(votes, method="dawid_skene", ties="drop", anchors=anchors)
    assert alone.labels["tie"].all()
    assert made.labels["label"].to_dict() == {f"i{number}": "xy"[number % 2] for number in range(12)}
    assert made.n_anchors == 4
    assert "4 gold anchors" in made.provenance


def test_an_anchor_that_nobody_voted_for_is_left_out(votes_of: Build) -> None:
    """crowd-kit would make no number of it; the warning says so."""
    votes = crowd(votes_of, classes="xyzw")
    made = build_label_consensus(
        votes, method="dawid_skene", ties="drop", anchors=pd.Series({"i000": "w", "i001": "x"})
    )
    assert made.n_anchors == 1
    assert made.warnings == ("1 gold anchors name a label that nobody gave and are left out.",)
    with pytest.raises(HromadaError, match="gold says 'q', which is not a declared label"):
        build_label_consensus(votes, method="dawid_skene", ties="drop", anchors=pd.Series({"i000": "q"}))


def test_anchors_are_held_by_the_sparse_fit_as_by_crowd_kit(votes_of: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same posteriors on both sides of the number of votes at which the sparse fit takes over, which it says."""
    votes = crowd(votes_of)
    anchors = votes.items["gold"].iloc[:10]
    one = build_label_consensus(votes, method="dawid_skene", ties="drop", anchors=anchors)
    monkeypatch.setattr(methods, "MAX_CROWDKIT_VOTES", 10)
    two = build_label_consensus(votes, method="dawid_skene", ties="drop", anchors=anchors)
    assert one.posteriors is not None
    assert two.posteriors is not None
    np.testing.assert_allclose(one.posteriors, two.posteriors, atol=1e-9)
    assert (one.iterations, one.converged, one.n_anchors) == (two.iterations, two.converged, two.n_anchors)
    assert two.version == "hromada sparse Dawid-Skene 1, stop: crowdkit"
    assert two.warnings[0] == "More than 10 votes: fitted by the sparse Dawid-Skene instead of crowd-kit's."


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("wawa", {"classes": None}, r"Wawa needs the same labels .* Use majority or one_coin"),
        ("glad", {"classes": None}, r"GLAD needs the same labels"),
        ("rover", {}, r"ROVER is made of texts, and labels are not texts\. Use majority\."),
        ("gold_majority", {}, r"5 annotators have none, 'a' among them\. Use wawa or majority\."),
    ],
)
def test_a_refusal_names_what_fits(votes_of: Build, method: Method, options: dict[str, Any], message: str) -> None:
    """The reason and the alternative, in one sentence each."""
    with pytest.raises(Refused, match=message):
        build_label_consensus(crowd(votes_of, **options), method=method, ties="drop")


def test_known_labels_are_refused_where_they_would_be_ignored(votes_of: Build) -> None:
    """A method that cannot use gold does not take it silently."""
    votes = crowd(votes_of)
    with pytest.raises(Refused, match="GLAD cannot take known labels into account"):
        build_label_consensus(votes, method="glad", ties="drop", anchors=votes.items["gold"])


def test_skills_are_needed_and_must_be_shares(votes_of: Build) -> None:
    """No skills, too few, and one that says a person never errs."""
    votes = crowd(votes_of)
    with pytest.raises(HromadaError, match="needs the skills"):
        build_label_consensus(votes, method="skills", ties="drop")
    with pytest.raises(Refused, match="4 annotators have no skill, 'b' among them"):
        build_label_consensus(votes, method="skills", ties="drop", skills=pd.Series({"a": 0.5}))
    with pytest.raises(HromadaError, match="between 0 and 1, both excluded"):
        build_label_consensus(votes, method="skills", ties="drop", skills=pd.Series(dict.fromkeys("abcde", 1.0)))


@pytest.mark.parametrize(
    ("answers", "label", "confidence"),
    [
        ([("a", 0.7, "OK"), ("b", 0.9, "OK")], "OK", 0.976744),
        ([("a", 0.7, "OK"), ("b", 0.9, "BAD")], "BAD", 0.760563),
        ([("a", 0.7, "OK"), ("b", 0.9, "BAD"), ("c", 0.8, "BAD")], "BAD", 0.962138),
    ],
)
@pytest.mark.parametrize("classes", [("OK", "BAD", "404"), None])
def test_tolokas_worked_example(
    votes_of: Build, answers: list[tuple[str, float, str]], label: str, confidence: float, classes: Any
) -> None:
    """Three options, skills of 70, 90 and 80 percent; closed labels and options of the item's own alike."""
    votes = votes_of([("i", person, answer) for person, _, answer in answers], classes=classes, n_options=3)
    skills = pd.Series({person: skill for person, skill, _ in answers})
    made = build_label_consensus(votes, method="skills", ties="drop", skills=skills)
    assert made.labels["label"].item() == label
    assert made.labels["confidence"].item() == pytest.approx(confidence, abs=5e-7)


def test_control_skills_are_smoothed(votes_of: Build) -> None:
    """(K + right) / (2 K + total) with K one half; who met no control item has one half."""
    votes = votes_of([("i", "a", "x"), ("j", "a", "y"), ("i", "b", "y"), ("free", "c", "x")], gold={"i": "x", "j": "y"})
    assert compute_control_skills(votes).to_dict() == {"a": 2.5 / 3, "b": 0.5 / 2, "c": 0.5}


def test_the_one_coin_posterior_has_each_items_own_options(votes_of: Build) -> None:
    """Two contradicting votes of equally good people leave more doubt where there are more options to hide in."""
    rows = [(f"i{number}", person, f"right {number}") for number in range(20) for person in "ab"]
    rows += [("two", "a", "p"), ("two", "b", "q"), ("ten", "a", "p"), ("ten", "b", "q")]
    options = {row[0]: 10 if row[0] == "ten" else 2 for row in rows}
    votes = votes_of(rows, n_options=options)
    made = build_label_consensus(votes, method="one_coin", ties="drop")
    confidence = made.labels["confidence"].to_dict()
    assert made.labels["label"].to_dict()["i0"] == "right 0"
    assert confidence["i0"] > 0.99
    assert made.labels["tied"].to_dict()["two"] == ("p", "q")
    assert confidence["two"] == pytest.approx(0.5)
    assert 0.4 < confidence["ten"] < 0.5
    assert made.converged
    fit = fit_one_coin(votes)
    pairs = fit.pairs
    total = np.bincount(pairs.item, weights=fit.posterior)
    unseen = pairs.options - np.bincount(pairs.item)
    np.testing.assert_allclose(total + unseen * fit.unchosen, 1)


def test_weightless_people_leave_the_plain_shares(votes_of: Build) -> None:
    """Who never agrees with any majority has no weight; an item that only they answered is decided by its votes."""
    rows = [(f"i{number}", person, "x") for number in range(4) for person in "ab"]
    rows += [(f"i{number}", "c", "y") for number in range(4)]
    votes = votes_of([*rows, ("j", "c", "y")], classes="xy", gold={f"i{number}": "x" for number in range(4)})
    made = build_label_consensus(votes, method="gold_majority", ties="drop", anchors=votes.items["gold"])
    assert made.labels["label"].to_dict()["j"] == "y"
    assert made.warnings == ("1 items were answered only by people without weight; plain shares of votes decide them.",)


def test_inner_ties_of_wawa_are_told(votes_of: Build) -> None:
    """crowd-kit settles the first majority alphabetically, whatever tie rule is asked for."""
    made = build_label_consensus(votes_of([("i", "a", "x"), ("i", "b", "y")], classes="xy"), method="wawa", ties="drop")
    assert made.labels["label"].item() == "x"
    assert "1 items were tied when the first majority was taken" in made.warnings[0]


def test_glad_is_refused_for_what_would_take_hours(votes_of: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names a method that serves as many votes."""
    from aggregation.consensus import methods

    monkeypatch.setattr(methods, "MAX_GLAD_VOTES", 100)
    with pytest.raises(Refused, match=r"minutes to hours .* Use dawid_skene or majority"):
        build_label_consensus(crowd(votes_of), method="glad", ties="drop")


@pytest.mark.parametrize(
    "rows",
    [
        [("i", "a", "x")],
        [("i", "a", "x"), ("j", "b", "y")],
        [("i", "a", "x"), ("i", "a", "y"), ("i", "b", "z"), ("j", "b", "z")],
    ],
    ids=["one vote", "no overlap", "repeats"],
)
def test_glad_bears_the_poorest_votes_in_any_order(votes_of: Build, rows: list[tuple[str, str, str]]) -> None:
    """One label alone is certain; else posteriors are shares and the order of rows is no input."""
    one, two = (
        build_label_consensus(votes_of(given, classes="wxyz"), method="glad", ties="drop")
        for given in (rows, rows[::-1])
    )
    pd.testing.assert_frame_equal(one.labels, two.labels, check_exact=True)
    assert one.posteriors is not None
    np.testing.assert_allclose(one.posteriors.sum(axis=1), 1)


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, method=st.sampled_from(QUICK))
def test_posteriors_are_shares_whatever_the_votes(
    votes_of: Build, rows: list[tuple[str, str, str]], method: Method
) -> None:
    """No vote table, however poor, gives a number that is no share, or a label that nobody declared."""
    made = build_label_consensus(votes_of(rows, classes="xyzw", n_options=4), method=method, ties="alphabetical")
    assert made.posteriors is not None
    assert np.isfinite(made.posteriors.to_numpy()).all()
    assert (made.posteriors.to_numpy() >= 0).all()
    np.testing.assert_allclose(made.posteriors.sum(axis=1), 1, atol=1e-9)
    assert set(made.labels["label"]) <= set("xyzw")


@settings(deadline=None, max_examples=limit_examples(30))
@given(rows=ROWS)
def test_the_one_coin_posterior_knows_no_names(votes_of: Build, rows: list[tuple[str, str, str]]) -> None:
    """Labels and people renamed, items copied: the same posteriors."""
    names = {"x": "r", "y": "p", "z": "q"}
    one = build_label_consensus(votes_of(rows, n_options=3), method="one_coin", ties="drop").labels["confidence"]
    renamed = [(item, f"p{person}", names[answer]) for item, person, answer in rows]
    two = build_label_consensus(votes_of(renamed, n_options=3), method="one_coin", ties="drop").labels["confidence"]
    assert one.to_dict() == pytest.approx(two.to_dict(), abs=1e-6)


def test_gold_that_nobody_gave_counts_as_everybodys_mistake(votes_of: Callable[..., Votes]) -> None:
    """An anchor whose label no vote has still weighs people: they were wrong on it; nobody is left without a skill."""
    rows = [("i1", "ann", "a"), ("i1", "bob", "b"), ("i2", "bob", "b"), ("i2", "eve", "b"), ("i3", "eve", "a")]
    votes = votes_of(rows, classes=("a", "b", "c"), gold={"i1": "c", "i2": "b"}, n_options=3)
    anchors, skills = derive_anchors_and_skills(votes, method="gold_majority")
    found = build_label_consensus(votes, method="gold_majority", ties="drop", anchors=anchors, skills=skills)
    assert found.skills is not None
    assert found.skills.to_dict() == {"ann": 0.0, "bob": 0.5, "eve": 1.0}


@pytest.mark.parametrize("method", ["skills", "gold_majority"])
def test_methods_that_need_gold_refuse_votes_without(votes_of: Callable[..., Votes], method: Method) -> None:
    """Without one item that has gold and votes there is nothing to weigh people by."""
    votes = votes_of([("i1", "ann", "a"), ("i1", "bob", "b")], classes=("a", "b"))
    with pytest.raises(Refused, match="Nobody answered an item that has gold"):
        derive_anchors_and_skills(votes, method=method)
