"""The local Telegram as a whole: it answers calls, and creates people and groups."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.emulator.calls import Answer, Call, CallRefused, Upload
from bot.emulator.methods import METHODS
from bot.emulator.methods.webhooks import store_allowed_updates
from bot.emulator.model import Chat, User
from bot.emulator.scripted_people import ScriptedPerson
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


@dataclass
class Telegram(State):
    """A local Telegram with one bot."""

    long_poll: LongPoll = field(init=False)

    def __post_init__(self) -> None:
        self.long_poll = LongPoll(self)

    def person(
        self, number: int = 1, *, language: str | None = "uk", name: str = "Person", username: str | None = None
    ) -> ScriptedPerson:
        """The person with that id, who is created with a private chat if there is none."""
        user = self.users.setdefault(number, User(number, name, language, username))
        self.chats.setdefault(number, Chat(number, "private", people={number: user}))
        return ScriptedPerson(self, user)

    def group(self, number: int, *people: ScriptedPerson, title: str = "Group") -> Chat:
        """Create a group, or a supergroup for an id below -10¹², with the bot and these people."""
        kind = "supergroup" if number < -1_000_000_000_000 else "group"
        chat = Chat(number, kind, title=title, people={person.id: person.user for person in people}, started=True)
        return self.chats.setdefault(number, chat)

    def migrate(self, chat: Chat) -> Chat:
        """Make a supergroup of a group; calls to the old id are refused from now on, with the new id."""
        moved = self.group(-1_000_000_000_000 + chat.id, title=chat.title)
        moved.people, chat.moved_to = chat.people, moved.id
        return moved

    async def handle(self, method: str, values: Mapping[str, Any], files: Mapping[str, Upload]) -> Answer:
        """Answer one call, with faults and waiting of the network; raises NoAnswer where a fault says so."""
        await self.faults.wait_for_network()
        if method.lower() != "getupdates":
            return self.call(method, values, files)
        self.calls["getupdates"] += 1
        fault = self.faults.take_fault(method, values)
        if fault is not None:
            return fault.answer()
        try:
            return Answer(200, {"ok": True, "result": await self.long_poll.poll(Call(method, values, files))})
        except CallRefused as refusal:
            return refusal.answer()

    def call(
        self, method: str, values: Mapping[str, Any] | None = None, files: Mapping[str, Upload] | None = None
    ) -> Answer:
        """Answer one call at once; raises NoAnswer where a fault says so."""
        self.calls[method.lower()] += 1
        fault = self.faults.take_fault(method, values or {})
        if fault is not None and not fault.after:
            return fault.answer()
        answer = self._answer(Call(method, values or {}, files or {}))
        return answer if fault is None else fault.answer()

    def take(self) -> list[dict[str, Any]]:
        """Take and confirm all waiting updates, for tests that process updates themselves."""
        self.queue.expire(self.clock())
        numbers = self.faults.order_updates(sorted(self.queue.waiting))
        taken = [self.queue.waiting[number].wire() for number in numbers]
        if not (numbers and self.faults.take_repeat()):
            self.queue.waiting.clear()
        return taken

    def _answer(self, call: Call) -> Answer:
        method = METHODS.get(call.method.lower())
        if method is None:
            return CallRefused(404, "Not Found: method not found").answer()
        try:
            return Answer(200, {"ok": True, "result": method(self, call)})
        except CallRefused as refusal:
            return refusal.answer()
