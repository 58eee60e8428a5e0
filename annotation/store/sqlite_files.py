"""The files of SQLite: readable by their owner only, and without erased content in the log beside them.

A deleted or changed row is overwritten in the database (`secure_delete`, which every connection sets), but its former
content stays in the write-ahead log until that is emptied.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

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


def request_checkpoint(session: Session) -> None:
    """Have the log emptied once the transaction has ended; on PostgreSQL do nothing."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
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
