"""Long polling by one process at a time: updates are stored, and only then confirmed by the next poll."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeVar

from telegram.error import Conflict, InvalidToken, TelegramError

from annotation.errors import SchemaMismatch, Unavailable
from bot.delivery.delivery_settings import format_trace
from bot.delivery.limits_and_retries import AwaitedService, Backoff, Failure, Watchdog, catch_failure
from bot.delivery.process_lease import HeartbeatKeeper, LeaseKeeper
from bot.delivery.telegram_api import TelegramApi, explain_failure
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
MIN_WAIT, MAX_WAIT = 0.5, 15.0
"""The shortest and the longest pause in seconds after a failed poll."""
STANDBY_SECONDS = 1.0
"""Seconds between two attempts to get a lease that another process holds."""
RETAKE_SECONDS = 90.0
"""Seconds after which a webhook is removed that another program has set while this one polls."""
WEBHOOK_ACTIVE = "webhook is active"
"""Part of Telegram's refusal of a poll while there is a webhook."""
POLLING_LEASE = "polling"
"""The name of the lease that the polling process holds; of one of several bots, the bot's id follows it."""
Result = TypeVar("Result")


@dataclass
class UpdatePoller:
    """Polls Telegram while its lease is held, and stores the updates; `on_start` is called before the first poll."""

    api: TelegramApi
    workers: Workers
    lease: LeaseKeeper
    watchdog: Watchdog
    heartbeat: HeartbeatKeeper
    on_start: Callable[[], Awaitable[None]]
    _backoff: Backoff = field(default_factory=lambda: Backoff(first=MIN_WAIT, longest=MAX_WAIT))
    _is_standby: bool | None = None
    _last_failure: str = ""
    _webhook_since: float | None = None

    async def run(self) -> None:
        """Poll until cancelled; raises InvalidToken."""
        while True:
            acquired = await self._await_or_pause(self.lease.acquire())
            if acquired:
                if self._is_standby is not False:  # another attempt after a failure is no news
                    log.info("This process asks Telegram for updates now.")
                self._is_standby = False
                await self._poll_while_leased()
            elif acquired is False:
                if not self._is_standby:
                    log.info("Another process asks Telegram for updates; this one waits.")
                self._is_standby = True
                await asyncio.sleep(STANDBY_SECONDS)

    async def _poll_while_leased(self) -> None:
        """Poll until another process holds the lease; it is renewed meanwhile."""
        self._webhook_since = None
        if await self._await_or_pause(self._prepare_polling()) is None:
            return
        polling = asyncio.create_task(self._poll_forever())
        try:
            while not polling.done():
                await asyncio.wait([polling], timeout=STANDBY_SECONDS)
                acquired = await self._await_or_pause(self.lease.acquire())
                if not self.lease.held:
                    if acquired is False:
                        log.warning("Another process asks Telegram for updates now.")
                    return
            await polling
        finally:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)
            self.watchdog.forget_service(AwaitedService.TELEGRAM)

    async def _prepare_polling(self) -> bool:
        """Remove a webhook without dropping the updates that wait at Telegram, and call `on_start`. Returns True."""
        self.watchdog.await_service(AwaitedService.TELEGRAM)
        await self.api.delete_webhook(drop_pending_updates=False)
        username = (await self.api.get_me()).username
        self.watchdog.note_answer(AwaitedService.TELEGRAM)
        await self.on_start()
        log.info("The bot is @%s.", username)
        return True

    async def _poll_forever(self) -> None:
        """Poll and store updates in turns, until a webhook has to be removed again.

        `offset` confirms all updates that are stored.
        """
        offset: int | None = None
        while True:
            self.watchdog.await_service(AwaitedService.TELEGRAM)
            updates = await self._await_or_pause(self.api.poll_updates(offset=offset))
            if updates is None and self._must_prepare():
                return
            if updates is None:
                continue
            self._backoff.reset()
            await self.heartbeat.note()
            are_stored = await self._await_or_pause(self._store_updates(updates)) if updates else None
            if are_stored:
                offset = max(int(update["update_id"]) for update in updates) + 1

    async def _store_updates(self, updates: Sequence[Any]) -> bool:
        """Store updates and wake the workers. Returns True."""
        await self.workers.receive_updates(updates)
        return True

    async def _await_or_pause(self, operation: Awaitable[Result]) -> Result | None:
        """Await an operation and return its result; where it fails for now, pause and return None.

        Raises InvalidToken.
        """
        outcome = await catch_failure(operation)
        if not isinstance(outcome, Failure):
            return outcome
        await asyncio.sleep(self._find_pause(outcome.error))
        return None

    def _must_prepare(self) -> bool:
        """Whether another program has set a webhook and left it for RETAKE_SECONDS, so that no poll can succeed."""
        return self._webhook_since is not None and monotonic() - self._webhook_since >= RETAKE_SECONDS

    def _find_pause(self, failure: Exception) -> float:
        """Seconds until the next attempt, as many as Telegram asks for; raises InvalidToken."""
        seconds = None
        if isinstance(failure, InvalidToken):
            raise failure
        if not (isinstance(failure, Conflict) and WEBHOOK_ACTIVE in str(failure).lower()):
            self._webhook_since = None
        elif self._webhook_since is None:
            self._webhook_since = monotonic()
        if isinstance(failure, TelegramError):
            reason, seconds = explain_failure(failure)
            self.watchdog.explain_wait(reason, seconds=seconds)
        elif not isinstance(failure, Unavailable | SchemaMismatch):  # those are said elsewhere
            if (described := format_trace(failure)) != self._last_failure:
                log.error("No updates for now: %s", described)
            self._last_failure = described
        return self._backoff.take_pause() if seconds is None else seconds
