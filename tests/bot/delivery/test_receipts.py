"""Receipts: what was sent is noted once, whatever else happens to letters meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select
from telegram.error import Forbidden

from annotation.errors import Unavailable
from annotation.store import database, outbox
from annotation.store.models import Outbox
from annotation.store.outbox import Draft, Letter
from bot.delivery.rate_limit import Pace
from bot.delivery.receipts import Receipts
from bot.delivery.sender import Sender
from bot.delivery.transaction_runner import Base

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
GONE = 666


class Api:
    """A Telegram that one person has left."""

    def __init__(self) -> None:
        self.made: list[tuple[int, str]] = []

    async def make(self, call: Mapping[str, Any], *, chat_id: int, content: bytes | None) -> Any:
        """A call."""
        assert content is None
        if chat_id == GONE:
            raise Forbidden("bot was blocked by the user")
        self.made.append((chat_id, call["data"]["text"]))
        return {"message_id": 1}


def put(chat: int, text: str, *, repeatable: bool = True) -> Callable[[Session], tuple[Letter, ...]]:
    """A use-case that stores a letter."""
    draft = Draft(chat_id=chat, calls=[{"method": "sendMessage", "data": {"text": text}}], repeatable=repeatable)
    return lambda session: outbox.put(session, [draft], due_at=NOW + timedelta(seconds=6))


def left(db: database.Database) -> list[int]:
    """The chats of letters that wait."""
    with db.reading() as session:
        return sorted(session.exec(select(Outbox.chat_id)))


@pytest.fixture
async def way(db: database.Database) -> AsyncIterator[Base]:
    """The way into the database."""
    made = Base(database=db, clock=lambda: NOW)
    yield made
    made.close()


async def test_a_receipt_never_removes_another_letter(way: Base, db: database.Database) -> None:
    """One is sent, its receipt waits for a busy database; somebody else turns out to have left, a third has news."""
    api, receipts = Api(), Receipts(way)
    sender = Sender(base=way, api=api, receipts=receipts, pace=Pace())  # type: ignore[arg-type]
    gone = await way.run(put(GONE, "to one who left"))
    await sender.send(await way.run(put(1, "first")))
    busy = asyncio.create_task(way.run(lambda _: time.sleep(0.2)))
    await asyncio.sleep(0.1)

    async def news() -> None:
        await sender.send(await way.run(put(2, "only once", repeatable=False)))

    sending = asyncio.create_task(news())
    await asyncio.sleep(0)
    await sender.send(gone)
    await asyncio.gather(busy, sending)
    await receipts.noted()
    assert sorted(api.made) == [(1, "first"), (2, "only once")]
    assert left(db) == []


async def test_a_number_is_never_given_twice(way: Base) -> None:
    """Whoever speaks of a letter that is gone speaks of no other."""
    (first,) = await way.run(put(1, "first"))
    await way.run(lambda session: outbox.remove(session, [first.id]))
    (second,) = await way.run(put(2, "second"))
    assert second.id > first.id


async def test_what_could_not_be_noted_is_noted_later(
    way: Base, db: database.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By itself, though nothing else comes."""
    receipts = Receipts(way)
    (letter,) = await way.run(put(1, "first"))
    real = outbox.remove

    def locked(session: Session, ids: list[int]) -> None:
        monkeypatch.setattr(outbox, "remove", real)
        raise Unavailable("The database is locked.", remedy="Wait.")

    monkeypatch.setattr(outbox, "remove", locked)
    receipts.add(letter.id)
    assert not await receipts.noted()
    async with asyncio.timeout(10):
        while left(db):
            await asyncio.sleep(0.01)
    assert await receipts.noted()


async def test_a_letter_that_was_sent_is_not_taken_for_lost(way: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be noted as sent now keeps the chat from being given up: the rest is tried again."""
    api, receipts = Api(), Receipts(way)
    sender = Sender(base=way, api=api, receipts=receipts, pace=Pace())  # type: ignore[arg-type]

    async def silent() -> bool:
        return False

    monkeypatch.setattr(receipts, "noted", silent)
    (letter,) = await way.run(put(GONE, "to one who left"))
    await sender.send([letter])
    assert sender.held() == [letter.id]
    rows = await way.run(lambda session: session.connection().execute(sa.select(col(Outbox.attempts))).scalars().all())
    assert rows == [1]
    await sender.stop()
