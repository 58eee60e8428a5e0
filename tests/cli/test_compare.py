"""People beside models and plans, through the command line."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING

from tests.cli.test_compare_pilots import load_pilot

if TYPE_CHECKING:
    from tests.cli.conftest import Hromada


def write_model(hromada: Hromada, name: str, *, right: float, skip: int = 0, stimulus: str | None = None) -> None:
    """Answers of a model to the items of `load_pilot` but the first so many."""
    rng = random.Random(name)  # noqa: S311  # simulated answers
    lines = []
    for number in range(skip, 60):
        gold, other = ("так", "ні") if number % 2 else ("ні", "так")
        row = {"item_id": f"s{number:03}", "answer": gold if rng.random() < right else other}
        lines.append(json.dumps(row | ({} if stimulus is None else {"stimulus_sha256": stimulus}), ensure_ascii=False))
    hromada.write(f"{name}.jsonl", "\n".join(lines) + "\n")


def test_models_are_compared_on_the_items_of_people(hromada: Hromada) -> None:
    """Differences, intervals, tests and parts of two models and a published score; missing items are listed."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    write_model(hromada, "weak", right=0.5)
    write_model(hromada, "short", right=0.9, skip=4)
    ran = hromada("compare", "people", "weak.jsonl", "short.jsonl", "--score", "said=0.7/200", "--json", "--to", "out")
    assert ran.code == 1, ran.err
    found = ran.json
    assert found["has_equal_items"] is False
    assert found["items"]["short"]["not answered by the model"] == [f"s{number:03}" for number in range(4)]
    assert found["items"]["weak"]["n_compared"] == 60
    rows = {(row["model"], row["unit"]): row for row in found["differences"]
            if row["metric"] == "accuracy" and row["kind"] == "all"}  # fmt: skip
    assert rows["weak", "individual"]["above"] == "people"
    assert rows["weak", "individual"]["ci_low"] > 0
    assert rows["said", "majority"]["is_paired"] is False
    assert rows["short", "individual"]["n_items"] == 56
    baseline = hromada("baseline", "people", "--json").json
    assert rows["weak", "individual"]["people"] == round(baseline["units"][0]["scores"][0]["value"], 6)
    assert {row["part"] for row in found["differences"] if row["kind"] == "class"} == {"так", "ні"}
    assert [row["model"] for row in found["mcnemar"]] == ["weak", "short"]
    with (hromada.folder / "out" / "model_items.csv").open(encoding="utf-8", newline="") as file:
        items = list(csv.DictReader(file))
    assert sum(row["status"] == "compared" for row in items) == 116


def test_tables_say_what_is_compared(hromada: Hromada) -> None:
    """Equal items: exit code 0, both units, McNemar's test and the parts."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    write_model(hromada, "weak", right=0.5)
    ran = hromada("compare", "people", "weak.jsonl")
    assert ran.code == 0, ran.err
    for part in ("people (single answers) less models", "majority and model, McNemar", "where people are above"):
        assert part in ran.out
    assert "weak: matched by ids alone" in ran.out


def test_another_stimulus_is_left_out(hromada: Hromada) -> None:
    """A model that was shown something else answered none of our items."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    write_model(hromada, "other", right=0.9, stimulus="0" * 64)
    ran = hromada("compare", "people", "other.jsonl")
    assert ran.code == 2
    assert "other answered none of the items that people are scored on" in ran.err


def test_wrong_answers_of_models_are_refused_with_their_line(hromada: Hromada) -> None:
    """No JSON, a missing key, an item twice, a file that is not there, a score that is none."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    for content, says in (
        ("{\n", "m.jsonl:1: This line is no JSON."),
        ('{"item_id": "s001"}\n', "m.jsonl:1, answer: This line lacks answer."),
        ('{"item_id": "s001", "answer": "так"}\n' * 2, "m.jsonl:2, item_id: 's001' is answered twice."),
    ):
        hromada.write("m.jsonl", content)
        ran = hromada("compare", "people", "m.jsonl", "--to", "out")
        assert (ran.code, says in ran.err) == (2, True), ran.err
    missing = hromada("compare", "people", "nowhere.jsonl")
    assert (missing.code, "cannot be read" in missing.err) == (2, True)
    score = hromada("compare", "people", "--score", "m=1.5")
    assert (score.code, "is no score" in score.err) == (2, True)
    assert not (hromada.folder / "out").exists()


def test_a_plan_from_assumptions_and_from_votes(hromada: Hromada) -> None:
    """Both plan; votes tell of majorities too; the files are the same each time."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    assumed = hromada("plan", "--items", "400", "--people", "40", "--json").json
    assert [unit["unit"] for unit in assumed["units"]] == ["single answers"]
    assert assumed["units"][0]["design"]["items"] == 400
    assert assumed["units"][0]["variance"]["people_df"] is None
    seen = hromada("plan", "people", "--half-width", "0.05", "--to", "one", "--json")
    assert seen.code == 0, seen.err
    assert [unit["unit"] for unit in seen.json["units"]] == ["single answers", "majority"]
    assert "votes of 12 people" in seen.json["units"][0]["basis"]
    assert seen.json["reached_half_width"]["this_panel"] > 0
    hromada("plan", "people", "--half-width", "0.05", "--to", "two")
    for name in ("plan.json", "plan.csv", "plan.svg"):
        assert (hromada.folder / "one" / name).read_bytes() == (hromada.folder / "two" / name).read_bytes()
    assert (hromada.folder / "one" / "plan.svg").read_text("utf-8").startswith("<svg xmlns=")
    table = hromada("plan", "people", "--half-width", "0.05")
    assert "items against people for ±0.05" in table.out
    other = hromada("plan", "--pilot", "people", "--items", "300", "--json").json
    assert other["units"][1]["design"]["items"] == 300
