"""Backups of PostgreSQL by its own programs pg_dump, pg_restore and psql, in their custom format."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from annotation.errors import Unavailable, Where
from annotation.store import driver_errors, integrity
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
        integrity.refuse_damage(connection, where=Where(file=driver_errors.format_url(engine.url)))
        contents = read_contents(connection)
        snapshot = connection.execute(sa.text("SELECT pg_export_snapshot()")).scalar_one()
        _run_program(
            engine, [program, "-Fc", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", "-f", str(file)]
        )
    _run_program(engine, [reader, "-f", os.devnull, str(file)], connect=False)
    return contents


def load_database(engine: sa.Engine, file: Path, marks: Mapping[str, Mapping[str, Any]]) -> None:
    """Drop all tables, create those of the backup, and add these marks of erased annotators, in one transaction."""
    pg_restore, psql = _find_program("pg_restore"), _find_program("psql")
    with tempfile.TemporaryDirectory(prefix="hromada-") as folder:
        script, drops, added = (Path(folder) / f"{name}.sql" for name in ("restore", "drop", "marks"))
        _run_program(engine, [pg_restore, "--no-owner", "--no-privileges", "-f", str(script), str(file)], connect=False)
        drops.write_text(_build_drop_script(engine), "utf-8")
        added.write_text(_build_marks_script(marks), "utf-8")
        quietly = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-o", os.devnull]
        _run_program(engine, [psql, *quietly, "-f", str(drops), "-f", str(script), "-f", str(added)])


def _build_drop_script(engine: sa.Engine) -> str:
    quote = engine.dialect.identifier_preparer.quote
    names = sorted(sa.inspect(engine).get_table_names())
    return (
        "\n".join([f"SET lock_timeout = '{LOCK_TIMEOUT}';", *(f"DROP TABLE {quote(name)} CASCADE;" for name in names)])
        + "\n"
    )


def _build_marks_script(marks: Mapping[str, Mapping[str, Any]]) -> str:
    """Statements that add marks to the restored table, in place of older ones; nothing where there is no such table."""
    content = json.dumps([{"mark": mark, **values} for mark, values in sorted(marks.items())])
    return _MARKS_SCRIPT.format(content="'" + content.replace("'", "''") + "'") if marks else ""


_MARKS_SCRIPT = """
RESET search_path;
SELECT to_regclass('erased_annotator') IS NOT NULL AS found \\gset
\\if :found
INSERT INTO erased_annotator (mark, erased_at, standing)
SELECT mark, erased_at, standing FROM json_to_recordset({content}::json)
AS added(mark varchar, erased_at timestamptz, standing json)
ON CONFLICT (mark) DO UPDATE SET erased_at = excluded.erased_at, standing = excluded.standing
WHERE erased_annotator.erased_at < excluded.erased_at;
\\endif
"""


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
        reason = next((line for line in result.stderr.splitlines() if "error:" in line.lower()), "it did not say why")
        problem = f"{Path(command[0]).name} failed, and nothing was changed: {reason.strip()}."
        raise Unavailable(
            problem, where=Where(file=driver_errors.format_url(engine.url)), remedy="Mend that, then try again."
        )
