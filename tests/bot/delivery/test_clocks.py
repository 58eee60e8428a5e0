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

from annotation.store import outbox, process_leases
from annotation.store.models.table_model import UtcDateTime
from annotation.store.outbox import MessageHold, OutboxDraft
from bot import application
from bot.delivery import process_lease
from bot.delivery.process_lease import LEASE_TIME, LeaseKeeper
from bot.delivery.transaction_runner import DatabaseClock, TransactionRunner, get_now, read_database_clock
from bot.emulator.request import LocalRequest
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from types import ModuleType

    from annotation.store.database import Database

FAST = timedelta(seconds=616)
"""How far a clock is ahead."""


def get_fast_now() -> datetime:
    """The time by a clock that is fast."""
    return get_now() + FAST


async def test_the_lease_of_a_process_with_a_fast_clock_ends_in_time(db: Database) -> None:
    """It dies on another machine; sixteen seconds later, not ten minutes, another one has the lease."""
    fast = TransactionRunner(database=db, clock=get_fast_now, database_clock=read_database_clock(db))
    other = TransactionRunner(database=db, clock=get_now, database_clock=lambda: get_now() + timedelta(seconds=16))
    assert await LeaseKeeper(fast, "polling", "elsewhere:1:x").acquire()
    with db.reading() as view:
        read = process_leases.get_database_time(view)
        statement = sa.text("SELECT until FROM process_lease").columns(sa.column("until", UtcDateTime()))
        until = view.connection().execute(statement).scalar_one()
    assert until <= read + LEASE_TIME
    assert await LeaseKeeper(other, "polling", "here:1:x").acquire()
    for runner in (fast, other):
        await runner.close(within=5)


async def test_a_process_with_a_fast_clock_leaves_others_their_messages(db: Database, tiny: ModuleType) -> None:
    """Another process holds a message for six seconds more, and by the fast clock that is long over."""
    telegram = Telegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        clock=get_fast_now,
    )  # fmt: skip
    telegram.person(1).send("hello")
    hold = MessageHold(holder="another", until=get_now() + timedelta(seconds=60))
    draft = OutboxDraft(chat_id=1, calls=[{"method": "sendMessage", "data": {"text": "news"}}])
    with db.transaction() as session:
        outbox.store_messages(session, [draft], now=get_now(), hold=hold)
    async with app:
        await app.sweeper.sweep_once()
        await asyncio.sleep(0.1)
        assert (app.sender.list_held_ids(), telegram.calls["sendmessage"]) == ([], 0)


async def test_others_wait_no_longer_for_the_messages_of_a_process_with_a_fast_clock(
    db: Database, tiny: ModuleType
) -> None:
    """It holds them for seconds by the clock of the database, not for ten minutes."""
    telegram = Telegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        clock=get_fast_now,
    )  # fmt: skip
    with db.reading() as view:
        read = process_leases.get_database_time(view)
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
    read, telegram, began = datetime(2001, 1, 1, tzinfo=UTC), Telegram(), monotonic()
    monkeypatch.setattr(process_leases, "get_database_time", lambda _: read)
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram)
    )
    assert read <= app.runner.database_clock() <= read + timedelta(seconds=monotonic() - began)


async def test_the_clock_of_the_database_is_read_at_every_sweep(db: Database, tiny: ModuleType) -> None:
    """A process that was wrong about it is right a second later."""
    telegram = Telegram()
    app = application.build_application(
        token=telegram.token, database=db, settings=tiny.build_settings(), request=LocalRequest(telegram)
    )
    clock = app.runner.database_clock
    assert isinstance(clock, DatabaseClock)
    clock.adjust(get_fast_now(), at=monotonic())
    async with app:
        await app.sweeper.sweep_once()
        assert abs(clock() - get_now()) < timedelta(seconds=5)


async def test_as_process_1_of_a_container_a_bot_takes_over_at_once(
    db: Database, load_items: Callable[..., None]
) -> None:
    """The holder has this one's number and was started before it: it is gone, whether the container has a new namespace
    or the old one. One that lives is waited for, and so is whoever nothing is known of: in a container beside this one
    with the same host name, of another number or started later, and on a machine with the same name.
    """
    load_items(items=1)
    runner = TransactionRunner(database=db, clock=get_now, database_clock=get_now)
    mine = LeaseKeeper(runner, "polling")
    host, number, life = mine.holder.rsplit(":", 2)
    began, boot, namespace, _ = life.split("-")
    assert (number, began) == (str(os.getpid()), process_lease.read_start_time(os.getpid()))
    later = get_now() + timedelta(seconds=15)
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
            process_leases.take_lease(
                session,
                name="polling",
                holder=f"{host}:{holder}-other",
                now=later + timedelta(1),
                until=later + timedelta(1),
            )
        assert await mine.acquire() is taken, holder
        with db.transaction() as session:
            process_leases.release_lease(session, name="polling", holder=f"{host}:{holder}-other")
        await mine.release()
    await runner.close(within=5)
