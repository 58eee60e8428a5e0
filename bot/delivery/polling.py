"""Long polling by one process at a time: updates are stored, and only then confirmed by the next poll.

A watchdog ends a bot whose polls fail for too long, so that its supervisor starts it again.
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
STANDBY_SECONDS = 1.0
"""Seconds between two attempts to get a lease that another process holds."""
POLLING_LEASE = "polling"
WATCHDOG_SECONDS = 90.0
Result = TypeVar("Result")


class AwaitedService(StrEnum):
    """The service that has to respond before the next poll can succeed; the value begins a sentence."""

    TELEGRAM = "Telegram"
    DATABASE = "The database"


SERVICE_REMEDIES = {
    AwaitedService.TELEGRAM: "check the network, and whether another program asks for this bot's updates",
    AwaitedService.DATABASE: "check that the database runs and can be reached, and that nothing else keeps it locked",
}


@dataclass
class Watchdog:
    """Reset by every successful poll, and told which service is awaited meanwhile."""

    seconds: float = WATCHDOG_SECONDS
    last_success: float = field(default_factory=monotonic)
    awaited: AwaitedService = AwaitedService.DATABASE

    def reset(self) -> None:
        """A poll succeeded now."""
        self.last_success = monotonic()

    def set_awaited(self, awaited: AwaitedService) -> None:
        """The service that has to respond next."""
        self.awaited = awaited

    async def run(self) -> None:
        """Raise Unavailable once no poll succeeded for too long, naming the service that did not respond."""
        while (remaining := self.last_success + self.seconds - monotonic()) > 0:
            await asyncio.sleep(remaining)
        raise Unavailable(
            f"{self.awaited} does not answer: no poll has succeeded for {self.seconds:.0f} seconds.",
            remedy=f"Let a supervisor start the bot again; {SERVICE_REMEDIES[self.awaited]}.",
        )


@dataclass
class UpdatePoller:
    """Polls while its lease is held; `on_start` is called when the lease was acquired."""

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
            acquired = await self._try(self.lease.acquire())
            if acquired:
                self._is_standby = False
                await self._serve()
            elif acquired is False:
                if not self._is_standby:
                    log.info("Another process asks Telegram for updates; this one stands by.")
                self._is_standby = True
                self.watchdog.reset()
                await asyncio.sleep(STANDBY_SECONDS)

    async def _serve(self) -> None:
        """Poll as long as the lease is held; it is renewed meanwhile."""
        log.info("This process asks Telegram for updates now.")
        if await self._try(self._start()) is None:
            return
        polling = asyncio.create_task(self._poll())
        try:
            while not polling.done():
                await asyncio.wait([polling], timeout=STANDBY_SECONDS)
                await self._try(self.lease.acquire())
                if not self.lease.held:
                    log.warning("Another process asks Telegram for updates now.")
                    return
            await polling
        finally:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)

    async def _start(self) -> bool:
        """Remove a webhook, keeping the updates that wait, and recover what an earlier process left."""
        self.watchdog.set_awaited(AwaitedService.TELEGRAM)
        await self.api.delete_webhook(drop_pending_updates=False)
        name = (await self.api.get_me()).username
        self.watchdog.set_awaited(AwaitedService.DATABASE)
        await self.on_start()
        log.info("The bot is @%s.", name)
        return True

    async def _poll(self) -> None:
        offset: int | None = None
        while True:
            self.watchdog.set_awaited(AwaitedService.TELEGRAM)
            updates = await self._try(self.api.poll_updates(offset=offset))
            if updates is None:
                continue
            self.watchdog.reset()
            self._backoff.reset()
            self.watchdog.set_awaited(AwaitedService.DATABASE)
            stored = await self._try(self._store(updates)) if updates else None
            if stored:
                offset = max(int(update["update_id"]) for update in updates) + 1

    async def _store(self, updates: Sequence[Any]) -> bool:
        await self.workers.receive_updates(updates)
        return True

    async def _try(self, work: Awaitable[Result]) -> Result | None:
        """The result; None, after a pause, where Telegram or the database does not respond."""
        try:
            return await work
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
