"""Scripted people: they send, tap, type, edit and block, and see a screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.emulator import files
from bot.emulator.calls import Upload
from bot.emulator.contents import MOST_TEXT
from bot.emulator.entities import Text
from bot.emulator.entities.detected import detect
from bot.emulator.ledger import Entry
from bot.emulator.model import Chat, Content, Message, Tap, User
from bot.emulator.screen import screen
from bot.emulator.state import State

_TAPS = 3 << 33
"""Telegram keeps a person's taps and her messages in lanes of their own."""


@dataclass(frozen=True)
class Person:
    """Somebody at her phone."""

    telegram: State
    user: User

    @property
    def id(self) -> int:
        """Her number, and that of her private chat."""
        return self.user.id

    @property
    def chat(self) -> Chat:
        """Her private chat with the bot."""
        return self.telegram.chats[self.id]

    @property
    def messages(self) -> Sequence[Message]:
        """What the bot has sent her and not deleted, oldest first."""
        return [message for message in self.chat.visible() if message.sender.is_bot]

    @property
    def screen(self) -> str:
        """Her chat as she sees it, as text."""
        return screen(self.chat, now=self.telegram.clock())

    @property
    def toasts(self) -> Sequence[str]:
        """What taps were answered with, oldest first."""
        return [entry.text for entry in self.telegram.ledger.of(self.id, "toast", "alert")]

    def send(self, text: str, *, chat: Chat | None = None) -> Message:
        """Send a text, a long one in parts as phones do; under a reply box it is the reply that was asked for."""
        *before, last = [text[start : start + MOST_TEXT] for start in range(0, max(1, len(text)), MOST_TEXT)]
        for part in before:
            self._sent(Content(detect(Text(part))), chat or self.chat)
        return self._sent(Content(detect(Text(last))), chat or self.chat)

    def start(self, payload: str = "") -> Message:
        """Open the bot, with what a deep link carries; raises ValueError for what none can."""
        if not re.fullmatch(r"[A-Za-z0-9_\-]{0,64}", payload):
            raise ValueError("A deep link carries at most 64 of A-Z, a-z, 0-9, _ and -.")
        return self.send(f"/start {payload}".strip())

    def upload(self, name: str, content: bytes, *, caption: str = "", photo: bool = False) -> Message:
        """Send a file."""
        file = files.stored(self.telegram.files, Upload(name, content), photo=photo)
        return self._sent(Content(detect(Text(caption)), file=file), self.chat)

    def edit(self, message: Message, text: str) -> None:
        """Correct what she has sent; raises ValueError for what is not hers."""
        if message.sender is not self.user:
            raise ValueError("Only her own messages are hers to edit.")
        message.content, message.edited = Content(detect(Text(text))), self.telegram.now()
        self._see(message.chat, "edited", message)
        self.telegram.update("edited_message", message.wire(), lane=message.chat.id)

    def tap(self, label: str, *, on: Message | None = None) -> Tap:
        """Tap the button with this label, on the newest message that has it or on the one given."""
        shown = on or next(one for one in reversed(self.messages) if label in dict(one.buttons))
        return self.press(dict(shown.buttons)[label], on=shown)

    def press(self, data: str, *, on: Message, inaccessible: bool = False) -> Tap:
        """A tap with any data, as a forged client could send it; on a message too old to be shown, if told so."""
        tap = self.telegram.new_tap(self.user, on, data)
        there: dict[str, Any] = {"chat": on.chat.wire(), "message_id": on.id, "date": 0}
        body = {"id": tap.id, "from": self.user.wire(), "chat_instance": str(on.chat.id * 31), "data": data}
        body["message"] = there if inaccessible else on.wire()
        self.telegram.update("callback_query", body, lane=self.id + _TAPS)
        return tap

    def block(self) -> None:
        """The bot can write to her no more, and is told so."""
        self._standing(blocked=True)

    def unblock(self) -> None:
        """She takes it back."""
        self._standing(blocked=False)

    def deactivate(self) -> None:
        """Her account is gone; nobody tells the bot."""
        self.user.deactivated = True

    def _sent(self, content: Content, chat: Chat) -> Message:
        if chat.type == "private":
            if chat.blocked:
                self.unblock()
            chat.started = True
        last = next(reversed(chat.messages.values()), None)
        asked = last is not None and last.content.markup is not None and last.content.markup.kind == "force"
        message = self.telegram.put(chat, self.user, content, reply_to=last if asked else None)
        self._see(chat, "sent", message)
        self.telegram.update("message", message.wire(), lane=chat.id)
        return message

    def _see(self, chat: Chat, kind: str, message: Message) -> None:
        telegram = self.telegram
        telegram.ledger.add(Entry(telegram.clock(), self.id, kind, chat.id, message.id, message.text))

    def _standing(self, *, blocked: bool) -> None:
        chat, me = self.chat, self.telegram.me.wire()
        if chat.blocked is blocked:
            return
        chat.blocked = blocked
        kicked: dict[str, Any] = {"status": "kicked", "user": me, "until_date": 0}
        member: dict[str, Any] = {"status": "member", "user": me}
        old, new = (member, kicked) if blocked else (kicked, member)
        body = {"chat": chat.wire(), "from": self.user.wire(), "date": self.telegram.now()}
        self.telegram.update("my_chat_member", body | {"old_chat_member": old, "new_chat_member": new}, lane=chat.id)
