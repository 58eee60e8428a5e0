"""Alembic migrations, append-only from the first release on; all that a database lacks run in one transaction.

Only `hromada database upgrade` changes the schema of a database that has one. Every other command makes the tables of
an empty database, and refuses a database that is older or newer than the program.

Where several processes start at once, the first one migrates and the others wait for it: on SQLite because there is one
writing transaction, on PostgreSQL by an advisory lock that ends with the transaction.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from annotation.errors import BadInput, SchemaMismatch, Where

REVISIONS: tuple[str, ...] = ("0001", "0002")
"""All revisions, oldest first; kept here so that an up-to-date database needs no Alembic at start (300 ms)."""
HEAD = REVISIONS[-1]
"""The revision that this program works with."""
SCRIPTS = Path(__file__).parent
"""The folder that Alembic reads; its `versions` holds one module a revision."""
UTF8 = 6
"""The number of the encoding in PostgreSQL's `pg_database`."""
LOCK_NUMBER = 0x68726F6D616461
"""The number of the advisory lock: "hromada" in ASCII."""


def get_revision(connection: sa.Connection) -> str | None:
    """The revision of a database; None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def prepare_schema(engine: sa.Engine, *, reader: sa.Engine | None = None) -> None:
    """Make the tables of an empty database; a database that has tables is only read, through `reader` if given.

    Raises SchemaMismatch where the schema is older or newer than this program, BadInput for a database of another
    program.
    """
    with (reader or engine).connect() as connection:
        if get_revision(connection) is not None:
            check_revision(connection)
            return
    upgrade_schema(engine)


def check_revision(connection: sa.Connection) -> None:
    """Raise SchemaMismatch unless the schema is the one that this program works with."""
    revision = refuse_foreign_database(connection)
    if revision is not None and revision != HEAD:
        raise SchemaMismatch(
            f"The database has the schema {revision}, and this hromada works with {HEAD}.",
            where=Where(file=connection.engine.url.database),
            remedy="Run `hromada database upgrade`; on SQLite it makes a backup first.",
        )


def upgrade_schema(engine: sa.Engine) -> None:
    """Bring the schema up to date; does nothing where it is there already.

    Raises SchemaMismatch for a database of a newer hromada, BadInput for one of another program.
    """
    with engine.begin() as connection:
        _lock(connection)
        if refuse_foreign_database(connection) != HEAD:
            _run_alembic("upgrade", connection, HEAD)


def _lock(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": LOCK_NUMBER})


def refuse_foreign_database(connection: sa.Connection) -> str | None:
    """The revision of our own database, None for an empty one.

    Raises SchemaMismatch for a database of a newer hromada, BadInput for one of another program.
    """
    revision = get_revision(connection)
    if revision is not None and revision not in REVISIONS:
        raise SchemaMismatch(
            f"The database has the schema {revision}, of a newer hromada or of another program.",
            where=Where(file=connection.engine.url.database),
            remedy=f"Upgrade hromada: this one works with {HEAD}.",
        )
    if revision is None and connection.dialect.name == "postgresql":
        _refuse_encoding(connection)
    if revision is None and set(sa.inspect(connection).get_table_names()) - {"alembic_version"}:
        raise BadInput(
            "The database belongs to another program.",
            where=Where(file=connection.engine.url.database),
            remedy="Name another one (HROMADA_DATABASE_URL).",
        )
    return revision


def _refuse_encoding(connection: sa.Connection) -> None:
    """Raise BadInput where PostgreSQL cannot store every text; `connection` may give such texts as bytes."""
    encoding = connection.execute(sa.text("SELECT encoding FROM pg_database WHERE datname = current_database()"))
    if encoding.scalar_one() != UTF8:
        name = connection.engine.url.database
        raise BadInput(
            "The database cannot store every text: its encoding is not UTF-8.",
            where=Where(file=name),
            remedy=f"Create another one: createdb --encoding UTF8 --template template0 {name}_utf8",
        )


def downgrade_schema(engine: sa.Engine, revision: str) -> None:
    """Take the schema back to `revision`, "base" for an empty one."""
    with engine.begin() as connection:
        _lock(connection)
        _run_alembic("downgrade", connection, revision)


def _run_alembic(command: str, connection: sa.Connection, revision: str) -> None:
    from alembic import command as alembic_command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    getattr(alembic_command, command)(config, revision)
