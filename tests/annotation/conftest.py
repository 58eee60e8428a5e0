"""Both databases, with small projects in them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from annotation.store import database
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
def url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty database, brought up to date, that this test has for itself."""
    if backend == "sqlite":
        shutil.copy(request.getfixturevalue("migrated"), tmp_path / "test.db")
        yield f"sqlite:///{tmp_path / 'test.db'}"
        return
    copies: Copies = request.getfixturevalue("copies")
    name = copies.make()
    yield sa.make_url(copies.server).set(database=name).render_as_string(hide_password=False)
    copies.drop(name)


@pytest.fixture
def db(url: str) -> Iterator[database.Database]:
    """An empty database, brought up to date."""
    with database.opened(url) as found:
        yield found


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file to copy: an empty SQLite database, brought up to date."""
    file = tmp_path_factory.mktemp("migrated") / "empty.db"
    with database.opened(f"sqlite:///{file}"):
        pass
    return file


@dataclass
class Copies:
    """Databases on one server, copied from one that was migrated: 30 ms each instead of a migration."""

    server: str
    engine: sa.Engine
    template: str
    made: int = 0

    def make(self) -> str:
        """A new database; its name."""
        self.made += 1
        self.say(f"CREATE DATABASE {self.template}_{self.made} TEMPLATE {self.template}")
        return f"{self.template}_{self.made}"

    def drop(self, name: str) -> None:
        """Drop one, whoever is still connected."""
        self.say(f"DROP DATABASE {name} WITH (FORCE)")

    def say(self, statement: str) -> None:
        """Statements about databases stand outside every transaction."""
        with self.engine.connect() as connection:
            connection.exec_driver_sql(statement)


@pytest.fixture(scope="session")
def copies(postgresql: str) -> Iterator[Copies]:
    """Makes databases on the server of the tests."""
    engine = database.connect(postgresql).execution_options(isolation_level="AUTOCOMMIT")
    found = Copies(server=postgresql, engine=engine, template=f"hromada_test_{os.getpid()}")
    try:
        found.say(f"CREATE DATABASE {found.template}")
        with database.opened(sa.make_url(postgresql).set(database=found.template)):
            pass
        yield found
        found.drop(found.template)
    finally:
        engine.dispose()


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

    return loaded
