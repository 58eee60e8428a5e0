"""Repeated votes of one person on one item: which count, and what they are counted among."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: p
title: p
language: en
question: {type: choice, text: "Which?", options: [a, b]}
items: from votes
votes: {format: toloka, file: votes.tsv, item: "INPUT:t", repeats: %s}
"""
HEADER = "INPUT:t\tOUTPUT:a\tASSIGNMENT:worker_id\tASSIGNMENT:status\n"


def rows(*votes: tuple[str, str, str]) -> str:
    """Votes of (person, answer, status) on the one item."""
    return HEADER + "".join(f"x\t{answer}\t{who}\t{status}\n" for who, answer, status in votes)


@pytest.mark.parametrize(
    ("policy", "votes", "counts"),
    [
        ("first", [("w", "a", "APPROVED"), ("w", "b", "APPROVED")], "a"),
        ("last", [("w", "a", "APPROVED"), ("w", "b", "APPROVED")], "b"),
        ("first", [("w", "a", "REJECTED"), ("w", "b", "APPROVED")], "b"),
        ("first", [("w", "", "APPROVED"), ("w", "b", "APPROVED")], "b"),
        ("last", [("w", "b", "APPROVED"), ("w", "a", "REJECTED")], "b"),
        ("last", [("w", "b", "APPROVED"), ("w", "", "APPROVED")], "b"),
    ],
)
def test_only_votes_that_count_repeat_each_other(
    hromada: Hromada, policy: str, votes: list[tuple[str, str, str]], counts: str
) -> None:
    """A rejected page or an empty answer takes nobody's place, whichever of the repeats is kept."""
    hromada.write("votes.tsv", rows(*votes))
    name = hromada.loaded(PROJECT % policy)
    found = hromada("aggregate", name, "--json").json["items"]
    assert [(item["label"], item["n_votes"]) for item in found] == [(counts, 1)]


@pytest.mark.parametrize(
    ("policy", "second", "counts"),
    [("last", "b", "b"), ("last", "", "a"), ("first", "b", "a"), ("all", "b", None)],
)
def test_a_later_file_repeats_an_earlier_one(hromada: Hromada, policy: str, second: str, counts: str | None) -> None:
    """Across files too: the last answer that counts, the first one, or both (a tie)."""
    hromada.write("votes.tsv", rows(("w", "a", "APPROVED")))
    name = hromada.loaded(PROJECT % policy)
    hromada.write("more.tsv", rows(("w", second, "APPROVED")))
    assert hromada("import", name, "more.tsv").code == 0
    found = hromada("aggregate", name, "--json").json["items"]
    assert [item["label"] for item in found] == [counts]
    status = hromada("status", "--json").json[0]
    assert (status["answers"], status["items done"]) == (2, 1)


def test_votes_that_do_not_count_fill_no_overlap(hromada: Hromada) -> None:
    """Three empty answers leave the item open."""
    hromada.write("votes.tsv", rows(*((who, "", "APPROVED") for who in "abc")))
    hromada.loaded(PROJECT % "all")
    status = hromada("status", "--json").json[0]
    assert (status["answers"], status["items done"]) == (3, 0)
