"""A database file with small projects in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotation.store import database, queries
from annotation.workflow import life, projects

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


@pytest.fixture
def db(tmp_path: Path) -> Iterator[database.Database]:
    """An empty database, brought up to date."""
    with database.opened(f"sqlite:///{tmp_path / 'test.db'}") as found:
        yield found


@pytest.fixture
def load(db: database.Database, tmp_path: Path) -> Callable[..., None]:
    """Loads and starts a project of `n` items, each with the options «кіт» and «собака», gold «собака»."""

    def loaded(name: str, *, n: int = 2, overlap: int = 2, start: bool = True) -> None:
        rows = [f"{name}-{number},підказка {number},кіт,собака,собака" for number in range(1, n + 1)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,hint,first,second,gold", *rows]) + "\n", "utf-8")
        file = tmp_path / f"{name}.yaml"
        file.write_text(PROJECT.format(name=name, overlap=overlap), "utf-8")
        with db.transaction() as session:
            projects.load_file(session, file, now=NOW)
            if start:
                life.start(session, project=queries.project(session, name), now=NOW)

    return loaded
