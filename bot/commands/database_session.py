"""What commands share: they open the database that the settings name, find projects in it, and read its time."""

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
    """Open the database that the settings name. `create` makes a missing SQLite file, and the tables if it is empty.

    `answer_seconds` is how long PostgreSQL has to answer a statement. Raises BadInput for a database in memory,
    NotFound for an SQLite file that does not exist, unless `create`, and the other errors of `database.open_database`.
    """
    settings = _read_lasting_settings()
    with database.open_database(
        settings.database_url,
        synchronous=settings.sqlite_synchronous,
        create=create,
        pool=settings.database_pool,
        answer_seconds=answer_seconds,
        time_zone=settings.time_zone,
    ) as opened:
        yield opened


@contextmanager
def open_engine(*, create: bool = False) -> Iterator[sa.Engine]:
    """Open the same database without a check of its schema, for commands that also work on an older one.

    Raises NotFound if the SQLite file does not exist, unless `create`, and BadInput for a database in memory.
    """
    settings = _read_lasting_settings()
    with database.open_engine(
        settings.database_url, synchronous=settings.sqlite_synchronous, create=create, pool=settings.database_pool
    ) as opened:
        yield opened


def _read_lasting_settings() -> Settings:
    """Read the settings; raise BadInput if their database is one in memory, which ends with the command.

    Only the two usual addresses of such a database are recognised.
    """
    settings = read_settings()
    if settings.database_url in {"sqlite://", "sqlite:///:memory:"}:
        raise BadInput(
            "A database in memory is lost when the command ends.",
            where=Where(field="HROMADA_DATABASE_URL"),
            remedy="Name a file, like sqlite:///hromada.db.",
        )
    return settings


def get_shared_time(engine: sa.Engine) -> datetime:
    """Return the time that all processes share: that of the PostgreSQL server, or of this machine for SQLite.

    Reads no table, so it works on an empty database and on an older schema.
    """
    if engine.dialect.name == "sqlite":
        return processes.get_machine_time()
    with database.translate_errors(engine.url), Session(database.make_read_engine(engine)) as view:
        return processes.get_database_time(view)


def get_time(session: Session) -> datetime:
    """Return the time that the bot also uses: that of the PostgreSQL server, or of this machine for SQLite."""
    return processes.get_database_time(session)


def make_clock(opened: database.Database) -> Callable[[], datetime]:
    """Return a function that reads the time of `get_time` again at each call, for commands that run long."""
    return partial(_read_time, opened)


def _read_time(opened: database.Database) -> datetime:
    with opened.reading() as view:
        return get_time(view)


def get_project(session: Session, written: str) -> Project:
    """Return the project with this name or project file; raise NotFound if it is not loaded."""
    return queries.get_project(session, resolve_project_name(written))


def list_projects(session: Session, written: str) -> list[Project]:
    """Return the project, or all projects of the programme, with this name or file; raise NotFound if not loaded."""
    return queries.list_named_projects(session, resolve_name(written))


def resolve_name(written: str) -> str:
    """Return the name of a project or programme, given its name or the path of its file."""
    if written.endswith((".yaml", ".yml")):
        from annotation.campaigns import programme_file

        path = Path(written)
        if programme_file.is_programme(path):
            return programme_file.read_programme(path, allow_outside=True).definition.programme
    return resolve_project_name(written)


def resolve_project_name(written: str) -> str:
    """Return the name of a project, given its name or the path of its file."""
    if written.endswith((".yaml", ".yml")):
        from annotation.campaigns import project_file

        # only the name is needed: whether files outside its folder are allowed was decided when it was loaded
        return project_file.read_project(Path(written), allow_outside=True).name
    return written
