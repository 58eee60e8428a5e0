"""Commands open the database through here, and name projects as people do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from annotation.errors import BadInput, Where
from annotation.settings import Settings, settings
from annotation.store import database


@contextmanager
def opened(*, create: bool = False) -> Iterator[database.Database]:
    """The database of the settings; without `create` one that is not there is an error."""
    now = _kept()
    with database.opened(
        now.database_url, synchronous=now.sqlite_synchronous, create=create, pool=now.database_pool
    ) as found:
        yield found


@contextmanager
def connected(*, create: bool = False) -> Iterator[sa.Engine]:
    """The same as it is: its schema may be an older one, and stays so."""
    now = _kept()
    with database.connected(
        now.database_url, synchronous=now.sqlite_synchronous, create=create, pool=now.database_pool
    ) as found:
        yield found


def _kept() -> Settings:
    """The settings, once they name a database that outlives the command."""
    now = settings()
    if now.database_url in {"sqlite://", "sqlite:///:memory:"}:
        raise BadInput(
            "A database in memory forgets everything when the command ends.",
            where=Where(field="HROMADA_DATABASE_URL"),
            remedy="Name a file, like sqlite:///hromada.db.",
        )
    return now


def now() -> datetime:
    """The time, read at the edge and passed in."""
    return datetime.now(UTC)


def project_name(written: str) -> str:
    """A project as a command was given it: its name, or the path of its file."""
    if written.endswith((".yaml", ".yml")):
        from annotation.campaigns import project

        return project.read(Path(written)).name
    return written
