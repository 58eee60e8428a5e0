"""Numbers of boxes, texts and parts of a text, through the command line as an organiser types it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

SPAN = """
project: turtle
title: Черепашка
language: uk
question: {{type: span, text: Позначте., field: text, most: 3}}
items: {{file: items.jsonl, id: id, show: text, gold: gold}}
votes: {{format: csv, file: votes.csv, item: item, annotator: who, answer: said}}
"""
MULTIRC = """
project: multirc
title: Кілька
language: uk
question: {type: choices, text: Які правильні?}
items: {file: items.jsonl, id: id, show: text, options: options, gold: gold}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: said}
"""
SEVERAL = """
project: several
title: Багато
language: uk
questions:
  - {name: fine, type: choice, text: "Чи добре?", options: [так, ні], abstain: не знаю}
  - {name: why, type: choices, text: "Чому ні?", options: [мова, зміст], required: no}
  - {name: better, type: edit, text: Виправте., field: text}
  - {name: note, type: text, text: Примітка, required: no}
items: {file: items.jsonl, id: id, show: text, golds: {fine: fine, why: why}, gold_origin: expert}
votes:
  format: csv
  file: votes.csv
  item: item
  annotator: who
  answers: {fine: fine, why: why, better: better, note: note}
"""


@pytest.fixture
def known(shared: Path) -> dict[str, Any]:
    """The published cases."""
    path = shared / "reference" / "known-answers.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def table(*rows: tuple[object, ...]) -> str:
    """A CSV file."""
    return "".join(",".join(f'"{str(cell).replace(chr(34), chr(34) * 2)}"' for cell in row) + "\n" for row in rows)


def lines(*rows: dict[str, Any]) -> str:
    """A JSON Lines file."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def coefficients(hromada: Hromada, *arguments: str) -> dict[str, Any]:
    """The values of `agreement`, those of the first votes or of all, by name."""
    found = hromada("agreement", *arguments, "--resamples", "100", "--json")
    assert found.code == 0, found.err
    return {f"{row['name']} {row['of']}".strip(): row["value"] for row in found.json["coefficients"]}


def scores(hromada: Hromada, *arguments: str) -> dict[str, dict[str, float]]:
    """The scores of `baseline`, by unit."""
    found = hromada("baseline", *arguments, "--json")
    assert found.code == 0, found.err
    return {
        unit["unit"]: {score["metric"]: round(score["value"], 6) for score in unit["scores"]}
        for unit in found.json["units"]
    }


def test_the_known_case_of_spans(hromada: Hromada, known: dict[str, Any]) -> None:
    """F1 of exact spans, words and characters as published, and the one span that both marked against gold."""
    case = known["span_case"]
    said = {who: json.dumps([{"start": start, "end": end} for start, end, _ in case[who]]) for who in "ab"}
    hromada.write("items.jsonl", lines({"id": "i", "text": case["text"], "gold": said["a"]}))
    hromada.write("votes.csv", table(("item", "who", "said"), ("i", "a", said["a"]), ("i", "b", said["b"])))
    name = hromada.loaded(SPAN.format())
    found = coefficients(hromada, name)
    assert found["span_f1_exact"] == case["exact"]
    assert found["span_f1_token"] == case["token"]
    assert found["span_f1_char"] == pytest.approx(case["char"], abs=1e-6)
    made = scores(hromada, name)
    assert made["individual"] == {"exact_match": 0.5, "f1": 1.0, "f1_char": round((1 + 26 / 28) / 2, 6)}
    (item,) = hromada("aggregate", name, "--json").json["items"]
    assert (item["label"], item["tie"], len(item["tied"])) == (None, True, 2)
    assert "cannot weigh parts of a text. Use majority." in hromada("aggregate", name, "--method", "wawa").err


def test_the_known_case_of_boxes(hromada: Hromada, known: dict[str, Any]) -> None:
    """MultiRC's F1a and exact match on items with boxes of their own."""
    case = known["multirc_case"]
    rows, votes = [], [("item", "who", "said")]
    for number, (gold, said) in enumerate(zip(case["gold"], case["pred"], strict=True)):
        boxes = [f"відповідь {number}.{box}" for box in range(len(gold))]
        right = [box for box, yes in zip(boxes, gold, strict=True) if yes]
        rows.append({"id": f"i{number}", "text": f"Питання {number}?", "options": boxes, "gold": right})
        ticked = [box for box, yes in zip(boxes, said, strict=True) if yes]
        votes.append((f"i{number}", "a", json.dumps(ticked, ensure_ascii=False)))
    hromada.write("items.jsonl", lines(*rows))
    hromada.write("votes.csv", table(*votes))
    name = hromada.loaded(MULTIRC)
    for unit in scores(hromada, name).values():
        assert unit["exact_match"] == case["EM"]
        assert unit["f1a"] == pytest.approx(case["F1a"], abs=1e-6)
        assert unit["f1m"] == pytest.approx(case["F1m_average"], abs=1e-6)
        assert unit["f1m_of_averages"] == pytest.approx(case["F1m_of_averages"], abs=1e-6)
    assert "Use majority." in hromada("aggregate", name, "--method", "dawid_skene").err


def test_every_question_has_numbers_of_its_own(hromada: Hromada) -> None:
    """`--question` names one, an abstention from one says nothing against the others, and the files have each."""
    text = "Кіт спить"
    hromada.write(
        "items.jsonl", lines(*({"id": i, "text": f"{text} {i}", "fine": "ні", "why": ["мова"]} for i in ("i", "j")))
    )
    votes = [
        ("i", "p", "ні", '["мова"]', "Кіт спав i", ""),
        ("i", "q", "не знаю", '["мова", "зміст"]', "Кіт спав i", "довго думала"),
        ("i", "r", "так", '["зміст"]', "Кіт спав  i", ""),
        ("j", "p", "ні", "", f"{text} j", ""),
        ("j", "q", "ні", '["мова"]', f"{text} j.", ""),
    ]
    hromada.write("votes.csv", table(("item", "who", "fine", "why", "better", "note"), *votes))
    name = hromada.loaded(SEVERAL)
    first = hromada("aggregate", name, "--json").json
    assert (first["question"], [item["n_votes"] for item in first["items"]]) == ("fine", [2, 2])
    why = hromada("aggregate", name, "--question", "why", "--json").json
    assert [(item["label"], item["n_votes"]) for item in why["items"]] == [('["мова", "зміст"]', 3), (None, 2)]
    assert scores(hromada, name, "--question", "why")["individual"]["exact_match"] == 0.4
    assert coefficients(hromada, name, "--question", "why")["percent_agreement мова"] == pytest.approx(1 / 6)
    better = hromada("aggregate", name, "--question", "better", "--method", "closest", "--json").json
    assert [item["label"] for item in better["items"]] == ["Кіт спав i", None]
    assert "asks no question 'whi'. It asks: fine, why, better, note." in (
        hromada("aggregate", name, "--question", "whi").err
    )
    assert hromada("export").code == 0
    with (hromada.folder / "export" / "gold.csv").open(encoding="utf-8", newline="") as file:
        gold = list(csv.DictReader(file))
    assert [(row["dataset"], row["item_id"], row["gold"], row["origin"]) for row in gold] == [
        ("several", "i", "ні", "expert"), ("several", "j", "ні", "expert"),
        ("several/better", "i", "Кіт спав i", "votes"), ("several/better", "j", "", ""),
        ("several/why", "i", '["мова"]', "expert"), ("several/why", "j", '["мова"]', "expert"),
    ]  # fmt: skip
    told = json.loads((hromada.folder / "export" / "agreement.json").read_text("utf-8"))
    assert {data: (one["kind"], one["boxes"]) for data, one in told.items()} == {
        "several": ("label", None), "several/why": ("boxes", ["мова", "зміст"]), "several/better": ("edit", None),
    }  # fmt: skip


def test_an_open_answer_is_counted_with_all_that_is_accepted(hromada: Hromada) -> None:
    """The template, with votes: accepted wordings are one answer; Dawid-Skene is refused with what fits."""
    hromada("new", "open", "--template", "open-answer")
    project = hromada.folder / "open" / "project.yaml"
    votes = "votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: said}\n"
    project.write_text(project.read_text("utf-8").replace("overlap: 5\n", "") + votes, "utf-8")
    rows = [
        ("o1", "p", "Дніпро"),
        ("o1", "q", "на дніпрі."),
        ("o1", "r", "Десна"),
        ("o1", "s", "Десна"),
        ("o1", "t", "Дніпр"),
    ]
    hromada.write("open/votes.csv", table(("item", "who", "said"), *rows, ("o2", "p", "33!"), ("o2", "q", "сорок")))
    assert hromada("load", "open/project.yaml").code == 0
    ran = hromada("import", "open/project.yaml")
    assert ran.code == 0, ran.err
    found = hromada("aggregate", "open", "--json").json
    assert found["accuracy"] == {"right": 1.5, "total": 2, "value": 0.75}
    assert [(item["label"], item["confidence"]) for item in found["items"]] == [("Дніпр", 0.6), (None, 0.5)]
    assert scores(hromada, "open")["individual"]["exact_match"] == round(4 / 7, 6)
    refused = hromada("aggregate", "open", "--method", "dawid_skene")
    assert (refused.code, "cannot weigh texts. Use majority, rover or closest." in refused.err) == (2, True)
