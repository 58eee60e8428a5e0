"""The errors of database drivers as sentences: what is wrong, and what to do about it.

A database that is away (Unavailable) is told apart from one that refuses what is asked of it (BadInput).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from annotation.errors import BadInput, HromadaError, Unavailable, Where

DriverError = DBAPIError | sqlite3.DatabaseError
"""A database error, as SQLAlchemy wraps it or as the SQLite driver raises it where the driver is used directly."""
SECRET_PARAMETERS = ("password", "sslpassword", "sslkey", "passfile")
"""Parameters of a PostgreSQL address that are never shown."""
UNAVAILABLE_BY_CODE: Mapping[str, tuple[str, str]] = {
    # PostgreSQL's error code (SQLSTATE): the problem and its remedy, raised as Unavailable
    "40001": ("Another process wrote the same at the same moment.", "Try again."),
    "40P01": ("Another process wrote the same at the same moment.", "Try again."),
    "53100": ("The disk of the database is full.", "Make room on it."),
    "53300": ("The server takes no more connections.", "Lower HROMADA_DATABASE_POOL, or raise its max_connections."),
    "55P03": ("The database is locked by another process.", "Wait, or end it."),
    "57014": ("The database took too long to answer.", "Try again."),
}
REFUSED_BY_CODE: Mapping[str, tuple[str, str]] = {
    # the same, raised as BadInput
    "22021": ("A text holds a character that the database does not store.", "Take out NUL characters."),
    "22P05": ("A text holds a character that the database does not store.", "Make the database with UTF-8."),
    "25006": ("The database may not be written.", "Name a server that is no stand-by."),
    "42P01": ("The database has no such table.", "Something else has changed it: hromada database check."),
    "42703": ("The database has no such column.", "Something else has changed it: hromada database check."),
    "42501": ("The database's user may not do this.", "Let it own the database."),
}
REFUSED_BY_WORDS: Mapping[str, tuple[str, str]] = {
    "does not exist": ("The server has no such database or user.", "Make it (createdb, createuser), or correct it."),
    "authentication failed": ("The server refuses this user or password.", "Correct HROMADA_DATABASE_URL."),
    "no password supplied": ("The server asks for a password.", "Put it into HROMADA_DATABASE_URL, or into ~/.pgpass."),
    "no pg_hba.conf entry": ("The server refuses this user from here.", "Allow it in the server's pg_hba.conf."),
}
"""Problem and remedy by words of PostgreSQL's message, for failures to connect, which have no error code."""


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
    where = Where(file=url.database)
    text = _get_error_text(failure)
    if "locked" in text or "busy" in text:
        return Unavailable("The database is locked by another process.", where=where, remedy="Wait, or end it.")
    if "malformed" in text:
        return BadInput("The database is damaged.", where=where, remedy="Restore a backup: hromada database restore.")
    if "not a database" in text:
        return BadInput("This file is not a database.", where=where, remedy="Name another, or restore a backup.")
    if "unable to open" in text:
        return BadInput(
            "The database cannot be opened.", where=where, remedy="Check that the folder exists and may be written."
        )
    if "readonly" in text or "read-only" in text:
        return BadInput("The database may not be written.", where=where, remedy="Give yourself write permission.")
    if "no such table" in text or "no such column" in text:
        remedy = "Something else has changed it: hromada database check."
        return BadInput("The database has no such table or column.", where=where, remedy=remedy)
    code = getattr(getattr(failure, "orig", failure), "sqlite_errorcode", None)
    return None if code == sqlite3.SQLITE_ERROR else _explain_no_answer(where, failure)


def _explain_postgresql_error(url: sa.URL, failure: DriverError) -> HromadaError | None:
    """Explain an error by PostgreSQL's error code, or by the words of its message where the connection failed."""
    where = Where(file=format_url(url))
    code = getattr(getattr(failure, "orig", None), "sqlstate", None) or ""
    if code in UNAVAILABLE_BY_CODE:
        problem, remedy = UNAVAILABLE_BY_CODE[code]
        return Unavailable(problem, where=where, remedy=remedy)
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
