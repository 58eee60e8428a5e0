"""The HTTP routes of the answer page: its files, sessions, the item to answer, drafts, and taps.

A tap is handled as one in the chat is, in one transaction with the messages that follow it there, and what the page
shows next is read in the same transaction; it is acknowledged after the commit.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from sqlmodel import Session

from annotation.errors import BadInput, HromadaError, Stale, Unavailable
from annotation.store.mailbox import OutboxMessage
from bot.conversation import answer_page, update_handler
from bot.conversation.answer_page import DraftConflict, PageDraft
from bot.conversation.texts import get_texts, match_language
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import TapAcknowledgement
from bot.conversation.views.answer_page import list_words
from bot.delivery import silent_connections
from bot.delivery.workers import Workers
from bot.web.answer_page.address import PAGE_PATH
from bot.web.answer_page.init_data import BadInitData, verify_user_id
from bot.web.answer_page.sessions import BadSession, make_session, read_session

log = logging.getLogger(__name__)
_FOLDER = Path(__file__).parent / "page"
ASSETS = {
    "page.css": "text/css", "page.js": "text/javascript", "bridge.js": "text/javascript",
    "drafts.js": "text/javascript", "spans.js": "text/javascript", "corrections.js": "text/javascript",
    "difference.js": "text/javascript",
}  # fmt: skip
"""The files of the page, with their types."""
Answer = Callable[[UpdateContext, dict[str, Any]], dict[str, Any]]


class _NotKnown(Exception):
    """Whose session it is is no annotator here any more."""


@dataclass(frozen=True, kw_only=True)
class AnswerPage:
    """The answer page of some bots: the token and the workers of each. `url` is its public address.

    Pages of the origins `frames` may show it in a frame.
    """

    workers: Sequence[tuple[str, Workers]] = field(repr=False)
    url: str
    frames: Sequence[str]

    def list_routes(self) -> list[web.RouteDef]:
        """All routes, below PAGE_PATH."""
        routes = {
            "session": ("POST", self._open_session),
            "work": ("GET", self._send_work),
            "draft": ("PUT", self._save_draft),
            "tap": ("POST", self._tap),
        }
        return [
            web.get(PAGE_PATH, self._guard(self._send_page)),
            *(web.route(method, f"{PAGE_PATH}{name}", self._guard(do)) for name, (method, do) in routes.items()),
            web.get(f"{PAGE_PATH}{{name}}", self._guard(self._send_asset)),
        ]

    @property
    def _headers(self) -> dict[str, str]:
        return {
            "Content-Security-Policy": (
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                f" base-uri 'none'; form-action 'none'; frame-ancestors {' '.join(self.frames)}"
            ),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }

    def _guard(
        self, handler: Callable[[web.Request], Awaitable[web.Response]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        """The handler, with the page's headers on every response; requests of other sites get 403."""

        async def guarded(request: web.Request) -> web.Response:
            try:
                if request.method != "GET":
                    self._refuse_other_sites(request)
                response = await handler(request)
            except web.HTTPException as failure:
                failure.headers.update(self._headers)
                raise
            response.headers.update(self._headers)
            return response

        return guarded

    def _refuse_other_sites(self, request: web.Request) -> None:
        """Raise HTTPForbidden for what another site's page sends, HTTPUnsupportedMediaType for anything but JSON."""
        origin, own = request.headers.get("Origin"), urlsplit(self.url)
        if origin is not None and origin != f"{own.scheme}://{own.netloc}":
            raise web.HTTPForbidden(text="{}")
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise web.HTTPForbidden(text="{}")
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="{}")

    async def _send_page(self, request: web.Request) -> web.Response:
        language = match_language(request.query.get("l"))
        text = _get_template().render(
            language=language,
            words=list_words(get_texts(language)),
            loading=get_texts(language)("page-loading"),
            frames=" ".join(self.frames),
        )
        return web.Response(text=text, content_type="text/html")

    async def _send_asset(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in ASSETS:
            raise web.HTTPNotFound(text="{}")
        return web.Response(text=_read_asset(name), content_type=ASSETS[name], charset="utf-8")

    async def _open_session(self, request: web.Request) -> web.Response:
        """Exchange fresh initData of one of the bots for a session; 403 for any other."""
        init_data = (await _read_json(request)).get("init_data")
        for token, workers in self.workers if isinstance(init_data, str) else ():
            now = workers.runner.clock().timestamp()
            try:
                user_id = verify_user_id(str(init_data), token, now=now)
            except BadInitData:
                continue
            return web.json_response({"token": make_session(user_id, token, now=now)})
        return web.json_response({}, status=403)

    async def _send_work(self, request: web.Request) -> web.Response:
        """The item to answer now."""
        asked = request.query.get("a", "")
        assignment_id = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 0

        def describe(context: UpdateContext, _: dict[str, Any]) -> dict[str, Any]:
            return answer_page.describe_work(context, assignment_id)

        return await self._answer(request, describe, {})

    async def _save_draft(self, request: web.Request) -> web.Response:
        """Store a draft: 409 with the stored one where another device has stored a newer, 410 where none is awaited."""

        def save(context: UpdateContext, sent: dict[str, Any]) -> dict[str, Any]:
            return {"version": answer_page.save_draft(context, _parse_draft(sent))}

        return await self._answer(request, save, await _read_json(request))

    async def _tap(self, request: web.Request) -> web.Response:
        """Do what a button does, with what was entered; says what is to be answered then."""
        sent = await _read_json(request)
        user_id, workers = self._read_session(request)
        data, entered = sent.get("data"), sent.get("entered")
        if not isinstance(data, str) or len(data.encode(errors="replace")) > 64:
            raise web.HTTPBadRequest(text="{}")

        now = workers.runner.clock()
        incoming = update_handler.build_page_tap(user_id, now=now, data=data, entered=entered)
        if workers.flood_limit.admit_update(incoming) is not incoming:
            raise web.HTTPTooManyRequests(text="{}", headers={"Retry-After": "10"})

        def tap(session: Session) -> tuple[dict[str, Any], Sequence[OutboxMessage]]:
            settings = workers.settings.conversation
            if update_handler.open_page(session, telegram_id=user_id, now=now, settings=settings) is None:
                raise _NotKnown
            calls = update_handler.handle_update(session, incoming, now=now, settings=settings)
            kept = tuple(call for call in calls if not isinstance(call, TapAcknowledgement))
            messages = workers.store_calls(session, kept, incoming)
            context = update_handler.open_page(session, telegram_id=user_id, now=now, settings=settings)
            if context is None:
                return {"item": None, "draft": None}, messages
            work = answer_page.describe_work(context, answer_page.find_assignment(data))
            return answer_page.summarise_calls(calls) | work, messages

        answer, messages = await _run(workers, user_id, tap)
        workers.sender.send(messages)
        return web.json_response(answer)

    async def _answer(self, request: web.Request, answer: Answer, sent: dict[str, Any]) -> web.Response:
        """Answer from the context of whoever's session it is; 401 without a session."""
        user_id, workers = self._read_session(request)

        def run(session: Session) -> dict[str, Any]:
            now, settings = workers.runner.clock(), workers.settings.conversation
            context = update_handler.open_page(session, telegram_id=user_id, now=now, settings=settings)
            if context is None:
                raise _NotKnown
            return answer(context, sent)

        return web.json_response(await _run(workers, user_id, run))

    def _read_session(self, request: web.Request) -> tuple[int, Workers]:
        """Whose request it is, and the workers of their bot; raises HTTPUnauthorized."""
        scheme, _, session = request.headers.get("Authorization", "").partition(" ")
        for token, workers in self.workers if scheme == "Bearer" else ():
            try:
                return read_session(session, token, now=workers.runner.clock().timestamp()), workers
            except BadSession:
                continue
        raise web.HTTPUnauthorized(text="{}")


async def _run(workers: Workers, user_id: int, use_case: Callable[[Session], Any]) -> Any:
    """Run a use-case; raises HTTPUnauthorized, HTTPGone for what is asked no more, HTTPConflict for a draft,
    HTTPBadRequest, and HTTPServiceUnavailable without a database.
    """

    def attempt(session: Session) -> Any:
        try:
            with session.begin_nested():
                return use_case(session)
        except (Stale, BadInput, DraftConflict, _NotKnown) as refused:  # no failure: receipts of messages are kept
            return refused

    try:
        result = await workers.run_for_user(user_id, attempt)
    except HromadaError as failure:
        if not isinstance(failure, Unavailable):
            log.warning("The answer page refuses a request for now: %s", type(failure).__name__)
        raise web.HTTPServiceUnavailable(text="{}", headers={"Retry-After": "1"}) from None
    if isinstance(result, DraftConflict):
        raise web.HTTPConflict(text=json.dumps({"draft": result.stored}), content_type="application/json")
    for kind, status in _REFUSALS.items():
        if isinstance(result, kind):
            raise status(text="{}")
    return result


_REFUSALS: dict[type[Exception], type[web.HTTPClientError]] = {
    _NotKnown: web.HTTPUnauthorized,
    Stale: web.HTTPGone,
    BadInput: web.HTTPBadRequest,
}


async def _read_json(request: web.Request) -> dict[str, Any]:
    """The JSON object of a request; raises HTTPBadRequest, and HTTPRequestTimeout where it does not come whole."""
    try:
        async with asyncio.timeout(silent_connections.REQUEST_SECONDS):
            sent = json.loads(await request.read())
    except (ValueError, RecursionError):
        raise web.HTTPBadRequest(text="{}") from None
    except (OSError, web.RequestPayloadError):  # TimeoutError is an OSError
        raise web.HTTPRequestTimeout(text="{}") from None
    if not isinstance(sent, dict):
        raise web.HTTPBadRequest(text="{}")
    return sent


_DRAFT_TYPES = {"assignment": int, "revision": int, "question": str, "base": int, "device": str, "seq": int}


def _parse_draft(sent: dict[str, Any]) -> PageDraft:
    """The draft that the page sends; raises BadInput."""
    are_sound = all(type(sent.get(name)) is kind for name, kind in _DRAFT_TYPES.items())
    if not are_sound or len(json.dumps(sent)) > answer_page.MAX_DRAFT_CHARACTERS or "\\u0000" in json.dumps(sent):
        raise BadInput("This is not a draft.")
    return PageDraft(
        assignment_id=sent["assignment"],
        value=sent.get("value"),
        **{name: sent[name] for name in _DRAFT_TYPES if name != "assignment"},
    )


@cache
def _read_asset(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


@cache
def _get_template() -> Any:
    """The template of the page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # slow to import

    environment = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined)
    return environment.get_template("page.html")
