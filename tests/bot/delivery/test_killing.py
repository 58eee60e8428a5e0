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
from _faulty_telegram import FaultyServer, FaultyTelegram

if TYPE_CHECKING:
    from annotation.store.database import Database

PEOPLE, KILLS = 32, 20
FEW_PEOPLE, FEW_KILLS, FEW_ANSWERS = 15, 2, 90
"""Of the tests that run with every change."""
WHOLE = pytest.mark.slow


def gather_crowd(people: int) -> Crowd:
    """People who have begun; their updates come in any order."""
    rng = random.Random(7)  # noqa: S311
    telegram = FaultyTelegram()
    telegram.faults.latency = 0.05
    telegram.faults.reorder(rng)
    crowd = Crowd(telegram, rng)
    telegram.display_log.watchers.append(crowd.watch)
    for number in range(1, people + 1):
        telegram.person(number).send("/start")
    return crowd


async def wait_for_kill(crowd: Crowd, people: int) -> None:
    """Until people have done something, and updates of a third of them are in flight."""
    entries = crowd.telegram.display_log.entries
    seen = len(entries)
    await wait_until(lambda: len(entries) > seen + 20)
    await asyncio.sleep(crowd.rng.random() * 0.4)
    await wait_until(lambda: len(crowd.in_flight) >= people // 3)


async def end_calmly(crowd: Crowd, people: int, db: Database) -> None:
    """Nobody taps any more, and nothing waits; then everybody answers once more."""
    crowd.tapping = False
    await wait_until(lambda: count_waiting(db, crowd.telegram) == (0, 0, 0))
    for number in range(1, people + 1):
        await answer_once_more(crowd, crowd.telegram.person(number))
    await wait_until(lambda: count_waiting(db, crowd.telegram) == (0, 0, 0))


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "people", "kills"),
    [
        ("sqlite", FEW_PEOPLE, FEW_KILLS),
        pytest.param("sqlite", PEOPLE, KILLS, marks=WHOLE),
        pytest.param("postgresql", PEOPLE, KILLS, marks=WHOLE),
    ],
    indirect=["url"],
)
async def test_killed_again_and_again_it_loses_nothing_doubles_nothing_and_leaves_nobody_stuck(
    url: str, db: Database, load_items: Callable[..., None], people: int, kills: int
) -> None:
    """A third of the people have an update in flight at each kill; updates in any order, some again and again."""
    load_items(items=28 * people)
    crowd = gather_crowd(people)
    async with FaultyServer(crowd.telegram) as server, start_spawner(server) as bots:
        await bots.start(url)
        await wait_for_marks(crowd, people)
        for _ in range(kills):
            await bots.start(url)  # it stands by until the other is gone
            await wait_for_kill(crowd, people)
            bots.end(bots.running[0])
            crowd.telegram.faults.duplicate(crowd.rng.randrange(3))
        await end_calmly(crowd, people, db)
    stored = compare_screens(db, crowd)
    assert len(stored) > 2 * people
    assert any(len(several) > 1 for several in stored.values())


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "people", "answers"),
    [("postgresql", FEW_PEOPLE, FEW_ANSWERS)],
    indirect=["url"],
)
async def test_two_called_workers_share_one_inbox(
    url: str, db: Database, load_items: Callable[..., None], people: int, answers: int
) -> None:
    """Under load: each update goes to one of them, both work, and what they store is what the screens say."""
    load_items(items=28 * people)
    crowd = gather_crowd(people)
    async with FaultyServer(crowd.telegram) as server, start_spawner(server) as bots, start_balancer() as balancer:
        for port in balancer.ports:
            await bots.start(url, webhook=balancer.url, port=port)
        await wait_for_marks(crowd, answers)
        await end_calmly(crowd, people, db)
    assert min(balancer.taken.values()) > answers / 3
    stored = compare_screens(db, crowd)
    assert any(len(several) > 1 for several in stored.values())


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_two_called_workers_are_killed_twenty_times(
    url: str, db: Database, load_items: Callable[..., None]
) -> None:
    """One after the other and both at once: what was not taken is brought again."""
    load_items(items=28 * PEOPLE)
    crowd = gather_crowd(PEOPLE)
    async with FaultyServer(crowd.telegram) as server, start_spawner(server) as bots, start_balancer() as balancer:
        numbers = [await bots.start(url, webhook=balancer.url, port=port) for port in balancer.ports]
        for _ in range(KILLS):
            await wait_for_kill(crowd, PEOPLE)
            places = crowd.rng.choice(((0,), (1,), (0, 1)))
            for place in places:
                bots.end(numbers[place])
            crowd.telegram.faults.duplicate(crowd.rng.randrange(3))
            for place in places:
                await wait_until(lambda ended=numbers[place]: not is_running(ended))  # type: ignore[misc]
                numbers[place] = await bots.start(url, webhook=balancer.url, port=balancer.ports[place])
        await end_calmly(crowd, PEOPLE, db)
    stored = compare_screens(db, crowd)
    assert len(stored) > 2 * PEOPLE
