"""Runs a script of pg_restore on an open connection, within its transaction; psql would need one of its own.

It needs the driver of PostgreSQL, so it is imported where that is in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import psycopg
import sqlalchemy as sa

from annotation.errors import Unavailable, Where
from annotation.store import driver_errors

RESTORE_SECONDS = 86_400.0
"""Seconds that the connection waits for one statement: an index of millions of rows takes its time."""
_COPY = re.compile(rb"COPY .+ FROM stdin;\n")
_END_OF_ROWS = b"\\.\n"


def run_script(connection: sa.Connection, lines: Iterable[bytes]) -> None:
    """Run all statements and copy all rows.

    Raises Unavailable where the server refuses one, EOFError where the script ends in the middle of a table. Lines that
    begin with a backslash outside of rows are commands of psql, which protect psql and do nothing else.
    """
    driver: Any = connection.connection.dbapi_connection
    driver.answer_seconds = RESTORE_SECONDS
    remaining, statements = iter(lines), list[bytes]()
    try:
        with driver.cursor() as cursor:
            for line in remaining:
                if _COPY.fullmatch(line):
                    cursor.execute(b"".join(statements))
                    statements.clear()
                    with cursor.copy(line) as copy:
                        for rows in _take_rows(remaining):
                            copy.write(rows)
                elif not line.startswith(b"\\"):
                    statements.append(line)
            cursor.execute(b"".join(statements))
    except psycopg.Error as failure:
        reason = failure.diag.message_primary or type(failure).__name__
        raise Unavailable(
            f"The server refuses the backup, and nothing was changed: {reason}.",
            where=Where(file=driver_errors.format_url(connection.engine.url)),
            remedy="Fix that, then try again.",
        ) from failure


def _take_rows(remaining: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the rows of one table; raises EOFError where their end is missing."""
    for line in remaining:
        if line == _END_OF_ROWS:
            return
        yield line
    raise EOFError
