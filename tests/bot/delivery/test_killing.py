"""Killed at random instants, again and again: the evidence of people's screens against the database."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from _crowd import Crowd, answer_once_more, compare_screens, count_waiting, start_spawner, wait_until

from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from annotation.store.database import Database

PEOPLE, KILLS, IN_FLIGHT = 32, 20, 10


async def test_killed_twenty_times_it_loses_nothing_doubles_nothing_and_leaves_nobody_stuck(
    url: str, db: Database, load_items: Callable[..., None]
) -> None:
    """At least ten updates in flight at each kill, updates in any order, some again and again."""
    load_items(items=900)
    rng = random.Random(7)  # noqa: S311
    telegram = Telegram()
    telegram.faults.latency = 0.05
    telegram.faults.reorder(rng)
    crowd = Crowd(telegram, rng)
    telegram.display_log.watchers.append(crowd.watch)
    people = [telegram.person(number) for number in range(1, PEOPLE + 1)]
    for person in people:
        person.send("/start")
    async with Server(telegram) as server, start_spawner(url, server) as bots:
        await bots.start()
        for _ in range(KILLS):
            await bots.start()  # it stands by until the other is gone
            seen = len(telegram.display_log.entries)
            await wait_until(lambda seen=seen: len(telegram.display_log.entries) > seen + 20)  # type: ignore[misc]
            await asyncio.sleep(rng.random() * 0.4)
            await wait_until(lambda: len(crowd.in_flight) >= IN_FLIGHT)
            bots.end(bots.running[0], signal.SIGKILL)
            telegram.faults.duplicate(rng.randrange(3))
        crowd.tapping = False
        await wait_until(lambda: count_waiting(db) == (0, 0))
        for person in people:
            await answer_once_more(crowd, person)
        await wait_until(lambda: count_waiting(db) == (0, 0))
    stored = compare_screens(db, crowd)
    assert len(stored) > 2 * PEOPLE
    assert any(len(several) > 1 for several in stored.values())
