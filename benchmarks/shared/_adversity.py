"""A run in which everything goes wrong: two bots on PostgreSQL, one with a fast clock, while people tap.

Backends are stopped, bytes are swallowed, bots are killed, and Telegram answers 429, 500, 502, late or not at all. At
the end it is calm; then nothing waits, nothing is parked, the screens agree with the database, and nobody is stuck.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Callable, Coroutine
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

PEOPLE = 32
ANSWERS_BETWEEN = 12
"""How many answers are stored between two troubles, on average: so there are as many on a slow machine."""
FAST = 616
"""How many seconds the clock of the second bot is ahead."""
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
    """What happened: judgements stored in the end, answers that screens showed as saved, seconds, and the troubles."""

    judgements: int
    shown: int
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
    """The two bots: the first reaches the database through the proxy, the second has a fast clock."""

    urls: tuple[str, str]
    spawner: BotSpawner
    numbers: list[int] = field(default_factory=list)

    async def start_missing(self) -> None:
        """Start each of them that does not run."""
        for place, url in enumerate(self.urls):
            if place == len(self.numbers) or not _crowd.is_running(self.numbers[place]):
                self.numbers[place : place + 1] = [await self.spawner.start(url, fast=float(FAST * place))]

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
    proxy: Proxy
    backends: Backends
    rng: random.Random
    troubles: Counter[str] = field(default_factory=Counter)

    async def run(self) -> None:
        """One trouble after the other, until cancelled; in between people get some answers stored."""
        acts: tuple[Callable[[], Coroutine[None, None, None]], ...] = (
            self.stop_backends, self.swallow_bytes, self.kill_bot, self.refuse_calls, self.refuse_calls,
            self.refuse_calls, self.delay_calls,
        )  # fmt: skip
        while True:
            act = self.rng.choice(acts)
            self.troubles[act.__name__] += 1
            await act()
            await self.bots.start_missing()
            goal = self.crowd.count_marks() + self.rng.randrange(2 * ANSWERS_BETWEEN)
            while self.crowd.count_marks() < goal:
                await asyncio.sleep(0.02)

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

    async def kill_bot(self) -> None:
        """One of the bots is killed."""
        await self.bots.kill(self.rng.randrange(2))

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


async def run_adversity(url: str, folder: Path, *, answers: int, seed: int = 7) -> AdversityReport:
    """Run until so many answers were shown as saved, then compare; raises AssertionError where something is wrong."""
    prepare(url, folder, items=max(answers, 400))
    rng, telegram, began = random.Random(seed), FaultyTelegram(), monotonic()  # noqa: S311
    crowd = Crowd(telegram, rng)
    telegram.display_log.watchers.append(crowd.watch)
    people = [telegram.person(number) for number in range(1, PEOPLE + 1)]
    with _hung_databases.stoppable_backends(url) as backends, database.open_database(url) as db:
        async with (
            FaultyServer(telegram) as server,
            _crowd.start_spawner(server) as spawner,
            _hung_databases.swallowing_proxy(url) as proxy,
        ):
            bots = Bots((proxy.url, url), spawner)
            adversity = Adversity(telegram, crowd, bots, proxy, backends, rng)
            await bots.start_missing()
            for person in people:
                person.send("/start")
            await _crowd.wait_until(lambda: len(crowd.tapped) == PEOPLE)
            trouble = asyncio.create_task(adversity.run())
            await _crowd.wait_for_marks(crowd, answers)
            trouble.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await trouble
            telegram.faults.latency, crowd.tapping = 0.0, False
            telegram.faults.forget()
            await bots.start_missing()
            await _crowd.wait_until(lambda: _crowd.count_waiting(db, telegram) == (0, 0, 0))
            for person in people:
                await _crowd.answer_once_more(crowd, person)
            await _crowd.wait_until(lambda: _crowd.count_waiting(db, telegram) == (0, 0, 0))
        with db.reading() as view:
            assert parked.list_parked(view) == []
        stored = _crowd.compare_screens(db, crowd)
    return AdversityReport(
        judgements=sum(map(len, stored.values())),
        shown=crowd.count_marks(),
        seconds=monotonic() - began,
        troubles=adversity.troubles,
    )
