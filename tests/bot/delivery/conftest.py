"""The tiny conversation on a real database, over the local Telegram."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest
import sqlalchemy as sa
from _faulty_telegram import FaultyTelegram

from annotation.store import database, queries
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import Clock

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TINY = Path(__file__).parent / "tiny.py"
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 3
"""


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """The conversation of these tests."""
    spec = importlib.util.spec_from_file_location("tiny", TINY)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["tiny"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database, on both."""
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture
def db(url: str) -> Iterator[database.Database]:
    """The database."""
    with database.open_database(url) as found:
        yield found


def load(db: database.Database, folder: Path, *, items: int) -> None:
    """Load and start a project."""
    (folder / "project.yaml").write_text(PROJECT, "utf-8")
    rows = "".join(f"{number},слово {number}\n" for number in range(items))
    (folder / "items.csv").write_text(f"id,text\n{rows}", "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, folder / "project.yaml", now=NOW)
        transitions.start_project(session, project=queries.get_project(session, "words"), now=NOW)


@dataclass
class Stage:
    """The bot, its Telegram and the time."""

    db: database.Database
    telegram: FaultyTelegram
    app: application.BotApplication
    now: datetime = NOW

    async def deliver(self) -> None:
        """Hand every waiting update to the bot, a second later."""
        self.now += timedelta(seconds=1)
        await self.app.deliver(*self.telegram.take())

    async def say(self, person: ScriptedPerson, text: str) -> None:
        """A message and all that follows."""
        person.send(text)
        await self.deliver()

    async def tap(self, person: ScriptedPerson, label: str) -> None:
        """A tap and all that follows."""
        person.tap(label)
        await self.deliver()

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """What the database says."""
        with self.db.reading() as view:  # takes no lock for writing, which the bots need
            return [tuple(row) for row in view.connection().execute(sa.text(statement))]


@pytest.fixture
async def stage(db: database.Database, tmp_path: Path, tiny: ModuleType) -> AsyncIterator[Stage]:
    """A running bot with twenty items."""
    load(db, tmp_path, items=20)
    telegram = FaultyTelegram()
    app = application.build_application(
        token=telegram.token,
        database=db,
        settings=tiny.build_settings(),
        request=LocalRequest(telegram),
        clock=lambda: found.now,
        database_clock=lambda: found.now,
    )
    found = Stage(db, telegram, app)
    telegram.clock = Clock(lambda: found.now.timestamp())  # noqa: PLW0108  # the time moves on
    async with app:
        yield found


@pytest.fixture
def load_items(db: database.Database, tmp_path: Path) -> Callable[..., None]:
    """Loads and starts a project of so many items."""
    return lambda *, items: load(db, tmp_path, items=items)


@pytest.fixture
def db_with_items(tmp_path: Path) -> Callable[[str], None]:
    """Makes the database of an address, with a project of twenty items."""

    def make(url: str) -> None:
        with database.open_database(url) as opened:
            load(opened, tmp_path, items=20)

    return make
