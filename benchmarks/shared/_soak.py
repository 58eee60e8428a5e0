"""A bot at a steady rate for long: whether an answer is lost, its memory grows, or it becomes slower."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import _contenders
import sqlalchemy as sa
from _processes import read_memory, read_processor_time
from _tapping import TappingCrowd, run_contender

from annotation.store import database

PEOPLE = 64
RATE = 50
"""Answers a second."""
WARM_AFTER = 5000
"""Answers after which everything has been used once: statements are compiled, caches are full."""
MOST_MINUTES = 10
"""The longest window; a shorter run has three windows."""
MOST_SILENCE = 60
"""Seconds without an acknowledgement after which a run is given up."""


@dataclass
class Window:
    """A part of a run: seconds from tap to acknowledgement of each answer, megabytes, read each second, and seconds of
    the processor that the bot took.
    """

    times: list[float]
    megabytes: list[float]
    processor_seconds: float

    @property
    def p50(self) -> float:
        """Median milliseconds from tap to acknowledgement."""
        return 1000 * median(self.times)

    @property
    def p99(self) -> float:
        """Milliseconds within which 99 of 100 answers are acknowledged."""
        return 1000 * quantiles(self.times, n=100)[98]

    @property
    def processor_time(self) -> float:
        """Milliseconds of the processor per answer, which other work on the machine changes least."""
        return 1000 * self.processor_seconds / len(self.times)

    @property
    def memory(self) -> float:
        """Median megabytes."""
        return median(self.megabytes)


@dataclass
class SoakReport:
    """What was seen; `warm` is the memory when everything had been used once, `most` the most ever, in megabytes.

    `lost` counts answers that were tapped and not acknowledged, or acknowledged and not stored; `doubled` those that
    are stored twice.
    """

    windows: list[Window] = field(default_factory=list)
    warm: float = 0.0
    most: float = 0.0
    answers: int = 0
    lost: int = 0
    doubled: int = 0


async def soak(folder: Path, *, minutes: float) -> SoakReport:
    """Let PEOPLE answer at RATE for so long a bot on SQLite that polls a local Telegram over HTTP."""
    items = _contenders.LOADED * -(-2 * (WARM_AFTER + round(60 * RATE * minutes)) // (_contenders.LOADED * PEOPLE))
    url, report = f"sqlite:///{folder / 'soak.db'}", SoakReport()
    _contenders.prepare(url, folder, items=items, overlap=PEOPLE)
    async with run_contender("hromada", url, people=PEOPLE) as crowd:
        await _wait(crowd, lambda: crowd.answers >= WARM_AFTER)
        crowd.paced = True
        await _wait(crowd, lambda: has_settled(crowd))
        report.warm, before = read_memory(crowd.process, "VmRSS"), count_judgements(crowd.url)
        tapped_before = crowd.taps.total()
        with _without_garbage_collection():
            parts = max(3, round(minutes / MOST_MINUTES))
            for _ in range(parts):
                report.windows.append(await _measure_window(crowd, seconds=60 * minutes / parts))
            await _wait(crowd, lambda: has_settled(crowd))
        report.most = read_memory(crowd.process, "VmHWM")
        stored = count_judgements(crowd.url) - before
    report.answers = crowd.taps.total() - tapped_before
    report.lost, report.doubled = max(0, report.answers - stored), max(0, stored - report.answers)
    return report


def has_settled(crowd: TappingCrowd) -> bool:
    """Whether every tap was acknowledged and everybody has the next item, which comes after the commit.

    An acknowledgement may come after the next item, so that it alone does not say so.
    """
    return not crowd.begun and len(crowd.ready) >= PEOPLE


async def _measure_window(crowd: TappingCrowd, *, seconds: float) -> Window:
    """Tap for so many seconds."""
    crowd.times, megabytes, before = [], [], read_processor_time(crowd.process)
    end = perf_counter() + seconds
    async with asyncio.TaskGroup() as group:
        group.create_task(crowd.tap_steadily(RATE, until=lambda: perf_counter() >= end))
        while perf_counter() < end:
            megabytes.append(read_memory(crowd.process, "VmRSS"))
            await asyncio.sleep(min(1.0, seconds / 10))
    return Window(crowd.times, megabytes, read_processor_time(crowd.process) - before)


def count_judgements(url: str) -> int:
    """How many judgements are stored."""
    with database.open_database(url) as opened, opened.reading() as view:
        return int(view.connection().execute(sa.text("SELECT count(*) FROM judgement")).scalar_one())


async def _wait(crowd: TappingCrowd, until: Callable[[], bool]) -> None:
    """Wait until something is so; raise RuntimeError after MOST_SILENCE seconds without an answer."""
    seen, since = crowd.answers, perf_counter()
    while not until():
        if crowd.answers > seen:
            seen, since = crowd.answers, perf_counter()
        if perf_counter() - since > MOST_SILENCE:
            raise RuntimeError(f"The bot has acknowledged nothing for {MOST_SILENCE} seconds.")
        await asyncio.sleep(0.05)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """The people's process looks for no garbage: the more chats it holds, the longer it would pause."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
