"""Attempts at training and qualification: how often, after how long, and what a fix of an item does to them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import col, select

from annotation.campaigns import project_file as project_files
from annotation.loading import campaign as loading
from annotation.store import judgements
from annotation.store.models import Journal
from annotation.vocabulary import ITEM_CHANGED, Event, ParticipationStatus, Stage, UnassignedReason
from annotation.workflow.lifecycle import item_fixes
from annotation.workflow.participations import NothingAssigned

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES, NO = "так", "ні"


def stage(room: Room, name: str, items: int, *, mark: str, **keys: Any) -> dict[str, Any]:
    """One stage with a pool of so many items."""
    return {name: {"pool": {"file": room.items(name, items)}, "pass_mark": mark} | keys}


def fix(room: Room, project: str, item: str, *, gold: str) -> None:
    """The gold of an item of a pool is another one."""
    file = room.folder / f"{item.rpartition('-')[0]}.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    changed = [row | ({"gold": gold} if row["id"] == item else {}) for row in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in changed), "utf-8")
    read = project_files.read_project(room.folder / f"{project}.yaml")
    contents = loading.read_contents(read)
    with room.db.transaction() as session:
        item_fixes.fix_item(session, read, contents, item=item, cosmetic=False, now=room.now)


def decisions(room: Room) -> list[tuple[str, str, int, int, int]]:
    """What the journal says of attempts: event, stage, attempt, right, of."""
    wanted = col(Journal.event).in_((Event.QUALIFICATION_PASSED.value, Event.QUALIFICATION_FAILED.value))
    with room.db.reading() as view:
        rows = view.exec(select(Journal).where(wanted).order_by(col(Journal.id))).all()
    return [(row.event, *(row.data[key] for key in ("stage", "attempt", "right", "of"))) for row in rows]


def test_a_training_may_be_tried_again_after_its_cool_down(room: Room) -> None:
    """The second attempt asks new items first, and then leads into a qualification with all attempts."""
    section: dict[str, Any] = {"number": 2, "mark": "2 of 2", "attempts": 2, "cool_down": "2 h"}
    marks: dict[str, Any] = {"mark": "2 of 2", "attempts": 2}
    stages = stage(room, "training", 4, **section) | stage(room, "qualification", 2, **marks)
    project = room.project(items=1, stages=stages)
    who = room.person()
    first = room.answers(who, 2, NO, project=project)
    until = room.now + timedelta(hours=2)
    assert room.wait(who, project) == NothingAssigned(reason=UnassignedReason.COOL_DOWN, project="p", until=until)
    room.later(hours=2)
    second = room.answers(who, 2, YES, project=project)
    assert len({*first, *second}) == 4
    assert room.assign(who, project).stage is Stage.QUALIFICATION
    assert room.standing(who, project).attempt == 1
    assert decisions(room) == [
        ("qualification failed", "training", 1, 0, 2),
        ("qualification passed", "training", 2, 2, 2),
    ]
    room.answers(who, 2, NO, project=project)
    assert room.assign(who, project).stage is Stage.QUALIFICATION
    assert room.standing(who, project).attempt == 2


def test_the_last_attempt_at_a_training_is_the_last(room: Room) -> None:
    """The same two items come again, as there are no others; what is right then is no proof of skill."""
    stages = stage(room, "training", 2, mark="2 of 2", attempts=2)
    project = room.project(items=1, stages=stages)
    who = room.person()
    first = room.answers(who, 2, NO, project=project)
    again = room.assign(who, project)
    assert again.item in first
    assert room.assignment(again).occasion == 1
    room.submit(who, again, YES)
    room.answer(who, NO, project=project)
    assert room.wait(who, project) == NothingAssigned(reason=UnassignedReason.FAILED, project="p")
    stands = room.standing(who, project)
    assert (stands.status, stands.reason) == (ParticipationStatus.FAILED, "training: 1 of 2 right")
    with room.db.reading() as view:
        known = judgements.list_gold_answers(view, annotator_id=who, project_id=project, training=True)
    assert [one.response for one in known] == [NO, NO]


def test_a_training_item_that_ran_out_of_her_hands_is_the_same_attempt(room: Room) -> None:
    """It comes back as it was, before any other."""
    project = room.project(stages=stage(room, "training", 4, mark="4 of 4", attempts=2))
    who = room.person()
    assigned = room.assign(who, project)
    room.later(hours=1)
    room.expire()
    assert room.assign(who, project).assignment_id == assigned.assignment_id


@pytest.mark.parametrize("name", ["training", "qualification"])
def test_an_answer_to_gold_that_was_wrong_is_asked_for_anew(room: Room, name: str) -> None:
    """The answer was «ні» where the gold said «так»: after the fix another item is asked, or, where there is none, the
    fixed one, and the decision is by the answers to the gold as it is."""
    project = room.project(items=1, stages=stage(room, name, 2, mark="2 of 2"))
    who = room.person()
    first = room.assign(who, project)
    room.submit(who, first, NO)
    fix(room, "p", first.item, gold=NO)
    assert (room.judgements(first)[0][3] or "").startswith(ITEM_CHANGED)
    other = room.answer(who, YES, project=project)
    assert other != first.item
    again = room.assign(who, project)
    assert (again.item, room.assignment(again).occasion) == (first.item, 1)
    room.submit(who, again, NO)
    assert room.assign(who, project).stage is Stage.MAIN
    assert decisions(room) == [("qualification passed", name, 1, 2, 2)]


def test_an_item_that_was_fixed_in_her_hands_does_not_end_the_attempt(room: Room) -> None:
    """It is taken back, and the attempt goes on without waiting for an answer that cannot come."""
    project = room.project(items=1, stages=stage(room, "qualification", 2, mark="2 of 2"))
    who = room.person()
    first = room.assign(who, project)
    fix(room, "p", first.item, gold=NO)
    room.answer(who, YES, project=project)
    again = room.assign(who, project)
    assert again.item == first.item
    decision = room.submit(who, again, NO).decision
    assert decision is not None
    assert (decision.passed, decision.n_answered) == (True, 2)


def test_what_is_decided_stays_decided(room: Room) -> None:
    """A fix after the qualification takes nobody back."""
    project = room.project(items=1, stages=stage(room, "qualification", 2, mark="2 of 2"))
    who = room.person()
    asked = room.answers(who, 2, YES, project=project)
    fix(room, "p", asked[0], gold=NO)
    assert room.assign(who, project).stage is Stage.MAIN


def test_a_paused_item_does_not_come_back_to_whom_it_had_left(room: Room) -> None:
    """Its lease ran out, then two people reported it: the attempt asks another."""
    project = room.project(stages=stage(room, "qualification", 3, number=2, mark="2 of 2"))
    who, *others = (room.person(number) for number in (1, 2, 3))
    mine = room.assign(who, project)
    room.later(hours=1)
    room.expire()
    for other in others:
        while (assigned := room.assign(other, project)).item != mine.item:
            room.submit(other, assigned)
        room.report(other, assigned)
    assert room.assign(who, project).item != mine.item
