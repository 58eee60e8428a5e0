"""The front end for python-telegram-bot in the same process, without sockets."""

from __future__ import annotations

import json
from typing import Any

from telegram.request import BaseRequest, RequestData

from bot.emulator.calls import Upload
from bot.emulator.telegram import Telegram


class LocalRequest(BaseRequest):
    """A request object of python-telegram-bot that calls the local Telegram directly."""

    def __init__(self, telegram: Telegram) -> None:
        self._telegram = telegram

    @property
    def read_timeout(self) -> float | None:
        """No timeout."""
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
        """Do one call, or download a file."""
        if method == "GET":
            return self._download(url)
        values = request_data.json_parameters if request_data else {}
        sent = request_data.multipart_data if request_data else None
        files = {
            name: Upload(str(part[0]), _read_content(part[1]), str(part[2])) for name, part in (sent or {}).items()
        }
        answer = await self._telegram.handle(url.rsplit("/", 1)[-1], values, files)
        return answer.status, json.dumps(answer.body).encode()

    def _download(self, url: str) -> tuple[int, bytes]:
        """The status and the content of a file that an address ends with; 404 for an unknown one."""
        content = next((file.content for file in self._telegram.files.values() if url.endswith(f"/{file.path}")), None)
        return (404, b'{"ok":false,"error_code":404,"description":"Not Found"}') if content is None else (200, content)


def _read_content(part: Any) -> bytes:
    """The bytes of a part, which may be an open file."""
    return part if isinstance(part, bytes) else bytes(part.read())
