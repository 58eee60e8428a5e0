"""The chat in the browser: one page, events that stream to it, and the acts of people."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.emulator import drawing
from bot.emulator.ledger import Entry
from bot.emulator.people import Person
from bot.emulator.telegram import Telegram

COOKIE = "local-telegram"
FIRST = 1001
MOST_ACT = 64 * 1024
LANGUAGES = ("uk", "en", "ru")
NAMES = ("Оля", "Богдан", "Віра", "Гнат", "Дарина", "Євген", "Жанна", "Зиновій")
_FOLDER = Path(__file__).parent / "page"
_KINDS = {
    "index.html": "text/html", "style.css": "text/css", "chat.js": "text/javascript", "drawing.js": "text/javascript",
    "words.json": "application/json", "icon.svg": "image/svg+xml",
}  # fmt: skip
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_BEAT = 15.0


class Page:
    """The page of one Telegram. `ticket` opens it once; from then on a cookie does."""

    def __init__(self, telegram: Telegram) -> None:
        self.ticket = secrets.token_urlsafe(16)
        self._telegram = telegram
        self._cookie = secrets.token_urlsafe(32)
        self._streams: set[asyncio.Queue[Entry | None]] = set()
        telegram.ledger.watchers.append(self._seen)

    def add(self, app: web.Application) -> None:
        """Its routes."""
        app.router.add_get("/", self._index)
        app.router.add_get("/events", self._events)
        app.router.add_get("/media/{id}", self._media)
        app.router.add_post("/act", self._act)
        app.router.add_get("/{name}", self._asset)

    def close(self) -> None:
        """End every stream."""
        for stream in self._streams:
            stream.put_nowait(None)

    async def _index(self, request: web.Request) -> web.StreamResponse:
        given = request.query.get("token", "")
        if given and self.ticket and hmac.compare_digest(given.encode(), self.ticket.encode()):
            self.ticket = ""
            response = web.Response(status=303, headers=_HEADERS | {"Location": "/"})
            response.set_cookie(COOKIE, self._cookie, httponly=True, samesite="Strict", max_age=86_400, path="/")
            return response
        return self._static(request, "index.html")

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        return self._static(request, request.match_info["name"])

    def _static(self, request: web.Request, name: str) -> web.Response:
        self._known(request)
        if name not in _KINDS:
            raise web.HTTPNotFound(text="There is no such page.")
        body = (_FOLDER / name).read_bytes()
        return web.Response(body=body, content_type=_KINDS[name], charset="utf-8", headers=_HEADERS)

    async def _media(self, request: web.Request) -> web.StreamResponse:
        self._known(request)
        file = self._telegram.files.get(request.match_info["id"])
        if file is None:
            raise web.HTTPNotFound(text="There is no such file.")
        if file.width:
            kind = "image/png" if file.content.startswith(b"\x89PNG") else "image/jpeg"
            return web.Response(body=file.content, content_type=kind, headers=_HEADERS)
        shown = "attachment; filename*=UTF-8''" + "".join(
            sign
            if sign.isascii() and (sign.isalnum() or sign in "._-")
            else "".join(f"%{b:02X}" for b in sign.encode())
            for sign in file.name
        )
        headers = _HEADERS | {"Content-Disposition": shown}
        return web.Response(body=file.content, content_type="application/octet-stream", headers=headers)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        self._known(request)
        person = self._person(request.query.get("person"))
        stream: asyncio.Queue[Entry | None] = asyncio.Queue()
        response = web.StreamResponse(headers=_HEADERS | {"Content-Type": "text/event-stream"})
        await response.prepare(request)
        self._streams.add(stream)
        try:
            await _tell(response, drawing.everything(self._telegram, person))
            await self._stream(response, stream, person)
        except ConnectionResetError:
            pass
        finally:
            self._streams.discard(stream)
        return response

    async def _stream(self, response: web.StreamResponse, stream: asyncio.Queue[Entry | None], person: Person) -> None:
        while True:
            try:
                entry = await asyncio.wait_for(stream.get(), _BEAT)
            except TimeoutError:
                await response.write(b": still here\n\n")
                continue
            if entry is None:
                return
            if entry.person == person.id and entry.chat == person.id:
                await _tell(response, self._event(entry, person))

    def _event(self, entry: Entry, person: Person) -> dict[str, Any]:
        found = person.chat.messages.get(entry.message)
        return {
            "kind": entry.kind,
            "text": entry.text,
            "on": entry.message,
            "message": drawing.message(found, person.id) if found else None,
            "around": drawing.around(self._telegram, person),
        }

    async def _act(self, request: web.Request) -> web.StreamResponse:
        self._known(request)
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="JSON, please.")
        raw = await _body(request)
        try:
            act = json.loads(raw)
            told = self._done(act)
        except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
            raise web.HTTPBadRequest(text="This cannot be done.") from None
        return web.json_response({"ok": True, **told}, headers=_HEADERS)

    def _done(self, act: dict[str, Any]) -> dict[str, Any]:
        """One act of a person; raises KeyError, TypeError or ValueError where it makes no sense."""
        if act["do"] == "join":
            number = max([FIRST - 1, *self._telegram.users]) + 1
            language = act["language"] if act["language"] in LANGUAGES else "uk"
            name = _encoded(act["name"]).strip()[:64] or NAMES[(number - FIRST) % len(NAMES)]
            return {"person": self._telegram.person(number, language=language, name=name).id}
        person = self._person(act["person"])
        if act["do"] == "send":
            person.send(_encoded(act["text"]))
        elif act["do"] == "tap":
            message = person.chat.messages[int(str(act["message"]))]
            person.press(next(data for _, data in message.buttons if data == act["data"]), on=message)
        elif act["do"] == "edit":
            message = person.chat.messages[int(str(act["message"]))]
            person.edit(message, _encoded(act["text"]))
        else:
            {"block": person.block, "unblock": person.unblock}[str(act["do"])]()
        return {}

    def _person(self, number: object) -> Person:
        """Somebody who is there; without a number the first, who is made if need be."""
        if number is None:
            first = min(self._telegram.users, default=FIRST)
            return self._telegram.person(first, name=NAMES[0])
        if int(str(number)) not in self._telegram.users:
            raise web.HTTPNotFound(text="There is no such person.")
        return self._telegram.person(int(str(number)))

    def _known(self, request: web.Request) -> None:
        given = request.cookies.get(COOKIE, "")
        if not hmac.compare_digest(given.encode(), self._cookie.encode()):
            words = (
                "Потрібна адреса з термінала.",
                "The address from the terminal is needed.",
                "Нужен адрес из терминала.",
            )
            raise web.HTTPForbidden(text="\n".join(words), headers=_HEADERS)

    def _seen(self, entry: Entry) -> None:
        for stream in self._streams:
            stream.put_nowait(entry)


async def _tell(response: web.StreamResponse, event: dict[str, Any]) -> None:
    await response.write(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n")


def _encoded(text: object) -> str:
    """A text that can be written; raises ValueError for halves of characters and TypeError for no text."""
    if not isinstance(text, str):
        raise TypeError("Not a text.")
    text.encode()
    return text


async def _body(request: web.Request) -> bytes:
    raw = bytearray()
    async for chunk in request.content.iter_chunked(16_384):
        raw += chunk
        if len(raw) > MOST_ACT:
            raise web.HTTPRequestEntityTooLarge(max_size=MOST_ACT, actual_size=len(raw))
    return bytes(raw)
