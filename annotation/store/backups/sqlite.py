"""Backups of SQLite by its online backup: one moment while others write, restored in one transaction."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from annotation.errors import BadInput, HromadaError, Unavailable, Where
from annotation.store import database, erasure_marks, integrity, sqlite_files
from annotation.store.backups.manifest import DatabaseContents, read_contents


def dump_database(engine: sa.Engine, file: Path) -> DatabaseContents:
    """Copy the database into one file, without a log beside it; raises BadInput if the copy is damaged."""
    with closing(_connect(engine)) as source, closing(sqlite3.connect(file, isolation_level=None)) as target:
        source.backup(target, progress=_limit_waiting(engine))
        target.execute("PRAGMA journal_mode = DELETE")
    copied = sa.create_engine(sa.URL.create("sqlite", database=str(file)))
    try:
        with copied.connect() as connection:
            integrity.refuse_damage(connection, where=Where(file=engine.url.database))
            return read_contents(connection)
    finally:
        copied.dispose()


def load_database(engine: sa.Engine, file: Path, marks: Mapping[str, Mapping[str, Any]]) -> None:
    """Write a copy over the database in one transaction, with these marks of erased annotators added to it.

    Raises BadInput where the copy is damaged.
    """
    target_file = Path(engine.url.database or "")
    is_new = not target_file.exists()
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as source:
            if source.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                raise BadInput("The backup is not whole.", where=Where(file=file), remedy="Take another one.")
            with _add_marks(source, marks) as marked, closing(_connect(engine)) as target:
                marked.backup(target, progress=_limit_waiting(engine))
    except (HromadaError, sqlite3.Error):
        if is_new:
            target_file.unlink(missing_ok=True)
        raise


@contextmanager
def _add_marks(source: sqlite3.Connection, marks: Mapping[str, Mapping[str, Any]]) -> Iterator[sqlite3.Connection]:
    """The backup with the marks added, in a temporary copy that only its owner may read; itself without any."""
    if not marks:
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="hromada-") as folder:
        copy = Path(folder) / "marked.db"
        with closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        engine = sa.create_engine(sa.URL.create("sqlite", database=str(copy)))
        try:
            with engine.begin() as connection:
                erasure_marks.add_marks(connection, marks)
        finally:
            engine.dispose()
        with closing(sqlite3.connect(copy)) as marked:
            yield marked


def _connect(engine: sa.Engine) -> sqlite3.Connection:
    sqlite_files.create_private_file(engine.url.database or "")
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
