"""The sender makes the calls of outbox messages in order, chat by chat, once their transaction is committed.

Only failures delay them, such as Telegram's `retry_after`. Repeatable messages are sent until they are known to have
arrived; others are marked in the database before they are begun, and not sent again where it is not known whether they
arrived. Paced messages come here when the rate limit allows it (`sweeper`); other messages count in it, but never wait.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlmodel import Session
from telegram.error import ChatMigrated, Forbidden, RetryAfter, TelegramError

from annotation.errors import HromadaError
from annotation.store import outbox
from annotation.store.outbox import OutboxMessage
from annotation.workflow.annotators import registration
from bot.delivery.backoff import Backoff
from bot.delivery.receipts import Receipts
from bot.delivery.telegram_api import CallProgress, TelegramApi, make_calls
from bot.delivery.transaction_runner import TransactionRunner

log = logging.getLogger(__name__)
HOLD_TIME = timedelta(seconds=6)
"""How long no other process sends a message that this one holds, unless the hold is extended."""
ORDER_CHECK_SECONDS = 0.1
"""Seconds between two checks whether another process has sent the messages before this one."""
MIN_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.5, 60.0
"""Seconds to wait after a network failure, at first and at most; each wait is twice the one before."""
CHAT_SECONDS = 1.0
"""Seconds between two paced messages to one chat: Telegram takes about one a second."""
OVERALL_SECONDS = 1 / 25
"""Seconds between any two paced messages: Telegram takes about 30 a second, taps included."""
MAX_REMEMBERED_CHATS = 10_000
"""Above so many chats, those that may get a message at once are forgotten."""


@dataclass
class RateLimit:
    """When the next paced message may be sent: to a chat (by chat id), and at all, in seconds of a monotonic clock."""

    allowed_at: dict[int, float] = field(default_factory=dict)
    overall_allowed_at: float = 0.0

    def record_message(self, chat_id: int, *, now: float) -> None:
        """Count a message that is sent to this chat now."""
        if len(self.allowed_at) > MAX_REMEMBERED_CHATS:
            self.allowed_at = {chat: allowed_at for chat, allowed_at in self.allowed_at.items() if allowed_at > now}
        self.allowed_at[chat_id] = max(now, self.allowed_at.get(chat_id, 0.0)) + CHAT_SECONDS
        self.overall_allowed_at = max(now, self.overall_allowed_at) + OVERALL_SECONDS

    def choose_chat(self, chats: Iterable[int], *, now: float) -> tuple[int | None, float]:
        """The chat that may get the next message, and 0; None and the seconds to wait, where none may get it now."""
        allowed_at, chat = min(((self.allowed_at.get(chat, 0.0), chat) for chat in chats), default=(now, None))
        wait = max(allowed_at, self.overall_allowed_at) - now
        return (chat, 0.0) if wait <= 0 else (None, wait)


@dataclass
class _InFlightMessage:
    """An outbox message that this process sends. `begun`: some of its calls were made, or may have been.

    `dropped`: its row is deleted, so it is no longer sent; another message may have its id now.
    """

    message: OutboxMessage
    progress: CallProgress = field(default_factory=CallProgress)
    backoff: Backoff = field(default_factory=lambda: Backoff(first=MIN_RETRY_SECONDS, longest=MAX_RETRY_SECONDS))
    begun: bool = False
    dropped: bool = False


@dataclass
class _ChatQueue:
    """The messages for one chat, sent one after another."""

    messages: list[_InFlightMessage] = field(default_factory=list)
    busy: bool = False

    def add(self, in_flight: _InFlightMessage) -> None:
        """Insert a message in the order of ids, but not before one that has begun; a queued one is not added again."""
        if any(queued.message.id == in_flight.message.id and not queued.dropped for queued in self.messages):
            return
        first_index = int(bool(self.messages) and self.messages[0].begun)
        insort(self.messages, in_flight, lo=first_index, key=lambda queued: queued.message.id)


@dataclass
class Sender:
    """Sends outbox messages, those for one chat one after another in the order of their ids."""

    runner: TransactionRunner
    api: TelegramApi
    receipts: Receipts
    rate_limit: RateLimit
    _queues: dict[int, _ChatQueue] = field(default_factory=dict)
    _delayed: set[asyncio.Task[None]] = field(default_factory=set)

    async def send(self, messages: Iterable[OutboxMessage]) -> None:
        """Send messages; returns once each of them is sent, is queued behind another, or is to be tried again later."""
        for message in messages:
            queue = self._queues.setdefault(message.chat_id, _ChatQueue())
            in_flight = _InFlightMessage(message)
            in_flight.backoff.failures = message.attempts
            queue.add(in_flight)
            if not queue.busy:
                await self._send_queue(message.chat_id, queue)

    def list_held_ids(self) -> list[int]:
        """The ids of the messages that this process holds to send them."""
        return [
            in_flight.message.id
            for queue in self._queues.values()
            for in_flight in queue.messages
            if not in_flight.dropped
        ]

    def drop_chat(self, chat_id: int) -> None:
        """Stop sending the messages of a chat, which are deleted from the database."""
        for in_flight in self._queues[chat_id].messages if chat_id in self._queues else ():
            in_flight.dropped = True

    async def stop(self) -> None:
        """Cancel the attempts that were to be made later; their messages are in the database."""
        for task in tuple(self._delayed):
            task.cancel()
        await asyncio.gather(*self._delayed, return_exceptions=True)

    async def _send_queue(self, chat_id: int, queue: _ChatQueue) -> None:
        queue.busy = True
        while queue.messages:
            in_flight = queue.messages[0]
            wait = None if in_flight.dropped else await self._send_message(queue, in_flight)
            if wait is not None:
                self._continue_later(chat_id, queue, wait)
                return
            queue.messages.remove(in_flight)
        del self._queues[chat_id]

    def _continue_later(self, chat_id: int, queue: _ChatQueue, wait: float) -> None:
        async def continue_sending() -> None:
            await asyncio.sleep(wait)
            await self._send_queue(chat_id, queue)

        task = asyncio.create_task(continue_sending())
        self._delayed.add(task)
        task.add_done_callback(self._delayed.discard)

    async def _send_message(self, queue: _ChatQueue, in_flight: _InFlightMessage) -> float | None:
        """Make the calls of a message; None once it is finished, otherwise the seconds until the next attempt."""
        message = in_flight.message
        try:
            wait = await self._check_predecessors(queue, in_flight)
            if wait is not None:
                return wait
            in_flight.begun = True
            if not message.repeatable and not await self._mark_begun(message):
                return None
            self.rate_limit.record_message(message.chat_id, now=asyncio.get_running_loop().time())
            await make_calls(self.api, message, in_flight.progress)
        except RetryAfter as failure:
            return await self._postpone(in_flight, _get_retry_seconds(failure) + 0.1)
        except Forbidden:
            wait = await self._close_chat(queue, in_flight)
        except ChatMigrated as failure:
            return await self._move_chat(in_flight, failure.new_chat_id)
        except (TelegramError, HromadaError) as failure:
            if message.repeatable or in_flight.progress.unsent or isinstance(failure, HromadaError):
                return await self._postpone(in_flight, in_flight.backoff.pause)
            log.warning("Message %s may have been sent; it is not sent again: %s", message.id, type(failure).__name__)
        if wait is None and not in_flight.dropped:
            shown = [sent.to_shown_assignment(at=self.runner.clock()) for sent in in_flight.progress.item_messages]
            self.receipts.add(message.id, shown=shown)
        return wait

    async def _check_predecessors(self, queue: _ChatQueue, in_flight: _InFlightMessage) -> float | None:
        """Seconds to wait because another process still has earlier messages to the same chat; None if none has.

        0 where an earlier message has been queued here meanwhile, which has to be sent first.
        """
        if not in_flight.message.predecessors:
            return None
        own_ids = {*self.list_held_ids(), *self.receipts.list_unsaved()}
        other_ids = tuple(number for number in in_flight.message.predecessors if number not in own_ids)
        must_wait = bool(other_ids) and await self.runner.run(lambda session: outbox.are_any_stored(session, other_ids))
        if must_wait:
            return ORDER_CHECK_SECONDS
        in_flight.message = replace(in_flight.message, predecessors=())
        return None if queue.messages[0] is in_flight else 0.0

    async def _mark_begun(self, message: OutboxMessage) -> bool:
        """Mark a message in the database as begun; False where it may have been sent before, or was deleted."""
        if message.in_doubt:
            log.warning("Message %s may have been sent before a bot ended; it is not sent again.", message.id)
            self.receipts.add(message.id)
            return False
        now = self.runner.clock()
        return await self.runner.run(lambda session: outbox.mark_begun(session, message_id=message.id, now=now))

    async def _postpone(self, in_flight: _InFlightMessage, seconds: float) -> float:
        """Store that the message is tried again after so many seconds, and by another process if this one dies.

        Returns the seconds.
        """
        until = self.runner.clock() + timedelta(seconds=seconds) + HOLD_TIME
        message_id = in_flight.message.id
        in_flight.backoff.take_pause()
        in_flight.begun = in_flight.progress.n_calls > 0
        in_flight.progress.unsent = False
        await self._try_transaction(
            lambda session: outbox.postpone_message(session, message_id=message_id, until=until)
        )
        return seconds

    async def _close_chat(self, queue: _ChatQueue, in_flight: _InFlightMessage) -> float | None:
        """Mark a user who has blocked the bot as unreachable, which deletes the messages and releases the live item.

        Receipts are saved first, so that messages that were sent are not taken for lost. Returns None once this is
        stored, otherwise the seconds until the next attempt.
        """
        log.info("A user closed the chat with the bot.")
        queued, telegram_id, now = tuple(queue.messages), in_flight.message.chat_id, self.runner.clock()
        saved = await self.receipts.save()
        if not saved or not await self._try_transaction(
            lambda session: registration.mark_unreachable(session, telegram_id=telegram_id, now=now)
        ):
            return await self._postpone(in_flight, in_flight.backoff.pause)
        for undeliverable in queued:
            undeliverable.dropped = True
        return None

    async def _move_chat(self, in_flight: _InFlightMessage, new_chat_id: int) -> float:
        """Change the chat id of this message and of all stored ones for the chat. Returns 0: try again at once."""
        old_chat_id = in_flight.message.chat_id
        in_flight.message = replace(in_flight.message, chat_id=new_chat_id)
        await self._try_transaction(lambda session: outbox.move_chat(session, chat_id=old_chat_id, to=new_chat_id))
        return 0.0

    async def _try_transaction(self, use_case: Callable[[Session], object]) -> bool:
        """Run a use-case in a transaction; False where the database does not respond."""
        try:
            await self.runner.run(use_case)
        except HromadaError as failure:
            log.warning("The database does not answer: %s", type(failure).__name__)
            return False
        return True


def _get_retry_seconds(failure: RetryAfter) -> float:
    retry_after = failure.retry_after
    return retry_after.total_seconds() if isinstance(retry_after, timedelta) else float(retry_after)
