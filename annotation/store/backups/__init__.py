"""Backups: one file with the whole database, and next to it a manifest that describes it.

A backup has the database as it was at one moment, while other processes go on writing to it. Restoring is one
transaction: if it fails, the database has not changed.
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
"""Marks of erased annotators, as `pseudonyms.list_marks` returns them."""
Erase = Callable[[Session], int]
"""Erases the annotators that have a mark, and returns their number.

It is a use-case of `annotation/workflow`, which the store may not import, so callers pass it in.
"""


@dataclass(frozen=True)
class _BackupMethod:
    """How one kind of database is written to a file and read back."""

    dump: Callable[[sa.Engine, Path], manifest.DatabaseContents]
    load: Callable[[sa.Engine, Path, Callable[[sa.Connection], int]], int]


BACKUP_METHODS = {
    "sqlite": _BackupMethod(sqlite.dump_database, sqlite.load_database),
    "postgresql": _BackupMethod(postgresql.dump_database, postgresql.load_database),
}


def make_backup(engine: sa.Engine, *, to: Path, now: datetime, yes: bool = False) -> BackupManifest:
    """Write a backup and its manifest, which only their owner can read, and make their folder if it is missing.

    Both are written under temporary names and checked. Then the backup is renamed, and after it the manifest. A process
    killed between the two renames leaves a backup without a manifest, or with that of the backup it replaced, and
    `check_backup` refuses it.

    Raises Conflict if one of the files exists, unless `yes`. Raises BadInput if the database is empty or damaged, or if
    the files cannot be written.
    """
    if not yes and (input_files.file_exists(to) or input_files.file_exists(manifest.get_manifest_path(to))):
        raise Conflict("The file already exists.", where=Where(file=to), remedy="Name another, or add --yes.")
    _refuse_empty(engine)
    temporary = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        _create_private_file(temporary)
        with translate_errors(engine.url):
            contents = BACKUP_METHODS[engine.dialect.name].dump(engine, temporary)
        _sync_to_disk(temporary)
        built = manifest.build_manifest(temporary, contents, kind=engine.dialect.name, now=now)
        _create_private_file(manifest.get_manifest_path(temporary))
        manifest.get_manifest_path(temporary).write_text(built.text, "utf-8")
        temporary.replace(to)
        manifest.get_manifest_path(temporary).replace(manifest.get_manifest_path(to))
    except OSError as failure:
        problem, where = f"The backup cannot be written: {failure.strerror}.", Where(file=to)
        refusal = BadInput(problem, where=where, remedy="Name a folder that you can write to.")
        raise (explain_disk(failure, where=where) or refusal) from None
    finally:
        with suppress(NotADirectoryError):  # the folder is a file, so nothing was written
            temporary.unlink(missing_ok=True)
            manifest.get_manifest_path(temporary).unlink(missing_ok=True)
    return built


def check_backup(engine: sa.Engine, *, file: Path) -> BackupManifest:
    """Return the manifest of a backup that can be restored into this kind of database; else raise BadInput."""
    stored = manifest.read_manifest(file)
    where = Where(file=file)
    if stored.sha256 != manifest.hash_file(file):
        remedy = "Use a different backup file; this one was changed or cut short."
        raise BadInput("The file is not the one that its manifest describes.", where=where, remedy=remedy)
    if stored.kind != engine.dialect.name:
        remedy = "Correct HROMADA_DATABASE_URL."
        raise BadInput(f"This is a backup of {stored.kind}, not of {engine.dialect.name}.", where=where, remedy=remedy)
    if stored.revision not in migrations.REVISIONS:
        raise BadInput("The backup was made by a newer hromada.", where=where, remedy="Upgrade hromada.")
    return stored


@dataclass(frozen=True, kw_only=True)
class RestoredBackup:
    """The manifest of a backup that was restored, and how many annotators were erased again during this."""

    manifest: BackupManifest
    erased: int


def restore_backup(engine: sa.Engine, *, file: Path, now: datetime, erase: Erase, yes: bool = False) -> RestoredBackup:
    """Replace the content of the database by a backup, and erase again the annotators who were erased since.

    Their marks come from the database that is replaced, and from all manifests in the backup's folder. If the backup
    has the current schema, these annotators are erased before anybody can read the restored database. If its schema is
    older, their data are back: only the marks are added, if the backup has the table for them. `hromada database
    upgrade` then erases the annotators that have a mark, and the bot does not start before it.

    Raises Conflict if the database has data, unless `yes`, or if a bot works on it. Raises BadInput for a damaged
    backup, and for one of another kind of database or of a newer hromada.
    """
    restored = check_backup(engine, file=file)
    marks = manifest.read_erasures(file.absolute().parent)
    with translate_errors(engine.url):
        if has_data(engine) and not yes:
            raise Conflict(
                "The database is not empty, and restoring replaces everything in it.",
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
    """Add the marks to the restored tables and erase the annotators that have one; return their number.

    Erases nobody, and returns 0, if the schema is older than this hromada: its tables may lack columns.
    """
    pseudonyms.add_marks(connection, marks)
    if migrations.get_revision(connection) != migrations.HEAD:
        return 0
    with Session(connection, expire_on_commit=False) as session:
        erased = erase(session)
        session.commit()  # ends only this session: the transaction of the connection goes on
    return erased


def has_data(engine: sa.Engine) -> bool:
    """Whether the database has a journal entry, a project or an annotator; other tables are not looked at.

    Raises BadInput if it is the database of another program.
    """
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
    """Whether the SQLite file exists, which connecting would create; always true on PostgreSQL."""
    return engine.dialect.name != "sqlite" or input_files.file_exists(Path(engine.url.database or ""))


def _refuse_empty(engine: sa.Engine) -> None:
    with translate_errors(engine.url), make_read_engine(engine).connect() as connection:
        migrations.refuse_foreign_database(connection)
        if migrations.get_revision(connection) is None:
            where, remedy = (
                Where(field="HROMADA_DATABASE_URL"),
                "Correct it, if this is not the right database.",
            )
            raise BadInput("There is nothing in the database.", where=where, remedy=remedy)


def _create_private_file(file: Path) -> None:
    """Create an empty file that only its owner can read, or empty the one that exists."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))


def _sync_to_disk(file: Path) -> None:
    """Wait until the whole file is on the disk, before it takes the name of a backup."""
    with file.open("rb+") as written:
        os.fsync(written.fileno())
