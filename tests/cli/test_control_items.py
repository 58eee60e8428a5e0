"""Imported votes judged by the control items among them, through the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada, Ran

PROJECT = """
project: %(name)s
title: %(name)s
language: ru
question: {type: choice, text: "?", options: %(options)s}
items: from votes
votes: {format: toloka, file: %(file)s, item: %(key)s}
quality:
  - {rule: control, accuracy: < 0.5, min_controls: 1, consequence: exclude}
"""
RULE = "control items right < 50%, with at least 1"


def added(formula: str) -> str:
    """The value of `a + b - c`, sums and differences only."""
    return str(sum(int(term) for term in re.findall(r"[+-]?\d+", formula.replace(" ", ""))))


def balanced(text: str) -> str:
    """1 where every bracket is closed by its own, else 0."""
    closing, still_open = {")": "(", "]": "[", "}": "{"}, []
    for sign in text.split():
        if sign in closing.values():
            still_open.append(sign)
        elif not still_open or still_open.pop() != closing[sign]:
            return "0"
    return str(int(not still_open))


@dataclass(frozen=True)
class Pool:
    """A pool as exported: the columns that make an item, that of the answer, and how the truth is found."""

    key: Sequence[str]
    answer: str
    truth: Callable[[str], str] | None = None


POOLS = {
    "SimpleAr": Pool(["INPUT:formula"], "OUTPUT:result", added),
    "BPS": Pool(["INPUT:parentheses"], "OUTPUT:correct", balanced),
    "RWSD": Pool(["INPUT:text", "INPUT:word", "INPUT:pronoun"], "OUTPUT:result"),
    "RCB": Pool(["INPUT:premise", "INPUT:hypothesis"], "OUTPUT:answer"),
}
Rows = list[dict[str, str]]


def read(folder: Path) -> Rows:
    """The rows of all exports of a pool, the largest first."""
    files = sorted(folder.glob("assignments*"), key=lambda path: -path.stat().st_size)
    texts = [file.read_text("utf-8") for file in files]
    return [row for text in texts for row in csv.DictReader(io.StringIO(text, newline=""), delimiter="\t")]


def written(hromada: Hromada, name: str, rows: Rows) -> str:
    """The rows as a file of votes."""
    with (hromada.folder / name).open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, list(rows[0]), delimiter="\t")
        table.writeheader()
        table.writerows(rows)
    return name


def described(hromada: Hromada, name: str, rows: Rows) -> str:
    """The project file of a pool."""
    pool = POOLS[name]
    facts: dict[str, object] = {"name": name, "file": "votes.tsv", "key": json.dumps(list(pool.key))}
    facts["options"] = json.dumps(sorted({row[pool.answer] for row in rows}))
    text = PROJECT % facts
    if pool.truth is not None:
        (column,) = pool.key
        lines = [f"{row[column]}\t{pool.truth(row[column])}" for row in rows]
        hromada.write("truth.tsv", "\n".join(["task\ttruth", *dict.fromkeys(lines)]) + "\n")
        text += "truth: {file: truth.tsv, item: [task], gold: truth, gold_origin: construction}\n"
    return text


def found(hromada: Hromada, name: str, imported: Ran) -> dict[str, Any]:
    """What the commands say of a pool, by the names of expected.json."""
    items = hromada("aggregate", name, "--json").json["items"]
    unanimous = [item for item in items if len([one for one in item["posterior"].values() if one]) == 1]
    return {
        "users_with_control": imported.json["answered_controls"],
        "bad": imported.json["failed_controls"][RULE],
        "tasks": hromada("status", "--json").json[0]["items"],
        "overlap": {str(votes): times for votes, times in Counter(item["n_votes"] for item in items).items()},
        "total_agreement": len(unanimous),
        "majority": sum(not item["tie"] for item in items) - len(unanimous),
        "tie": sum(item["tie"] for item in items),
    }


@pytest.mark.parametrize("name", sorted(POOLS))
def test_pools_with_control_tasks_give_every_known_count(hromada: Hromada, shared: Path, name: str) -> None:
    """People under half of their control tasks right are out; what is left agrees, decides and ties as counted."""
    folder = shared / "data" / "mera-humanbenchmarks"
    expected: Mapping[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))[name]
    rows = read(folder / name)
    written(hromada, "votes.tsv", rows)
    path = hromada.write("project.yaml", described(hromada, name, rows))
    loaded = hromada("load", path)
    assert loaded.code == 0, loaded.err
    imported = hromada("import", name, "--json")
    assert imported.code == 0, imported.err
    counts = found(hromada, name, imported)
    assert counts == {key: expected[key] for key in counts}
    assert imported.json["retained"] == sum(int(votes) * times for votes, times in counts["overlap"].items())
    if POOLS[name].truth is not None:
        right = hromada("aggregate", name, "--json").json["accuracy"]
        assert f"{right['right']:.0f}/{right['total']}" == expected["accuracy"]


def test_who_failed_by_one_file_may_pass_by_both(hromada: Hromada, shared: Path) -> None:
    """The same pool in two files, in either order, gives the same counts: everybody is judged by all of them."""
    folder = shared / "data" / "mera-humanbenchmarks"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["BPS"]
    rows = read(folder / "BPS")
    path = hromada.write("project.yaml", described(hromada, "BPS", rows))
    written(hromada, "votes.tsv", rows)
    assert hromada("load", path).code == 0
    first = hromada("import", "BPS", written(hromada, "last.tsv", rows[300:]), "--json")
    second = hromada("import", "BPS", written(hromada, "first.tsv", rows[:300]), "--json")
    assert first.json["failed_controls"] != second.json["failed_controls"]
    counts = found(hromada, "BPS", second)
    assert counts == {key: expected[key] for key in counts}
    shown = hromada("import", "BPS", "votes.tsv")
    assert "annotators who answered control items" in shown.out


def test_a_rule_that_was_changed_leaves_nothing_of_the_earlier_one(hromada: Hromada, shared: Path) -> None:
    """Exclusions by the rule as it was are lifted with the next file: the counts are those of today's rule alone."""
    folder = shared / "data" / "mera-humanbenchmarks"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["BPS"]
    rows = read(folder / "BPS")
    strict = described(hromada, "BPS", rows).replace("accuracy: < 0.5", "accuracy: < 0.9")
    written(hromada, "votes.tsv", rows)
    assert hromada("load", hromada.write("project.yaml", strict)).code == 0
    strictly = hromada("import", "BPS", written(hromada, "last.tsv", rows[300:]), "--json")
    assert hromada("load", hromada.write("project.yaml", described(hromada, "BPS", rows)), "--yes").code == 0
    imported = hromada("import", "BPS", written(hromada, "first.tsv", rows[:300]), "--json")
    assert list(strictly.json["failed_controls"]) == [RULE.replace("50%", "90%")]
    counts = found(hromada, "BPS", imported)
    assert counts == {key: expected[key] for key in counts}
