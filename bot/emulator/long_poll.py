"""getUpdates: a long poll waits until an update comes; there is only one poll at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from bot.emulator.calls import Call, CallRefused
from bot.emulator.methods.webhooks import store_allowed_updates
from bot.emulator.state import State
from bot.emulator.updates import MAX_UPDATES

MAX_POLL_SECONDS = 50.0
_OTHER_POLL = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
_WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
_WEBHOOK_SET = "Conflict: terminated by setWebhook request"


@dataclass
class LongPoll:
    """The long poll of a bot; `waiting` is set while a call waits for updates."""

    state: State
    waiting: asyncio.Future[str] | None = None

    async def poll(self, call: Call) -> list[dict[str, Any]]:
        """The updates from an offset on; raises CallRefused where another poll or a webhook has replaced this one."""
        if self.state.webhook is not None:
            raise CallRefused(409, _WEBHOOK_ACTIVE)
        self._wake(_OTHER_POLL)
        store_allowed_updates(self.state, call)
        offset = call.number("offset")
        if offset and not self.state.faults.take_repeat():
            self.state.queue.confirm(offset)
        limit = min(max(call.number("limit", MAX_UPDATES), 1), MAX_UPDATES)
        updates = self._list_waiting(limit)
        seconds = min(max(call.number("timeout"), 0), MAX_POLL_SECONDS)
        if not updates and seconds:
            await self._wait(seconds)
            updates = self._list_waiting(limit)
        return updates

    async def _wait(self, seconds: float) -> None:
        """Wait until an update comes or the time is over; raises CallRefused where another poll ends this one."""
        self.waiting = asyncio.get_running_loop().create_future()
        future = self.waiting
        notify = self._notify_arrival
        self.state.queue.on_arrival.append(notify)
        try:
            reason = await asyncio.wait_for(future, seconds)
        except TimeoutError:
            return
        finally:
            self.state.queue.on_arrival.remove(notify)
            if self.waiting is future:
                self.waiting = None
        if reason:
            raise CallRefused(409, reason)

    def _notify_arrival(self) -> None:
        self._wake(_WEBHOOK_SET if self.state.webhook is not None else "")

    def _wake(self, reason: str) -> None:
        """End the wait of the call that waits, if any; with a reason it is refused."""
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(reason)

    def _list_waiting(self, limit: int) -> list[dict[str, Any]]:
        """The updates to deliver now, as the Bot API writes them."""
        queue = self.state.queue
        queue.expire(self.state.clock())
        numbers = self.state.faults.order_updates(sorted(queue.waiting)[:limit])
        return [queue.waiting[number].wire() for number in numbers]
