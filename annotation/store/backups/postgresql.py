"""Backups of PostgreSQL by its own programs pg_dump and pg_restore, in their custom format."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from annotation.errors import Unavailable, Where
from annotation.store import driver_errors, invariants
from annotation.store.backups.manifest import DatabaseContents, read_contents
from annotation.store.database import make_read_engine

LOCK_TIMEOUT = "10s"
"""How long restoring waits for somebody who uses a table."""


def dump_database(engine: sa.Engine, file: Path) -> DatabaseContents:
    """Write what one transaction sees, count its rows in the same transaction, and read the whole file again.

    Raises BadInput if the rows break a rule, Unavailable if a page of a table or the file cannot be read.
    """
    program, reader = _find_program("pg_dump"), _find_program("pg_restore")
    with make_read_engine(engine).connect() as connection:
        invariants.refuse_damage(connection, where=Where(file=driver_errors.format_url(engine.url)))
        contents = read_contents(connection)
        snapshot = connection.execute(sa.text("SELECT pg_export_snapshot()")).scalar_one()
        _run_program(
            engine, [program, "-Fc", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", "-f", str(file)]
        )
    _run_program(engine, [reader, "-f", os.devnull, str(file)], connect=False)
    return contents


def copy_database(engine: sa.Engine, file: Path) -> None:
    """Write the database into one file without a check; raise Unavailable if a page of a table cannot be read."""
    _run_program(engine, [_find_program("pg_dump"), "-Fc", "--no-owner", "--no-privileges", "-f", str(file)])


def load_database(engine: sa.Engine, file: Path, prepare: Callable[[sa.Connection], int]) -> int:
    """Drop all tables, create those of the backup, and change them by `prepare`, in one transaction.

    What `prepare` returns comes back. A process that is killed leaves the database as it was, and no file.
    """
    from annotation.store.backups import postgresql_script  # needs the driver

    command = [_find_program("pg_restore"), "--no-owner", "--no-privileges", "-f", "-", str(file)]
    with engine.connect() as connection:
        connection.detach()  # the script changes settings of the session
        with connection.begin():
            connection.exec_driver_sql(f"SET lock_timeout = '{LOCK_TIMEOUT}'")
            for name in sorted(sa.inspect(connection).get_table_names()):
                quoted = engine.dialect.identifier_preparer.quote(name)
                connection.exec_driver_sql(f"DROP TABLE {quoted} CASCADE")
            with _read_output(engine, command) as lines:
                postgresql_script.run_script(connection, lines)
            connection.exec_driver_sql("RESET search_path")
            return prepare(connection)


@contextmanager
def _read_output(engine: sa.Engine, command: Sequence[str]) -> Iterator[Iterable[bytes]]:
    """Run a program that needs no connection and yield the lines that it writes; raises Unavailable if it fails."""
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603  # a program found on PATH
            command, env=os.environ | {"LC_ALL": "C"}, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        try:
            yield process.stdout or ()
        except EOFError:
            pass  # the program failed, and says why
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0:
            errors.seek(0)
            raise _explain_failure(engine, command[0], errors.read().decode("utf-8", "replace"))


def _find_program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        remedy = "Install PostgreSQL's client programs (Debian: apt-get install postgresql-client)."
        raise Unavailable(f"The program {name} is not here.", remedy=remedy)
    return path


def _run_program(engine: sa.Engine, command: Sequence[str], *, connect: bool = True) -> None:
    """Run a program; the password goes through its environment, where other users of the machine cannot read it."""
    from psycopg.conninfo import make_conninfo

    (_, parameters) = engine.dialect.create_connect_args(engine.url)
    secret = parameters.pop("password", None)
    parameters.pop("context", None)
    address = ["-d", make_conninfo(**parameters)] if connect else []
    environment = os.environ | ({"PGPASSWORD": str(secret)} if secret else {}) | {"LC_ALL": "C"}
    result = subprocess.run(  # noqa: S603  # a program found on PATH, with arguments of our own
        [*command, *address], env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if result.returncode != 0:
        raise _explain_failure(engine, command[0], result.stderr)


def _explain_failure(engine: sa.Engine, program: str, errors: str) -> Unavailable:
    reason = next((line for line in errors.splitlines() if "error:" in line.lower()), "it did not say why")
    problem = f"{Path(program).name} failed, and nothing was changed: {reason.strip()}."
    return Unavailable(
        problem, where=Where(file=driver_errors.format_url(engine.url)), remedy="Fix that, then try again."
    )
