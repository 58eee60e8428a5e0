"""Backups: one file with the whole database, and a manifest beside it that says what is in it.

A backup is one view of a database that others go on writing to. Restoring happens in one transaction of the database:
whatever fails, nothing was changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from annotation import files
from annotation.errors import BadInput, Conflict, Where
from annotation.store import migrations, models
from annotation.store.backups import manifest, postgresql, sqlite
from annotation.store.backups.manifest import Manifest
from annotation.store.database import reader
from annotation.store.driver_errors import translated


@dataclass(frozen=True)
class _Kind:
    """How one kind of database is copied into a file, which gives what it held, and put back from it."""

    dump: Callable[[sa.Engine, Path], manifest.Contents]
    load: Callable[[sa.Engine, Path], None]


KINDS = {"sqlite": _Kind(sqlite.dump, sqlite.load), "postgresql": _Kind(postgresql.dump, postgresql.load)}


def make(engine: sa.Engine, *, to: Path, now: datetime, yes: bool = False) -> Manifest:
    """Write a backup and its manifest, both or neither, readable by their owner alone.

    Raises Conflict where there is such a file already and not `yes`, BadInput where there is nothing to back up.
    """
    if not yes and (files.there(to) or files.there(manifest.beside(to))):
        raise Conflict("There is such a file already.", where=Where(file=to), remedy="Name another, or add --yes.")
    _refuse_empty(engine)
    half = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        os.close(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        with translated(engine.url):
            contents = KINDS[engine.dialect.name].dump(engine, half)
        _keep(half)
        made = manifest.of(half, contents, kind=engine.dialect.name, now=now)
        manifest.beside(half).write_text(made.text, "utf-8")
        half.replace(to)
        manifest.beside(half).replace(manifest.beside(to))
    except OSError as failure:
        problem = f"The backup cannot be written: {failure.strerror}."
        raise BadInput(problem, where=Where(file=to), remedy="Name a folder that you may write to.") from None
    finally:
        half.unlink(missing_ok=True)
        manifest.beside(half).unlink(missing_ok=True)
    return made


def checked(engine: sa.Engine, *, file: Path) -> Manifest:
    """The manifest of a backup that can be restored here; raises BadInput where it cannot."""
    found = manifest.read(file)
    where = Where(file=file)
    if found.sha256 != manifest.digest(file):
        remedy = "Take another backup; this one was changed or cut short."
        raise BadInput("The file is not the one that its manifest describes.", where=where, remedy=remedy)
    if found.kind != engine.dialect.name:
        remedy = "Correct HROMADA_DATABASE_URL."
        raise BadInput(f"This is a backup of {found.kind}, not of {engine.dialect.name}.", where=where, remedy=remedy)
    if found.revision not in migrations.REVISIONS:
        raise BadInput("The backup was made by a newer hromada.", where=where, remedy="Upgrade hromada.")
    return found


def restore(engine: sa.Engine, *, file: Path, yes: bool = False) -> Manifest:
    """Put a backup in the place of what the database holds.

    Raises Conflict where it holds anything and not `yes`, BadInput for a backup that is not whole or not of this kind.
    """
    found = checked(engine, file=file)
    with translated(engine.url):
        if filled(engine) and not yes:
            raise Conflict(
                "The database is not empty, and restoring replaces all that is in it.",
                where=Where(field="HROMADA_DATABASE_URL"),
                remedy="Add --yes, or name an empty one.",
            )
        KINDS[engine.dialect.name].load(engine, file)
    return found


def filled(engine: sa.Engine) -> bool:
    """Whether the database holds anything that would be lost; raises BadInput where it is another program's."""
    if not _there(engine):
        return False
    with reader(engine).connect() as connection:
        migrations.refuse_strangers(connection)
        if migrations.current(connection) is None:
            return False
        told = (models.Journal, models.Project, models.Annotator)
        return any(
            connection.execute(sa.select(sa.literal(1)).select_from(one).limit(1)).first() is not None for one in told
        )


def _there(engine: sa.Engine) -> bool:
    """Whether there is a database; looking into one on SQLite would make it."""
    return engine.dialect.name != "sqlite" or files.there(Path(engine.url.database or ""))


def _refuse_empty(engine: sa.Engine) -> None:
    with translated(engine.url), reader(engine).connect() as connection:
        migrations.refuse_strangers(connection)
        if migrations.current(connection) is None:
            where, remedy = Where(field="HROMADA_DATABASE_URL"), "Is it the right one?"
            raise BadInput("There is nothing in the database.", where=where, remedy=remedy)


def _keep(file: Path) -> None:
    """Have the disk write it before it is called a backup."""
    with file.open("rb+") as written:
        os.fsync(written.fileno())
