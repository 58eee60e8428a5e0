"""python-telegram-bot's way out over aiohttp: a third of the processor time of its own, however many calls at once.

`Unsent` tells apart what never reached the server: only that may be repeated without asking.
"""

from __future__ import annotations

from typing import Any

import aiohttp
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

CONNECTIONS = 64
CONNECT, READ, MEDIA, IDLE = 5.0, 10.0, 60.0, 30.0
"""Seconds for a connection, an answer, an answer to a file, and until an idle connection is closed."""
_DEFAULT = BaseRequest.DEFAULT_NONE


class Unsent(NetworkError):
    """There was no connection: the call took no effect."""


class AiohttpRequest(BaseRequest):
    """One pool of connections, opened with the application and closed with it."""

    def __init__(self, *, connections: int = CONNECTIONS, read: float = READ) -> None:
        self._connections, self._read = connections, read
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float | None:
        """Seconds that an answer may take."""
        return self._read

    async def initialize(self) -> None:
        """Open the pool; proxies are taken from the environment."""
        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=IDLE)
            agent = {"User-Agent": self.USER_AGENT}
            self._session = aiohttp.ClientSession(connector=connector, headers=agent, trust_env=True)

    async def shutdown(self) -> None:
        """Close the pool."""
        if self._session is not None:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = _DEFAULT,
        write_timeout: Any = _DEFAULT,  # noqa: ARG002
        connect_timeout: Any = _DEFAULT,
        pool_timeout: Any = _DEFAULT,  # noqa: ARG002
    ) -> tuple[int, bytes]:
        """One call; raises TimedOut, Unsent, or NetworkError where nobody knows whether it took effect."""
        if self._session is None:
            raise RuntimeError("The pool of connections is not open.")
        files = request_data.multipart_data if request_data else None
        read = (MEDIA if files else self._read) if read_timeout is _DEFAULT else read_timeout
        connect = CONNECT if connect_timeout is _DEFAULT else connect_timeout
        within = aiohttp.ClientTimeout(total=None, connect=connect, sock_connect=connect, sock_read=read)
        body = _body(request_data)
        try:
            async with self._session.request(method, url, data=body, timeout=within) as response:
                return response.status, await response.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as failure:
            raise Unsent(type(failure).__name__) from failure
        except (TimeoutError, aiohttp.ServerTimeoutError) as failure:
            raise TimedOut from failure
        except (aiohttp.ClientError, OSError) as failure:
            raise NetworkError(type(failure).__name__) from failure


def _body(request_data: RequestData | None) -> aiohttp.FormData | dict[str, str] | None:
    if request_data is None:
        return None
    values = request_data.json_parameters
    files = request_data.multipart_data
    if not files:
        return values
    form = aiohttp.FormData()
    for name, value in values.items():
        form.add_field(name, value)
    for name, (filename, content, mime) in files.items():
        form.add_field(name, content, filename=filename, content_type=mime)
    return form
