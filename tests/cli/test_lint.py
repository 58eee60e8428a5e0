"""The lint at the command line: shown by check, an error refuses the load, warnings are printed and journalled."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: words
title: "Яке слово зайве?"
language: uk
question: {type: choice, text: "Яке слово зайве?"}
items: {file: items.jsonl, id: id, show: text, options: options, gold: gold}
overlap: 3
"""


def items(n: int, *, last: bool = False) -> list[dict[str, object]]:
    """Clean items, or with gold always last."""
    rng = random.Random(1)  # noqa: S311
    found: list[dict[str, object]] = []
    for number in range(n):
        options = rng.sample(["хата", "дорога", "річка", "поле", "вікно", "трава"], 3)
        gold = options[-1] if last else rng.choice(options)
        found.append({"id": f"q{number}", "text": f"Питання номер {number}", "options": options, "gold": gold})
    return found


def project(hromada: Hromada, rows: list[dict[str, object]], *, file: str = "items.jsonl") -> None:
    """A folder with the project and these items."""
    hromada.write("project.yaml", PROJECT.replace("items.jsonl", file))
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) if file.endswith("l") else json.dumps(rows)
    hromada.write(file, text)


def journal(folder: Path) -> list[dict[str, object]]:
    """The findings that the journal holds."""
    with sqlite3.connect(folder / "hromada.db") as connection:
        rows = connection.execute("SELECT data FROM journal WHERE event = 'project loaded'").fetchall()
    connection.close()
    return [finding for (data,) in rows for finding in json.loads(data)["findings"]]


def test_clean_items_load_without_a_word(hromada: Hromada) -> None:
    """No finding in check, load or the journal; plain JSON serves as well as JSON Lines."""
    project(hromada, items(60), file="items.json")
    assert hromada("check", "project.yaml", "--json").json["findings"] == []
    ran = hromada("load", "project.yaml")
    assert (ran.code, "lint" in ran.out) == (0, False)
    assert journal(hromada.folder) == []


def test_a_warning_is_printed_and_journalled(hromada: Hromada) -> None:
    """Gold always last: check and load say so with the remedy, and the load goes through."""
    project(hromada, items(60, last=True))
    checked = hromada("check", "project.yaml")
    assert (checked.code, "can be loaded" in checked.out, "Shuffle the options" in checked.out) == (0, True, True)
    assert [len(one["ids"]) for one in hromada("check", "project.yaml", "--json").json["findings"]] == [60]
    ran = hromada("load", "project.yaml")
    assert (ran.code, "gold-position" in ran.out) == (0, True)
    (found,) = journal(hromada.folder)
    assert (found["rule"], found["severity"], found["items"]) == ("gold-position", "warning", 60)
    again = hromada("load", "project.yaml", "--json")
    assert (again.code, again.json["stored"], again.json["findings"]) == (0, False, [])


def test_errors_refuse_the_load_and_check_lists_them_all(hromada: Hromada) -> None:
    """Two kinds of errors in three items: all ids in check, the first with its place as the refusal, nothing stored."""
    rows = items(20)
    rows[4]["gold"] = "сонце"
    for number in (7, 9):
        rows[number]["options"] = ["хата", "хата", "поле"]
        rows[number]["gold"] = "поле"
    project(hromada, rows)
    checked = hromada("check", "project.yaml", "--json")
    assert checked.code == 2
    errors = [(one["rule"], one["ids"]) for one in checked.json["findings"] if one["severity"] == "error"]
    assert errors == [("duplicate-option", ["q7", "q9"]), ("gold-not-an-option", ["q4"])]
    assert checked.err.endswith("There are 2 more errors.\n")
    shown = hromada("check", "project.yaml")
    assert "cannot be loaded yet" in shown.out
    assert shown.err.endswith("There are 2 more errors; `--json` lists them all.\n")
    ran = hromada("load", "project.yaml")
    assert ran.code == 2
    assert "items.jsonl:8, options: The option 'хата' occurs twice." in ran.err
    assert "There are 2 more errors; `hromada check` lists them." in ran.err
    assert not (hromada.folder / "hromada.db").exists()


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [("WhichWordWrongCatTask", "additionalMetadata_all_options", 2), ("WordLengthComparison", None, 0)],
)
def test_lmes_files_are_checked_as_they_are(
    hromada: Hromada, shared: Path, name: str, options: str | None, code: int
) -> None:
    """CATS-MC is refused for its repeated options, with all its other defects told; the lengths load."""
    columns = options or "[additionalMetadata_option_0, additionalMetadata_option_1]"
    file = shared / f"data/eval-ua-tion/lmes/{name}.json"
    hromada.write(
        "project.yaml",
        f"project: lmes\ntitle: lmes\nlanguage: uk\nquestion: {{type: choice, text: 'Що?'}}\noverlap: 1\n"
        f"items: {{file: {file}, format: lmes, id: taskInstanceUuid, show: question, options: {columns},"
        " gold: correctAnswer}\n",
    )
    ran = hromada("check", "project.yaml", "--json", "--allow-outside")
    found = {one["rule"]: len(one["ids"]) for one in ran.json["findings"] if one["severity"] != "note"}
    assert ran.code == code
    assert found == (
        {"duplicate-option": 100, "gold-position": 200, "repeated-question": 34} if code else {}
    )  # fmt: skip
