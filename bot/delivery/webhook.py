"""The webhook: Telegram's updates over HTTP, answered 200 once they are stored, and 5xx where they cannot be now.

Behind a proxy that ends TLS. The secret that Telegram sends along is made of the token, so that all processes know it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from dataclasses import dataclass, field

from aiohttp import web

from annotation.errors import HromadaError
from bot.delivery.polling import take_in
from bot.delivery.transaction_runner import Base
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
PATH = "/telegram"
HEADER = "X-Telegram-Bot-Api-Secret-Token"
MOST_BYTES = 256 * 1024
"""An update is far smaller: two texts of 4,096 characters and a keyboard of 10 KB."""
CONNECTIONS = 40


def secret(token: str) -> str:
    """What Telegram says to prove that it is Telegram."""
    return hmac.new(token.encode(), b"hromada webhook", hashlib.sha256).hexdigest()


@dataclass
class Webhook:
    """The endpoint."""

    base: Base
    workers: Workers
    secret: str = field(repr=False)
    port: int = 0
    _runner: web.AppRunner | None = None

    async def start(self, *, host: str, port: int) -> None:
        """Listen; raises OSError where the address cannot be used."""
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_post(PATH, self._update)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.3)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self.port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _update(self, request: web.Request) -> web.Response:
        given = request.headers.get(HEADER, "")
        if not hmac.compare_digest(given.encode(errors="surrogateescape"), self.secret.encode()):
            return web.Response(status=403)
        body = await request.read()
        try:
            update = json.loads(body)
        except (ValueError, RecursionError):
            return web.Response(status=400)
        if not isinstance(update, dict) or not isinstance(update.get("update_id"), int):
            return web.Response(status=400)
        try:
            await take_in(self.base, self.workers, [update])
        except HromadaError as failure:
            log.warning("An update is refused for now: %s", type(failure).__name__)
            return web.Response(status=503, headers={"Retry-After": "1"})
        return web.Response()
