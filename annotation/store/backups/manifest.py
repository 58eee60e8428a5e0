"""The manifest of a backup: what it holds and which key belongs to it; that of `x` is the file `x.json`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter, ValidationError

from annotation import input_files
from annotation.errors import BadInput, Where
from annotation.store import migrations, models, pseudonyms
from annotation.vocabulary import Event

BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class DatabaseContents:
    """What a database held at one moment: its revision, its numbers of rows by table, the fingerprint of its key, and
    the marks of annotators who were erased until then (`store/pseudonyms.py`), and when the last answer was saved.
    """

    revision: str
    rows: Mapping[str, int]
    key: str | None
    erased: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    last_answer: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class BackupManifest:
    """The manifest: `kind` is the kind of database, `key` the fingerprint of the key of pseudonyms, never the key.

    `sha256` and `size` are those of the file as it is stored; `to_key` is the public key that it was encrypted to.
    """

    kind: str
    hromada: str
    made_at: str
    sha256: str
    size: int
    revision: str
    rows: dict[str, int]
    key: str | None
    erased: dict[str, dict[str, Any]] = field(default_factory=dict)
    last_answer: str | None = None
    to_key: str | None = None

    @property
    def text(self) -> str:
        """The manifest as it is written."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"


def get_manifest_path(file: Path) -> Path:
    """The path of the manifest of a backup."""
    return file.with_name(f"{file.name}.json")


def read_contents(connection: sa.Connection) -> DatabaseContents:
    """What the database holds, in the connection's transaction; its schema may be of an older hromada."""
    existing = set(sa.inspect(connection).get_table_names())
    rows = {
        table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        for table in sorted(models.metadata.tables.values(), key=lambda table: table.name)
        if table.name in existing
    }
    return DatabaseContents(
        revision=migrations.get_revision(connection) or "",
        rows=rows,
        key=read_key(connection),
        erased=pseudonyms.list_marks(connection),
        last_answer=connection.execute(sa.select(sa.func.max(models.Judgement.answered_at))).scalar_one(),
    )


def read_key(connection: sa.Connection) -> str | None:
    """The fingerprint of the key of the database's pseudonyms, None while there is no key."""
    key_made = sa.select(models.Journal.data).where(models.Journal.event == Event.KEY_MADE.value).limit(1)  # type: ignore[call-overload]
    key = connection.execute(key_made).scalar_one_or_none()
    return key and str(key["fingerprint"])


def build_manifest(
    file: Path, contents: DatabaseContents, *, kind: str, now: datetime, to_key: str | None = None
) -> BackupManifest:
    """The manifest of a backup that was just written."""
    return BackupManifest(
        kind=kind,
        hromada=metadata.version("hromada"),
        made_at=now.isoformat(timespec="seconds"),
        sha256=hash_file(file),
        size=file.stat().st_size,
        revision=contents.revision,
        rows=dict(contents.rows),
        key=contents.key,
        erased={mark: dict(values) for mark, values in contents.erased.items()},
        last_answer=None if contents.last_answer is None else contents.last_answer.isoformat(),
        to_key=to_key,
    )


def read_manifest(file: Path) -> BackupManifest:
    """The manifest of a backup; raises BadInput where backup or manifest is missing or invalid."""
    input_files.require_file(file, of_campaign=False)
    manifest_file = get_manifest_path(file)
    text = input_files.read_text(manifest_file, of_campaign=False)
    try:
        return TypeAdapter(BackupManifest).validate_json(text)
    except ValidationError:
        remedy = "Take another backup; a backup and its manifest belong together."
        raise BadInput(
            "This is not the manifest of a backup.", where=Where(file=manifest_file), remedy=remedy
        ) from None


def read_erasures(folder: Path) -> dict[str, Mapping[str, Any]]:
    """The marks of erased annotators in all manifests of a folder; what is no manifest is passed over."""
    marks: dict[str, Mapping[str, Any]] = {}
    for file in sorted(folder.glob("*.json")):
        try:
            manifest = TypeAdapter(BackupManifest).validate_json(file.read_bytes())
        except (OSError, ValidationError):
            continue
        marks = pseudonyms.merge_marks(marks, manifest.erased)
    return marks


def hash_file(file: Path) -> str:
    """The sha256 of a file that may be larger than memory."""
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while block := source.read(BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
