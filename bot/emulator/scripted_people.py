"""Scripted people: code sends, taps, edits and blocks for them, and sees the messages of the bot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.emulator.entities import FormattedText, detect_entities
from bot.emulator.message_content import MAX_TEXT
from bot.emulator.model import MEDIA, Chat, Content, DisplayedEvent, Message, Tap, User
from bot.emulator.state import State


@dataclass(frozen=True)
class ScriptedPerson:
    """One person with a private chat with the bot."""

    telegram: State
    user: User

    @property
    def id(self) -> int:
        """The id of the person and of their private chat."""
        return self.user.id

    @property
    def chat(self) -> Chat:
        """The private chat with the bot."""
        return self.telegram.chats[self.id]

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the bot that are not deleted, oldest first."""
        return [message for message in self.chat.visible() if message.sender.is_bot]

    def send(self, text: str, *, chat: Chat | None = None, reply_to: Message | None = None) -> Message:
        """Send a text, a long one in parts as phones do; where the bot asked for a reply, it is the reply.

        `reply_to` is the message that the person replies to otherwise, with each part. Returns the last part.
        """
        *before, last = _split_text(text)
        for part in before:
            self.send_content(Content(detect_entities(FormattedText(part))), chat or self.chat, reply_to=reply_to)
        return self.send_content(Content(detect_entities(FormattedText(last))), chat or self.chat, reply_to=reply_to)

    def send_media(self, kind: str) -> Message:
        """Send a photo, a sticker or a voice message; raises ValueError for any other kind."""
        if kind not in MEDIA:
            raise ValueError(f"Send one of {', '.join(MEDIA)}.")
        return self.send_content(Content(media=kind), self.chat)

    def start(self, payload: str = "") -> Message:
        """Send /start with the payload of a deep link; raises ValueError for a payload that no deep link can have."""
        if not re.fullmatch(r"[A-Za-z0-9_\-]{0,64}", payload):
            raise ValueError("A deep link carries at most 64 of A-Z, a-z, 0-9, _ and -.")
        return self.send(f"/start {payload}".strip())

    def edit(self, message: Message, text: str) -> None:
        """Edit a message of the person; raises ValueError for messages of others."""
        if message.sender is not self.user:
            raise ValueError("Only own messages can be edited.")
        message.content, message.edited = Content(detect_entities(FormattedText(text))), self.telegram.now()
        self._log_display(message.chat, "edited", message)
        self.telegram.add_update("edited_message", message.wire())

    def tap(self, label: str, *, on: Message | None = None) -> Tap:
        """Tap the button with this label, on the newest message that has it or on the one given."""
        message = on or next(message for message in reversed(self.messages) if label in dict(message.buttons))
        return self.press(dict(message.buttons)[label], on=message)

    def press(self, data: str, *, on: Message, inaccessible: bool = False) -> Tap:
        """Tap a button with any data, as a forged client could; the update has no `inaccessible` message."""
        tap = self.telegram.new_tap(self.user, on, data)
        stub: dict[str, Any] = {"chat": on.chat.wire(), "message_id": on.id, "date": 0}
        body = {"id": tap.id, "from": self.user.wire(), "chat_instance": str(on.chat.id * 31), "data": data}
        body["message"] = stub if inaccessible else on.wire()
        self.telegram.add_update("callback_query", body)
        return tap

    def block(self) -> None:
        """Block the bot; it gets an update about it."""
        self._set_blocked(blocked=True)

    def unblock(self) -> None:
        """Unblock the bot."""
        self._set_blocked(blocked=False)

    def send_content(
        self, content: Content, chat: Chat, *, reply_to: Message | None = None, origin: User | None = None
    ) -> Message:
        """Send a message of the person, and an update about it; a blocked bot is unblocked first, as by Telegram."""
        if chat.type == "private":
            if chat.blocked:
                self.unblock()
            chat.started = True
        last = next(reversed(chat.messages.values()), None)
        wants_reply = last is not None and last.content.markup is not None and last.content.markup.kind == "force"
        replied = reply_to or (last if wants_reply else None)
        message = self.telegram.add_message(chat, self.user, content, reply_to=replied)
        message.origin = origin
        self._log_display(chat, "sent", message)
        self.telegram.add_update("message", message.wire())
        return message

    def _log_display(self, chat: Chat, kind: str, message: Message) -> None:
        telegram = self.telegram
        telegram.display_log.add(DisplayedEvent(telegram.clock(), self.id, kind, chat.id, message.id, message.text))

    def _set_blocked(self, *, blocked: bool) -> None:
        """Block or unblock the bot, which gets an update; where nothing changes, it gets none."""
        chat, me = self.chat, self.telegram.me.wire()
        if chat.blocked is blocked:
            return
        chat.blocked = blocked
        kicked: dict[str, Any] = {"status": "kicked", "user": me, "until_date": 0}
        member: dict[str, Any] = {"status": "member", "user": me}
        old, new = (member, kicked) if blocked else (kicked, member)
        body = {"chat": chat.wire(), "from": self.user.wire(), "date": self.telegram.now()}
        self.telegram.add_update("my_chat_member", body | {"old_chat_member": old, "new_chat_member": new})


def _split_text(text: str) -> list[str]:
    """A text in parts of as many UTF-16 units as a message carries; a character of two units is not cut."""
    parts, units = [""], 0
    for character in text:
        size = 1 + (ord(character) > 0xFFFF)
        if units + size > MAX_TEXT:
            parts.append("")
            units = 0
        parts[-1] += character
        units += size
    return parts
