"""PostgreSQL's own programs, pg_dump, pg_restore and psql, in its custom format."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import sqlalchemy as sa

from annotation.errors import Unavailable, Where
from annotation.store import driver_errors
from annotation.store.backups.manifest import Contents, contents
from annotation.store.database import reader

WAITS = "10s"
"""How long restoring waits for somebody who uses a table."""


def dump(engine: sa.Engine, file: Path) -> Contents:
    """Write what one transaction sees, and count the rows in that very transaction."""
    program = _program("pg_dump")
    with reader(engine).connect() as connection:
        found = contents(connection)
        snapshot = connection.execute(sa.text("SELECT pg_export_snapshot()")).scalar_one()
        _run(engine, [program, "-Fc", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", "-f", str(file)])
    return found


def load(engine: sa.Engine, file: Path) -> None:
    """Drop all tables and make them anew, in one transaction."""
    unpack, say = _program("pg_restore"), _program("psql")
    with tempfile.TemporaryDirectory(prefix="hromada-") as folder:
        script, drops = Path(folder) / "restore.sql", Path(folder) / "drop.sql"
        _run(engine, [unpack, "--no-owner", "--no-privileges", "-f", str(script), str(file)], connect=False)
        drops.write_text(_drops(engine), "utf-8")
        quietly = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-o", os.devnull]
        _run(engine, [say, *quietly, "-f", str(drops), "-f", str(script)])


def _drops(engine: sa.Engine) -> str:
    quoted = engine.dialect.identifier_preparer.quote
    names = sorted(sa.inspect(engine).get_table_names())
    return (
        "\n".join([f"SET lock_timeout = '{WAITS}';", *(f"DROP TABLE {quoted(one)} CASCADE;" for one in names)]) + "\n"
    )


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        remedy = "Install PostgreSQL's client programs (Debian: apt-get install postgresql-client)."
        raise Unavailable(f"The program {name} is not here.", remedy=remedy)
    return found


def _run(engine: sa.Engine, command: Sequence[str], *, connect: bool = True) -> None:
    """Run a program; the password goes through its environment, where other users of the machine cannot read it."""
    from psycopg.conninfo import make_conninfo

    (_, known) = engine.dialect.create_connect_args(engine.url)
    secret = known.pop("password", None)
    known.pop("context", None)
    address = ["-d", make_conninfo(**known)] if connect else []
    environment = os.environ | ({"PGPASSWORD": str(secret)} if secret else {}) | {"LC_ALL": "C"}
    ran = subprocess.run(  # noqa: S603  # a program found on PATH, with arguments of our own
        [*command, *address], env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if ran.returncode != 0:
        said = next((line for line in ran.stderr.splitlines() if "error:" in line.lower()), "it did not say why")
        problem = f"{Path(command[0]).name} failed, and nothing was changed: {said.strip()}."
        raise Unavailable(
            problem, where=Where(file=driver_errors.shown(engine.url)), remedy="Mend that, then try again."
        )
