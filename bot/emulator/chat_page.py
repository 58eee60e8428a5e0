"""The chat page for browsers: its static files, the stream of events, and what people do on it."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.emulator import mini_apps
from bot.emulator.entities import Entity, FormattedText, count_units
from bot.emulator.keyboards import Button
from bot.emulator.methods.chats import get_description, get_menu
from bot.emulator.model import DisplayedEvent, Message
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import State
from bot.emulator.telegram import Telegram


def describe_message(message: Message, person: int) -> dict[str, Any]:
    """A message as one person sees it."""
    markup, file = message.content.markup, message.content.file
    data: dict[str, Any] = {
        "id": message.id,
        "mine": message.sender.id == person,
        "at": message.date,
        "edited": message.edited is not None and not message.sender.is_bot,
        "deleted": message.deleted,
        "protected": message.protected,
        "reaction": message.reaction,
        "text": build_tree(message.content.body),
        "plain": message.text,
        "rows": [],
        "file": None,
        "media": message.content.media,
        "reply": message.reply_to.text[:200] if message.reply_to else "",
        "above": message.reply_to.id if message.reply_to else None,
    }
    if markup is not None and markup.kind == "inline":
        data["rows"] = [[_describe_key(key) for key in row] for row in markup.rows]
    if file is not None:
        data["file"] = {"id": file.id, "kind": message.content.kind, "name": file.name, "size": len(file.content)}
    return data


def _describe_key(key: Button) -> dict[str, str | None]:
    return {"text": key.text, "data": key.data, "url": key.url, "page": key.page}


def describe_surroundings(state: State, person: ScriptedPerson) -> dict[str, Any]:
    """What the page shows around the messages: keyboard, reply box, menu, whether the bot is typing."""
    chat = person.chat
    last = next(iter(reversed(list(chat.visible()))), None)
    reply_box = last.content.markup if last and last.content.markup and last.content.markup.kind == "force" else None
    return {
        "keyboard": [[key.text for key in row] for row in chat.keyboard.rows] if chat.keyboard else [],
        "placeholder": reply_box.placeholder if reply_box else "",
        "asked": last.text[:200] if reply_box and last else "",
        "typing": max(0.0, chat.action[1] - state.clock()),
        "menu": get_menu(state, chat, person.user.language),
        "description": get_description(state, person.user.language),
        "blocked": chat.blocked,
        "pinned": next((chat.messages[number].text[:200] for number in reversed(chat.pinned)), ""),
    }


def describe_chat(state: State, person: ScriptedPerson) -> dict[str, Any]:
    """A whole chat, for a page that was just opened."""
    people = [user for user in state.users.values() if user.id in state.chats]
    return {
        "person": person.id,
        "people": [{"id": user.id, "name": user.first_name, "language": user.language or "uk"} for user in people],
        "bot": state.me.first_name,
        "messages": [describe_message(message, person.id) for message in person.chat.visible()],
        "around": describe_surroundings(state, person),
    }


Node = str | dict[str, Any]
"""A plain string, or {"type", "argument", "content"} for a formatted part, whose content is a list of nodes."""


def build_tree(text: FormattedText) -> list[Node]:
    """The nodes of a formatted text."""
    return _build_nodes(text.text.encode("utf-16-le"), 0, count_units(text.text), text.entities)


def _build_nodes(raw: bytes, start: int, end: int, entities: Sequence[Entity]) -> list[Node]:
    """The nodes between two units of a text; `raw` is the whole text in UTF-16."""
    nodes: list[Node] = []
    rest = list(entities)
    while rest:
        entity = rest.pop(0)
        begin, stop = max(entity.offset, start), min(entity.end, end)
        if begin >= stop:
            continue
        inner = [other for other in rest if other.offset < stop]
        rest = [other for other in rest if other.offset >= stop]
        nodes += _list_plain_text(raw, start, begin)
        content = _build_nodes(raw, begin, stop, inner)
        nodes.append({"type": entity.type, "argument": entity.argument, "content": content})
        start = stop
    return nodes + _list_plain_text(raw, start, end)


def _list_plain_text(raw: bytes, start: int, end: int) -> list[Node]:
    text = raw[2 * start : 2 * end].decode("utf-16-le", "replace")
    return [text] if text else []


COOKIE = "local-telegram"
FIRST_PERSON_ID = 1001
MAX_ACT_BYTES = 64 * 1024
LANGUAGES = {"uk": "Українська", "en": "English", "ru": "Русский", "pl": "Polski"}
"""The languages that people of the page speak, with their names, unless `ChatPage.languages` has others."""
NAMES = {
    "uk": ("Оля", "Богдан", "Віра", "Гнат", "Дарина", "Євген", "Жанна", "Зиновій"),
    "en": ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fred", "Gina", "Hugh"),
    "ru": ("Аня", "Борис", "Вера", "Глеб", "Даша", "Егор", "Жанна", "Захар"),
    "pl": ("Ola", "Bartek", "Celina", "Darek", "Ewa", "Filip", "Gosia", "Hubert"),
}
"""The names of people by their language; people who speak another one have the English names."""
_FOLDER = Path(__file__).parent / "page"
_CONTENT_TYPES = {
    "index.html": "text/html", "style.css": "text/css", "chat.js": "text/javascript", "elements.js": "text/javascript",
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
_KEEPALIVE_SECONDS = 15.0
"""Seconds without an event after which a comment keeps a stream open."""


class ChatPage:
    """The page of one local Telegram; `ticket` opens it once, later requests need the cookie set then.

    `mini_apps` is the origin of pages that are opened in a frame, empty where there are none.
    `language` is that of the person with whom it begins, `languages` are those of people who come later, with names.
    """

    def __init__(self, telegram: Telegram) -> None:
        self.language = next(iter(LANGUAGES))
        self.languages: Mapping[str, str] = LANGUAGES
        self.ticket = secrets.token_urlsafe(16)
        self._telegram = telegram
        self.mini_apps = ""
        self._cookie = secrets.token_urlsafe(32)
        self._streams: set[asyncio.Queue[DisplayedEvent | None]] = set()
        telegram.display_log.watchers.append(self._queue_event)

    def add_routes(self, app: web.Application) -> None:
        """Add the routes of the page."""
        app.router.add_get("/", self._index)
        app.router.add_get("/events", self._events)
        app.router.add_get("/media/{id}", self._media)
        app.router.add_post("/act", self._act)
        app.router.add_get("/{name}", self._asset)

    def close(self) -> None:
        """End every stream of events."""
        for stream in self._streams:
            stream.put_nowait(None)

    async def _index(self, request: web.Request) -> web.StreamResponse:
        """Serve the page; with the ticket in the address, set the cookie first."""
        ticket = request.query.get("token", "")
        if ticket and self.ticket and hmac.compare_digest(ticket.encode(), self.ticket.encode()):
            self.ticket = ""
            response = web.Response(status=303, headers=_HEADERS | {"Location": "/"})
            response.set_cookie(COOKIE, self._cookie, httponly=True, samesite="Strict", max_age=86_400, path="/")
            return response
        return self._static(request, "index.html")

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        return self._static(request, request.match_info["name"])

    def _static(self, request: web.Request, name: str) -> web.Response:
        """Serve a file of the page; raises HTTPNotFound for other names."""
        self._check_cookie(request)
        if name not in _CONTENT_TYPES:
            raise web.HTTPNotFound(text="There is no such page.")
        body = (_FOLDER / name).read_bytes()
        return web.Response(
            body=body, content_type=_CONTENT_TYPES[name], charset="utf-8", headers=_HEADERS | self._frame_policy
        )

    @property
    def _frame_policy(self) -> dict[str, str]:
        policy = "Content-Security-Policy"
        return {policy: f"{_HEADERS[policy]}; frame-src {self.mini_apps}"} if self.mini_apps else {}

    async def _media(self, request: web.Request) -> web.StreamResponse:
        """Serve an uploaded file: photos to be shown, other files to be saved."""
        self._check_cookie(request)
        file = self._telegram.files.get(request.match_info["id"])
        if file is None:
            raise web.HTTPNotFound(text="There is no such file.")
        if file.width:
            kinds = {b"\x89": "image/png", b"R": "image/webp"}
            kind = kinds.get(file.content[:1], "image/jpeg")
            return web.Response(body=file.content, content_type=kind, headers=_HEADERS)
        disposition = "attachment; filename*=UTF-8''" + "".join(
            character
            if character.isascii() and (character.isalnum() or character in "._-")
            else "".join(f"%{byte:02X}" for byte in character.encode())
            for character in file.name
        )
        headers = _HEADERS | {"Content-Disposition": disposition}
        return web.Response(body=file.content, content_type="application/octet-stream", headers=headers)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """Stream the chat of a person: all of it first, then every event."""
        self._check_cookie(request)
        person = self._person(request.query.get("person"))
        stream: asyncio.Queue[DisplayedEvent | None] = asyncio.Queue()
        response = web.StreamResponse(headers=_HEADERS | {"Content-Type": "text/event-stream"})
        await response.prepare(request)
        self._streams.add(stream)
        try:
            await _write_event(response, describe_chat(self._telegram, person) | {"languages": self.languages})
            await self._stream(response, stream, person)
        except ConnectionResetError:
            pass
        finally:
            self._streams.discard(stream)
        return response

    async def _stream(
        self, response: web.StreamResponse, stream: asyncio.Queue[DisplayedEvent | None], person: ScriptedPerson
    ) -> None:
        while True:
            try:
                async with asyncio.timeout(_KEEPALIVE_SECONDS):
                    entry = await stream.get()
            except TimeoutError:
                await response.write(b": still here\n\n")
                continue
            if entry is None:
                return
            if entry.person == person.id and entry.chat == person.id:
                await _write_event(response, self._describe_event(entry, person))

    def _describe_event(self, entry: DisplayedEvent, person: ScriptedPerson) -> dict[str, Any]:
        message = person.chat.messages.get(entry.message)
        return {
            "kind": entry.kind,
            "text": entry.text,
            "on": entry.message,
            "message": describe_message(message, person.id) if message else None,
            "around": describe_surroundings(self._telegram, person),
        }

    async def _act(self, request: web.Request) -> web.StreamResponse:
        """Do what a person did on the page; the answer has the result."""
        self._check_cookie(request)
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="JSON, please.")
        raw = await _read_body(request)
        try:
            act = json.loads(raw)
            result = self._do_act(act)
        except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
            raise web.HTTPBadRequest(text="This cannot be done.") from None
        return web.json_response({"ok": True, **result}, headers=_HEADERS)

    def _do_act(self, act: dict[str, Any]) -> dict[str, Any]:
        """Do what a person did on the page; raises one of the errors that `_act` catches where it makes no sense."""
        if act["do"] == "join":
            number = max([FIRST_PERSON_ID - 1, *self._telegram.users]) + 1
            language = act["language"] if act["language"] in self.languages else self.language
            name = _check_text(act["name"]).strip()[:64] or _get_name(language, number)
            return {"person": self._telegram.person(number, language=language, name=name).id}
        person = self._person(act["person"])
        if act["do"] == "send":
            person.send(_check_text(act["text"]))
        elif act["do"] == "media":
            person.send_media(_check_text(act["kind"]))
        elif act["do"] == "tap":
            message = person.chat.messages[int(str(act["message"]))]
            person.press(next(data for _, data in message.buttons if data == act["data"]), on=message)
        elif act["do"] == "open":
            message = person.chat.messages[int(str(act["message"]))]
            keys = message.content.markup.buttons if message.content.markup else ()
            page = next(key.page for key in keys if key.page == act["page"] and key.page)
            return {
                "address": mini_apps.build_address(page, self._telegram, person.user, is_dark=bool(act.get("dark")))
            }
        elif act["do"] == "edit":
            message = person.chat.messages[int(str(act["message"]))]
            person.edit(message, _check_text(act["text"]))
        else:
            {"block": person.block, "unblock": person.unblock}[str(act["do"])]()
        return {}

    def _person(self, number: object) -> ScriptedPerson:
        """The person with that id; without an id the first one, who is created if there is none."""
        if number is None:
            first = min(self._telegram.users, default=FIRST_PERSON_ID)
            return self._telegram.person(first, language=self.language, name=_get_name(self.language, first))
        if int(str(number)) not in self._telegram.users:
            raise web.HTTPNotFound(text="There is no such person.")
        return self._telegram.person(int(str(number)))

    def _check_cookie(self, request: web.Request) -> None:
        """Raise HTTPForbidden without the cookie, in three languages: the page does not know the language yet."""
        cookie = request.cookies.get(COOKIE, "")
        if not hmac.compare_digest(cookie.encode(), self._cookie.encode()):
            words = (
                "Потрібна адреса з термінала; вона відкривається раз.",
                "Відкрили в іншому браузері? Продовжуйте там, або зупиніть команду й почніть знову: буде нова адреса.",
                "",
                "The address from the terminal is needed; it opens once.",
                "Opened in another browser? Go on there, or stop the command and start it again: it prints a new one.",
                "",
                "Нужен адрес из терминала; он открывается один раз.",
                "Открыли в другом браузере? Продолжайте там или запустите команду заново: будет новый адрес.",
            )
            raise web.HTTPForbidden(text="\n".join(words), headers=_HEADERS)

    def _queue_event(self, entry: DisplayedEvent) -> None:
        for stream in self._streams:
            stream.put_nowait(entry)


async def _write_event(response: web.StreamResponse, event: dict[str, Any]) -> None:
    await response.write(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n")


def _get_name(language: str, number: int) -> str:
    names = NAMES.get(language, NAMES["en"])
    return names[(number - FIRST_PERSON_ID) % len(names)]


def _check_text(text: object) -> str:
    """The text itself; raises TypeError for anything else, and ValueError for a text that UTF-8 cannot hold."""
    if not isinstance(text, str):
        raise TypeError("Not a text.")
    text.encode()
    return text


async def _read_body(request: web.Request) -> bytes:
    """The body of a request; raises HTTPRequestEntityTooLarge beyond MAX_ACT_BYTES."""
    raw = bytearray()
    async for chunk in request.content.iter_chunked(16_384):
        raw += chunk
        if len(raw) > MAX_ACT_BYTES:
            raise web.HTTPRequestEntityTooLarge(max_size=MAX_ACT_BYTES, actual_size=len(raw))
    return bytes(raw)
