"""The local Telegram as a whole: it answers calls, and creates people and groups."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bot.emulator.calls import Answer, Call, CallRefused, Upload
from bot.emulator.methods import METHODS, Method
from bot.emulator.model import Chat, User
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import State
from bot.emulator.updates import MAX_UPDATES

MAX_POLL_SECONDS = 50.0
_OTHER_POLL = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"


@dataclass
class LongPoll:
    """The long poll of a bot; `waiting` is set while a call waits for updates."""

    state: State
    waiting: asyncio.Future[str] | None = None

    async def poll(self, call: Call) -> list[dict[str, Any]]:
        """The updates from an offset on; raises CallRefused if another poll replaces this one."""
        queue = self.state.queue
        self.end(_OTHER_POLL)
        if call.values.get("allowed_updates") is not None:
            queue.allow(call.rows("allowed_updates"))
        offset = call.number("offset")
        if offset:
            queue.confirm(offset)
        limit = min(max(call.number("limit", MAX_UPDATES), 1), MAX_UPDATES)
        updates = queue.list_waiting(self.state.clock(), limit=limit)
        seconds = min(max(call.number("timeout"), 0), MAX_POLL_SECONDS)
        if not updates and seconds:
            await self._wait(seconds)
            updates = queue.list_waiting(self.state.clock(), limit=limit)
        return [update.wire() for update in updates]

    async def _wait(self, seconds: float) -> None:
        """Wait until an update comes or the time is over; raises CallRefused where another poll ends this one."""
        self.waiting = asyncio.get_running_loop().create_future()
        future = self.waiting
        self.state.queue.on_arrival.append(self.end)
        try:
            async with asyncio.timeout(seconds):
                reason = await future
        except TimeoutError:
            return
        finally:
            self.state.queue.on_arrival.remove(self.end)
            if self.waiting is future:
                self.waiting = None
        if reason:
            raise CallRefused(409, reason)

    def end(self, reason: str = "") -> None:
        """End the wait of the call that waits, if any; with a reason it is refused."""
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(reason)


@dataclass
class Telegram(State):
    """A local Telegram with one bot, which may call `methods`."""

    methods: ClassVar[Mapping[str, Method]] = METHODS
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
        """Answer one call; getUpdates waits for updates."""
        if method.lower() != "getupdates":
            return self.call(method, values, files)
        try:
            return Answer(200, {"ok": True, "result": await self.long_poll.poll(Call(method, values, files))})
        except CallRefused as refusal:
            return refusal.answer()

    def call(
        self, method: str, values: Mapping[str, Any] | None = None, files: Mapping[str, Upload] | None = None
    ) -> Answer:
        """Answer one call at once."""
        call, function = Call(method, values or {}, files or {}), self.methods.get(method.lower())
        if function is None:
            return CallRefused(404, "Not Found: method not found").answer()
        try:
            return Answer(200, {"ok": True, "result": function(self, call)})
        except CallRefused as refusal:
            return refusal.answer()

    def take(self) -> list[dict[str, Any]]:
        """Take and confirm all waiting updates, for code that processes updates itself."""
        taken = self.queue.list_waiting(self.clock())
        if taken:
            self.queue.confirm(self.queue.last + 1)
        return [update.wire() for update in taken]
