"""The real application on a real database, over the local Telegram."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa
from _chromium import FLAGS, PROGRAM
from _faulty_telegram import FaultyTelegram, ObservedPerson
from playwright.async_api import Browser, async_playwright
from sqlmodel import Session, select

from annotation.store import database, models, queries
from annotation.store.models import Item
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery import workers
from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import Clock

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32
ORGANISERS = frozenset({900, 901})
"""The Telegram ids of organisers."""
PROJECT = """\
project: {name}
title: {title}
language: {language}
instructions: {instructions}
question: {{type: choice, text: "Яке слово довше?"}}
items: {{file: {name}.jsonl, id: id, group: id, show: text, options: options, gold: gold}}
overlap: 3
"""


@dataclass
class Chat:
    """The bot and everybody who talks to it."""

    database: database.Database
    telegram: FaultyTelegram
    app: application.BotApplication
    now: datetime = NOW
    people: dict[int, ObservedPerson] = field(default_factory=dict)

    def person(self, number: int = 1, *, language: str = "uk") -> ObservedPerson:
        """Somebody with a private chat."""
        return self.people.setdefault(number, self.telegram.person(number, language=language))

    async def deliver(self) -> None:
        """Hand every waiting update to the bot, a second apart."""
        for update in self.telegram.take():
            self.now += timedelta(seconds=1)
            await self.app.deliver(update)

    async def send(self, person: ScriptedPerson, text: str) -> None:
        """A message and all that follows from it."""
        person.send(text)
        await self.deliver()

    async def tap(self, person: ScriptedPerson, label: str) -> None:
        """A tap and all that follows from it."""
        person.tap(label)
        await self.deliver()

    async def send_paced(self) -> None:
        """Send the paced messages that the bot has taken, but for chats that Telegram asked a pause for."""
        sweeper, now = self.app.sweeper, asyncio.get_running_loop().time()
        while any(sweeper.rate_limit.get_pause_end(chat) < now for chat in sweeper._paced):
            await sweeper._send_next_paced()
        await self.app.sender.wait_until_idle()
        await self.app.receipts.save()

    @asynccontextmanager
    async def restarted(self) -> AsyncIterator[None]:
        """Another process of the bot, on the same database, while the block lasts; the first one rests."""
        first, self.app = (
            self.app,
            application.build_application(
                token=self.telegram.token,
                database=self.database,
                settings=self.app.workers.settings,
                request=LocalRequest(self.telegram),
                clock=lambda: self.now,
                database_clock=lambda: self.now,
            ),
        )
        await first.sweeper.lease.release()
        async with self.app:
            yield
        self.app = first

    def answers(self) -> list[str]:
        """The stored answers, oldest first."""
        with self.database.transaction() as session:
            return list(session.exec(select(models.Judgement.response).order_by(models.Judgement.id)).all())  # type: ignore[arg-type]


@pytest.fixture
def db(sqlite_url: str) -> Iterator[database.Database]:
    """An empty database."""
    with database.open_database(sqlite_url) as found:
        yield found


@pytest.fixture
def no_wait_for_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text is handled at once, without the wait for a next part of it."""
    monkeypatch.setattr(workers, "PART_SECONDS", 0.0)


def in_file_order(session: Session) -> None:
    """Let everybody begin before the first item and go round in the order of the file: random places are lower."""
    session.connection().execute(sa.update(Item).values(queue_position=Item.rank + 10**9))


@pytest.fixture
def load(db: database.Database, tmp_path: Path) -> Callable[..., None]:
    """Loads and starts a project of items given as (text, options); gold is the last option."""

    def loaded(
        *items: tuple[str, list[str]],
        name: str = "words",
        title: str = "Слова",
        language: str = "uk",
        instructions: str = "Порахуйте літери.",
        more: str = "",
        start: bool = True,
    ) -> None:
        import json

        rows = [
            json.dumps({"id": number, "text": text, "options": options, "gold": options[-1]}, ensure_ascii=False)
            for number, (text, options) in enumerate(items)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
        file = tmp_path / f"{name}.yaml"
        text = PROJECT.format(name=name, title=title, language=language, instructions=instructions)
        file.write_text(text + more, "utf-8")
        with db.transaction() as session:
            projects.load_project_file(session, file, now=NOW)
            in_file_order(session)
            if start:
                transitions.start_project(session, project=queries.get_project(session, name), now=NOW)

    return loaded


@pytest.fixture
async def chat(db: database.Database) -> AsyncIterator[Chat]:
    """The bot, started, with nobody in it yet."""
    made: list[Chat] = []
    telegram = FaultyTelegram(clock=Clock(lambda: made[0].now.timestamp()))  # noqa: PLW0108  # `made` is still empty
    app = application.build_application(
        token=telegram.token,
        database=db,
        settings=application.build_delivery_settings(
            ConversationSettings(key=KEY, organisers=ORGANISERS, bot_name="hromada_bot")
        ),
        request=LocalRequest(telegram),
        clock=lambda: made[0].now,
        database_clock=lambda: made[0].now,
    )
    made.append(Chat(db, telegram, app))
    async with app:
        yield made[0]
    assert telegram.calls.keys() <= {*telegram.methods, "getupdates"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started_chromium() -> AsyncIterator[Browser]:
    """Chromium without a window, for all asynchronous tests of a module, which run in one loop."""
    if PROGRAM is None:
        pytest.skip("Chromium is not installed")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        yield opened
        await opened.close()


@pytest_asyncio.fixture(loop_scope="module")
async def chromium(started_chromium: Browser) -> AsyncIterator[Browser]:
    """The same, of which a test leaves no page open; its tests are marked `asyncio(loop_scope="module")`."""
    yield started_chromium
    for context in started_chromium.contexts:
        await context.close()
