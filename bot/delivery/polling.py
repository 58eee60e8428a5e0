"""Long polling by one process at a time: updates are stored, and only then confirmed by the next poll.

A watchdog ends a bot whose polls fail for too long, so that its supervisor (such as systemd) starts it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic
from typing import Any, TypeVar

from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from annotation.errors import HromadaError, Unavailable
from bot.delivery.backoff import Backoff
from bot.delivery.process_lease import LeaseKeeper
from bot.delivery.telegram_api import TelegramApi
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
MIN_WAIT, MAX_WAIT = 0.5, 15.0
"""The shortest and the longest pause in seconds after a failed poll."""
STANDBY_SECONDS = 1.0
"""Seconds between two attempts to get a lease that another process holds."""
POLLING_LEASE = "polling"
"""The name of the lease that the polling process holds."""
WATCHDOG_SECONDS = 90.0
"""Seconds without a successful poll after which the watchdog ends the bot."""
Result = TypeVar("Result")


class AwaitedService(StrEnum):
    """The service that has to respond before the next poll can succeed; values are the first words of an error."""

    TELEGRAM = "Telegram"
    DATABASE = "The database"


SERVICE_REMEDIES = {
    AwaitedService.TELEGRAM: "check the network, and whether another program asks for this bot's updates",
    AwaitedService.DATABASE: "check that the database runs and can be reached, and that nothing else keeps it locked",
}
"""What organisers are told to do where a service does not respond."""


@dataclass
class Watchdog:
    """Ends the bot when no poll has succeeded for `seconds`; `awaited` is the service that has to respond next."""

    seconds: float = WATCHDOG_SECONDS
    last_success: float = field(default_factory=monotonic)
    awaited: AwaitedService = AwaitedService.DATABASE

    def reset(self) -> None:
        """Count the seconds from now, as a poll has succeeded."""
        self.last_success = monotonic()

    def set_awaited(self, awaited: AwaitedService) -> None:
        """Set the service that has to respond next."""
        self.awaited = awaited

    async def run(self) -> None:
        """Wait until no poll has succeeded for too long, then raise Unavailable, which names the awaited service."""
        while (remaining := self.last_success + self.seconds - monotonic()) > 0:
            await asyncio.sleep(remaining)
        raise Unavailable(
            f"{self.awaited} does not answer: no poll has succeeded for {self.seconds:.0f} seconds.",
            remedy=f"Let a supervisor start the bot again; {SERVICE_REMEDIES[self.awaited]}.",
        )


@dataclass
class UpdatePoller:
    """Polls Telegram while its lease is held, and stores the updates; `on_start` is called before the first poll."""

    api: TelegramApi
    workers: Workers
    lease: LeaseKeeper
    watchdog: Watchdog
    on_start: Callable[[], Awaitable[None]]
    _backoff: Backoff = field(default_factory=lambda: Backoff(first=MIN_WAIT, longest=MAX_WAIT))
    _is_standby: bool = False

    async def run(self) -> None:
        """Poll until cancelled; raises InvalidToken."""
        while True:
            self.watchdog.set_awaited(AwaitedService.DATABASE)
            acquired = await self._await_or_pause(self.lease.acquire())
            if acquired:
                self._is_standby = False
                await self._poll_while_leased()
            elif acquired is False:
                if not self._is_standby:
                    log.info("Another process asks Telegram for updates; this one stands by.")
                self._is_standby = True
                self.watchdog.reset()
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
                await self._await_or_pause(self.lease.acquire())
                if not self.lease.held:
                    log.warning("Another process asks Telegram for updates now.")
                    return
            await polling
        finally:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)

    async def _prepare_polling(self) -> bool:
        """Remove a webhook without dropping the updates that wait at Telegram, and call `on_start`. Returns True."""
        self.watchdog.set_awaited(AwaitedService.TELEGRAM)
        await self.api.delete_webhook(drop_pending_updates=False)
        username = (await self.api.get_me()).username
        self.watchdog.set_awaited(AwaitedService.DATABASE)
        await self.on_start()
        log.info("The bot is @%s.", username)
        return True

    async def _poll_forever(self) -> None:
        """Poll and store updates in turns; `offset` confirms all updates that are stored."""
        offset: int | None = None
        while True:
            self.watchdog.set_awaited(AwaitedService.TELEGRAM)
            updates = await self._await_or_pause(self.api.poll_updates(offset=offset))
            if updates is None:
                continue
            self.watchdog.reset()
            self._backoff.reset()
            self.watchdog.set_awaited(AwaitedService.DATABASE)
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
        except (TelegramError, NetworkError, HromadaError) as failure:
            log.warning("No updates for now: %s", type(failure).__name__)
            pause = self._backoff.take_pause()
        await asyncio.sleep(pause)
        return None
