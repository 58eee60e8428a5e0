"""Everything the emulator remembers, and the checks that all its methods share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from bot.emulator.calls import Call, Refused, bad_request
from bot.emulator.clock import Clock
from bot.emulator.faults import Faults
from bot.emulator.flood import Flood
from bot.emulator.ledger import Entry, Ledger
from bot.emulator.model import Chat, Content, File, Message, Tap, User
from bot.emulator.updates import Queue

BOT = User(7_000_000_001, "Local bot", username="local_bot", is_bot=True)
TOKEN = "7000000001:local"  # noqa: S105  # opens nothing but an emulator made without a token of its own
LONGEST_ANSWERABLE = 15.0
"""Seconds in which a tap can be answered. No number is documented; people have met 5 to 20."""


@dataclass(frozen=True)
class Hook:
    """Where updates are sent, and the secret that goes with them."""

    url: str
    secret: str = ""
    connections: int = 40


@dataclass
class State:
    """One bot and everybody who talks to it. `flood` None: no limits. `calls` counts them by method."""

    token: str = TOKEN
    clock: Clock = field(default_factory=Clock)
    me: User = field(default_factory=lambda: replace(BOT))
    flood: Flood | None = None
    answerable: float = LONGEST_ANSWERABLE
    faults: Faults = field(default_factory=Faults)
    ledger: Ledger = field(default_factory=Ledger)
    queue: Queue = field(default_factory=Queue)
    users: dict[int, User] = field(default_factory=dict)
    chats: dict[int, Chat] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    taps: dict[str, Tap] = field(default_factory=dict)
    hook: Hook | None = None
    hook_error: tuple[str, float] | None = None
    commands: dict[tuple[str, str], list[dict[str, str]]] = field(default_factory=dict)
    descriptions: dict[tuple[str, str], str] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    _last_message: int = 0
    _last_tap: int = 0

    def now(self) -> int:
        """The time in whole seconds, as messages carry it."""
        return int(self.clock())

    def new_tap(self, person: User, message: Message, data: str) -> Tap:
        """A tap that waits for its answer."""
        self._last_tap += 1
        tap = Tap(str(4_000_000_000_000 + self._last_tap), person, message, data, self.clock())
        self.taps[tap.id] = tap
        return tap

    def put(self, chat: Chat, sender: User, content: Content, *, reply_to: Message | None = None) -> Message:
        """A new message in a chat."""
        self._last_message += 1
        message = Message(self._last_message, chat, sender, self.now(), content, reply_to)
        chat.messages[message.id] = message
        return message

    def show(self, chat: Chat, kind: str, message: Message | None = None, text: str = "") -> None:
        """Write into the ledger what everybody in a chat sees now."""
        buttons = tuple(label for label, _ in message.buttons) if message else ()
        number, shown = (message.id, message.text or text) if message else (0, text)
        for person in chat.people:
            self.ledger.add(Entry(self.clock(), person, kind, chat.id, number, shown, buttons))

    def chat(self, call: Call, name: str = "chat_id") -> Chat:
        """The chat of a call, where the bot may write; raises Refused."""
        written = call.text(name)
        if not written:
            raise bad_request("chat_id is empty")
        chat = self.chats.get(int(written)) if re.fullmatch(r"-?[0-9]{1,20}", written) else None
        if chat is None:
            raise bad_request("chat not found")
        if chat.moved_to is not None:
            text = "Bad Request: group chat was upgraded to a supergroup chat"
            raise Refused(400, text, migrate_to_chat_id=chat.moved_to)
        _reachable(chat)
        return chat

    def message(self, call: Call, what: str, name: str = "message_id") -> Message:
        """The message of a call; `what` is what the refusal calls it ("message to edit")."""
        return self.found(self.chat(call), call.number(name), what)

    def found(self, chat: Chat, number: int, what: str) -> Message:
        """A message that is still there; raises Refused."""
        message = chat.messages.get(number)
        if message is None or message.deleted:
            raise bad_request(f"{what} not found")
        return message

    def count(self, chat: Chat) -> None:
        """Flood control, where it is on."""
        if self.flood is not None:
            self.flood.take(chat.id, self.clock())

    def update(self, kind: str, body: dict[str, Any], *, lane: int) -> None:
        """An update for the bot."""
        self.queue.add(kind, body, lane=lane, now=self.clock())

    def of_person(self, person: int) -> Iterable[Chat]:
        """The chats that somebody is in."""
        return [chat for chat in self.chats.values() if person in chat.people]


def _reachable(chat: Chat) -> None:
    if chat.type != "private":
        if chat.bot_is in {"kicked", "left"}:
            what = "supergroup chat" if chat.type == "supergroup" else "group chat"
            told = (
                f"bot was kicked from the {what}" if chat.bot_is == "kicked" else f"bot is not a member of the {what}"
            )
            raise Refused(403, f"Forbidden: {told}")
        return
    if chat.person.deactivated:
        raise Refused(403, "Forbidden: user is deactivated")
    if chat.blocked:
        raise Refused(403, "Forbidden: bot was blocked by the user")
    if not chat.started:
        raise Refused(403, "Forbidden: bot can't initiate conversation with a user")
