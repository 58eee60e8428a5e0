"""What a backup's manifest says: which form, how much of what, which key; beside `x` it lies as `x.json`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path

import sqlalchemy as sa
from pydantic import TypeAdapter, ValidationError

from annotation import files
from annotation.errors import BadInput, Where
from annotation.store import migrations, models
from annotation.vocabulary import Event

BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a database held at one moment: its revision, its rows by table, the fingerprint of its key."""

    revision: str
    rows: Mapping[str, int]
    key: str | None


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """`kind` is the database's, `key` the fingerprint of the pseudonyms' key, never the key."""

    kind: str
    hromada: str
    made_at: str
    sha256: str
    size: int
    revision: str
    rows: dict[str, int]
    key: str | None

    @property
    def text(self) -> str:
        """The manifest as it is written."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"


def beside(file: Path) -> Path:
    """Where the manifest of a backup lies."""
    return file.with_name(f"{file.name}.json")


def contents(connection: sa.Connection) -> Contents:
    """What the database holds, in the transaction of the connection; its schema may be older than this hromada's."""
    there = set(sa.inspect(connection).get_table_names())
    rows = {
        table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        for table in sorted(models.metadata.tables.values(), key=lambda table: table.name)
        if table.name in there
    }
    made = sa.select(models.Journal.data).where(models.Journal.event == Event.KEY_MADE.value).limit(1)  # type: ignore[call-overload]
    key = connection.execute(made).scalar_one_or_none()
    return Contents(revision=migrations.current(connection) or "", rows=rows, key=key and key["fingerprint"])


def of(file: Path, found: Contents, *, kind: str, now: datetime) -> Manifest:
    """The manifest of a backup that was just written."""
    return Manifest(
        kind=kind,
        hromada=metadata.version("hromada"),
        made_at=now.isoformat(timespec="seconds"),
        sha256=digest(file),
        size=file.stat().st_size,
        revision=found.revision,
        rows=dict(found.rows),
        key=found.key,
    )


def read(file: Path) -> Manifest:
    """The manifest beside a backup; raises BadInput where either is missing or is none."""
    files.need_file(file)
    told = beside(file)
    text = files.read_text(told)
    try:
        return TypeAdapter(Manifest).validate_json(text)
    except ValidationError:
        remedy = "Take another backup; a backup and its manifest belong together."
        raise BadInput("This is not the manifest of a backup.", where=Where(file=told), remedy=remedy) from None


def digest(file: Path) -> str:
    """sha256 of a file that may be larger than memory."""
    found = hashlib.sha256()
    with file.open("rb") as source:
        while block := source.read(BLOCK):
            found.update(block)
    return found.hexdigest()
