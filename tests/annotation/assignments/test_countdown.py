"""The countdown above an item: the annotator's own number and total, and the answers given and wanted of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from annotation.store import item_queue
from annotation.workflow.assignments import AssignedItem

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"
SHOWN: dict[str, Any] = {"reward": {"countdown": True}}
FIVE = [{"name": f"q{number}", "type": "choice", "text": "Так?", "options": [YES, NO]} for number in range(5)]


def read_numbers(assigned: AssignedItem) -> tuple[int, int, int | None, int | None]:
    """The numbers of a header."""
    assert assigned.countdown is not None
    return assigned.number, assigned.countdown.total, assigned.countdown.answered, assigned.countdown.wanted


def test_it_moves_with_every_answer(scenario: Scenario) -> None:
    """Three items with two places each: with the first answer of an item as with the second."""
    project = scenario.project(items=3, **SHOWN)
    who, other = scenario.person(1), scenario.person(2)
    assert read_numbers(scenario.assign(who, project)) == (1, 3, 0, 6)
    scenario.answers(who, 2, project=project)
    assert read_numbers(scenario.assign(who, project)) == (3, 3, 2, 6)
    assert read_numbers(scenario.assign(other, project)) == (1, 3, 2, 6)
    scenario.answer(other, project=project)
    assert read_numbers(scenario.assign(who, project)) == (3, 3, 3, 6)


def test_places_that_dynamic_overlap_adds_are_wanted(scenario: Scenario) -> None:
    """Two annotators disagree: one more answer is given than before, and one more is wanted."""
    project = scenario.project(items=1, overlap={"min": 2, "max": 4, "confidence": 0.99}, **SHOWN)
    scenario.answer(scenario.person(1), YES, project=project)
    assert read_numbers(scenario.assign(scenario.person(2), project)) == (1, 1, 1, 2)
    scenario.answer(scenario.person(2), NO, project=project)
    assert read_numbers(scenario.assign(scenario.person(3), project)) == (1, 1, 2, 3)


def test_the_own_total_is_what_one_can_still_get(scenario: Scenario) -> None:
    """What others finish is not for the annotator any more; a cap and skips are kept in sight."""
    project = scenario.project(items=5, overlap=1, **SHOWN)
    who, other = scenario.person(1), scenario.person(2)
    scenario.skip(who, scenario.assign(who, project))
    assert read_numbers(scenario.assign(who, project)) == (2, 5, 0, 5)
    scenario.answers(other, 2, project=project)
    total = read_numbers(scenario.assign(who, project))[1]
    assert total == 1 + len(scenario.all(who, project=project))
    capped = scenario.project("capped", items=5, overlap=1, caps={"items": 2}, **SHOWN)
    assert read_numbers(scenario.assign(scenario.person(3), capped)) == (1, 2, 0, 5)


def test_a_baseline_counts_groups_for_the_annotator(scenario: Scenario) -> None:
    """They get one item of each group; the answers of all are wanted for every item."""
    project = scenario.project(items=["a", "a", "b"], overlap=1, kind="baseline", **SHOWN)
    assert read_numbers(scenario.assign(scenario.person(), project)) == (1, 2, 0, 3)


def test_items_are_counted_not_their_questions(scenario: Scenario) -> None:
    """Five questions on an item: one item."""
    project = scenario.project(items=3, questions=FIVE, **SHOWN)
    assert read_numbers(scenario.assign(scenario.person(), project)) == (1, 3, 0, 6)


def test_very_many_items_are_not_counted(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """The total of one's own is said where a cap gives it; a project that does not ask for a countdown has none."""
    who = scenario.person()
    monkeypatch.setattr(item_queue, "MOST_COUNTED", 2)
    assert scenario.assign(who, scenario.project(items=4, **SHOWN)).countdown is None
    capped = scenario.project("capped", items=4, caps={"items": 2}, **SHOWN)
    assert read_numbers(scenario.assign(scenario.person(3), capped)) == (1, 2, None, None)
    wide = scenario.project("wide", items=5, caps={"items": 4}, **SHOWN)
    assert scenario.assign(scenario.person(4), wide).countdown is None
    monkeypatch.undo()
    assert scenario.assign(scenario.person(2), scenario.project("plain", items=3)).countdown is None


def test_training_and_qualification_say_how_many_items_they_have(scenario: Scenario) -> None:
    """Each begins with 1, and so does the main stage; their decisions come with the last answer."""
    stages = {
        "training": {"pool": {"file": scenario.items("t", 3)}, "number": 2},
        "qualification": {"pool": {"file": scenario.items("q", 2)}, "pass_mark": "50 %"},
    }
    project = scenario.project(items=2, stages=stages)
    who = scenario.person()
    numbers, decisions = [], []
    for _ in range(5):
        assigned = scenario.assign(who, project)
        total = None if assigned.countdown is None else assigned.countdown.total
        numbers.append((assigned.stage.value, assigned.number, total))
        decision = scenario.submit(who, assigned).decision
        if decision is not None:
            decisions.append((decision.stage.value, decision.passed, decision.n_needed, decision.next_stage.value))
    assert numbers == [
        *(("training", 1, 2), ("training", 2, 2)),
        *(("qualification", 1, 2), ("qualification", 2, 2), ("main", 1, None)),
    ]
    assert decisions == [("training", True, None, "qualification"), ("qualification", True, 1, "main")]


def test_a_share_of_repeats_counts_as_it_is_written(scenario: Scenario) -> None:
    """Fifty items with a tenth asked again are 55, though 50 times 1.1 is a little more in floats."""
    project = scenario.project(items=50, repeats={"share": 0.1}, **SHOWN)
    assert read_numbers(scenario.assign(scenario.person(), project))[:2] == (1, 55)
