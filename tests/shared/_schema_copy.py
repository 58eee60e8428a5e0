"""Makes the tables of empty SQLite databases from the SQL that the first migration of this process left.

Alembic takes a tenth of a second for it, in each of the thousand tests that begin with an empty file; the SQL that it
ends with takes some milliseconds. Tests of the migrations themselves, and processes of their own, run Alembic.
"""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from annotation.store import migrations

RUN_ALEMBIC = migrations._run_alembic
MAKING = threading.Lock()
"""Alembic works in one thread at a time."""


def install() -> None:
    """Let `prepare_schema` copy the schema instead of running the migrations, where the database is empty."""
    migrations._run_alembic = _run_or_copy


def _run_or_copy(command: str, connection: sa.Connection, revision: str) -> None:
    if command != "upgrade" or connection.dialect.name != "sqlite" or _has_tables(connection):
        RUN_ALEMBIC(command, connection, revision)
        return
    with MAKING:
        statements = _list_statements(migrations.SCRIPTS, revision)
    for statement in statements:
        connection.exec_driver_sql(statement)


def _has_tables(connection: sa.Connection) -> bool:
    return bool(connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one())


@cache
def _list_statements(_scripts: Path, revision: str) -> list[str]:
    """The statements that make all that the migrations make in an empty database."""
    engine = sa.create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            RUN_ALEMBIC("upgrade", connection, revision)
        with engine.connect() as connection:
            return list(connection.connection.iterdump())[1:-1]  # without BEGIN and COMMIT
    finally:
        engine.dispose()
