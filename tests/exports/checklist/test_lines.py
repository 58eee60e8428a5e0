"""Each of the forty lines, in a release in which it is unmet and in one in which it is met."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from _results import change_result

from aggregation.scores.trivial_baselines import OptionItem
from exports.checklist import LINES, CheckedLine, build_checklist_files, check_release
from exports.facts import LintFact, PlanFact, ProjectFacts, Qualification, SampleFact, TextFact
from exports.inputs import DataSet
from exports.model_answers import ReadAnswers, ReadModels
from exports.release_state import ReleaseInputs, ReleaseState, compute_release_state

Change = Callable[[Any], ReleaseInputs]


def change_facts(**values: Any) -> Change:
    """The release with other facts."""
    return lambda make: make.inputs(project=make.project(**values))


def change_declared(name: str) -> Change:
    """The release without a declared fact."""

    def change(make: Any) -> ReleaseInputs:
        project = make.project()
        declared = {key: value for key, value in project.declared.items() if key != name}
        return make.inputs(project=dataclasses.replace(project, declared=declared))  # type: ignore[no-any-return]

    return change


def without_tasks(make: Any) -> ReleaseInputs:
    """The release of a project of which no task is made, so that no manifest says what differs."""
    return make.inputs(benchmark=dataclasses.replace(make.source(), tasks=()))  # type: ignore[no-any-return]


def change_answers(edit: Callable[[pd.DataFrame], pd.DataFrame], **more: Any) -> Change:
    """The release with other answers."""

    def change(make: Any) -> ReleaseInputs:
        data = make.data_set()
        return make.inputs(dataclasses.replace(data, responses=edit(data.responses.copy()), **more))  # type: ignore[no-any-return]

    return change


def change_items(edit: Callable[[pd.DataFrame], pd.DataFrame], **more: Any) -> Change:
    """The release with other items."""

    def change(make: Any) -> ReleaseInputs:
        data = make.data_set()
        return make.inputs(dataclasses.replace(data, items=edit(data.items.copy()), **more))  # type: ignore[no-any-return]

    return change


def set_cells(column: str, value: object, *, rows: slice = slice(None)) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Write a value into cells of a column."""

    def edit(frame: pd.DataFrame) -> pd.DataFrame:
        cells = frame[column].tolist()
        cells[rows] = [value] * len(cells[rows])
        return frame.assign(**{column: pd.Series(cells, index=frame.index, dtype=object)})

    return edit


def exclude_by_rule(frame: pd.DataFrame) -> pd.DataFrame:
    """The first four answers excluded by a quality rule."""
    for column, value in (("excluded_kind", "rule"), ("excluded_reason", "under 2 s for an item"), ("by_rule", True)):
        frame = set_cells(column, value, rows=slice(0, 4))(frame)
    return frame


def add_models(items: int) -> Change:
    """The release beside a model that answered so many items."""

    def change(make: Any) -> ReleaseInputs:
        data = make.data_set()
        ids = list(data.items["item_id"])[:items]
        answers = ReadAnswers(
            name="m", file=Path("m.jsonl"), answers=dict.fromkeys(ids, "так"), stimuli=dict.fromkeys(ids)
        )
        return make.inputs(data, models={data.name: ReadModels(models=(answers,))})  # type: ignore[no-any-return]

    return change


def drop_all(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[:0]


def in_groups(number: int) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """The items in so many groups."""
    return lambda frame: frame.assign(group=[f"g{place % number}" for place in range(len(frame))])


def with_options(gold_place: Callable[[int], int]) -> Change:
    """Items with four options of their own, the gold at that place of each."""

    def change(make: Any) -> ReleaseInputs:
        data = make.data_set()
        options = tuple(
            OptionItem(
                gold="g",
                labels=tuple("g" if place == gold_place(number) else f"o{place}" for place in range(4)),
                options=("а", "б", "в", "г"),
            )
            for number in range(40)
        )
        items = data.items.assign(n_options=4)
        own = dataclasses.replace(data, items=items, classes=None, option_items=options)
        return make.inputs(own, benchmark=make.source(data))  # type: ignore[no-any-return]

    return change


STRATA = SampleFact(
    pool="main",
    method="random within topic",
    seed=1,
    sha256="f" * 64,
    n_drawn=200,
    n_candidates=1000,
    strata={"a": (100, 500), "b": (100, 500)},
)
ERROR = LintFact(rule="nothing-shown", severity="error", message="empty", items=("i1",), remedy="Fill the cell.")
TEXT = TextFact(kind="instructions", scope="project x", version=None, sha256="1" * 64, text="")
UNFIXED = Qualification(rule="3 of 4", n_items=4, n_tried=2, n_passed=1, n_failed=1, fixed_before=False)

UNMET: dict[str, list[Change]] = {
    "R02": [change_answers(drop_all)],
    "R03": [change_answers(drop_all)],
    "R04": [add_models(6)],
    "R05": [
        change_facts(frames=(dataclasses.replace(STRATA, seed=None),)),
        change_facts(frames=(dataclasses.replace(STRATA, strata={"a": (190, 500), "b": (10, 500)}),)),
    ],
    "R06": [change_answers(lambda frame: frame.iloc[1:]), change_answers(drop_all)],
    "R07": [
        change_facts(plan=None),
        change_facts(rules_fixed_before=False),
        change_facts(plan=PlanFact(n_items=12, overlap=8, half_width=None, share=None, words="12 items")),
    ],
    "R08": [change_answers(set_cells("stage", "pilot", rows=slice(0, 1)))],
    "R09": [change_declared("ethics")],
    "R10": [change_facts(n_without_consent=None), change_facts(n_without_consent=3), change_facts(texts=(TEXT,))],
    "R11": [change_declared("population")],
    "R12": [change_declared("recruitment")],
    "R14": [change_facts(n_unlisted_exposed=2)],
    "R15": [change_facts(qualification=UNFIXED)],
    "R16": [change_facts(shared_ids=1), change_facts(shared_groups=2)],
    "R17": [change_declared("pay")],
    "R18": [
        change_answers(set_cells("instruction_sha256", None, rows=slice(0, 1))),
        change_facts(texts=(TEXT,)),
        change_answers(set_cells("instruction_sha256", "2" * 64, rows=slice(0, 30))),
    ],
    "R19": [
        change_answers(set_cells("option_order", None, rows=slice(0, 1))),
        with_options(lambda _number: 3),
    ],
    "R20": [
        without_tasks,
        change_answers(set_cells("stimulus_sha256", None, rows=slice(0, 1))),
        change_answers(set_cells("stimulus_sha256", "9" * 64, rows=slice(0, 1))),
    ],
    "R21": [change_facts(lint=(ERROR,))],
    "R22": [change_declared("ai_use")],
    "R23": [change_answers(set_cells("session", None))],
    "R24": [change_answers(set_cells("is_control", value=True, rows=slice(0, 1)))],
    "R25": [
        change_answers(set_cells("excluded_reason", None)),
        change_facts(rules_fixed_before=False),
    ],
    "R27": [change_facts(started=None), change_facts(finished=11)],
    "R28": [change_answers(set_cells("seconds", None))],
    "R30": [change_items(in_groups(4))],
    "R36": [change_answers(drop_all)],
    "R37": [
        change_answers(lambda frame: frame.loc[~frame["is_repeat"].eq(other=True)]),
        change_answers(set_cells("gap_hours", 20.0)),
    ],
    "R38": [change_items(set_cells("gold_origin", "declared"))],
    "R39": [change_facts()],
    "R40": [change_declared("licence")],
}
MET: dict[str, list[Change]] = {
    "R01": [change_facts()],
    "R04": [add_models(12)],
    "R05": [change_facts(frames=(STRATA,)), change_facts(frames=())],
    "R08": [change_facts(pilot_items=0, pilot_answers=0)],
    "R13": [change_facts(), change_answers(set_cells("insider", value=True, rows=slice(0, 14)))],
    "R14": [change_facts(exceptions=("other",))],
    "R15": [change_facts(qualification=None)],
    "R16": [change_facts(training_items=())],
    "R19": [change_facts(shuffles_options=False), with_options(lambda number: number % 4)],
    "R24": [change_answers(lambda frame: frame.loc[~frame["is_control"].eq(other=True)])],
    "R26": [change_facts(), change_answers(exclude_by_rule)],
    "R29": [change_facts(), change_answers(set_cells("response", None, rows=slice(0, 1)))],
    "R31": [change_items(in_groups(6)), change_items(in_groups(4))],
    "R33": [change_facts()],
    "R34": [add_models(12)],
    "R35": [change_facts()],
}
ALWAYS = ("R01", "R13", "R26", "R29", "R31", "R32", "R33", "R34", "R35")
"""Lines that the platform itself keeps; the tests below break the release beneath them."""


def compute(make_release: Any, change: Change) -> ReleaseState:
    return compute_release_state(change(make_release))


def get_line(state: ReleaseState, line: str) -> CheckedLine:
    lines = {one.id: one for one in check_release(state).lines}
    assert all(one.evidence for one in lines.values()), "no line may be silently empty"
    return lines[line]


@pytest.mark.parametrize(("line", "change"), [(line, change) for line, changes in UNMET.items() for change in changes])
def test_a_line_is_unmet_and_says_how_to_meet_it(make_release: Any, line: str, change: Change) -> None:
    state = compute(make_release, change)
    found = get_line(state, line)
    assert (found.status, bool(found.remedy)) == ("unmet", True), found.evidence
    checklist = check_release(state)
    stopping = {one.id for one in checklist.blocking}
    assert (line in stopping) == (found.level != "warn")
    assert (line in {one.id for one in checklist.warnings}) == (found.level == "warn")
    assert checklist.status == ("blocked" if stopping else "full")


@pytest.mark.parametrize(("line", "change"), [(line, change) for line, changes in MET.items() for change in changes])
def test_a_line_is_met_otherwise_too(make_release: Any, line: str, change: Change) -> None:
    found = get_line(compute(make_release, change), line)
    assert found.status == "met", found.evidence


def test_a_release_in_order_meets_every_line_but_those_on_models_and_the_ceiling(make_release: Any) -> None:
    checklist = check_release(compute(make_release, change_facts()))
    statuses = {line.id: line.status for line in checklist.lines}
    others = {line: status for line, status in statuses.items() if status != "met"}
    assert others == {"R04": "not applicable", "R34": "not applicable", "R39": "unmet"}
    assert (checklist.status, checklist.blocking, checklist.is_secondary) == ("full", (), False)


def test_every_line_is_tested_in_both_ways() -> None:
    ids = [line.id for line in LINES]
    assert len(ids) == len(set(ids)) == 40
    assert {*UNMET, *ALWAYS} == set(ids)


def break_tables(state: ReleaseState, **frames: Any) -> ReleaseState:
    return dataclasses.replace(state, tables=dataclasses.replace(state.tables, **frames))


def break_results(state: ReleaseState, **fields: Any) -> ReleaseState:
    results = tuple(change_result(result, **fields) for result in state.tables.results)
    return dataclasses.replace(state, tables=dataclasses.replace(state.tables, results=results))


@pytest.mark.parametrize("line", ["R13", "R26", "R29"])
def test_a_missing_variant_of_the_scores_is_unmet(make_release: Any, line: str) -> None:
    """The score without insiders, with what rules excluded, and without skips, were they not computed."""
    edits = {
        "R13": set_cells("insider", value=True, rows=slice(0, 14)),
        "R26": exclude_by_rule,
        "R29": set_cells("response", None, rows=slice(0, 1)),
    }
    state = compute(make_release, change_answers(edits[line]))
    assert get_line(state, line).status == "met"
    broken = get_line(break_results(state, variants={}, missing_variants={}), line)
    assert (broken.status, bool(broken.remedy)) == ("unmet", True), broken.evidence


@pytest.mark.parametrize("line", ["R01", "R33"])
def test_missing_units_are_unmet(make_release: Any, line: str) -> None:
    state = compute(make_release, change_facts())
    (result,) = state.tables.results
    assert result.performance is not None
    without = {"R01": "individual", "R33": "majority"}[line]
    units = tuple(unit for unit in result.performance.units if unit.unit != without)
    broken = break_results(state, performance=dataclasses.replace(result.performance, units=units))
    lines = {one.id: one for one in check_release(broken).lines} if line == "R33" else None
    found = lines[line] if lines else check_line(broken, line)
    assert found.status == "unmet"


def check_line(state: ReleaseState, line: str) -> Any:
    """The verdict of one line alone, where others cannot be computed."""
    from exports.checklist.gate import CHECKS
    from exports.checklist.verdicts import Subject

    (project,) = state.facts.projects
    return CHECKS[line](Subject(state=state, project=project, results=state.list_results(project)))


def test_people_without_scores_in_the_table_are_unmet(make_release: Any) -> None:
    state = compute(make_release, change_facts())
    assert get_line(state, "R32").status == "met"
    assert get_line(break_tables(state, annotators=state.tables.annotators.iloc[:0]), "R32").status == "unmet"


def test_an_interval_over_few_groups_is_unmet(make_release: Any) -> None:
    state = compute(make_release, change_facts())
    (result,) = state.tables.results
    few = dataclasses.replace(result.data, items=in_groups(3)(result.data.items))
    assert get_line(break_results(state, data=few), "R31").status == "unmet"


def test_models_without_a_comparison_are_unmet(make_release: Any) -> None:
    state = compute(make_release, add_models(12))
    name, compared = next(iter(state.comparisons.items()))
    empty = dataclasses.replace(compared.comparison, differences=())
    broken = dataclasses.replace(state, comparisons={name: dataclasses.replace(compared, comparison=empty)})
    assert get_line(broken, "R34").status == "unmet"


def test_people_and_models_by_two_scorers_are_unmet(make_release: Any) -> None:
    """A task of the benchmark without a scorer of its own."""
    state = compute(make_release, change_facts())
    assert state.benchmark is not None
    tasks = {name: {**task, "scorer": ""} for name, task in state.benchmark.manifest["tasks"].items()}
    manifest = {**state.benchmark.manifest, "tasks": tasks}
    broken = dataclasses.replace(state, benchmark=dataclasses.replace(state.benchmark, manifest=manifest))
    assert get_line(broken, "R35").status == "unmet"


IMPORTED = {
    "imported": True, "n_without_consent": None, "texts": (), "training_items": (), "qualification": None, "plan": None,
    "frames": (), "invited": None, "invited_by_friends": None, "consented": None, "started": None,
    "finished": None, "rules_fixed_before": None, "n_unlisted_exposed": None,
}  # fmt: skip
UNSEEN = {
    "R05",
    "R06",
    "R07",
    "R08",
    "R10",
    "R13",
    "R14",
    "R15",
    "R16",
    "R18",
    "R19",
    "R20",
    "R21",
    "R23",
    "R27",
    "R29",
}


def test_the_stimulus_line_counts_answers_by_surface(make_release: Any) -> None:
    """Where they came from several; one surface needs no words."""
    first = set_cells("surface", "answer page", rows=slice(0, 4))
    several = compute(make_release, change_answers(lambda frame: first(frame.assign(surface="telegram"))))
    evidence = get_line(several, "R20").evidence
    assert "Answers by surface: answer page 4, telegram " in evidence
    assert "each with its own scores in human_baseline.csv" in evidence
    assert "surface" not in get_line(compute(make_release, change_facts()), "R20").evidence


def test_imported_votes_are_secondary(make_release: Any) -> None:
    """What nobody here saw is never met, and what follows from the votes is."""
    data = dataclasses.replace(make_release.data_set(), overlap=None)
    state = compute_release_state(make_release.inputs(data, project=make_release.project(**IMPORTED)))
    checklist = check_release(state)
    assert {line.id for line in checklist.lines if line.status == "not evidenced"} == UNSEEN
    assert (checklist.status, checklist.is_secondary, checklist.blocking) == ("secondary", True, ())


def test_without_gold_nothing_is_scored(make_release: Any) -> None:
    """Lines on scores are not applicable, for a reason that says so."""
    state = compute(make_release, change_items(lambda frame: frame.assign(gold=None, gold_origin=None)))
    lines = {line.id: line for line in check_release(state).lines}
    for line in ("R01", "R26", "R30", "R31", "R32", "R33", "R35", "R39"):
        assert lines[line].status == "not applicable"
        assert "scored" in lines[line].evidence
    assert lines["R38"].status == "met"


def test_a_programme_is_as_good_as_its_worst_project(make_release: Any) -> None:
    """Equal words stand once, with the names that share them."""
    sets: list[DataSet] = [make_release.data_set(name) for name in ("a", "b", "c")]
    known: list[ProjectFacts] = [make_release.project(name) for name in ("a", "b", "c")]
    known[1] = dataclasses.replace(known[1], shared_ids=1)
    known[2] = dataclasses.replace(known[2], shared_ids=1)
    inputs = make_release.inputs(sets[0], known[0])
    facts = dataclasses.replace(inputs.facts, projects=tuple(known), is_programme=True)
    source = make_release.source(*sets, name="all", is_group=True)
    state = compute_release_state(dataclasses.replace(inputs, facts=facts, data_sets=tuple(sets), benchmark=source))
    found = get_line(state, "R16")
    assert (found.status, dict(found.projects)) == ("unmet", {"a": "met", "b": "unmet", "c": "unmet"})
    assert found.evidence.startswith("b, c: 1 item")


def test_the_files_hold_every_line(make_release: Any) -> None:
    state = compute(make_release, change_facts())
    files = build_checklist_files(check_release(state), state)
    lines = json.loads(files["report_checklist.json"])
    assert [line["id"] for line in lines] == [line.id for line in LINES]
    assert all(line["evidence"] and line["must_state"] and line["source"] for line in lines)
    assert sum(row.startswith("| R") for row in files["checklist.md"].splitlines()) == 40
