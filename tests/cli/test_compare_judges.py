"""Models as judges in people's place, with gold or without, through `hromada compare`."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: words
title: Words
language: en
instructions: Choose.
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: items.csv, id: id, show: text}
overlap: 4
judges: {margin: MARGIN}
votes: {format: csv, file: votes.csv, item: item, annotator: annotator, answer: answer}
"""
PAIRS = """\
project: pairs
title: Pairs
language: en
instructions: Choose.
question: {type: preference, text: "Which?", sides: [one, two], tie: Equal}
items: {file: pairs.csv, id: id, show: text}
overlap: 3
judges: {random_sample: yes}
votes: {format: csv, file: votes.csv, item: item, annotator: annotator, answer: answer}
"""
N_ITEMS, N_PEOPLE = 40, 4


def say(item: int, person: int) -> str:
    """Answers that differ from item to item, and a tenth of them from person to person."""
    return "ab"[(item % 3 == 0) != (random.Random(item * 100 + person).random() < 0.1)]  # noqa: S311  # simulated


def load_words(hromada: Hromada, *, margin: float = 0.3) -> None:
    """A project without gold that was started, and then got votes of four people."""
    items = range(N_ITEMS)
    hromada.write("items.csv", "id,text\n" + "".join(f"w{item:02},word {item}\n" for item in items))
    votes = [f"w{item:02},p{person},{say(item, person)}" for item in items for person in range(N_PEOPLE)]
    hromada.write("votes.csv", "item,annotator,answer\n" + "\n".join(votes) + "\n")
    hromada.write("words.yaml", PROJECT.replace("MARGIN", str(margin)))
    for words in (("load", "words.yaml"), ("start", "words"), ("import", "words")):
        ran = hromada(*words)
        assert ran.code == 0, ran.err


def write_rows(hromada: Hromada, name: str, rows: list[dict[str, Any]]) -> None:
    hromada.write(name, "".join(json.dumps(row) + "\n" for row in rows))


def write_judges(hromada: Hromada) -> None:
    """One that answers like another person, and one that always says the same, with a key that nobody reads."""
    items = range(N_ITEMS)
    write_rows(hromada, "like.jsonl", [{"item_id": f"w{item:02}", "answer": say(item, 7)} for item in items])
    same = [{"item_id": f"w{item:02}", "answer": "a", "why": "long"} for item in items]
    write_rows(hromada, "same.jsonl", same)


def test_judges_are_compared_with_people_where_there_is_no_gold(hromada: Hromada) -> None:
    """A verdict on each first, then tables; a margin of the start is not post hoc, a later or another one is."""
    load_words(hromada)
    write_judges(hromada)
    ran = hromada("compare", "words", "like.jsonl", "same.jsonl", "--json", "--to", "out")
    assert ran.code == 0, ran.err
    rows = {(row["judge"], row["statistic"]): row for row in ran.json["judges"]}
    like, same = rows["like", "difference"], rows["same", "difference"]
    assert (like["margin"], like["passes"], like["post_hoc"], like["n_items"], like["n_annotators"]) == (
        0.3,
        True,
        False,
        40,
        4,
    )
    assert same["ci_high"] < 0 < like["ci_high"]
    assert rows["like", "winning_rate"]["epsilon"] == 0.1
    assert rows["same", "alpha_with_judge"]["value"] < rows["same", "alpha_people"]["value"]
    assert len(ran.json["judge_people"]) == 2 * N_PEOPLE
    assert "same: keys that are not read: why." in ran.json["notes"]
    for name in ("judges", "judge_people"):
        with (hromada.folder / "out" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert {row["judge"] for row in csv.DictReader(file)} == {"like", "same"}
    shown = " ".join(hromada("compare", "words", "like.jsonl", "same.jsonl", "--epsilon", "0.2").out.split())
    assert shown.startswith("like: The judge agrees with people as people agree with each other: difference")
    assert "within the margin of .30, named before the start" in shown
    assert "never report the winning rate alone" in shown
    assert "0.2000" in shown
    named = hromada("compare", "words", "like.jsonl", "--margin", "0.4", "--json").json
    assert "post hoc: named with the command" in named["verdicts"]["like"]
    hromada.write("words.yaml", PROJECT.replace("MARGIN", "0.2"))
    assert hromada("load", "words.yaml", "--yes").code == 0
    changed = hromada("compare", "words", "like.jsonl", "--json").json
    assert "margin of .20, post hoc: named after the start" in changed["verdicts"]["like"]


def test_a_judge_without_all_items_of_people_is_told_and_one_without_any_is_refused(hromada: Hromada) -> None:
    load_words(hromada)
    rows = [{"item_id": f"w{item:02}", "answer": say(item, 7) if item else "c"} for item in range(20)]
    write_rows(hromada, "part.jsonl", rows)
    ran = hromada("compare", "words", "part.jsonl", "--json")
    assert (ran.code, ran.json["judges"][0]["n_items"]) == (1, 19)
    assert "part: 1 answers cannot be read as an answer to the question: left out." in ran.json["notes"]
    write_rows(hromada, "other.jsonl", [{"item_id": "elsewhere", "answer": "a"}])
    told = hromada("compare", "words", "other.jsonl")
    assert (told.code, "1 not of this project" in " ".join(told.err.split())) == (2, True)
    question = '{type: choice, text: "Which?", options: [a, b]}'
    hromada.write("texts.yaml", PROJECT.replace("MARGIN", "0.1").replace(question, '{type: text, text: "Why?"}'))
    refused = hromada("check", "texts.yaml")
    assert "judges: Judges are measured on choices, scales and preferences" in " ".join(refused.err.split())


def test_both_orders_are_joined_and_wrong_orders_are_refused(hromada: Hromada) -> None:
    """Other answers in the other order count as a tie; the lengths of the texts have a slope; two systems a mean."""
    items = range(30)
    texts = [f"t{item:02},task,{'x' * (5 + item * 7 % 11)},{'y' * (5 + item * 5 % 13)}\n" for item in items]
    hromada.write("pairs.csv", "id,text,one,two\n" + "".join(texts))
    sides = ["first", "second", "tie"]
    votes = [
        f"t{item:02},p{person},{sides[(item + item * person % 4) % 3]}" for item in range(24) for person in range(3)
    ]
    hromada.write("votes.csv", "item,annotator,answer\n" + "\n".join(votes) + "\n")
    hromada.write("pairs.yaml", PAIRS)
    for words in (("load", "pairs.yaml"), ("import", "pairs")):
        assert hromada(*words).code == 0
    order = ["first", "second"]
    rows = [{"item_id": f"t{item:02}", "answer": sides[item % 2], "order": order} for item in items]
    rows += [
        row | {"answer": "first" if place % 3 else row["answer"], "order": order[::-1]}
        for place, row in enumerate(rows)
    ]
    write_rows(hromada, "both.jsonl", rows)
    ran = hromada("compare", "pairs", "both.jsonl", "--json")
    assert ran.code == 0, ran.err
    found = {row["statistic"]: row for row in ran.json["judges"]}
    assert found["swap_consistency"]["value"] == pytest.approx(20 / 30)
    assert found["length_slope"]["value"] is not None
    assert (found["corrected_mean"]["of"], found["corrected_mean"]["n_items"]) == ("one", 30)
    assert any(
        "answered 20 of 30 items alike; the others count as its ties" in note
        for note in ran.json["judge_notes"]["both"]
    )
    for row, says in (
        ({"order": ["first"]}, "is not an order of the texts. Name each once, as shown:"),
        ({"order": order}, "is answered twice in this order."),
        ({}, "is answered twice. Keep one answer to each item."),
    ):
        write_rows(hromada, "wrong.jsonl", [rows[0], {"item_id": "t00", "answer": "tie"} | row])
        told = " ".join(hromada("compare", "pairs", "wrong.jsonl").err.split())
        assert ("wrong.jsonl:2" in told, says in told) == (True, True), told
