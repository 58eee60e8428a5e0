"""After a readmission only new answers are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from annotation.vocabulary import ParticipationStatus
from annotation.workflow.quality import enforcement

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES, NO = "так", "ні"
CONTROL = {"rule": "control", "accuracy": "< 50 %", "min_controls": 2, "consequence": "pause"}
LINE = {"rule": "straight_lining", "run": 3, "consequence": "pause"}


def campaign(room: Room, rule: dict[str, Any], *, rate: str, **keys: Any) -> int:
    """A project with this rule alone, and so many control items."""
    controls = {"pool": {"file": room.items("controls", 12)}, "rate": rate}
    return room.project(items=20, controls=controls, quality=[rule], **keys)


def readmitted(room: Room, who: int, project: int) -> None:
    """An organiser readmits the annotator an hour later."""
    assert room.standing(who, project).status is ParticipationStatus.PAUSED
    room.later(hours=1)
    with room.db.transaction() as session:
        enforcement.readmit_annotator(session, annotator_id=who, project_id=project, now=room.now)
    room.later(minutes=1)


@pytest.mark.parametrize("window", [None, 20])
def test_control_items_from_before_are_forgiven(room: Room, window: int | None) -> None:
    """Two wrong ones pause; after that it takes two again, and the first right one prevents it."""
    project = campaign(room, CONTROL | ({"window": window} if window else {}), rate="100 %")
    who = room.person()
    room.answers(who, 2, NO, project=project)
    readmitted(room, who, project)
    assert room.answer(who, NO, project=project)
    assert room.answer(who, YES, project=project)
    assert room.standing(who, project).status is ParticipationStatus.ACTIVE
    room.answer(who, NO, project=project)
    assert room.standing(who, project).status is ParticipationStatus.PAUSED


def test_training_from_before_is_forgiven_with_them(room: Room) -> None:
    """Where training counts, it counted at the first judgement."""
    stages = {"training": {"pool": {"file": room.items("training", 3)}}}
    rule = CONTROL | {"min_controls": 4, "training_counts": True}
    project = campaign(room, rule, rate="100 %", stages=stages)
    who = room.person()
    room.answers(who, 4, NO, project=project)
    readmitted(room, who, project)
    room.answers(who, 3, NO, project=project)
    assert room.standing(who, project).status is ParticipationStatus.ACTIVE


def test_a_run_of_places_begins_anew(room: Room) -> None:
    """Three in a row pause; the next in the same place does not."""
    project = campaign(room, LINE, rate="0 %")
    who = room.person()
    for _ in range(3):
        room.later(minutes=1)
        room.answer(who, project=project)
    readmitted(room, who, project)
    room.answers(who, 2, project=project)
    assert room.standing(who, project).status is ParticipationStatus.ACTIVE
    room.answer(who, project=project)
    assert room.standing(who, project).status is ParticipationStatus.PAUSED
