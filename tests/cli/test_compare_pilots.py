"""Two wordings over the same items, compared through the command line."""

from __future__ import annotations

import csv
import json
import random
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


def test_pilots_are_compared_on_their_common_items(hromada: Hromada) -> None:
    """Agreement, time, skips and accuracy of both and their differences; other items are counted and named."""
    load_pilot(hromada, "short", people=range(1, 13), right=0.95, seconds=10)
    load_pilot(hromada, "long", people=range(7, 19), right=0.7, seconds=30, first=3, changed=9)
    ran = hromada("compare-pilots", "short", "long.yaml", "--json")
    assert ran.code == 0, ran.err
    found = ran.json
    assert found["projects"] == ["short", "long"]
    assert len(found["items"]) == 57
    assert found["items_left_out"] == {f"s{number:03}": ["long"] for number in range(3)}
    assert found["items_with_other_text"] == ["s009"]
    differences = {row["measure"]: row for row in found["differences"]}
    assert set(differences) == {
        "percent_agreement", "krippendorff_alpha_nominal", "vote_share", "posterior", "mean_seconds", "median_seconds",
        "skips", "accuracy", "majority_accuracy",
    }  # fmt: skip
    assert differences["accuracy"]["ci_low"] > 0
    assert differences["percent_agreement"]["ci_low"] > 0
    assert differences["median_seconds"]["ci_high"] < -10
    assert differences["accuracy"]["n_people"] == 18
    assert differences["accuracy"]["n_common_people"] == 6
    values = {(row["measure"], row["pilot"]): row["value"] for row in found["values"]}
    assert 0.02 < values["skips", "short"] < 0.12
    baseline = hromada("baseline", "short", "--json").json
    assert 0.9 < baseline["units"][0]["scores"][0]["value"] < 1
    assert abs(values["accuracy", "short"] - baseline["units"][0]["scores"][0]["value"]) < 0.03


@pytest.mark.slow
def test_the_tables_say_what_is_compared_and_are_written(hromada: Hromada) -> None:
    """One table of values, one of differences, notes on the items; `--to` writes the same numbers as CSV."""
    load_pilot(hromada, "short", people=range(1, 13), right=0.95, seconds=10)
    load_pilot(hromada, "long", people=range(7, 19), right=0.7, seconds=30, first=3, changed=9)
    ran = hromada("compare-pilots", "short", "long", "--to", "compared")
    assert ran.code == 0, ran.err
    assert "pilots compared on 57 items" in ran.out
    assert "short less long" in ran.out
    assert "Not compared, as not every project has them: 3 (s000, s001, s002)." in ran.out
    assert "The text shown differs: 1 (s009)." in ran.out
    assert "18 people, 6 of them in both." in ran.out
    files = sorted(path.name for path in (hromada.folder / "compared").iterdir())
    assert files == ["pilot_differences.csv", "pilot_items.csv", "pilot_values.csv"]
    again = hromada("compare-pilots", "short", "long", "--json").json
    rows = read_rows(hromada.folder / "compared" / "pilot_differences.csv")
    assert [float(row["value"]) for row in rows] == [row["value"] for row in again["differences"]]


def test_what_cannot_be_compared_is_refused(hromada: Hromada) -> None:
    """One project, one twice, or no common item: a sentence, and nothing is written."""
    load_pilot(hromada, "short", people=range(1, 13), right=0.95, seconds=10)
    alone = hromada("compare-pilots", "short", "--to", "compared")
    assert (alone.code, "nothing to be compared with" in alone.err) == (2, True)
    twice = hromada("compare-pilots", "short", "short")
    assert (twice.code, "'short' is named twice" in twice.err) == (2, True)
    missing = hromada("compare-pilots", "short", "nowhere")
    assert (missing.code, "nowhere" in missing.err) == (2, True)
    assert not (hromada.folder / "compared").exists()


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
