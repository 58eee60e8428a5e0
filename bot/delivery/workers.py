"""The workers: each update is handled in one transaction with all that follows from it, then its calls are made.

Up to 16 people at once in a process, one update at a time for each, in the order of their numbers; any number of
processes on PostgreSQL. An update that cannot be handled is tried twice, then given up, and its person is told.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Protocol

from sqlmodel import Session

from annotation.errors import Unavailable
from annotation.store import inbox, item_messages, outbox
from annotation.store.outbox import Letter
from bot.conversation.updates_and_calls import Calls, Desk, Incoming, Introduction, Kind
from bot.delivery import outbox_messages, update_parser
from bot.delivery.receipts import Batch, Receipts
from bot.delivery.sender import HOLD, Sender
from bot.delivery.traces import trace
from bot.delivery.transaction_runner import Base

log = logging.getLogger(__name__)
AT_ONCE = 16
MOST_ATTEMPTS = 2
LONGEST_WAIT = 30.0
"""Seconds between two tries while the database does not answer, at the most."""


class Respond(Protocol):
    """The whole conversation: from an update to calls, in the transaction given."""

    def __call__(self, session: Session, incoming: Incoming, *, now: datetime, desk: Desk) -> Calls: ...


class Unasked(Protocol):
    """What there is to say to people that does not answer an update; kept in the transaction given."""

    def __call__(self, session: Session, *, now: datetime) -> Calls: ...


def nothing(session: Session, *, now: datetime) -> Calls:  # noqa: ARG001
    """There is nothing to say unasked."""
    return ()


class Sorry(Protocol):
    """What a person is told of an update that could not be handled."""

    def __call__(self, incoming: Incoming, failure: Exception, code: str) -> Calls: ...


@dataclass(frozen=True, kw_only=True)
class Office:
    """What delivery needs beside the database: who answers, what is said unasked, whether what is sent is protected."""

    respond: Respond
    sorry: Sorry
    desk: Desk
    protect: bool = True
    unasked: Unasked = nothing
    introductions: tuple[Introduction, ...] = ()


@dataclass(frozen=True)
class _Turn:
    """What came of looking for a person's next update; `closed` is a chat that she has closed to the bot with it."""

    letters: tuple[Letter, ...] = ()
    more: bool = False
    closed: int | None = None


@dataclass
class Workers:
    """Serve people whose updates wait."""

    base: Base
    office: Office
    sender: Sender
    receipts: Receipts
    at_once: int = AT_ONCE
    _waiting: dict[int, None] = field(default_factory=dict)
    _serving: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _again: set[int] = field(default_factory=set)

    def wake(self, people: Iterable[int]) -> None:
        """Something of these people waits in the inbox."""
        for person in people:
            if person in self._serving:
                self._again.add(person)
            else:
                self._waiting.setdefault(person)
        self._fill()

    @property
    def idle(self) -> bool:
        """Whether nobody is being served."""
        return not self._serving

    async def settled(self) -> None:
        """Until nobody is served any more, and all receipts are noted."""
        while self._serving:
            await asyncio.wait(self._serving.values())
        await self.receipts.noted()

    async def stop(self, *, within: float) -> None:
        """Take up nothing more, and wait so many seconds for what is being done; the rest is in the database."""
        self._waiting.clear()
        self.at_once = 0
        if self._serving:
            await asyncio.wait(self._serving.values(), timeout=within)
        tasks = tuple(self._serving.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.sender.stop()
        await self.receipts.noted()

    def _fill(self) -> None:
        while self._waiting and len(self._serving) < self.at_once:
            person = next(iter(self._waiting))
            del self._waiting[person]
            self._serving[person] = asyncio.create_task(self._serve(person))
            self._serving[person].add_done_callback(partial(self._served, person))

    def _served(self, person: int, _: asyncio.Task[None]) -> None:
        del self._serving[person]
        if person in self._again:
            self._again.discard(person)
            self._waiting.setdefault(person)
        self._fill()

    async def _serve(self, person: int) -> None:
        more, failures = True, 0
        while more and self.at_once:
            self._again.discard(person)
            try:
                turn = await self._turn(person)
            except Unavailable as failure:
                log.warning("The database does not answer; an update waits: %s", type(failure).__name__)
                failures += 1
                await asyncio.sleep(min(LONGEST_WAIT, 0.25 * 2**failures))
                continue
            failures = 0
            if turn.closed is not None:
                self.sender.forget(turn.closed)
            await self.sender.send(turn.letters)
            more = turn.more or person in self._again

    async def _turn(self, person: int) -> _Turn:
        """Handle the earliest update of a person, the receipts so far with it; raises Unavailable."""
        batch, now = self.receipts.take(), self.base.clock()
        try:
            return await self.base.run(lambda session: self._handled(session, person, batch, now=now))
        except (Unavailable, asyncio.CancelledError):
            self.receipts.give_back(batch)
            raise
        except Exception as failure:  # noqa: BLE001  # the bot's error handler: whatever it is, the others go on
            self.receipts.give_back(batch)
            return await self._failed(person, failure)

    def _handled(self, session: Session, person: int, batch: Batch, *, now: datetime) -> _Turn:
        batch.note(session)
        found = inbox.earliest(session, telegram_id=person)
        if found is None:
            return _Turn()
        came = update_parser.restored(found.payload)
        answer = self.office.respond(session, came, now=now, desk=self.office.desk)
        letters = self._put(session, answer, came, now=now)
        inbox.done(session, update_id=found.update_id, now=now)
        return _Turn(letters, found.more, closed=came.chat_id if came.kind is Kind.BLOCKED else None)

    def _put(self, session: Session, answer: Calls, came: Incoming, *, now: datetime) -> tuple[Letter, ...]:
        def find(assignment_id: int) -> int | None:
            return item_messages.message_of(session, assignment_id=assignment_id)

        drafts = tuple(outbox_messages.drafts(answer, chat_id=came.chat_id, protect=self.office.protect, find=find))
        letters = outbox.put(session, drafts, due_at=now + HOLD)
        return letters if self.base.alone else outbox.placed(session, letters)

    async def _failed(self, person: int, failure: Exception) -> _Turn:
        """Count what went wrong; the second time the update is given up, and its person told. Raises Unavailable."""
        code, now = secrets.token_hex(3), self.base.clock()

        def counted(session: Session) -> _Turn:
            found = inbox.earliest(session, telegram_id=person)
            if found is None:
                return _Turn()
            log.error("Code %s, update %s: %s", code, found.update_id, trace(failure))
            if found.attempts + 1 < MOST_ATTEMPTS:
                inbox.count_failure(session, update_id=found.update_id)
                return _Turn(more=True)
            came = update_parser.restored(found.payload)
            letters = self._put(session, self.office.sorry(came, failure, code), came, now=now)
            inbox.give_up(session, update_id=found.update_id, code=code, now=now)
            return _Turn(letters, more=True)

        return await self.base.run(counted)
