"""Lists in cells of delimited files, as JSON or as Python prints them, wherever options are read."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

TITLES = """
project: up-titles
title: Який заголовок?
language: uk
question: {{type: {kind}, text: Який заголовок пасує?}}
items: {{file: titles.{ending}, id: id, show: text, options: titles, gold: gold{more}}}
votes: {{format: csv, file: votes.csv, item: id, annotator: who, answer: said}}
"""
FROM_VOTES = """
project: from-votes
title: Який заголовок?
language: uk
question: {type: choice, text: Який заголовок пасує?}
items: from votes
votes: {format: csv, file: votes.csv, item: id, show: text, options: titles, annotator: who, answer: said}
"""
OPTIONS = [
    "Уряд схвалив бюджет на X рік", "«Динамо» програло X:X", "У Києві — п'ять нових шкіл", 'Пам’ять "героїв"',
    "Ціни: +X,X %", "Чому [не] варто, коли", "Обʼєкт №X", "Шлях\\до\\мети", "Новини, спорт; погода",
    "Десятий заголовок",
]  # fmt: skip


def table(rows: Sequence[Sequence[str]], *, delimiter: str = ",") -> str:
    """A delimited file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def stored_options(hromada: Hromada) -> list[list[str]]:
    """The options in the database, by item."""
    connection = sqlite3.connect(hromada.folder / "hromada.db")
    rows = connection.execute("SELECT options FROM item ORDER BY external_id").fetchall()
    connection.close()
    return [json.loads(options) for (options,) in rows]


@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("csv", ";"), ("tsv", "\t")])
@pytest.mark.parametrize("write", [repr, json.dumps], ids=["printed", "json"])
def test_ten_titles_in_a_cell(hromada: Hromada, write: Any, ending: str, delimiter: str) -> None:
    """Both forms give the same ten options, quotes, apostrophes, brackets and backslashes whole."""
    rows = [("id", "text", "titles", "gold"), *((f"t{n}", f"Текст {n}", write(OPTIONS), OPTIONS[n]) for n in range(5))]
    hromada.write(f"titles.{ending}", table(rows, delimiter=delimiter))
    hromada.write("votes.csv", table([("id", "who", "said"), *((f"t{n}", "p", OPTIONS[n]) for n in range(5))]))
    name = hromada.loaded(TITLES.format(kind="choice", ending=ending, more=""))
    assert stored_options(hromada) == [OPTIONS] * 5
    units = hromada("baseline", name, "--json").json
    assert (units["units"][0]["wrong"], units["random"]) == (0, 0.1)


def test_every_cell_that_holds_a_list(hromada: Hromada) -> None:
    """Gold and answers of boxes, and the options of items that are made of votes."""
    gold = repr([OPTIONS[2], OPTIONS[3]])
    hromada.write("titles.csv", table([("id", "text", "titles", "gold"), ("t", "Текст", repr(OPTIONS), gold)]))
    hromada.write("votes.csv", table([("id", "who", "said"), ("t", "p", gold), ("t", "q", json.dumps(OPTIONS[2:4]))]))
    name = hromada.loaded(TITLES.format(kind="choices", ending="csv", more=""))
    units = hromada("baseline", name, "--json").json["units"]
    assert [(unit["total"], unit["wrong"]) for unit in units] == [(2, 0), (1, 0)]
    hromada.write(
        "votes.csv",
        table([("id", "text", "titles", "who", "said"), ("v", "Текст", repr(OPTIONS), "p", OPTIONS[9])]),
    )
    hromada.loaded(FROM_VOTES, name="votes.yaml")
    assert stored_options(hromada) == [OPTIONS, OPTIONS]


def test_further_right_answers_in_a_printed_list(hromada: Hromada) -> None:
    """`accepted` as Python prints it: every one of them is right."""
    text = TITLES.format(kind="text", ending="csv", more=", accepted: also").replace(", options: titles", "")
    rows = [("id", "text", "gold", "also"), ("t", "Текст", "шість", repr(["6", "п'ять і один"]))]
    hromada.write("titles.csv", table(rows))
    answers = [("t", f"p{n}", said) for n, said in enumerate(["6", "П’ять і один", "шість", "сім"])]
    hromada.write("votes.csv", table([("id", "who", "said"), *answers]))
    name = hromada.loaded(text)
    unit = hromada("baseline", name, "--json").json["units"][0]
    assert (unit["total"], unit["wrong"]) == (4, 1)


@pytest.mark.parametrize(
    "cell",
    [
        "['a', 'b'", "['a' 'b']", "('a', 'b')", "a, b", "['a', ['b']]", "['a', open('x')]", "{'a', 'b'}", r"['\x']",
        "['a', " + "-" * 5000 + "1]", "[" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_list_is_refused_with_its_place(hromada: Hromada, cell: str) -> None:
    """File, line, column and remedy; nothing is run, and nothing loaded."""
    hromada.write(
        "titles.csv", table([("id", "text", "titles", "gold"), ("s", "Т", "['a', 'b']", "a"), ("t", "Т", cell, "a")])
    )
    hromada.write("votes.csv", table([("id", "who", "said"), ("t", "p", "a")]))
    hromada.write("project.yaml", TITLES.format(kind="choice", ending="csv", more=""))
    refused = hromada("load", "project.yaml")
    assert refused.code == 2
    assert "titles.csv:3, titles: This is not a list of options." in refused.err
    assert """["so", "so"], or as Python prints it, ['so', 'so']""" in refused.err
    assert "Traceback" not in refused.err
