"""The database of the settings, the projects in it, and the time, for all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import BadInput, Where
from annotation.settings import Settings, read_settings
from annotation.store import database, processes, queries
from annotation.store.models import Project


@contextmanager
def open_database(
    *, create: bool = False, answer_seconds: float = database.ANSWER_SECONDS
) -> Iterator[database.Database]:
    """Open the database of the settings; raises NotFound for one that is not there, unless `create`."""
    settings = _get_lasting_settings()
    with database.open_database(
        settings.database_url,
        synchronous=settings.sqlite_synchronous,
        create=create,
        pool=settings.database_pool,
        answer_seconds=answer_seconds,
    ) as opened:
        yield opened


@contextmanager
def open_engine(*, create: bool = False) -> Iterator[sa.Engine]:
    """Open an engine for the same database without a look at its schema, which may be an older one."""
    settings = _get_lasting_settings()
    with database.open_engine(
        settings.database_url, synchronous=settings.sqlite_synchronous, create=create, pool=settings.database_pool
    ) as opened:
        yield opened


def _get_lasting_settings() -> Settings:
    """The settings; raises BadInput for a database in memory, which ends with the command."""
    settings = read_settings()
    if settings.database_url in {"sqlite://", "sqlite:///:memory:"}:
        raise BadInput(
            "A database in memory forgets everything when the command ends.",
            where=Where(field="HROMADA_DATABASE_URL"),
            remedy="Name a file, like sqlite:///hromada.db.",
        )
    return settings


def get_shared_time(engine: sa.Engine) -> datetime:
    """The time on which all processes agree: that of PostgreSQL's server, on SQLite that of the machine."""
    if engine.dialect.name == "sqlite":
        return processes.get_machine_time()
    with database.translate_errors(engine.url), Session(database.make_read_engine(engine)) as view:
        return processes.get_database_time(view)


def get_time(session: Session) -> datetime:
    """The time by which the bot goes, too: that of PostgreSQL's server, on SQLite that of the machine."""
    return processes.get_database_time(session)


def make_clock(opened: database.Database) -> Callable[[], datetime]:
    """A clock of the same time, for commands that take long; it asks the database each time."""
    return partial(_read_time, opened)


def _read_time(opened: database.Database) -> datetime:
    with opened.reading() as view:
        return get_time(view)


def get_project(session: Session, written: str) -> Project:
    """The project of this name, or of this project file; raises NotFound for one that is not loaded."""
    return queries.get_project(session, resolve_project_name(written))


def list_projects(session: Session, written: str) -> list[Project]:
    """The project of this name or file, or all projects of this programme; raises NotFound for one not loaded."""
    return queries.list_named_projects(session, resolve_name(written))


def resolve_name(written: str) -> str:
    """The name of a project or a programme, where its name or the path of its file was given."""
    if written.endswith((".yaml", ".yml")):
        from annotation.campaigns import programme_file

        path = Path(written)
        if programme_file.is_programme(path):
            return programme_file.read_programme(path, allow_outside=True).definition.programme
    return resolve_project_name(written)


def resolve_project_name(written: str) -> str:
    """The project's name, where its name or the path of its file was given."""
    if written.endswith((".yaml", ".yml")):
        from annotation.campaigns import project_file

        # only the name is read: whether its files may lie outside was decided when it was loaded
        return project_file.read_project(Path(written), allow_outside=True).name
    return written
