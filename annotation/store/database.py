"""The engine and its transactions, and the errors of the drivers as sentences.

Nothing happens at import: a command opens a Database, and only it commits.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import PoolProxiedConnection, event
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from annotation import input_files
from annotation.errors import BadInput, HromadaError, NotFound, Unavailable, Where
from annotation.store import migrations

_JSON = json.JSONEncoder(ensure_ascii=False)
"""JSON is stored as UTF-8: escaped, a Cyrillic letter would take six bytes instead of two."""
BUSY_SECONDS = 5
"""How long a SQLite writer waits for another one before it gives up (`busy_timeout`)."""
POOL_SIZE = 8
"""How many transactions of one process run at the same time on PostgreSQL by default."""
_READ_ONLY = "the transaction that begins only reads"
PSYCOPG = "postgresql+psycopg"
Synchronous = Literal["NORMAL", "FULL"]


@dataclass(frozen=True)
class Database:
    """An engine whose schema is the current one; on SQLite the threads of a process write one after another."""

    engine: sa.Engine
    _writing: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """One transaction: committed at the end, rolled back on any error; its session is closed either way."""
        with (
            translate_errors(self.engine.url),
            self._writer_turn(),
            Session(self.engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def shared_transaction(self) -> Iterator[Callable[[], Session]]:
        """One transaction for several sessions, one after another: each sees the changes of those before.

        They are committed together or not at all.
        """
        with translate_errors(self.engine.url), self._writer_turn(), self.engine.begin() as connection:
            yield partial(Session, connection, expire_on_commit=False)

    @contextmanager
    def _writer_turn(self) -> Iterator[None]:
        """Wait for this thread's turn to write on SQLite, whose own waiting is unfair: some threads would wait for
        seconds.

        Other processes do not take turns, so that SQLite decides where the turn does not come in time.
        """
        if self.engine.dialect.name != "sqlite":
            yield
            return
        acquired = self._writing.acquire(timeout=BUSY_SECONDS)
        try:
            yield
        finally:
            if acquired:
                self._writing.release()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only transaction that sees the database as it is now and keeps no writer waiting."""
        with (
            translate_errors(self.engine.url),
            Session(make_read_engine(self.engine), expire_on_commit=False) as session,
        ):
            yield session


@contextmanager
def open_database(
    url: str | sa.URL, *, synchronous: Synchronous = "NORMAL", create: bool = True, pool: int = POOL_SIZE
) -> Iterator[Database]:
    """Open a database and bring its schema up to date; close it at the end.

    Raises NotFound where `create` is false and there is none yet, BadInput for an address or a file that is no
    database, Unavailable where it is locked or does not answer.
    """
    with open_engine(url, synchronous=synchronous, create=create, pool=pool) as engine:
        with translate_errors(engine.url):
            migrations.upgrade_schema(engine, reader=make_read_engine(engine))
        yield Database(engine)


@contextmanager
def open_engine(
    url: str | sa.URL, *, synchronous: Synchronous = "NORMAL", create: bool = True, pool: int = POOL_SIZE
) -> Iterator[sa.Engine]:
    """Open a database whatever its schema, and close it at the end; raises as `open_database` does."""
    engine = create_engine(url, synchronous=synchronous, pool=pool)
    try:
        file = engine.url.database
        if not create and engine.dialect.name == "sqlite" and file and not input_files.file_exists(Path(file)):
            raise NotFound("There is no database yet.", where=Where(file=file), remedy="Load a project first.")
        yield engine
    finally:
        engine.dispose()


def create_engine(url: str | sa.URL, *, synchronous: Synchronous = "NORMAL", pool: int = POOL_SIZE) -> sa.Engine:
    """Create the engine of a database; raises BadInput for an address that cannot be used.

    SQLite: BEGIN IMMEDIATE, WAL, foreign keys, a busy timeout. PostgreSQL: READ COMMITTED whatever the server's
    default, at most `pool` connections, each tested before use, so that a restart of the server causes no error.
    """
    # hide_parameters: answers and ids must not appear in logs
    options: dict[str, Any] = {"hide_parameters": True, "json_serializer": _JSON.encode}
    try:
        parsed = sa.make_url(url)
        if parsed.drivername in {"postgresql", "postgres"}:
            parsed = parsed.set(drivername=PSYCOPG)
        if parsed.get_backend_name() == "postgresql":
            options |= {
                "isolation_level": "READ COMMITTED",
                "pool_size": pool,
                "max_overflow": 0,
                "pool_pre_ping": True,
            }
        engine = sa.create_engine(parsed, **options)
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as failure:
        raise _refusal(str(url), failure) from None
    if engine.dialect.name == "sqlite":
        _set_up_sqlite(engine, synchronous)
    return engine


def _refusal(url: str, failure: Exception) -> BadInput:
    where = Where(field="HROMADA_DATABASE_URL")
    if isinstance(failure, ImportError) and url.startswith("postgres"):
        remedy = 'Install it: pip install "hromada[postgresql]".'
        return BadInput("The driver of PostgreSQL is not installed.", where=where, remedy=remedy)
    remedy = "Write it like sqlite:///hromada.db or postgresql://user@host/name."
    return BadInput("This is no database address that can be used.", where=where, remedy=remedy)


def make_read_engine(engine: sa.Engine) -> sa.Engine:
    """The same database, for reading: on PostgreSQL each transaction is REPEATABLE READ and READ ONLY."""
    if engine.dialect.name == "sqlite":
        reading = engine.execution_options()
        event.listen(reading, "begin", _mark_reading)
        return reading
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _set_up_sqlite(engine: sa.Engine, synchronous: str) -> None:
    """With SQLAlchemy's default a transaction that reads and then writes could silently lose the write."""

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute(f"PRAGMA synchronous = {synchronous}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    engine.dialect.do_begin = _begin  # type: ignore[assignment, method-assign]  # a listener costs every statement time


def _begin(connection: PoolProxiedConnection) -> None:
    connection.cursor().execute("BEGIN" if connection.info.pop(_READ_ONLY, False) else "BEGIN IMMEDIATE")


def _mark_reading(connection: sa.Connection) -> None:
    connection.connection.info[_READ_ONLY] = True


Failure = DatabaseError | sqlite3.DatabaseError
"""An error as SQLAlchemy wraps it, or as the SQLite driver raises it where it is used directly."""
SECRET = ("password", "sslpassword", "sslkey", "passfile")
"""Parameters of a PostgreSQL address that are not shown."""
UNAVAILABLE: Mapping[str, tuple[str, str]] = {
    "40001": ("Another process wrote the same at the same moment.", "Try again."),
    "40P01": ("Another process wrote the same at the same moment.", "Try again."),
    "53100": ("The disk of the database is full.", "Make room on it."),
    "53300": ("The server takes no more connections.", "Lower HROMADA_DATABASE_POOL, or raise its max_connections."),
    "55P03": ("The database is locked by another process.", "Wait, or end it."),
    "57014": ("The database took too long to answer.", "Try again."),
}
REFUSED: Mapping[str, tuple[str, str]] = {
    "22021": ("A text holds a character that the database does not store.", "Take out NUL characters."),
    "22P05": ("A text holds a character that the database does not store.", "Make the database with UTF-8."),
    "25006": ("The database may not be written.", "Name a server that is no stand-by."),
    "42501": ("The database's user may not do this.", "Let it own the database."),
}
REFUSED_WORDS: Mapping[str, tuple[str, str]] = {
    "does not exist": ("The server has no such database or user.", "Make it (createdb, createuser), or correct it."),
    "authentication failed": ("The server refuses this user or password.", "Correct HROMADA_DATABASE_URL."),
    "no password supplied": ("The server asks for a password.", "Put it into HROMADA_DATABASE_URL, or into ~/.pgpass."),
    "no pg_hba.conf entry": ("The server refuses this user from here.", "Allow it in the server's pg_hba.conf."),
}
"""Messages of PostgreSQL before a session exists, when there is no error code."""


def format_url(url: sa.URL) -> str:
    """The address without its secrets."""
    return url.difference_update_query(SECRET).render_as_string()


@contextmanager
def translate_errors(url: sa.URL) -> Iterator[None]:
    """Raise the driver's errors as HromadaErrors."""
    try:
        yield
    except PoolTimeout as failure:
        remedy = "Raise HROMADA_DATABASE_POOL, or ask less at once."
        raise Unavailable("All connections are in use.", where=Where(file=format_url(url)), remedy=remedy) from failure
    except (DatabaseError, sqlite3.DatabaseError) as failure:
        sentence = _sqlite(url, failure) if url.drivername.startswith("sqlite") else _postgresql(url, failure)
        if sentence is None:
            raise
        raise sentence from failure


def _sqlite(url: sa.URL, failure: Failure) -> HromadaError | None:
    where = Where(file=url.database)
    text = _error_text(failure)
    if "locked" in text or "busy" in text:
        return Unavailable("The database is locked by another process.", where=where, remedy="Wait, or end it.")
    if "not a database" in text or "malformed" in text:
        return BadInput("This file is not a database.", where=where, remedy="Name another, or restore a backup.")
    if "unable to open" in text:
        return BadInput(
            "The database cannot be opened.", where=where, remedy="Check that the folder exists and may be written."
        )
    if "readonly" in text or "read-only" in text:
        return BadInput("The database may not be written.", where=where, remedy="Give yourself write permission.")
    return _unavailable(where, failure)


def _postgresql(url: sa.URL, failure: Failure) -> HromadaError | None:
    """By the error code that PostgreSQL documents; before a session exists by the words of the message."""
    where = Where(file=format_url(url))
    code = getattr(getattr(failure, "orig", None), "sqlstate", None) or ""
    if code in UNAVAILABLE:
        problem, remedy = UNAVAILABLE[code]
        return Unavailable(problem, where=where, remedy=remedy)
    if code in REFUSED:
        problem, remedy = REFUSED[code]
        return BadInput(problem, where=where, remedy=remedy)
    if not code and isinstance(failure, OperationalError):
        text = _error_text(failure)
        for words, (problem, remedy) in REFUSED_WORDS.items():
            if words in text:
                return BadInput(problem, where=where, remedy=remedy)
    return _unavailable(where, failure)


def _error_text(failure: Failure) -> str:
    return str(getattr(failure, "orig", failure)).lower()


def _unavailable(where: Where, failure: Failure) -> HromadaError | None:
    if isinstance(failure, OperationalError | sqlite3.OperationalError):
        return Unavailable("The database does not answer.", where=where, remedy="Check that it runs, then try again.")
    return None
