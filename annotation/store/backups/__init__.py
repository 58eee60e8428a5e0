"""Backups: one file with the whole database, and beside it a manifest that describes it.

A backup is one moment of a database that others go on writing to. Restoring is one transaction of the database: where
it fails, nothing has changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from annotation import input_files
from annotation.errors import BadInput, Conflict, Where, explain_disk
from annotation.store import migrations, models, processes, pseudonyms
from annotation.store.backups import manifest, postgresql, sqlite
from annotation.store.backups.manifest import BackupManifest
from annotation.store.database import make_read_engine, translate_errors

ErasureMarks = Mapping[str, Mapping[str, Any]]
"""Marks of erased annotators, as `erasure_marks.list_marks` returns them."""
Erase = Callable[[Session], int]
"""Erases whom the marks name and returns their number: a use-case, which the store does not know."""


@dataclass(frozen=True)
class _BackupMethod:
    """How one kind of database is written to a file, and read back from it."""

    dump: Callable[[sa.Engine, Path], manifest.DatabaseContents]
    load: Callable[[sa.Engine, Path, Callable[[sa.Connection], int]], int]


BACKUP_METHODS = {
    "sqlite": _BackupMethod(sqlite.dump_database, sqlite.load_database),
    "postgresql": _BackupMethod(postgresql.dump_database, postgresql.load_database),
}


def make_backup(engine: sa.Engine, *, to: Path, now: datetime, yes: bool = False) -> BackupManifest:
    """Write a backup and its manifest, both or neither, readable by their owner only; makes their folder.

    The backup is checked before it takes its name and the place of an earlier one. Raises Conflict where such a file
    exists and not `yes`, BadInput where there is nothing to back up or the database is damaged.
    """
    if not yes and (input_files.file_exists(to) or input_files.file_exists(manifest.get_manifest_path(to))):
        raise Conflict("There is such a file already.", where=Where(file=to), remedy="Name another, or add --yes.")
    _refuse_empty(engine)
    partial = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        _create_private_file(partial)
        with translate_errors(engine.url):
            contents = BACKUP_METHODS[engine.dialect.name].dump(engine, partial)
        _sync_to_disk(partial)
        built = manifest.build_manifest(partial, contents, kind=engine.dialect.name, now=now)
        _create_private_file(manifest.get_manifest_path(partial))
        manifest.get_manifest_path(partial).write_text(built.text, "utf-8")
        partial.replace(to)
        manifest.get_manifest_path(partial).replace(manifest.get_manifest_path(to))
    except OSError as failure:
        problem, where = f"The backup cannot be written: {failure.strerror}.", Where(file=to)
        refusal = BadInput(problem, where=where, remedy="Name a folder that you may write to.")
        raise (explain_disk(failure, where=where) or refusal) from None
    finally:
        with suppress(NotADirectoryError):  # nothing was written then
            partial.unlink(missing_ok=True)
            manifest.get_manifest_path(partial).unlink(missing_ok=True)
    return built


def check_backup(engine: sa.Engine, *, file: Path) -> BackupManifest:
    """The manifest of a backup that can be restored here; raises BadInput where it cannot."""
    stored = manifest.read_manifest(file)
    where = Where(file=file)
    if stored.sha256 != manifest.hash_file(file):
        remedy = "Take another backup; this one was changed or cut short."
        raise BadInput("The file is not the one that its manifest describes.", where=where, remedy=remedy)
    if stored.kind != engine.dialect.name:
        remedy = "Correct HROMADA_DATABASE_URL."
        raise BadInput(f"This is a backup of {stored.kind}, not of {engine.dialect.name}.", where=where, remedy=remedy)
    if stored.revision not in migrations.REVISIONS:
        raise BadInput("The backup was made by a newer hromada.", where=where, remedy="Upgrade hromada.")
    return stored


@dataclass(frozen=True, kw_only=True)
class RestoredBackup:
    """The manifest of a backup that was restored, and how many annotators were erased again in it."""

    manifest: BackupManifest
    erased: int


def restore_backup(engine: sa.Engine, *, file: Path, now: datetime, erase: Erase, yes: bool = False) -> RestoredBackup:
    """Replace the content of the database by a backup in which all annotators erased since are erased again.

    Their marks are those of the database that is replaced, and of all manifests in the backup's folder. Marks and
    erasures are in the copy before it takes the place of the database, in one transaction: no moment has the erased
    back. The rows of an older schema can only be erased once it is up to date. Raises Conflict where the database holds
    anything and not `yes`, or while a bot works on it, BadInput for a damaged backup or one of another kind.
    """
    restored = check_backup(engine, file=file)
    marks = manifest.read_erasures(file.absolute().parent)
    with translate_errors(engine.url):
        if has_data(engine) and not yes:
            raise Conflict(
                "The database is not empty, and restoring replaces all that is in it.",
                where=Where(field="HROMADA_DATABASE_URL"),
                remedy="Add --yes, or name an empty one.",
            )
        if _database_exists(engine):
            with make_read_engine(engine).connect() as connection:
                processes.refuse_running_bot(connection, now=now)
                marks = pseudonyms.merge_marks(marks, pseudonyms.list_marks(connection))
        prepare = partial(_erase_marked, marks=marks, erase=erase)
        erased = BACKUP_METHODS[engine.dialect.name].load(engine, file, prepare)
    return RestoredBackup(manifest=restored, erased=erased)


def _erase_marked(connection: sa.Connection, *, marks: ErasureMarks, erase: Erase) -> int:
    """Add the marks to a copy and erase the annotators whom they name; their number, 0 for an older schema."""
    pseudonyms.add_marks(connection, marks)
    if migrations.get_revision(connection) != migrations.HEAD:
        return 0
    with Session(connection, expire_on_commit=False) as session:
        erased = erase(session)
        session.commit()  # of this session alone: the transaction of the connection goes on
    return erased


def has_data(engine: sa.Engine) -> bool:
    """Whether the database holds anything that would be lost; raises BadInput where it is another program's."""
    if not _database_exists(engine):
        return False
    with make_read_engine(engine).connect() as connection:
        migrations.refuse_foreign_database(connection)
        if migrations.get_revision(connection) is None:
            return False
        tables = (models.Journal, models.Project, models.Annotator)
        return any(
            connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first() is not None
            for table in tables
        )


def _database_exists(engine: sa.Engine) -> bool:
    """Whether there is a database; connecting to a missing SQLite file would create it."""
    return engine.dialect.name != "sqlite" or input_files.file_exists(Path(engine.url.database or ""))


def _refuse_empty(engine: sa.Engine) -> None:
    with translate_errors(engine.url), make_read_engine(engine).connect() as connection:
        migrations.refuse_foreign_database(connection)
        if migrations.get_revision(connection) is None:
            where, remedy = Where(field="HROMADA_DATABASE_URL"), "Is it the right one?"
            raise BadInput("There is nothing in the database.", where=where, remedy=remedy)


def _create_private_file(file: Path) -> None:
    """Create an empty file that only its owner may read."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))


def _sync_to_disk(file: Path) -> None:
    """Have the disk write the file before it is called a backup."""
    with file.open("rb+") as written:
        os.fsync(written.fileno())
