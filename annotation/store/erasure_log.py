"""The log of SQLite (`-wal`) after an erasure: it may hold erased ids until it is emptied into the database.

A reader of an older state, such as an export, postpones that. On PostgreSQL there is nothing to do here: the server
overwrites what was erased at its next VACUUM.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.database import ERASED_IN_LOG, Database, translate_errors
from annotation.store.models import Heartbeat


def find_erasure(session: Session) -> datetime | None:
    """When something was erased that the log may still hold; None where it holds nothing of the kind."""
    row = session.get(Heartbeat, ERASED_IN_LOG)
    return None if row is None or not _measure_log(session) else row.at


def _measure_log(session: Session) -> int:
    """The size of the log in bytes, 0 without one: the last process that closes the database removes it."""
    log = Path(f"{session.connection().engine.url.database}-wal")
    return log.stat().st_size if log.is_file() else 0


def empty_log(database: Database) -> datetime | None:
    """Write the log into the database file and cut it to nothing, unless somebody reads an older state.

    Waits for nobody. The moment of an erasure that the log may still hold; None where there is none, or it is emptied.
    """
    if database.engine.dialect.name != "sqlite":
        return None
    with database.reading() as view:
        row = view.get(Heartbeat, ERASED_IN_LOG)
        since = None if row is None else row.at
    if not _cut_log(database):
        return since
    if since is not None:
        with database.transaction() as session:  # an erasure that came meanwhile has another time
            told = sa.delete(Heartbeat).where(col(Heartbeat.name) == ERASED_IN_LOG, col(Heartbeat.at) == since)
            session.connection().execute(told)
    return None


def _cut_log(database: Database) -> bool:
    """Whether the log could be emptied; no transaction of this process writes meanwhile."""
    with translate_errors(database.engine.url), database.writer_turn():
        connection = database.engine.raw_connection()
        try:
            cursor = connection.cursor()
            (timeout,) = cursor.execute("PRAGMA busy_timeout").fetchone()
            cursor.execute("PRAGMA busy_timeout = 0")
            (is_busy, _, _) = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            cursor.execute(f"PRAGMA busy_timeout = {timeout}")
        finally:
            connection.close()
    return not is_busy


def describe_wait(since: str) -> str:
    """A sentence about an erasure whose ids the log may still hold; `since` is its time, as it is printed."""
    return (
        f"What was erased at {since} may still be in the log of the database (-wal): a process that"
        " reads an older state keeps it. The bot empties it each minute, and every command that erases."
    )
