"""What follows when a message could not be sent: a pause, another attempt, another chat, or it is parked.

A message is parked with its reason after so many attempts of its own, or at a certain age. An attempt counts as its own
where Telegram answers at all: while Telegram is away, messages wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from sqlmodel import Session
from telegram.error import ChatMigrated, Forbidden, RetryAfter, TelegramError

from annotation.errors import HromadaError
from annotation.store import chats, outbox
from annotation.store.outbox import MessageHold
from annotation.workflow.annotators import registration
from bot.delivery.logs import format_trace
from bot.delivery.rate_limit import RateLimit
from bot.delivery.receipts import Receipts
from bot.delivery.telegram_api import InFlightMessage, TelegramApi
from bot.delivery.transaction_runner import TransactionRunner

log = logging.getLogger(__name__)
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
            self.receipts.add(message_id)
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
            outbox.store_shown(session, shown)
            outbox.park_message(session, message_id=message_id, calls=calls, reason=reason, now=now)

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
        await self.runner.run(lambda session: chats.store_pause(session, chat_id=chat_id, until=until))
        return await self._postpone(in_flight, seconds, reason="Telegram asks for pauses", counted=False)

    async def _postpone(
        self, in_flight: InFlightMessage, seconds: float, *, reason: str, counted: bool
    ) -> float | None:
        """Store that the message is tried again after so many seconds, and by another process if this one dies.

        A message that is too old is parked.
        """
        message = in_flight.message
        if self.runner.database_clock() - message.created_at > MAX_AGE:
            await self._park_rest(in_flight, f"for {MAX_AGE.days} day: {reason}")
            return None
        hold = self.make_hold(timedelta(seconds=seconds) + HOLD_TIME)
        in_flight.begun = in_flight.n_calls > 0
        in_flight.message = replace(message, held_until=hold.until)
        await self.runner.run(
            lambda session: outbox.postpone_message(session, message_id=message.id, hold=hold, counted=counted)
        )
        return seconds

    async def _close_chat(self, in_flight: InFlightMessage, queued: Sequence[InFlightMessage]) -> float | None:
        """Mark a user who has blocked the bot as unreachable, which deletes the messages and releases the live item.

        Receipts are saved first, so that messages that were sent are not taken for lost.
        """
        log.info("A user closed the chat with the bot.")
        telegram_id, now = in_flight.message.chat_id, self.runner.clock()
        if not await self.receipts.save():
            return await self._postpone(in_flight, in_flight.backoff.take_pause(), reason="blocked", counted=False)
        await self.runner.run(lambda session: registration.mark_unreachable(session, telegram_id=telegram_id, now=now))
        for undeliverable in queued:
            undeliverable.dropped = True
        return None

    async def _move_chat(self, in_flight: InFlightMessage, new_chat_id: int) -> float:
        """Change the chat id of this message and of all stored ones for the chat; it is tried again at once."""
        old_chat_id = in_flight.message.chat_id
        await self.runner.run(lambda session: chats.move_chat(session, chat_id=old_chat_id, to=new_chat_id))
        in_flight.message = replace(in_flight.message, chat_id=new_chat_id)
        return 0.0
