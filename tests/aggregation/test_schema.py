"""Votes are checked once, with sentences that name what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from aggregation import schema
from aggregation.errors import HromadaError

ITEMS = pd.DataFrame({"group": ["g", "h"], "gold": ["x", None], "n_options": [2, 2]}, index=["i", "j"])


def frame(*rows: tuple[str | None, str, str]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(schema.VOTE_COLUMNS))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (frame(("i", "a", "x")).drop(columns="answer"), "The votes lack the column answer."),
        (frame((None, "a", "x")), "A vote has an empty cell."),
        (frame(("k", "a", "x")), "A vote names the item 'k', which is not among the items."),
        (frame(("i", "a", "q")), "A vote says 'q', which is not a declared label."),
    ],
)
def test_a_bad_vote_is_named(given: pd.DataFrame, message: str) -> None:
    """The sentence says what is wrong and where."""
    with pytest.raises(HromadaError) as caught:
        schema.check_votes(given, items=ITEMS, classes="xy")
    assert caught.value.problem == message


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (ITEMS.drop(columns="gold"), "The items lack the column gold."),
        (pd.concat([ITEMS, ITEMS]), "The item 'i' is there twice."),
        (ITEMS.assign(n_options=[2, 1]), "The item 'j' has fewer than two options."),
        (ITEMS.assign(group=pd.Series({"i": "g"})), "The item 'j' has no group."),
    ],
)
def test_a_bad_item_is_named(items: pd.DataFrame, message: str) -> None:
    """Items are checked as votes are."""
    with pytest.raises(HromadaError) as caught:
        schema.check_votes(frame(("i", "a", "x")), items=items, classes="xy")
    assert caught.value.problem == message


def test_crowdkit_gets_sorted_codes_in_its_own_words() -> None:
    """Whatever the order of the file and the names, the aggregators see one order."""
    given = schema.check_votes(frame(("j", "a", "x"), ("i", "b", "x"), ("i", "a", "y")), items=ITEMS, classes="yx")
    coded = given.encode()
    assert list(coded.to_crowdkit().itertuples(index=False, name=None)) == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    assert list(coded.to_crowdkit().columns) == ["task", "worker", "label"]
    assert (coded.item_ids.tolist(), coded.annotator_ids.tolist(), coded.labels) == (["i", "j"], ["a", "b"], ("x", "y"))


def test_the_first_votes_of_each_item_are_taken_in_order() -> None:
    """The order of the frame is that of assignment; items with fewer votes keep them."""
    given = schema.check_votes(
        frame(("i", "a", "x"), ("j", "a", "y"), ("i", "b", "y"), ("i", "c", "x")), items=ITEMS, classes="xy"
    )
    kept = given.first_votes(2).frame
    assert list(kept.itertuples(index=False, name=None)) == [("i", "a", "x"), ("j", "a", "y"), ("i", "b", "y")]


@pytest.mark.parametrize(
    ("classes", "level", "message"),
    [
        (None, "ordinal", "Options that differ from item to item have no ordinal level."),
        ("xy", "interval", "The label 'x' is not a number, as the interval level needs."),
        (["x", "-1"], "ratio", "The label 'x' is not a number, as the ratio level needs."),
        (["-1", "x"], "ratio", "The label '-1' is below zero, which has no ratio."),
        (["nan", "x"], "interval", "The label 'nan' is not a number, as the interval level needs."),
        ("xy", "cardinal", "There is no level 'cardinal'."),
    ],
)
def test_a_level_that_the_labels_do_not_have_is_named(classes: Any, level: Any, message: str) -> None:
    """Numbers from interval on, none below zero for ratio, and no rank without shared classes."""
    with pytest.raises(HromadaError) as caught:
        schema.check_votes(frame(("i", "a", "x")), items=ITEMS, classes=classes, measurement_level=level)
    assert caught.value.problem == message


def test_classes_measure_ranks_or_their_own_numbers() -> None:
    """Ordinal classes are their places in declared order, interval ones the numbers that they name."""
    rows = frame(("i", "a", "10"))
    by_level = {
        level: schema.check_votes(rows, items=ITEMS, classes=["10", "2.5"], measurement_level=level).values().tolist()
        for level in ("nominal", "ordinal", "interval", "ratio")
    }
    assert by_level == {"nominal": [0, 1], "ordinal": [0, 1], "interval": [10, 2.5], "ratio": [10, 2.5]}


def test_closed_votes_are_counted_in_declared_order(votes_of: Callable[..., schema.Votes]) -> None:
    """One column a declared class, chosen or not; open options have none."""
    rows = [("i", "a", "x"), ("i", "b", "x"), ("j", "a", "y")]
    counts = schema.count_answers(votes_of(rows, classes="zyx"))
    assert counts.table.tolist() == [[0, 0, 2], [0, 1, 0]]
    assert (counts.items.tolist(), counts.answers) == (["i", "j"], ("z", "y", "x"))
    with pytest.raises(HromadaError, match="share no classes"):
        schema.count_answers(votes_of(rows))


def test_annotators_are_numbered_by_what_they_answered() -> None:
    """Other names and another order of votes give the same numbers; the same votes are told apart by name alone."""
    rows = [(f"i{n}", f"p{who}", "xyz"[(n * who + n) % 3]) for n in range(9) for who in range(7) if (n + who) % 3]
    votes = pd.DataFrame(rows, columns=["item", "annotator", "answer"])
    codes, names = schema.order_annotators(votes)
    assert sorted(set(codes)) == list(range(7))
    assert [names[code] for code in codes] == list(votes["annotator"])
    renamed = votes.assign(annotator=[f"{who[::-1]} інший" for who in votes["annotator"]]).iloc[::-1]
    others, other_names = schema.order_annotators(renamed)
    assert [str(name).removesuffix(" інший")[::-1] for name in other_names] == list(names)
    assert list(others)[::-1] == list(codes)
    assert list(names) != sorted(names)
    same = pd.DataFrame([("i", "b", "x"), ("i", "a", "x")], columns=["item", "annotator", "answer"])
    assert list(schema.order_annotators(same)[1]) == ["a", "b"]
