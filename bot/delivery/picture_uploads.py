"""Pictures in the chat: uploaded once for each bot, and sent by Telegram's id of the file from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session
from telegram.error import BadRequest

from annotation.store import pictures
from annotation.store.mailbox import OutboxMessage
from bot.delivery.telegram_api import TelegramApi
from bot.delivery.transaction_runner import TransactionRunner

UNKNOWN_FILE_REFUSALS = ("wrong file identifier", "wrong remote file identifier", "file reference", "wrong file_id")
"""Parts of refusals that say that Telegram has no file of this id for this bot, so that it is uploaded again."""


@dataclass(kw_only=True)
class PictureUploads:
    """The pictures that one bot has uploaded, as far as this process knows; the database knows all of them.

    Where several chats get a picture that is not uploaded yet, one uploads it and the others wait.
    """

    runner: TransactionRunner
    api: TelegramApi
    bot_id: int
    _file_ids: dict[str, str] = field(default_factory=dict)
    _uploading: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def make_call(self, call: Mapping[str, Any], message: OutboxMessage) -> Any:
        """Make a call of an outbox message, with the picture that it names; the result. Raises TelegramError."""
        if "picture" not in call:
            return await self.api.make_stored_call(call, message)
        return await self._send(call, call["picture"], chat_id=message.chat_id)

    async def _send(self, call: Mapping[str, Any], name: str, *, chat_id: int) -> Any:
        file_id = await self._find_file_id(name)
        if file_id is not None:
            try:
                return await self._send_known(call, file_id, chat_id=chat_id)
            except BadRequest as refusal:
                if not any(words in str(refusal).lower() for words in UNKNOWN_FILE_REFUSALS):
                    raise
        lock = self._uploading.setdefault(name, asyncio.Lock())
        try:
            async with lock:
                other = self._file_ids.get(name)
                if other in {None, file_id}:
                    return await self._upload(call, name, chat_id=chat_id)
        finally:
            if not lock.locked():
                self._uploading.pop(name, None)
        return await self._send_known(call, str(other), chat_id=chat_id)

    async def _find_file_id(self, name: str) -> str | None:
        if name not in self._file_ids:
            found = await self.runner.run(lambda view: pictures.find_file_id(view, name, bot_id=self.bot_id))
            if found is not None:
                self._file_ids.setdefault(name, found)
        return self._file_ids.get(name)

    async def _send_known(self, call: Mapping[str, Any], file_id: str, *, chat_id: int) -> Any:
        return await self.api.make_call({**call, "data": call["data"] | {"photo": file_id}}, chat_id=chat_id)

    async def _upload(self, call: Mapping[str, Any], name: str, *, chat_id: int) -> Any:
        def read(view: Session) -> bytes | None:
            found = pictures.find_picture(view, name)
            return None if found is None else found.content

        content = await self.runner.run(read)
        if content is None:
            raise BadRequest("the picture is no longer stored")
        result = await self.api.make_call(
            {**call, "data": call["data"] | {"name": name}}, chat_id=chat_id, content=content
        )
        file_id = str(result["photo"][-1]["file_id"])  # the largest size comes last
        self._file_ids[name] = file_id
        await self.runner.run(
            lambda session: pictures.store_file_id(session, name, bot_id=self.bot_id, file_id=file_id)
        )
        return result
