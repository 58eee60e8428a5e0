"""What comes late, or from people who are out: kept, with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store.models import Annotator, Item, Participation, Project
from annotation.vocabulary import AssignmentStatus, ItemStatus, ParticipationStatus
from annotation.workflow.annotators import administration, withdrawal
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.quality import enforcement

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES, NO = "так", "ні"
REASON = "the organisers know why"


def excluded(room: Room, who: int, project: int) -> None:
    """Excluded from the project, as by a rule."""
    with room.db.transaction() as session:
        stands = session.get_one(Participation, (who, project))
        stands.status, stands.reason = ParticipationStatus.EXCLUDED, REASON
        session.add(stands)


def gone(room: Room, who: int, project: int, how: str) -> None:
    """Out of the project in one way or another."""
    if how == "excluded":
        excluded(room, who, project)
        return
    with room.db.transaction() as session:
        if how == "withdrawn":
            withdrawal.withdraw_annotator(
                session, annotator_id=who, project=session.get_one(Project, project), now=room.now
            )
        else:
            person = session.get_one(Annotator, who)
            administration.suspend_annotator(session, annotator=person, reason=REASON, now=room.now)


def test_a_late_answer_of_somebody_excluded_is_kept_with_her_reason(room: Room) -> None:
    """It takes no place; after a readmission it counts, as all other answers do."""
    project = room.project(items=1, overlap=1)
    who = room.person()
    assigned = room.assign(who, project)
    room.later(hours=1)
    room.expire()
    excluded(room, who, project)
    room.submit(who, assigned, NO)
    assert room.judgements(assigned) == [(0, NO, None, REASON)]
    assert (room.item(assigned.item).free, room.assignment(assigned).holds_place) == (1, False)
    assert room.submit(who, assigned, NO).repeated
    with pytest.raises(Stale):
        room.undo(who, assigned)
    room.sound()
    with room.db.transaction() as session:
        assert enforcement.readmit_annotator(session, annotator_id=who, project_id=project, now=room.now) == 1
    assert (room.item(assigned.item).free, room.assignment(assigned).holds_place) == (0, True)
    room.sound()


def test_a_late_answer_of_somebody_who_withdrew_is_refused(room: Room) -> None:
    """The annotator withdrew with all answers, and gives no more."""
    project = room.project(items=1, overlap=1)
    who = room.person()
    assigned = room.assign(who, project)
    gone(room, who, project, "withdrawn")
    with pytest.raises(Stale):
        room.submit(who, assigned)
    assert room.judgements(assigned) == []


def test_a_repeat_that_is_answered_late_takes_no_place(room: Room) -> None:
    """As one in time."""
    project = room.project(items=2, overlap=1, repeats={"share": "100 %", "after": "24 h"})
    who = room.person()
    room.answers(who, 2, project=project)
    room.later(days=2)
    repeat = room.assign(who, project)
    assert room.assignment(repeat).is_repeat
    room.later(hours=1)
    room.expire()
    room.submit(who, repeat)
    assert (room.assignment(repeat).status, room.assignment(repeat).holds_place) == (AssignmentStatus.DONE, False)
    room.sound()


@pytest.mark.parametrize("how", ["withdrawn", "excluded", "suspended"])
def test_reports_of_people_who_are_out_pause_nothing(room: Room, how: str) -> None:
    """Two annotators' reports pause an item: this one is kept, and not counted."""
    project = room.project(items=1, overlap=3)
    people = [room.person(number) for number in (1, 2, 3)]
    assigned_items = [room.assign(who, project) for who in people]
    assert not room.report(people[0], assigned_items[0]).paused
    gone(room, people[0], project, how)
    assert not room.report(people[1], assigned_items[1]).paused
    assert room.report(people[2], assigned_items[2]).paused
    with room.db.reading() as view:
        assert view.exec(select(col(Item.status))).one() is ItemStatus.PAUSED


def test_a_control_item_that_ran_out_of_her_hands_is_asked_once_and_first(room: Room) -> None:
    """It comes back at its old place, the page goes on where it was: two pages of three have two control items."""
    controls = {"pool": {"file": room.items("controls", 9)}, "per_page": 1}
    project = room.project(items=12, controls=controls, pages={"items": 3})
    who = room.person()
    seen: list[AssignedItem] = []
    while len(seen) < 6:
        assigned = room.assign(who, project)
        if room.assignment(assigned).is_control and assigned.assignment_id not in {one.assignment_id for one in seen}:
            room.later(hours=1)
            room.expire()
            assert room.assign(who, project).assignment_id == assigned.assignment_id
        room.submit(who, assigned)
        seen.append(assigned)
    stored = [room.assignment(one) for one in seen]
    assert [one.is_control for one in stored].count(True) == 2
    assert [(one.page, one.position) for one in stored] == [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (2, 6)]


def test_a_lapsed_control_item_of_a_group_that_she_met_elsewhere_does_not_return(room: Room) -> None:
    """In a baseline the annotator would know it; another comes in its place, if there is one."""
    controls = {"pool": {"file": room.items("controls", ["story", "other"])}, "rate": "100 %"}
    project = room.project(items=3, kind="baseline", controls=controls)
    who = room.person()
    assigned_items = [room.assign(who, project)]
    room.later(hours=1)
    room.expire()
    group = room.item(assigned_items[0].item).group_id
    elsewhere = room.project("elsewhere", items=[group])
    room.answer(who, project=elsewhere)
    after = room.assign(who, project)
    assert room.assignment(after).is_control
    assert after.item != assigned_items[0].item
