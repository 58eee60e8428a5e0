"""Consensus: the published accuracies, ties by every rule, and what may not change with the order of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.consensus import methods
from aggregation.consensus.consensus import TieRule, compute_label_accuracy
from aggregation.consensus.methods import Method, build_label_consensus
from aggregation.errors import HromadaError, Refused
from aggregation.schema import Votes

Build = Callable[..., Votes]
ROWS = st.lists(
    st.tuples(st.sampled_from("ijkl"), st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=30
)
CLOSED: tuple[Method, ...] = ("majority", "wawa", "dawid_skene", "one_coin_dawid_skene", "one_coin")
TIED = [("i", "a", "y"), ("i", "b", "x"), ("j", "a", "x"), ("j", "b", "x"), ("j", "c", "y")]


def shuffled(votes: Votes, seed: int) -> Votes:
    return replace(votes, frame=votes.frame.sample(frac=1, random_state=seed).reset_index(drop=True))


@pytest.mark.parametrize(
    ("name", "method", "ties", "expected"),
    [
        ("PARus", "majority", "drop", 0.984),
        ("PARus", "dawid_skene", "drop", 0.984),
        ("dog", "majority", "shared", 0.8222),
        ("dog", "dawid_skene", "drop", 0.8426),
        ("rte", "majority", "shared", 0.8969),
        ("rte", "dawid_skene", "drop", 0.9275),
        ("CF", "majority", "shared", 0.8822),
        ("CF", "dawid_skene", "drop", 0.83),
        ("SP_amt", "majority", "alphabetical", 0.944),
        ("SP_amt", "dawid_skene", "drop", 0.944),
        ("d_jn-product", "majority", "alphabetical", 0.8966),
        ("d_jn-product", "dawid_skene", "drop", 0.9397),
        ("s5_AdultContent", "majority", "alphabetical", 0.7628),
        ("s5_AdultContent", "dawid_skene", "alphabetical", 0.7658),
    ],
)
def test_accuracy_on_a_real_set_is_the_known_one(
    real: Build, name: str, method: Method, ties: TieRule, expected: float
) -> None:
    """The labels of a real data set are right as often as was found elsewhere."""
    votes = real(name)
    scored = compute_label_accuracy(build_label_consensus(votes, method=method, ties=ties), votes.items["gold"])
    assert scored.value == pytest.approx(expected, abs=5e-5)


def test_the_patients_of_1979_have_the_published_marginals(real: Build) -> None:
    """All three answers of the first observer count, and the class marginals are those of the paper."""
    made = build_label_consensus(real("patients"), method="dawid_skene", ties="drop")
    assert made.marginals is not None
    assert list(made.marginals) == ["1", "2", "3", "4"]
    assert list(made.marginals.values()) == pytest.approx([0.3996, 0.4220, 0.1118, 0.0667], abs=1e-3)
    assert made.labels["n_votes"].eq(7).all()
    settled = build_label_consensus(real("patients"), method="dawid_skene", ties="drop", stop="converged")
    assert settled.marginals is not None
    assert [round(share, 4) for share in settled.marginals.values()] == [0.3996, 0.4220, 0.1118, 0.0667]
    assert settled.converged
    assert settled.version.endswith("stop: converged")


@pytest.mark.parametrize(
    ("ties", "label", "right"),
    [("first", "y", 1.0), ("alphabetical", "x", 0.0), ("shared", None, 0.5), ("drop", None, 0)],
)
def test_a_tie_is_settled_by_the_named_rule(votes_of: Build, ties: TieRule, label: str | None, right: float) -> None:
    """Each rule gives its own label to a tie, and accuracy counts it accordingly."""
    made = build_label_consensus(votes_of(TIED, classes="xy"), method="majority", ties=ties)
    expected = pd.DataFrame(
        {
            "label": pd.Series([label, "x"], dtype=object),
            "confidence": [0.5, 2 / 3],
            "tie": [True, False],
            "tied": [("x", "y"), ()],
            "n_votes": [2, 3],
        }
    ).set_axis(pd.Index(["i", "j"], name="item"), axis=0)
    pd.testing.assert_frame_equal(made.labels, expected)
    scored = compute_label_accuracy(made, pd.Series({"i": "y", "j": None, "unseen": "x"}))
    assert (scored.right, scored.total, scored.value) == (right, 1, right)


def test_a_random_tie_depends_on_the_seed_and_the_item_alone(votes_of: Build) -> None:
    """Other items and the order of rows do not touch a draw, the seed does, and both labels come up."""
    rows = [(f"i{n}", person, answer) for n in range(60) for person, answer in (("a", "x"), ("b", "y"))]
    votes = votes_of(rows, classes="xy")
    drawn = build_label_consensus(votes, method="majority", ties="random", seed=1).labels["label"]
    again = build_label_consensus(shuffled(votes, 3), method="majority", ties="random", seed=1).labels["label"]
    fewer = build_label_consensus(votes_of(rows[:20], classes="xy"), method="majority", ties="random", seed=1).labels[
        "label"
    ]
    other = build_label_consensus(votes, method="majority", ties="random", seed=2).labels["label"]
    assert drawn.equals(again)
    assert drawn.loc[fewer.index].equals(fewer)
    assert not drawn.equals(other)
    assert 15 < drawn.eq("x").sum() < 45


def test_the_first_rule_reads_the_order_of_the_file(votes_of: Build) -> None:
    """`first` is the one rule for which the order of rows is an input, and third labels do not count."""
    rows = [("i", "a", "z"), ("i", "b", "y"), ("i", "c", "x"), ("i", "d", "y"), ("i", "e", "x")]
    assert (
        build_label_consensus(votes_of(rows, classes="xyz"), method="majority", ties="first").labels["label"].item()
        == "y"
    )
    assert (
        build_label_consensus(votes_of(rows[::-1], classes="xyz"), method="majority", ties="first")
        .labels["label"]
        .item()
        == "x"
    )


def test_dawid_skene_finds_a_tie_between_posteriors(votes_of: Build) -> None:
    """Two people who contradict each other everywhere leave every item open between their answers."""
    rows = [(item, person, answer) for item in "ij" for person, answer in (("a", "x"), ("b", "y"))]
    made = build_label_consensus(votes_of(rows, classes="xyz"), method="dawid_skene", ties="drop")
    assert made.labels["tie"].tolist() == [True, True]
    assert made.labels["tied"].tolist() == [("x", "y"), ("x", "y")]
    assert made.labels["confidence"].tolist() == pytest.approx([0.5, 0.5])


def test_majority_compares_within_an_item_where_options_differ(votes_of: Build) -> None:
    """Without shared classes there are labels, shares and ties, but no table of classes."""
    rows = [("i", "a", "cat"), ("i", "b", "cat"), ("i", "c", "ape"), ("j", "a", "sun"), ("j", "b", "moon")]
    made = build_label_consensus(votes_of(rows), method="majority", ties="alphabetical")
    assert made.labels["label"].tolist() == ["cat", "moon"]
    assert made.labels["tied"].tolist() == [(), ("moon", "sun")]
    assert made.labels["confidence"].tolist() == pytest.approx([2 / 3, 1 / 2])
    assert (made.posteriors, made.marginals, made.iterations, made.converged) == (None, None, None, None)


def test_dawid_skene_is_refused_where_options_differ(votes_of: Build) -> None:
    """The refusal says why and names the majority."""
    with pytest.raises(Refused, match=r"differ between items or are free text\. Use majority or one_coin"):
        build_label_consensus(votes_of([("i", "a", "cat")]), method="dawid_skene", ties="drop")


def test_no_votes_is_an_error_in_words(votes_of: Build) -> None:
    """Nothing to aggregate is said, not computed."""
    with pytest.raises(HromadaError, match=r"^There are no votes"):
        build_label_consensus(votes_of([], classes="xy"), method="majority", ties="drop")


@pytest.mark.parametrize(("method", "ties"), [("modus", "drop"), ("majority", "coin")])
def test_an_unknown_name_is_answered_with_the_known_ones(votes_of: Build, method: Method, ties: TieRule) -> None:
    """Names can come from a file, so they are checked when they are used."""
    with pytest.raises(HromadaError, match=r"There is no .* Use one of "):
        build_label_consensus(votes_of(TIED, classes="xy"), method=method, ties=ties)


def test_posteriors_have_every_declared_class_in_declared_order(votes_of: Build) -> None:
    """A class that nobody chose is a column of zeros."""
    made = build_label_consensus(votes_of(TIED, classes=["z", "y", "x"]), method="majority", ties="drop")
    assert made.posteriors is not None
    assert list(made.posteriors.columns) == ["z", "y", "x"]
    np.testing.assert_allclose(made.posteriors.to_numpy(), [[0, 1 / 2, 1 / 2], [0, 1 / 3, 2 / 3]])


def test_dawid_skene_posteriors_are_shares(real: Build) -> None:
    """Each row sums to one and the confidence is the label's posterior."""
    made = build_label_consensus(real("CF"), method="dawid_skene", ties="drop")
    assert made.posteriors is not None
    np.testing.assert_allclose(made.posteriors.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(made.posteriors.max(axis=1), made.labels["confidence"])
    assert made.version.startswith("crowd-kit 1.4.")


def test_an_unfinished_estimation_says_so(votes_of: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut short, the EM algorithm has not converged; few votes a person are doubted too."""
    rows = [(f"i{n}", person, "x" if (n * k) % 3 else "y") for n in range(9) for k, person in enumerate("abcd", 1)]
    monkeypatch.setattr(methods, "CROWDKIT_ITERATIONS", 2)
    made = build_label_consensus(votes_of(rows, classes="wxyz"), method="dawid_skene", ties="drop")
    assert (made.iterations, made.converged) == (2, False)
    assert made.warnings == (
        "The estimation had not converged after 2 iterations.",
        (
            "Annotators gave 9 votes in the median, fewer than the 16 cells of a confusion matrix of 4 labels: "
            "prefer the majority."
        ),
    )


def test_a_fall_of_the_bound_is_not_called_convergence(real: Build) -> None:
    """crowd-kit stops when its bound falls as when it settles; only the second converged."""
    kinds = {
        name: build_label_consensus(real(name), method="dawid_skene", ties="drop")
        for name in ("dog", "rte", "CF", "patients")
    }
    fell = {name for name, made in kinds.items() if any("fall of its bound" in said for said in made.warnings)}
    assert fell == {name for name, made in kinds.items() if not made.converged}
    assert 0 < len(fell) < len(kinds)


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, seed=st.integers(0, 99), method=st.sampled_from(CLOSED))
def test_the_order_of_rows_changes_nothing(
    votes_of: Build, rows: list[tuple[str, str, str]], seed: int, method: Method
) -> None:
    """Shuffled votes give the same labels, confidences and posteriors to the last bit."""
    votes = votes_of(rows, classes="xyz")
    one = build_label_consensus(votes, method=method, ties="random", seed=seed)
    two = build_label_consensus(shuffled(votes, seed), method=method, ties="random", seed=seed)
    pd.testing.assert_frame_equal(one.labels, two.labels, check_exact=True)
    assert one.posteriors is not None
    assert two.posteriors is not None
    pd.testing.assert_frame_equal(one.posteriors, two.posteriors, check_exact=True)


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, new=st.permutations("pqr"))
def test_new_names_give_the_same_majorities_renamed(
    votes_of: Build, rows: list[tuple[str, str, str]], new: list[str]
) -> None:
    """Renaming labels and people renames the labels and the ties and touches nothing else."""
    names = dict(zip("xyz", new, strict=True))
    renamed = [(item, f"p-{person}", names[answer]) for item, person, answer in rows]
    one = build_label_consensus(votes_of(rows, classes="xyz"), method="majority", ties="drop").labels
    two = build_label_consensus(votes_of(renamed, classes="pqr"), method="majority", ties="drop").labels
    assert [names.get(label) for label in one["label"]] == two["label"].tolist()
    assert [tuple(sorted(names[label] for label in tied)) for tied in one["tied"]] == two["tied"].tolist()
    assert one["confidence"].tolist() == two["confidence"].tolist()


@settings(deadline=None, max_examples=limit_examples(25))
@given(rows=ROWS)
def test_closed_and_open_labels_have_the_same_majorities(votes_of: Build, rows: list[tuple[str, str, str]]) -> None:
    """The majority is a matter within an item, whether the classes are declared or not."""
    closed = build_label_consensus(votes_of(rows, classes="xyz"), method="majority", ties="first").labels
    pd.testing.assert_frame_equal(closed, build_label_consensus(votes_of(rows), method="majority", ties="first").labels)


@pytest.mark.parametrize(
    ("method", "rows"),
    [
        ("majority", [("i", "a", "x"), ("j", "a", "y")]),
        ("dawid_skene", [("i", "a", "x"), ("j", "a", "y")]),
        ("majority", [("i", "a", "x"), ("i", "b", "x"), ("j", "b", "x")]),
        ("dawid_skene", [("i", "a", "x"), ("i", "b", "x"), ("j", "b", "x")]),
        ("majority", [("i", "a", "x"), ("j", "b", "y"), ("k", "c", "x")]),
    ],
)
def test_the_poorest_votes_give_their_own_labels(
    votes_of: Build, rows: list[tuple[str, str, str]], method: Method
) -> None:
    """One annotator, one label, no overlap: with nothing to weigh against them, answers become the labels."""
    labels = build_label_consensus(votes_of(rows, classes="xy"), method=method, ties="drop").labels["label"]
    assert labels.to_dict() == {item: answer for item, _, answer in rows}


def test_dawid_skene_without_overlap_follows_the_prior_and_is_doubted(votes_of: Build) -> None:
    """A single vote tells nothing about its annotator, so crowd-kit labels by the prior; the warning says why."""
    rows = [("i", "a", "x"), ("j", "b", "y"), ("k", "c", "x")]
    made = build_label_consensus(votes_of(rows, classes="xy"), method="dawid_skene", ties="drop")
    assert made.labels["label"].tolist() == ["x", "x", "x"]
    assert made.warnings == (
        (
            "Annotators gave 1 votes in the median, fewer than the 4 cells of a confusion matrix of 2 labels: "
            "prefer the majority."
        ),
        "The label 'y' has 33 % of the votes and not one item: compare with the majority.",
        (
            "3 of 3 annotators met items of one label only, so this fit knows nothing of their answers to another"
            " label: where they alone answered, use the majority."
        ),
    )
