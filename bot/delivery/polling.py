"""Long polling by one process at a time: updates are stored, and only then confirmed by the next poll."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from annotation.errors import HromadaError, Unavailable
from bot.delivery.limits_and_retries import AwaitedService, Backoff, Watchdog
from bot.delivery.process_lease import HeartbeatKeeper, LeaseKeeper
from bot.delivery.telegram_api import CallNotSent, TelegramApi
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
MIN_WAIT, MAX_WAIT = 0.5, 15.0
"""The shortest and the longest pause in seconds after a failed poll."""
STANDBY_SECONDS = 1.0
"""Seconds between two attempts to get a lease that another process holds."""
POLLING_LEASE = "polling"
"""The name of the lease that the polling process holds."""
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
    _is_standby: bool = False

    async def run(self) -> None:
        """Poll until cancelled; raises InvalidToken."""
        while True:
            acquired = await self._await_or_pause(self.lease.acquire())
            if acquired:
                self._is_standby = False
                await self._poll_while_leased()
            elif acquired is False:
                if not self._is_standby:
                    log.info("Another process asks Telegram for updates; this one stands by.")
                self._is_standby = True
                await asyncio.sleep(STANDBY_SECONDS)

    async def _poll_while_leased(self) -> None:
        """Poll until another process holds the lease; it is renewed meanwhile."""
        log.info("This process asks Telegram for updates now.")
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
            self.watchdog.note_answer(AwaitedService.TELEGRAM)

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
        """Poll and store updates in turns; `offset` confirms all updates that are stored."""
        offset: int | None = None
        while True:
            self.watchdog.await_service(AwaitedService.TELEGRAM)
            updates = await self._await_or_pause(self.api.poll_updates(offset=offset))
            if updates is None:
                continue
            self.watchdog.note_answer(AwaitedService.TELEGRAM)
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
        try:
            return await operation
        except InvalidToken:
            raise
        except RetryAfter as failure:
            retry_after = failure.retry_after
            pause = retry_after if isinstance(retry_after, int) else retry_after.total_seconds()
        except Conflict:
            log.warning("Another program asks for this bot's updates too, without our database: end it.")
            pause = self._backoff.take_pause()
        except CallNotSent:
            log.warning("Telegram cannot be reached; the bot tries again. Check the network, and HROMADA_TELEGRAM_URL.")
            pause = self._backoff.take_pause()
        except (TelegramError, NetworkError, HromadaError) as failure:
            if not isinstance(failure, Unavailable):  # that the database is away is said once, by `database_state`
                log.warning("No updates for now: %s", type(failure).__name__)
            pause = self._backoff.take_pause()
        await asyncio.sleep(pause)
        return None
