"""Backups: one file with the whole database, and next to it a manifest that describes it.

A backup has the database as it was at one moment, while other processes go on writing to it. Restoring is one
transaction: if it fails, the database has not changed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation import input_files
from annotation.errors import BadInput, Conflict, HromadaError, SchemaMismatch, Where, explain_disk
from annotation.store import migrations, models, processes, pseudonyms
from annotation.store.backups import encryption, manifest, postgresql, sqlite
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
    """How one kind of database is written to a file, with and without a check, and read back."""

    dump: Callable[[sa.Engine, Path], manifest.DatabaseContents]
    copy: Callable[[sa.Engine, Path], None]
    load: Callable[[sa.Engine, Path, Callable[[sa.Connection], int]], int]


BACKUP_METHODS = {
    "sqlite": _BackupMethod(sqlite.dump_database, sqlite.copy_database, sqlite.load_database),
    "postgresql": _BackupMethod(postgresql.dump_database, postgresql.copy_database, postgresql.load_database),
}


def make_backup(
    engine: sa.Engine, *, to: Path, now: datetime, yes: bool = False, to_key: str | None = None
) -> BackupManifest:
    """Write a backup and its manifest, which only their owner can read, and make their folder if it is missing.

    With `to_key`, a public key of `age`, the backup is encrypted; what is not encrypted yet never gets into its folder.

    Both are written under temporary names and checked. Then the backup is renamed, and after it the manifest. A process
    killed between the two renames leaves a backup without a manifest, or with that of the backup it replaced, and
    `check_backup` refuses it.

    Raises Conflict if one of the files exists, unless `yes`. Raises BadInput if the database is empty or damaged, or if
    the files cannot be written or the key is not a public key of `age`, and Unavailable if `age` is not installed.
    """
    if not yes and (input_files.file_exists(to) or input_files.file_exists(manifest.get_manifest_path(to))):
        raise Conflict("The file already exists.", where=Where(file=to), remedy="Name another, or add --yes.")
    if to_key is not None:
        encryption.check_public_key(to_key)
    _refuse_empty(engine)
    temporary = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        _create_private_file(temporary)
        contents = _dump_database(engine, temporary, to_key=to_key)
        _sync_to_disk(temporary)
        built = manifest.build_manifest(temporary, contents, kind=engine.dialect.name, now=now, to_key=to_key)
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


def _dump_database(engine: sa.Engine, file: Path, *, to_key: str | None) -> manifest.DatabaseContents:
    with _make_plain_folder(engine) if to_key else nullcontext() as folder:
        plain = folder / file.name if folder else file
        _create_private_file(plain)
        with translate_errors(engine.url):
            contents = BACKUP_METHODS[engine.dialect.name].dump(engine, plain)
        if to_key:
            encryption.encrypt_file(plain, file, public_key=to_key)
    return contents


def _make_plain_folder(engine: sa.Engine) -> AbstractContextManager[Path]:
    """A private folder for what is not encrypted: beside an SQLite database, which is not encrypted either."""
    return encryption.make_private_folder(_get_database_folder(engine))


def _get_database_folder(engine: sa.Engine) -> Path | None:
    """The folder of an SQLite database, None on PostgreSQL."""
    return Path(engine.url.database or "").absolute().parent if engine.dialect.name == "sqlite" else None


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
    """The manifest of a backup that was restored, and how many annotators were erased again during this.

    `replaced` is the copy of the database as it was before, None if there was nothing in it or no copy was wanted;
    `newer_answers` is how many answers it had that are newer than the backup, None if it was too damaged to count.
    """

    manifest: BackupManifest
    erased: int
    replaced: Path | None = None
    newer_answers: int | None = 0


def restore_backup(
    engine: sa.Engine,
    *,
    file: Path,
    now: datetime,
    erase: Erase,
    yes: bool = False,
    keep: Path | None = None,
    identity: Path | None = None,
) -> RestoredBackup:
    """Replace the content of the database by a backup, and erase again the annotators who were erased since.

    Their marks come from the database that is replaced, and from all manifests in the backup's folder. If the backup
    has the current schema, these annotators are erased before anybody can read the restored database. If its schema is
    older, their data are back: only the marks are added, if the backup has the table for them. `hromada database
    upgrade` then erases the annotators that have a mark, and the bot does not start before it.

    `keep` is where a backup of what is replaced is written first; if that is damaged, it is copied without a manifest.
    `identity` is the file of the secret key of an encrypted backup.

    A database that a newer hromada has upgraded is replaced as well: that is the way back to this one. It counts as
    filled, and is copied without a manifest.

    Raises Conflict if the database has data, unless `yes`, or if a bot works on it. Raises BadInput for a damaged
    backup, and for one of another kind of database or of a newer hromada.
    """
    stored = check_backup(engine, file=file)
    marks = manifest.read_erasures(file.absolute().parent)
    with (
        encryption.open_plain(file, identity=identity, near=_get_database_folder(engine)) as plain,
        translate_errors(engine.url),
    ):
        is_filled = _is_filled(engine)
        if is_filled and not yes:
            raise Conflict(
                "The database is not empty, and restoring replaces everything in it.",
                where=Where(field="HROMADA_DATABASE_URL"),
                remedy="Add --yes, or name an empty one.",
            )
        newer: int | None = 0
        if _database_exists(engine):
            with make_read_engine(engine).connect() as connection:
                processes.refuse_running_bot(connection, now=now)
                marks = pseudonyms.merge_marks(marks, pseudonyms.list_marks(connection))
            newer = _count_newer_answers(engine, stored) if is_filled else 0
        replaced = keep if keep is not None and is_filled else None
        if replaced is not None:
            _keep_replaced(engine, to=replaced, now=now)
        prepare = partial(_erase_marked, marks=marks, erase=erase)
        erased = BACKUP_METHODS[engine.dialect.name].load(engine, plain, prepare)
    return RestoredBackup(manifest=stored, erased=erased, replaced=replaced, newer_answers=newer)


def _is_filled(engine: sa.Engine) -> bool:
    """Whether restoring would replace anything; raises BadInput if it is the database of another program."""
    try:
        return has_data(engine)
    except SchemaMismatch:
        with make_read_engine(engine).connect() as connection:
            if models.Annotator.__tablename__ not in sa.inspect(connection).get_table_names():
                raise
        return True


def _count_newer_answers(engine: sa.Engine, stored: BackupManifest) -> int | None:
    """How many answers in the database were saved after the last one of the backup; None if they cannot be read."""
    query = sa.select(sa.func.count()).select_from(models.Judgement)
    since = stored.last_answer or (stored.made_at if stored.rows.get("judgement") else None)
    if since is not None:
        query = query.where(col(models.Judgement.answered_at) > datetime.fromisoformat(since))
    try:
        with translate_errors(engine.url), make_read_engine(engine).connect() as connection:
            return int(connection.execute(query).scalar_one())
    except BadInput:
        return None


def _keep_replaced(engine: sa.Engine, *, to: Path, now: datetime) -> None:
    """Write a backup of the database that is about to be replaced, or a bare copy if it is damaged."""
    try:
        _create_private_file(to)
        try:
            make_backup(engine, to=to, now=now, yes=True)
        except BadInput:
            BACKUP_METHODS[engine.dialect.name].copy(engine, to)
    except (OSError, HromadaError, sa.exc.DBAPIError, sqlite3.Error) as failure:
        with suppress(OSError):
            to.unlink()
        if not isinstance(failure, OSError):
            raise
        problem = f"What is replaced cannot be copied: {failure.strerror}."
        remedy = "Make room, or add --no-copy to replace it without a copy."
        raise BadInput(problem, where=Where(file=to), remedy=remedy) from None


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
