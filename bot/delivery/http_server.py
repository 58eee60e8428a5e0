"""A server on one address, and the route by which a supervisor asks whether the bot is well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Middleware

from annotation.errors import BadInput, Where
from bot.delivery.attempts import Watchdog

HEALTH_PATH = "/health"
MAX_BODY_BYTES = 256 * 1024
"""Far more than an update has: two texts of 4,096 characters and a keyboard of 10 KB."""
CLOSE_SECONDS = 0.3
"""Seconds that requests get to end when the server stops."""


@dataclass(frozen=True, kw_only=True)
class ListenAddress:
    """Where to listen; `field` is the setting that says so. Port 0 stands for any free port."""

    host: str
    port: int
    field: str


@asynccontextmanager
async def serve_http(
    routes: Sequence[web.RouteDef], address: ListenAddress, *, middlewares: Sequence[Middleware] = ()
) -> AsyncIterator[int]:
    """Answer requests until the block ends, and yield the port; raises BadInput where the address cannot be used."""
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=middlewares)
    app.router.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSE_SECONDS)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, address.host, address.port).start()
        except OSError as failure:
            sentence = f"Nothing can listen there: {failure.strerror}."
            raise BadInput(sentence, where=Where(field=address.field)) from None
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def build_health_route(watchdog: Watchdog) -> web.RouteDef:
    """The route that responds 200 while the bot is well, and 503 where a service is silent, which it names.

    It also responds 503 where the database stores nothing, as on a full disk, with the `problem`.
    """

    async def report_health(_: web.Request) -> web.Response:
        silent = [service.name.lower() for service in watchdog.list_silent_services()]
        report = {"well": not silent and not watchdog.write_problem, "silent": silent}
        report |= {"problem": watchdog.write_problem} if watchdog.write_problem else {}
        return web.json_response(report, status=200 if report["well"] else 503)

    return web.get(HEALTH_PATH, report_health)


def parse_listen_address(text: str, field: str) -> ListenAddress:
    """The host and port of a setting or option `field`, written like 127.0.0.1:8080; raises BadInput."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise BadInput(
            "This is no address to listen on.", where=Where(field=field), remedy="Write it like 127.0.0.1:8080."
        )
    return ListenAddress(host=host.strip("[]"), port=int(port), field=field)
