"""The process ends at one statement of a use-case, at each in turn: the next call goes on from a sound state."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import _storm
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
    engine = database.connect(url)

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
def who(db: Database, tmp_path: Path) -> int:
    """Somebody in a baseline that has pages and control items."""
    _storm.prepare(db, tmp_path, items=40, people=1)
    return 1


def offered(db: Database, who: int) -> assignments.Offer:
    """What she is to judge now."""
    with db.transaction() as session:
        found = assignments.next_item(session, annotator_id=who, now=NOW, project_id=1)
    assert isinstance(found, assignments.Offer)
    return found


def answered(offer: assignments.Offer, who: int, *, revision: int, label: str) -> Call:
    """She answers what she was offered."""
    return lambda session: assignments.submit(
        session,
        annotator_id=who,
        assignment_id=offer.assignment_id,
        revision=revision,
        answers={"answer": label},
        now=NOW,
    )


def stored(db: Database, offer: assignments.Offer) -> list[str]:
    """The answers to an assignment, by revision; the database is sound."""
    with db.reading() as view:
        assert invariants.broken(view) == ()
        chosen = select(Judgement.response).where(Judgement.assignment_id == offer.assignment_id)
        return list(view.exec(chosen.order_by(col(Judgement.revision))))


def live(db: Database) -> list[int]:
    """The assignments in hand; the database is sound."""
    with db.reading() as view:
        assert invariants.broken(view) == ()
        found = view.exec(select(Assignment.id).where(Assignment.status == AssignmentStatus.LIVE))
        return [one for one in found if one is not None]


def until_done(url: str, call: Call, check: Callable[[], None]) -> int:
    """Let a process end at every statement in turn, look after each, and at last let it be done; how many there are."""
    for at in range(1, MOST):
        if not dies(url, call, at=at):
            return at - 1
        check()
    raise AssertionError("it makes more statements than that")


def test_an_answer_is_there_whole_or_not_at_all(db: Database, url: str, who: int) -> None:
    """Killed before any statement of the submit, and before its commit, nothing of it is stored; then it is, once."""
    offer = offered(db, who)
    db.engine.dispose()
    call = answered(offer, who, revision=0, label=_storm.OPTIONS[0])

    def untouched() -> None:
        assert (stored(db, offer), live(db)) == ([], [offer.assignment_id])
        assert offered(db, who).assignment_id == offer.assignment_id
        db.engine.dispose()

    assert until_done(url, call, untouched) > 5
    assert (stored(db, offer), live(db)) == ([_storm.OPTIONS[0]], [])
    with db.transaction() as session:
        assert getattr(call(session), "repeated", None) is True
    assert offered(db, who).number == offer.number + 1


def test_an_item_is_handed_out_whole_or_not_at_all(db: Database, url: str, who: int) -> None:
    """Killed at any statement, no place is taken, no exposure is left, and the next call hands the same item out."""

    def call(session: Session) -> object:
        return assignments.next_item(session, annotator_id=who, now=NOW, project_id=1)

    def untouched() -> None:
        assert live(db) == []
        with db.reading() as view:
            assert view.connection().execute(sa.text("SELECT count(*) FROM exposure")).scalar_one() == 0
        db.engine.dispose()

    assert until_done(url, call, untouched) > 5
    (made,) = live(db)
    assert offered(db, who).assignment_id == made
    assert offered(db, who).number == 1


def test_an_undo_and_its_correction_leave_the_first_answer(db: Database, url: str, who: int) -> None:
    """Whenever the process ends, the first answer stands until the second is stored."""
    offer = offered(db, who)
    with db.transaction() as session:
        answered(offer, who, revision=0, label=_storm.OPTIONS[0])(session)
    db.engine.dispose()

    def untouched() -> None:
        assert stored(db, offer) == [_storm.OPTIONS[0]]
        db.engine.dispose()

    def undone(session: Session) -> object:
        return assignments.undo(session, annotator_id=who, assignment_id=offer.assignment_id, now=NOW)

    assert until_done(url, undone, untouched) > 5
    assert until_done(url, answered(offer, who, revision=1, label=_storm.OPTIONS[1]), untouched) > 5
    assert stored(db, offer) == [_storm.OPTIONS[0], _storm.OPTIONS[1]]
