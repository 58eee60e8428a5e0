"""A day in which everything goes wrong, with time moved: bots on PostgreSQL or SQLite while people tap.

The database hangs, its disk is full, bytes are swallowed, bots are killed, put to sleep and their clocks set. Telegram
answers 429, 500, 502, late or not at all, is down for long, tells the bot to wait, and says that another program polls;
it sends updates that cannot be read. Each happens at least once, in random order. At the end it is calm: nothing waits,
nothing is parked but what cannot be read, the screens agree with the database, nobody is stuck, and no bot has ended
that was not killed.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

import _crowd
import _hung_databases
from _crowd import BotSpawner, Crowd
from _faulty_telegram import FaultyServer, FaultyTelegram
from _hung_databases import Backends, Proxy

from annotation.store import database, parked, queries
from annotation.workflow.lifecycle import projects, transitions
from bot.emulator.calls import CallRefused

PEOPLE = 32
ANSWERS_BETWEEN = 12
"""At least how many answers are stored between two troubles, on average."""
TROUBLES = 40
"""About how many troubles a long run has: they are counted in answers, so there are as many on a slow machine."""
FAST = 616
"""How many seconds the clock of the second bot is ahead."""
PACE = 60.0
"""Time goes faster by this: a bot that is to end when it is stuck would end after 1.5 seconds instead of 90."""
OUTAGE_SECONDS = 2.5
"""How long an outage lasts, with time moved two and a half minutes."""
UNREADABLE = "cannot be read"
"""In the reason of a parked update that has another form than Telegram says."""
Trouble = Callable[[], Coroutine[None, None, None]]
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 3
"""


@dataclass(frozen=True, kw_only=True)
class AdversityReport:
    """What happened: judgements stored in the end, answers that screens showed as saved, seconds, and the troubles.

    `ended` is how many bots ended that nobody had killed.
    """

    judgements: int
    shown: int
    ended: int
    seconds: float
    troubles: Counter[str]


def prepare(url: str, folder: Path, *, items: int) -> None:
    """A running project of so many items."""
    (folder / "project.yaml").write_text(PROJECT, "utf-8")
    (folder / "items.csv").write_text("id,text\n" + "".join(f"{n},слово {n}\n" for n in range(items)), "utf-8")
    now = datetime.now(UTC)
    with database.open_database(url) as opened, opened.transaction() as session:
        projects.load_project_file(session, folder / "project.yaml", now=now)
        transitions.start_project(session, project=queries.get_project(session, "words"), now=now)


@dataclass
class Bots:
    """The bots: one on SQLite; on PostgreSQL one reaches the database through the proxy, one has a fast clock."""

    urls: Sequence[str]
    spawner: BotSpawner
    offset_file: Path
    numbers: list[int] = field(default_factory=list)
    ended: int = 0

    async def start_missing(self) -> None:
        """Start each of them that does not run; count those that ended by themselves."""
        for place, url in enumerate(self.urls):
            if place == len(self.numbers) or not _crowd.is_running(self.numbers[place]):
                self.ended += place < len(self.numbers) and self.numbers[place] in self.spawner.running
                options: dict[str, str | float] = {
                    "fast": float(FAST * place),
                    "pace": PACE,
                    "offset_file": str(self.offset_file),
                }
                self.numbers[place : place + 1] = [await self.spawner.start(url, **options)]

    async def kill(self, place: int) -> None:
        """Kill one of them, which is started again later."""
        self.spawner.end(self.numbers[place])
        while _crowd.is_running(self.numbers[place]):
            await asyncio.sleep(0.01)


@dataclass
class Adversity:
    """Makes trouble while people tap."""

    telegram: FaultyTelegram
    crowd: Crowd
    bots: Bots
    of_database: Sequence[Trouble]
    rng: random.Random
    troubles: Counter[str] = field(default_factory=Counter)

    async def run(self, answers: int) -> None:
        """One trouble after the other, until each has happened and so many answers were shown as saved.

        First each of them once, in random order, then any; in between people get some answers stored.
        """
        acts = [
            self.kill_bot, self.refuse_calls, self.delay_calls, self.be_down, self.be_silent, self.refuse_polls,
            self.tell_to_wait, self.put_to_sleep, self.set_clock, self.send_nonsense, *self.of_database,
        ]  # fmt: skip
        deck, between = self.rng.sample(acts, len(acts)), max(ANSWERS_BETWEEN, answers // TROUBLES)
        while deck or self.crowd.count_marks() < answers:
            act = deck.pop() if deck else self.rng.choice([*acts, self.refuse_calls, self.refuse_calls])
            self.troubles[act.__name__] += 1
            await act()
            await self.bots.start_missing()
            await _crowd.wait_for_marks(self.crowd, self.crowd.count_marks() + self.rng.randrange(2 * between))

    async def be_down(self) -> None:
        """Telegram answers every call with an error, for long."""
        await self._spoil("outage", CallRefused(500, "Internal Server Error"))

    async def refuse_polls(self) -> None:
        """Another program asks for the bot's updates, for long."""
        await self._spoil("poll_outage", CallRefused(409, "Conflict: terminated by other getUpdates request"))

    async def _spoil(self, name: str, refusal: CallRefused) -> None:
        setattr(self.telegram.faults, name, refusal)
        try:
            await asyncio.sleep(OUTAGE_SECONDS)
        finally:
            setattr(self.telegram.faults, name, None)

    async def tell_to_wait(self) -> None:
        """Telegram tells the bot to ask for no updates for long."""
        self.telegram.faults.fail("getUpdates", 429, retry_after=round(OUTAGE_SECONDS))

    async def be_silent(self) -> None:
        """The network takes what comes and brings nothing, for long."""
        self.telegram.faults.stall()
        try:
            await asyncio.sleep(OUTAGE_SECONDS)
        finally:
            self.telegram.faults.resume()

    async def put_to_sleep(self) -> None:
        """The machine of a bot sleeps for long."""
        number = self.rng.choice(self.bots.numbers)
        try:
            os.kill(number, signal.SIGSTOP)
            await asyncio.sleep(OUTAGE_SECONDS)
        finally:
            os.kill(number, signal.SIGCONT)

    async def set_clock(self) -> None:
        """The clock of the bots' machine is set, by up to an hour."""
        written = self.bots.offset_file.with_suffix(".new")
        written.write_text(f"{self.rng.uniform(-3600, 3600)}", "utf-8")
        written.replace(self.bots.offset_file)  # at once: a bot that reads an empty file would end

    async def send_nonsense(self) -> None:
        """Telegram sends updates that have another form than it says."""
        for body in ({"from": "nobody"}, {"from": {"id": "x"}, "chat": 7}, {"from": None, "text": [1]}):
            self.telegram.queue.add("message", body, now=self.telegram.clock())

    async def kill_bot(self) -> None:
        """One of the bots is killed."""
        await self.bots.kill(self.rng.randrange(len(self.bots.numbers)))

    async def refuse_calls(self) -> None:
        """Telegram refuses, loses or takes and then refuses some calls."""
        faults, method = (
            self.telegram.faults,
            self.rng.choice(("sendMessage", "editMessageText", "answerCallbackQuery")),
        )
        for _ in range(self.rng.randrange(1, 6)):
            kind = self.rng.choice((429, 500, 502, 0))
            self.troubles[f"{kind or 'lost'}"] += 1
            if kind == 429:
                faults.fail(method, kind, retry_after=1)
            elif kind:
                faults.fail(method, kind, after=self.rng.random() < 0.5)
            else:
                faults.lose(method, after=self.rng.random() < 0.5)

    async def delay_calls(self) -> None:
        """Telegram is slow for a while."""
        self.telegram.faults.latency = self.rng.random() * 0.3
        await asyncio.sleep(self.rng.random() * 2)
        self.telegram.faults.latency = 0.0


@dataclass
class ServerTroubles:
    """What happens to PostgreSQL."""

    backends: Backends
    proxy: Proxy
    rng: random.Random

    async def stop_backends(self) -> None:
        """The processes of PostgreSQL stand still; now and then for longer than any statement may take."""
        try:
            self.backends.stop()
            await asyncio.sleep(self.rng.choice((0.5, 1, 2, 12)))
        finally:
            self.backends.resume()

    async def swallow_bytes(self) -> None:
        """The network of the first bot swallows what it and the database say."""
        try:
            self.proxy.swallows = True
            await asyncio.sleep(self.rng.choice((0.5, 1, 2, 12)))
        finally:
            self.proxy.swallows = False

    async def fill_disk(self) -> None:
        """The disk of the server is full for long; in a thread: this waits for transactions, and the proxy goes on."""
        await asyncio.to_thread(_hung_databases.fill_server_disk, self.backends.engine)
        try:
            await asyncio.sleep(OUTAGE_SECONDS)
        finally:
            await asyncio.to_thread(_hung_databases.free_server_disk, self.backends.engine)


@dataclass
class FileTroubles:
    """What happens to SQLite."""

    file: Path
    bots: Bots
    rng: random.Random

    async def lock_file(self) -> None:
        """Another process holds the lock; now and then for longer than it is waited for."""
        with _hung_databases.locked_file(self.file):
            await asyncio.sleep(self.rng.choice((0.5, 1, 2, 8)))

    async def fill_disk(self) -> None:
        """The disk takes nothing more from the bot for long."""
        number = self.bots.numbers[0]
        _hung_databases.limit_files(number, 0)
        try:
            await asyncio.sleep(OUTAGE_SECONDS)
        finally:
            _hung_databases.limit_files(number, None)


@asynccontextmanager
async def _prepare_troubles(
    url: str, spawner: BotSpawner, folder: Path, rng: random.Random
) -> AsyncIterator[tuple[Bots, Sequence[Trouble]]]:
    """The bots and what happens to their database."""
    offset_file = folder / "clock-offset"
    offset_file.write_text("0", "utf-8")
    if url.startswith("sqlite"):
        bots = Bots([url], spawner, offset_file)
        of_file = FileTroubles(Path(url.removeprefix("sqlite:///")), bots, rng)
        yield bots, (of_file.lock_file, of_file.fill_disk)
        return
    with _hung_databases.stoppable_backends(url) as backends:
        async with _hung_databases.swallowing_proxy(url) as proxy:
            of_server = ServerTroubles(backends, proxy, rng)
            bots = Bots([proxy.url, url], spawner, offset_file)
            yield bots, (of_server.stop_backends, of_server.swallow_bytes, of_server.fill_disk)


async def run_adversity(url: str, folder: Path, *, answers: int, seed: int = 7) -> AdversityReport:
    """Run until so many answers were shown as saved and each trouble has happened, then compare.

    Raises AssertionError if something is lost, doubled or stuck.
    """
    prepare(url, folder, items=max(answers, 400))
    rng, telegram, began = random.Random(seed), FaultyTelegram(), monotonic()  # noqa: S311
    crowd = Crowd(telegram, rng)
    telegram.display_log.watchers.append(crowd.watch)
    people = [telegram.person(number) for number in range(1, PEOPLE + 1)]
    with database.open_database(url) as db:
        async with (
            FaultyServer(telegram) as server,
            _crowd.start_spawner(server) as spawner,
            _prepare_troubles(url, spawner, folder, rng) as (bots, of_database),
        ):
            adversity = Adversity(telegram, crowd, bots, of_database, rng)
            await bots.start_missing()
            for person in people:
                person.send("/start")
            await _crowd.wait_until(lambda: len(crowd.tapped) == PEOPLE)
            await adversity.run(answers)
            crowd.tapping, telegram.faults.latency = False, 0.0
            telegram.faults.forget()
            await _crowd.wait_until(lambda: _crowd.count_waiting(db, telegram) == (0, 0, 0))
            for person in people:
                await _crowd.answer_once_more(crowd, person)
            await _crowd.wait_until(lambda: _crowd.count_waiting(db, telegram) == (0, 0, 0))
            await bots.start_missing()  # counts those that ended
        with db.reading() as view:
            assert [one for one in parked.list_parked(view) if UNREADABLE not in one.reason] == []
        stored = _crowd.compare_screens(db, crowd)
    return AdversityReport(
        judgements=sum(map(len, stored.values())),
        shown=crowd.count_marks(),
        ended=bots.ended,
        seconds=monotonic() - began,
        troubles=adversity.troubles,
    )
