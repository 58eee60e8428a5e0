"""The process ends at one statement of a use-case, at each in turn: the next call goes on from a sound state."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import _stress
import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlmodel import Session, col, select

from annotation.store import database, invariants
from annotation.store.database import Database
from annotation.store.models import Assignment, Judgement
from annotation.vocabulary import AssignmentStatus
from annotation.workflow import assignments

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MOST = 60
"""More statements than any use-case makes."""
Call = Callable[[Session], object]


def dies(url: str, call: Call, *, at: int) -> bool:
    """Whether a process that does this ended before its statement number `at`; else it has done it."""
    child = os.fork()
    if child == 0:
        _do(url, call, at=at)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in {0, -signal.SIGKILL}
    return os.waitstatus_to_exitcode(status) != 0


def _do(url: str, call: Call, *, at: int) -> None:
    """In the child: an engine of its own, for connections are not shared with a parent; killed, it says nothing."""
    made = 0
    engine = database.create_engine(url)

    def count(*_: Any) -> None:
        nonlocal made
        made += 1
        if made == at:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "before_cursor_execute", count)
    event.listen(engine, "commit", count)
    try:
        with Database(engine).transaction() as session:
            call(session)
    finally:
        os._exit(0)


@pytest.fixture
def annotator_id(db: Database, tmp_path: Path) -> int:
    """An annotator in a baseline with pages and control items."""
    _stress.prepare_database(db, tmp_path, items=40, annotators=1)
    return 1


def assign(db: Database, annotator_id: int) -> assignments.AssignedItem:
    """The item that the annotator has now."""
    with db.transaction() as session:
        found = assignments.assign_next_item(assignments.lock_annotator(session, annotator_id), now=NOW, project_id=1)
    assert isinstance(found, assignments.AssignedItem)
    return found


def build_answer(assigned: assignments.AssignedItem, annotator_id: int, *, revision: int, label: str) -> Call:
    """The call that answers the item."""
    return lambda session: assignments.submit_judgement(
        assignments.open_assignment(
            assignments.lock_annotator(session, annotator_id), assignment_id=assigned.assignment_id, now=NOW
        ),
        revision=revision,
        answers={"answer": label},
        now=NOW,
    )


def list_responses(db: Database, assigned: assignments.AssignedItem) -> list[str]:
    """The answers to an assignment, by revision; the database is sound."""
    with db.reading() as view:
        assert invariants.list_violations(view) == ()
        chosen = select(Judgement.response).where(Judgement.assignment_id == assigned.assignment_id)
        return list(view.exec(chosen.order_by(col(Judgement.revision))))


def list_live(db: Database) -> list[int]:
    """The assignments in hand; the database is sound."""
    with db.reading() as view:
        assert invariants.list_violations(view) == ()
        found = view.exec(select(Assignment.id).where(Assignment.status == AssignmentStatus.LIVE))
        return [one for one in found if one is not None]


def until_done(url: str, call: Call, check: Callable[[], None]) -> int:
    """Let a process end at every statement in turn, look after each, and at last let it be done; how many there are."""
    for at in range(1, MOST):
        if not dies(url, call, at=at):
            return at - 1
        check()
    raise AssertionError("it makes more statements than that")


def test_an_answer_is_there_whole_or_not_at_all(db: Database, url: str, annotator_id: int) -> None:
    """Killed before any statement of the submit, and before its commit, nothing of it is stored; then it is, once."""
    assigned = assign(db, annotator_id)
    db.engine.dispose()
    call = build_answer(assigned, annotator_id, revision=0, label=_stress.OPTIONS[0])

    def untouched() -> None:
        assert (list_responses(db, assigned), list_live(db)) == ([], [assigned.assignment_id])
        assert assign(db, annotator_id).assignment_id == assigned.assignment_id
        db.engine.dispose()

    assert until_done(url, call, untouched) > 5
    assert (list_responses(db, assigned), list_live(db)) == ([_stress.OPTIONS[0]], [])
    with db.transaction() as session:
        assert getattr(call(session), "repeated", None) is True
    assert assign(db, annotator_id).number == assigned.number + 1


@pytest.mark.slow_on("postgresql")
def test_an_item_is_assigned_whole_or_not_at_all(db: Database, url: str, annotator_id: int) -> None:
    """Killed at any statement, no place is taken, no exposure is left, and the next call hands the same item out."""

    def call(session: Session) -> object:
        return assignments.assign_next_item(assignments.lock_annotator(session, annotator_id), now=NOW, project_id=1)

    def untouched() -> None:
        assert list_live(db) == []
        with db.reading() as view:
            assert view.connection().execute(sa.text("SELECT count(*) FROM exposure")).scalar_one() == 0
        db.engine.dispose()

    assert until_done(url, call, untouched) > 5
    (made,) = list_live(db)
    assert assign(db, annotator_id).assignment_id == made
    assert assign(db, annotator_id).number == 1


@pytest.mark.slow_on("postgresql")
def test_an_undo_and_its_correction_leave_the_first_answer(db: Database, url: str, annotator_id: int) -> None:
    """Whenever the process ends, the first answer stands until the second is stored."""
    assigned = assign(db, annotator_id)
    with db.transaction() as session:
        build_answer(assigned, annotator_id, revision=0, label=_stress.OPTIONS[0])(session)
    db.engine.dispose()

    def untouched() -> None:
        assert list_responses(db, assigned) == [_stress.OPTIONS[0]]
        db.engine.dispose()

    def undone(session: Session) -> object:
        return assignments.undo_judgement(
            assignments.open_assignment(
                assignments.lock_annotator(session, annotator_id), assignment_id=assigned.assignment_id, now=NOW
            )
        )

    assert until_done(url, undone, untouched) > 5
    assert until_done(url, build_answer(assigned, annotator_id, revision=1, label=_stress.OPTIONS[1]), untouched) > 5
    assert list_responses(db, assigned) == [_stress.OPTIONS[0], _stress.OPTIONS[1]]
