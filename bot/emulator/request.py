"""The front for python-telegram-bot in the same process: no sockets, no waiting that nobody asked for."""

from __future__ import annotations

import json
from typing import Any

from telegram.error import TimedOut
from telegram.request import BaseRequest, RequestData

from bot.emulator.calls import NoAnswer, Upload
from bot.emulator.telegram import Telegram


class LocalRequest(BaseRequest):
    """python-telegram-bot's way out, turned inwards."""

    def __init__(self, telegram: Telegram) -> None:
        self._telegram = telegram

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
        method: str,
        request_data: RequestData | None = None,
        *_: Any,
        **__: Any,
    ) -> tuple[int, bytes]:
        """One call, or the download of a file; raises TimedOut where the emulator gives no answer."""
        if method == "GET":
            return self._download(url)
        values = request_data.json_parameters if request_data else {}
        sent = request_data.multipart_data if request_data else None
        files = {name: Upload(str(part[0]), _content(part[1]), str(part[2])) for name, part in (sent or {}).items()}
        try:
            answer = await self._telegram.handle(url.rsplit("/", 1)[-1], values, files)
        except NoAnswer:
            raise TimedOut from None
        return answer.status, json.dumps(answer.body).encode()

    def _download(self, url: str) -> tuple[int, bytes]:
        found = next((file.content for file in self._telegram.files.values() if url.endswith(f"/{file.path}")), None)
        return (404, b'{"ok":false,"error_code":404,"description":"Not Found"}') if found is None else (200, found)


def _content(part: Any) -> bytes:
    """Bytes as they are; a file that is still open is read."""
    return part if isinstance(part, bytes) else bytes(part.read())
