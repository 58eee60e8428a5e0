"""The local Telegram as a whole: it answers calls, and creates people and groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.emulator.calls import Answer, Call, CallRefused, Upload
from bot.emulator.long_poll import LongPoll
from bot.emulator.methods import METHODS
from bot.emulator.model import Chat, User
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import State


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
