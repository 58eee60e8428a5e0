"""Engine and transactions. Nothing happens at import; the edge opens a Database, and only it commits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError
from sqlmodel import Session

from annotation import files
from annotation.errors import BadInput, HromadaError, NotFound, Unavailable, Where
from annotation.store import migrations

READING = {"reading": True}
_JSON = json.JSONEncoder(ensure_ascii=False)
"""JSON is stored as UTF-8: escaped, a Cyrillic letter takes six bytes in place of two."""
BUSY_SECONDS = 5
"""How long a SQLite writer waits for another before it gives up (`busy_timeout`)."""


@dataclass(frozen=True)
class Database:
    """An engine whose schema is the current one."""

    engine: sa.Engine

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """One transaction: commit at the end, roll back on any error; the session is closed either way."""
        with translated(self.engine.url), Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One view of the database as it is now, which keeps no writer waiting; nothing in it is saved."""
        engine = self.engine.execution_options(**READING)
        with translated(self.engine.url), Session(engine, expire_on_commit=False) as session:
            yield session


@contextmanager
def opened(
    url: str | sa.URL, *, synchronous: Literal["NORMAL", "FULL"] = "NORMAL", create: bool = True
) -> Iterator[Database]:
    """Open a database and bring its schema up to date; close it at the end.

    Raises NotFound where `create` is false and there is none yet, BadInput for a URL or a file that is no database,
    Unavailable where it is locked or does not answer.
    """
    engine = connect(url, synchronous=synchronous)
    try:
        with translated(engine.url):
            file = engine.url.database
            if not create and engine.dialect.name == "sqlite" and file and not files.there(Path(file)):
                raise NotFound("There is no database yet.", where=Where(file=file), remedy="Load a project first.")
            migrations.upgrade(engine, reader=engine.execution_options(**READING))
        yield Database(engine)
    finally:
        engine.dispose()


def connect(url: str | sa.URL, *, synchronous: Literal["NORMAL", "FULL"] = "NORMAL") -> sa.Engine:
    """An engine set up as DESIGN says: on SQLite BEGIN IMMEDIATE, WAL, foreign keys, a busy timeout."""
    try:
        parsed = sa.make_url(url)
        # hide_parameters: they are answers and ids, not for logs
        engine = sa.create_engine(parsed, hide_parameters=True, json_serializer=_JSON.encode)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError):
        raise BadInput(
            "This is no database address that can be used.",
            where=Where(field="HROMADA_DATABASE_URL"),
            remedy="Write it like sqlite:///hromada.db.",
        ) from None
    if engine.dialect.name == "sqlite":
        _set_up_sqlite(engine, synchronous)
    return engine


def _set_up_sqlite(engine: sa.Engine, synchronous: str) -> None:
    """SQLAlchemy's default would let a reader that turns writer fail late and silently lose the write."""

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute(f"PRAGMA synchronous = {synchronous}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        reads = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


@contextmanager
def translated(url: sa.URL) -> Iterator[None]:
    """Turn the driver's failures into sentences; the address is shown without its password."""
    try:
        yield
    except (OperationalError, DatabaseError) as failure:
        raise _sentence(url, failure) from failure


def _sentence(url: sa.URL, failure: DatabaseError) -> HromadaError:
    where = Where(file=url.database if url.drivername.startswith("sqlite") else url.render_as_string())
    text = str(failure.orig).lower()
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
    if isinstance(failure, OperationalError):
        return Unavailable("The database does not answer.", where=where, remedy="Check that it runs, then try again.")
    raise failure
