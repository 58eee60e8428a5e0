"""Consensus handed on by another method than the majority, and pilot items as the next campaign's control items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: judged
title: Що це?
language: uk
questions:
  - {name: word, type: choice, text: "Іменник?", options: [так, ні], abstain: не знаю}
  - {name: odd, type: choices, text: "Що дивне?", options: [зміст, стиль], required: no}
  - {name: hard, type: scale, text: "Наскільки важко?", options: ["1", "2", "3"], required: no}
  - {name: late, type: choice, text: "Застаріле?", options: [так, ні], abstain: не знаю, required: no}
  - {name: why, type: text, text: "Чому?", required: no}
items: {file: items.csv, id: id, show: text, gold: gold, group: story}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {word: w, odd: o, hard: h, late: l, why: y}}
"""
SURE, GUESSING = ("a", "b", "c"), ("x", "y", "z", "q")


def judged(hromada: Hromada, project: str = PROJECT) -> None:
    """Eleven items: three people always right, four who say «так» to all; on i10 the liars outnumber them."""
    lines = [f"i{n},слово {n},{'так' if n % 2 else 'ні'},s{n}" for n in range(11)]
    hromada.write("items.csv", "\n".join(["id,text,gold,story", *lines]) + "\n")
    rows, late = [], {1: "так", 2: "не знаю", 3: "ні"}
    for n in range(11):
        for who in (*SURE, *(GUESSING if n > 8 else GUESSING[:1])):
            says = ("так" if n % 2 else "ні") if who in SURE else "так"
            odd = '"[""зміст""]"' if n % 2 and who in SURE else '"[""стиль""]"' if n == 2 else "[]"
            rows.append(f"i{n},{who},{says},{odd},{1 + n % 2 if who in SURE else 3},{late.get(n, '')},бо")
    rows.append("i0,m,не знаю,[],,,")
    hromada.write("votes.csv", "\n".join(["item,who,w,o,h,l,y", *rows]) + "\n")
    hromada.loaded(project)


def rows(hromada: Hromada, name: str) -> list[dict[str, Any]]:
    """A derived items file."""
    return [json.loads(line) for line in (hromada.folder / name).read_text("utf-8").splitlines()]


def derived(hromada: Hromada, name: str, *arguments: str) -> dict[str, dict[str, Any]]:
    """What people agree on, by item, as the derived file tells it."""
    ran = hromada("follow-up", name, "--from", "judged", *arguments, "--json")
    assert ran.code == 0, ran.err
    return {row["id"]: row["lineage"]["consensus"] for row in rows(hromada, name)}


def test_dawid_skene_finds_what_the_majority_misses(hromada: Hromada) -> None:
    """On i10 four people without skill outvote three with it; all is as `aggregate` says."""
    judged(hromada)
    plain = derived(hromada, "plain.jsonl")
    assert plain["i10"]["word"] == {"labels": ["так"], "confidence": 0.571429, "votes": 7}
    skilled = derived(hromada, "skilled.jsonl", "--method", "dawid_skene")
    assert skilled["i10"]["word"]["labels"] == ["ні"]
    told = hromada("aggregate", "judged", "--method", "dawid_skene", "--json").json["items"]
    assert {item: (*one["word"]["labels"], one["word"]["confidence"]) for item, one in skilled.items()} == {
        row["item_id"]: (row["label"], round(row["confidence"], 6)) for row in told
    }
    assert {item: one["late"]["votes"] for item, one in skilled.items() if "late" in one} == {"i1": 4, "i3": 4}
    assert {item: one["odd"]["labels"] for item, one in skilled.items() if one["odd"]["labels"]} == {
        "i1": ["зміст"], "i2": ["стиль"], "i3": ["зміст"], "i5": ["зміст"], "i7": ["зміст"], "i9": ["зміст"],
    }  # fmt: skip
    assert [one["hard"]["labels"] for one in skilled.values()] == [["1"], ["2"]] * 5 + [["1"]]


def test_a_question_without_labels_keeps_its_majority_and_says_so(hromada: Hromada) -> None:
    """The lineage names the method of every question; the warnings are printed."""
    judged(hromada)
    ran = hromada("follow-up", "next.jsonl", "--from", "judged", "--method", "wawa")
    assert ran.code == 0, ran.err
    said = " ".join(ran.out.split())
    assert "Note: why: by majority. Answers by text have no labels to weigh." in said
    told = hromada("follow-up", "again.jsonl", "--from", "judged", "--method", "wawa", "--json").json
    hows = dict(how.split(": ", 1) for how in told["method"].split(" | "))
    assert list(hows) == ["word", "odd", "hard", "late", "why"]
    assert hows["word"].startswith("wawa (crowd-kit ")
    assert "of each box by itself" in hows["odd"]
    assert hows["why"] == "majority; ties give no label"
    assert (
        hromada("follow-up", "m.jsonl", "--from", "judged", "--json").json["method"] == "majority; ties give no label"
    )


@pytest.mark.parametrize(
    "named",
    [
        pytest.param(("--where", "why = бо"), marks=pytest.mark.slow),
        pytest.param(("--where", "why.votes >= 1"), marks=pytest.mark.slow),
        ("--gold", "why"),
    ],
    ids=lambda one: one[0],
)
@pytest.mark.slow
def test_a_refused_method_is_an_error_where_the_question_is_named(hromada: Hromada, named: Sequence[str]) -> None:
    """Nothing is written by a method that does not apply."""
    judged(hromada)
    ran = hromada("follow-up", "next.jsonl", "--from", "judged", "--method", "glad", *named)
    assert (ran.code, "Answers by text have no labels" in ran.err) == (2, True)
    assert not (hromada.folder / "next.jsonl").exists()


OWN = PROJECT.replace(", options: [так, ні], abstain: не знаю", "").replace("gold: gold", "gold: gold, options: opts")


@pytest.mark.parametrize(("method", "code"), [("dawid_skene", 2), ("one_coin", 0), ("majority", 0)])
def test_options_of_each_item_are_no_classes(hromada: Hromada, method: str, code: int) -> None:
    """Dawid-Skene is refused for them, the one-coin posterior takes them."""
    options = [f'"[""a{n}"", ""b{n}""]"' for n in range(3)]
    items = [f"i{n},слово,a{n},s{n},{options[n]}" for n in range(3)]
    hromada.write("items.csv", "\n".join(["id,text,gold,story,opts", *items]) + "\n")
    hromada.write(
        "votes.csv", "item,who,w,o,h,l,y\n" + "".join(f"i{n},p{k},a{n},[],,,\n" for n in range(3) for k in "12")
    )
    hromada.loaded(OWN)
    ran = hromada("follow-up", "n.jsonl", "--from", "judged", "--method", method, "--where", "word = @gold", "--json")
    assert ran.code == code, ran.err
    assert ("needs the same labels on every item" in ran.err) == (code == 2)
    if code == 0:
        assert [row["lineage"]["consensus"]["word"]["labels"] for row in rows(hromada, "n.jsonl")] == [
            ["a0"], ["a1"], ["a2"],
        ]  # fmt: skip


@pytest.mark.parametrize("method", ["gold_majority", "skills", "one_coin_dawid_skene"])
def test_methods_that_need_gold_are_told_it(hromada: Hromada, method: str) -> None:
    """The declared gold of the question; boxes without gold fall back on the majority."""
    judged(hromada)
    found = derived(hromada, "gold.jsonl", "--method", method, "--where", "word = @gold")
    assert found["i10"]["word"]["labels"] == ["ні"]
    assert found["i1"]["odd"]["labels"] == ["зміст"]


PILOT = """\
stages: {pilot: {pool: {where: {id: [i0, i1, i2, i3]}}}}
"""
NEXT = """\
project: next
title: Що це?
language: uk
question: {type: choice, text: "Іменник?", options: [так, ні]}
items: {file: items.csv, id: id, show: text, gold: gold, group: story}
overlap: 3
pages: {items: 5}
controls: {pool: {file: controls.jsonl}, per_page: 1}
"""


def test_pilot_items_become_the_control_items_of_the_next_campaign(hromada: Hromada) -> None:
    """As documented: what the pilot agreed on, sure enough, is gold; the answers count for nothing else."""
    judged(hromada, PROJECT + PILOT)
    assert (
        hromada("follow-up", "none.jsonl", "--from", "judged", "--where", "id = i1", "--where", "word = так").code == 2
    )
    conditions = ("--where", "pool = pilot", "--where", "word.confidence >= 0.7", "--gold", "word")
    ran = hromada("follow-up", "next/controls.jsonl", "--from", "judged", *conditions, "--json")
    assert (ran.code, ran.json["items"]) == (0, 4), ran.err
    made = rows(hromada, "next/controls.jsonl")
    assert [(row["id"], row["gold"], row["story"], row["text"]) for row in made] == [
        ("i0", "ні", "s0", "слово 0"), ("i1", "так", "s1", "слово 1"), ("i2", "ні", "s2", "слово 2"),
        ("i3", "так", "s3", "слово 3"),
    ]  # fmt: skip
    hromada.write("next/items.csv", "id,text,gold,story\nn1,нове,,n1\nn2,новіше,,n2\n")
    hromada.write("next/project.yaml", NEXT)
    checked = hromada("check", "next/project.yaml", "--json")
    assert (checked.code, checked.json["control items"]) == (0, 4), checked.err
    assert hromada("load", "next/project.yaml").code == 0
