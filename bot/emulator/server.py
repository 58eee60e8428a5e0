"""The HTTP front end: Bot API, files, the chat page. Loopback only, token required."""

from __future__ import annotations

import hmac
import ipaddress
import json
from typing import Any, Self

from aiohttp import BodyPartReader, hdrs, web

from bot.emulator import model
from bot.emulator.calls import CallRefused, Upload
from bot.emulator.chat_page import ChatPage
from bot.emulator.telegram import Telegram

MAX_BODY = model.MAX_UPLOAD + 1024**2
_JSON = "application/json"


class Server:
    """A local Telegram on a port of its own; `page` is the chat page for browsers."""

    def __init__(self, telegram: Telegram) -> None:
        self.telegram = telegram
        self.page = ChatPage(telegram)
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
        app.router.add_route("*", "/bot{token}/{method}", self.handle_call)
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

    async def stop(self) -> None:
        """Stop the server and everything that it started."""
        self.page.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
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

    async def handle_call(self, request: web.Request) -> web.StreamResponse:
        """Answer one call of the Bot API."""
        if not self._has_token(request):
            return _json_response(CallRefused(401, "Unauthorized").answer().body, 401)
        try:
            values, uploads = await _read_request(request)
            answer = await self.telegram.handle(request.match_info["method"], values, uploads)
        except CallRefused as refusal:
            answer = refusal.answer()
        except web.HTTPRequestEntityTooLarge:
            answer = CallRefused(413, "Request Entity Too Large").answer()
        return _json_response(answer.body, answer.status)

    async def _handle_download(self, request: web.Request) -> web.StreamResponse:
        matching = [file for file in self.telegram.files.values() if file.path == request.match_info["path"]]
        if not self._has_token(request) or not matching or len(matching[0].content) > model.MAX_DOWNLOAD:
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
