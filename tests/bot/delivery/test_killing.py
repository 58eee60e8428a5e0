"""Killed at random instants, again and again: the evidence of people's screens against the database."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from _balancer import start_balancer
from _crowd import (
    Crowd,
    answer_once_more,
    compare_screens,
    count_waiting,
    is_running,
    start_spawner,
    wait_for_marks,
    wait_until,
)

from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from annotation.store.database import Database

PEOPLE, KILLS, IN_FLIGHT, ANSWERS = 32, 20, 10, 600


def gather_crowd() -> Crowd:
    """People who have begun; their updates come in any order."""
    rng = random.Random(7)  # noqa: S311
    telegram = Telegram()
    telegram.faults.latency = 0.05
    telegram.faults.reorder(rng)
    crowd = Crowd(telegram, rng)
    telegram.display_log.watchers.append(crowd.watch)
    for number in range(1, PEOPLE + 1):
        telegram.person(number).send("/start")
    return crowd


async def wait_for_kill(crowd: Crowd) -> None:
    """Until people have done something, and at least ten updates are in flight."""
    entries = crowd.telegram.display_log.entries
    seen = len(entries)
    await wait_until(lambda: len(entries) > seen + 20)
    await asyncio.sleep(crowd.rng.random() * 0.4)
    await wait_until(lambda: len(crowd.in_flight) >= IN_FLIGHT)


async def end_calmly(crowd: Crowd, db: Database) -> None:
    """Nobody taps any more, and nothing waits; then everybody answers once more."""
    crowd.tapping = False
    await wait_until(lambda: count_waiting(db, crowd.telegram) == (0, 0, 0))
    for number in range(1, PEOPLE + 1):
        await answer_once_more(crowd, crowd.telegram.person(number))
    await wait_until(lambda: count_waiting(db, crowd.telegram) == (0, 0, 0))


async def test_killed_twenty_times_it_loses_nothing_doubles_nothing_and_leaves_nobody_stuck(
    url: str, db: Database, load_items: Callable[..., None]
) -> None:
    """At least ten updates in flight at each kill, updates in any order, some again and again."""
    load_items(items=900)
    crowd = gather_crowd()
    async with Server(crowd.telegram) as server, start_spawner(server) as bots:
        await bots.start(url)
        for _ in range(KILLS):
            await bots.start(url)  # it stands by until the other is gone
            await wait_for_kill(crowd)
            bots.end(bots.running[0])
            crowd.telegram.faults.duplicate(crowd.rng.randrange(3))
        await end_calmly(crowd, db)
    stored = compare_screens(db, crowd)
    assert len(stored) > 2 * PEOPLE
    assert any(len(several) > 1 for several in stored.values())


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_two_called_workers_share_one_inbox(url: str, db: Database, load_items: Callable[..., None]) -> None:
    """Under load: each update goes to one of them, both work, and what they store is what the screens say."""
    load_items(items=900)
    crowd = gather_crowd()
    async with Server(crowd.telegram) as server, start_spawner(server) as bots, start_balancer() as balancer:
        for port in balancer.ports:
            await bots.start(url, webhook=balancer.url, port=port)
        await wait_for_marks(crowd, ANSWERS)
        await end_calmly(crowd, db)
    assert min(balancer.taken.values()) > ANSWERS / 3
    stored = compare_screens(db, crowd)
    assert any(len(several) > 1 for several in stored.values())


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_two_called_workers_are_killed_twenty_times(
    url: str, db: Database, load_items: Callable[..., None]
) -> None:
    """One after the other and both at once: what was not taken is brought again."""
    load_items(items=900)
    crowd = gather_crowd()
    async with Server(crowd.telegram) as server, start_spawner(server) as bots, start_balancer() as balancer:
        numbers = [await bots.start(url, webhook=balancer.url, port=port) for port in balancer.ports]
        for _ in range(KILLS):
            await wait_for_kill(crowd)
            places = crowd.rng.choice(((0,), (1,), (0, 1)))
            for place in places:
                bots.end(numbers[place])
            crowd.telegram.faults.duplicate(crowd.rng.randrange(3))
            for place in places:
                await wait_until(lambda ended=numbers[place]: not is_running(ended))  # type: ignore[misc]
                numbers[place] = await bots.start(url, webhook=balancer.url, port=balancer.ports[place])
        await end_calmly(crowd, db)
    stored = compare_screens(db, crowd)
    assert len(stored) > 2 * PEOPLE
