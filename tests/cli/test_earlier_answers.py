"""Votes made elsewhere, imported into a project that asks people about the same items itself: kept apart."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: again
title: t
language: en
instructions: Read.
kind: baseline
question: {type: choice, text: Which?, options: [x, y]}
items: {file: items.csv, id: id, show: text, gold: gold}
overlap: 3
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says, earlier: yes}
"""
ITEMS = "id,text,gold\na,text a,x\nb,text b,y\nc,text c,y\nd,text d,x\n"
VOTES = "item,who,says\na,1,x\na,2,x\nb,1,y\nb,2,x\nc,1,y\nc,2,y\nd,1,x\nd,2,y\nd,2,x\n"


@pytest.fixture
def again(hromada: Hromada) -> Hromada:
    """A running project with imported earlier votes: 8 of two people, and one that repeats."""
    hromada.write("items.csv", ITEMS)
    hromada.write("votes.csv", VOTES)
    hromada.write("project.yaml", PROJECT)
    for words in (("load", "project.yaml"), ("start", "again"), ("import", "again")):
        ran = hromada(*words)
        assert ran.code == 0, ran.err
    return hromada


def test_people_are_told_by_the_ids_of_the_organisers_own_file(again: Hromada) -> None:
    """Of the file that was imported; of another file nobody is known, and without it no id is told."""
    listed = again("people", "list", "again", "--votes", "votes.csv", "--json").json["people"]
    assert sorted(person["id_in_file"] for person in listed) == ["1", "2"]
    by_id = {person["id_in_file"]: person["pseudonym"] for person in listed}
    rows = again("people", "list", "again", "--votes", "votes.csv").out.splitlines()
    assert any(by_id["1"] in row and row.split()[1] == "1" for row in rows), rows
    without = again("people", "list", "again", "--json").json["people"]
    assert all("id_in_file" not in person for person in without)
    way = again("status", "again", "--item", "a", "--json").json["events"]
    assert {(event["who"], event["what"].endswith("(imported)"), event["answer"]) for event in way} == {
        (by_id["1"], True, "x"),
        (by_id["2"], True, "x"),
    }
    again.write("others.csv", VOTES.replace(",1,", ",8,").replace(",2,", ",9,"))
    refused = again("people", "list", "again", "--votes", "others.csv")
    assert (refused.code, "Nobody of the file is known in again." in refused.err) == (2, True)


def test_earlier_answers_fill_no_place_and_count_by_themselves(again: Hromada) -> None:
    """The project still wants all its answers; results of the earlier ones are shown only where they are asked for."""
    status = again("status", "again", "--json").json
    assert (status["free places"], status["items done"]) == (12, 0)
    assert status["excluded"] == {"earlier: given elsewhere": 8, "repeat, the first counts": 1}
    refused = again("agreement", "again")
    assert (refused.code, "no votes that count" in refused.err, "with --earlier" in refused.err) == (2, True, True)
    rows = again("agreement", "again", "--earlier", "--json").json
    assert rows["dataset"] == "again · earlier answers"
    (agreed,) = [row for row in rows["coefficients"] if row["name"] == "percent_agreement"]
    assert (agreed["value"], agreed["n_items"], agreed["n_votes"]) == (0.5, 4, 8)
    scored = again("baseline", "again", "--earlier", "--json").json
    counts = {unit["unit"]: (unit["wrong"], unit["total"]) for unit in scored["units"]}
    assert counts["individual"] == (2, 8)
    labels = again("aggregate", "again", "--earlier", "--json").json["items"]
    assert {row["item_id"]: row["label"] for row in labels if not row["tie"]} == {"a": "x", "c": "y"}


def test_earlier_answers_are_in_the_published_file_with_their_reason(again: Hromada) -> None:
    """Nothing is dropped; the reason tells them from what was asked here."""
    assert again("export", "again", "--to", "out").code == 0
    with (again.folder / "out/human_responses.csv").open(encoding="utf-8", newline="") as file:
        reasons = [row["excluded_reason"] for row in csv.DictReader(file)]
    assert sorted(set(reasons)) == ["earlier: given elsewhere", "repeat, the first counts"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("overlap: 3\n", ""), ("items: {file: items.csv, id: id, show: text, gold: gold}", "items: from votes")],
)
def test_nothing_is_earlier_where_nobody_is_asked(hromada: Hromada, old: str, new: str) -> None:
    """The key and its remedy are named."""
    hromada.write("items.csv", ITEMS)
    hromada.write("votes.csv", VOTES)
    hromada.write("project.yaml", PROJECT.replace(old, new))
    ran = hromada("check", "project.yaml")
    assert ran.code == 2
    assert "votes.earlier" in ran.err
    assert "leave `earlier` out" in ran.err
