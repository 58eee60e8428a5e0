"""Rows written and read by statements of their own: as the session's unit of work would have done it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session, select

from annotation.store.database import Database
from annotation.store.models import Annotator, Conversation, ProcessLease, TextVersion, table_model
from annotation.store.models.table_model import RowReader
from annotation.vocabulary import TextKind

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def sent(db: Database) -> Iterator[list[str]]:
    """The statements that the database is sent."""
    found: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        found.append(statement)

    sa.event.listen(db.engine, "before_cursor_execute", listen)
    yield found
    sa.event.remove(db.engine, "before_cursor_execute", listen)


def add_annotator(session: Session, name: str = "p") -> Annotator:
    """Store a new annotator."""
    made = Annotator(pseudonym=name, created_at=NOW)
    table_model.write_row(session, made)
    return made


def test_a_new_row_has_its_id_and_belongs_to_the_session(db: Database) -> None:
    """What is changed of it afterwards is saved like any other change."""
    with db.transaction() as session:
        made = add_annotator(session)
        assert made.id is not None
        assert session.get(Annotator, made.id) is made
        made.language = "uk"
    with db.reading() as session:
        found = session.exec(select(Annotator)).one()
        assert (found.id, found.pseudonym, found.language, found.insider) == (made.id, "p", "uk", False)


def test_of_a_row_that_is_there_what_changed_is_written(db: Database, sent: list[str]) -> None:
    """One statement with the changed columns alone; a column that got the value that it had is none of them."""
    with db.transaction() as session:
        made = add_annotator(session)
        sent.clear()
        made.language, made.insider, made.time_zone = "en", True, None
        table_model.write_row(session, made)
        assert len(sent) == 1
        assert "language" in sent[0]
        assert "time_zone" not in sent[0]
        sent.clear()
        table_model.write_row(session, made)
        session.flush()
        assert sent == []
    with db.reading() as session:
        found = session.exec(select(Annotator)).one()
        assert (found.language, found.insider) == ("en", True)


def test_no_other_row_is_touched(db: Database) -> None:
    """Neither of the same table nor by a key that is a word."""
    with db.transaction() as session:
        made = [add_annotator(session, name) for name in "ab"]
        made[0].language = "ru"
        table_model.write_row(session, made[0])
        for name in ("one", "two"):
            table_model.write_row(session, ProcessLease(name=name, holder="me", until=NOW))
        found = session.get_one(ProcessLease, "one")
        found.holder = "you"
        table_model.write_row(session, found)
    with db.reading() as session:
        assert [one.language for one in session.exec(select(Annotator).order_by(Annotator.pseudonym))] == ["ru", None]
        holders = {one.name: one.holder for one in session.exec(select(ProcessLease))}
        assert holders == {"one": "you", "two": "me"}


def test_what_the_table_refuses_is_refused(db: Database) -> None:
    """A second row of the same name."""
    with db.transaction() as session:
        add_annotator(session)
        nested = session.begin_nested()
        with pytest.raises(sa.exc.IntegrityError):
            add_annotator(session)
        nested.rollback()
    with db.reading() as session:
        assert session.exec(select(sa.func.count()).select_from(Annotator)).one() == 1


def test_what_was_only_added_is_written_once(db: Database) -> None:
    """A row that the session was to write is written now, and not again."""
    with db.transaction() as session:
        made = Annotator(pseudonym="p", created_at=NOW)
        session.add(made)
        table_model.write_row(session, made)
    with db.reading() as session:
        assert session.exec(select(sa.func.count()).select_from(Annotator)).one() == 1


def test_what_is_gone_cannot_be_changed(db: Database) -> None:
    """The row was deleted beside the session."""
    with db.transaction() as session:
        made = add_annotator(session)
        session.connection().execute(sa.delete(Annotator))
        made.language = "uk"
        with pytest.raises(StaleDataError, match="Annotator"):
            table_model.write_row(session, made)
        session.expunge(made)


def test_many_rows_are_inserted_in_one_statement(db: Database, sent: list[str]) -> None:
    """Enums, times with a zone, truth values and defaults are stored as a session stores them; order is kept."""
    with db.transaction() as session:
        sent.clear()
        names: dict[str, list[Any]] = {"pseudonym": ["a", "b"], "insider": [True, False], "language": ["uk", None]}
        table_model.insert_rows(session, Annotator, names, constants={"created_at": NOW})
        texts: dict[str, list[Any]] = {
            "sha256": ["1" * 64, "2" * 64],
            "kind": [TextKind.CONSENT, TextKind.WARNING],
            "text": ["§", "%s :x"],
        }
        table_model.insert_rows(session, TextVersion, texts, constants={"since": NOW})
        assert len(sent) == 2
    with db.reading() as session:
        found = session.exec(select(Annotator).order_by(sa.text("id"))).all()
        stored = session.exec(select(TextVersion).order_by(sa.text("sha256"))).all()
    assert [(row.pseudonym, row.insider, row.language, row.created_at) for row in found] == [
        ("a", True, "uk", NOW),
        ("b", False, None, NOW),
    ]
    assert [row.simulated for row in found] == [False, False]
    assert [(row.kind, row.text, row.since) for row in stored] == [
        (TextKind.CONSENT, "§", NOW),
        (TextKind.WARNING, "%s :x", NOW),
    ]


PEOPLE, TALKS = RowReader(Annotator, without={"pseudonym"}), RowReader(Conversation)
BESIDE = (
    sa.select(*PEOPLE.columns, *TALKS.columns, sa.literal("last"))
    .select_from(Annotator)
    .outerjoin(Conversation, Conversation.annotator_id == Annotator.id)  # type: ignore[arg-type]
    .where(Annotator.id == sa.bindparam("who"))  # type: ignore[arg-type]
)


def test_rows_that_stand_side_by_side_belong_to_the_session(db: Database, sent: list[str]) -> None:
    """Each is what the session would have read, with enums, times and JSON, and what is changed of it is saved."""
    with db.transaction() as session:
        who = add_annotator(session).id or 0
        session.add(Conversation(annotator_id=who, step="skip", data={"a": [1]}, at=NOW))
    with db.transaction() as session:
        found = table_model.read_first_rows(session, BESIDE, {"who": who}, PEOPLE, TALKS)
        assert found is not None
        annotator, talk, last = found
        assert session.get_one(Annotator, who) is annotator
        assert (annotator.created_at, annotator.insider, last) == (NOW, False, "last")
        assert (talk.data, talk.at) == ({"a": [1]}, NOW)
        annotator.language, talk.step = "en", "report"
        session.flush()
        sent.clear()
        assert annotator.pseudonym == "p"
        assert len(sent) == 1  # a column that was left out is read when it is used
    with db.reading() as session:
        assert (session.get_one(Annotator, who).language, session.get_one(Conversation, who).step) == ("en", "report")


def test_a_row_that_the_session_has_is_read_anew(db: Database) -> None:
    """What was changed before is stored first, so that it is not lost; what another statement has changed is seen."""
    with db.transaction() as session:
        annotator = add_annotator(session)
        annotator.time_zone = "Europe/Kyiv"
        session.connection().execute(sa.update(Annotator).values(language="ru"))
        found = table_model.read_first_rows(session, BESIDE, {"who": annotator.id}, PEOPLE, TALKS)
        assert found == [annotator, None, "last"]  # nobody talked
        assert (annotator.language, annotator.time_zone) == ("ru", "Europe/Kyiv")
        assert table_model.read_first_rows(session, BESIDE, {"who": 99}, PEOPLE, TALKS) is None
    with db.reading() as session:
        stored = session.exec(select(Annotator)).one()
        assert (stored.language, stored.time_zone) == ("ru", "Europe/Kyiv")


def test_new_rows_share_no_default(db: Database) -> None:
    """Each has a mutable default of its own, and what is given takes its place; unknown names are left out."""
    first, second = (Conversation(annotator_id=number, step="", at=NOW) for number in (1, 2))
    first.data["a"] = 1
    assert (second.data, second.asked_in) == ({}, None)
    values: dict[str, Any] = {"annotator_id": 3, "step": "", "data": {"b": 2}, "at": NOW, "asked_in": 7, "unknown": 1}
    given = Conversation(**values)
    assert (given.data, given.asked_in, hasattr(given, "unknown")) == ({"b": 2}, 7, False)
    with db.transaction() as session:
        who = add_annotator(session).id or 0
        session.add(Conversation(annotator_id=who, step="", data={"b": 2}, at=NOW, asked_in=7))
    with db.reading() as session:
        stored = session.get_one(Conversation, who)
        assert (stored.data, stored.asked_in, stored.asked_by) == ({"b": 2}, 7, None)


@pytest.mark.process
def test_the_first_row_of_a_process_can_be_read_on_any_thread() -> None:
    """Nothing of the ORM has run before in this process: an engine alone makes the models ready."""
    script = (
        "from sqlmodel import Session; from annotation.store import database; "
        "from annotation.store.models import Journal, table_model; "
        "engine = database.create_engine('sqlite://'); reader = table_model.RowReader(Journal); "
        "values = [1 if column.primary_key else None for column in reader.columns]; "
        "print(reader.load_row(Session(engine), values).id)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr
