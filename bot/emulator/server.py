"""The HTTP front end: Bot API, files, webhooks, the chat page. Loopback only, token required."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
from typing import Any

import aiohttp
from aiohttp import BodyPartReader, hdrs, web

from bot.emulator import files
from bot.emulator.calls import CallRefused, NoAnswer, Upload
from bot.emulator.chat_page import ChatPage
from bot.emulator.state import Webhook
from bot.emulator.telegram import Telegram
from bot.emulator.updates import QueuedUpdate

MAX_DELAY, MAX_RETRY_AFTER = 60.0, 3600.0
_ANSWER_SECONDS = 60.0
_MAX_DOUBLINGS = 10
_FORBIDDEN = ("get", "setwebhook", "deletewebhook", "close", "logout")
"""Beginnings of the methods that cannot be called in the answer to an update."""


class WebhookSender:
    """Sends the updates of one local Telegram to its webhook."""

    def __init__(self, telegram: Telegram) -> None:
        self._telegram = telegram
        self._wake = asyncio.Event()
        self._lanes: dict[int, asyncio.Task[None]] = {}
        self._task: asyncio.Task[None] | None = None
        self._session: aiohttp.ClientSession | None = None

    def start(self) -> None:
        """Start to send."""
        self._telegram.queue.on_arrival.append(self._wake.set)
        self._telegram.clock.on_move.append(self._wake.set)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop at once; updates that were not accepted keep waiting."""
        if self._task is not None:
            self._telegram.queue.on_arrival.remove(self._wake.set)
            self._telegram.clock.on_move.remove(self._wake.set)
        for task in (self._task, *self._lanes.values()):
            if task is not None:
                task.cancel()
        await asyncio.gather(*filter(None, (self._task, *self._lanes.values())), return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            wait = self._dispatch()
            try:
                await asyncio.wait_for(self._wake.wait(), wait)
            except TimeoutError:
                continue

    def _dispatch(self) -> float | None:
        """Send the updates that are due; returns the seconds until the next one is, None where none waits."""
        telegram, hook = self._telegram, self._telegram.webhook
        now = telegram.clock()
        telegram.queue.expire(now)
        if hook is None:
            return None
        first: dict[int, QueuedUpdate] = {}
        for number in telegram.faults.order_updates(sorted(telegram.queue.waiting)):
            first.setdefault(telegram.queue.waiting[number].lane, telegram.queue.waiting[number])
        waits = []
        for lane, update in first.items():
            if lane in self._lanes:
                continue
            if update.due <= now and len(self._lanes) < hook.connections:
                self._lanes[lane] = asyncio.create_task(self._send_in_lane(hook, update))
            else:
                waits.append(max(0.01, update.due - now))
        return min(waits, default=None)

    async def _send_in_lane(self, hook: Webhook, update: QueuedUpdate) -> None:
        try:
            await self._send(hook, update)
        finally:
            del self._lanes[update.lane]
            self._wake.set()

    async def _send(self, hook: Webhook, update: QueuedUpdate) -> None:
        """Send an update once; forget it where it was accepted, else schedule the next try."""
        self._session = self._session or aiohttp.ClientSession()
        headers = {"X-Telegram-Bot-Api-Secret-Token": hook.secret} if hook.secret else {}
        await self._telegram.faults.wait_for_network()
        timeout = aiohttp.ClientTimeout(total=_ANSWER_SECONDS)
        try:
            request = self._session.post(
                hook.url, json=update.wire(), headers=headers, timeout=timeout, allow_redirects=False
            )
            async with request as response:
                body = await response.read()
                kind, status, retry = response.content_type, response.status, response.headers.get("Retry-After", "")
        except (aiohttp.ClientError, TimeoutError) as failure:
            self._schedule_retry(update, f"Connection failed: {type(failure).__name__}", 0)
            return
        if not 200 <= status <= 299:
            reason = f"Wrong response from the webhook: {status} {response.reason}"
            self._schedule_retry(update, reason, int(retry) if retry.isdigit() else 0)
            return
        if not self._telegram.faults.take_repeat():
            self._telegram.queue.forget([update.id])
        if kind == "application/json":
            await self._execute(body)

    def _schedule_retry(self, update: QueuedUpdate, reason: str, retry_after: float) -> None:
        """Schedule the next try: at once, then after 2, 4, 8 … seconds, or when the bot asked; drop expired updates."""
        telegram = self._telegram
        delay = min(retry_after, MAX_RETRY_AFTER) or (
            min(MAX_DELAY, 2.0 ** min(update.tries, _MAX_DOUBLINGS)) if update.tries else 0
        )
        update.tries += 1
        update.due = telegram.clock() + delay
        telegram.webhook_error = reason, telegram.clock()
        if update.due > update.expires:
            telegram.queue.forget([update.id])

    async def _execute(self, body: bytes) -> None:
        """Call the method in the answer, if there is one; the bot does not learn its result."""
        values = _parse_object(body)
        method = str(values.pop("method", ""))
        if not method or method.lower().startswith(_FORBIDDEN):
            return
        try:
            await self._telegram.handle(method, values, {})
        except NoAnswer:
            return


def _parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object of an answer; empty where it is none."""
    try:
        content = json.loads(body or b"{}")
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


MAX_BODY = files.MAX_UPLOAD + 1024**2
_LOST_ANSWER_SECONDS = 60.0
"""Seconds that a call without an answer is held open, unless the caller hangs up."""
_JSON = "application/json"


class Server:
    """A local Telegram on a port of its own; `page` is the chat page for browsers."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram
        self.page = ChatPage(telegram)
        self._webhook_sender = WebhookSender(telegram)
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """The address of the server, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    async def start(self, *, host: str = "127.0.0.1", port: int = 0) -> None:
        """Start to listen; raises ValueError for a host that is not loopback."""
        if not ipaddress.ip_address(host).is_loopback:
            raise ValueError(f"{host} is not a loopback address")
        app = web.Application(client_max_size=MAX_BODY, middlewares=[self._guard])
        app.router.add_route("*", "/bot{token}/{method}", self._handle_call)
        app.router.add_get("/file/bot{token}/{path:.+}", self._handle_download)
        self.page.add_routes(app)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError:
            await self._runner.cleanup()
            raise
        self._port = int(self._runner.addresses[0][1])
        self._webhook_sender.start()

    async def stop(self) -> None:
        """Stop the server and everything that it started."""
        await self._webhook_sender.stop()
        self.page.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Server:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Refuse requests for other host names (DNS rebinding) and from pages of other origins."""
        hosts = {f"{name}:{self._port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        origin = request.headers.get(hdrs.ORIGIN)
        if request.host not in hosts or (origin is not None and origin not in {f"http://{host}" for host in hosts}):
            raise web.HTTPForbidden(text="This server answers its own page and its bot only.")
        if request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
            raise web.HTTPForbidden(text="This server answers its own page and its bot only.")
        response: web.StreamResponse = await handler(request)
        return response

    def _has_token(self, request: web.Request) -> bool:
        return hmac.compare_digest(request.match_info["token"].encode(), self.telegram.token.encode())

    async def _handle_call(self, request: web.Request) -> web.StreamResponse:
        if not self._has_token(request):
            return _json_response(CallRefused(401, "Unauthorized").answer().body, 401)
        try:
            values, uploads = await _read_request(request)
            answer = await self.telegram.handle(request.match_info["method"], values, uploads)
        except CallRefused as refusal:
            answer = refusal.answer()
        except web.HTTPRequestEntityTooLarge:
            answer = CallRefused(413, "Request Entity Too Large").answer()
        except NoAnswer:
            await asyncio.sleep(_LOST_ANSWER_SECONDS)
            answer = CallRefused(504, "Gateway Timeout").answer()
        return _json_response(answer.body, answer.status)

    async def _handle_download(self, request: web.Request) -> web.StreamResponse:
        matching = [file for file in self.telegram.files.values() if file.path == request.match_info["path"]]
        if not self._has_token(request) or not matching or len(matching[0].content) > files.MAX_DOWNLOAD:
            return _json_response(CallRefused(404, "Not Found").answer().body, 404)
        return web.Response(body=matching[0].content, content_type="application/octet-stream")


def _json_response(body: Any, status: int) -> web.Response:
    return web.Response(body=json.dumps(body, ensure_ascii=False).encode(), status=status, content_type=_JSON)


async def _read_request(request: web.Request) -> tuple[dict[str, Any], dict[str, Upload]]:
    """The parameters from the query, a JSON object or a form, and the uploads; raises CallRefused."""
    values: dict[str, Any] = dict(request.query)
    if request.content_type == _JSON:
        try:
            body = json.loads(await request.read() or b"{}")
        except ValueError:
            raise CallRefused(400, "Bad Request: can't parse request: invalid JSON") from None
        return values | (body if isinstance(body, dict) else {}), {}
    if request.content_type.startswith("multipart/"):
        return await _read_parts(request, values)
    return values | dict(await request.post()), {}


async def _read_parts(request: web.Request, values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Upload]]:
    uploads: dict[str, Upload] = {}
    size = 0
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader) or part.name is None:
            continue
        content = await _read_content(part, MAX_BODY - size)
        size += len(content)
        if part.filename is None:
            values[part.name] = content.decode("utf-8", "replace")
        else:
            mime = part.headers.get(hdrs.CONTENT_TYPE, "application/octet-stream")
            uploads[part.name] = Upload(part.filename, content, mime)
    return values, uploads


async def _read_content(part: BodyPartReader, max_size: int) -> bytes:
    content = bytearray()
    while chunk := await part.read_chunk(65_536):
        content += chunk
        if len(content) > max_size:
            raise web.HTTPRequestEntityTooLarge(max_size=MAX_BODY, actual_size=len(content))
    return bytes(content)
