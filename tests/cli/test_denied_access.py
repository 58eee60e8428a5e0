"""Files and databases that may not be used now: exit code 2, a sentence with the remedy, and nothing changed."""

from __future__ import annotations

import ctypes
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from annotation.store import database

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: Яке?, options: [так, ні]}
items: {file: data/items.csv, id: id, show: text}
votes: {format: csv, item: item, annotator: who, answer: says}
overlap: 1
"""
VOTES = "item,who,says\n1,ann,так\n"
OVERRIDES = 0b110
"""The bits of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what root may do although a file's permissions forbid it."""
CAPABILITIES_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3


@contextmanager
def obey_permissions() -> Iterator[None]:
    """Let permissions hold for this thread even if root runs it: its effective capabilities lack the overrides."""
    c = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; the same again for the bits above 31
    assert c.capget(header, sets) == 0
    effective = sets[0]
    try:
        sets[0] = effective & ~OVERRIDES
        assert c.capset(header, sets) == 0
        yield
    finally:
        sets[0] = effective
        assert c.capset(header, sets) == 0


@pytest.fixture
def folder(hromada: Hromada) -> Path:
    """A folder with two projects and votes."""
    (hromada.folder / "data").mkdir()
    (hromada.folder / "full").mkdir()
    hromada.write("project.yaml", PROJECT)
    hromada.write("other.yaml", PROJECT.replace("project: words", "project: other"))
    hromada.write("data/items.csv", "id,text\n1,кіт\n2,дуб\n")
    hromada.write("votes.csv", VOTES)
    return hromada.folder


@pytest.fixture
def words(hromada: Hromada, folder: Path) -> Hromada:
    """The first project is loaded, and permissions hold for the command even where root runs it."""
    hromada = hromada.with_release(obey_permissions)
    assert hromada("load", "project.yaml").code == 0
    assert folder == hromada.folder
    return hromada


def read_everything(folder: Path) -> tuple[list[str], set[Path]]:
    """All that the database holds, as statements, and the names of all files."""
    with closing(sqlite3.connect(folder / "hromada.db")) as connection:
        rows = list(connection.iterdump())
    return rows, {path for path in folder.rglob("*") if not path.name.startswith("hromada.db-")}


@pytest.mark.parametrize(
    ("forbidden", "mode", "command", "says"),
    [
        ("other.yaml", 0o000, "check other.yaml", "other.yaml: No permission to read this file. Change its"),
        ("other.yaml", 0o000, "load other.yaml", "other.yaml: No permission to read this file. Change its"),
        ("data/items.csv", 0o000, "load other.yaml", "items.csv: No permission to read this file. Change its"),
        ("data/items.csv", 0o000, "check other.yaml", "items.csv: No permission to read this file. Change its"),
        ("data", 0o000, "load other.yaml", "items.csv: No permission to read this file. Change its permissions."),
        ("votes.csv", 0o000, "import words votes.csv", "votes.csv: No permission to read this file. Change its"),
        ("hromada.db", 0o000, "status", "hromada.db: The database cannot be opened. Check"),
        ("hromada.db", 0o444, "load other.yaml", "hromada.db: The database is read-only. Give your user write"),
        (".", 0o000, "status", ".env: The file cannot be read. Save it as UTF-8, readable by you."),
        ("full", 0o555, "new full/mine --template baseline", "full/mine: The folder cannot be written: Permission"),
    ],
)  # fmt: skip
def test_a_file_without_permission_is_refused(
    words: Hromada, forbidden: str, mode: int, command: str, says: str
) -> None:
    """Whatever the command wanted of it, the file is named."""
    before = read_everything(words.folder)
    (words.folder / forbidden).chmod(mode)
    try:
        ran = words(*command.split())
    finally:
        (words.folder / forbidden).chmod(0o700)
    assert (ran.code, says in ran.err, "Traceback" in ran.err) == (2, True, False), ran.err
    assert read_everything(words.folder) == before


@contextmanager
def lock_sqlite(folder: Path) -> Iterator[None]:
    """Let another process write, and not end."""
    with closing(sqlite3.connect(folder / "hromada.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def lock_postgresql(engine: sa.Engine) -> Iterator[None]:
    """Let another process hold every table, as a migration or VACUUM FULL does."""
    with engine.connect() as holder:
        for table in list_tables(holder):
            holder.exec_driver_sql(f'LOCK TABLE "{table}" IN EXCLUSIVE MODE')
        yield
        holder.rollback()


def list_tables(connection: sa.Connection) -> list[str]:
    """The names of all tables."""
    return sorted(sa.inspect(connection).get_table_names())


def read_tables(engine: sa.Engine) -> dict[str, list[str]]:
    """Every row of every table."""
    with engine.connect() as connection:
        return {
            table: sorted(str(row) for row in connection.exec_driver_sql(f'SELECT * FROM "{table}"'))
            for table in list_tables(connection)
        }


@pytest.mark.parametrize("command", ["load other.yaml", "import words votes.csv"])
def test_a_locked_sqlite_is_refused_after_a_while_and_unchanged(words: Hromada, command: str) -> None:
    """While another process writes, reading goes on; a command that writes waits, then says so."""
    before = read_everything(words.folder)
    with lock_sqlite(words.folder):
        assert words("status").code == 0, "reading waits for no writer"
        ran = words(*command.split())
    assert (ran.code, "hromada.db: The database is locked by another process. Wait, or end it." in ran.err) == (2, True)
    assert read_everything(words.folder) == before
    assert words(*command.split()).code == 0, "when the other has ended, the same command is done"
    assert read_everything(words.folder) != before


def test_no_lock_on_postgresql_is_waited_for_without_end(postgresql_url: str) -> None:
    """Where the address does not say how long, a limit of our own holds."""
    for url, limit in ((postgresql_url, "30s"), (f"{postgresql_url}&options=-c%20lock_timeout%3D1s", "1s")):
        engine = database.create_engine(url)
        with engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW lock_timeout").scalar_one() == limit
        engine.dispose()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["load other.yaml", "import words votes.csv"])
def test_a_locked_postgresql_is_refused_after_a_while_and_unchanged(
    hromada: Hromada, postgresql_url: str, command: str
) -> None:
    """The same on PostgreSQL, after as long as the address says."""
    env = {"HROMADA_DATABASE_URL": f"{postgresql_url}&options=-c%20lock_timeout%3D1s"}
    assert hromada("load", "project.yaml", env=env).code == 0
    engine = database.create_engine(postgresql_url)
    try:
        before = read_tables(engine)
        with lock_postgresql(engine):
            assert hromada("status", env=env).code == 0, "reading waits for no writer"
            ran = hromada(*command.split(), env=env)
        assert (ran.code, "The database is locked by another process. Wait, or end it." in ran.err) == (2, True), (
            ran.err
        )
        assert read_tables(engine) == before
        assert hromada(*command.split(), env=env).code == 0
        assert read_tables(engine) != before
    finally:
        engine.dispose()
