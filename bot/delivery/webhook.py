"""The webhook: updates over HTTP, answered with 200 once they are stored, and with 503 where they cannot be stored now.

It runs behind a proxy that ends TLS. Telegram's secret is derived from the token, so that all processes know it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from dataclasses import dataclass, field

from aiohttp import web

from annotation.errors import HromadaError
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
WEBHOOK_PATH = "/telegram"
VERIFICATION_HEADER = "X-Telegram-Bot-Api-Secret-Token"
"""The header in which Telegram sends the secret."""
MAX_UPDATE_BYTES = 256 * 1024
"""Far more than an update has: two texts of 4,096 characters and a keyboard of 10 KB."""
WEBHOOK_CONNECTIONS = 40
"""How many connections Telegram may open to the webhook at once."""


def derive_secret(token: str) -> str:
    """The secret that Telegram is told for this bot, and sends back with every update."""
    return hmac.new(token.encode(), b"hromada webhook", hashlib.sha256).hexdigest()


@dataclass
class WebhookServer:
    """The HTTP server that receives updates; `port` is the port that it listens on once it has started."""

    workers: Workers
    secret: str = field(repr=False)
    port: int = 0
    _runner: web.AppRunner | None = None

    async def start(self, *, host: str, port: int) -> None:
        """Start to listen; raises OSError where the address cannot be used."""
        app = web.Application(client_max_size=MAX_UPDATE_BYTES)
        app.router.add_post(WEBHOOK_PATH, self._receive_update)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.3)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self.port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _receive_update(self, request: web.Request) -> web.Response:
        """Store an update and respond 200; 503 where it cannot be stored now, 403 for a wrong secret, otherwise 400."""
        received_secret = request.headers.get(VERIFICATION_HEADER, "")
        if not hmac.compare_digest(received_secret.encode(errors="surrogateescape"), self.secret.encode()):
            return web.Response(status=403)
        body = await request.read()
        try:
            update = json.loads(body)
        except (ValueError, RecursionError):
            return web.Response(status=400)
        if not isinstance(update, dict) or not isinstance(update.get("update_id"), int):
            return web.Response(status=400)
        try:
            await self.workers.receive_updates([update])
        except HromadaError as failure:
            log.warning("An update is refused for now: %s", type(failure).__name__)
            return web.Response(status=503, headers={"Retry-After": "1"})
        return web.Response()
