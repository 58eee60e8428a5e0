"""Agreement of each annotator with the others, against labels made without their own votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from aggregation.agreement.people import MOST_REFITS, compute_agreement_with_others
from aggregation.consensus.methods import build_label_consensus
from aggregation.schema import Votes
from aggregation.scores.labels import score_labels

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]


def flip_coins(n_items: int, *, n_people: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    return [(f"i{n:02d}", f"p{who:02d}", "xy"[rng.integers(2)]) for n in range(n_items) for who in range(n_people)]


def draw_votes(*, n_items: int, n_people: int, per_item: int, accuracy: float, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    rows: Rows = []
    for n in range(n_items):
        truth = rng.integers(2)
        chosen = rng.choice(n_people, per_item, replace=False)
        said = np.where(rng.random(per_item) < accuracy, truth, 1 - truth)
        rows += [(f"i{n:03d}", f"p{who:02d}", "xy"[answer]) for who, answer in zip(chosen, said, strict=True)]
    return rows


def test_coins_agree_with_each_other_as_coins_do(votes_of: Build) -> None:
    """Held against their own majority 60 flips score 100 % and about 75 %; without the own vote it is a half."""
    rows = flip_coins(20, n_people=3, seed=3)
    majority = build_label_consensus(votes_of(rows, classes="xy"), method="majority", ties="drop").labels["label"]
    circular = score_labels(votes_of(rows, classes="xy", gold=majority.to_dict()))
    assert circular["majority"].primary.value == 1.0
    assert 0.65 < (circular["individual"].primary.value or 0) < 0.85
    many = [
        compute_agreement_with_others(votes_of(flip_coins(20, n_people=3, seed=seed), classes="xy"))
        for seed in range(40)
    ]
    for method in ("majority", "dawid_skene"):
        assert np.mean([table[method].mean() for table in many]) == pytest.approx(0.5, abs=0.04)


def test_the_majority_of_the_others_is_exact(votes_of: Build) -> None:
    """Each vote against the labels that lead without its author, two votes of whom on an item are both left out."""
    rows = draw_votes(n_items=60, n_people=9, per_item=4, accuracy=0.7, seed=1)
    rows += [("i000", rows[0][1], "y"), ("alone", "p00", "x")]
    table = compute_agreement_with_others(votes_of(rows, classes="xy"))
    for name in table.index:
        shares = []
        for item, who, said in rows:
            if who != name:
                continue
            others = Counter(answer for other, voter, answer in rows if other == item and voter != name)
            top = [answer for answer, n in others.items() if n == max(others.values())]
            shares += [(said in top) / len(top)] if others else []
        assert table.loc[name, "n"] == len(shares)
        assert table.loc[name, "majority"] == pytest.approx(np.mean(shares))


@pytest.mark.slow
def test_dawid_skene_is_fitted_without_the_person(votes_of: Build) -> None:
    """With few people the labels are those of a fit that never saw the person's votes."""
    votes = votes_of(draw_votes(n_items=80, n_people=6, per_item=4, accuracy=0.8, seed=2), classes="xy")
    table = compute_agreement_with_others(votes)
    for name in table.index:
        own = votes.frame.loc[votes.frame["annotator"] == name]
        others = replace(votes, frame=votes.frame.loc[votes.frame["annotator"] != name])
        labels = build_label_consensus(others, method="dawid_skene", ties="drop").labels["label"]
        assert table.loc[name, "dawid_skene"] == pytest.approx((own["answer"] == own["item"].map(labels)).mean())


def test_many_people_keep_the_others_skills(votes_of: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above 50 people nothing is fitted again; with 60 votes a person it is near to what refitting gives."""
    rows = draw_votes(n_items=600, n_people=MOST_REFITS + 10, per_item=6, accuracy=0.8, seed=4)
    fixed = compute_agreement_with_others(votes_of(rows, classes="xy"))
    monkeypatch.setattr("aggregation.agreement.people.MOST_REFITS", 1000)
    refitted = compute_agreement_with_others(votes_of(rows, classes="xy"))
    assert not fixed["dawid_skene"].equals(refitted["dawid_skene"])
    assert (fixed["dawid_skene"] - refitted["dawid_skene"]).abs().mean() < 0.02
    assert (fixed["n"] == refitted["n"]).all()


def test_who_met_nobody_has_no_agreement(votes_of: Build) -> None:
    """No number rather than 0, and no Dawid-Skene where options differ from item to item."""
    table = compute_agreement_with_others(votes_of([("i", "a", "x"), ("j", "b", "y"), ("j", "c", "y")]))
    assert table["n"].to_dict() == {"a": 0, "b": 1, "c": 1}
    assert table["majority"].isna().to_dict() == {"a": True, "b": False, "c": False}
    assert table["dawid_skene"].isna().all()
