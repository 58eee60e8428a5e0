"""Models that predict a distribution, through `hromada compare`."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_compare_projects import load_pilot

if TYPE_CHECKING:
    from _command import Hromada

UNGOLDED = """\
project: words
title: Words
language: en
instructions: Choose.
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: items.csv, id: id, show: text}
overlap: 3
votes: {format: csv, file: votes.csv, item: item, annotator: annotator, answer: answer}
"""


def write_distributions(hromada: Hromada, name: str, share: float) -> None:
    """Probabilities of the items of `load_pilot`, without an answer; gold has `share`."""
    lines = []
    for number in range(60):
        gold, other = ("так", "ні") if number % 2 else ("ні", "так")
        lines.append(json.dumps({"item_id": f"s{number:03}", "distribution": {gold: share, other: 1 - share}}))
    hromada.write(f"{name}.jsonl", "\n".join(lines) + "\n")


def test_distributions_are_compared_with_votes_and_the_likeliest_option_is_the_answer(hromada: Hromada) -> None:
    """Cross-entropy comes first, Jensen–Shannon beside people's ceiling; plain answers have neither."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    write_distributions(hromada, "near", 0.9)
    write_distributions(hromada, "sure", 1.0)
    ran = hromada("compare", "people", "near.jsonl", "sure.jsonl", "--json", "--to", "out")
    assert ran.code == 0, ran.err
    scores = {(row["model"], row["metric"]): row for row in ran.json["soft_scores"]}
    assert scores["near", "cross_entropy"]["value"] < scores["sure", "cross_entropy"]["value"]
    assert scores["near", "cross_entropy"]["ci_low"] is not None
    assert scores["sure", "cross_entropy"]["n_floored"] > 0
    assert 0 < scores["near", "jensen_shannon"]["value"] < 1
    assert scores["near", "jensen_shannon"]["people_ceiling"] > 0
    assert scores["near", "jensen_shannon"]["ci_low"] is None
    values = {row["value"] for row in ran.json["differences"] if row["metric"] == "accuracy"}
    assert values == {1.0}
    with (hromada.folder / "out" / "soft_scores.csv").open(encoding="utf-8", newline="") as file:
        metrics = ["cross_entropy", "squared_distance", "jensen_shannon", "manhattan"]
        assert [row["metric"] for row in csv.DictReader(file)] == metrics * 2
    shown = hromada("compare", "people", "near.jsonl").out
    assert shown.index("cross entropy") < shown.index("jensen shannon") < shown.index("McNemar")
    assert "people's ceiling" in " ".join(shown.split())
    shown = " ".join(hromada("compare", "people", "near.jsonl", "sure.jsonl").out.split())
    sure = scores["sure", "cross_entropy"]
    told = f"sure gives a probability below 1e-6 to {sure['n_floored']} of {sure['n_answers']} votes"
    assert f"{told}; it counts as 1e-6." in shown
    assert "near jensen shannon, near manhattan, sure jensen shannon, sure manhattan: No interval:" in shown


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"distribution": {"так": 0.7, "ні": 0.2}}, "The probabilities add up to 0.9, not to 1. Divide each"),
        ({"distribution": {"так": 1.0}}, "The distribution lacks the option 'ні'. Give each option"),
        ({"distribution": {"так": 1.2, "ні": -0.2}}, "The probability of 'ні' is -0.2. Write a number from 0 to 1."),
        ({"distribution": {"так": 0.5, "ні": 0.4, "може": 0.1}}, "'може' is not an option of this item. Name each"),
        ({"distribution": {"так": "1", "ні": 0}}, "The probability of 'так' is '1'. Write a number"),
        ({"distribution": {"так": True, "ні": 0}}, "The probability of 'так' is True. Write a number"),
        ({"distribution": [0.5, 0.5]}, 'The distribution is not an object of options. Write "distribution":'),
        ({"answer": {"так": 0.4, "ні": 0.4}}, "The probabilities add up to 0.8, not to 1."),
    ],
)
def test_wrong_distributions_are_refused_with_their_line(hromada: Hromada, row: dict[str, object], says: str) -> None:
    """With file, line, field and what to do."""
    load_pilot(hromada, "people", people=range(1, 6), right=0.9, seconds=10)
    hromada.write("m.jsonl", "\n" + json.dumps({"item_id": "s001"} | row, ensure_ascii=False) + "\n")
    ran = hromada("compare", "people", "m.jsonl")
    told = " ".join(ran.err.split())
    assert (ran.code, "m.jsonl:2, distribution: " in told, says in told) == (2, True, True), told


def test_people_without_gold_are_compared_with_distributions_alone(hromada: Hromada) -> None:
    """Nothing is right or wrong then; a model without distributions is a judge, if on one item of two only."""
    hromada.write("items.csv", "id,text\nw1,one\nw2,two\n")
    votes = [f"w{item},p{person},{'a' if person else 'b'}" for item in (1, 2) for person in range(3)]
    hromada.write("votes.csv", "item,annotator,answer\n" + "\n".join(votes) + "\n")
    hromada.write("words.yaml", UNGOLDED)
    for words in (("load", "words.yaml"), ("import", "words")):
        assert hromada(*words).code == 0
    rows = [{"item_id": f"w{item}", "distribution": {"a": 0.5, "b": 0.5}} for item in (1, 2)]
    hromada.write("half.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    ran = hromada("compare", "words", "half.jsonl", "--json", "--to", "out")
    assert ran.code == 0, ran.err
    assert [row["value"] for row in ran.json["soft_scores"] if row["metric"] == "cross_entropy"] == [1.0]
    assert ran.json["differences"] == []
    assert "No item has gold" in hromada("compare", "words", "half.jsonl").out
    hromada.write("plain.jsonl", '{"item_id": "w1", "answer": "a"}\n')
    plain = hromada("compare", "words", "plain.jsonl", "--json")
    assert (plain.code, plain.json["soft_scores"], plain.json["judges"][0]["n_items"]) == (1, [], 1)
