"""Answers that are numbers, through the command line: the sign and the decimal mark count, the rule is named."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: arithmetic
title: Лічба
language: uk
question: {{type: text, text: "Скільки?"{rule}}}
items: {{file: items.csv, id: id, show: sum, gold: gold, accepted: also}}
votes: {{format: csv, file: votes.csv, item: item, annotator: who, answer: said}}
"""
POOL = """
project: simple-ar
title: SimpleAr
language: ru
question: {{type: text, text: "?", normalise: {rule}}}
items: from votes
votes: {{format: toloka, file: "{file}", item: ["INPUT:formula"]}}
truth: {{file: truth.csv, item: formula, gold: gold}}
"""


def write_pool(hromada: Hromada) -> None:
    """Sixteen sums, four answers each: fourteen ties, of which one is about a sign and one about a decimal mark."""
    votes = {f"t{number}": ["5", "5", "7", "7"] for number in range(12)}
    votes |= {
        "minus": ["−6", "-6", "6", "6"],
        "comma": ["3,5", "3.5", "35", "35"],
        "spelt": ["2,50", "2.5", "2.50", "25"],
        "large": ["10 963", "10963", "10'963", "10.963"],
    }
    gold = dict.fromkeys(votes, "5") | {"minus": "-6", "comma": "3,5", "spelt": "2.5", "large": "10963"}
    rows = [f"{item};{item};{right};\n" for item, right in gold.items()]
    hromada.write("items.csv", "id;sum;gold;also\n" + "".join(rows))
    said = [f'{item};p{who};"{one}"\n' for item, ones in votes.items() for who, one in enumerate(ones)]
    hromada.write("votes.csv", "item;who;said\n" + "".join(said))


def find_labels(hromada: Hromada, name: str) -> dict[str, Any]:
    return {item["item_id"]: item["label"] for item in hromada("aggregate", name, "--json").json["items"]}


@pytest.mark.parametrize(
    ("rule", "labels", "n_right"),
    [
        ("", {"minus": None, "comma": None, "spelt": "2,50", "large": "10'963"}, 24 + 2 + 2 + 1 + 2),
        (", normalise: number", {"minus": None, "comma": None, "spelt": "2,50", "large": "10 963"}, 24 + 2 + 2 + 3 + 3),
        (", normalise: exact", {"minus": "6", "comma": "35", "spelt": None, "large": None}, 24 + 1 + 1 + 1 + 1),
    ],
)
def test_a_sign_and_a_decimal_mark_are_part_of_an_answer(
    hromada: Hromada, rule: str, labels: dict[str, Any], n_right: int
) -> None:
    """A tie between −6 and 6, or between 3.5 and 35, is a tie; single answers are right under the rule."""
    write_pool(hromada)
    name = hromada.loaded(PROJECT.format(rule=rule))
    found = find_labels(hromada, name)
    assert {item: found[item] for item in labels} == labels
    assert all(found[f"t{number}"] is None for number in range(12))
    assert sum(label is None for label in found.values()) == 12 + list(labels.values()).count(None)
    single = hromada("baseline", name, "--json").json["units"][0]
    assert single["total"] - single["wrong"] == n_right


def test_the_name_of_the_rule_stands_beside_every_score(hromada: Hromada) -> None:
    """In human_baseline.csv, baselines.csv, gold.csv, agreement.json, the report, and what the commands print."""
    write_pool(hromada)
    name = hromada.loaded(PROJECT.format(rule=", normalise: number"))
    assert hromada("export", name, "--to", "out").code == 0
    folder = hromada.folder / "out"
    for file in ("human_baseline.csv", "baselines.csv"):
        with (folder / file).open(encoding="utf-8", newline="") as source:
            assert {row["normalise"] for row in csv.DictReader(source)} == {"number"}
    with (folder / "gold.csv").open(encoding="utf-8", newline="") as source:
        gold = {row["item_id"]: row for row in csv.DictReader(source)}
    assert all(row["method"].endswith("; texts compared by number") for row in gold.values())
    assert gold["large"]["gold_support"] == gold["spelt"]["gold_support"] == "0.7500"
    described = json.loads((folder / "agreement.json").read_text("utf-8"))[name]
    assert described["normalise"] == "number"
    assert all("by the rule number" in row["how"] for row in described["agreement"]["coefficients"])
    assert "Texts are compared by “number”" in (folder / "report.html").read_text("utf-8")
    for command in ("aggregate", "baseline", "agreement"):
        assert hromada(command, name, "--json").json["normalise"] == "number"
        assert "Texts are compared by `number`" in hromada(command, name).out


@pytest.mark.parametrize(("column", "cells"), [("gold", "шість;"), ("gold", '1/2;"[""6""]"'), ("also", "6;шість")])
def test_gold_that_is_no_number_is_refused(hromada: Hromada, column: str, cells: str) -> None:
    """With file, line, column and remedy; under `words` it is an answer like any other."""
    hromada.write("items.csv", f"id;sum;gold;also\na;2+4;6;\nb;3+3;{cells}\n")
    hromada.write("votes.csv", "item;who;said\na;p;6\n")
    hromada.write("project.yaml", PROJECT.format(rule=", normalise: number"))
    refused = hromada("check", "project.yaml")
    assert refused.code != 0
    assert f"items.csv:3, {column}: " in refused.err
    assert "is not a number" in refused.err
    assert "normalise: number" in refused.err
    hromada.write("project.yaml", PROJECT.format(rule=""))
    assert "is not a number" not in hromada("check", "project.yaml").err


def test_a_rule_belongs_to_free_texts_and_has_one_of_three_names(hromada: Hromada) -> None:
    """An unknown name, and a rule for another type of question, are refused with line and column."""
    write_pool(hromada)
    hromada.write("project.yaml", PROJECT.format(rule=", normalise: squad"))
    refused = hromada("check", "project.yaml")
    assert (refused.code, ":5" in refused.err, "words" in refused.err) == (2, True, True)
    corrected = PROJECT.format(rule=", field: sum, normalise: words").replace("type: text", "type: edit")
    hromada.write("project.yaml", corrected)
    refused = hromada("check", "project.yaml")
    assert (refused.code, "normalise" in refused.err) == (2, True)


@pytest.mark.parametrize("rule", ["words", "number"])
def test_the_arithmetic_of_mera(hromada: Hromada, shared: Path, rule: str) -> None:
    """SimpleAr asked as text: 200 sums, all right by majority, no tie; on 176 all five people agree."""
    file = next((shared / "data" / "mera-humanbenchmarks" / "SimpleAr").glob("assignments*"))
    with file.open(encoding="utf-8", newline="") as source:
        formulas = sorted({row["INPUT:formula"] for row in csv.DictReader(source, delimiter="\t")})
    rows = [f"{one};{sum(map(int, one.split(' + ')))}\n" for one in formulas]
    hromada.write("truth.csv", "formula;gold\n" + "".join(rows))
    name = hromada.loaded(POOL.format(file=file, rule=rule), outside=True)
    made = hromada("aggregate", name, "--json").json
    assert (made["accuracy"]["right"], made["accuracy"]["total"]) == (200, 200)
    assert sum(item["tie"] for item in made["items"]) == 0
    assert sum(item["confidence"] == 1 for item in made["items"]) == 176
