"""A proxy before bots that Telegram calls: each update goes to one of them, or to another one if that is gone."""

from __future__ import annotations

import itertools
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web


@dataclass
class Balancer:
    """The bots listen on `ports`; `taken` counts the updates that each has taken, by port."""

    ports: tuple[int, ...]
    client: aiohttp.ClientSession
    url: str = ""
    taken: Counter[int] = field(default_factory=Counter)
    _turns: itertools.count[int] = field(default_factory=itertools.count)

    async def pass_on(self, request: web.Request) -> web.Response:
        """Pass an update on to a bot, in turns; 502 where none answers."""
        body, first = await request.read(), next(self._turns)
        for turn in range(len(self.ports)):
            port = self.ports[(first + turn) % len(self.ports)]
            try:
                url = f"http://127.0.0.1:{port}{request.path}"
                async with self.client.post(url, data=body, headers=request.headers) as response:
                    self.taken[port] += response.status == 200
                    return web.Response(status=response.status)
            except aiohttp.ClientError:
                continue
        return web.Response(status=502)


def _find_free_ports(number: int) -> tuple[int, ...]:
    """Ports on which nobody listens now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = tuple(one.getsockname()[1] for one in sockets)
    for one in sockets:
        one.close()
    return ports


@asynccontextmanager
async def start_balancer(*, workers: int = 2) -> AsyncIterator[Balancer]:
    """A balancer before so many bots on loopback, until the block ends."""
    async with aiohttp.ClientSession() as client:
        balancer = Balancer(_find_free_ports(workers), client)
        app = web.Application()
        app.router.add_post("/{path:.*}", balancer.pass_on)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        balancer.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield balancer
        finally:
            await runner.cleanup()
