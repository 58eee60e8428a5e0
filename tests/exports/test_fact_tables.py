"""The tables of facts: what adds up, what is suppressed, and what is there although there is nothing to tell."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import Any

import pytest

from exports import fact_tables
from exports.facts import LintFact, ProfileCount, TextVersion
from exports.release_state import ReleaseState, compute_release_state

TABLES = (
    "answers_per_item.csv", "attrition.csv", "demographics.csv", "exclusions.csv", "lint.csv", "plan_achieved.csv",
    "qualification.csv", "sampling.csv", "time.csv",
)  # fmt: skip


def read(files: dict[str, str], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name], newline="")))


@pytest.fixture(scope="module")
def state(make_release: Any) -> ReleaseState:
    project = make_release.project(
        profile=(
            ProfileCount(field="l1", question="Рідна мова?", value="українська", n=6),
            ProfileCount(field="l1", question="Рідна мова?", value="інша", n=None),
        ),
        lint=(LintFact(rule="long-option", severity="note", message="=1 long", items=("i1", "i2"), remedy="Cut it."),),
        texts=(
            TextVersion(
                kind="instructions", scope="project x", version=None, sha256="1" * 64, text="Раз,\r\n«два»", n_people=8
            ),
        ),
    )
    data = make_release.data_set()
    data = dataclasses.replace(data, removed_annotators={"a9": "failed", "a8": "failed"})
    return compute_release_state(make_release.inputs(data, project))


def test_the_flow_adds_up_to_all_answers(state: ReleaseState) -> None:
    files = fact_tables.build_fact_files(state)
    rows = read(files, "exclusions.csv")
    counts = {
        step: sum(int(row["n_answers"] or 0) for row in rows if row["step"] == step)
        for step in ("all", "excluded", "skipped", "counted")
    }
    assert counts == {"all": 112, "excluded": 16, "skipped": 0, "counted": 96}
    assert {row["kind"]: row["n_answers"] for row in rows if row["step"] == "excluded"} == {
        "control item": "8",
        "repeat": "8",
    }
    (removed,) = (row for row in rows if row["step"] == "removed")
    assert (removed["reason"], removed["n_annotators"]) == ("failed", "2")


def test_every_table_is_there_with_its_header(make: Any, make_release: Any, state: ReleaseState) -> None:
    files = fact_tables.build_fact_files(state)
    assert tuple(sorted(files)) == TABLES
    empty = make.data_set("так-ні", items=[make.item("i1")], responses=[])
    project = make_release.project(
        frames=(),
        qualification=None,
        plan=None,
        training_items=(),
        texts=(),
        invited=None,
        consented=None,
        started=None,
        finished=None,
    )
    inputs = make_release.inputs(empty, project)
    nothing = fact_tables.build_fact_files(compute_release_state(inputs))
    for name in TABLES:
        assert nothing[name].splitlines()[0] == files[name].splitlines()[0]
    assert read(nothing, "answers_per_item.csv") == [{"dataset": "так-ні", "n_answers": "0", "n_items": "1"}]
    assert [row["n"] for row in read(nothing, "attrition.csv")] == [""] * 5
    assert read(nothing, "time.csv") == read(nothing, "qualification.csv") == []


def test_cells_say_what_is_known(state: ReleaseState) -> None:
    files = fact_tables.build_fact_files(state)
    assert [(row["value"], row["n"], row["suppressed"]) for row in read(files, "demographics.csv")] == [
        ("українська", "6", "false"),
        ("інша", "", "true"),
    ]
    (finding,) = read(files, "lint.csv")
    assert (finding["message"], json.loads(finding["items"])) == ("'=1 long", ["i1", "i2"])
    (plan,) = read(files, "plan_achieved.csv")
    assert (plan["planned_overlap"], plan["answers_min"], plan["answers_max"]) == ("8", "8", "8")
    assert (plan["planned_half_width"], plan["half_width"]) == ("0.1000", "0.0668")
    steps = {row["step"]: row["n"] for row in read(files, "attrition.csv")}
    assert steps == {"invited": "12", "consented": "10", "qualified": "8", "started": "10", "finished": "8"}
    times = read(files, "time.csv")
    assert (times[0]["annotator"], times[0]["n"], len(times)) == ("", "96", 9)
    assert read(files, "answers_per_item.csv") == [{"dataset": "так-ні", "n_answers": "8", "n_items": "12"}]
    (sample,) = read(files, "sampling.csv")
    assert (sample["drawn"], sample["candidates"], sample["seed"]) == ("12", "40", "1")


def test_texts_are_verbatim(state: ReleaseState) -> None:
    files = fact_tables.build_text_files(state)
    (row,) = read(files, "texts/texts.csv")
    assert files[row["file"]] == "Раз,\r\n«два»"
    assert json.loads(files["texts/так-ні/training.jsonl"])["gold"] == ["так"]
    facts = json.loads(files["facts.json"])["projects"]["так-ні"]
    assert facts["declared"]["pay"]["value"] == "volunteers, unpaid"


def test_what_is_not_declared_is_null_with_what_it_should_state(make_release: Any) -> None:
    project = make_release.project(declared={})
    files = fact_tables.build_text_files(compute_release_state(make_release.inputs(project=project)))
    declared = json.loads(files["facts.json"])["projects"]["так-ні"]["declared"]
    assert {fact["value"] for fact in declared.values()} == {None}
    assert all(fact["should_state"] for fact in declared.values())
