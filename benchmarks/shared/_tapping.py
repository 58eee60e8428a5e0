"""A bot at work on a local Telegram while people tap, for the benchmarks of the bot."""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from _faulty_telegram import FaultyTelegram

from bot.emulator.model import DisplayedEvent, Message
from bot.emulator.server import Server

CONTENDER = Path(__file__).parent / "_contenders.py"
BEFORE = 6
"""Taps of everybody before anything is measured: who joins has to get through the first questions."""


@dataclass
class TappingCrowd:
    """People who tap the first button of every new message: at once, after about `thinking` seconds, or where `paced`,
    when they are told to.

    `url` is that of the bot's database, `process` the id of its process. `answers` counts the taps that were
    acknowledged, `times` are the seconds that each took.
    """

    telegram: FaultyTelegram
    url: str = ""
    process: int = 0
    begun: dict[int, float] = field(default_factory=dict)
    taps: Counter[int] = field(default_factory=Counter)
    answers: int = 0
    times: list[float] = field(default_factory=list)
    ready: list[Message] = field(default_factory=list)
    paced: bool = False
    thinking: float = 0.0
    rng: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311

    def watch(self, entry: DisplayedEvent) -> None:
        """A toast ends a tap; a new item begins one."""
        if entry.kind == "toast" and entry.person in self.begun:
            self.answers += 1
            self.times.append(perf_counter() - self.begun.pop(entry.person))
        if entry.kind == "message" and entry.buttons:
            message = self.telegram.chats[entry.person].messages[entry.message]
            if self.paced:
                self.ready.append(message)
            else:
                seconds = self.thinking * self.rng.uniform(0.5, 1.5)
                asyncio.get_running_loop().call_later(seconds, self.tap, message)

    def tap(self, message: Message) -> None:
        """Tap its first button."""
        self.taps[message.chat.id] += 1
        self.begun[message.chat.id] = perf_counter()
        self.telegram.person(message.chat.id).press(message.buttons[0][1], on=message)

    async def tap_steadily(self, rate: float, *, until: Callable[[], bool]) -> None:
        """Tap at so many answers a second until something is so; taps that nobody could make in time follow at once."""
        begun, taps = perf_counter(), 0
        while not until():
            await asyncio.sleep(max(0.0, begun + taps / rate - perf_counter()))
            if self.ready:
                self.tap(self.ready.pop(0))
                taps += 1
            else:
                await asyncio.sleep(1 / rate)


@asynccontextmanager
async def run_contender(
    kind: str, url: str, *, people: int, slow: float = 0.0, page_port: int = 0
) -> AsyncIterator[TappingCrowd]:
    """A contender at work with everybody's first item on the screen; Telegram takes `slow` seconds for each call.

    With a port the contender serves the answer page there.
    """
    telegram = FaultyTelegram()
    telegram.faults.latency = slow
    url = _copy_database(url)
    crowd = TappingCrowd(telegram, url)
    async with Server(telegram) as server:
        arguments = [kind, url, server.url, telegram.token, *([str(page_port)] if page_port else [])]
        process = await asyncio.create_subprocess_exec(sys.executable, str(CONTENDER), *arguments, cwd=CONTENDER.parent)
        crowd.process = process.pid
        try:
            telegram.display_log.watchers.append(crowd.watch)
            for number in range(1, people + 1):
                telegram.person(number).send("/start")
            async with asyncio.timeout(120):
                while min(crowd.taps.values(), default=0) < BEFORE or len(crowd.taps) < people:
                    await asyncio.sleep(0.02)
            yield crowd
        finally:
            process.terminate()
            await process.wait()


def _copy_database(url: str) -> str:
    """A copy of the database: each run begins where the others began."""
    file = Path(url.removeprefix("sqlite:///"))
    for rest in file.parent.glob("run.db*"):
        rest.unlink()
    shutil.copy(file, file.parent / "run.db")
    return f"sqlite:///{file.parent / 'run.db'}"
