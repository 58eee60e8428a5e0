"""How many statements a step costs where nothing special is asked: each is a round trip on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.campaigns import programme_file as programme_files
from annotation.store.database import Database
from annotation.store.models import Project
from annotation.workflow import assignments
from annotation.workflow.lifecycle import freeze, programmes

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES = {"answer": "так"}
SHAPES: dict[str, dict[str, Any]] = {
    "an annotation": {},
    "a baseline with pages and caps": {
        "kind": "baseline", "pages": {"items": 10}, "caps": {"items": 1000, "items_per_day": 1000},
    },
}  # fmt: skip


@contextmanager
def counted(db: Database) -> Iterator[list[str]]:
    """The statements that are sent meanwhile, without those that begin and end transactions."""
    sent: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(" ".join(statement.split()))

    sa.event.listen(db.engine, "before_cursor_execute", listen)
    try:
        yield sent
    finally:
        sa.event.remove(db.engine, "before_cursor_execute", listen)


def asked(room: Room, session: Session, who: int) -> assignments.AssignedItem:
    """The next item, which has to be there."""
    found = assignments.assign_next_item(session, annotator_id=who, now=room.now)
    assert isinstance(found, assignments.AssignedItem)
    return found


def told(room: Room, session: Session, who: int, assigned: assignments.AssignedItem) -> None:
    """Its answer."""
    made = assignments.submit_judgement(
        session,
        annotator_id=who,
        assignment_id=assigned.assignment_id,
        revision=assigned.revision,
        answers=YES,
        now=room.now,
    )
    assert not made.repeated


@pytest.fixture(params=SHAPES)
def at_work(room: Room, request: pytest.FixtureRequest) -> int:
    """An annotator in the middle of work."""
    made = room.project(items=40, **SHAPES[request.param])
    with room.db.transaction() as session:
        session.get_one(Project, made).supports_telegram = True
    who = room.person()
    room.answers(who, 3)
    return who


def test_an_item_and_its_answer_cost_so_many_statements(room: Room, at_work: int) -> None:
    """Nine for an item, four for one that is live already, six for an answer."""
    with counted(room.db) as sent, room.db.transaction() as session:
        assigned = asked(room, session, at_work)
    assert len(sent) <= 9, sent
    with counted(room.db) as sent, room.db.transaction() as session:
        assert asked(room, session, at_work) == assigned
    assert len(sent) <= 4, sent
    with counted(room.db) as sent, room.db.transaction() as session:
        told(room, session, at_work, assigned)
    assert len(sent) <= 6, sent


def test_an_item_after_an_answer_reads_nothing_of_hers_again(room: Room, at_work: int) -> None:
    """Twelve in all, in one transaction, as the bot does it; the counts in it are those after the answer."""
    assigned = room.assign(at_work)
    with counted(room.db) as sent, room.db.transaction() as session:
        told(room, session, at_work, assigned)
        following = asked(room, session, at_work)
    assert len(sent) <= 12, sent
    assert following.number == assigned.number + 1
    stands = room.standing(at_work, assigned.project_id)
    assert (stands.answered, stands.shown) == (assigned.number, following.number)


def test_quality_rules_read_the_project_once(room: Room) -> None:
    """What was frozen and the lists of words come with the context, not each by a statement of its own."""
    made = room.project(items=10, quality=[{"rule": "seconds", "least": "1 s", "consequence": "flag"}])
    with room.db.transaction() as session:
        project = session.get_one(Project, made)
        project.frozen = freeze.build_frozen_record(session, project, now=room.now)
    who = room.person()
    room.answers(who, 2)
    assigned = room.assign(who)
    with counted(room.db) as sent, room.db.transaction() as session:
        told(room, session, who, assigned)
    assert not [one for one in sent if "FROM project" in one]


def test_a_quota_that_an_answer_fills_ends_her_turn_in_the_same_transaction(room: Room) -> None:
    """What the answer counted is reckoned with before it is written."""
    programme_of(room, quota=2)
    who = room.person()
    room.answer(who)
    assigned = room.assign(who)
    assert assigned.project == "first"
    with room.db.transaction() as session:
        told(room, session, who, assigned)
        assert asked(room, session, who).project == "second"


def test_that_nothing_is_left_costs_as_few(room: Room) -> None:
    """Asked again when all is answered, and when all that is open has been met."""
    room.project(items=3, overlap=2)
    who = room.person()
    room.all(who)
    with counted(room.db) as sent:
        room.wait(who)
    assert len(sent) <= 6, sent
    room.all(room.person(2))
    with counted(room.db) as sent:
        room.wait(who)
    assert len(sent) <= 4, sent


def programme_of(room: Room, *, quota: int) -> None:
    """Two projects behind one door, the first with so many items for each person."""
    members = [{"file": "first.yaml", "quota": quota}, {"file": "second.yaml"}]
    whole = {"programme": "both", "title": "both", "language": "uk", "projects": members}
    file = room.folder / "both.yaml"
    file.write_text(json.dumps(whole), "utf-8")
    for name in ("first", "second"):
        room.project(name, items=5)
    with room.db.transaction() as session:
        programmes.load_programme(session, programme_files.read_programme(file), now=room.now)
