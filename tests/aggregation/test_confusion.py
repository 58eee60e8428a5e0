"""Confusion matrices and the scores of classes, against scikit-learn and by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from aggregation.consensus.methods import build_label_consensus
from aggregation.schema import Votes
from aggregation.scores.labels import NO_LABEL, compute_class_scores, count_consensus, count_single_answers

Build = Callable[..., Votes]
NO_SKIPS = pd.DataFrame({"item": [], "annotator": []}, dtype=object)


def test_single_answers_are_as_scikit_learn_counts_them(votes_of: Build) -> None:
    """The matrix, precision, recall, F1 and support of three classes."""
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    rng = np.random.default_rng(0)
    gold = {f"i{n}": "xyz"[rng.integers(3)] for n in range(50)}
    rows = [
        (item, who, truth if rng.random() < 0.7 else "xyz"[rng.integers(3)])
        for item, truth in gold.items()
        for who in "ab"
    ]
    made = count_single_answers(votes_of(rows, classes="xyz", gold=gold, n_options=3), NO_SKIPS)
    truth, said = [gold[item] for item, _, _ in rows], [answer for _, _, answer in rows]
    assert made[list("xyz")].to_numpy().tolist() == confusion_matrix(truth, said, labels=list("xyz")).tolist()
    scores = compute_class_scores(made)
    expected = np.array(precision_recall_fscore_support(truth, said, labels=list("xyz"), zero_division=np.nan))
    assert pytest.approx(expected) == scores[["precision", "recall", "f1", "support"]].to_numpy().T


def test_ties_skips_and_items_without_gold(votes_of: Build) -> None:
    """A tie counts a share for each label, a skip has no label, and what has no gold is left out."""
    rows = [("i", "a", "x"), ("i", "b", "y"), ("j", "a", "y"), ("j", "b", "y"), ("free", "a", "x")]
    votes = votes_of(rows, classes="xyz", gold={"i": "x", "j": "x", "k": "y"}, n_options=3)
    skips = pd.DataFrame([("j", "c"), ("k", "c"), ("free", "c")], columns=["item", "annotator"], dtype=object)
    single = count_single_answers(votes, skips)
    assert single.loc["x"].to_dict() == {"x": 1, "y": 3, "z": 0, NO_LABEL: 1}
    assert single.loc["y"].to_dict() == {"x": 0, "y": 0, "z": 0, NO_LABEL: 1}
    majority = build_label_consensus(votes, method="majority", ties="drop")
    made = count_consensus(majority, votes, skips)
    assert made.loc["x"].to_dict() == {"x": 0.5, "y": 1.5, "z": 0, NO_LABEL: 0}
    assert made.loc["y"].to_dict() == {"x": 0, "y": 0, "z": 0, NO_LABEL: 1}


def test_undefined_stays_undefined(votes_of: Build) -> None:
    """A class that is neither gold nor answered has no score, one that is only gold no precision, and F1 0."""
    votes = votes_of([("i", "a", "x"), ("j", "a", "x")], classes="xyz", gold={"i": "x", "j": "y"}, n_options=3)
    scores = compute_class_scores(count_single_answers(votes, NO_SKIPS))
    assert list(scores.isna().to_numpy()[2]) == [True, True, True, False, False]
    assert scores.loc["y", "f1"] == 0
    assert scores["precision"].isna().to_dict() == {"x": False, "y": True, "z": True}
    assert scores["recall"].to_dict() == {"x": 1, "y": 0, "z": pytest.approx(np.nan, nan_ok=True)}
