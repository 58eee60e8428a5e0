"""The sender makes the calls of outbox messages, chat by chat in order, once their transaction is committed.

One call at a time is made for a chat, and calls for many chats at once; handling does not wait for them. Repeatable
messages are sent until they are known to have arrived; others are marked in the database before they are begun, and not
sent again where it is not known whether they arrived. A message that cannot be sent is parked, and the chat goes on.
Paced messages come here when the rate limit allows it (`sweeper`); other messages count in it, but wait only for the
pauses that Telegram asks for.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from bisect import insort
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlmodel import Session
from telegram.error import ChatMigrated, Forbidden, RetryAfter, TelegramError

from annotation.errors import HromadaError
from annotation.store import late_messages, mailbox, processes
from annotation.store.mailbox import MessageHold, OutboxMessage, ShownAssignment
from annotation.workflow.annotators import registration
from bot.delivery.delivery_settings import format_trace
from bot.delivery.limits_and_retries import Failure, RateLimit, catch_failure
from bot.delivery.picture_uploads import PictureUploads
from bot.delivery.telegram_api import InFlightMessage, Receipt, ReceiptBatch, Shown, TelegramApi, make_calls
from bot.delivery.transaction_runner import TransactionRunner, follow_update

log = logging.getLogger(__name__)
BATCH_SECONDS = 0.05
"""Seconds that receipts wait for the transaction of an update before they get one of their own."""


@dataclass
class Receipts:
    """The receipts of one process that are not saved yet; a transaction takes them, and returns them if it fails."""

    runner: TransactionRunner
    _unsaved: list[Receipt] = field(default_factory=list)
    _saving: asyncio.Task[None] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, message: OutboxMessage, *, shown: Sequence[Shown] = ()) -> None:
        """Add the receipt of an outbox message; `shown` is what was sent with it."""
        self._unsaved.append(Receipt(message_id=message.id, chat_id=message.chat_id, shown=shown))
        self._schedule_save()

    def list_unsaved(self) -> Sequence[int]:
        """The ids of outbox messages that were sent, but are still stored."""
        return [receipt.message_id for receipt in self._unsaved]

    def list_shown(self) -> dict[int, int]:
        """The ids of messages that show assignments and are not saved yet, by assignment."""
        shown = [one for receipt in self._unsaved for one in receipt.shown if isinstance(one, ShownAssignment)]
        return {one.assignment_id: one.message_id for one in shown}

    def take_batch(self, *, chat_id: int | None = None) -> ReceiptBatch:
        """Take all receipts, or those of one chat, to save them in a transaction."""
        taken = [receipt for receipt in self._unsaved if chat_id in {None, receipt.chat_id}]
        self._unsaved = [receipt for receipt in self._unsaved if chat_id not in {None, receipt.chat_id}]
        return ReceiptBatch(taken)

    def return_batch(self, batch: ReceiptBatch) -> None:
        """Return receipts that could not be saved."""
        self._unsaved = [*batch.receipts, *self._unsaved]
        self._schedule_save()

    def _schedule_save(self) -> None:
        """Start a task that saves the receipts later, unless one runs already."""
        if self._unsaved and (self._saving is None or self._saving.done()):
            self._saving = asyncio.create_task(self._save_later())

    async def _save_later(self) -> None:
        while self._unsaved:
            await asyncio.sleep(BATCH_SECONDS)
            await self.save()

    async def save(self) -> bool:
        """Save all receipts now, after those that are being saved. Returns whether it succeeded."""
        async with self._lock:
            batch = self.take_batch()
            if not batch.receipts:
                return True
            try:
                await self.runner.run(batch.save)
            except HromadaError as failure:
                log.debug("What was sent is noted later: %s", type(failure).__name__)
                self.return_batch(batch)
                return False
            except asyncio.CancelledError:
                self.return_batch(batch)
                raise
            return True


HOLD_TIME = timedelta(seconds=6)
"""How long no other process sends a message that this one holds, unless the hold is extended."""
MAX_ATTEMPTS = 8
"""How often a call is tried that fails although Telegram answers, within a good minute; then it is set aside."""
MAX_AGE = timedelta(days=1)
"""How old a message may get that cannot be sent, for whatever reason."""
PAUSE_SLACK_SECONDS = 0.1
"""Seconds that are added to a pause that Telegram asks for."""


@dataclass(kw_only=True)
class FailedMessages:
    """Handles failures to send a message; its methods return None once this process is done with the message, otherwise
    the seconds until the next attempt.
    """

    runner: TransactionRunner
    api: TelegramApi
    receipts: Receipts
    rate_limit: RateLimit
    bot_id: int
    make_hold: Callable[[timedelta], MessageHold]

    async def handle_failure(
        self, in_flight: InFlightMessage, failure: Exception, *, queued: Sequence[InFlightMessage]
    ) -> float | None:
        """Decide by what made the message fail; `queued` are the messages for its chat, it included."""
        match failure:
            case HromadaError():  # of the database: it says so in the log itself
                return in_flight.backoff.take_pause()
            case RetryAfter():
                return await self._pause_chat(in_flight, failure)
            case Forbidden():
                return await self._close_chat(in_flight, queued)
            case ChatMigrated():
                return await self._move_chat(in_flight, failure.new_chat_id)
            case TelegramError() if in_flight.message.repeatable or in_flight.unsent:
                return await self._try_again(in_flight, failure)
        await self._give_up(in_flight, failure)
        return None

    async def _give_up(self, in_flight: InFlightMessage, failure: Exception) -> None:
        """Send nothing again that may have been sent; park what failed in a way that nobody expected."""
        message_id, name = in_flight.message.id, type(failure).__name__
        if isinstance(failure, TelegramError):
            log.warning("Message %s may have been sent; it is not sent again: %s", message_id, name)
            self.receipts.add(in_flight.message)
            return
        log.error("Message %s failed: %s", message_id, format_trace(failure))
        await self._park_rest(in_flight, f"unexpected {name}")

    async def park_message(
        self, in_flight: InFlightMessage, reason: str, *, calls: Sequence[Mapping[str, Any]]
    ) -> None:
        """Park a message with the calls that were not made, and say so in the log."""
        message_id, now = in_flight.message.id, self.runner.database_clock()
        shown = in_flight.list_shown(at=self.runner.clock())

        def park(session: Session) -> None:
            mailbox.store_shown(session, shown)
            mailbox.park_message(session, message_id=message_id, calls=calls, reason=reason, now=now)

        await self.runner.run(park)
        log.error("Message %s is parked (hromada delivery list): %s", message_id, reason)

    async def _park_rest(self, in_flight: InFlightMessage, reason: str) -> None:
        """Park a message with all calls that were not made."""
        rest = [*in_flight.set_aside, *in_flight.message.calls[in_flight.n_calls :]]
        await self.park_message(in_flight, in_flight.reason or reason, calls=rest)

    async def _try_again(self, in_flight: InFlightMessage, failure: TelegramError) -> float | None:
        """Try a message again later; a call that has failed too often is set aside, and the others go on."""
        reason = str(failure) or type(failure).__name__
        counted = not in_flight.unsent and await self._is_telegram_well()
        in_flight.attempts += counted
        if in_flight.attempts >= MAX_ATTEMPTS:
            in_flight.set_call_aside(f"{reason}, {MAX_ATTEMPTS} times")
            return 0.0
        return await self._postpone(in_flight, in_flight.backoff.take_pause(), reason=reason, counted=counted)

    async def _is_telegram_well(self) -> bool:
        """Whether Telegram answers another call, so that a failure is the message's own."""
        try:
            await self.api.get_me()
        except TelegramError:
            return False
        return True

    async def _pause_chat(self, in_flight: InFlightMessage, failure: RetryAfter) -> float | None:
        """Send nothing to the chat as long as Telegram asks; other processes read it in the database."""
        retry_after = failure.retry_after
        seconds = retry_after.total_seconds() if isinstance(retry_after, timedelta) else float(retry_after)
        seconds += PAUSE_SLACK_SECONDS
        chat_id, now = in_flight.message.chat_id, asyncio.get_running_loop().time()
        until = self.runner.database_clock() + timedelta(seconds=seconds)
        self.rate_limit.record_refusal(chat_id, until=now + seconds, now=now)
        await self.runner.run(lambda session: self._store_pause(session, chat_id, until))
        return await self._postpone(in_flight, seconds, reason="Telegram asks for pauses", counted=False)

    def _store_pause(self, session: Session, chat_id: int, until: datetime) -> None:
        processes.store_pause(session, bot_id=self.bot_id, chat_id=chat_id, until=until)

    async def _postpone(
        self, in_flight: InFlightMessage, seconds: float, *, reason: str, counted: bool
    ) -> float | None:
        """Store that the message is tried again after so many seconds, and by another process if this one dies.

        A message that is too old is parked. One that another process has taken meanwhile is left to it.
        """
        message = in_flight.message
        if self.runner.database_clock() - message.created_at > MAX_AGE:
            await self._park_rest(in_flight, f"for {MAX_AGE.days} day: {reason}")
            return None
        hold = self.make_hold(timedelta(seconds=seconds) + HOLD_TIME)
        in_flight.begun = in_flight.n_calls > 0
        is_held = await self.runner.run(
            lambda session: mailbox.postpone_message(session, message_id=message.id, hold=hold, counted=counted)
        )
        if not is_held:
            in_flight.dropped = True
            return None
        in_flight.message = replace(message, held_until=hold.until)
        return seconds

    async def _close_chat(self, in_flight: InFlightMessage, queued: Sequence[InFlightMessage]) -> float | None:
        """Mark a user who has blocked the bot as unreachable, which deletes the messages and releases the live item.

        Receipts are saved first, so that messages that were sent are not taken for lost.
        """
        log.info("A user closed the chat with the bot.")
        telegram_id, now = in_flight.message.chat_id, self.runner.clock()
        if not await self.receipts.save():
            return await self._postpone(in_flight, in_flight.backoff.take_pause(), reason="blocked", counted=False)
        await self.runner.run(lambda session: self._mark_unreachable(session, telegram_id, now))
        for undeliverable in queued:
            undeliverable.dropped = True
        return None

    def _mark_unreachable(self, session: Session, telegram_id: int, now: datetime) -> None:
        """Mark a user as unreachable; where they belong to another bot, give up only what this one has for them."""
        if processes.find_owner(session, telegram_id=telegram_id) in {None, self.bot_id}:
            registration.mark_unreachable(session, telegram_id=telegram_id, now=now)
        else:
            processes.delete_chat_messages(session, chat_id=telegram_id, bot_id=self.bot_id)

    async def _move_chat(self, in_flight: InFlightMessage, new_chat_id: int) -> float:
        """Change the chat id of this message and of all stored ones for the chat; it is tried again at once."""
        old_chat_id = in_flight.message.chat_id
        await self.runner.run(lambda session: processes.move_chat(session, chat_id=old_chat_id, to=new_chat_id))
        in_flight.message = replace(in_flight.message, chat_id=new_chat_id)
        return 0.0


MAX_PARALLEL = 256
"""How many chats are sent to at once."""
ACKNOWLEDGEMENT = "answerCallbackQuery"
"""The method that ends the loading state of a tapped button."""
ORDER_CHECK_SECONDS = 0.1
"""Seconds between two checks whether another process has sent the messages before this one."""


@dataclass
class _ChatQueue:
    """The messages for one chat, sent one after another; `busy` where somebody sees to it that they are."""

    messages: list[InFlightMessage] = field(default_factory=list)
    busy: bool = False

    def add(self, in_flight: InFlightMessage) -> None:
        """Insert a message in the order of ids, but not before one that has begun; a queued one is not added again."""
        if any(queued.message.id == in_flight.message.id and not queued.dropped for queued in self.messages):
            return
        first_index = int(bool(self.messages) and self.messages[0].begun)
        insort(self.messages, in_flight, lo=first_index, key=lambda queued: queued.message.id)


@dataclass
class Sender:
    """Sends the outbox messages of one bot, those for one chat one after another in the order of their ids.

    `holder` is the name under which this process holds them. `_ready` are the chats whose turn comes next (a
    dictionary, used as an ordered set), `_sending` the tasks of chats that are sent to, `_delayed` the timers of chats
    that wait. `_left` are the ids of messages that could be neither sent nor parked: the next of the chat go first.
    """

    runner: TransactionRunner
    api: TelegramApi
    receipts: Receipts
    rate_limit: RateLimit
    bot_id: int
    max_parallel: int = MAX_PARALLEL
    holder: str = field(default_factory=lambda: secrets.token_hex(8))
    _failures: FailedMessages = field(init=False)
    _pictures: PictureUploads = field(init=False)
    _queues: dict[int, _ChatQueue] = field(default_factory=dict)
    _ready: dict[int, None] = field(default_factory=dict)
    _sending: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _delayed: dict[int, asyncio.TimerHandle] = field(default_factory=dict)
    _left: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._pictures = PictureUploads(runner=self.runner, api=self.api, bot_id=self.bot_id)
        self._failures = FailedMessages(
            runner=self.runner,
            api=self.api,
            receipts=self.receipts,
            rate_limit=self.rate_limit,
            bot_id=self.bot_id,
            make_hold=self.make_hold,
        )

    def send(self, messages: Iterable[OutboxMessage]) -> None:
        """Send messages, each when those before it in its chat are sent."""
        for message in messages:
            queue = self._queues.setdefault(message.chat_id, _ChatQueue())
            in_flight = InFlightMessage(message, attempts=message.attempts)
            in_flight.backoff.failures = message.attempts
            queue.add(in_flight)
            if not queue.busy:
                queue.busy = True
                self._ready[message.chat_id] = None
        self._start_sending()

    def make_hold(self, seconds: timedelta = HOLD_TIME) -> MessageHold:
        """A hold of this process from now on."""
        return MessageHold(holder=self.holder, until=self.runner.database_clock() + seconds)

    def list_held_ids(self) -> list[int]:
        """The ids of the messages that this process holds to send them."""
        return [
            in_flight.message.id
            for queue in self._queues.values()
            for in_flight in queue.messages
            if not in_flight.dropped
        ]

    def update_holds(self, asked: Collection[int], kept: Collection[int], hold: MessageHold) -> None:
        """Go by the result of extending holds: messages that were asked for and not kept are no longer sent here."""
        for queue in self._queues.values():
            for in_flight in queue.messages:
                if in_flight.message.id in kept:
                    in_flight.message = replace(in_flight.message, held_until=hold.until)
                elif in_flight.message.id in asked and not in_flight.begun:
                    in_flight.dropped = True

    def drop_chat(self, chat_id: int) -> None:
        """Stop sending the messages of a chat, which are deleted from the database."""
        for in_flight in self._queues[chat_id].messages if chat_id in self._queues else ():
            in_flight.dropped = True

    async def wait_until_idle(self) -> None:
        """Wait until each message is sent, or is to be tried again later."""
        while self._sending:
            await asyncio.wait(self._sending.values())

    async def stop(self, *, within: float) -> None:
        """Begin nothing any more, and wait at most that long for what has begun; the rest is in the database."""
        self.max_parallel = 0
        for timer in self._delayed.values():
            timer.cancel()
        tasks = tuple(self._sending.values())
        if tasks:
            await asyncio.wait(tasks, timeout=within)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start_sending(self) -> None:
        while self._ready and len(self._sending) < self.max_parallel:
            chat_id = next(iter(self._ready))
            del self._ready[chat_id]
            self._sending[chat_id] = asyncio.create_task(self._send_to_chat(chat_id))

    async def _send_to_chat(self, chat_id: int) -> None:
        """Send a chat's queue, and let the next chat begin. When its queue is gone, so is this task: no other code runs
        in between, which could begin a second task for the chat.
        """
        try:
            await self._send_queue(chat_id)
        finally:
            del self._sending[chat_id]
            self._start_sending()

    async def _send_queue(self, chat_id: int) -> None:
        """Send what waits for a chat, until nothing does or the first message has to be tried again later."""
        queue = self._queues[chat_id]
        while queue.messages and self.max_parallel:
            in_flight = queue.messages[0]
            wait = None if in_flight.dropped else await self._send_or_park(queue, in_flight)
            if wait is not None:
                self._delayed[chat_id] = asyncio.get_running_loop().call_later(wait, self._resume_chat, chat_id)
                return
            queue.messages.remove(in_flight)
        del self._queues[chat_id]

    def _resume_chat(self, chat_id: int) -> None:
        del self._delayed[chat_id]
        self._ready[chat_id] = None
        self._start_sending()

    async def _send_or_park(self, queue: _ChatQueue, in_flight: InFlightMessage) -> float | None:
        """Send a message, and see to it where that fails; whatever happens, the chat goes on.

        Returns None once this process is done with the message, otherwise the seconds until the next attempt.
        """
        follow_update(in_flight.update)
        outcome = await catch_failure(self._send_message(queue, in_flight))
        if isinstance(outcome, Failure):
            queued = tuple(queue.messages)
            outcome = await catch_failure(self._failures.handle_failure(in_flight, outcome.error, queued=queued))
        if not isinstance(outcome, Failure):
            return outcome
        if isinstance(outcome.error, HromadaError):  # of the database
            return in_flight.backoff.take_pause()
        log.error("Message %s is left for later: %s", in_flight.message.id, format_trace(outcome.error))
        self._left.add(in_flight.message.id)
        return None

    async def _send_message(self, queue: _ChatQueue, in_flight: InFlightMessage) -> float | None:
        """Make the calls of a message; None once it is finished, otherwise the seconds until the next attempt.

        Raises whatever made a call or a transaction fail.
        """
        now, message = asyncio.get_running_loop().time(), in_flight.message
        pause = self.rate_limit.get_pause_end(message.chat_id) - now
        if pause > 0:
            return pause
        wait = await self._check_predecessors(queue, in_flight)
        if wait is not None:
            return wait
        await self._settle_calls(in_flight)
        if not await self._has_hold(in_flight):
            return None
        in_flight.begun = True
        if not message.repeatable and not await self._mark_begun(message):
            return None
        if not message.paced:  # the sweeper counts those
            self.rate_limit.record_message(message.chat_id, now=now)
        await make_calls(self._pictures.make_call if in_flight.has_pictures else self.api.make_stored_call, in_flight)
        if any(
            call["method"] != ACKNOWLEDGEMENT for call in in_flight.message.calls
        ):  # those have a limit of their own
            self.rate_limit.record_success()
        if in_flight.set_aside:
            await self._failures.park_message(in_flight, in_flight.reason, calls=in_flight.set_aside)
        elif not in_flight.dropped:
            shown = in_flight.list_shown(at=self.runner.clock())
            self.receipts.add(message, shown=shown)
            self.runner.measurements.sent += 1
        return None

    async def _check_predecessors(self, queue: _ChatQueue, in_flight: InFlightMessage) -> float | None:
        """Seconds to wait because another process still has earlier messages to the same chat; None if none has.

        0 where an earlier message has been queued here meanwhile, which has to be sent first.
        """
        if not in_flight.message.predecessors:
            return None
        own_ids = {*self.list_held_ids(), *self.receipts.list_unsaved(), *self._left}
        other_ids = tuple(number for number in in_flight.message.predecessors if number not in own_ids)
        must_wait = bool(other_ids) and await self.runner.run(
            lambda session: mailbox.are_any_waiting(session, other_ids)
        )
        if must_wait:
            return ORDER_CHECK_SECONDS
        in_flight.message = replace(in_flight.message, predecessors=())
        return None if queue.messages[0] is in_flight else 0.0

    async def _settle_calls(self, in_flight: InFlightMessage) -> None:
        """Find out what to edit, and what to leave out, where only the database knows that now."""
        message, shown = in_flight.message, self.receipts.list_shown()
        if any("edits" in call or (message.late and "shows" in call) for call in message.calls[in_flight.n_calls :]):
            settle = partial(late_messages.settle_calls, message=message, n_made=in_flight.n_calls, shown=shown)
            in_flight.message = await self.runner.run(settle)

    async def _has_hold(self, in_flight: InFlightMessage) -> bool:
        """Whether no other process sends this message; where the hold has ended, the database is asked for it."""
        message = in_flight.message
        if self.runner.database_clock() < message.held_until:
            return True
        hold = self.make_hold()
        if not await self.runner.run(lambda session: mailbox.extend_holds(session, [message.id], hold)):
            in_flight.dropped = True
            return False
        in_flight.message = replace(message, held_until=hold.until)
        return True

    async def _mark_begun(self, message: OutboxMessage) -> bool:
        """Mark a message in the database as begun; False where it may have been sent before, or was deleted."""
        if message.in_doubt:
            log.warning("Message %s may have been sent before a bot ended; it is not sent again.", message.id)
            self.receipts.add(message)
            return False
        now = self.runner.database_clock()
        return await self.runner.run(
            lambda session: mailbox.mark_begun(session, message_id=message.id, holder=self.holder, now=now)
        )
