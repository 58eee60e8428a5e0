"""The errors of database drivers as sentences: what is wrong, and what to do about it.

A database that is away (Unavailable) is told apart from one whose disk takes nothing more (NotWritable), and from one
that refuses what is asked of it (BadInput).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from annotation.errors import BadInput, HromadaError, NotWritable, Unavailable, Where

Words = tuple[str, str]
"""A problem and its remedy."""
FULL: Words = ("The disk of the database is full.", "Make room on it, and on that of temporary files; then try again.")
READ_ONLY: Words = (
    "The disk of the database is read-only.",
    "Make it writable; a system makes disks with errors read-only, so look into its log.",
)
FAILING: Words = ("The disk of the database reports an error.", "Look into the log of the system, and at a backup.")
FORBIDDEN: Words = ("The database is read-only.", "Give your user write permission.")
WORDS_BY_CODE: dict[int, Words | None] = {
    # SQLite's primary result code: what is said where the disk itself does not show more; None for nothing
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: FAILING,
    sqlite3.SQLITE_READONLY: FORBIDDEN,
    sqlite3.SQLITE_CANTOPEN: None,
}


def explain_sqlite_disk(failure: BaseException, *, file: str | Path | None) -> NotWritable | None:
    """Return the error of a disk that takes nothing more, or None if SQLite failed for another reason.

    SQLite reports a full disk as such only while it writes; where it cannot make the files beside the database, or the
    disk is read-only, its state decides (statvfs).
    """
    code = getattr(failure, "sqlite_errorcode", 0) & 0xFF
    if code not in WORDS_BY_CODE:
        return None
    words = WORDS_BY_CODE[code] if code == sqlite3.SQLITE_FULL else _examine_disk(file) or WORDS_BY_CODE[code]
    return None if words is None else NotWritable(words[0], where=Where(file=file), remedy=words[1])


def _examine_disk(file: str | Path | None) -> Words | None:
    """What is wrong with the disk of a file as a whole: it is read-only, or has no room; None where it is well."""
    try:
        state = os.statvfs(Path(file or "").parent)
    except OSError:
        return None
    if state.f_flag & os.ST_RDONLY:
        return READ_ONLY
    is_full = (state.f_blocks and not state.f_bavail) or (state.f_files and not state.f_favail)
    return FULL if is_full else None


DriverError = DBAPIError | sqlite3.DatabaseError
"""A database error, as SQLAlchemy wraps it or as the SQLite driver raises it where the driver is used directly."""
SECRET_PARAMETERS = ("password", "sslpassword", "sslkey", "passfile")
"""Parameters of a PostgreSQL address that are never shown."""
CHANGED_REMEDY = "Something else has changed it: hromada database check."
UNAVAILABLE_BY_CODE: Mapping[str, tuple[str, str]] = {
    # PostgreSQL's error code (SQLSTATE): the problem and its remedy, raised as Unavailable
    "40001": ("Another process wrote the same at the same moment.", "Try again."),
    "40P01": ("Another process wrote the same at the same moment.", "Try again."),
    "53300": ("The server takes no more connections.", "Lower HROMADA_DATABASE_POOL, or raise its max_connections."),
    "55P03": ("The database is locked by another process.", "Wait, or end it."),
    "57014": ("The database took too long to answer.", "Try again."),
}
NOT_WRITABLE_BY_CODE: Mapping[str, tuple[str, str]] = {
    # the same, raised as NotWritable
    "53100": FULL,
    "58030": FAILING,
}
REFUSED_BY_CODE: Mapping[str, tuple[str, str]] = {
    # the same, raised as BadInput
    "22021": ("A text holds a character that the database does not store.", "Take out NUL characters."),
    "22P05": ("A text holds a character that the database does not store.", "Make the database with UTF-8."),
    "25006": ("The database is read-only.", "Name a server that is not a standby."),
    "42P01": ("The database has no such table.", CHANGED_REMEDY),
    "42703": ("The database has no such column.", CHANGED_REMEDY),
    "42501": ("The database's user may not do this.", "Let it own the database."),
}
REFUSED_BY_WORDS: Mapping[str, tuple[str, str]] = {
    "does not exist": ("The server has no such database or user.", "Make it (createdb, createuser), or correct it."),
    "authentication failed": ("The server refuses this user or password.", "Correct HROMADA_DATABASE_URL."),
    "no password supplied": ("The server asks for a password.", "Put it into HROMADA_DATABASE_URL, or into ~/.pgpass."),
    "no pg_hba.conf entry": ("The server refuses this user from here.", "Allow it in the server's pg_hba.conf."),
}
"""Problem and remedy by words of PostgreSQL's message, for failures to connect, which have no error code."""


SQLITE_BY_WORDS: tuple[tuple[str, type[HromadaError], str, str], ...] = (
    ("locked", Unavailable, "The database is locked by another process.", "Wait, or end it."),
    ("busy", Unavailable, "The database is locked by another process.", "Wait, or end it."),
    ("malformed", BadInput, "The database is damaged.", "Restore a backup: hromada database restore."),
    ("not a database", BadInput, "This file is not a database.", "Name another, or restore a backup."),
    (
        "unable to open", BadInput, "The database cannot be opened.",
        "Check that the folder exists and may be written.",
    ),
    ("no such table", BadInput, "The database has no such table or column.", CHANGED_REMEDY),
    ("no such column", BadInput, "The database has no such table or column.", CHANGED_REMEDY),
)  # fmt: skip
"""The error, its problem and remedy by words of SQLite's message, of which the first that fit are meant."""


def format_url(url: sa.URL) -> str:
    """The database's address without its secrets."""
    return url.difference_update_query(SECRET_PARAMETERS).render_as_string()


def explain_error(url: sa.URL, failure: DriverError | PoolTimeout) -> HromadaError | None:
    """The error as one of ours; None where it is not known, and so a mistake of the program."""
    if isinstance(failure, PoolTimeout):
        remedy = "Raise HROMADA_DATABASE_POOL, or ask less at once."
        return Unavailable("All connections are in use.", where=Where(file=format_url(url)), remedy=remedy)
    if url.drivername.startswith("sqlite"):
        return _explain_sqlite_error(url, failure)
    return _explain_postgresql_error(url, failure)


def _explain_sqlite_error(url: sa.URL, failure: DriverError) -> HromadaError | None:
    """Explain an error by the state of the disk, or by the words of SQLite's message."""
    where, cause = Where(file=url.database), getattr(failure, "orig", failure)
    text = _get_error_text(failure)
    explained: HromadaError | None = explain_sqlite_disk(cause, file=url.database)
    for words, kind, problem, remedy in SQLITE_BY_WORDS:
        if explained is None and words in text:
            explained = kind(problem, where=where, remedy=remedy)
    if explained is None and getattr(cause, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR:
        explained = _explain_no_answer(where, failure)
    return explained


def _explain_postgresql_error(url: sa.URL, failure: DriverError) -> HromadaError | None:
    """Explain an error by PostgreSQL's error code, or by the words of its message where the connection failed."""
    where = Where(file=format_url(url))
    code = getattr(getattr(failure, "orig", None), "sqlstate", None) or ""
    if code in UNAVAILABLE_BY_CODE:
        problem, remedy = UNAVAILABLE_BY_CODE[code]
        return Unavailable(problem, where=where, remedy=remedy)
    if code in NOT_WRITABLE_BY_CODE:
        problem, remedy = NOT_WRITABLE_BY_CODE[code]
        return NotWritable(problem, where=where, remedy=remedy)
    if code in REFUSED_BY_CODE:
        problem, remedy = REFUSED_BY_CODE[code]
        return BadInput(problem, where=where, remedy=remedy)
    if not code and isinstance(failure, OperationalError):
        text = _get_error_text(failure)
        for words, (problem, remedy) in REFUSED_BY_WORDS.items():
            if words in text:
                return BadInput(problem, where=where, remedy=remedy)
    return _explain_no_answer(where, failure)


def _get_error_text(failure: DriverError) -> str:
    return str(getattr(failure, "orig", failure)).lower()


def _explain_no_answer(where: Where, failure: DriverError) -> HromadaError | None:
    if isinstance(failure, OperationalError | InterfaceError | sqlite3.OperationalError):
        return Unavailable("The database does not answer.", where=where, remedy="Check that it runs, then try again.")
    return None
