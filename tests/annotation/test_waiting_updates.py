"""Changes of a row that wait for each other: sent once, never read too late, dropped with what is rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session, col, select

from annotation.store import models
from annotation.store.database import Database
from annotation.store.models import Annotator, AnnotatorRow
from annotation.store.table_base import WaitingUpdates

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LANGUAGE = sa.select(col(Annotator.language))


@pytest.fixture
def sent(db: Database) -> Iterator[list[str]]:
    """How the statements begin that the database is sent."""
    found: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        found.append(" ".join(statement.split()[:2]))

    sa.event.listen(db.engine, "before_cursor_execute", listen)
    yield found
    sa.event.remove(db.engine, "before_cursor_execute", listen)


@pytest.fixture
def row(db: Database, sent: list[str]) -> AnnotatorRow:
    """A stored annotator, with the language `uk`."""
    with db.transaction() as session:
        made = models.ANNOTATORS.insert(session, pseudonym="p", created_at=NOW, language="uk")
    sent.clear()
    return made


@pytest.fixture
def updates() -> WaitingUpdates[AnnotatorRow]:
    """No changes of annotators yet."""
    return WaitingUpdates(models.ANNOTATORS)


def read(db: Database) -> tuple[str | None, datetime | None]:
    """What is stored of the annotator."""
    with db.transaction() as session:
        found = session.exec(select(Annotator)).one()
        return found.language, found.suspended_at


def test_the_changes_of_a_block_are_one_update_at_its_end(
    db: Database, row: AnnotatorRow, updates: WaitingUpdates[AnnotatorRow], sent: list[str]
) -> None:
    """The value has them at once. Outside the block each is sent at once, and an unchanged column is not sent."""
    with db.transaction() as session:
        with updates.collect():
            updates.update(session, row, language="en")
            updates.update(session, row, suspended_at=NOW)
            updates.update(session, row, language="ru")
            assert (row.language, row.suspended_at, sent) == ("ru", NOW, [])
        assert sent == ["UPDATE annotator"]
        updates.update(session, row, suspended_at=None)
        updates.update(session, row, suspended_at=None)
        assert sent == ["UPDATE annotator"] * 2
    assert read(db) == ("ru", None)


def test_what_reads_or_changes_the_table_finds_the_changes(
    db: Database, row: AnnotatorRow, updates: WaitingUpdates[AnnotatorRow], sent: list[str]
) -> None:
    """By SQLAlchemy Core, by the ORM, or as text; other tables do not count, nor does a caller that has the values."""
    with db.transaction() as session, updates.collect():
        connection = session.connection()
        updates.update(session, row, language="en")
        connection.execute(sa.text("SELECT id FROM project"))
        assert connection.execute(LANGUAGE, execution_options=updates.known).scalar_one() == "uk"
        assert "UPDATE annotator" not in sent
        others = WaitingUpdates(models.ANNOTATORS)
        assert connection.execute(LANGUAGE, execution_options=others.known).scalar_one() == "en"
        updates.update(session, row, language="ru")
        assert session.exec(select(Annotator.language)).one() == "ru"
        updates.update(session, row, language="uk")
        assert connection.execute(sa.text("SELECT language FROM annotator")).scalar_one() == "uk"
        updates.update(session, row, language="en")
        assert models.ANNOTATORS.get_one(session, row.id).language == "en"
        updates.update(session, row, language="ru")
        connection.execute(sa.text("UPDATE annotator SET language = language || '-UA'"))
    assert read(db)[0] == "ru-UA"


@pytest.mark.parametrize("caught", [False, True], ids=["with its transaction", "in its transaction"])
def test_an_error_drops_what_waits(
    db: Database, row: AnnotatorRow, updates: WaitingUpdates[AnnotatorRow], sent: list[str], *, caught: bool
) -> None:
    """Nothing is sent where an error leaves the block, and the next block begins with nothing."""

    def fail(session: Session) -> None:
        with updates.collect():
            updates.update(session, row, language="en")
            raise ZeroDivisionError

    def fail_in_savepoint() -> None:
        with db.transaction() as session, pytest.raises(ZeroDivisionError), session.begin_nested():
            fail(session)

    def fail_in_transaction() -> None:
        with pytest.raises(ZeroDivisionError), db.transaction() as session:
            fail(session)

    (fail_in_savepoint if caught else fail_in_transaction)()
    assert "UPDATE annotator" not in sent
    with db.transaction() as session, updates.collect():
        updates.update(session, row, suspended_at=NOW)
    assert read(db) == ("uk", NOW)


def test_a_savepoint_that_is_rolled_back_drops_its_own_changes(
    db: Database, row: AnnotatorRow, updates: WaitingUpdates[AnnotatorRow]
) -> None:
    """Those from before it are kept, and so are those of a savepoint that is released."""
    with db.transaction() as session, updates.collect():
        updates.update(session, row, language="en")
        savepoint = session.begin_nested()
        updates.update(session, row, suspended_at=NOW)
        savepoint.rollback()
    assert read(db) == ("en", None)
    with db.transaction() as session, updates.collect():
        outer = session.begin_nested()
        with session.begin_nested():
            updates.update(session, row, language="ru")
        outer.rollback()
        updates.update(session, row, language="uk")
    assert read(db)[0] == "uk"


def test_a_row_that_was_deleted_meanwhile_is_an_error(
    db: Database, row: AnnotatorRow, updates: WaitingUpdates[AnnotatorRow]
) -> None:
    """A change that waited is not lost in silence."""

    def change(session: Session) -> None:
        with updates.collect():
            session.connection().execute(sa.text("DELETE FROM annotator"))
            updates.update(session, row, language="en")

    with pytest.raises(StaleDataError, match="not there any more"), db.transaction() as session:
        change(session)
    assert read(db)[0] == "uk"
