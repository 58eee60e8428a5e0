"""Connections that bring no request, or not the whole of one: they are closed, as nobody else would ever do it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_protocol import RequestHandler

REQUEST_SECONDS = 10.0
"""Seconds that a new connection has for the head of its first request, and a request for its body."""
IDLE_SECONDS = 130.0
"""Seconds between two requests after which a connection is closed; proxies do it after 60 (nginx) or 120 (Caddy)."""


@dataclass
class SilentConnections:
    """Knows which connections of a server have brought a request, and closes those that do not in time."""

    _opened: dict[RequestHandler, float] = field(default_factory=dict)
    _heard: set[RequestHandler] = field(default_factory=set)

    def build_middleware(self) -> Middleware:
        """What notes each request; it belongs before every other middleware."""

        @web.middleware
        async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._heard.add(request.protocol)
            return await handler(request)

        return note

    @asynccontextmanager
    async def close_them(self, runner: web.AppRunner) -> AsyncIterator[None]:
        """Close what stays silent, within the block."""
        closing = asyncio.create_task(self._run(runner))
        try:
            yield
        finally:
            closing.cancel()
            with suppress(asyncio.CancelledError):
                await closing

    async def _run(self, runner: web.AppRunner) -> None:
        while True:
            await asyncio.sleep(REQUEST_SECONDS / 4)
            if runner.server is not None:
                self._close_silent(runner.server.connections, now=monotonic())

    def _close_silent(self, connections: list[RequestHandler], *, now: float) -> None:
        self._heard.intersection_update(connections)
        self._opened = {one: self._opened.get(one, now) for one in connections if one not in self._heard}
        for connection, since in self._opened.items():
            if now - since >= REQUEST_SECONDS:
                connection.force_close()
