"""PostgreSQL: connections, isolation of transactions, and its errors as sentences."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from annotation.errors import BadInput, HromadaError, Unavailable
from annotation.store import database, journal
from annotation.vocabulary import Event


@pytest.fixture
def backend() -> str:
    """Only this one."""
    return "postgresql"


def test_the_pool_is_as_large_as_the_concurrency_and_transactions_read_what_is_committed(url: str) -> None:
    """Every connection is read committed, and a third one of two is refused instead of opened."""
    engine = database.create_engine(url, pool=2)
    engine.pool._timeout = 0.1  # type: ignore[attr-defined]
    with engine.connect() as one, engine.connect() as two:
        levels = {each.exec_driver_sql("SHOW transaction_isolation").scalar() for each in (one, two)}
        with pytest.raises(Unavailable, match="All connections are in use"), database.translate_errors(engine.url):
            engine.connect()
    engine.dispose()
    assert levels == {"read committed"}


def test_a_reader_sees_one_moment_and_writes_nothing(db: database.Database) -> None:
    """What others commit while it reads stays out of its view; a write in it is refused."""
    with db.reading() as view:
        assert journal.get_first_event(view, Event.PROJECT_LOADED) is None
        with db.transaction() as session:
            session.connection().execute(
                sa.text("INSERT INTO journal (at, event, data) VALUES (now(), 'project loaded', '{}')")
            )
        assert journal.get_first_event(view, Event.PROJECT_LOADED) is None
    with pytest.raises(BadInput, match="is read-only"), db.reading() as view:
        view.connection().execute(sa.text("DELETE FROM journal"))
    with db.reading() as view:
        assert journal.get_first_event(view, Event.PROJECT_LOADED) is not None


def test_a_restarted_server_costs_nobody_an_error(db: database.Database) -> None:
    """Connections that the server ended are found out before they are used."""
    with db.transaction() as session:
        session.connection().execute(sa.text("SELECT 1"))
    with db.engine.connect() as connection:
        (mine,) = connection.exec_driver_sql("SELECT pg_backend_pid()").one()
    ender = database.create_engine(db.engine.url)
    with ender.connect() as connection:
        ended = connection.exec_driver_sql(f"SELECT pg_terminate_backend({mine}, 1000)").scalar()
    ender.dispose()
    assert ended is True
    with db.transaction() as session:
        assert session.connection().execute(sa.text("SELECT 1")).scalar() == 1


def wrong(url: str, **changes: str) -> sa.URL:
    """The address with a mistake in it, and with passwords that nobody may see."""
    return sa.make_url(url).set(password="hunter2", **changes).update_query_dict({"sslpassword": "hunter3"})  # type: ignore[arg-type]  # noqa: S106


def test_what_the_server_refuses_is_a_sentence_without_the_password(url: str, tmp_path: Path) -> None:
    """No such database, no such user, no server: each says what to do, and none shows a password."""
    cases: tuple[tuple[sa.URL, type[HromadaError], str], ...] = (
        (wrong(url, database="nowhere"), BadInput, "no such database or user"),
        (wrong(url, username="nobody_here"), BadInput, "no such database or user"),
        (
            sa.make_url(f"postgresql://me:hunter2@/x?host={tmp_path}&sslpassword=hunter3"),
            Unavailable,
            "does not answer",
        ),
    )
    for address, kind, says in cases:
        with pytest.raises(kind, match=says) as caught, database.open_database(address):
            pass
        assert "hunter" not in str(caught.value)


def test_a_text_that_cannot_be_stored_and_a_table_in_use_are_sentences(db: database.Database) -> None:
    """NUL in a text, and a lock that does not come, are nobody's mistake but have a name."""
    impatient = sa.text("SET LOCAL lock_timeout = '50ms'; LOCK TABLE journal")
    with db.transaction() as session:
        session.connection().execute(sa.text("LOCK TABLE journal"))
        with pytest.raises(Unavailable, match="locked by another"), db.transaction() as other:
            other.connection().execute(impatient)
    with pytest.raises(BadInput, match="character that the database does not store"), db.transaction() as session:
        session.connection().execute(sa.text("SELECT convert_from('\\x00', 'UTF8')"))


def test_without_its_driver_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default installation has no driver of PostgreSQL; the sentence names the extra."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for address in ("postgresql://me@here/x", "postgres://me@here/x", "postgresql+psycopg://me@here/x"):
        with pytest.raises(BadInput, match=r'pip install "hromada\[postgresql\]"'):
            database.create_engine(address)
