"""The tables of facts: what adds up, what is suppressed, and what is there although there is nothing to tell."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
from typing import Any

import pytest

from exports import fact_tables
from exports.facts import LintFact, ProfileCount, ReleaseFacts, TextFact
from exports.release_state import ReleaseState, compute_release_state

TABLES = (
    "answers_per_item.csv", "attrition.csv", "demographics.csv", "exclusions.csv", "lint.csv", "plan_achieved.csv",
    "qualification.csv", "sampling.csv", "time.csv",
)  # fmt: skip


VERBATIM = 'Раз,\r\n"два"\n=3 '
SHA256 = hashlib.sha256(VERBATIM.encode()).hexdigest()


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
            TextFact(kind="instructions", scope="project x", version=None, sha256=SHA256, text=VERBATIM, n_people=8),
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
        invited_by_friends=None,
        consented=None,
        started=None,
        finished=None,
    )
    inputs = make_release.inputs(empty, project)
    nothing = fact_tables.build_fact_files(compute_release_state(inputs))
    for name in TABLES:
        assert nothing[name].splitlines()[0] == files[name].splitlines()[0]
    assert read(nothing, "answers_per_item.csv") == [{"dataset": "так-ні", "n_answers": "0", "n_items": "1"}]
    assert [(row["step"], row["n"], row["note"]) for row in read(nothing, "attrition.csv")][:4] == [
        ("invited", "", "no invitations were made out"),
        ("invited by friends", "", "no friends were invited"),
        ("consented", "", "no consent is asked for"),
        ("qualified", "", "there is no qualification"),
    ]
    assert [row["n"] for row in read(nothing, "attrition.csv")] == [""] * 6 + ["0"]
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
    assert (plan["planned_half_width"], plan["half_width"], plan["differs"]) == ("0.1000", "0.0655", "")
    steps = {row["step"]: row["n"] for row in read(files, "attrition.csv")}
    assert steps == {
        "invited": "12",
        "invited by friends": "3",
        "consented": "10",
        "qualified": "8",
        "started": "10",
        "finished": "8",
        "contributed": "8",
    }
    times = read(files, "time.csv")
    assert (times[0]["annotator"], times[0]["n"], len(times)) == ("", "96", 9)
    assert read(files, "answers_per_item.csv") == [{"dataset": "так-ні", "n_answers": "8", "n_items": "12"}]
    (sample,) = read(files, "sampling.csv")
    assert (sample["drawn"], sample["candidates"], sample["seed"]) == ("12", "40", "1")


def test_texts_are_verbatim(state: ReleaseState) -> None:
    files = fact_tables.build_text_files(state)
    (row,) = read(files, "texts/texts.csv")
    assert files[row["file"]] == VERBATIM
    assert (row["file"], row["sha256"]) == (f"texts/так-ні/instructions-{SHA256[:12]}.txt", SHA256)
    assert json.loads(files["texts/так-ні/training.jsonl"])["gold"] == ["так"]
    facts = json.loads(files["facts.json"])["projects"]["так-ні"]
    assert facts["declared"]["pay"]["value"] == "volunteers, unpaid"


def test_what_is_not_declared_is_null_with_what_it_should_state(make_release: Any) -> None:
    project = make_release.project(declared={})
    files = fact_tables.build_text_files(compute_release_state(make_release.inputs(project=project)))
    declared = json.loads(files["facts.json"])["projects"]["так-ні"]["declared"]
    assert {fact["value"] for fact in declared.values()} == {None}
    assert all(fact["should_state"] for fact in declared.values())


@pytest.fixture(scope="module")
def two(make: Any, make_release: Any) -> ReleaseState:
    """Two projects: one done as planned; one imported, in which votes are missing, excluded by a rule, or skipped."""
    full = make_release.data_set("a")
    late = {"excluded_reason": "too fast", "by_rule": True}
    rows = [
        make.response("i1", "a1", "так", seconds=1.0),
        make.response("i1", "a2", "ні", seconds=8.0),
        make.response("i2", "a1", None, skip_reason="unclear"),
        make.response("i2", "a2", "так", **late),
        make.response("i3", "a2", "так", **late, post_hoc=True),
        make.response("i3", "a3", "ні", excluded_reason='=later, "twice"'),
    ]
    short = make.data_set("b", items=[make.item(f"i{number}", "так") for number in (1, 2, 3)], responses=rows)
    unknown = dict.fromkeys(("qualification", "invited", "invited_by_friends", "consented", "started", "finished"))
    projects = (
        make_release.project("a"),
        make_release.project("b", imported=True, platforms=("import",), declared={}, **unknown),
    )
    facts = ReleaseFacts(name="p", title="P", language="uk", is_programme=True, projects=projects)
    source = make_release.source(full, short, name="p", is_group=True)
    return compute_release_state(
        make_release.inputs(full, projects[0], facts=facts, data_sets=(full, short), benchmark=source)
    )


def test_the_flow_tells_rules_and_later_changes_apart(two: ReleaseState) -> None:
    lines = fact_tables.build_fact_files(two)["exclusions.csv"].splitlines()
    assert lines[0] == "dataset,step,kind,reason,by_rule,post_hoc,n_answers,n_annotators,n_items"
    assert [line for line in lines if line.startswith("b,")] == [
        "b,all,,,,,6,3,3",
        'b,excluded,extra,"\'=later, ""twice""",false,false,1,1,1',
        "b,excluded,rule,too fast,true,false,1,1,1",
        "b,excluded,rule,too fast,true,true,1,1,1",
        "b,skipped,,,,,1,1,1",
        "b,counted,,,,,2,2,1",
    ]


def test_excluded_answers_are_those_of_the_published_responses(two: ReleaseState) -> None:
    flow = read(fact_tables.build_fact_files(two), "exclusions.csv")
    published = two.tables.responses
    for name in ("a", "b"):
        excluded = published["dataset"].eq(name) & published["excluded_kind"].notna()
        rows = [row for row in flow if (row["dataset"], row["step"]) == (name, "excluded")]
        assert sum(int(row["n_answers"]) for row in rows) == int(excluded.sum()) > 0


def test_what_falls_short_of_the_plan_is_said(two: ReleaseState) -> None:
    first, second = read(fact_tables.build_fact_files(two), "plan_achieved.csv")
    assert (first["dataset"], first["differs"]) == ("a", "")
    assert (second["dataset"], second["answered_items"], second["answers_min"]) == ("b", "2", "0")
    assert second["differs"].startswith("2 items answered, 12 planned; some items have 0 answers, 8 planned; ")


def test_a_wider_interval_than_planned_is_said(make_release: Any, state: ReleaseState) -> None:
    (project,) = state.facts.projects
    assert project.plan is not None
    strict = dataclasses.replace(project, plan=dataclasses.replace(project.plan, half_width=0.02))
    found = fact_tables.build_fact_files(compute_release_state(make_release.inputs(project=strict)))
    (row,) = read(found, "plan_achieved.csv")
    assert row["differs"] == "half-width 0.0655, 0.0200 planned"


def test_who_contributed_is_known_of_imported_votes_too(two: ReleaseState) -> None:
    rows = read(fact_tables.build_fact_files(two), "attrition.csv")
    steps = [(row["step"], row["n"], row["note"]) for row in rows if row["project"] == "b"]
    assert [step[1:] for step in steps[:5]] == [("", "people answered elsewhere")] * 5
    assert steps[6][:2] == ("contributed", "2")


def test_times_compare_each_with_the_median_of_all(two: ReleaseState) -> None:
    rows = [row for row in read(fact_tables.build_fact_files(two), "time.csv") if row["dataset"] == "b"]
    assert [(row["annotator"], row["n"], row["median"], row["fast_share"]) for row in rows] == [
        ("", "2", "4.50", "0.5000"),
        ("a1", "1", "1.00", "1.0000"),
        ("a2", "1", "8.00", "0.0000"),
    ]


def test_the_same_release_gives_the_same_facts(make_release: Any) -> None:
    first, second = (compute_release_state(make_release.inputs()) for _ in range(2))
    assert fact_tables.build_fact_files(first) == fact_tables.build_fact_files(second)
    assert fact_tables.build_text_files(first) == fact_tables.build_text_files(second)
