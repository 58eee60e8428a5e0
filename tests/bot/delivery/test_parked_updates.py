"""Updates that cannot be handled are parked with reason and trace; their sender and everybody else goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlmodel import Session

from annotation.errors import BadInput, NotWritable, Unavailable
from annotation.store import mailbox, migrations, parked
from annotation.store.mailbox import ReceivedUpdate
from annotation.store.parked import ParkedDelivery
from bot.conversation.updates_and_calls import IncomingUpdate, TelegramCalls
from bot.delivery import workers

if TYPE_CHECKING:
    from tests.bot.delivery.conftest import Stage


async def until(condition: object, *, seconds: float = 300) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)


def list_parked(stage: Stage) -> list[ParkedDelivery]:
    """What is parked."""
    with stage.db.reading() as view:
        return list(parked.list_parked(view))


def break_texts(stage: Stage, text: str, error: Exception | str) -> None:
    """Let every update with this text fail: with an error, or with that of an SQL statement."""
    handle = stage.app.workers.settings.handle_update

    def fail(session: Session, incoming: IncomingUpdate, **named: object) -> TelegramCalls:
        if incoming.text == text and isinstance(error, str):
            session.connection().execute(sa.text(error))
        elif incoming.text == text:
            raise error  # type: ignore[misc]
        return handle(session, incoming, **named)  # type: ignore[arg-type]

    stage.app.workers.settings = replace(stage.app.workers.settings, handle_update=fail)


async def test_an_update_of_an_unknown_version_is_parked(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """Another hromada stored it. It is tried twice and said once; its sender's next update is handled."""
    person = stage.telegram.person(1)
    update = ReceivedUpdate(update_id=1, telegram_id=1, payload={"version": 99, "kind": "telepathy"})
    with stage.db.transaction() as session:
        mailbox.store_updates(session, [update], bot_id=stage.app.bot_id, now=stage.now)
    with caplog.at_level(logging.WARNING):
        await stage.say(person, "/start")
        await stage.app.sweeper.sweep_once()
        await stage.app.workers.wait_until_idle()
    assert [message.text for message in person.messages] == ["item 1"]
    [delivery] = list_parked(stage)
    assert (delivery.key, delivery.kind, delivery.attempts) == ("u1", "update", 2)
    assert delivery.reason == "The update was stored by another version of hromada."
    assert "restore_update" in (delivery.trace or "")
    assert caplog.text.count("Update 1 is parked") == 1


async def test_an_update_that_cannot_be_stored_costs_the_batch_nothing(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """Its sender's number is beyond any column: the others of the batch are stored and handled, it is parked empty."""
    first, second = stage.telegram.person(1), stage.telegram.person(2)
    first.send("/start")
    second.send("/start")
    [of_first, of_second] = stage.telegram.take()
    monster = {**of_first, "update_id": 3, "message": {**of_first["message"], "from": {"id": 2**70}}}
    endless = {**of_first, "update_id": 2**70}
    with caplog.at_level(logging.WARNING):
        await stage.app.deliver(of_first, monster, endless, of_second)
    assert (len(first.messages), len(second.messages)) == (1, 1)
    [delivery] = list_parked(stage)
    assert (delivery.key, delivery.reason.startswith("cannot be stored")) == ("u3", True)
    assert caplog.text.count("is parked") == 2
    assert stage.rows("SELECT payload, telegram_id FROM inbox WHERE update_id = 3") == [(None, None)]


async def test_updates_of_another_form_are_parked_and_the_others_handled(stage: Stage) -> None:
    """None is fatal, and none is lost without a word; what has no number is no update."""
    person = stage.telegram.person(1)
    person.send("/start")
    [good] = stage.telegram.take()
    sender, chat = {"id": 1}, {"id": 1}
    malformed: list[dict[str, Any]] = [
        {"update_id": 101, "message": {"from": sender}},
        {"update_id": 102, "message": {"from": {"id": "x"}, "chat": chat, "text": "a"}},
        {"update_id": 103, "message": {"from": sender, "chat": chat, "text": 7}},
        {"update_id": 104, "callback_query": {"from": sender, "message": 5}},
        {"update_id": 105, "my_chat_member": {"from": sender, "chat": chat, "new_chat_member": "x"}},
        {"update_id": 106, "message": {"from": None}},
        {"update_id": 107, "message": 5},
        {"update_id": "x", "message": {"from": sender, "chat": chat, "text": "a"}},
        {"message": {"from": sender, "chat": chat, "text": "a"}},
    ]
    await stage.app.deliver(*malformed[:4], good, *malformed[4:])
    await stage.app.deliver(*malformed)
    assert [message.text for message in person.messages] == ["item 1"]
    listed = list_parked(stage)
    assert sorted(delivery.key for delivery in listed) == [f"u{number}" for number in range(101, 108)]
    assert all(delivery.reason.startswith("cannot be read: The update has another form") for delivery in listed)


async def test_an_update_without_content_is_not_tried_again(stage: Stage) -> None:
    """It would wait for ever in no list: nobody is its sender. It stays parked until it is dropped."""
    stage.telegram.person(1).send("/start")
    [update] = stage.telegram.take()
    monster = {**update, "update_id": 3, "message": {**update["message"], "from": {"id": 2**70}}}
    await stage.app.deliver(monster)
    with stage.db.transaction() as session, pytest.raises(BadInput, match="u3 has no stored content"):
        parked.retry_parked(session, ["u3"], now=stage.now)
    assert [(delivery.key, delivery.is_empty) for delivery in list_parked(stage)] == [("u3", True)]
    with stage.db.transaction() as session:
        parked.drop_parked(session, ["u3"], now=stage.now)
    assert list_parked(stage) == []


@pytest.mark.parametrize("refusal", ["is read-only", "no such table"])
async def test_a_database_that_takes_no_update_loses_none(stage: Stage, refusal: str) -> None:
    """It is read-only, as a stand-by is, or a table is gone: Telegram is not told that the update is stored."""
    person = stage.telegram.person(1)
    person.send("/start")
    [update] = stage.telegram.take()
    broken = refusing_writes(stage) if refusal == "is read-only" else renamed_inbox(stage)
    with broken, pytest.raises((BadInput, NotWritable), match=refusal):
        await stage.app.deliver(update)
    assert stage.rows("SELECT count(*) FROM inbox") == [(0,)]
    await stage.app.deliver(update)
    assert [message.text for message in person.messages] == ["item 1"]


async def test_a_database_that_cannot_be_written_is_asked_with_pauses(stage: Stage) -> None:
    """Where nobody's update waits, too: a user who is served once more keeps no processor busy."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    with refusing_writes(stage):
        stage.app.workers.wake([person.id])
        await asyncio.wait_for(stage.app.workers.wait_until_idle(), 30)
    await stage.say(person, "/start")
    await until(lambda: [message.text for message in person.messages] == ["item 1", "item 1"])


@contextmanager
def refusing_writes(stage: Stage) -> Iterator[None]:
    """The database is read-only for every connection."""
    engine, refused = stage.db.engine, [True]

    def set_read_only(connection: Any, *_: object) -> None:
        if engine.dialect.name == "sqlite":
            connection.execute(f"PRAGMA query_only = {int(refused[-1])}")
        else:
            connection.read_only = refused[-1]

    event.listen(engine, "checkout", set_read_only)
    yield
    refused.append(False)


@contextmanager
def renamed_inbox(stage: Stage) -> Iterator[None]:
    """The table of the inbox is not there."""
    with stage.db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE inbox RENAME TO elsewhere")
    yield
    with stage.db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO inbox")


async def test_a_missing_column_is_no_database_that_is_away(stage: Stage) -> None:
    """The statement will never succeed: parked after two attempts in words, and the next is handled."""
    break_texts(stage, "column", "SELECT nothing_like_it FROM item")
    person = stage.telegram.person(1)
    await stage.say(person, "column")
    await stage.say(person, "/start")
    await until(lambda: person.messages and person.messages[-1].text == "item 1")
    assert [message.text for message in person.messages] == ["sorry, BadInput, 6", "item 1"]
    [delivery] = list_parked(stage)
    assert "has no such" in delivery.reason
    assert "BadInput" in (delivery.trace or "")


async def test_an_update_that_the_database_never_handles_in_time_is_parked_at_an_age(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no failure of its own, and waits; after an hour, in which the database answered others, it is enough."""
    monkeypatch.setattr(workers, "MIN_WAIT", 0.01)
    break_texts(stage, "slow", Unavailable("It took too long."))
    person = stage.telegram.person(1)
    await stage.say(person, "slow")
    await asyncio.sleep(0.5)
    assert list_parked(stage) == []
    stage.now += timedelta(hours=2)
    await until(lambda: list_parked(stage))
    assert list_parked(stage)[0].reason == "It took too long."
    await stage.say(person, "/start")
    await until(lambda: person.messages and person.messages[-1].text == "item 1")


async def test_an_update_is_not_blamed_for_a_database_that_was_away(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For hours; and it comes back just as the bot looks whether it refused this update alone."""
    monkeypatch.setattr(workers, "MIN_WAIT", 0.01)
    settings, looks, is_back = stage.app.workers.settings, [], asyncio.Event()
    person, begun = stage.telegram.person(1), stage.now

    def fail(session: Session, incoming: IncomingUpdate, **named: object) -> TelegramCalls:
        if not is_back.is_set():
            raise Unavailable("It is away.")
        return settings.handle_update(session, incoming, **named)  # type: ignore[arg-type]

    def look(_: object) -> None:
        looks.append(stage.now)
        if stage.now - begun < timedelta(hours=1):
            raise Unavailable("It is away.")
        is_back.set()

    stage.app.workers.settings = replace(settings, handle_update=fail)
    monkeypatch.setattr(migrations, "check_revision", look)
    await stage.say(person, "/start")
    await until(lambda: looks)
    stage.now += timedelta(hours=2)
    await until(lambda: person.messages)
    assert [message.text for message in person.messages] == ["item 1"]
    assert list_parked(stage) == []


async def test_an_update_that_waits_for_the_database_holds_nobody_up(stage: Stage) -> None:
    """One person is served at a time, and the update of the first cannot be handled now: the second is served."""
    stage.app.workers.max_parallel = 1
    break_texts(stage, "slow", Unavailable("It took too long."))
    first, second = stage.telegram.person(1), stage.telegram.person(2)
    first.send("slow")
    second.send("/start")
    await stage.deliver()
    await until(lambda: second.messages)
    assert (first.messages, list_parked(stage)) == ([], []), "the first one still waits, and nothing was given up"


async def test_a_parked_update_is_handled_once_the_cause_is_mended(stage: Stage) -> None:
    """From the first attempt; what is dropped instead keeps its number, and nothing of its content."""
    settings, person = stage.app.workers.settings, stage.telegram.person(1)
    break_texts(stage, "boom 1", LookupError("ours"))
    await stage.say(person, "boom 1")
    await stage.say(person, "boom")
    stage.app.workers.settings = settings
    [first, second] = list_parked(stage)
    assert (first.reason, first.code is not None) == ("LookupError", True)
    with stage.db.transaction() as session:
        parked.retry_parked(session, [first.key], now=stage.now)
        parked.drop_parked(session, [second.key], now=stage.now)
        with pytest.raises(BadInput, match="not a parked update"):
            parked.retry_parked(session, ["x1"], now=stage.now)
    await stage.app.sweeper.sweep_once()
    await stage.app.workers.wait_until_idle()
    assert person.messages[-1].text == "item 1"
    assert stage.rows("SELECT count(*) FROM inbox WHERE telegram_id IS NOT NULL OR reason IS NOT NULL") == [(0,)]
    assert stage.rows("SELECT count(*) FROM inbox") == [(2,)]


async def test_a_sweep_that_fails_is_said_once_and_the_rest_is_swept(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """The notifications of a program with a mistake do not keep it from taking up what waits."""

    name = "Соломія"

    def fail(session: Session, *, now: datetime, observed: object) -> TelegramCalls:
        raise LookupError(name)

    person = stage.telegram.person(1)
    stage.app.workers.settings = replace(stage.app.workers.settings, collect_notifications=fail)
    person.send("/start")
    [update] = stage.telegram.take()
    with caplog.at_level(logging.WARNING):
        sweeper = asyncio.create_task(stage.app.sweeper.run())
        await asyncio.sleep(0.1)
        with stage.db.transaction() as session:
            payload = {"version": 99}
            mailbox.store_updates(
                session,
                [ReceivedUpdate(update_id=9, telegram_id=1, payload=payload)],
                bot_id=stage.app.bot_id,
                now=stage.now,
            )
        await stage.app.deliver(update)
        stage.now += timedelta(seconds=5)
        await until(lambda: list_parked(stage))
        await asyncio.sleep(1.2)
        assert not sweeper.done()
        sweeper.cancel()
        await asyncio.gather(sweeper, return_exceptions=True)
    assert caplog.text.count("Sweeps fail") == 1
    assert name not in caplog.text
