"""Reminders, news and announcements while the bot is killed at every step, and the clock goes on to the next day."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from annotation.store import invariants, queries
from annotation.store.models import NoticeWish
from annotation.vocabulary import AssignmentEnd
from annotation.workflow import assignments
from annotation.workflow.annotators import registration, withdrawal
from annotation.workflow.notices import announcements
from bot.delivery import limits_and_retries
from bot.emulator.server import Server
from bot.emulator.state import Clock
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from annotation.store.database import Database

RunBot = Callable[[dict[str, Any]], Awaitable[str]]
"""Runs a bot as this says, which `notice_worker.run` explains; how it ended."""
WORKER = Path(__file__).parent / "notice_worker.py"
BEGIN = datetime(2026, 11, 24, 8, 1, tzinfo=UTC)
KYIV, TOKYO = "Europe/Kyiv", "Asia/Tokyo"
PEOPLE = 12
SINGLE = {3, 6}
"""Who of them asked for one reminder."""
STEP = timedelta(minutes=6)
"""The time between two bots: what the last one held is held no more."""


@dataclass
class Campaign:
    """People who get a reminder or news, and all of them an announcement; the bots that send it."""

    db: Database
    url: str
    telegram: Telegram
    run: RunBot
    organisers: tuple[int, ...] = ()
    now: datetime = BEGIN
    doubtful: set[tuple[int, str]] = field(default_factory=set)
    """What had begun, and was not known to have arrived, when a bot was killed: the chat and the notice."""

    async def start_bot(self, *, kill_at: int = 0) -> str:
        """A bot, killed at this event; how it ended."""
        line = {"url": self.url, "at": self.now.timestamp(), "kill_at": kill_at, "organisers": self.organisers}
        ended = await self.run(line)
        begun = self.read("SELECT chat_id, notice FROM outbox WHERE begun_at IS NOT NULL")
        self.doubtful |= {(int(str(chat)), str(notice)) for chat, notice in begun}
        self.now += STEP
        return ended

    def read(self, statement: str) -> list[tuple[object, ...]]:
        """What the database says."""
        with self.db.reading() as view:  # takes no lock for writing, which the bots need
            return [tuple(row) for row in view.connection().execute(sa.text(statement))]

    def count_received(self) -> Counter[tuple[int, str]]:
        """How often each chat got each notice."""
        return Counter(
            (entry.person, name)
            for entry in self.telegram.display_log.entries
            for name, words in NOTICES.items()
            if entry.kind == "message" and words in entry.text
        )


NOTICES = {
    "reminder": "для вас є запитання, коли",
    "news": "для вас знову є запитання",
    "announcement 1": "Дякуємо всім!",
    "digest": "За добу:",
}


def prepare(db: Database) -> None:
    """People in two time zones, of whom each has an item, has been away, and wants reminders, a single one or news."""
    with db.transaction() as session:
        for number in range(1, PEOPLE + 1):
            annotator = registration.register_telegram_annotator(
                session, telegram_id=number, language="uk", key=b"k" * 32, now=BEGIN - timedelta(days=9)
            )
            annotator.time_zone = KYIV if number % 2 else TOKYO
            session.add(annotator)
            session.flush()
            annotator_id = annotator.id or 0
            away_since = BEGIN - timedelta(days=3)
            assignments.assign_next_item(assignments.lock_annotator(session, annotator_id), now=away_since)
            withdrawal.release_live_assignments(
                session, annotator_id=annotator_id, now=away_since, why=AssignmentEnd.PAUSED
            )
            is_news, is_single = number > PEOPLE // 2, number in SINGLE
            wish = NoticeWish(
                annotator_id=annotator_id,
                reminders=not is_news and not is_single,
                news=is_news,
                saw_none=is_news,
                promised_at=BEGIN - timedelta(hours=1) if is_single else None,
                due_at=away_since,
            )
            session.add(wish)
        project = queries.get_project(session, "words")
        draft = announcements.write_announcement(session, text="Дякуємо всім!", now=BEGIN, project_id=project.id)
        assert announcements.send_announcement(session, announcement=draft, now=BEGIN) == PEOPLE


def prepare_organisers(db: Database, organisers: tuple[int, ...]) -> None:
    """Organisers who have written to the bot; the last of them has blocked it since."""
    with db.transaction() as session:
        for number in organisers:
            annotator = registration.register_telegram_annotator(
                session, telegram_id=number, language="uk", key=b"k" * 32, now=BEGIN - timedelta(days=9)
            )
            annotator.time_zone = KYIV
            annotator.unreachable_at = BEGIN if number == organisers[-1] else None
            session.add(annotator)


@asynccontextmanager
async def run_in_processes(server: Server) -> AsyncIterator[RunBot]:
    """Each bot is a process of its own, which can be killed."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, WORKER, server.url, server.telegram.token, stdin=pipe, stdout=pipe
    )
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    async def run(line: dict[str, Any]) -> str:
        stdin.write(f"{json.dumps(line)}\n".encode())
        return (await asyncio.wait_for(stdout.readline(), 60)).decode().strip()

    try:
        yield run
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def run_in_threads(server: Server) -> AsyncIterator[RunBot]:
    """Each bot is a thread of this process, which nobody kills."""
    spec = importlib.util.spec_from_file_location("notice_worker", WORKER)
    assert spec is not None
    assert spec.loader is not None
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)

    async def run(line: dict[str, Any]) -> str:
        await asyncio.to_thread(worker.run, server.url, server.telegram.token, **line)
        return "done"

    pauses = limits_and_retries.CHAT_SECONDS, limits_and_retries.OVERALL_SECONDS
    try:
        yield run
    finally:
        limits_and_retries.CHAT_SECONDS, limits_and_retries.OVERALL_SECONDS = pauses


@asynccontextmanager
async def campaign(
    url: str,
    db: Database,
    *,
    organisers: tuple[int, ...] = (),
    start: Callable[[Server], AbstractAsyncContextManager[RunBot]] = run_in_processes,
) -> AsyncIterator[Campaign]:
    """The people, or only organisers, and what runs bots."""
    prepare_organisers(db, organisers) if organisers else prepare(db)
    made: list[Campaign] = []

    def get_time() -> float:
        return (made[0].now if made else BEGIN).timestamp()

    telegram = Telegram(clock=Clock(get_time))
    for number in range(1, PEOPLE + 1):
        telegram.person(number).send("/start")
    async with Server(telegram) as server, start(server) as run:
        made.append(Campaign(db, url, telegram, run, organisers))
        yield made[0]


async def kill_at_every_step(running: Campaign, *, until: Callable[[], bool] = lambda: False) -> int:
    """Start bots, of which each lives a step longer than the one before, until one is done; how long that one lives."""
    for kill_at in range(1, 500):
        ended = await running.start_bot(kill_at=kill_at)
        if ended == "done" or until():
            return kill_at
        assert ended == "killed"
    raise AssertionError("it makes more steps than that")


@pytest.mark.slow
@pytest.mark.process
async def test_killed_at_every_step_nothing_is_doubled_or_lost(
    url: str, db: Database, load_items: Callable[..., None]
) -> None:
    """What had not begun is sent once, by the next bot; what had begun may have arrived, and is not sent again.

    None of it comes at night, where the people are.
    """
    load_items(items=20)
    async with campaign(url, db) as running:
        storing = await kill_at_every_step(running, until=lambda: running.read("SELECT count(*) FROM outbox") != [(0,)])
        assert storing > 20
        sending = await kill_at_every_step(running)
        assert sending > 20
        for _ in range(6):  # also before the single reminder in Tokyo would lapse
            running.now += timedelta(hours=4)
            assert await running.start_bot() == "done"
        assert running.read("SELECT count(*) FROM outbox") == [(0,)]
        received = running.count_received()
        wished = {(number, "news" if number > PEOPLE // 2 else "reminder") for number in range(1, PEOPLE + 1)}
        expected = wished | {(number, "announcement 1") for number in range(1, PEOPLE + 1)}
        assert max(received.values()) == 1
        assert received.keys() <= expected
        lost = expected - received.keys()
        assert len(lost) < len(running.doubtful) < len(expected)
        assert lost
        assert lost < running.doubtful
        for entry in running.telegram.display_log.entries:
            if entry.kind == "message":
                zone = ZoneInfo(KYIV if entry.person % 2 else TOKYO)
                assert 10 <= datetime.fromtimestamp(entry.at, zone).hour < 20
        with db.reading() as view:
            assert invariants.list_violations(view) == ()


async def test_a_bot_that_is_let_work_sends_all_of_it(url: str, db: Database, load_items: Callable[..., None]) -> None:
    """On both databases, once each, and the wishes are as they then should be."""
    load_items(items=20)
    async with campaign(url, db, start=run_in_threads) as running:
        assert await running.start_bot() == "done"
        running.now += timedelta(hours=17)
        assert await running.start_bot() == "done"
        assert set(running.count_received().values()) == {1}
        assert len(running.count_received()) == 2 * PEOPLE
        wishes = running.read("SELECT reminders, news, ignored, due_at IS NULL FROM notice_wish")
        assert Counter(wishes) == {(1, 0, 1, 0): 4, (0, 0, 0, 1): 8}
        assert running.read("SELECT count(*) FROM assignment WHERE status = 'live'") == [(0,)]


@pytest.mark.slow
@pytest.mark.process
async def test_a_digest_is_sent_once_a_day_by_bots_that_are_killed(
    url: str, db: Database, load_items: Callable[..., None]
) -> None:
    """What had not begun is sent by the next bot; none at night, none to an organiser who blocked the bot."""
    load_items(items=20)
    async with campaign(url, db, organisers=(1, 2, 3, 4)) as running:
        assert await kill_at_every_step(running) > 20
        assert running.now < BEGIN + timedelta(hours=8)
        received = running.count_received()
        assert set(received.values()) == {1}
        lost = {(number, "digest") for number in (1, 2, 3)} - received.keys()
        assert lost <= running.doubtful
        assert len(received) + len(lost) == 3
        for hour, more in ((23, 0), (26, 1), (30, 1), (38, 1), (50, 2)):
            running.now = BEGIN + timedelta(hours=hour)
            assert await running.start_bot() == "done"
            digests = running.count_received()
            assert {digests[one, "digest"] - received[one, "digest"] for one in (1, 2, 3)} == {more}
            assert digests[4, "digest"] == 0
        assert running.read("SELECT count(*) FROM outbox") == [(0,)]
        with db.reading() as view:
            assert invariants.list_violations(view) == ()
