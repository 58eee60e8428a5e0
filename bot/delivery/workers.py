"""Workers: each update is handled in one transaction, which also stores the calls to make; then these are made.

A process serves up to 16 users at once, each user's updates one by one in order; on PostgreSQL any number of
processes work at the same time. An update that fails twice is given up, and its user is told.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Protocol

from sqlmodel import Session

from annotation.errors import SchemaMismatch, Unavailable
from annotation.store import inbox, migrations, outbox
from annotation.store.outbox import OutboxMessage
from bot.conversation.updates_and_calls import (
    BotProfile,
    ConversationSettings,
    IncomingUpdate,
    TelegramCalls,
    UpdateKind,
)
from bot.delivery import telegram_payloads
from bot.delivery.backoff import Backoff
from bot.delivery.logs import format_trace
from bot.delivery.receipts import ReceiptBatch, Receipts
from bot.delivery.sender import HOLD_TIME, Sender
from bot.delivery.telegram_payloads import RawUpdate
from bot.delivery.transaction_runner import TransactionRunner

log = logging.getLogger(__name__)
MAX_PARALLEL = 16
"""How many users a process serves at once."""
MAX_ATTEMPTS = 2
"""How many times an update is tried before it is given up."""
MIN_WAIT, MAX_WAIT = 0.5, 30.0
"""The shortest and the longest pause in seconds between two attempts while the database does not respond."""


class UpdateHandler(Protocol):
    """A function that handles an update within a transaction, and returns the calls to make: the conversation."""

    def __call__(
        self, session: Session, incoming: IncomingUpdate, *, now: datetime, settings: ConversationSettings
    ) -> TelegramCalls: ...


class NotificationSource(Protocol):
    """A function that returns messages to users that answer no update; they are stored in the same transaction."""

    def __call__(self, session: Session, *, now: datetime) -> TelegramCalls: ...


def _list_no_notifications(session: Session, *, now: datetime) -> TelegramCalls:  # noqa: ARG001
    """The source of notifications for a bot that has none."""
    return ()


class FailureExplainer(Protocol):
    """A function that returns the calls by which a user is told that an update could not be handled."""

    def __call__(self, incoming: IncomingUpdate, failure: Exception, code: str) -> TelegramCalls: ...


@dataclass(frozen=True, kw_only=True)
class DeliverySettings:
    """The functions and settings of the conversation that delivery calls and passes on.

    `protect` says whether messages may be protected from forwarding and saving.
    """

    handle_update: UpdateHandler
    explain_failure: FailureExplainer
    conversation: ConversationSettings
    protect: bool = True
    collect_notifications: NotificationSource = _list_no_notifications
    bot_profiles: tuple[BotProfile, ...] = ()


@dataclass(frozen=True)
class _ServedUpdate:
    """The result of handling a user's next update: the messages to send, and whether more updates may wait.

    `closed_chat_id` is the chat, if the update says that the user has blocked the bot there.
    """

    messages: tuple[OutboxMessage, ...] = ()
    has_more: bool = False
    closed_chat_id: int | None = None


@dataclass
class Workers:
    """Handle the updates in the inbox, and send what answers them.

    `_waiting` are users to be served, in their order (a dictionary, used as an ordered set); `_serving` are the tasks
    of users who are being served; `_woken_again` are those of them for whom another update came meanwhile.
    """

    runner: TransactionRunner
    settings: DeliverySettings
    sender: Sender
    receipts: Receipts
    max_parallel: int = MAX_PARALLEL
    _waiting: dict[int, None] = field(default_factory=dict)
    _serving: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _woken_again: set[int] = field(default_factory=set)

    async def receive_updates(self, updates: Sequence[RawUpdate]) -> None:
        """Store updates in one transaction and wake their users; raises HromadaError where they cannot be stored."""
        parsed = [update for update in map(telegram_payloads.parse_update, updates) if update is not None]
        received = [telegram_payloads.dump_update(update) for update in parsed]
        if received:
            await self.runner.run(lambda session: inbox.store_updates(session, received, now=self.runner.clock()))
            self.wake(update.telegram_id for update in received)

    def wake(self, user_ids: Iterable[int]) -> None:
        """Serve users whose updates wait in the inbox; those who are being served already are served once more."""
        for user_id in user_ids:
            if user_id in self._serving:
                self._woken_again.add(user_id)
            else:
                self._waiting.setdefault(user_id)
        self._start_serving()

    @property
    def idle(self) -> bool:
        """Whether nobody is being served."""
        return not self._serving

    async def wait_until_idle(self) -> None:
        """Wait until nobody is being served and all receipts are saved."""
        while self._serving:
            await asyncio.wait(self._serving.values())
        await self.receipts.save()

    async def stop(self, *, within: float) -> None:
        """Take no more updates, and wait at most that long for the current ones; the rest stays in the database."""
        self._waiting.clear()
        self.max_parallel = 0
        if self._serving:
            await asyncio.wait(self._serving.values(), timeout=within)
        tasks = tuple(self._serving.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.sender.stop()
        await self.receipts.save()

    def _start_serving(self) -> None:
        while self._waiting and len(self._serving) < self.max_parallel:
            user_id = next(iter(self._waiting))
            del self._waiting[user_id]
            self._serving[user_id] = asyncio.create_task(self._serve_user(user_id))
            self._serving[user_id].add_done_callback(partial(self._end_serving, user_id))

    def _end_serving(self, user_id: int, _: asyncio.Task[None]) -> None:
        del self._serving[user_id]
        if user_id in self._woken_again:
            self._woken_again.discard(user_id)
            self._waiting.setdefault(user_id)
        self._start_serving()

    async def _serve_user(self, user_id: int) -> None:
        """Handle a user's updates and send what answers them, until none waits."""
        has_more, backoff = True, Backoff(first=MIN_WAIT, longest=MAX_WAIT)
        while has_more and self.max_parallel:
            self._woken_again.discard(user_id)
            try:
                served = await self._handle_next_update(user_id)
            except (Unavailable, SchemaMismatch) as failure:
                log.warning("The database cannot be used; an update waits: %s", type(failure).__name__)
                await asyncio.sleep(backoff.take_pause())
                continue
            backoff.reset()
            if served.closed_chat_id is not None:
                self.sender.drop_chat(served.closed_chat_id)
            await self.sender.send(served.messages)
            has_more = served.has_more or user_id in self._woken_again

    async def _handle_next_update(self, user_id: int) -> _ServedUpdate:
        """Handle a user's earliest update, and save all receipts in the same transaction.

        Raises Unavailable, and SchemaMismatch where a newer schema is why the update cannot be handled.
        """
        batch, now = self.receipts.take_batch(), self.runner.clock()
        try:
            return await self.runner.run(lambda session: self._handle_in_transaction(session, user_id, batch, now=now))
        except (Unavailable, asyncio.CancelledError):
            self.receipts.return_batch(batch)
            raise
        except Exception as failure:  # noqa: BLE001  # the bot's error handler: other users are still served
            self.receipts.return_batch(batch)
            return await self._record_failure(user_id, failure)

    def _handle_in_transaction(
        self, session: Session, user_id: int, batch: ReceiptBatch, *, now: datetime
    ) -> _ServedUpdate:
        batch.save(session)
        pending = inbox.take_next_update(session, telegram_id=user_id)
        if pending is None:
            return _ServedUpdate()
        incoming = telegram_payloads.restore_update(pending.payload)
        calls = self.settings.handle_update(session, incoming, now=now, settings=self.settings.conversation)
        messages = self._store_messages(session, calls, incoming, now=now)
        inbox.mark_done(session, update_id=pending.update_id, now=now)
        return _ServedUpdate(
            messages, pending.has_more, closed_chat_id=incoming.chat_id if incoming.kind is UpdateKind.BLOCKED else None
        )

    def _store_messages(
        self, session: Session, calls: TelegramCalls, incoming: IncomingUpdate, *, now: datetime
    ) -> tuple[OutboxMessage, ...]:
        def find_message_id(assignment_id: int) -> int | None:
            return outbox.get_message_id(session, assignment_id=assignment_id)

        drafts = tuple(
            telegram_payloads.build_outbox_drafts(
                calls, chat_id=incoming.chat_id, protect=self.settings.protect, find_message_id=find_message_id
            )
        )
        messages = outbox.store_messages(session, drafts, due_at=now + HOLD_TIME)
        return messages if self.runner.single_writer else outbox.add_predecessors(session, messages)

    async def _record_failure(self, user_id: int, failure: Exception) -> _ServedUpdate:
        """Count a failure to handle a user's earliest update, or give the update up and tell the user.

        Raises Unavailable, and SchemaMismatch where the schema is a newer one: then the update waits for the newer bot.
        """
        code, now = secrets.token_hex(3), self.runner.clock()

        def count_failure(session: Session) -> _ServedUpdate:
            migrations.check_revision(session.connection())
            pending = inbox.take_next_update(session, telegram_id=user_id)
            if pending is None:
                return _ServedUpdate()
            log.error("Code %s, update %s: %s", code, pending.update_id, format_trace(failure))
            if pending.attempts + 1 < MAX_ATTEMPTS:
                inbox.count_failure(session, update_id=pending.update_id)
                return _ServedUpdate(has_more=True)
            incoming = telegram_payloads.restore_update(pending.payload)
            messages = self._store_messages(
                session, self.settings.explain_failure(incoming, failure, code), incoming, now=now
            )
            inbox.give_up_update(session, update_id=pending.update_id, code=code, now=now)
            return _ServedUpdate(messages, has_more=True)

        return await self.runner.run(count_failure)
