"""Receipts: what was sent is noted once, whatever else happens to messages meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select
from telegram.error import Forbidden

from annotation.errors import Unavailable
from annotation.store import database, mailbox
from annotation.store.mailbox import OutboxDraft, OutboxMessage
from annotation.store.models import Outbox
from bot.delivery.limits_and_retries import RateLimit
from bot.delivery.sender import Receipts, Sender
from bot.delivery.transaction_runner import TransactionRunner

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
GONE = 666
ME = "this process"


class FakeApi:
    """A Telegram that one person has left."""

    def __init__(self) -> None:
        self.made: list[tuple[int, str]] = []

    async def make_stored_call(self, call: Mapping[str, Any], message: OutboxMessage) -> Any:
        """A call."""
        assert message.content is None
        if message.chat_id == GONE:
            raise Forbidden("bot was blocked by the user")
        self.made.append((message.chat_id, call["data"]["text"]))
        return {"message_id": 1}


def put(chat: int, text: str, *, repeatable: bool = True) -> Callable[[Session], tuple[OutboxMessage, ...]]:
    """A use-case that stores a message."""
    draft = OutboxDraft(chat_id=chat, calls=[{"method": "sendMessage", "data": {"text": text}}], repeatable=repeatable)
    hold = mailbox.MessageHold(holder=ME, until=NOW + timedelta(seconds=6))
    return lambda session: mailbox.store_messages(session, [draft], bot_id=1, now=NOW, hold=hold)


async def send(sender: Sender, messages: Sequence[OutboxMessage]) -> None:
    """Send messages, and wait until that is done."""
    sender.send(messages)
    await sender.wait_until_idle()


def left(db: database.Database) -> list[int]:
    """The chats of messages that wait."""
    with db.reading() as session:
        return sorted(session.exec(select(Outbox.chat_id)))


@pytest.fixture
async def runner(db: database.Database) -> AsyncIterator[TransactionRunner]:
    """Transactions on the database."""
    made = TransactionRunner(database=db, clock=lambda: NOW, database_clock=lambda: NOW)
    yield made
    await made.close(within=5)


async def test_a_receipt_never_removes_another_message(runner: TransactionRunner, db: database.Database) -> None:
    """One is sent, its receipt waits for a busy database; somebody else turns out to have left, a third has news."""
    api, receipts = FakeApi(), Receipts(runner)
    sender = Sender(runner=runner, api=api, receipts=receipts, rate_limit=RateLimit(), bot_id=1, holder=ME)  # type: ignore[arg-type]
    gone = await runner.run(put(GONE, "to one who left"))
    await send(sender, await runner.run(put(1, "first")))
    busy = asyncio.create_task(runner.run(lambda _: time.sleep(0.2)))
    await asyncio.sleep(0.1)

    async def news() -> None:
        await send(sender, await runner.run(put(2, "only once", repeatable=False)))

    sending = asyncio.create_task(news())
    await asyncio.sleep(0)
    await send(sender, gone)
    await asyncio.gather(busy, sending)
    await receipts.save()
    assert sorted(api.made) == [(1, "first"), (2, "only once")]
    assert left(db) == []


async def test_a_number_is_never_given_twice(runner: TransactionRunner) -> None:
    """Whoever speaks of a message that is gone speaks of no other."""
    (first,) = await runner.run(put(1, "first"))
    await runner.run(lambda session: mailbox.delete_messages(session, [first.id]))
    (second,) = await runner.run(put(2, "second"))
    assert second.id > first.id


async def test_what_could_not_be_noted_is_noted_later(
    runner: TransactionRunner, db: database.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself, though nothing else comes."""
    receipts = Receipts(runner)
    (message,) = await runner.run(put(1, "first"))
    real = mailbox.delete_messages

    def locked(session: Session, ids: list[int]) -> None:
        monkeypatch.setattr(mailbox, "delete_messages", real)
        raise Unavailable("The database is locked.", remedy="Wait.")

    monkeypatch.setattr(mailbox, "delete_messages", locked)
    receipts.add(message)
    assert not await receipts.save()
    async with asyncio.timeout(300):
        while left(db):
            await asyncio.sleep(0.01)
    assert await receipts.save()


async def test_a_transaction_takes_the_receipts_of_one_chat(runner: TransactionRunner, db: database.Database) -> None:
    """Where several processes write, rows of another chat may be locked by one that waits for rows of this chat."""
    receipts = Receipts(runner)
    first, second = [(await runner.run(put(chat, "news")))[0] for chat in (1, 2)]
    receipts.add(first)
    receipts.add(second)
    batch = receipts.take_batch(chat_id=1)
    assert ([receipt.chat_id for receipt in batch.receipts], receipts.list_unsaved()) == ([1], [second.id])
    await runner.run(batch.save)
    assert left(db) == [2]
    assert await receipts.save()
    assert left(db) == []


async def test_a_message_that_was_sent_is_not_taken_for_lost(
    runner: TransactionRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be noted as sent now keeps the chat from being given up: the rest is tried again."""
    api, receipts = FakeApi(), Receipts(runner)
    sender = Sender(runner=runner, api=api, receipts=receipts, rate_limit=RateLimit(), bot_id=1, holder=ME)  # type: ignore[arg-type]

    async def silent() -> bool:
        return False

    monkeypatch.setattr(receipts, "save", silent)
    (message,) = await runner.run(put(GONE, "to one who left"))
    await send(sender, [message])
    assert sender.list_held_ids() == [message.id]
    rows = await runner.run(
        lambda session: session.connection().execute(sa.select(col(Outbox.attempts))).scalars().all()
    )
    assert rows == [0]  # it is no failure of the message
    await sender.stop(within=0)
