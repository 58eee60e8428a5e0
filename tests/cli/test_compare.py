"""People beside models and plans, through the command line."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_compare_projects import load_pilot

if TYPE_CHECKING:
    from _command import Hromada

PILOTED = """\
project: words
title: Words
language: en
instructions: Choose.
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: items.csv, id: id, show: text, gold: gold, gold_origin: construction}
stages: {pilot: {pool: {where: {id: [PILOT]}}}}
overlap: 12
votes: {format: csv, file: votes.csv, item: item, annotator: annotator, answer: answer}
"""


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
    for part in ("people (single answers) less models", "majority and model, McNemar", "people less models, by part"):
        assert part in ran.out
    assert "weak: matched by ids alone" in ran.out
    assert "McNemar's p speaks" not in ran.out


def test_of_few_people_mcnemar_speaks_for_them_only(hromada: Hromada) -> None:
    """Four people: the note is below the table of McNemar's test and in JSON, and no interval is for others."""
    load_pilot(hromada, "people", people=range(1, 5), right=0.9, seconds=10)
    write_model(hromada, "weak", right=0.5)
    ran = hromada("compare", "people", "weak.jsonl")
    text = " ".join(ran.out.split())
    below = text[text.index("majority and model, McNemar") :]
    assert "McNemar's p speaks for these 4 people only: nothing can be said of new ones" in below
    assert "With 4 people nothing can be said of new ones; 5 are needed." in text
    notes = hromada("compare", "people", "weak.jsonl", "--json").json["notes"]
    assert [note for note in notes if note.startswith("McNemar's p speaks for these 4 people only")]


def test_another_stimulus_is_left_out(hromada: Hromada) -> None:
    """A model that was shown something else answered none of our items."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    write_model(hromada, "other", right=0.9, stimulus="0" * 64)
    ran = hromada("compare", "people", "other.jsonl")
    assert ran.code == 2
    assert "other.jsonl: No answer can be compared; items: 60 another stimulus." in " ".join(ran.err.split())
    assert "build the benchmark again" in " ".join(ran.err.split())
    (hromada.folder / "strange.jsonl").write_text('{"item_id": "elsewhere", "answer": "так"}\n', "utf-8")
    strange = hromada("compare", "people", "strange.jsonl")
    assert strange.code == 2
    assert "60 not answered by the model, 1 not of this project" in " ".join(strange.err.split())
    assert "`item_id`" in strange.err


def test_wrong_answers_of_models_are_refused_with_their_line(hromada: Hromada) -> None:
    """No JSON, a missing key, an item twice, a file that is not there, a score that is none."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    for content, says in (
        ("{\n", "m.jsonl:1: This line is not JSON."),
        ('{"item_id": "s001"}\n', "m.jsonl:1, answer: This line lacks answer."),
        ('{"item_id": "s001", "answer": "так"}\n' * 2, "m.jsonl:2, item_id: 's001' is answered twice."),
    ):
        hromada.write("m.jsonl", content)
        ran = hromada("compare", "people", "m.jsonl", "--to", "out")
        assert (ran.code, says in ran.err) == (2, True), ran.err
    missing = hromada("compare", "people", "nowhere.jsonl")
    assert (missing.code, "cannot be read" in missing.err) == (2, True)
    score = hromada("compare", "people", "--score", "m=1.5")
    assert (score.code, "is not a score" in score.err) == (2, True)
    assert not (hromada.folder / "out").exists()


@pytest.mark.slow
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
    told = hromada("plan", "people", "--share", "0.8", "--votes", "3")
    assert (told.code, "--votes, --share cannot be used here" in told.err) == (2, True)


@pytest.mark.slow
def test_the_pilot_of_a_project_tells_the_variance_of_the_rest(hromada: Hromada) -> None:
    """While only pilot items are answered, the plan for the main items rests on them; then on the main ones."""
    rng = random.Random(5)  # noqa: S311  # simulated answers
    names = [f"p{number}" for number in range(30)] + [f"m{number}" for number in range(120)]
    hromada.write("items.csv", "id,text,gold\n" + "".join(f"{name},{name},a\n" for name in names))
    pilot = ", ".join(names[:30])
    hromada.write("words.yaml", PILOTED.replace("PILOT", pilot))
    assert hromada("load", "words.yaml").code == 0
    assumed = hromada("plan", "words", "--json").json
    assert assumed["units"][0]["basis"].startswith("assumed")

    def answer(kept: list[str]) -> Path:
        votes = [f"{name},w{who},{'a' if rng.random() < 0.6 else 'b'}" for name in kept for who in range(12)]
        return hromada.write("votes.csv", "\n".join(["item,annotator,answer", *votes]) + "\n")

    assert hromada("import", "words", answer(names[:30])).code == 0
    seen = hromada("plan", "words", "--json").json
    assert [unit["basis"] for unit in seen["units"]] == ["votes of 12 people of the pilot of words"] * 2
    assert seen["units"][0]["variance"]["share"] == pytest.approx(0.6, abs=0.06)
    assert seen["units"][0]["design"]["items"] == 120
    assert seen["reached_half_width"] == {}
    assert hromada("baseline", "words").code != 0, "pilot answers are in no score"
    assert hromada("import", "words", answer(names[30:])).code == 0
    main = hromada("plan", "words", "--json").json
    assert {unit["basis"] for unit in main["units"]} == {"votes of 12 people of words"}
    assert main["reached_half_width"]["this_panel"] > 0


def test_a_plan_says_why_no_number_is_enough(hromada: Hromada) -> None:
    """Five people who are very different say too little: no list of nothing, but what to do."""
    load_pilot(hromada, "few", people=range(1, 6), right=0.8, seconds=10)
    ran = hromada("plan", "few", "--half-width", "0.002")
    assert ran.code == 0, ran.err
    assert "or plan from assumptions" in " ".join(ran.out.split())
    assert "none: no number is enough" in " ".join(ran.out.split())


@pytest.mark.parametrize("people", [1, 3])
def test_a_pilot_of_few_people_plans_too(hromada: Hromada, people: int) -> None:
    """What people vary is unknown then, and the plan says so; of four items nothing is planned."""
    names = [f"m{number}" for number in range(40)]
    hromada.write("items.csv", "id,text,gold\n" + "".join(f"{name},{name},a\n" for name in names))
    hromada.write("words.yaml", PILOTED.replace("PILOT", "m39").replace("overlap: 12", "overlap: 1"))
    assert hromada("load", "words.yaml").code == 0
    votes = [f"{name},w{who},{'b' if number % 4 == who else 'a'}" for number, name in enumerate(names[:-1])
             for who in range(people)]  # fmt: skip
    few = hromada.write("votes.csv", "\n".join(["item,annotator,answer", *votes[: 4 * people]]) + "\n")
    assert hromada("import", "words", few).code == 0
    refused = hromada("plan", "words")
    assert (refused.code, "have gold and answers; at least 5 are needed" in refused.err) == (2, True)
    hromada.write("votes.csv", "\n".join(["item,annotator,answer", *votes[4 * people :]]) + "\n")
    assert hromada("import", "words", few).code == 0
    ran = hromada("plan", "words", "--json")
    assert ran.code == 0, ran.err
    assert any(note.startswith("Fewer than 5 people do not show how much") for note in ran.json["notes"])
    for unit in ran.json["units"]:
        needed = [row["items"] for row in unit["items_for_half_width"] if row["items"] is not None]
        assert needed[0] > needed[-1], "more people need fewer items"


def test_a_file_of_answers_that_is_no_text_is_refused(hromada: Hromada) -> None:
    """With its line, however far down it is; a byte order mark is none of its answers."""
    load_pilot(hromada, "people", people=range(1, 13), right=0.9, seconds=10)
    write_model(hromada, "weak", right=0.5)
    good = (hromada.folder / "weak.jsonl").read_bytes()
    (hromada.folder / "bad.jsonl").write_bytes(good + b'{"item_id": "s059", "answer": "\xff"}\n')
    ran = hromada("compare", "people", "bad.jsonl")
    assert (ran.code, "bad.jsonl:61" in ran.err) == (2, True), ran.err
    (hromada.folder / "mark.jsonl").write_bytes(b"\xef\xbb\xbf" + good)
    assert hromada("compare", "people", "mark.jsonl").code == 0
