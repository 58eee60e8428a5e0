"""Alembic migrations, append-only; `upgrade_schema` runs those that a database lacks, in one transaction.

Where several processes start at once, the first one migrates and the others wait for it: on SQLite because there is one
writing transaction, on PostgreSQL by an advisory lock that ends with the transaction.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from annotation.errors import BadInput, Where

REVISIONS = ("0001", "0002", "0003", "0004", "0005")
"""All revisions, oldest first; kept here so that an up-to-date database needs no Alembic at start (300 ms)."""
HEAD = REVISIONS[-1]
LOCK_NUMBER = 0x68726F6D616461
"""The number of the advisory lock: "hromada" in ASCII."""


def get_revision(connection: sa.Connection) -> str | None:
    """The revision of a database; None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def upgrade_schema(engine: sa.Engine, revision: str = HEAD, *, reader: sa.Engine | None = None) -> None:
    """Bring the schema up to `revision`; where it is up to date it is only read, through `reader` if given.

    Raises BadInput for a database of another program, or of a newer hromada.
    """
    with (reader or engine).connect() as connection:
        if get_revision(connection) == revision:
            return
    with engine.begin() as connection:
        _lock(connection)
        refuse_foreign_database(connection)
        _run_alembic("upgrade", connection, revision)


def _lock(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": LOCK_NUMBER})


def refuse_foreign_database(connection: sa.Connection) -> None:
    """Raise BadInput for a database of another program, or of a newer hromada."""
    where = Where(file=connection.engine.url.database)
    revision = get_revision(connection)
    if revision is not None and revision not in REVISIONS:
        raise BadInput(
            "The database was made by a newer hromada, or by another program.", where=where, remedy="Upgrade hromada."
        )
    if revision is None and set(sa.inspect(connection).get_table_names()) - {"alembic_version"}:
        remedy = "Name another one (HROMADA_DATABASE_URL)."
        raise BadInput("The database belongs to another program.", where=where, remedy=remedy)


def downgrade_schema(engine: sa.Engine, revision: str) -> None:
    """Take the schema back to `revision`, "base" for an empty one."""
    with engine.begin() as connection:
        _lock(connection)
        _run_alembic("downgrade", connection, revision)


def _run_alembic(command: str, connection: sa.Connection, revision: str) -> None:
    from alembic import command as alembic_command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    getattr(alembic_command, command)(config, revision)
