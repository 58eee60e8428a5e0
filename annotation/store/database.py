"""Engine and transactions. Nothing happens at import; the edge opens a Database, and only it commits."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import PoolProxiedConnection, event
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlmodel import Session

from annotation import files
from annotation.errors import BadInput, NotFound, Where
from annotation.store import migrations
from annotation.store.driver_errors import translated

_JSON = json.JSONEncoder(ensure_ascii=False)
"""JSON is stored as UTF-8: escaped, a Cyrillic letter takes six bytes in place of two."""
BUSY_SECONDS = 5
"""How long a SQLite writer waits for another before it gives up (`busy_timeout`)."""
POOL = 8
"""How many transactions of one process run at the same time on PostgreSQL, where nothing else is said."""
_READS = "the transaction that begins only reads"
PSYCOPG = "postgresql+psycopg"
Synchronous = Literal["NORMAL", "FULL"]


@dataclass(frozen=True)
class Database:
    """An engine whose schema is the current one; on SQLite the threads of a process write one after another."""

    engine: sa.Engine
    _writing: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """One transaction: commit at the end, roll back on any error; the session is closed either way."""
        with (
            translated(self.engine.url),
            self._turn(),
            Session(self.engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def shared(self) -> Iterator[Callable[[], Session]]:
        """One transaction for several sessions, one after another: they see each other's changes, and are kept together
        or not at all.
        """
        with translated(self.engine.url), self._turn(), self.engine.begin() as connection:
            yield partial(Session, connection, expire_on_commit=False)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """A writer's turn on SQLite: its own waiting is a lottery that some thread loses for seconds.

        Other processes know nothing of it. So SQLite has the last word where the turn does not come in time.
        """
        if self.engine.dialect.name != "sqlite":
            yield
            return
        came = self._writing.acquire(timeout=BUSY_SECONDS)
        try:
            yield
        finally:
            if came:
                self._writing.release()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One view of the database as it is now, which keeps no writer waiting; nothing in it is saved."""
        with translated(self.engine.url), Session(reader(self.engine), expire_on_commit=False) as session:
            yield session


@contextmanager
def opened(
    url: str | sa.URL, *, synchronous: Synchronous = "NORMAL", create: bool = True, pool: int = POOL
) -> Iterator[Database]:
    """Open a database and bring its schema up to date; close it at the end.

    Raises NotFound where `create` is false and there is none yet, BadInput for a URL or a file that is no database,
    Unavailable where it is locked or does not answer.
    """
    with connected(url, synchronous=synchronous, create=create, pool=pool) as engine:
        with translated(engine.url):
            migrations.upgrade(engine, reader=reader(engine))
        yield Database(engine)


@contextmanager
def connected(
    url: str | sa.URL, *, synchronous: Synchronous = "NORMAL", create: bool = True, pool: int = POOL
) -> Iterator[sa.Engine]:
    """A database whose schema may be any; closed at the end. Raises as `opened` does."""
    engine = connect(url, synchronous=synchronous, pool=pool)
    try:
        file = engine.url.database
        if not create and engine.dialect.name == "sqlite" and file and not files.there(Path(file)):
            raise NotFound("There is no database yet.", where=Where(file=file), remedy="Load a project first.")
        yield engine
    finally:
        engine.dispose()


def connect(url: str | sa.URL, *, synchronous: Synchronous = "NORMAL", pool: int = POOL) -> sa.Engine:
    """An engine set up as DESIGN says.

    SQLite: BEGIN IMMEDIATE, WAL, foreign keys, a busy timeout. PostgreSQL: READ COMMITTED whatever the server's default
    is, `pool` connections and no more, each tried before it is used, so that a restart of the server costs nothing.
    """
    # hide_parameters: they are answers and ids, not for logs
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


def reader(engine: sa.Engine) -> sa.Engine:
    """The same database, every transaction one view of it: on PostgreSQL REPEATABLE READ READ ONLY."""
    if engine.dialect.name == "sqlite":
        reading = engine.execution_options()
        event.listen(reading, "begin", _reads)
        return reading
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


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

    engine.dialect.do_begin = _begin  # type: ignore[assignment, method-assign]  # a listener costs every statement time


def _begin(connection: PoolProxiedConnection) -> None:
    connection.cursor().execute("BEGIN" if connection.info.pop(_READS, False) else "BEGIN IMMEDIATE")


def _reads(connection: sa.Connection) -> None:
    connection.connection.info[_READS] = True
