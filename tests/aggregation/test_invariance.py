"""What consensus and scores may not depend on, for every answer type and method: names, order, and copies of items."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aggregation import schema
from aggregation.answer_types import ANSWER_TYPES, build_consensus, score_answers
from aggregation.answers import Answers
from aggregation.consensus.methods import Method
from aggregation.errors import Refused

TEXT = "Галина черепашка"
BOXES = ("а", "б", "в")
PEOPLE, ITEMS = "pqrs", ("i", "j", "k", "l")
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "label": ("x", "y", "z"),
    "own options": ("x", "y", "z"),
    "boxes": tuple(json.dumps(list(boxes), ensure_ascii=False) for boxes in ((), "а", "аб", "бв", "абв")),
    "text": ("Дніпро", "на Дніпрі", "дніпро.", "Дон"),
    "edit": ("Він пішов до школи", "Він пішов до школи.", "Він йшов до школи.", "Ходив до школи."),
    "span": tuple(
        json.dumps([{"start": start, "end": end, "text": TEXT[start:end]}], ensure_ascii=False)
        for start, end in ((0, 6), (0, 4), (7, 16), (5, 12))
    ),
}
COPY_DEPENDENT = {"glad", "dawid_skene", "one_coin", "skills"}
"""Skills of `one_coin` and `skills` are smoothed, and copies make them surer; crowd-kit's GLAD and Dawid-Skene stop
sooner or later where there are more votes.
"""
ALPHABETICAL = {"wawa", "glad"}
"""crowd-kit settles inner ties of these by the names of the classes, so names that keep their order are given."""


@dataclass(frozen=True)
class Given:
    """Votes by (item, person), and gold by item."""

    votes: Mapping[tuple[str, str], str]
    gold: Mapping[str, str]

    def rename(self, *, item: str = "", person: str = "", answers: Mapping[str, str] | None = None) -> Given:
        """With other names of items, people and answers."""
        new = answers or {}
        return Given(
            {(item + one, person + who): new.get(said, said) for (one, who), said in self.votes.items()},
            {item + one: new.get(said, said) for one, said in self.gold.items()},
        )

    def add_copies(self) -> Given:
        """With a copy of every item, which the same people answered the same."""
        copies = self.rename(item="copy of ")
        return Given({**self.votes, **copies.votes}, {**self.gold, **copies.gold})

    def build_answers(self, kind: str, *, shuffle: int | None = None, classes: Sequence[str] = "xyz") -> Answers:
        """The answers as a data set has them, the rows in their own order or shuffled."""
        rows = [(item, who, said) for (item, who), said in self.votes.items()]
        frame = pd.DataFrame(rows, columns=list(schema.VOTE_COLUMNS), dtype=object)
        if shuffle is not None:
            frame = frame.sample(frac=1, random_state=shuffle).reset_index(drop=True)
        index = pd.Index(sorted(self.gold), dtype=object, name="item")
        items = pd.DataFrame({"group": list(index), "gold": [self.gold[item] for item in index], "n_options": 3}, index)
        votes = schema.check_votes(frame, items=items.astype(object), classes=classes if kind == "label" else None)
        stored: Any = "label" if kind == "own options" else kind
        return Answers(
            kind=stored,
            votes=votes,
            boxes=BOXES if kind == "boxes" else None,
            texts=dict.fromkeys(self.gold, TEXT) if kind == "span" else {},
        )


@st.composite
def draw_votes(draw: st.DrawFn, kind: str) -> Given:
    """Votes of up to four people on up to four items; every item has gold."""
    said = st.sampled_from(ANSWERS[kind])
    votes = draw(st.dictionaries(st.tuples(st.sampled_from(ITEMS), st.sampled_from(PEOPLE)), said, min_size=1))
    return Given(votes, {item: draw(said) for item in sorted({item for item, _ in votes})})


def list_methods(kind: str) -> tuple[Method, ...]:
    """The methods that may fit a kind of answers."""
    stored: Any = "label" if kind == "own options" else kind
    return ANSWER_TYPES[stored].methods


CASES = [(kind, method) for kind in ANSWERS for method in list_methods(kind) if (kind, method) != ("boxes", "glad")]
"""GLAD on boxes is GLAD on labels, once for each box; so are the other methods."""


def find_labels(answers: Answers, method: Method) -> dict[str, tuple[set[str], float]] | None:
    """By item, the labels that are best, and their confidence; None where the method is refused."""
    try:
        labels = build_consensus(answers, method=method, ties="drop").labels
    except Refused:
        return None
    rows = zip(labels.index, labels["label"], labels["tied"], labels["confidence"], strict=True)
    return {item: (set(tied) or {label}, float(confidence)) for item, label, tied, confidence in rows}


def assert_equal(one: dict[str, tuple[set[str], float]] | None, two: dict[str, tuple[set[str], float]] | None) -> None:
    """The same labels with the same confidence; labels as good as tied may be told apart by rounding errors."""
    assert (one is None) == (two is None)
    if one is None or two is None:
        return
    assert one.keys() == two.keys()
    for item, (labels, confidence) in one.items():
        assert two[item][1] == pytest.approx(confidence, abs=1e-5), item
        assert labels == two[item][0] or labels & two[item][0], (item, labels, two[item])


def find_scores(answers: Answers) -> dict[str, tuple[int, int | None, dict[str, float | None]]]:
    """By unit, the total, the wrong ones, and the value of every metric."""
    made = score_answers(answers)
    return {
        unit.unit: (unit.total, unit.wrong, {score.metric: score.value for score in unit.scores}) for unit in made.units
    }


def assert_same_scores(
    one: dict[str, tuple[int, int | None, dict[str, float | None]]],
    two: dict[str, tuple[int, int | None, dict[str, float | None]]],
    *,
    times: int = 1,
) -> None:
    """The same values, of so many times as many answers."""
    assert one.keys() == two.keys()
    for unit, (total, wrong, values) in one.items():
        assert two[unit][:2] == (times * total, None if wrong is None else times * wrong), unit
        assert two[unit][2] == pytest.approx(values, abs=1e-9, nan_ok=True), unit


@pytest.mark.parametrize(
    ("kind", "method"),
    CASES,
)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_consensus_depends_on_no_name_no_order_and_no_copy(kind: str, method: Method, data: st.DataObject) -> None:
    """Rows shuffled, people and items renamed, every item copied: the same labels with the same confidence."""
    votes = data.draw(draw_votes(kind))
    found = find_labels(votes.build_answers(kind), method)
    assume(found is not None or data.draw(st.booleans()))
    assert_equal(found, find_labels(votes.build_answers(kind, shuffle=data.draw(st.integers(0, 99))), method))
    assert_equal(found, find_labels(votes.rename(person="another ").build_answers(kind), method))
    renamed = find_labels(votes.rename(item="z").build_answers(kind), method)
    assert_equal(found, None if renamed is None else {item[1:]: best for item, best in renamed.items()})
    if method not in COPY_DEPENDENT:
        copied = find_labels(votes.add_copies().build_answers(kind), method)
        for prefix in ("", "copy of "):
            part = None if copied is None else {item: copied[prefix + item] for item in found or {}}
            assert_equal(found, part)


def test_no_name_of_an_item_tips_votes_in_exact_balance() -> None:
    """Two people against two: summed in another order, crowd-kit's rounding once made a sure label of it."""
    said = {("i", "p"): "бв", ("i", "q"): "абв", ("i", "r"): "", ("i", "s"): "а"}
    said |= {("j", "p"): "", ("j", "q"): "абв", ("j", "r"): "абв", ("j", "s"): ""}
    said |= {("k", "p"): "а", ("k", "q"): "а", ("k", "r"): "бв", ("k", "s"): "абв"}
    said |= {("l", "p"): "а", ("l", "q"): "а", ("l", "r"): "аб", ("l", "s"): ""}
    boxes = {cell: json.dumps(list(ticked), ensure_ascii=False) for cell, ticked in said.items()}
    votes = Given(boxes, {item: json.dumps([]) for item in ITEMS})
    found = find_labels(votes.build_answers("boxes"), "dawid_skene")
    renamed = find_labels(votes.rename(item="z").build_answers("boxes"), "dawid_skene")
    assert renamed is not None
    assert_equal(found, {item[1:]: best for item, best in renamed.items()})


@pytest.mark.parametrize(
    "method",
    [method for kind, method in CASES if kind == "label"],
)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_consensus_renames_its_labels_with_the_classes(method: Method, data: st.DataObject) -> None:
    """Classes of other names: the same consensus in the new names, whichever comes first in the alphabet."""
    votes = data.draw(draw_votes("label"))
    new = ["p", "q", "r"] if method in ALPHABETICAL else data.draw(st.permutations("pqr"))
    names = dict(zip("xyz", new, strict=True))
    found = find_labels(votes.build_answers("label"), method)
    renamed = find_labels(votes.rename(answers=names).build_answers("label", classes=new), method)
    translated = {item: ({names[one] for one in best}, share) for item, (best, share) in (found or {}).items()}
    assert_equal(None if found is None else translated, renamed)


@pytest.mark.parametrize("kind", ANSWERS)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_scores_depend_on_no_name_and_no_order_and_copies_only_add_to_n(kind: str, data: st.DataObject) -> None:
    """Of every unit: individuals, the majority, and Dawid-Skene where it fits."""
    votes = data.draw(draw_votes(kind))
    found = find_scores(votes.build_answers(kind))
    assert_same_scores(found, find_scores(votes.build_answers(kind, shuffle=data.draw(st.integers(0, 99)))))
    assert_same_scores(found, find_scores(votes.rename(person="another ", item="z").build_answers(kind)))
    assert_same_scores(found, find_scores(votes.add_copies().build_answers(kind)), times=2)
