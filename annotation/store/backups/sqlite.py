"""Backups of SQLite by its online backup: one moment while others write, restored in one transaction."""

from __future__ import annotations

import errno
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from annotation.errors import BadInput, HromadaError, Unavailable, Where
from annotation.store import database, invariants
from annotation.store.backups.manifest import DatabaseContents, read_contents


def dump_database(engine: sa.Engine, file: Path) -> DatabaseContents:
    """Copy the database into one file, without a log beside it.

    Raises BadInput if the copy is damaged, OSError if the disk of the copy is full.
    """
    copy_database(engine, file)
    copied = sa.create_engine(sa.URL.create("sqlite", database=str(file)))
    try:
        with copied.connect() as connection:
            invariants.refuse_damage(connection, where=Where(file=engine.url.database))
            return read_contents(connection)
    finally:
        copied.dispose()


def copy_database(engine: sa.Engine, file: Path) -> None:
    """Copy the database into one file without a check; raise OSError if the disk of the copy is full."""
    try:
        with closing(_connect(engine)) as source, closing(sqlite3.connect(file, isolation_level=None)) as target:
            source.backup(target, progress=_limit_waiting(engine))
            target.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as failure:
        if failure.sqlite_errorcode != sqlite3.SQLITE_FULL:
            raise
        raise OSError(errno.ENOSPC, str(failure), str(file)) from failure  # the database itself was only read


def load_database(engine: sa.Engine, file: Path, prepare: Callable[[sa.Connection], int]) -> int:
    """Write a copy over the database in one transaction, changed by `prepare` before; what that returns comes back.

    Raises BadInput where the copy is damaged.
    """
    target_file = Path(engine.url.database or "")
    is_new = not target_file.exists()
    try:
        with (
            closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as source,
            closing(sqlite3.connect("", isolation_level=None)) as copy,
        ):
            if source.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                raise BadInput("The backup is damaged.", where=Where(file=file), remedy="Use another one.")
            source.backup(copy)
            result = _prepare_copy(copy, prepare)
            with closing(_connect(engine)) as target:
                copy.backup(target, progress=_limit_waiting(engine))
    except (HromadaError, sa.exc.DBAPIError, sqlite3.Error):
        if is_new:
            target_file.unlink(missing_ok=True)
        raise
    return result


def _prepare_copy(copy: sqlite3.Connection, prepare: Callable[[sa.Connection], int]) -> int:
    """Change a temporary database, which SQLite keeps in a file without a name: no kill can leave it behind."""
    copy.executescript("PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON")
    with database.create_copy_engine(lambda: copy).begin() as connection:
        return prepare(connection)


def _connect(engine: sa.Engine) -> sqlite3.Connection:
    database.create_private_file(engine.url.database or "")
    connection = sqlite3.connect(engine.url.database or "", isolation_level=None)
    connection.execute(f"PRAGMA busy_timeout = {database.BUSY_SECONDS * 1000}")
    return connection


def _limit_waiting(engine: sa.Engine) -> Callable[[int, int, int], None]:
    """Build a callback that ends a copy which waits too long for a lock; Python would wait for ever."""
    began = time.monotonic()

    def check(status: int, _remaining: int, _total: int) -> None:
        if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} and time.monotonic() - began > database.BUSY_SECONDS:
            where = Where(file=engine.url.database)
            raise Unavailable("The database is locked by another process.", where=where, remedy="Wait, or end it.")

    return check
