"""One go at a letter's calls: what of Telegram's refusals is no failure, and what is tried again at once."""

from __future__ import annotations

import asyncio
import html
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from telegram.error import BadRequest, ChatMigrated, Forbidden, NetworkError, TimedOut

from annotation.store.item_messages import Shown
from annotation.store.outbox import Letter
from bot.delivery.http_transport import Unsent
from bot.delivery.telegram_api import Api

log = logging.getLogger(__name__)
HARMLESS = (
    "message is not modified", "query is too old", "query id is invalid", "message to edit not found",
    "message can't be edited", "message_id_invalid",
)  # fmt: skip
"""What Telegram says to an edit or an acknowledgement that comes twice or too late: nothing is lost by it."""
GONE = ("chat not found", "user is deactivated", "peer_id_invalid")
IDEMPOTENT = frozenset({"answerCallbackQuery", "editMessageText", "setMyCommands"})
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Message:
    """A message that shows an assignment."""

    assignment_id: int
    message_id: int

    def at(self, now: datetime) -> Shown:
        """As it is noted."""
        return Shown(assignment_id=self.assignment_id, message_id=self.message_id, at=now)


@dataclass
class Made:
    """How far a letter went: calls that are made, messages that came of them; `unsent`: the next one never left."""

    calls: int = 0
    shown: list[Message] = field(default_factory=list)
    unsent: bool = False


async def attempt(api: Api, letter: Letter, made: Made) -> None:
    """Make the calls that are not made yet; raises TelegramError for the first that cannot be made now."""
    for call in letter.calls[made.calls :]:
        try:
            result = await _make(api, call, letter)
        except Unsent:
            made.unsent = True
            raise
        made.calls += 1
        if "shows" in call and isinstance(result, dict):
            made.shown.append(Message(call["shows"], result["message_id"]))


async def _make(api: Api, call: Mapping[str, Any], letter: Letter) -> Any:
    """One call; an idempotent one once more at once where its answer was lost."""
    try:
        return await _told(api, call, letter)
    except (BadRequest, Forbidden, ChatMigrated, Unsent):
        raise
    except (TimedOut, NetworkError):
        if call["method"] not in IDEMPOTENT:
            raise
        await asyncio.sleep(0.1)
        return await _told(api, call, letter)


async def _told(api: Api, call: Mapping[str, Any], letter: Letter) -> Any:
    try:
        return await api.make(call, chat_id=letter.chat_id, content=letter.content)
    except BadRequest as failure:
        said = str(failure).lower()
        if any(words in said for words in HARMLESS):
            return None
        if any(words in said for words in GONE):
            raise Forbidden(str(failure)) from failure
        if "can't parse entities" in said:
            log.error("A message of ours is no valid HTML; it goes as plain text.")
            return await api.make(_plain(call), chat_id=letter.chat_id, content=letter.content)
        log.error("Telegram refused a call of %s: %s", call["method"], _nameless(str(failure)))
        return None


def _plain(call: Mapping[str, Any]) -> Mapping[str, Any]:
    data = {name: value for name, value in call["data"].items() if name != "parse_mode"}
    return {**call, "data": data | {"text": html.unescape(_TAG.sub("", data["text"]))}}


def _nameless(said: str) -> str:
    """Telegram's words without any number that could be somebody's."""
    return re.sub(r"-?\d{5,}", "…", said)
