"""Alembic migrations, append-only; `upgrade` runs those that a database lacks, in one transaction."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

HEAD = "0002"
"""The newest revision; kept here so that an up-to-date database needs no Alembic at start (300 ms)."""


def current(connection: sa.Connection) -> str | None:
    """The revision that a database is at; None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def upgrade(engine: sa.Engine, revision: str = HEAD) -> None:
    """Bring the schema up to `revision`."""
    with engine.begin() as connection:
        if current(connection) == revision:
            return
        _run("upgrade", connection, revision)


def downgrade(engine: sa.Engine, revision: str) -> None:
    """Take the schema back to `revision`, "base" for an empty one."""
    with engine.begin() as connection:
        _run("downgrade", connection, revision)


def _run(command: str, connection: sa.Connection, revision: str) -> None:
    from alembic import command as alembic_command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    getattr(alembic_command, command)(config, revision)
