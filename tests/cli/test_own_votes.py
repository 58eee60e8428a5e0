"""Votes of one's own with a file of gold: its gaps are told, and a corrected or longer file is imported again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: animals
title: Cat or dog?
language: en
question: {type: choice, text: What is it?, options: [cat, dog]}
items: from votes
votes: {format: csv, file: votes.csv, item: picture, annotator: who, answer: says, repeats: first}
truth: {file: truth.csv, item: picture, gold: is}
"""
VOTES = "picture,who,says\n1,ann,cat\n1,bob,cat\n2,ann,dog\n2,bob,cat\n3,ann,cat\n"
MISSES = "r0 (truth.csv:2), r1 (truth.csv:3), r2 (truth.csv:4)"
TRUTH = "picture,is\n1,cat\n2,dog\n3,cat\n"


@pytest.fixture
def animals(hromada: Hromada) -> Hromada:
    """A folder with five votes on three items, and their gold."""
    hromada.write("animals.yaml", PROJECT)
    hromada.write("votes.csv", VOTES)
    hromada.write("truth.csv", TRUTH)
    return hromada


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (TRUTH, []),
        (
            "picture,is\n1,cat\n2,\nr9,dog\n",
            [
                "1 row of the truth is for no item that has votes: r9 (truth.csv:4).",
                "2 items have no gold: 2, 3.",
            ],
        ),
        (
            "picture,is\n" + "".join(f"r{number},cat\n" for number in range(4)) + "1,cat\n2,dog\n",
            [
                f"4 rows of the truth are for no item that has votes: {MISSES} and 1 more.",
                "1 item has no gold: 3.",
            ],
        ),
    ],
)
def test_gaps_of_the_truth_are_told_and_stop_nothing(animals: Hromada, truth: str, said: list[str]) -> None:
    """By check and by import, each on a line of its own."""
    animals.write("truth.csv", truth)
    assert animals("check", "animals.yaml", "--json").json["warnings"] == said
    checked = animals("check", "animals.yaml", env={"COLUMNS": "300"})
    assert [line for line in checked.out.splitlines() if line.startswith("Warning")] == [
        f"Warning: {one}" for one in said
    ]
    assert animals("load", "animals.yaml").code == 0
    imported = animals("import", "animals", env={"COLUMNS": "300"})
    assert imported.code == 0
    assert [line for line in imported.out.splitlines() if line.startswith("Warning")] == [
        f"Warning: {one}" for one in said
    ]


def test_items_of_several_columns_are_named_by_them(animals: Hromada) -> None:
    """Their ids are digests."""
    animals.write("animals.yaml", PROJECT.replace("item: picture", "item: [set, picture]"))
    animals.write("votes.csv", "set,picture,who,says\na,1,ann,cat\nb,1,ann,cat\n")
    animals.write("truth.csv", "set,picture,is\na,1,cat\nc,1,cat\n")
    said = [
        "1 row of the truth is for no item that has votes: c | 1 (truth.csv:3).",
        "1 item has no gold: b | 1.",
    ]
    assert animals("check", "animals.yaml", "--json").json["warnings"] == said
    assert animals("load", "animals.yaml").code == 0
    assert animals("import", "animals", "--json").json["warnings"] == said


def import_again(animals: Hromada, votes: str, *, policy: str = "first") -> list[object]:
    """The counts of a second import: votes, imported before, new ones that count, repeats; and how many are stored."""
    project = animals.loaded(PROJECT.replace("repeats: first", f"repeats: {policy}"), name="animals.yaml")
    animals.write("votes.csv", votes)
    assert animals("load", "animals.yaml", "--yes").code == 0
    found = animals("import", project, "--json").json
    stored = animals("status", "--json").json[0]["answers"]
    return [*(found[key] for key in ("votes", "imported_before", "retained", "repeats")), stored]


def find_label(animals: Hromada, item: str) -> str:
    """The label of an item that the votes that count make."""
    found = animals("aggregate", "animals", "--json").json["items"]
    labels: dict[str, str] = {one["item_id"]: one["label"] for one in found}
    return labels[item]


def test_a_longer_file_adds_its_new_rows_alone(animals: Hromada) -> None:
    """Those that were imported are not stored again, not even repeats that did not count."""
    animals.write("votes.csv", VOTES + "3,ann,dog\n")
    assert import_again(animals, VOTES + "3,ann,dog\n3,eve,cat\n4,eve,dog\n") == [8, 6, 2, 0, 8]
    animals.write("votes.csv", VOTES + "3,ann,dog\n3,eve,cat\n4,eve,dog\n4,bob,dog\n")
    told = animals("import", "animals").out
    assert [line.split()[-1] for line in told.splitlines() if "imported before" in line or "new ones" in line] == [
        "8",
        "1",
    ]
    assert "repeated votes, of which the first counts" in told


def test_a_corrected_vote_is_told_with_what_to_do(animals: Hromada) -> None:
    """The first counts, until the project says that the last does; the same file can be imported then."""
    corrected = VOTES.replace("3,ann,cat", "3,ann,dog")
    assert import_again(animals, corrected) == [5, 4, 0, 1, 6]
    assert find_label(animals, "3") == "cat"
    animals.write("copy.csv", corrected + "1,eve,cat\n3,ann,dog\n")
    told = " ".join(animals("import", "animals", "copy.csv").out.split())
    assert "by somebody who had voted on the item in an earlier import (copy.csv:8). The earlier vote counts." in told
    assert "write `repeats: last` under `votes` in animals.yaml, run `hromada load animals.yaml --yes`" in told
    assert animals("import", "animals").code == 2
    animals.write("animals.yaml", PROJECT.replace("repeats: first", "repeats: last"))
    assert animals("load", "animals.yaml", "--yes").code == 0
    told = " ".join(animals("import", "animals").out.split())
    assert "The new vote counts; the earlier one is kept, and does not count." in told
    assert find_label(animals, "3") == "dog"
    assert animals("import", "animals").code == 2


def test_who_returns_to_an_earlier_answer_has_it_counted(animals: Hromada) -> None:
    """Where the last vote counts, the vote that counted before is not the one of the new file."""
    assert import_again(animals, VOTES.replace("3,ann,cat", "3,ann,dog"), policy="last") == [5, 4, 1, 1, 6]
    assert find_label(animals, "3") == "dog"
    animals.write("votes.csv", VOTES + "3,eve,cat\n")
    assert animals("import", "animals", "--json").json["imported_before"] == 4
    assert find_label(animals, "3") == "cat"


def test_where_all_votes_count_every_row_does(animals: Hromada) -> None:
    """A row of a later file is another vote, and it is said."""
    assert import_again(animals, VOTES + "3,eve,cat\n", policy="all") == [6, 0, 6, 5, 11]
    animals.write("votes.csv", VOTES + "3,eve,cat\n3,zoe,cat\n")
    assert "With `repeats: all` both count, even where they are the same row." in " ".join(
        animals("import", "animals").out.split()
    )


def test_an_item_may_have_its_gold_in_several_rows_but_no_second_one(animals: Hromada) -> None:
    """A table of votes repeats it in each row; two that differ are refused with their place."""
    animals.write("truth.csv", "picture,is\n1,cat\n1, cat\n")
    assert animals("check", "animals.yaml").code == 0
    animals.write("truth.csv", "picture,is\n1,cat\n1,dog\n")
    refused = animals("check", "animals.yaml")
    assert (refused.code, "truth.csv:3, picture: This item has two different golds." in refused.err) == (2, True)
