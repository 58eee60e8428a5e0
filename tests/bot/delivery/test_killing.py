"""Killed at random instants, again and again: the evidence of people's screens against the database."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from annotation.store import soundness
from bot.emulator.ledger import Entry
from bot.emulator.people import Person
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from annotation.store.database import Database

TINY = Path(__file__).parent / "tiny.py"
PEOPLE, KILLS, IN_FLIGHT = 32, 20, 10


@dataclass
class Crowd:
    """People who tap as soon as there is something to tap; some twice, some on what they answered long ago."""

    telegram: Telegram
    rng: random.Random
    tapping: bool = True
    tapped: dict[int, int] = field(default_factory=dict)
    marked: Counter[tuple[int, str]] = field(default_factory=Counter)
    in_flight: set[int] = field(default_factory=set)

    def watch(self, entry: Entry) -> None:
        """What comes onto a screen is answered a moment later."""
        if entry.kind == "edit" and entry.text.startswith("✓"):
            number, answer = entry.text.removeprefix("✓ ").split(" · ")
            self.marked[int(number), answer] += 1
            self.in_flight.discard(entry.person)
        if entry.kind == "message" and entry.buttons and self.tapping:
            asyncio.get_running_loop().call_later(self.rng.random() * 0.05, self.tap, entry.person, entry.message)

    def tap(self, who: int, number: int) -> None:
        """Tap an option of the newest item, unless that was done."""
        person = self.telegram.person(who)
        message = person.chat.messages[number]
        if not self.tapping or not message.buttons or self.tapped.get(who, 0) >= number:
            return
        self.tapped[who] = number
        self.in_flight.add(who)
        label = self.rng.choice("AB")
        for _ in range(2 if self.rng.random() < 0.2 else 1):
            person.tap(label, on=message)
        if self.rng.random() < 0.1:
            person.press("a:1:0:1", on=message)

    def settled(self, person: Person) -> bool:
        """Whether the newest message is an item that waits for her."""
        return bool(person.messages) and bool(person.messages[-1].buttons) and person.id not in self.in_flight


@dataclass
class Nursery:
    """Starts bots."""

    process: asyncio.subprocess.Process
    running: list[int] = field(default_factory=list)

    async def start(self, port: str = "") -> int:
        """A new bot; its process number."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{port}\n".encode())
        self.running.append(int(await asyncio.wait_for(self.process.stdout.readline(), 20)))
        return self.running[-1]

    def end(self, number: int, how: signal.Signals) -> None:
        """End one, by its number."""
        self.running.remove(number)
        os.kill(number, how)


@asynccontextmanager
async def nursery(url: str, server: Server) -> AsyncIterator[Nursery]:
    """A nursery, ended with all that it started."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, TINY, url, server.url, server.telegram.token, stdin=pipe, stdout=pipe
    )
    found = Nursery(process)
    try:
        yield found
    finally:
        for number in tuple(found.running):
            found.end(number, signal.SIGKILL)
        process.kill()
        await process.wait()


async def until(condition: object, *, seconds: float = 30) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)


async def test_killed_twenty_times_it_loses_nothing_doubles_nothing_and_leaves_nobody_stuck(
    url: str, db: Database, tmp_path: Path, load_items: object
) -> None:
    """At least ten updates in flight at each kill, updates in any order, some again and again."""
    load_items(items=900)  # type: ignore[operator]
    rng = random.Random(7)  # noqa: S311
    telegram = Telegram()
    telegram.faults.latency = 0.05
    telegram.faults.reorder(rng)
    crowd = Crowd(telegram, rng)
    telegram.ledger.watchers.append(crowd.watch)
    people = [telegram.person(number) for number in range(1, PEOPLE + 1)]
    for person in people:
        person.send("/start")
    async with Server(telegram) as server, nursery(url, server) as bots:
        await bots.start()
        for _ in range(KILLS):
            await bots.start()  # it stands by until the other is gone
            seen = len(telegram.ledger.entries)
            await until(lambda seen=seen: len(telegram.ledger.entries) > seen + 20)
            await asyncio.sleep(rng.random() * 0.4)
            await until(lambda: len(crowd.in_flight) >= IN_FLIGHT)
            bots.end(bots.running[0], signal.SIGKILL)
            telegram.faults.duplicate(rng.randrange(3))
        crowd.tapping = False
        await until(lambda: all(map(crowd.settled, people)))
        await until(lambda: _waiting(db) == (0, 0))
    _compare(db, crowd)


def _waiting(db: Database) -> tuple[int, int]:
    """How much lies in the boxes."""
    with db.engine.connect() as connection:
        came = connection.execute(sa.text("SELECT count(*) FROM inbox WHERE done_at IS NULL")).scalar_one()
        goes = connection.execute(sa.text("SELECT count(*) FROM outbox")).scalar_one()
        return came, goes


def _compare(db: Database, crowd: Crowd) -> None:
    with db.reading() as view:
        assert soundness.broken(view) == ()
        stored = view.connection().execute(sa.text("SELECT assignment_id, response FROM judgement")).all()
    assert len(stored) == len({assignment for assignment, _ in stored})
    assert {tuple(row) for row in stored} == set(crowd.marked)
    assert len(stored) > KILLS * IN_FLIGHT
