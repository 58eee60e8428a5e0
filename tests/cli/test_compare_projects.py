"""Two wordings over the same items, compared through the command line."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: {name}
title: Пілот {name}
language: uk
question: {{name: answer, type: choice, text: "{wording}", options: [так, ні]}}
items: {{file: {items}, id: key, show: text, gold: gold, gold_origin: expert}}
votes: {{format: label-studio, file: {name}.json, item: key, answer: answer, people: studio}}
"""


COLUMNS = ("measure", "difference", "ci_low", "ci_high", "item_only_low", "item_only_high", "se")
DIFFERENCES = [
    ("percent_agreement", 0.269006, 0.141109, 0.396903, 0.164038, 0.373974, 0.064114),
    ("krippendorff_alpha_nominal", 0.536351, 0.292914, 0.779789, 0.328202, 0.744501, 0.122125),
    ("vote_share", 0.134503, 0.054797, 0.214209, 0.082019, 0.186987, 0.039585),
    ("posterior", 0.073944, None, None, 0.032217, 0.11567, None),
    ("mean_seconds", -21.990643, -23.896276, -20.085011, -23.896276, -20.085011, 0.951275),
    ("median_seconds", -20.1, -22.980898, -17.219102, -22.980898, -17.219102, 1.438119),
    ("skips", 0.03203, -0.010359, 0.07442, -0.010359, 0.07442, 0.021018),
    ("accuracy", 0.181287, 0.106625, 0.255948, 0.114282, 0.248291, 0.037459),
    ("majority_accuracy", 0.140351, 0.045004, 0.235698, 0.045004, 0.235698, 0.046417),
]
"""What the command that had this comparison before said of the projects `short` and `long`."""


def build_task(number: int, rng: random.Random, *, people: range, right: float, seconds: float) -> dict[str, Any]:
    """A task as Label Studio exports it: three people answer, and sometimes one skips it."""
    gold = "так" if number % 2 else "ні"
    given = []
    for place, who in enumerate(rng.sample(list(people), 4)):
        said = gold if rng.random() < right else ("ні" if gold == "так" else "так")
        cancelled = place == 3
        if cancelled and rng.random() < 0.8:
            continue
        result = {"type": "choices", "from_name": "answer", "to_name": "text", "value": {"choices": [said]}}
        given.append(
            {
                "id": 10 * number + place,
                "completed_by": who,
                "result": [] if cancelled else [result],
                "was_cancelled": cancelled,
                "lead_time": round(seconds * rng.lognormvariate(0, 0.4), 1),
            }
        )
    return {"id": number, "data": {"key": f"s{number:03}", "text": f"речення {number}"}, "annotations": given}


def load_pilot(
    hromada: Hromada,
    name: str,
    *,
    people: range,
    right: float,
    seconds: float,
    first: int = 0,
    changed: int | None = None,
) -> None:
    """Load a project of 60 items from number `first` on, with the votes of these people; one item has another text."""
    rng = random.Random(name)  # noqa: S311  # simulated answers
    numbers = range(first, 60)
    rows = [
        f"s{number:03},речення {number}{'!' if number == changed else ''},{'так' if number % 2 else 'ні'}\n"
        for number in numbers
    ]
    hromada.write(f"{name}.csv", "key,text,gold\n" + "".join(rows))
    tasks = [build_task(number, rng, people=people, right=right, seconds=seconds) for number in numbers]
    hromada.write(f"{name}.json", json.dumps(tasks, ensure_ascii=False))
    project = PROJECT.format(name=name, wording=f"Чи добре? ({name})", items=f"{name}.csv")
    assert hromada.loaded(project, name=f"{name}.yaml") == name


@pytest.fixture
def piloted(hromada: Hromada) -> Hromada:
    """A folder with two wordings of the same items; six people answered both."""
    load_pilot(hromada, "short", people=range(1, 13), right=0.95, seconds=10)
    load_pilot(hromada, "long", people=range(7, 19), right=0.7, seconds=30, first=3, changed=9)
    return hromada


def test_two_projects_are_compared_on_their_common_items(piloted: Hromada) -> None:
    """Agreement, confidence, time, skips and accuracy with paired intervals; other items are named."""
    ran = piloted("compare", "short", "long.yaml", "--json", "--to", "compared")
    assert ran.code == 0, ran.err
    found = ran.json
    assert found["projects"] == ["short", "long"]
    items = {row["item_id"]: row for row in found["items"]}
    assert sum(row["compared"] for row in items.values()) == 57
    assert {item: row["missing_in"] for item, row in items.items() if not row["compared"]} == {
        f"s{number:03}": "long" for number in range(3)
    }
    assert [item for item, row in items.items() if row["text_differs"]] == ["s009"]
    assert [tuple(row[name] for name in COLUMNS) for row in found["differences"]] == DIFFERENCES
    assert {(row["n_people"], row["n_common_people"]) for row in found["differences"]} == {(18, 6), (0, 0)}
    files = sorted(path.name for path in (piloted.folder / "compared").iterdir())
    assert files == ["pilot_differences.csv", "pilot_items.csv"]
    rows = read_rows(piloted.folder / "compared" / "pilot_differences.csv")
    assert [float(row["difference"]) for row in rows] == [row["difference"] for row in found["differences"]]


def test_the_table_says_what_is_compared(piloted: Hromada) -> None:
    """One row per measure; notes on the items and the people."""
    ran = piloted("compare", "short", "long")
    assert ran.code == 0, ran.err
    for part in (
        "short less long on 57 items",
        "Not compared, as only one of the two has them: 3 (s000, s001, s002).",
        "The text shown differs: 1 (s009).",
        "posterior: No interval for a fresh panel: posteriors are taken for known",
        "18 people, 6 of them in both.",
    ):
        assert part in ran.out
    assert ran.out.split("accuracy")[1].split()[:5] == ["0.9357", "0.7544", "0.1813", "0.1066–0.2559", "0.1143–0.2483"]


def put_wrong_answers_on_the_page(hromada: Hromada) -> None:
    """Say of every wrong answer that it was given on the answer page."""
    with sqlite3.connect(hromada.folder / "hromada.db") as connection:
        connection.execute(
            "UPDATE judgement SET on_page = 1 WHERE id IN (SELECT judgement.id FROM judgement"
            " JOIN assignment ON assignment.id = assignment_id JOIN item ON item.id = item_id"
            " WHERE response <> gold)"
        )


def test_the_surfaces_of_a_project_are_compared(hromada: Hromada) -> None:
    """A project alone: each surface on the items that have answers from both; a warning says that people chose it."""
    load_pilot(hromada, "short", people=range(1, 13), right=0.7, seconds=10)
    assert "There is nothing to compare people with." in hromada("compare", "short").err
    put_wrong_answers_on_the_page(hromada)
    ran = hromada("compare", "short", "--json", "--to", "compared")
    assert ran.code == 0, ran.err
    assert ran.json["projects"] == ["short (answer page)", "short (import)"]
    rows = {row["measure"]: row for row in ran.json["differences"]}
    assert (rows["accuracy"]["first"], rows["accuracy"]["second"]) == (0, 1)
    n_items = sum(row["compared"] for row in ran.json["items"])
    assert rows["accuracy"]["n_items"] == n_items
    assert 10 < n_items < 60
    assert {row["missing_in"] for row in ran.json["items"]} == {"short (answer page)", "short (import)", None}
    assert any("Annotators chose the surface" in warning for warning in ran.json["warnings"])
    assert sorted(path.name for path in (hromada.folder / "compared").iterdir()) == [
        "pilot_differences.csv",
        "pilot_items.csv",
    ]
    printed = " ".join(hromada("compare", "short").out.split())
    assert f"short (answer page) less short (import) on {n_items} items" in printed
    assert "Annotators chose the surface" in printed


def test_what_cannot_be_compared_with_a_project_is_refused(hromada: Hromada) -> None:
    """The project itself, models beside it, options of models, no such project: a sentence, and nothing is written."""
    load_pilot(hromada, "short", people=range(1, 13), right=0.95, seconds=10)
    for words, problem in (
        (("short",), "'short' is named twice. Name two projects."),
        (("short.yaml", "answers.jsonl"), "short is compared with one project, or with models. Compare them in two"),
        (("short", "--score", "m=0.5"), "short is compared with one project, or with models."),
        (("short", "--ties", "drop"), "--ties, --seed, --epsilon and --margin are for a comparison with models."),
        (("short", "--seed", "3"), "--ties, --seed, --epsilon and --margin are for a comparison with models."),
        (("shorts",), "'shorts'"),
        (("nowhere.jsonl",), "nowhere.jsonl: The answers cannot be read (FileNotFoundError)."),
        ((), "There is nothing to compare people with. Name another project, results of a model, or a --score."),
    ):
        refused = hromada("compare", "short", *words, "--to", "compared")
        assert (refused.code, problem in " ".join(refused.err.split())) == (2, True), refused.err
    assert not (hromada.folder / "compared").exists()


def test_a_folder_with_the_name_of_a_project_is_named_by_its_path(hromada: Hromada) -> None:
    """As `./short`, which is no project's name."""
    load_pilot(hromada, "short", people=range(1, 13), right=0.95, seconds=10)
    (hromada.folder / "short").mkdir()
    assert "named twice" in hromada("compare", "short", "short").err
    assert "named twice" not in hromada("compare", "short", "./short").err


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
