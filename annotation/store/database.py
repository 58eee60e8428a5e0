"""The database connection: engines for SQLite and PostgreSQL, their time limits, transactions, and turns of threads.

Nothing is opened at import. A command opens a `Database`; only the transactions of `Database` commit.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import PoolProxiedConnection, event, orm
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import SessionTransaction
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session, col

from annotation import input_files
from annotation.errors import BadInput, NotFound, Where
from annotation.store import driver_errors, migrations, models, table_base
from annotation.store.models import Annotator, AnnotatorRow
from annotation.vocabulary import UNSAID_TIME_ZONE

TIME_ZONE = "organisers_time_zone"
"""The execution option of an engine that says in which time zone the organisers are."""


@dataclass(frozen=True)
class LockedAnnotator:
    """An annotator whose row a transaction has locked; passed on to whatever relies on the lock.

    It ends with the transaction, or the savepoint, in which the lock was taken.
    """

    annotator: AnnotatorRow
    _session: Session = field(repr=False)
    _transaction: SessionTransaction | None = field(repr=False)

    @property
    def session(self) -> Session:
        """The session of the transaction that holds the lock; raises LookupError once that transaction has ended."""
        if self._transaction is None or _get_transaction(self._session) is not self._transaction:
            raise LookupError("the transaction that locked this annotator is not the current one")
        return self._session

    @property
    def annotator_id(self) -> int:
        """The annotator's id."""
        return self.annotator.id or 0

    @property
    def time_zone(self) -> str:
        """The annotator's time zone; that of the organisers for somebody who has not told theirs."""
        options = self._session.get_bind().get_execution_options()
        own, default = self.annotator.time_zone, str(options.get(TIME_ZONE, UNSAID_TIME_ZONE))
        return default if own in {None, UNSAID_TIME_ZONE} else own or default


class _PreferIndexes(FunctionElement[str]):
    """An SQL expression that makes PostgreSQL read by indexes, without JIT compilation, until the transaction ends.

    PostgreSQL keeps a query plan that it made while a table was nearly empty: the plan reads the whole table, also once
    the table has grown, which took 1.6 s instead of 10 ms. JIT compilation took 80 ms even for a table without rows.
    """

    inherit_cache = True
    type = sa.Text()


@compiles(_PreferIndexes)
def _on_sqlite(_element: _PreferIndexes, _compiler: object, **_: object) -> str:
    return "NULL"


@compiles(_PreferIndexes, "postgresql")
def _on_postgresql(_element: _PreferIndexes, _compiler: object, **_: object) -> str:
    return "set_config('enable_seqscan', 'off', true) || set_config('jit', 'off', true)"


def build_locking_select(*others: Any) -> sa.Select[*tuple[Any, ...]]:
    """A SELECT from the table of annotators for `read_locked`: it locks their rows, and reads columns beside them."""
    table = sa.inspect(Annotator).local_table
    return (
        sa.select(*models.ANNOTATORS.columns, _PreferIndexes(), *others)
        .select_from(table)
        .with_for_update(key_share=True, of=table)
    )


_LOCK = build_locking_select().where(col(Annotator.id) == sa.bindparam("annotator"))


def lock_annotator(session: Session, annotator_id: int) -> LockedAnnotator:
    """Lock an annotator's row and read it anew; raises NotFound where there is no such row.

    Other transactions that lock the same row wait until this transaction ends. SQLite has one writer at a time and
    needs no row lock.
    """
    row = read_locked(session, _LOCK, {"annotator": annotator_id})
    if row is None:
        raise NotFound("There is no such annotator.")
    return row[0]


def read_locked(
    session: Session, statement: sa.Select[*tuple[Any, ...]], parameters: Mapping[str, Any]
) -> tuple[LockedAnnotator, list[Any]] | None:
    """Lock the annotator that a statement of `build_locking_select` finds, and read columns beside; None for nobody."""
    row = table_base.find_first(session, statement, parameters, models.ANNOTATORS)
    if row is None:
        return None
    annotator, _, *others = row
    return LockedAnnotator(annotator, session, _get_transaction(session)), others


def _get_transaction(session: Session) -> SessionTransaction | None:
    return session.get_nested_transaction() or session.get_transaction()


CHECKPOINT_REQUESTED = "the log is to be emptied"
"""The key in `connection.info` of a request: the number of attempts so far."""


def prepare_connection(_dialect: sa.Dialect, _record: object, arguments: list[Any], options: dict[str, Any]) -> None:
    """Create the file of a new database before SQLAlchemy connects to it."""
    file = str(arguments[0]) if arguments else ""
    if file != ":memory:" and not options.get("uri"):
        create_private_file(file)


def create_private_file(file: str) -> None:
    """Create a file, unless it exists, so that only its owner may read it; SQLite gives log and index the same mode.

    Whatever prevents it is explained by SQLite, which opens the file next.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


ERASED_IN_LOG = "erased, in the log"
"""The name of the heartbeat that says when something was erased that the log of SQLite may still hold."""


def request_checkpoint(session: Session) -> None:
    """Have the log emptied once the transaction has ended, and store that it is to be; on PostgreSQL do nothing."""
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        return
    session.merge(models.Heartbeat(name=ERASED_IN_LOG, at=datetime.now(UTC)))
    connection.connection.info[CHECKPOINT_REQUESTED] = 0


def empty_log(connection: sqlite3.Connection, info: dict[str, Any]) -> None:
    """Write the log into the database and cut it to nothing, when a connection with a request goes back to the pool.

    The first attempt waits for readers of an older state as long as for a lock; after it each later transaction of the
    connection tries without waiting, until it is done.
    """
    attempts = info.pop(CHECKPOINT_REQUESTED)
    (timeout,) = connection.execute("PRAGMA busy_timeout").fetchone()
    if attempts:
        connection.execute("PRAGMA busy_timeout = 0")
    try:
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {timeout}")
    if busy:
        info[CHECKPOINT_REQUESTED] = attempts + 1


_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False)
"""Writes JSON as UTF-8: a Cyrillic letter takes two bytes, escaped it would take six."""
BUSY_SECONDS = 5
"""Seconds that a SQLite writer waits for another writer before it gives up (`busy_timeout`)."""
NO_DATABASE_REMEDY = "Load a project first (hromada load FILE), or go to the folder where the database is."
ANSWER_SECONDS = 600.0
"""Seconds that a command waits for one statement on PostgreSQL."""
POOL_SIZE = 8
"""Number of connections of one process to PostgreSQL by default, and so of its simultaneous transactions."""
_READ_ONLY = "the transaction that begins only reads"
"""The key in `connection.info` that makes the next transaction on SQLite begin without the lock for writing."""
PSYCOPG = "postgresql+psycopg"
Synchronous = Literal["NORMAL", "FULL"]
"""SQLite's PRAGMA synchronous: with FULL a commit also survives a power failure."""


LOOKS = 10
"""How often a thread that waits looks whether others get on: if the machine stood still, that is one look, not ten."""


@dataclass
class WriterTurns:
    """A lock that threads get in the order in which they asked for it, for as long as others get on.

    `threading.Lock` is free for a moment between two threads, and a busy thread that asks again gets it before those
    that wait: of twenty threads on a loaded machine, some waited six times as long as the others. Here it is never free
    while somebody waits.
    """

    waiting: deque[Lock] = field(default_factory=deque)
    """A closed lock for each thread that waits; `pass_on` opens the first."""
    _is_taken: bool = False
    _succeeded: int = 0
    _guard: Lock = field(default_factory=Lock)

    def take(self, *, patience: float) -> bool:
        """Wait for a turn; False where no turn of others succeeded for `patience` seconds.

        After True, `pass_on` must be called.
        """
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Lock()
            mine.acquire()
            self.waiting.append(mine)
        try:
            return self._wait(mine, patience) or not self._leave(mine)
        except BaseException:  # Ctrl+C
            if not self._leave(mine):
                self.pass_on(succeeded=False)
            raise

    def pass_on(self, *, succeeded: bool) -> None:
        """End a turn, and give it to the first who waits."""
        with self._guard:
            self._succeeded += succeeded
            if self.waiting:
                self.waiting.popleft().release()
            else:
                self._is_taken = False

    def _wait(self, mine: Lock, patience: float) -> bool:
        succeeded, looks = self._succeeded, 0
        while looks < LOOKS:
            if mine.acquire(timeout=patience / LOOKS):
                return True
            looks = looks + 1 if self._succeeded == succeeded else 0
            succeeded = self._succeeded
        return False

    def _leave(self, mine: Lock) -> bool:
        """Leave the queue; False where the turn came after all."""
        with self._guard:
            if mine not in self.waiting:
                return False
            self.waiting.remove(mine)
            return True


@dataclass(frozen=True)
class Database:
    """A database whose schema is up to date; on SQLite the threads of a process write one after another."""

    engine: sa.Engine
    _turns: WriterTurns = field(default_factory=WriterTurns, repr=False, compare=False)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Begin a transaction and yield its session; commit at the end, roll back on any error, close the session."""
        with (
            translate_errors(self.engine.url),
            self.writer_turn(),
            Session(self.engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def trial(self) -> Iterator[Session]:
        """Begin a transaction whose changes are rolled back at its end: what they would be can be read in it."""
        with self.transaction() as session:
            yield session
            session.rollback()

    @contextmanager
    def shared_transaction(self) -> Iterator[Callable[[], Session]]:
        """Begin a transaction for several sessions and yield the function that opens the next session.

        The sessions are used one after another, and each sees the changes of the earlier ones. All changes are
        committed together at the end, or none of them.
        """
        with translate_errors(self.engine.url), self.writer_turn(), self.engine.begin() as connection:
            yield partial(Session, connection, expire_on_commit=False)

    @contextmanager
    def writer_turn(self) -> Iterator[None]:
        """Let the threads of this process write to SQLite in turns; on PostgreSQL do nothing.

        SQLite's own lock is unfair: some threads would wait for seconds. Other processes do not take part in the turns.
        A thread goes on without its turn, and leaves the waiting to SQLite, where nobody wrote for `BUSY_SECONDS`.
        """
        if self.engine.dialect.name != "sqlite":
            yield
            return
        is_mine, succeeded = self._turns.take(patience=BUSY_SECONDS), False
        try:
            yield
            succeeded = True
        finally:
            if is_mine:
                self._turns.pass_on(succeeded=succeeded)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Begin a read-only transaction and yield its session, which sees one moment and makes no writer wait."""
        with (
            translate_errors(self.engine.url),
            Session(make_read_engine(self.engine), expire_on_commit=False) as session,
        ):
            yield session


@contextmanager
def open_database(
    url: str | sa.URL,
    *,
    synchronous: Synchronous = "NORMAL",
    create: bool = True,
    pool: int = POOL_SIZE,
    answer_seconds: float = ANSWER_SECONDS,
    time_zone: str = UNSAID_TIME_ZONE,
) -> Iterator[Database]:
    """Open a database, make the tables of an empty one, yield the database and close it at the end.

    `pool` is the largest number of connections to PostgreSQL, `answer_seconds` how long each waits for the answer to a
    statement, even where the server or the network stands still; `time_zone` is that of the organisers, in which the
    day of annotators begins who have not told theirs.

    Raises NotFound where `create` is false and the SQLite file does not exist, SchemaMismatch for a schema that is
    older or newer than this program, BadInput for an address or a file that is no database, Unavailable where the
    database is locked or does not answer.
    """
    with open_engine(url, synchronous=synchronous, create=create, pool=pool, answer_seconds=answer_seconds) as engine:
        with translate_errors(engine.url):
            migrations.prepare_schema(engine, reader=make_read_engine(engine))
        yield Database(engine.execution_options(**{TIME_ZONE: time_zone}))


@contextmanager
def open_engine(
    url: str | sa.URL,
    *,
    synchronous: Synchronous = "NORMAL",
    create: bool = True,
    pool: int = POOL_SIZE,
    answer_seconds: float = ANSWER_SECONDS,
) -> Iterator[sa.Engine]:
    """Open a database without a look at its schema, yield its engine and close it at the end.

    Raises the same errors as `open_database`.
    """
    engine = create_engine(url, synchronous=synchronous, pool=pool, answer_seconds=answer_seconds)
    try:
        file = engine.url.database
        if not create and engine.dialect.name == "sqlite" and file and not input_files.file_exists(Path(file)):
            raise NotFound("There is no database yet.", where=Where(file=file), remedy=NO_DATABASE_REMEDY)
        yield engine
    finally:
        engine.dispose()


def create_engine(
    url: str | sa.URL,
    *,
    synchronous: Synchronous = "NORMAL",
    pool: int = POOL_SIZE,
    answer_seconds: float = ANSWER_SECONDS,
) -> sa.Engine:
    """Create the engine of a database; raises BadInput for an address that cannot be used.

    On SQLite transactions begin with BEGIN IMMEDIATE, and WAL, foreign keys and a busy timeout are switched on. On
    PostgreSQL the isolation level is READ COMMITTED, whatever the server's default is. There are at most `pool`
    connections, and each is tested before use, so that a restart of the server causes no error. No wait for the server
    is endless (`postgresql_connections`).
    """
    orm.configure_mappers()  # rows are made without the ORM's own first step, by many threads at once
    # hide_parameters: answers and ids must not appear in logs
    options: dict[str, Any] = {"hide_parameters": True, "json_serializer": _JSON.encode}
    try:
        parsed = sa.make_url(url)
        if parsed.drivername in {"postgresql", "postgres"}:
            parsed = parsed.set(drivername=PSYCOPG)
        if parsed.get_backend_name() == "postgresql":
            options |= {"isolation_level": "READ COMMITTED"}
            options |= {"pool_size": pool, "max_overflow": 0, "pool_pre_ping": True}
            options |= {"pool_timeout": min(30.0, answer_seconds), "connect_args": {"client_encoding": "utf8"}}
        engine = sa.create_engine(parsed, **options)
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as failure:
        raise _explain_unusable_url(str(url), failure) from None
    if engine.dialect.name == "sqlite":
        _set_up_sqlite(engine, synchronous)
    else:
        from annotation.store import postgresql_connections  # needs the driver

        postgresql_connections.limit_waiting(engine, answer_seconds=answer_seconds)
    return engine


def create_copy_engine(connect: Callable[[], sqlite3.Connection]) -> sa.Engine:
    """Create an engine of one SQLite connection that is open already, without a transaction, and stays open."""
    engine = sa.create_engine(
        "sqlite://", creator=connect, poolclass=sa.StaticPool, hide_parameters=True, json_serializer=_JSON.encode
    )
    engine.dialect.do_begin = _begin  # type: ignore[assignment, method-assign]
    return engine


def _explain_unusable_url(url: str, failure: Exception) -> BadInput:
    where = Where(field="HROMADA_DATABASE_URL")
    if isinstance(failure, ImportError) and url.startswith("postgres"):
        remedy = 'Install it: pip install "hromada[postgresql]".'
        return BadInput("The driver of PostgreSQL is not installed.", where=where, remedy=remedy)
    remedy = "Write it like sqlite:///hromada.db or postgresql://user@host/name."
    return BadInput("This database address cannot be used.", where=where, remedy=remedy)


def make_read_engine(engine: sa.Engine) -> sa.Engine:
    """Make an engine of the same database for reading; on PostgreSQL its transactions are REPEATABLE READ, READ ONLY.

    Its transactions on SQLite take no lock for writing.
    """
    if engine.dialect.name == "sqlite":
        read_engine = engine.execution_options()
        event.listen(read_engine, "begin", _mark_read_only)
        return read_engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _set_up_sqlite(engine: sa.Engine, synchronous: str) -> None:
    """Set SQLite's options on every connection, and begin transactions by `_begin`.

    By default SQLAlchemy leaves BEGIN to the driver, which begins only at the first write: what was read before may
    have changed by then.
    """

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        options = f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;"
        connection.executescript(f"{options} PRAGMA synchronous = {synchronous}; PRAGMA secure_delete = ON")

    @event.listens_for(engine, "checkin")
    def _empty_log_if_requested(connection: Any, record: Any) -> None:
        if CHECKPOINT_REQUESTED in record.info:
            empty_log(connection, record.info)

    event.listen(engine, "do_connect", prepare_connection)
    engine.dialect.do_begin = _begin  # type: ignore[assignment, method-assign]  # a listener costs every statement time


def _begin(connection: PoolProxiedConnection) -> None:
    connection.cursor().execute("BEGIN" if connection.info.pop(_READ_ONLY, False) else "BEGIN IMMEDIATE")


def _mark_read_only(connection: sa.Connection) -> None:
    connection.connection.info[_READ_ONLY] = True


@contextmanager
def translate_errors(url: sa.URL) -> Iterator[None]:
    """Raise database errors as HromadaErrors; errors without a known explanation are raised unchanged."""
    try:
        yield
    except (PoolTimeout, DBAPIError, sqlite3.DatabaseError) as failure:
        sentence = driver_errors.explain_error(url, failure)
        if sentence is None:
            raise
        raise sentence from failure
