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
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.typedefs import Middleware
from telegram.error import InvalidToken, TelegramError

from annotation.errors import BadInput, HromadaError, Unavailable, Where
from annotation.workflow.monitoring.bot_waits import WaitReason
from bot.delivery import silent_connections
from bot.delivery.limits_and_retries import AwaitedService, Backoff, Watchdog
from bot.delivery.process_lease import HeartbeatKeeper
from bot.delivery.silent_connections import IDLE_SECONDS, SilentConnections
from bot.delivery.telegram_api import TelegramApi, explain_failure
from bot.delivery.telegram_payloads import UPDATE_TYPES
from bot.delivery.workers import Workers

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
    routes: Sequence[web.RouteDef],
    address: ListenAddress,
    *,
    middlewares: Sequence[Middleware] = (),
    is_left_early: bool = False,
) -> AsyncIterator[int]:
    """Answer requests until the block ends, and yield the port; raises BadInput where the address cannot be used.

    With `is_left_early` a handler is cancelled as soon as its client has gone; without it, it runs to its end.
    """
    silent = SilentConnections()
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[silent.build_middleware(), *middlewares])
    app.router.add_routes(routes)
    runner = web.AppRunner(
        app,
        access_log=None,
        shutdown_timeout=CLOSE_SECONDS,
        keepalive_timeout=IDLE_SECONDS,
        handler_cancellation=is_left_early,
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, address.host, address.port).start()
        except OSError as failure:
            sentence = f"Nothing can listen there: {failure.strerror}."
            raise BadInput(sentence, where=Where(field=address.field)) from None
        async with silent.close_them(runner):
            yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def build_health_route(*watchdogs: Watchdog) -> web.RouteDef:
    """The route that responds 200 while the process works, and says what it waits for.

    `well` is false while it waits: for the services in `silent`, for a database that stores nothing (`problem`), or for
    Telegram (`waits`: why, since when, and until when if Telegram has said so). The bot goes on by itself, so that a
    supervisor has no reason to start it again; one that is to end when it is stuck responds 503. Several
    bots are well if all of them are.
    """

    async def report_health(_: web.Request) -> web.Response:
        silent = list({service.name.lower(): None for one in watchdogs for service in one.list_silent_services()})
        problem = next((one.write_problem for one in watchdogs if one.write_problem), "")
        report: dict[str, object] = {"well": not silent and not problem, "silent": silent}
        report |= {"problem": problem} if problem else {}
        if (wait := next(filter(None, (one.find_wait() for one in watchdogs)), None)) is not None:
            report |= {"well": False, "waits": wait.facts}
        is_to_end = any(one.exit_when_stuck for one in watchdogs)
        return web.json_response(report, status=503 if is_to_end and not report["well"] else 200)

    return web.get(HEALTH_PATH, report_health)


def parse_listen_address(text: str, field: str) -> ListenAddress:
    """The host and port of a setting or option `field`, written like 127.0.0.1:8080; raises BadInput."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise BadInput(
            "This is not an address to listen on.", where=Where(field=field), remedy="Write it like 127.0.0.1:8080."
        )
    return ListenAddress(host=host.strip("[]"), port=int(port), field=field)


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


def list_webhook_routes(*receivers: WebhookReceiver) -> Sequence[web.RouteDef]:
    """The route at which Telegram brings the updates of all bots: the secret tells whose update it is, else 403."""

    async def receive_update(request: web.Request) -> web.Response:
        secret = request.headers.get(VERIFICATION_HEADER, "").encode(errors="surrogateescape")
        for receiver in receivers:
            if hmac.compare_digest(secret, receiver.secret.encode()):
                return await receiver.receive_update(request)
        return web.Response(status=403)

    return (web.post(WEBHOOK_PATH, receive_update),)


@dataclass(frozen=True)
class WebhookReceiver:
    """Receives the updates that Telegram sends to one bot."""

    workers: Workers
    heartbeat: HeartbeatKeeper
    secret: str = field(repr=False)

    async def receive_update(self, request: web.Request) -> web.Response:
        """Store an update and respond 200.

        503 where it cannot be stored now, 408 if it did not come whole, otherwise 400.
        """
        body = await _read_body(request)
        if body is None:
            return web.Response(status=408)
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


async def _read_body(request: web.Request) -> bytes | None:
    """The body of a request; None, and a line in the log, if it was broken off or did not come in time."""
    try:
        async with asyncio.timeout(silent_connections.REQUEST_SECONDS):
            return await request.read()
    except (OSError, web.RequestPayloadError) as failure:  # TimeoutError is an OSError
        log.warning("An update did not come whole: %s. Telegram brings it again.", type(failure).__name__)
        return None


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
                reason, seconds = explain_failure(failure)
                self.watchdog.explain_wait(reason, seconds=seconds)
                await asyncio.sleep(self._backoff.take_pause() if seconds is None else seconds)
            else:
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
        self.watchdog.note_answer(AwaitedService.TELEGRAM)

    async def _check_webhook(self) -> None:
        """Set a webhook again that was deleted, and say in the log what else keeps updates from coming.

        Where nothing does, that is noted.
        """
        info = await self.api.get_webhook_info()
        if not info.url:
            log.warning("The webhook was deleted; it is set again.")
            await self._set_webhook()
        elif info.url != self.url:
            self.watchdog.explain_wait(WaitReason.OTHER_ADDRESS)
        elif info.pending_update_count and info.last_error_message:
            self.watchdog.explain_wait(WaitReason.UNDELIVERED)
            if info.last_error_message != self._last_words:
                log.error("Telegram cannot bring its updates: %s", info.last_error_message)
            self._last_words = info.last_error_message
        else:
            self._last_words = ""
            await self.heartbeat.note()
