"""The machine where a process runs: room on the disk of the database, and the newest backup that it can see."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import HromadaError
from annotation.settings import FileSettings
from annotation.store import judgements, queries
from annotation.store.backups import manifest

MIN_FREE_BYTES = 200 * 1024**2
"""Bytes that a disk must have free, in addition to room for a copy of the database."""
MAX_BACKUP_AGE = timedelta(days=2)
"""How old the newest backup may be if people have answered since."""


@dataclass(frozen=True, kw_only=True)
class MachineFacts:
    """What a process sees of its machine.

    `free` and `needed` are the bytes that the disk of the database has and should have free. `backup` is the file of
    the newest backup, made at `backup_at`; both are None if there is no backup in the folders of `read_machine_facts`.
    """

    free: int
    needed: int
    backup: Path | None = None
    backup_at: datetime | None = None

    @property
    def is_disk_full(self) -> bool:
        """Whether the disk has less room than it should have."""
        return self.free < self.needed

    def is_backup_due(self, session: Session, *, now: datetime) -> bool:
        """Whether people have answered since the newest backup, and that is too old or missing.

        Without any backup, only answers by Telegram count: a database of imported votes can be made again.
        """
        _, last = judgements.find_last_answer(session)
        if self.backup_at is None:
            return last is not None and queries.has_telegram_people(session)
        return last is not None and last > self.backup_at and now - self.backup_at > MAX_BACKUP_AGE


def read_machine_facts(settings: FileSettings) -> MachineFacts:
    """Look at the disk of the database, and for backups in the folders where commands write them.

    These are this folder, that of an SQLite database, `backups` in either, and the backup folder of the settings. The
    disk of another database is not seen: that of this folder is taken.
    """
    file = find_database_file(settings)
    folder = Path() if file is None else file.parent
    newest = _find_newest_backup(settings, file)
    return MachineFacts(
        free=shutil.disk_usage(folder if folder.is_dir() else Path()).free,
        needed=MIN_FREE_BYTES + (file.stat().st_size if file is not None and file.is_file() else 0),
        backup=None if newest is None else newest[0],
        backup_at=None if newest is None else newest[1],
    )


def find_database_file(settings: FileSettings) -> Path | None:
    """The file of an SQLite database, None for other databases and addresses that cannot be used."""
    try:
        url = sa.make_url(settings.database_url)
    except sa.exc.ArgumentError:
        return None
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _find_newest_backup(settings: FileSettings, database_file: Path | None) -> tuple[Path, datetime] | None:
    """The newest backup with a manifest, and when it was made."""
    folders = {Path(), *([database_file.parent] if database_file is not None else [])}
    places = {settings.backup_folder, *folders, *(folder / "backups" for folder in folders)}
    files = {file.with_suffix("") for place in places for file in place.glob("*.json")}
    found = []
    for file in sorted(files):
        try:
            if file.is_file():
                found.append((file, datetime.fromisoformat(manifest.read_manifest(file).made_at)))
        except (HromadaError, OSError, ValueError):
            continue
    return max(found, key=lambda backup: backup[1], default=None)
