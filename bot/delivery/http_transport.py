"""python-telegram-bot's way out over aiohttp: a third of the processor time of its own, however many calls at once.

`Unsent` tells apart what never reached the server: only that may be repeated without asking.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

CONNECTIONS = 64
CONNECT, READ, MEDIA, IDLE = 5.0, 10.0, 60.0, 30.0
"""Seconds for a connection, an answer, an answer to a file, and until an idle connection is closed."""
JSON = {"Content-Type": "application/json"}
_DEFAULT = BaseRequest.DEFAULT_NONE


class Unsent(NetworkError):
    """There was no connection: the call took no effect."""


class AiohttpRequest(BaseRequest):
    """One pool of connections, opened with the application and closed with it."""

    def __init__(self, *, connections: int = CONNECTIONS, read: float = READ) -> None:
        self._connections, self._read = connections, read
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}

    @property
    def read_timeout(self) -> float | None:
        """Seconds that an answer may take."""
        return self._read

    async def initialize(self) -> None:
        """Open the pool; proxies are taken from the environment, once for a server and not for each call."""
        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=IDLE)
            agent = {"User-Agent": self.USER_AGENT}
            self._session = aiohttp.ClientSession(connector=connector, headers=agent)
            self._proxies.clear()

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
        body, proxy = _body(request_data), self._proxy(url)
        headers = JSON if isinstance(body, bytes) else None
        try:
            async with self._session.request(
                method, url, data=body, headers=headers, timeout=within, proxy=proxy
            ) as response:
                return response.status, await response.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as failure:
            raise Unsent(type(failure).__name__) from failure
        except (TimeoutError, aiohttp.ServerTimeoutError) as failure:
            raise TimedOut from failure
        except (aiohttp.ClientError, OSError) as failure:
            raise NetworkError(type(failure).__name__) from failure

    def _proxy(self, url: str) -> str | None:
        scheme, host, *_ = urlsplit(url)
        if host not in self._proxies:
            self._proxies[host] = None if proxy_bypass(host) else getproxies().get(scheme)
        return self._proxies[host]


def _body(request_data: RequestData | None) -> aiohttp.FormData | bytes | None:
    """JSON, which holds a Cyrillic letter in two bytes; a form, where a file goes along."""
    if request_data is None:
        return None
    files = request_data.multipart_data
    if not files:
        return json.dumps(request_data.parameters, ensure_ascii=False).encode()
    values = request_data.json_parameters
    form = aiohttp.FormData()
    for name, value in values.items():
        form.add_field(name, value)
    for name, (filename, content, mime) in files.items():
        form.add_field(name, content, filename=filename, content_type=mime)
    return form
