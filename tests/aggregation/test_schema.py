"""Votes are checked once, with sentences that name what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from aggregation import schema
from aggregation.errors import HromadaError

ITEMS = pd.DataFrame({"group": ["g", "h"], "gold": ["x", None], "n_options": [2, 2]}, index=["i", "j"])


def frame(*rows: tuple[str | None, str, str]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(schema.COLUMNS))


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
        schema.votes(given, items=ITEMS, classes="xy")
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
        schema.votes(frame(("i", "a", "x")), items=items, classes="xy")
    assert caught.value.problem == message


def test_crowdkit_gets_sorted_rows_in_its_own_words() -> None:
    """Whatever the order of the file, the aggregators see one order."""
    given = schema.votes(frame(("j", "a", "x"), ("i", "b", "x"), ("i", "a", "y")), items=ITEMS, classes="xy")
    expected = [("i", "a", "y"), ("i", "b", "x"), ("j", "a", "x")]
    assert list(given.crowdkit().itertuples(index=False, name=None)) == expected
    assert list(given.crowdkit().columns) == ["task", "worker", "label"]


def test_closed_votes_are_counted_in_declared_order(votes_of: Callable[..., schema.Votes]) -> None:
    """One column a declared class, chosen or not; open options have none."""
    rows = [("i", "a", "x"), ("i", "b", "x"), ("j", "a", "y")]
    counts = schema.closed_counts(votes_of(rows, classes="zyx"))
    assert counts.table.tolist() == [[0, 0, 2], [0, 1, 0]]
    assert (counts.items.tolist(), counts.answers) == (["i", "j"], ("z", "y", "x"))
    with pytest.raises(HromadaError, match="share no classes"):
        schema.closed_counts(votes_of(rows))
