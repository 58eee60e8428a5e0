"""Polling: one process at a time asks Telegram, stores what comes, and only then confirms it with its next question."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from annotation.errors import HromadaError
from annotation.store import inbox
from bot.delivery import update_parser
from bot.delivery.process_lease import Tenure
from bot.delivery.telegram_api import Api
from bot.delivery.transaction_runner import Base
from bot.delivery.update_parser import Raw
from bot.delivery.watchdog import Asked, Watchdog
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
SHORTEST_WAIT, LONGEST_WAIT = 0.5, 15.0
STANDBY = 1.0
"""Seconds between two looks at a lease that another process has."""
NAME = "polling"
Result = TypeVar("Result")


async def take_in(base: Base, workers: Workers, updates: Sequence[Raw]) -> None:
    """Store updates in one transaction and wake the workers; raises HromadaError where they could not be stored."""
    read = [one for one in map(update_parser.read, updates) if one is not None]
    arrived = [update_parser.arrived(one) for one in read]
    if arrived:
        await base.run(lambda session: inbox.store(session, arrived, now=base.clock()))
        workers.wake(one.telegram_id for one in arrived)


@dataclass
class Poller:
    """Asks for updates while its lease is held; `begun` is called when it has got it."""

    base: Base
    api: Api
    workers: Workers
    tenure: Tenure
    watchdog: Watchdog
    begun: Callable[[], Awaitable[None]]
    _wait: float = SHORTEST_WAIT
    _stands_by: bool = False

    async def run(self) -> None:
        """Poll until cancelled; raises InvalidToken."""
        while True:
            self.watchdog.waits_for(Asked.DATABASE)
            kept = await self._safely(self.tenure.keep())
            if kept:
                self._stands_by = False
                await self._serve()
            elif kept is False:
                if not self._stands_by:
                    log.info("Another process asks Telegram for updates; this one stands by.")
                self._stands_by = True
                self.watchdog.fed()
                await asyncio.sleep(STANDBY)

    async def _serve(self) -> None:
        """Poll as long as the lease is ours; it is renewed while a poll is held open."""
        log.info("This process asks Telegram for updates now.")
        if await self._safely(self._begin()) is None:
            return
        polling = asyncio.create_task(self._poll())
        try:
            while not polling.done():
                await asyncio.wait([polling], timeout=STANDBY)
                await self._safely(self.tenure.keep())
                if not self.tenure.held:
                    log.warning("Another process asks Telegram for updates now.")
                    return
            await polling
        finally:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)

    async def _begin(self) -> bool:
        """Nothing that waits is dropped: neither with the webhook that may have been there, nor with the offset."""
        self.watchdog.waits_for(Asked.TELEGRAM)
        await self.api.delete_webhook(drop_pending_updates=False)
        name = (await self.api.get_me()).username
        self.watchdog.waits_for(Asked.DATABASE)
        await self.begun()
        log.info("The bot is @%s.", name)
        return True

    async def _poll(self) -> None:
        offset: int | None = None
        while True:
            self.watchdog.waits_for(Asked.TELEGRAM)
            updates = await self._safely(self.api.poll(offset=offset))
            if updates is None:
                continue
            self.watchdog.fed()
            self._wait = SHORTEST_WAIT
            self.watchdog.waits_for(Asked.DATABASE)
            stored = await self._safely(self._take_in(updates)) if updates else None
            if stored:
                offset = max(int(one["update_id"]) for one in updates) + 1

    async def _take_in(self, updates: Sequence[Any]) -> bool:
        await take_in(self.base, self.workers, updates)
        return True

    async def _safely(self, work: Awaitable[Result]) -> Result | None:
        """What came of it; None, after a pause, where Telegram or the database does not answer."""
        try:
            return await work
        except InvalidToken:
            raise
        except RetryAfter as failure:
            asked = failure.retry_after
            pause = asked if isinstance(asked, int) else asked.total_seconds()
        except Conflict:
            log.warning("Another program asks for this bot's updates too, without our database: end it.")
            pause = self._longer()
        except (TelegramError, NetworkError, HromadaError) as failure:
            log.warning("No updates for now: %s", type(failure).__name__)
            pause = self._longer()
        await asyncio.sleep(pause)
        return None

    def _longer(self) -> float:
        """The pause after a failure, twice as long each time."""
        pause, self._wait = self._wait, min(LONGEST_WAIT, self._wait * 2)
        return pause
