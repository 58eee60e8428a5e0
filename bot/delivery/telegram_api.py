"""The Bot API as delivery uses it: calls as they were stored, updates as they come, neither made into objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from telegram import Bot, InputFile
from telegram.request import BaseRequest, RequestData
from telegram.request._requestparameter import RequestParameter

from bot.delivery.update_parser import KINDS

LONGEST_POLL = 25
ELSEWHERE = frozenset({"answerCallbackQuery", "setMyCommands"})
"""Calls that do not name their chat, or name it in their data."""
SLACK = 10.0
"""Seconds that a poll may take beyond its own time."""


class Api(Bot):
    """python-telegram-bot's Bot with two raw calls more."""

    def __init__(self, *, token: str, base_url: str, request: BaseRequest, polls: BaseRequest) -> None:
        super().__init__(token, base_url=base_url, request=request, get_updates_request=polls)

    async def make(self, call: Mapping[str, Any], *, chat_id: int, content: bytes | None = None) -> Any:
        """Make a call of the outbox; raises TelegramError."""
        data = dict(call["data"])
        if call["method"] not in ELSEWHERE:
            data["chat_id"] = chat_id
        if content is not None:
            data["document"] = InputFile(content, filename=data.pop("name"))
            return await self._post(str(call["method"]), data)
        ready = RequestData([RequestParameter(name, value, None) for name, value in data.items()])
        return await self.request.post(f"{self.base_url}/{call['method']}", ready)

    async def poll(self, *, offset: int | None, timeout: int = LONGEST_POLL) -> Sequence[Mapping[str, Any]]:
        """The next updates, once there are any; all before `offset` are confirmed by it. Raises TelegramError."""
        data = {"timeout": timeout, "allowed_updates": list(KINDS), "limit": 100}
        found: list[dict[str, Any]] = await self._post(
            "getUpdates", data if offset is None else data | {"offset": offset}, read_timeout=timeout + SLACK
        )
        return found
