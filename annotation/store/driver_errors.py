"""What the databases' drivers complain about, as sentences; an address is shown without its password."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from annotation.errors import BadInput, HromadaError, Unavailable, Where

Failure = DatabaseError | sqlite3.DatabaseError
"""As SQLAlchemy wraps it, or as a driver raises it where it is asked directly."""
SECRET = ("password", "sslpassword", "sslkey", "passfile")
"""Parameters of a PostgreSQL address that stay unsaid."""
UNAVAILABLE: Mapping[str, tuple[str, str]] = {
    "40001": ("Another process wrote the same at the same moment.", "Try again."),
    "40P01": ("Another process wrote the same at the same moment.", "Try again."),
    "53100": ("The disk of the database is full.", "Make room on it."),
    "53300": ("The server takes no more connections.", "Lower HROMADA_DATABASE_POOL, or raise its max_connections."),
    "55P03": ("The database is locked by another process.", "Wait, or end it."),
    "57014": ("The database took too long to answer.", "Try again."),
}
REFUSED: Mapping[str, tuple[str, str]] = {
    "22021": ("A text holds a character that the database does not store.", "Take out NUL characters."),
    "22P05": ("A text holds a character that the database does not store.", "Make the database with UTF-8."),
    "25006": ("The database may not be written.", "Name a server that is no stand-by."),
    "42501": ("The database's user may not do this.", "Let it own the database."),
}
SAID: Mapping[str, tuple[str, str]] = {
    "does not exist": ("The server has no such database or user.", "Make it (createdb, createuser), or correct it."),
    "authentication failed": ("The server refuses this user or password.", "Correct HROMADA_DATABASE_URL."),
    "no password supplied": ("The server asks for a password.", "Put it into HROMADA_DATABASE_URL, or into ~/.pgpass."),
    "no pg_hba.conf entry": ("The server refuses this user from here.", "Allow it in the server's pg_hba.conf."),
}
"""What servers say before a session is there, when no code comes with it."""


def shown(url: sa.URL) -> str:
    """The address without its secrets."""
    return url.difference_update_query(SECRET).render_as_string()


@contextmanager
def translated(url: sa.URL) -> Iterator[None]:
    """Turn the driver's failures into sentences."""
    try:
        yield
    except PoolTimeout as failure:
        remedy = "Raise HROMADA_DATABASE_POOL, or ask less at once."
        raise Unavailable("All connections are in use.", where=Where(file=shown(url)), remedy=remedy) from failure
    except (DatabaseError, sqlite3.DatabaseError) as failure:
        sentence = _sqlite(url, failure) if url.drivername.startswith("sqlite") else _postgresql(url, failure)
        if sentence is None:
            raise
        raise sentence from failure


def _sqlite(url: sa.URL, failure: Failure) -> HromadaError | None:
    where = Where(file=url.database)
    text = _words(failure)
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
    return _silent(where, failure)


def _postgresql(url: sa.URL, failure: Failure) -> HromadaError | None:
    """By the code that PostgreSQL documents; before there is a session only its words are left."""
    where = Where(file=shown(url))
    code = getattr(getattr(failure, "orig", None), "sqlstate", None) or ""
    if code in UNAVAILABLE:
        problem, remedy = UNAVAILABLE[code]
        return Unavailable(problem, where=where, remedy=remedy)
    if code in REFUSED:
        problem, remedy = REFUSED[code]
        return BadInput(problem, where=where, remedy=remedy)
    if not code and isinstance(failure, OperationalError):
        text = _words(failure)
        for words, (problem, remedy) in SAID.items():
            if words in text:
                return BadInput(problem, where=where, remedy=remedy)
    return _silent(where, failure)


def _words(failure: Failure) -> str:
    return str(getattr(failure, "orig", failure)).lower()


def _silent(where: Where, failure: Failure) -> HromadaError | None:
    if isinstance(failure, OperationalError | sqlite3.OperationalError):
        return Unavailable("The database does not answer.", where=where, remedy="Check that it runs, then try again.")
    return None
