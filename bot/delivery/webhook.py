"""The webhook: updates over HTTP, answered with 200 once they are stored, and with 503 where they cannot be stored now.

Telegram is told where to call, and asked regularly whether it still does. It runs behind a proxy that ends TLS.
Telegram's secret is derived from the token, so that all processes know it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from aiohttp import web
from telegram.error import InvalidToken, RetryAfter, TelegramError

from annotation.errors import HromadaError, Unavailable
from bot.delivery.attempts import AwaitedService, Backoff, Watchdog
from bot.delivery.process_lease import HeartbeatKeeper
from bot.delivery.telegram_api import TelegramApi
from bot.delivery.telegram_payloads import UPDATE_TYPES
from bot.delivery.workers import Workers

log = logging.getLogger(__name__)
WEBHOOK_PATH = "/telegram"
VERIFICATION_HEADER = "X-Telegram-Bot-Api-Secret-Token"
"""The header in which Telegram sends the secret."""
WEBHOOK_CONNECTIONS = 40
"""How many connections Telegram may open to the webhook at once."""
CHECK_SECONDS = 30.0
"""Seconds between two looks whether Telegram still calls this address."""
MIN_WAIT, MAX_WAIT = 1.0, 15.0
"""The shortest and the longest pause in seconds after Telegram could not be asked."""


def derive_secret(token: str) -> str:
    """The secret that Telegram is told for this bot, and sends back with every update."""
    return hmac.new(token.encode(), b"hromada webhook", hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class WebhookReceiver:
    """Receives the updates that Telegram sends."""

    workers: Workers
    heartbeat: HeartbeatKeeper
    secret: str = field(repr=False)

    def list_routes(self) -> Sequence[web.RouteDef]:
        """The route of the webhook."""
        return (web.post(WEBHOOK_PATH, self._receive_update),)

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
            if not isinstance(failure, Unavailable):  # that the database is away is said once, by `database_state`
                log.warning("An update is refused for now: %s", type(failure).__name__)
            return web.Response(status=503, headers={"Retry-After": "1"})
        await self.heartbeat.note()
        return web.Response()


@dataclass(kw_only=True)
class WebhookKeeper:
    """Tells Telegram where to call, and looks regularly whether it still does.

    A webhook that was deleted is set again. One that somebody has set to another address is left, and the log says so,
    as two bots would else take it from each other for ever.
    """

    api: TelegramApi
    url: str
    secret: str = field(repr=False)
    watchdog: Watchdog
    heartbeat: HeartbeatKeeper
    _is_set: bool = False
    _backoff: Backoff = field(default_factory=lambda: Backoff(first=MIN_WAIT, longest=MAX_WAIT))
    _last_words: str = ""

    async def run(self) -> None:
        """Keep the webhook until cancelled; raises InvalidToken."""
        while True:
            self.watchdog.await_service(AwaitedService.TELEGRAM)
            try:
                await (self._check_webhook() if self._is_set else self._set_webhook())
            except InvalidToken:
                raise
            except TelegramError as failure:
                log.warning("Telegram cannot be asked where it calls: %s", type(failure).__name__)
                if isinstance(failure, RetryAfter):
                    self.watchdog.note_answer(AwaitedService.TELEGRAM)
                await asyncio.sleep(self._backoff.take_pause())
            else:
                self.watchdog.note_answer(AwaitedService.TELEGRAM)
                self._backoff.reset()
                await asyncio.sleep(CHECK_SECONDS)

    async def _set_webhook(self) -> None:
        """Tell Telegram the address; updates that wait there stay."""
        await self.api.set_webhook(
            self.url,
            secret_token=self.secret,
            allowed_updates=list(UPDATE_TYPES),
            max_connections=WEBHOOK_CONNECTIONS,
            drop_pending_updates=False,
        )
        self._is_set = True

    async def _check_webhook(self) -> None:
        """Set a webhook again that was deleted, and say in the log what else keeps updates from coming.

        Where nothing does, that is noted.
        """
        info = await self.api.get_webhook_info()
        if not info.url:
            log.warning("The webhook was deleted; it is set again.")
            await self._set_webhook()
        elif info.url != self.url:
            self._say_once("Telegram calls another address, which another program has set: end it, or this one.")
        elif info.pending_update_count and info.last_error_message:
            self._say_once(f"Telegram cannot bring its updates: {info.last_error_message}")
        else:
            self._last_words = ""
            await self.heartbeat.note()

    def _say_once(self, words: str) -> None:
        """Log what is wrong, once until something else is."""
        if words != self._last_words:
            log.error("%s", words)
            self._last_words = words
