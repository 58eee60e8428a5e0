"""The state of the emulator, its clock, and the checks that its methods share."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bot.emulator.calls import Call, CallRefused, bad_request
from bot.emulator.model import Chat, Content, DisplayedEvent, DisplayLog, File, Message, Tap, User
from bot.emulator.updates import UpdateQueue

BOT = User(7_000_000_001, "Local bot", username="local_bot", is_bot=True)
TOKEN = "7000000001:local"  # noqa: S105  # opens nothing but an emulator made without a token of its own
ANSWERABLE_SECONDS = 15.0
"""Seconds in which a tap can be answered; not documented, 5 to 20 were observed."""


@dataclass
class Clock:
    """A clock in seconds since 1970; every function in `on_move` is called after a move."""

    source: Callable[[], float] = time.time
    ahead: float = 0.0
    on_move: list[Callable[[], None]] = field(default_factory=list)

    def __call__(self) -> float:
        return self.source() + self.ahead

    def move(self, seconds: float) -> None:
        """Move the clock forward at once."""
        self.ahead += seconds
        for notify in tuple(self.on_move):
            notify()


def create_still_clock(at: float = 1_800_000_000.0) -> Clock:
    """Create a clock that stands still until it is moved."""
    return Clock(source=lambda: at)


@dataclass
class State:
    """One bot and everybody who talks to it.

    `me` is the bot; `answerable` is for how many seconds a tap can be answered. `commands` has the menus by scope and
    language, `descriptions` the texts by kind and language; `last_message` is the id of the newest message.
    """

    token: str = TOKEN
    clock: Clock = field(default_factory=Clock)
    me: User = field(default_factory=lambda: replace(BOT))
    answerable: float = ANSWERABLE_SECONDS
    display_log: DisplayLog = field(default_factory=DisplayLog)
    queue: UpdateQueue = field(default_factory=UpdateQueue)
    users: dict[int, User] = field(default_factory=dict)
    chats: dict[int, Chat] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    taps: dict[str, Tap] = field(default_factory=dict)
    commands: dict[tuple[str, str], list[dict[str, str]]] = field(default_factory=dict)
    descriptions: dict[tuple[str, str], str] = field(default_factory=dict)
    last_message: int = 0
    _last_tap: int = 0

    def now(self) -> int:
        """The time in whole seconds, as in messages."""
        return int(self.clock())

    def new_tap(self, person: User, message: Message, data: str) -> Tap:
        """Create a tap, which waits for its answer."""
        self._last_tap += 1
        tap = Tap(str(4_000_000_000_000 + self._last_tap), person, message, data, self.clock())
        self.taps[tap.id] = tap
        return tap

    def add_message(self, chat: Chat, sender: User, content: Content, *, reply_to: Message | None = None) -> Message:
        """Add a new message to a chat."""
        self.last_message += 1
        message = Message(self.last_message, chat, sender, self.now(), content, reply_to)
        chat.messages[message.id] = message
        return message

    def log_display(self, chat: Chat, kind: str, message: Message | None = None, text: str = "") -> None:
        """Log what everybody in a chat is shown now."""
        buttons = tuple(label for label, _ in message.buttons) if message else ()
        message_id, shown_text = (message.id, message.text or text) if message else (0, text)
        for person in chat.people:
            self.display_log.add(DisplayedEvent(self.clock(), person, kind, chat.id, message_id, shown_text, buttons))

    def find_chat(self, call: Call, name: str = "chat_id") -> Chat:
        """The chat of a call; raises CallRefused where there is none or the bot may not write to it."""
        chat_id = call.text(name)
        if not chat_id:
            raise bad_request("chat_id is empty")
        chat = self.chats.get(int(chat_id)) if re.fullmatch(r"-?[0-9]{1,20}", chat_id) else None
        if chat is None:
            raise bad_request("chat not found")
        if chat.moved_to is not None:
            text = "Bad Request: group chat was upgraded to a supergroup chat"
            raise CallRefused(400, text, migrate_to_chat_id=chat.moved_to)
        _check_reachable(chat)
        return chat

    def find_message(self, call: Call, what: str) -> Message:
        """The message of a call; `what` names it in the refusal ("message to edit")."""
        return self.get_message(self.find_chat(call), call.number("message_id"), what)

    def get_message(self, chat: Chat, number: int, what: str) -> Message:
        """A message of a chat; raises CallRefused where there is none or it is deleted."""
        message = chat.messages.get(number)
        if message is None or message.deleted:
            raise bad_request(f"{what} not found")
        return message

    def add_update(self, kind: str, body: dict[str, Any]) -> None:
        """Add an update for the bot."""
        self.queue.add(kind, body, now=self.clock())


def _check_reachable(chat: Chat) -> None:
    """Raise CallRefused where the bot may not write to a chat."""
    if chat.type != "private":
        if chat.bot_status in {"kicked", "left"}:
            what = "supergroup chat" if chat.type == "supergroup" else "group chat"
            reason = (
                f"bot was kicked from the {what}"
                if chat.bot_status == "kicked"
                else f"bot is not a member of the {what}"
            )
            raise CallRefused(403, f"Forbidden: {reason}")
        return
    if chat.person.deactivated:
        raise CallRefused(403, "Forbidden: user is deactivated")
    if chat.blocked:
        raise CallRefused(403, "Forbidden: bot was blocked by the user")
    if not chat.started:
        raise CallRefused(403, "Forbidden: bot can't initiate conversation with a user")
