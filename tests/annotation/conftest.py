"""Both databases, with small projects in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import database
from annotation.store.models import Item, Project
from annotation.vocabulary import ProjectStatus
from annotation.workflow import projects

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: {name}
title: "Яке слово довше?"
language: uk
instructions: Порахуйте літери.
question: {{type: choice, text: "Яке?"}}
items: {{file: {name}.csv, id: id, show: [hint], options: [first, second], gold: gold, gold_origin: construction}}
overlap: {overlap}
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    """Every test of the store and the workflow runs on both; a module that need not says so by a fixture of its own."""
    found: str = request.param
    return found


@pytest.fixture
def url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of an empty database, brought up to date, that this test has for itself."""
    if backend == "sqlite":
        shutil.copy(request.getfixturevalue("migrated"), tmp_path / "test.db")
        return f"sqlite:///{tmp_path / 'test.db'}"
    found: str = request.getfixturevalue("postgresql_url")
    return found


@pytest.fixture
def db(url: str) -> Iterator[database.Database]:
    """An empty database, brought up to date."""
    with database.opened(url) as found:
        yield found


def in_file_order(session: Session) -> None:
    """Let everybody begin before the first item and go round in the order of the file: random places are lower."""
    session.connection().execute(sa.update(Item).values(ring=Item.rank + 10**9))


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file to copy: an empty SQLite database, brought up to date."""
    file = tmp_path_factory.mktemp("migrated") / "empty.db"
    with database.opened(f"sqlite:///{file}"):
        pass
    return file


@pytest.fixture
def load(db: database.Database, tmp_path: Path) -> Callable[..., None]:
    """Loads a project of `n` items named q1, q2, …, each with the options «кіт» and «собака», gold «собака»."""

    def loaded(name: str, *, n: int = 2, overlap: int = 2) -> None:
        rows = [f"{name}-{number},підказка {number},кіт,собака,собака" for number in range(1, n + 1)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,hint,first,second,gold", *rows]) + "\n", "utf-8")
        file = tmp_path / f"{name}.yaml"
        file.write_text(PROJECT.format(name=name, overlap=overlap), "utf-8")
        with db.transaction() as session:
            projects.load_file(session, file, now=NOW)
            in_file_order(session)
            session.connection().execute(sa.update(Project).values(status=ProjectStatus.RUNNING))

    return loaded
