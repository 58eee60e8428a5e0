"""After a readmission only new answers are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from annotation.vocabulary import ParticipationStatus
from annotation.workflow.quality import enforcement

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"
CONTROL = {"rule": "control", "accuracy": "< 50 %", "min_controls": 2, "consequence": "pause"}
LINE = {"rule": "straight_lining", "run": 3, "consequence": "pause"}


def campaign(scenario: Scenario, rule: dict[str, Any], *, rate: str, **keys: Any) -> int:
    """A project with this rule alone, and so many control items."""
    controls = {"pool": {"file": scenario.items("controls", 12)}, "rate": rate}
    return scenario.project(items=20, controls=controls, quality=[rule], **keys)


def readmitted(scenario: Scenario, who: int, project: int) -> None:
    """An organiser readmits the annotator an hour later."""
    assert scenario.participation(who, project).status is ParticipationStatus.PAUSED
    scenario.later(hours=1)
    with scenario.db.transaction() as session:
        enforcement.readmit_annotator(session, annotator_id=who, project_id=project, now=scenario.now)
    scenario.later(minutes=1)


@pytest.mark.parametrize("window", [None, 20])
def test_control_items_from_before_are_forgiven(scenario: Scenario, window: int | None) -> None:
    """Two wrong ones pause; after that it takes two again, and the first right one prevents it."""
    project = campaign(scenario, CONTROL | ({"window": window} if window else {}), rate="100 %")
    who = scenario.person()
    scenario.answers(who, 2, NO, project=project)
    readmitted(scenario, who, project)
    assert scenario.answer(who, NO, project=project)
    assert scenario.answer(who, YES, project=project)
    assert scenario.participation(who, project).status is ParticipationStatus.ACTIVE
    scenario.answer(who, NO, project=project)
    assert scenario.participation(who, project).status is ParticipationStatus.PAUSED


def test_training_from_before_is_forgiven_with_them(scenario: Scenario) -> None:
    """Where training counts, it counted at the first judgement."""
    stages = {"training": {"pool": {"file": scenario.items("training", 3)}}}
    rule = CONTROL | {"min_controls": 4, "training_counts": True}
    project = campaign(scenario, rule, rate="100 %", stages=stages)
    who = scenario.person()
    scenario.answers(who, 4, NO, project=project)
    readmitted(scenario, who, project)
    scenario.answers(who, 3, NO, project=project)
    assert scenario.participation(who, project).status is ParticipationStatus.ACTIVE


def test_a_run_of_places_begins_anew(scenario: Scenario) -> None:
    """Three in a row pause; the next in the same place does not."""
    project = campaign(scenario, LINE, rate="0 %")
    who = scenario.person()
    for _ in range(3):
        scenario.later(minutes=1)
        scenario.answer(who, project=project)
    readmitted(scenario, who, project)
    scenario.answers(who, 2, project=project)
    assert scenario.participation(who, project).status is ParticipationStatus.ACTIVE
    scenario.answer(who, project=project)
    assert scenario.participation(who, project).status is ParticipationStatus.PAUSED
