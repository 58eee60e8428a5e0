"""getUpdates: held open until something comes, one poller at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from bot.emulator.calls import Call, Refused
from bot.emulator.methods.delivery import remember
from bot.emulator.state import State
from bot.emulator.updates import MOST

LONGEST = 50.0
_OTHER = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
_HOOKED = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
_ENDED = "Conflict: terminated by setWebhook request"


@dataclass
class Poller:
    """The long poll that waits now, if any."""

    state: State
    waiting: asyncio.Future[str] | None = None

    async def poll(self, call: Call) -> list[dict[str, Any]]:
        """What waits from an offset on; raises Refused where another poll or a webhook has taken over."""
        if self.state.hook is not None:
            raise Refused(409, _HOOKED)
        self._wake(_OTHER)
        remember(self.state, call)
        offset = call.number("offset")
        if offset and not self.state.faults.repeat():
            self.state.queue.confirm(offset)
        limit = min(max(call.number("limit", MOST), 1), MOST)
        found = self._batch(limit)
        seconds = min(max(call.number("timeout"), 0), LONGEST)
        if not found and seconds:
            await self._wait(seconds)
            found = self._batch(limit)
        return found

    async def _wait(self, seconds: float) -> None:
        """Until an update comes or the time is over; being ended by another is a refusal."""
        self.waiting = asyncio.get_running_loop().create_future()
        mine = self.waiting
        arrived = self._arrived
        self.state.queue.arrived.append(arrived)
        try:
            ended = await asyncio.wait_for(mine, seconds)
        except TimeoutError:
            return
        finally:
            self.state.queue.arrived.remove(arrived)
            if self.waiting is mine:
                self.waiting = None
        if ended:
            raise Refused(409, ended)

    def _arrived(self) -> None:
        self._wake(_ENDED if self.state.hook is not None else "")

    def _wake(self, reason: str) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(reason)

    def _batch(self, limit: int) -> list[dict[str, Any]]:
        queue = self.state.queue
        queue.expire(self.state.clock())
        numbers = self.state.faults.order(sorted(queue.waiting)[:limit])
        return [queue.waiting[number].wire() for number in numbers]
