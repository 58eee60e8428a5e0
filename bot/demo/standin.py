"""A small local stand-in for Telegram: the bot calls its methods, scripted people send and tap.

It knows what the demo needs and no more; it never opens a connection.
"""

from __future__ import annotations

import html
import json
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from telegram.request import BaseRequest, RequestData

TOKEN = "1:standin"  # noqa: S105  # opens nothing
_TAG = re.compile(r"<[^>]+>")


@dataclass
class Shown:
    """A message as a person sees it: `text` without formatting, `buttons` as (label, data)."""

    message_id: int
    text: str
    buttons: tuple[tuple[str, str], ...]


@dataclass
class Telegram:
    """Chats, messages and updates that wait; `failures` maps a method to the error that its next call meets."""

    updates: deque[dict[str, Any]] = field(default_factory=deque)
    chats: dict[int, list[Shown]] = field(default_factory=dict)
    languages: dict[int, str] = field(default_factory=dict)
    failures: dict[str, tuple[int, str]] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    toasts: list[str] = field(default_factory=list)
    _last: int = 0

    def person(self, telegram_id: int, *, language: str = "uk") -> Person:
        """Somebody with a private chat."""
        self.chats.setdefault(telegram_id, [])
        self.languages[telegram_id] = language
        return Person(self, telegram_id)

    def number(self) -> int:
        """The next update or message id."""
        self._last += 1
        return self._last

    def call(self, method: str, parameters: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """One Bot API call: HTTP status and answer."""
        self.calls.append((method, parameters))
        if method in self.failures:
            status, text = self.failures.pop(method)
            return status, {"ok": False, "error_code": status, "description": text}
        known: dict[str, Callable[[dict[str, Any]], Any]] = {
            "getMe": self._get_me,
            "sendMessage": self._send_message,
            "editMessageText": self._edit_message_text,
            "answerCallbackQuery": self._answer_callback_query,
        }
        return self._answer(known[method](parameters) if method in known else True)

    def _answer(self, result: Any) -> tuple[int, dict[str, Any]]:
        if isinstance(result, str):
            return 400, {"ok": False, "error_code": 400, "description": f"Bad Request: {result}"}
        return 200, {"ok": True, "result": result}

    def _get_me(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"id": 1, "is_bot": True, "first_name": "hromada", "username": "hromada_demo_bot"}

    def _send_message(self, parameters: dict[str, Any]) -> Any:
        chat = int(parameters["chat_id"])
        shown = self._shown(self.number(), parameters)
        if not 1 <= len(shown.text) <= 4096:
            return "message is too long" if shown.text else "message text is empty"
        self.chats.setdefault(chat, []).append(shown)
        return self.message(chat, shown)

    def _edit_message_text(self, parameters: dict[str, Any]) -> Any:
        chat, number = int(parameters["chat_id"]), int(parameters["message_id"])
        before = next((one for one in self.chats.get(chat, []) if one.message_id == number), None)
        if before is None:
            return "message to edit not found"
        after = self._shown(number, parameters)
        if (before.text, before.buttons) == (after.text, after.buttons):
            return "message is not modified"
        before.text, before.buttons = after.text, after.buttons
        return self.message(chat, before)

    def _answer_callback_query(self, parameters: dict[str, Any]) -> Any:
        self.toasts.append(str(parameters.get("text", "")))
        return True

    def _shown(self, number: int, parameters: dict[str, Any]) -> Shown:
        rows = json.loads(parameters.get("reply_markup") or "{}").get("inline_keyboard", [])
        buttons = tuple((button["text"], button["callback_data"]) for row in rows for button in row)
        if any(len(data.encode()) > 64 for _, data in buttons):
            raise ValueError("BUTTON_DATA_INVALID")
        return Shown(number, html.unescape(_TAG.sub("", parameters["text"])), buttons)

    def message(self, chat: int, shown: Shown) -> dict[str, Any]:
        """A message as Telegram writes it."""
        place = {"id": chat, "type": "private", "first_name": "Person"}
        return {"message_id": shown.message_id, "date": 1_800_000_000, "chat": place, "text": shown.text}


@dataclass(frozen=True)
class Person:
    """Somebody who sends and taps, and sees a screen."""

    telegram: Telegram
    telegram_id: int

    def send(self, text: str) -> None:
        """Send a message to the bot."""
        shown = Shown(self.telegram.number(), text, ())
        self._update({"message": self.telegram.message(self.telegram_id, shown) | {"from": self._user()}})

    def tap(self, label: str, *, on: Shown | None = None) -> None:
        """Tap the button with this label, on the newest message that has it or on the one given."""
        shown = on or next(one for one in reversed(self.screen) if label in dict(one.buttons))
        self.press(dict(shown.buttons)[label], on=shown)

    def press(self, data: str, *, on: Shown) -> None:
        """A tap with any data, as a forged client could send it."""
        message = self.telegram.message(self.telegram_id, on)
        query = {"id": str(self.telegram.number()), "from": self._user(), "chat_instance": "1", "data": data}
        self._update({"callback_query": query | {"message": message}})

    @property
    def screen(self) -> list[Shown]:
        """All messages of the chat, oldest first."""
        return self.telegram.chats[self.telegram_id]

    def _user(self) -> dict[str, Any]:
        code = self.telegram.languages[self.telegram_id]
        return {"id": self.telegram_id, "is_bot": False, "first_name": "Person", "language_code": code}

    def _update(self, content: dict[str, Any]) -> None:
        self.telegram.updates.append({"update_id": self.telegram.number()} | content)


class Request(BaseRequest):
    """python-telegram-bot's way out, turned inwards."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram

    @property
    def read_timeout(self) -> float | None:
        """Nothing is waited for."""
        return None

    async def initialize(self) -> None:
        """Nothing to open."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    async def do_request(
        self,
        url: str,
        method: str,  # noqa: ARG002  # the Bot API takes every method by POST
        request_data: RequestData | None = None,
        *_: Any,
        **__: Any,
    ) -> tuple[int, bytes]:
        """One call, answered by the stand-in."""
        parameters = dict(request_data.json_parameters) if request_data else {}
        status, answer = self.telegram.call(url.rsplit("/", 1)[-1], parameters)
        return status, json.dumps(answer).encode()
