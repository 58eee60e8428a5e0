"""SQLite's own online backup: whole while others write, and in one transaction on the way back."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from annotation.errors import BadInput, HromadaError, Unavailable, Where
from annotation.store import database
from annotation.store.backups.manifest import Contents, contents


def dump(engine: sa.Engine, file: Path) -> Contents:
    """Copy the database into a file, in one piece and without a log beside it."""
    with closing(_driver(engine)) as source, closing(sqlite3.connect(file, isolation_level=None)) as target:
        source.backup(target, progress=_patience(engine))
        target.execute("PRAGMA journal_mode = DELETE")
    copied = sa.create_engine(sa.URL.create("sqlite", database=str(file)))
    try:
        with copied.connect() as connection:
            return contents(connection)
    finally:
        copied.dispose()


def load(engine: sa.Engine, file: Path) -> None:
    """Write a copy over the database, page by page in one transaction; raises BadInput where the copy is not whole."""
    target_file = Path(engine.url.database or "")
    fresh = not target_file.exists()
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as source:
            if source.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                raise BadInput("The backup is not whole.", where=Where(file=file), remedy="Take another one.")
            with closing(_driver(engine)) as target:
                source.backup(target, progress=_patience(engine))
    except (HromadaError, sqlite3.Error):
        if fresh:
            target_file.unlink(missing_ok=True)
        raise


def _driver(engine: sa.Engine) -> sqlite3.Connection:
    found = sqlite3.connect(engine.url.database or "", isolation_level=None)
    found.execute(f"PRAGMA busy_timeout = {database.BUSY_SECONDS * 1000}")
    return found


def _patience(engine: sa.Engine) -> Callable[[int, int, int], None]:
    """End a copy that waits for somebody else; Python's loop would go on for ever."""
    began = time.monotonic()

    def told(status: int, _remaining: int, _total: int) -> None:
        if status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} and time.monotonic() - began > database.BUSY_SECONDS:
            where = Where(file=engine.url.database)
            raise Unavailable("The database is locked by another process.", where=where, remedy="Wait, or end it.")

    return told
