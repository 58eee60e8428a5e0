"""Releases in which a line could seem met, or unmet, without being so."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from _results import change_result

from aggregation.comparison.model_differences import PublishedScore
from exports.checklist import CheckedLine, check_release
from exports.facts import Qualification, SampleFact, TextFact
from exports.model_answers import ReadModels
from exports.release_state import ReleaseInputs, ReleaseState, compute_release_state

Edit = Callable[[pd.DataFrame], pd.DataFrame]


def set_cells(frame: pd.DataFrame, column: str, value: object, rows: slice = slice(None)) -> pd.DataFrame:
    """The frame with a value in cells of a column."""
    cells = frame[column].tolist()
    cells[rows] = [value] * len(cells[rows])
    return frame.assign(**{column: pd.Series(cells, index=frame.index, dtype=object)})


def build_inputs(
    make: Any, *, answers: Edit | None = None, items: Edit | None = None, facts: dict[str, Any], **more: Any
) -> ReleaseInputs:
    """The inputs of a release in order, with other answers, items, facts, or fields of the data set."""
    data = make.data_set()
    responses = data.responses if answers is None else answers(data.responses.copy())
    known = data.items if items is None else items(data.items.copy())
    data = dataclasses.replace(data, responses=responses, items=known, **more)
    return make.inputs(data, make.project(**facts))  # type: ignore[no-any-return]


def get_line(state: ReleaseState, line: str) -> CheckedLine:
    lines = {one.id: one for one in check_release(state).lines}
    assert all(one.evidence.strip() for one in lines.values())
    return lines[line]


def in_groups(number: int) -> Edit:
    return lambda frame: frame.assign(group=[f"g{place % number}" for place in range(len(frame))])


def add_version(frame: pd.DataFrame) -> pd.DataFrame:
    return set_cells(frame, "instruction_sha256", "2" * 64, slice(0, 28))


def skip_last_place(frame: pd.DataFrame) -> pd.DataFrame:
    """The last person skips the first item."""
    place = frame.index[(frame["item_id"] == "i00") & (frame["annotator"] == "a7") & ~frame["is_repeat"].astype(bool)]
    frame.loc[place, "response"] = None
    frame.loc[place, "skip_reason"] = "unclear"
    return frame


def mark_last_person(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(insider=frame["annotator"].eq("a7").astype(object))


TEXTS = tuple(
    TextFact(kind="instructions", scope="project x", version=None, sha256=digit * 64, text="Оберіть відповідь.")
    for digit in "12"
)
CONSENT = TextFact(kind="consent", scope="project x", version="1", sha256="c" * 64, text="Я згоден.", n_people=8)
TRIED = Qualification(rule="3 of 4", n_items=4, n_tried=2, n_passed=1, n_failed=1, fixed_before=None)
EMPTY_STRATUM = SampleFact(
    pool="main", method="stratified", seed=1, sha256="f" * 64, n_drawn=110, n_candidates=1000,
    strata={"a": (50, 500), "b": (50, 500), "c": (10, 0)},
)  # fmt: skip

UNMET: dict[str, tuple[str, dict[str, Any]]] = {
    "whether people are insiders is not known": ("R13", {"answers": lambda f: set_cells(f, "insider", None)}),
    "exposure was not counted": ("R14", {"facts": {"n_unlisted_exposed": None}}),
    "an exposed answer counts": ("R14", {"answers": lambda f: set_cells(f, "exposed", True, slice(0, 1))}),
    "a rule of the qualification of unknown age": ("R15", {"facts": {"qualification": TRIED}}),
    "items in one order for everybody": ("R19", {"facts": {"shuffles_items": False}}),
    "an answer to a revision that nobody knows": (
        "R20",
        {
            "answers": lambda f: set_cells(
                set_cells(f, "item_revision", None, slice(0, 1)), "stimulus_sha256", "9" * 64, slice(0, 1)
            )
        },
    ),
    "an item without a hash": ("R20", {"items": lambda f: set_cells(f, "stimulus_sha256", None, slice(0, 1))}),
    "a reason of blanks": (
        "R25",
        {"answers": lambda f: f.assign(excluded_reason=f["excluded_reason"].where(f["excluded_reason"].isna(), " "))},
    ),
    "rules of unknown age": ("R25", {"facts": {"rules_fixed_before": None}}),
    "repeats after an unknown time": ("R37", {"answers": lambda f: set_cells(f, "gap_hours", None)}),
    "a stratum that the frame does not have": ("R05", {"facts": {"frames": (EMPTY_STRATUM,)}}),
}
MET: dict[str, tuple[str, dict[str, Any]]] = {
    "a skip beyond the first places": ("R29", {"answers": skip_last_place, "overlap": 7}),
    "an insider beyond the first places": ("R13", {"answers": mark_last_person, "overlap": 7}),
    "two versions, each with scores": ("R18", {"answers": add_version, "facts": {"texts": (*TEXTS, CONSENT)}}),
}


@pytest.mark.parametrize("name", UNMET)
def test_what_is_not_known_or_not_so_is_unmet(make_release: Any, name: str) -> None:
    line, changes = UNMET[name]
    found = get_line(compute_release_state(build_inputs(make_release, **{"facts": {}, **changes})), line)
    assert (found.status, bool(found.remedy)) == ("unmet", True), found.evidence


@pytest.mark.parametrize("name", MET)
def test_what_is_so_is_met(make_release: Any, name: str) -> None:
    line, changes = MET[name]
    found = get_line(compute_release_state(build_inputs(make_release, **{"facts": {}, **changes})), line)
    assert found.status == "met", found.evidence


def test_one_version_of_several_without_scores_is_unmet(make_release: Any) -> None:
    state = compute_release_state(build_inputs(make_release, answers=add_version, facts={"texts": (*TEXTS, CONSENT)}))
    (result,) = state.tables.results
    kept = {name: scores for name, scores in result.variants.items() if "2" not in name}
    broken = change_result(result, variants=kept)
    tables = dataclasses.replace(state.tables, results=(broken,))
    assert get_line(dataclasses.replace(state, tables=tables), "R18").status == "unmet"


def test_no_file_is_named_that_has_no_score(make_release: Any) -> None:
    """Insiders in a project without gold: there is no score without them, and none is claimed."""
    state = compute_release_state(
        build_inputs(
            make_release, answers=mark_last_person, facts={}, items=lambda f: f.assign(gold=None, gold_origin=None)
        )
    )
    found = get_line(state, "R13")
    assert (found.status, "human_baseline.csv" in found.evidence) == ("met", False)


def test_clusters_are_those_of_answered_items(make_release: Any) -> None:
    state = compute_release_state(
        build_inputs(
            make_release, items=in_groups(6), answers=lambda f: f.loc[~f["item_id"].isin(["i05", "i11"])], facts={}
        )
    )
    assert "10 answered items with gold in 5 groups" in get_line(state, "R31").evidence


def test_simulated_people_are_named_as_such(make_release: Any) -> None:
    state = compute_release_state(build_inputs(make_release, facts={}, simulated=True))
    assert "simulated" in get_line(state, "R02").evidence
    assert get_line(state, "R02").status == "met"


def test_a_project_without_answers_at_all_is_unmet_in_every_line(make_release: Any) -> None:
    """A programme's project whose data set is missing stops the release, and nothing is silently empty."""
    inputs = make_release.inputs()
    projects = (*inputs.facts.projects, make_release.project("інший"))
    facts = dataclasses.replace(inputs.facts, projects=projects, is_programme=True)
    checklist = check_release(compute_release_state(dataclasses.replace(inputs, facts=facts)))
    assert {line.projects["інший"] for line in checklist.lines} == {"unmet"}
    assert all("інший" in line.evidence and line.remedy for line in checklist.lines)


@pytest.mark.parametrize("line", ["R04", "R34"])
def test_published_scores_alone_are_no_comparison_on_equal_items(make_release: Any, line: str) -> None:
    """Of a published score nobody knows which items it is of, nor which were right."""
    data = make_release.data_set()
    published = ReadModels(published=(PublishedScore(name="m", value=0.9, n_items=12),))
    state = compute_release_state(make_release.inputs(data, models={data.name: published}))
    assert get_line(state, line).status == "unmet"


def test_an_interval_without_that_over_items_alone_is_unmet(make_release: Any) -> None:
    state = compute_release_state(build_inputs(make_release, facts={}))
    (result,) = state.tables.results
    assert result.performance is not None
    units = tuple(
        dataclasses.replace(unit, scores=tuple(dataclasses.replace(one, item_only_low=None) for one in unit.scores))
        for unit in result.performance.units
    )
    broken = change_result(result, performance=dataclasses.replace(result.performance, units=units))
    tables = dataclasses.replace(state.tables, results=(broken,))
    assert get_line(state, "R30").status == "met"
    assert get_line(dataclasses.replace(state, tables=tables), "R30").status == "unmet"


def test_agreement_is_shown_by_percent_alpha_and_gwets_coefficient(make_release: Any) -> None:
    state = compute_release_state(build_inputs(make_release, facts={}))
    found = get_line(state, "R36")
    assert all(name in found.evidence for name in ("percent_agreement", "krippendorff_alpha_nominal", "gwet_ac1"))
    (result,) = state.tables.results
    assert result.agreement is not None
    rows = tuple(row for row in result.agreement.rows if row.name != "gwet_ac1")
    broken = change_result(result, agreement=dataclasses.replace(result.agreement, rows=rows))
    tables = dataclasses.replace(state.tables, results=(broken,))
    assert get_line(dataclasses.replace(state, tables=tables), "R36").status == "unmet"
