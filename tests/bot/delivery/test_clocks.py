"""Clocks that are wrong: processes agree on leases and holds by the clock of the database, and take over at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from _faulty_telegram import FaultyTelegram
from sqlmodel import select

from annotation.store import invariants, mailbox, processes
from annotation.store.mailbox import MessageHold, OutboxDraft
from annotation.store.models import Assignment, Journal
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import Event
from bot import application
from bot.delivery import process_lease
from bot.delivery.process_lease import LEASE_TIME, LeaseKeeper
from bot.delivery.transaction_runner import DatabaseClock, TransactionRunner, read_database_clock
from bot.emulator.request import LocalRequest

if TYPE_CHECKING:
    from types import ModuleType

    from annotation.store.database import Database

FAST = timedelta(seconds=616)
"""How far a clock is ahead."""


def get_fast_now() -> datetime:
    """The time by a clock that is fast."""
    return processes.get_machine_time() + FAST


async def test_the_lease_of_a_process_with_a_fast_clock_ends_in_time(db: Database) -> None:
    """It dies on another machine; sixteen seconds later, not ten minutes, another one has the lease."""
    fast = TransactionRunner(database=db, clock=get_fast_now, database_clock=read_database_clock(db))
    other = TransactionRunner(
        database=db,
        clock=processes.get_machine_time,
        database_clock=lambda: processes.get_machine_time() + timedelta(seconds=16),
    )
    assert await LeaseKeeper(fast, "polling", "elsewhere:1:x").acquire()
    with db.reading() as view:
        read = processes.get_database_time(view)
        statement = sa.text("SELECT until FROM process_lease").columns(sa.column("until", UtcDateTime()))
        until = view.connection().execute(statement).scalar_one()
    assert until <= read + LEASE_TIME
    assert await LeaseKeeper(other, "polling", "here:1:x").acquire()
    for runner in (fast, other):
        await runner.close(within=5)


async def test_a_process_with_a_fast_clock_leaves_others_their_messages(db: Database, tiny: ModuleType) -> None:
    """Another process holds a message for six seconds more, and by the fast clock that is long over."""
    telegram = FaultyTelegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        clock=get_fast_now,
    )  # fmt: skip
    telegram.person(1).send("hello")
    hold = MessageHold(holder="another", until=processes.get_machine_time() + timedelta(seconds=60))
    draft = OutboxDraft(chat_id=1, calls=[{"method": "sendMessage", "data": {"text": "news"}}])
    with db.transaction() as session:
        mailbox.store_messages(session, [draft], bot_id=app.bot_id, now=processes.get_machine_time(), hold=hold)
    async with app:
        await app.sweeper.sweep_once()
        await asyncio.sleep(0.1)
        assert (app.sender.list_held_ids(), telegram.calls["sendmessage"]) == ([], 0)


async def test_others_wait_no_longer_for_the_messages_of_a_process_with_a_fast_clock(
    db: Database, tiny: ModuleType
) -> None:
    """It holds them for seconds by the clock of the database, not for ten minutes."""
    telegram = FaultyTelegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        clock=get_fast_now,
    )  # fmt: skip
    with db.reading() as view:
        read = processes.get_database_time(view)
    assert read < app.sender.make_hold().until < read + timedelta(seconds=60)
    await app.runner.close(within=5)


def test_between_two_looks_the_clock_of_the_database_is_counted_on() -> None:
    """By a monotonic clock: whatever the machine's clock does, five seconds are five seconds."""
    read, at = datetime(2001, 1, 1, tzinfo=UTC), monotonic()
    clock = DatabaseClock(read, at - 5)
    assert timedelta(seconds=5) <= clock() - read <= timedelta(seconds=5 + monotonic() - at)


def test_the_clock_of_the_database_is_read_before_anything_is_done(
    db: Database, tiny: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first lease of a bot would else be held by the clock of its machine."""
    read, telegram, began = datetime(2001, 1, 1, tzinfo=UTC), FaultyTelegram(), monotonic()
    monkeypatch.setattr(processes, "get_database_time", lambda _: read)
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram)
    )
    assert read <= app.runner.database_clock() <= read + timedelta(seconds=monotonic() - began)


async def test_the_clock_of_the_database_is_read_at_every_sweep(db: Database, tiny: ModuleType) -> None:
    """A process that was wrong about it is right a second later."""
    telegram = FaultyTelegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram)
    )
    clock = app.runner.database_clock
    assert isinstance(clock, DatabaseClock)
    clock.adjust(get_fast_now(), at=monotonic())
    async with app:
        await app.sweeper.sweep_once()
        assert abs(clock() - processes.get_machine_time()) < timedelta(seconds=5)


async def test_as_process_1_of_a_container_a_bot_takes_over_at_once(
    db: Database, load_items: Callable[..., None]
) -> None:
    """The holder has this one's number and was started before it: it is gone, whether the container has a new namespace
    or the old one. One that lives is waited for, and so is whoever nothing is known of: in a container beside this one
    with the same host name, of another number or started later, and on a machine with the same name.
    """
    load_items(items=1)
    runner = TransactionRunner(database=db, clock=processes.get_machine_time, database_clock=processes.get_machine_time)
    mine = LeaseKeeper(runner, "polling")
    host, number, life = mine.holder.rsplit(":", 2)
    began, boot, namespace, _ = life.split("-")
    assert (number, began) == (str(os.getpid()), process_lease.read_start_time(os.getpid()))
    later = processes.get_machine_time() + timedelta(seconds=15)
    for holder, taken in (
        (f"{number}:{began}-{boot}-{namespace}", False),
        (f"{number}:1-{boot}-{namespace}", True),
        (f"{number}:1-{boot}-another", True),
        (f"{number}:{int(began) + 1}-{boot}-another", False),
        (f"{number}9:1-{boot}-another", False),
        (f"{number}9:1-{boot}-{namespace}", True),
        (f"{number}:1-another-{namespace}", False),
        (f"{number}:x", False),
    ):
        with db.transaction() as session:
            processes.take_lease(
                session,
                name="polling",
                holder=f"{host}:{holder}-other",
                now=later + timedelta(1),
                until=later + timedelta(1),
            )
        assert await mine.acquire() is taken, holder
        with db.transaction() as session:
            processes.release_lease(session, name="polling", holder=f"{host}:{holder}-other", now=later)
        await mine.release()
    await runner.close(within=5)


TEN_MINUTES = timedelta(minutes=10)
YEAR = timedelta(days=366)


def list_durations(db: Database) -> list[tuple[float | None, str | None, str | None]]:
    """The seconds of each answer, why they are not known, and why the answer is excluded."""
    statement = "SELECT seconds, seconds_unknown, excluded_reason FROM judgement ORDER BY id"
    with db.engine.connect() as connection:
        return [(row[0], row[1], row[2]) for row in connection.execute(sa.text(statement))]


@pytest.mark.parametrize("by", [-TEN_MINUTES, -YEAR, TEN_MINUTES, YEAR])
async def test_a_clock_that_is_set_while_an_item_is_open_measures_no_duration(
    db: Database,
    tiny: ModuleType,
    load_items: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    by: timedelta,
) -> None:
    """Back or forth: the answer is stored, its time is unknown, and the next one is measured again."""
    load_items(items=3)
    telegram = FaultyTelegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram)
    )
    person = telegram.person(1)
    async with app:
        person.send("hello")
        await app.deliver(*telegram.take())
        await app.sweeper.sweep_once()
        read = processes.get_database_time
        monkeypatch.setattr(processes, "get_database_time", lambda session: read(session) + by)
        await app.sweeper.sweep_once()
        for _ in range(2):
            person.tap("A")
            await app.deliver(*telegram.take())
    (first, second) = list_durations(db)
    assert first == (None, "the clock was set meanwhile", None)
    assert second[0] is not None
    assert 0 <= second[0] < 30
    with db.reading() as view:
        (change,) = view.exec(select(Journal).where(Journal.event == Event.CLOCK_CHANGED.value)).all()
        assert abs(change.data["seconds"] - by.total_seconds()) < 1
        assert change.data["assignments"] == 1
        assert [one.rule for one in invariants.list_violations(view)] == []


async def test_one_clock_measures_what_two_processes_show_and_take(
    db: Database, tiny: ModuleType, load_items: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database's clock is a day ahead of the machines': leases and times of answers go by it in every process."""
    load_items(items=3)
    telegram, ahead = FaultyTelegram(), timedelta(days=1)
    read = processes.get_database_time
    monkeypatch.setattr(processes, "get_database_time", lambda session: read(session) + ahead)
    shows, takes = (
        application.build_application(
            token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram)
        )
        for _ in range(2)
    )
    person = telegram.person(1)
    async with shows:
        person.send("hello")
        await shows.deliver(*telegram.take())
    async with takes:
        person.tap("A")
        await takes.deliver(*telegram.take())
    ((seconds, unknown, _),) = list_durations(db)
    assert unknown is None
    assert seconds is not None
    assert 0 <= seconds < 30
    with db.reading() as view:
        first = view.exec(select(Assignment).order_by(sa.text("id"))).first()
        assert first is not None
        assert first.assigned_at is not None
        assert abs(first.assigned_at - processes.get_machine_time() - ahead) < timedelta(minutes=1)


def test_a_clock_that_goes_on_evenly_was_not_set() -> None:
    """However long it took to read it, and however little a time server sets it right."""
    read, at = datetime(2026, 11, 21, 12, 0, tzinfo=UTC), 100.0
    for later, asked_at, got_at, change in (
        (5.0, 105.0, 105.0, None),
        (5.0, 103.0, 109.0, None),
        (5.9, 105.0, 105.0, None),
        (-595.0, 104.0, 105.0, -599.0),
        (665.0, 104.0, 105.0, 660.0),
    ):
        clock = DatabaseClock(read, at)
        found = clock.adjust(read + timedelta(seconds=later), at=got_at, asked_at=asked_at)
        assert found == (None if change is None else timedelta(seconds=change))
