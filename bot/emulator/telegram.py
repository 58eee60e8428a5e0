"""The state machine as a whole: calls in, answers out, and the people who use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.emulator.calls import Answer, Call, Refused, Upload
from bot.emulator.methods import METHODS
from bot.emulator.model import Chat, User
from bot.emulator.people import Person
from bot.emulator.polling import Poller
from bot.emulator.state import State


@dataclass
class Telegram(State):
    """A local Telegram with one bot."""

    poller: Poller = field(init=False)

    def __post_init__(self) -> None:
        self.poller = Poller(self)

    def person(
        self, number: int = 1, *, language: str | None = "uk", name: str = "Person", username: str | None = None
    ) -> Person:
        """Somebody with a private chat; the same one for the same number."""
        user = self.users.setdefault(number, User(number, name, language, username))
        self.chats.setdefault(number, Chat(number, "private", people={number: user}))
        return Person(self, user)

    def group(self, number: int, *people: Person, title: str = "Group") -> Chat:
        """A group, or a supergroup where its number says so, with the bot and these people in it."""
        kind = "supergroup" if number < -1_000_000_000_000 else "group"
        chat = Chat(number, kind, title=title, people={one.id: one.user for one in people}, started=True)
        return self.chats.setdefault(number, chat)

    def migrate(self, chat: Chat) -> Chat:
        """Make a supergroup of a group; the old number is refused from now on, and names the new one."""
        moved = self.group(-1_000_000_000_000 + chat.id, title=chat.title)
        moved.people, chat.moved_to = chat.people, moved.id
        return moved

    async def handle(self, method: str, values: Mapping[str, Any], files: Mapping[str, Upload]) -> Answer:
        """One call through the network, faults and waiting included; raises NoAnswer."""
        await self.faults.passage()
        if method.lower() != "getupdates":
            return self.call(method, values, files)
        self.calls["getupdates"] += 1
        fault = self.faults.next(method)
        if fault is not None:
            return fault.answer()
        try:
            return Answer(200, {"ok": True, "result": await self.poller.poll(Call(method, values, files))})
        except Refused as refusal:
            return refusal.answer()

    def call(
        self, method: str, values: Mapping[str, Any] | None = None, files: Mapping[str, Upload] | None = None
    ) -> Answer:
        """One call, answered at once; raises NoAnswer where a fault says so."""
        self.calls[method.lower()] += 1
        fault = self.faults.next(method)
        if fault is not None and not fault.after:
            return fault.answer()
        answer = self._answer(Call(method, values or {}, files or {}))
        return answer if fault is None else fault.answer()

    def take(self) -> list[dict[str, Any]]:
        """All that waits, taken and confirmed: for tests that hand updates over themselves."""
        self.queue.expire(self.clock())
        numbers = self.faults.order(sorted(self.queue.waiting))
        taken = [self.queue.waiting[number].wire() for number in numbers]
        if not (numbers and self.faults.repeat()):
            self.queue.waiting.clear()
        return taken

    def _answer(self, call: Call) -> Answer:
        method = METHODS.get(call.method.lower())
        if method is None:
            return Refused(404, "Not Found: method not found").answer()
        try:
            return Answer(200, {"ok": True, "result": method(self, call)})
        except Refused as refusal:
            return refusal.answer()
