"""Alembic migrations, append-only; `upgrade` runs those that a database lacks, in one transaction.

Of several processes that start at once the first migrates and the others wait for it: on SQLite the writing transaction
sees to it, on PostgreSQL an advisory lock that ends with the transaction.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from annotation.errors import BadInput, Where

REVISIONS = ("0001", "0002", "0003", "0004", "0005")
"""All revisions, oldest first; kept here so that an up-to-date database needs no Alembic at start (300 ms)."""
HEAD = REVISIONS[-1]
LOCK = 0x68726F6D616461
"""The number of the advisory lock: "hromada" in ASCII."""


def current(connection: sa.Connection) -> str | None:
    """The revision that a database is at; None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def upgrade(engine: sa.Engine, revision: str = HEAD, *, reader: sa.Engine | None = None) -> None:
    """Bring the schema up to `revision`; an up-to-date one is only looked at, through `reader` where one is given.

    Raises BadInput for a database of another program, or of a newer hromada.
    """
    with (reader or engine).connect() as connection:
        if current(connection) == revision:
            return
    with engine.begin() as connection:
        _lock(connection)
        refuse_strangers(connection)
        _run("upgrade", connection, revision)


def _lock(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": LOCK})


def refuse_strangers(connection: sa.Connection) -> None:
    """Raise BadInput for a database of another program, or of a newer hromada."""
    where = Where(file=connection.engine.url.database)
    found = current(connection)
    if found is not None and found not in REVISIONS:
        raise BadInput(
            "The database was made by a newer hromada, or by another program.", where=where, remedy="Upgrade hromada."
        )
    if found is None and set(sa.inspect(connection).get_table_names()) - {"alembic_version"}:
        remedy = "Name another one (HROMADA_DATABASE_URL)."
        raise BadInput("The database belongs to another program.", where=where, remedy=remedy)


def downgrade(engine: sa.Engine, revision: str) -> None:
    """Take the schema back to `revision`, "base" for an empty one."""
    with engine.begin() as connection:
        _lock(connection)
        _run("downgrade", connection, revision)


def _run(command: str, connection: sa.Connection, revision: str) -> None:
    from alembic import command as alembic_command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    getattr(alembic_command, command)(config, revision)
