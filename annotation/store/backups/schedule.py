"""Backups made again and again in one folder: when the next is due, and which old ones are deleted.

A file is touched only if it is surely a backup of this database that we made: by its name, its manifest, the kind of
database and the key of the pseudonyms. Everything else in the folder stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from annotation.errors import HromadaError
from annotation.store.backups import manifest
from annotation.store.backups.manifest import BackupManifest
from annotation.store.database import make_read_engine, translate_errors

EARLY = 0.9
"""For a timer a backup is due after this part of the interval: one that fires a little early must not skip a day."""
TIME_FORMAT = "%Y%m%dT%H%M%SZ"
_ENDING = r"-\d{8}T\d{6}Z\.backup(\.age)?"


@dataclass(frozen=True)
class StoredBackup:
    """A backup in a folder and what its manifest says; the file may have changed since."""

    file: Path
    manifest: BackupManifest

    @property
    def made_at(self) -> datetime:
        """When it was made."""
        return datetime.fromisoformat(self.manifest.made_at)

    @property
    def is_whole(self) -> bool:
        """Whether the file is the one that was written; reads all of it."""
        try:
            return manifest.hash_file(self.file) == self.manifest.sha256
        except OSError:
            return False


@dataclass(frozen=True, kw_only=True)
class Rotation:
    """What a rotation deleted, and which backups it found damaged and left."""

    deleted: Sequence[Path]
    damaged: Sequence[Path]


def list_backups(folder: Path) -> list[StoredBackup]:
    """All backups in a folder, of any name and database, that have a manifest and its size; the newest first."""
    found = []
    for manifest_file in folder.glob("[!.]*.json"):
        file = manifest_file.with_suffix("")
        try:
            backup = StoredBackup(file, manifest.read_manifest(file))
            if file.stat().st_size == backup.manifest.size:
                found.append((backup.made_at, file.name, backup))
        except (HromadaError, OSError, ValueError):
            continue  # no backup, or one that another process deletes
    return [backup for *_, backup in sorted(found, key=lambda entry: entry[:2], reverse=True)]


def list_own_backups(engine: sa.Engine, folder: Path) -> list[StoredBackup]:
    """The backups in a folder that `name_backup` named for this database; the newest first."""
    with translate_errors(engine.url), make_read_engine(engine).connect() as connection:
        key = manifest.read_key(connection)
    name = re.compile(re.escape(_get_stem(engine)) + _ENDING)
    return [
        backup
        for backup in list_backups(folder)
        if name.fullmatch(backup.file.name)
        and backup.manifest.kind == engine.dialect.name
        and backup.manifest.key in {None, key}
    ]


def name_backup(engine: sa.Engine, *, now: datetime, encrypted: bool) -> str:
    """The file name of a backup that is made now: that of the database, and the time in UTC."""
    return f"{_get_stem(engine)}-{now.strftime(TIME_FORMAT)}.backup" + (".age" if encrypted else "")


def find_due_time(backups: Sequence[StoredBackup], *, every: timedelta, now: datetime, early: float) -> datetime:
    """When the next backup is due: `now` if there is none, or if the newest is older than this part of the interval.

    Backups from the future, made while the clock was wrong, do not count.
    """
    newest = max((backup.made_at for backup in backups if backup.made_at <= now), default=None)
    return now if newest is None or now - newest >= every * early else newest + every


def delete_old_backups(backups: Sequence[StoredBackup], *, keep: int, new: Path, now: datetime) -> Rotation:
    """Keep the newest backups that are whole, `keep` of them, and delete those that are older than all of these.

    `new` was just made and checked; it is always kept. A damaged file does not count as one that is kept, so the last
    whole backup is never deleted. Backups from the future are taken for the oldest: that clock was wrong.
    """
    ordered = sorted(backups, key=lambda backup: (backup.file == new, backup.made_at <= now, backup.made_at))
    whole, damaged, deleted = 0, [], []
    for backup in reversed(ordered):
        if whole == keep:
            # the file first: it holds what people said, a manifest left behind does not
            backup.file.unlink(missing_ok=True)
            manifest.get_manifest_path(backup.file).unlink(missing_ok=True)
            deleted.append(backup.file)
        elif backup.file == new or backup.is_whole:
            whole += 1
        else:
            damaged.append(backup.file)
    return Rotation(deleted=deleted, damaged=damaged)


def _get_stem(engine: sa.Engine) -> str:
    """The name of the database without folder and ending."""
    name = engine.url.database or "hromada"
    return Path(name).stem if engine.dialect.name == "sqlite" else re.sub(r"[^\w-]", "_", name)
