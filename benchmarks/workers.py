"""Webhook workers behind a balancer: answers a second of 1, 2 and 4, and how their work goes on if one is killed.

All are on one PostgreSQL and one local Telegram, which takes 50 ms for each call. Each worker is a process that control
groups hold to the same share of a processor (`--share`, by default a fifth), so that the database, the balancer and the
people fit next to them; this needs root. Each has as many people, who tap about a second after an item appears: more
than it can serve. The numbers of workers take turns, and the ratios are those of one turn, since machines slow down.

- `answers`: acknowledged answers a second, and to those of one worker.
- `processor time`: that of all workers for an answer, and to that of one worker.
- `p99`: from tap to acknowledgement, while people ask for half of what the workers can do.
- Then one of two workers is killed while people tap, without quotas: the time until everybody has gone on, and the
  answers that were lost or doubled.

python benchmarks/workers.py [--seconds 15] [--rounds 3] [--people 64] [--share 0.2] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _contenders
import _crowd
import sqlalchemy as sa
from _balancer import start_balancer
from _cpu_quota import CpuQuota, limit_processors, measure_processor_time
from _crowd import BotSpawner, Crowd
from _faulty_telegram import FaultyServer, FaultyTelegram
from _figures import Figure, build_ratio, show
from _postgresql import binaries, server
from _tapping import BEFORE, TappingCrowd

from annotation.store import database

NUMBERS = (1, 2, 4)
LEAST_TIMES = {2: 1.6, 4: 2.5}
"""Answers of so many workers to those of one."""
MOST_TIME = 1.15
"""Processor time for an answer of several workers to that of one."""
LATENCY = 0.05
"""Seconds that Telegram takes for each call."""
THINKING = 1.0
"""Seconds from an item to the tap, on average."""
SETTLING = 3.0
"""Seconds under the quota before anything is measured."""
ITEMS, OVERLAP = 10_000, 3
KILLED_PEOPLE, KILLS = 32, 5
GOES_ON_SECONDS = 10.0


@dataclass(frozen=True)
class Measured:
    """What so many workers did: answers a second, milliseconds of processor time for an answer, the share of the quota
    that they used, and the milliseconds from tap to acknowledgement at half of that load.
    """

    answers: float
    processor: float
    used: float
    times: list[float]


@asynccontextmanager
async def create_database(url: str, folder: Path) -> AsyncIterator[str]:
    """A new database with a running project, until the block ends."""
    name, engine = f"run_{random.randrange(1 << 40)}", database.create_engine(url)  # noqa: S311
    own = sa.make_url(url).set(database=name).render_as_string(hide_password=False)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
        try:
            await asyncio.to_thread(_contenders.prepare, own, folder, items=ITEMS, overlap=OVERLAP)
            yield own
        finally:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@asynccontextmanager
async def run_workers(telegram: FaultyTelegram, url: str, *, workers: int) -> AsyncIterator[BotSpawner]:
    """So many workers that this Telegram calls through a balancer, until the block ends."""
    async with (
        FaultyServer(telegram) as running,
        _crowd.start_spawner(running) as bots,
        start_balancer(workers=workers) as balancer,
    ):
        for port in balancer.ports:
            await bots.start(url, webhook=balancer.url, port=port)
        yield bots


async def measure(url: str, folder: Path, quota: CpuQuota, *, workers: int, people: int, seconds: float) -> Measured:
    """So many workers, each with that many people, on a database of their own."""
    telegram = FaultyTelegram()
    telegram.faults.latency = LATENCY
    crowd = TappingCrowd(telegram)
    telegram.display_log.watchers.append(crowd.watch)
    everybody = range(1, people * workers + 1)
    async with (
        create_database(url, folder) as own,
        run_workers(telegram, own, workers=workers) as bots,
    ):
        for number in everybody:
            telegram.person(number).send("/start")
        await _crowd.wait_until(lambda: len(crowd.taps) == len(everybody) and min(crowd.taps.values()) >= BEFORE)
        crowd.thinking = THINKING
        for process in bots.running:
            quota.hold(process)
        await asyncio.sleep(SETTLING)
        before, used, begun = crowd.answers, _sum_processor_time(bots), perf_counter()
        await asyncio.sleep(seconds)
        answers, used, took = crowd.answers - before, _sum_processor_time(bots) - used, perf_counter() - begun
        crowd.thinking = 2 * len(everybody) * took / answers
        await asyncio.sleep(1.5 * crowd.thinking)  # until taps of before have come
        crowd.times.clear()
        await asyncio.sleep(seconds)
        times = [1000 * one for one in crowd.times]
    return Measured(answers / took, 1000 * used / answers, used / took / workers / quota.share, times)


def _sum_processor_time(bots: BotSpawner) -> float:
    return sum(map(measure_processor_time, bots.running))


async def measure_kills(url: str, folder: Path) -> tuple[float, int, int]:
    """One of two workers is killed, again and again: the seconds until everybody has gone on, at most; how many answers
    were stored, and how many were lost or doubled.
    """
    rng = random.Random(7)  # noqa: S311
    telegram = FaultyTelegram()
    telegram.faults.latency = LATENCY
    crowd, shown, longest = Crowd(telegram, rng), dict[int, float](), 0.0
    telegram.display_log.watchers.append(crowd.watch)
    telegram.display_log.watchers.append(
        lambda entry: shown.update({entry.person: perf_counter()}) if entry.kind == "message" else None
    )
    async with (
        create_database(url, folder) as own,
        FaultyServer(telegram) as running,
        _crowd.start_spawner(running) as bots,
        start_balancer() as balancer,
    ):
        numbers = [await bots.start(own, webhook=balancer.url, port=port) for port in balancer.ports]
        for number in range(1, KILLED_PEOPLE + 1):
            telegram.person(number).send("/start")
        await _crowd.wait_for_marks(crowd, 4 * KILLED_PEOPLE)
        for kill in range(KILLS):
            place = kill % len(numbers)
            await _crowd.wait_until(lambda: len(crowd.in_flight) >= KILLED_PEOPLE // 3)
            bots.end(numbers[place])
            killed = perf_counter()
            await _crowd.wait_until(lambda killed=killed: len(shown) == KILLED_PEOPLE and min(shown.values()) > killed)  # type: ignore[misc]
            longest = max(longest, perf_counter() - killed)
            await _crowd.wait_until(lambda ended=numbers[place]: not _crowd.is_running(ended))  # type: ignore[misc]
            numbers[place] = await bots.start(own, webhook=balancer.url, port=balancer.ports[place])
        with database.open_database(own) as opened:
            crowd.tapping = False
            await _crowd.wait_until(lambda: _crowd.count_waiting(opened, telegram) == (0, 0, 0))
            stored = await asyncio.to_thread(_count_wrong, opened, crowd)
    return longest, *stored


def _count_wrong(opened: database.Database, crowd: Crowd) -> tuple[int, int]:
    """How many assignments were answered, and how many differ from what screens said."""
    try:
        return len(_crowd.compare_screens(opened, crowd)), 0
    except AssertionError as failure:
        print(f"screens and database differ: {failure}", file=sys.stderr)
        return 0, 1


async def main(*, seconds: float, rounds: int, people: int, share: float) -> list[Figure]:
    """Every figure."""
    programs = binaries()
    if programs is None:
        raise SystemExit("PostgreSQL is missing (Debian: apt-get install postgresql).")
    measured: dict[int, list[Measured]] = {number: [] for number in NUMBERS}
    with (
        tempfile.TemporaryDirectory(prefix="hromada-bench-") as name,
        server(programs) as url,
        limit_processors(share) as quota,
    ):
        for turn in range(rounds):
            for number in NUMBERS:
                found = await measure(url, Path(name), quota, workers=number, people=people, seconds=seconds)
                measured[number].append(found)
                print(
                    f"turn {turn + 1}: {number} workers {found.answers:7.1f} answers/s, {found.processor:.2f} ms each, "
                    f"{found.used:.0%} of the quota, p99 {quantiles(found.times, n=100)[98]:.0f} ms, "
                    f"load {os.getloadavg()[0]:.1f}",
                    file=sys.stderr,
                )
        killed = await measure_kills(url, Path(name))
    return [*_compare(measured), *_judge_kills(*killed)]


def _compare(measured: dict[int, list[Measured]]) -> list[Figure]:
    """Medians over the turns; ratios are within a turn."""
    figures = []
    for number, found in measured.items():
        name = f"{number} worker{'s' * (number > 1)}"
        figures += [
            Figure(f"{name}: answers", median(one.answers for one in found), "1/s"),
            Figure(f"{name}: share of the quota used", median(one.used for one in found), ""),
            Figure(f"{name}: processor time an answer", median(one.processor for one in found), "ms"),
            Figure(
                f"{name}: p99 at half of that",
                quantiles([time for one in found for time in one.times], n=100)[98],
                "ms",
            ),
        ]
    for number, least in LEAST_TIMES.items():
        pairs = list(zip(measured[number], measured[1], strict=True))
        times = median(several.answers / one.answers for several, one in pairs)
        processor = median(several.processor / one.processor for several, one in pairs)
        figures += [
            Figure(f"answers of {number} workers to one", times, "times", f">= {least}", times >= least),
            build_ratio(f"processor time of {number} to one", processor, 1.0, most=MOST_TIME),
        ]
    return figures


def _judge_kills(longest: float, stored: int, wrong: int) -> list[Figure]:
    return [
        Figure(
            f"everybody goes on after a kill, longest of {KILLS}",
            longest,
            "s",
            f"<= {GOES_ON_SECONDS:g}",
            longest <= GOES_ON_SECONDS,
        ),
        Figure("answers stored over the kills", stored, ""),
        Figure("lost or doubled", wrong, "", "== 0", wrong == 0),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--people", type=int, default=64)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    show(
        "Webhook workers",
        asyncio.run(
            main(seconds=chosen.seconds, rounds=chosen.rounds, people=chosen.people, share=chosen.share),
        ),
    )
