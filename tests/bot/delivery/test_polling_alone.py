"""Polling: one process at a time, through every failure, and an end when nothing helps."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from annotation.errors import Unavailable
from annotation.store import processes
from annotation.store.models import Heartbeat
from bot import application
from bot.delivery import limits_and_retries, polling, process_lease
from bot.delivery.limits_and_retries import AwaitedService, Watchdog
from bot.delivery.process_lease import LeaseKeeper
from bot.emulator.request import LocalRequest

if TYPE_CHECKING:
    from types import ModuleType

    from tests.bot.delivery.conftest import Stage


async def until(condition: object, *, seconds: float = 300) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)


async def test_a_lease_has_one_holder_until_it_is_given_back_or_over(stage: Stage) -> None:
    """The second waits; a holder that does not come back loses it, and knows."""
    first, second = LeaseKeeper(stage.app.runner, "polling", "a:1:x"), LeaseKeeper(stage.app.runner, "polling", "b:1:x")
    assert await first.acquire()
    assert not await second.acquire()
    await first.release()
    assert await second.acquire()
    stage.now += timedelta(seconds=16)
    assert not second.held
    assert await first.acquire()
    assert not await second.acquire()


async def test_a_holder_of_this_machine_that_is_gone_is_not_waited_for(stage: Stage) -> None:
    """No process has that number; one that lives is waited for."""
    mine = LeaseKeeper(stage.app.runner, "polling")
    host, _, life = mine.holder.rsplit(":", 2)
    place = life.split("-", 1)[1]
    later = stage.now + timedelta(seconds=15)
    born = process_lease.read_start_time(1)
    for holder, taken in ((f"{host}:1:{born}-{place}", False), (f"{host}:99999999:{born}-{place}", True)):
        with stage.db.transaction() as session:
            processes.take_lease(
                session, name="polling", holder=holder, now=later + timedelta(1), until=later + timedelta(1)
            )
        assert await mine.acquire() is taken
        stage.now += timedelta(days=3)


async def test_the_poller_survives_what_telegram_says(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """A conflict, a flood limit, bad gateways: a pause each, then it goes on, and nothing was dropped."""
    person = stage.telegram.person(1)
    person.send("/start")
    faults = stage.telegram.faults
    faults.fail("getUpdates", 409, "Conflict: terminated by other getUpdates request")
    faults.fail("getUpdates", 502)
    faults.fail("deleteWebhook", 500)
    faults.fail("getUpdates", 429, retry_after=1)
    with caplog.at_level(logging.WARNING):
        async with application.poll_in_background(stage.app):
            await until(lambda: person.messages)
    assert caplog.text.count("Another program takes this bot’s updates") == 1
    assert stage.telegram.token not in caplog.text


async def test_a_poll_that_another_program_ends_is_no_heartbeat(stage: Stage) -> None:
    """Telegram answers everything else; only where updates can be had is that noted."""
    person = stage.telegram.person(1)
    for _ in range(3):
        stage.telegram.faults.fail("getUpdates", 409, "Conflict: terminated by other getUpdates request")
    async with application.poll_in_background(stage.app):
        await until(lambda: stage.telegram.calls["getupdates"] == 3)
        with stage.db.reading() as view:
            assert view.get(Heartbeat, "polling") is None
        person.send("/start")
        await until(lambda: person.messages)
        with stage.db.reading() as view:
            assert view.get_one(Heartbeat, "polling").at == stage.now


async def test_what_could_not_be_stored_is_not_confirmed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next question asks for the same updates."""
    from annotation.store import mailbox

    person = stage.telegram.person(1)
    person.send("/start")
    store, failures = mailbox.store_updates, iter(range(2))

    def failing(*arguments: object, **named: object) -> None:
        if next(failures, None) is not None:
            raise Unavailable("It does not answer.")
        store(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(mailbox, "store_updates", failing)
    async with application.poll_in_background(stage.app):
        await until(lambda: person.messages)
    assert len(person.messages) == 1


async def test_a_second_process_stands_by(
    stage: Stage, tiny: ModuleType, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Telegram is asked by one of them at a time, and never sees a conflict; the other says once that it waits."""
    telegram = stage.telegram
    monkeypatch.setattr(polling, "STANDBY_SECONDS", 0.2)
    other = application.build_application(
        token=telegram.token, database=stage.db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        clock=lambda: stage.now, database_clock=lambda: stage.now,
    )  # fmt: skip
    first = telegram.person(1)
    async with application.poll_in_background(other):
        first.send("/start")
        await until(lambda: first.messages)
        with caplog.at_level(logging.INFO):
            async with application.poll_in_background(stage.app):
                await until(lambda: "this one waits" in caplog.text)
                await asyncio.sleep(0.5)
        assert telegram.calls["deletewebhook"] == 1
        assert caplog.text.count("this one waits") == 1


async def ended(stage: Stage, *, seconds: float = 0.5) -> str:
    """The sentence and the remedy with which a bot ends that nobody answers for so long."""
    stage.app.watchdog.seconds, stage.app.watchdog.exit_when_stuck = seconds, True
    with pytest.raises(Unavailable) as failure:
        await asyncio.wait_for(application.serve_updates(stage.app), 300)
    return f"{failure.value} {failure.value.remedy}"


async def test_a_bot_that_is_to_end_when_stuck_ends_with_the_reason(stage: Stage) -> None:
    """The network stands still: after the time given the bot ends by itself, with a sentence."""
    stage.telegram.faults.stall()
    told = await ended(stage, seconds=1)
    assert told.startswith("Telegram does not answer. No update has come for 1 seconds.")
    assert "check the network" in told
    stage.telegram.faults.resume()


@pytest.mark.parametrize("silent", ["failing", "hanging"])
async def test_the_watchdog_names_a_database_that_is_silent(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, silent: str
) -> None:
    """Telegram is well: it is not blamed, and the remedy is the database's; so too where its answer never comes."""

    async def acquire(_: LeaseKeeper) -> bool:
        if silent == "failing":
            raise Unavailable("It does not answer.")
        await asyncio.Event().wait()
        return True

    monkeypatch.setattr(LeaseKeeper, "acquire", acquire)
    told = await ended(stage)
    assert told.startswith("The database does not answer: nothing has come from it for 0 seconds.")
    assert "check that the database runs" in told
    assert "Telegram" not in told


async def test_the_watchdog_names_a_database_that_falls_silent_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polls came, until the lease could not be renewed: nobody asks Telegram any more, and it is not blamed."""
    person, acquire, dead = stage.telegram.person(1), LeaseKeeper.acquire, asyncio.Event()

    async def failing(lease: LeaseKeeper) -> bool:
        if dead.is_set():
            raise Unavailable("It does not answer.")
        return await acquire(lease)

    monkeypatch.setattr(LeaseKeeper, "acquire", failing)
    person.send("/start")
    working = asyncio.create_task(ended(stage, seconds=1e9))
    await until(lambda: person.messages)
    dead.set()
    stage.now += timedelta(seconds=16)
    await until(lambda: AwaitedService.TELEGRAM not in stage.app.watchdog._waits)
    stage.app.watchdog.seconds = 1
    assert (await working).startswith("The database does not answer")


async def test_a_watchdog_that_is_fed_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A poll that succeeds is enough."""
    seconds = 0.0
    monkeypatch.setattr(limits_and_retries, "monotonic", lambda: seconds)
    dog = Watchdog(seconds=0.2, exit_when_stuck=True)
    watching = asyncio.create_task(dog.run())
    for _ in range(5):
        seconds += 0.1
        await asyncio.sleep(0.1)
        dog.note_answer(AwaitedService.TELEGRAM)
        dog.await_service(AwaitedService.TELEGRAM)
    assert not watching.done()
    watching.cancel()


async def test_a_stop_does_not_wait_for_telegram_and_loses_nothing(stage: Stage, tiny: ModuleType) -> None:
    """In the middle of forty people's updates, while a call takes an hour; another process goes on where it ended."""
    telegram = stage.telegram
    people = [telegram.person(number) for number in range(1, 41)]
    async with application.poll_in_background(stage.app):
        for person in people[:4]:
            person.send("/start")
        await until(lambda: all(person.messages for person in people[:4]))
        telegram.faults.latency = 3600
        for person in people[4:]:
            person.send("/start")
        await stage.app.workers.receive_updates(telegram.take())
        await until(stage.app.sender.list_held_ids)
        begun = monotonic()
    assert monotonic() - begun < 60
    telegram.faults.latency = 0
    stage.now += timedelta(seconds=20)
    other = application.build_application(
        token=telegram.token, database=stage.db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        clock=lambda: stage.now, database_clock=lambda: stage.now,
    )  # fmt: skip
    async with application.poll_in_background(other):
        await until(lambda: all(person.messages for person in people))
