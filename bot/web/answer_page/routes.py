"""The HTTP routes of the answer page: its files, sessions, the item to answer, drafts, and taps.

A tap is handled as one in the chat is, in one transaction with the messages that follow it there, and what the page
shows next is read in the same transaction; it is acknowledged after the commit.
"""

from __future__ import annotations

import asyncio
import contextlib
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
from annotation.vocabulary import FIRST_PAGE_ID
from annotation.workflow import assignments
from annotation.workflow.annotators import invitations, page_accounts
from annotation.workflow.annotators.registration import UnknownAnnotator
from bot.conversation import answer_page, notifications, update_handler
from bot.conversation.answer_page import DraftConflict, PageDraft
from bot.conversation.picture_addresses import PICTURE_PATH, is_picture_address
from bot.conversation.texts import get_texts, match_language
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import IncomingUpdate, TapAcknowledgement
from bot.conversation.views.answer_page import list_words
from bot.delivery import silent_connections
from bot.delivery.limits_and_retries import FloodLimit
from bot.delivery.workers import Workers
from bot.web.answer_page import screens
from bot.web.answer_page.address import PAGE_PATH
from bot.web.answer_page.cookies import COOKIE, REMEMBERED_SECONDS, make_cookie_secret
from bot.web.answer_page.init_data import BadInitData, verify_user_id
from bot.web.answer_page.sessions import SESSION_SECONDS, BadSession, make_session, read_session

log = logging.getLogger(__name__)
_FOLDER = Path(__file__).parent / "page"
ASSETS = {
    "page.css": "text/css",
    "icon.svg": "image/svg+xml",
    **dict.fromkeys(
        ("page.js", "bridge.js", "accounts.js", "drafts.js", "spans.js", "sides.js", "pictures.js", "markdown.js",
         "corrections.js"),
        "text/javascript",
    ),
}  # fmt: skip
"""The files of the page, with their types."""
CODES_A_MINUTE = 60
"""How many codes strangers may show in a minute, all together: of invitations and of page_accounts."""
MAX_INVITATION = 64
"""The longest code of an invitation that is read."""


class _NotInvited(Exception):
    """The code of an invitation is refused; the argument is a sentence for the person."""


@dataclass(frozen=True, kw_only=True)
class AnswerPage:
    """The answer page of some bots: the token and the workers of each. `url` is its public address.

    Pages of the origins `frames` may show it in a frame. People without Telegram belong to the first bot; `strangers`
    limits how often somebody unknown may show a code.
    """

    workers: Sequence[tuple[str, Workers]] = field(repr=False)
    url: str
    frames: Sequence[str]
    strangers: FloodLimit = field(default_factory=lambda: FloodLimit(CODES_A_MINUTE))

    def list_routes(self) -> list[web.RouteDef]:
        """All routes, below PAGE_PATH."""
        routes = {
            "session": ("POST", self._open_session),
            "work": ("GET", self._send_work),
            "draft": ("PUT", self._save_draft),
            "tap": ("POST", self._tap),
            "join": ("POST", self._join),
            "recover": ("POST", self._recover),
            "say": ("POST", self._say),
            "code": ("GET", self._send_code),
            "leave": ("POST", self._leave),
        }
        return [
            web.get(PAGE_PATH, self._guard(self._send_page)),
            *(web.route(method, f"{PAGE_PATH}{name}", self._guard(do)) for name, (method, do) in routes.items()),
            web.get(f"{PAGE_PATH}{{name}}", self._guard(self._send_asset)),
            web.get(
                f"{PAGE_PATH}{PICTURE_PATH}/{{assignment}}/{{until}}/{{signature}}/{{name}}",
                self._guard(self._send_picture),
            ),
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
        """The handler, with the page's headers on every response; requests of other sites get 403.

        Responses are compressed if the browser takes that. Their length says nothing to other sites, whose requests
        come without the session.
        """

        async def guarded(request: web.Request) -> web.Response:
            try:
                if request.method != "GET":
                    self._refuse_other_sites(request)
                response = await handler(request)
            except web.HTTPException as failure:
                failure.headers.update(self._headers)
                failure.enable_compression()
                raise
            response.headers.update(self._headers)
            if not response.content_type.startswith("image/"):
                response.enable_compression()  # an item is mostly its texts, and phones are on slow networks
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
        language = match_language(request.query.get("l") or request.headers.get("Accept-Language", "")[:2])
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

    async def _send_picture(self, request: web.Request) -> web.Response:
        """A picture by its signed address; 404 for any other, and once the item is out of the annotator's hands."""
        parts, workers = request.match_info, self.workers[0][1]
        name, assignment, now = parts["name"], parts["assignment"], workers.runner.clock()
        until, signature = parts["until"], parts["signature"]
        if not is_picture_address(
            name, assignment_id=assignment, until=until, signature=signature, key=self._key, now=now
        ):
            raise web.HTTPNotFound(text="{}")

        def find(session: Session) -> tuple[bytes, str] | None:
            found = assignments.find_assigned_picture(session, assignment_id=int(assignment), name=name)
            return None if found is None else (found.content, found.media_type)

        picture = await _run(workers, 0, find)
        if picture is None:
            raise web.HTTPNotFound(text="{}")
        return web.Response(body=picture[0], content_type=picture[1])

    async def _open_session(self, request: web.Request) -> web.Response:
        """Exchange fresh initData of one of the bots for a session and the item to answer now; 403 for any other.

        The item comes along, if the person is known, as a request more is a long wait on a slow network.
        """
        sent = await _read_json(request)
        init_data, assignment_id = sent.get("init_data"), _parse_assignment(str(sent.get("assignment", "")))
        for token, workers in self.workers if isinstance(init_data, str) else ():
            now = workers.runner.clock().timestamp()
            try:
                user_id = verify_user_id(str(init_data), token, now=now)
            except BadInitData:
                continue
            opened = {"token": make_session(user_id, token, now=now)}
            with contextlib.suppress(web.HTTPUnauthorized):
                return web.json_response(opened | await self._read_work(workers, user_id, assignment_id))
            return web.json_response(opened)
        return web.json_response({}, status=403)

    async def _join(self, request: web.Request) -> web.Response:
        """Make an account by the code of an invitation, and a cookie; 403 with the reason if the code is refused."""
        sent = await _read_json(request)
        code, language = sent.get("code"), sent.get("language")
        if not isinstance(code, str) or not isinstance(language, str):
            raise web.HTTPBadRequest(text="{}")
        workers = self._admit_stranger()
        account_id, now = page_accounts.make_account_id(), workers.runner.clock()
        text = f"/start {code[:MAX_INVITATION]}"
        incoming = update_handler.build_page_text(account_id, now=now, text=text, screen=0, language=language)

        def join(session: Session) -> tuple[dict[str, Any], Sequence[OutboxMessage]]:
            refusal = invitations.find_refusal(session, code=code, now=now)
            if refusal is not None:
                raise _NotInvited(answer_page.explain_refusal(refusal, language))
            return self._handle(session, workers, incoming, assignment_id=0, registers=True)

        answer, messages = await _run(workers, account_id, join)
        workers.sender.send(messages)
        response = web.json_response(answer | {"code": page_accounts.make_code(account_id, self._key)})
        self._set_cookie(response, account_id, is_remembered=sent.get("remember") is True)
        return response

    async def _recover(self, request: web.Request) -> web.Response:
        """Make a cookie by the personal code of an account; 403 for any other code, and for an erased account."""
        sent = await _read_json(request)
        workers = self._admit_stranger()
        try:
            account_id = page_accounts.read_code(str(sent.get("code")), self._key)
        except page_accounts.BadCode:
            return web.json_response({}, status=403)

        def is_known(session: Session) -> bool:
            now, settings = workers.runner.clock(), workers.settings.conversation
            return update_handler.open_page(session, telegram_id=account_id, now=now, settings=settings) is not None

        if not await _run(workers, account_id, is_known):
            return web.json_response({}, status=403)
        response = web.json_response({})
        self._set_cookie(response, account_id, is_remembered=sent.get("remember") is True)
        return response

    async def _leave(self, request: web.Request) -> web.Response:
        """Let this device forget the account."""
        await _read_json(request)
        response = web.json_response({})
        response.del_cookie(COOKIE, path=PAGE_PATH)
        return response

    async def _send_code(self, request: web.Request) -> web.Response:
        """The personal code of the account whose session it is."""
        user_id, _ = self._read_session(request)
        if user_id < FIRST_PAGE_ID:
            raise web.HTTPNotFound(text="{}")
        return web.json_response({"code": page_accounts.make_code(user_id, self._key)})

    def _admit_stranger(self) -> Workers:
        """The workers of the bot that has the people without Telegram; raises HTTPTooManyRequests above the limit."""
        workers = self.workers[0][1]
        note = update_handler.build_page_tap(0, now=workers.runner.clock())
        if self.strangers.admit_update(note) is not note:
            raise web.HTTPTooManyRequests(text="{}", headers={"Retry-After": "60"})
        return workers

    @property
    def _key(self) -> bytes:
        return self.workers[0][1].settings.conversation.key

    def _set_cookie(self, response: web.Response, account_id: int, *, is_remembered: bool) -> None:
        now = self.workers[0][1].runner.clock().timestamp()
        seconds = REMEMBERED_SECONDS if is_remembered else SESSION_SECONDS
        response.set_cookie(
            COOKIE,
            make_session(account_id, make_cookie_secret(self._key), now=now, seconds=seconds),
            max_age=seconds if is_remembered else None,
            path=PAGE_PATH,
            secure=urlsplit(self.url).scheme == "https",
            httponly=True,
            samesite="Lax",
        )

    async def _send_work(self, request: web.Request) -> web.Response:
        """The item to answer now."""
        user_id, workers = self._read_session(request)
        return web.json_response(await self._read_work(workers, user_id, _parse_assignment(request.query.get("a", ""))))

    async def _save_draft(self, request: web.Request) -> web.Response:
        """Store a draft: 409 with the stored one where another device has stored a newer, 410 where none is awaited."""

        user_id, workers = self._read_session(request)
        sent = await _read_json(request)

        def save(context: UpdateContext) -> dict[str, Any]:
            return {"version": answer_page.save_draft(context, _parse_draft(sent))}

        return web.json_response(await self._answer(workers, user_id, save))

    async def _tap(self, request: web.Request) -> web.Response:
        """Do what a button does, with what was entered; says what is to be answered then."""
        sent = await _read_json(request)
        user_id, workers = self._read_session(request)
        data, entered = sent.get("data"), sent.get("entered")
        if not isinstance(data, str) or len(data.encode(errors="replace")) > 64:
            raise web.HTTPBadRequest(text="{}")
        incoming = update_handler.build_page_tap(user_id, now=workers.runner.clock(), data=data, entered=entered)
        return await self._handle_update(workers, incoming, assignment_id=answer_page.find_assignment(data))

    async def _say(self, request: web.Request) -> web.Response:
        """Take a text of somebody without Telegram; says what is to be answered then."""
        sent = await _read_json(request)
        user_id, workers = self._read_session(request)
        text, screen = sent.get("text"), sent.get("screen")
        if type(screen) is not int or not 0 <= screen <= screens.MAX_SCREEN:
            raise web.HTTPBadRequest(text="{}")
        if user_id < FIRST_PAGE_ID or not isinstance(text, str):
            raise web.HTTPBadRequest(text="{}")
        incoming = update_handler.build_page_text(user_id, now=workers.runner.clock(), text=text, screen=screen)
        return await self._handle_update(workers, incoming, assignment_id=0)

    async def _handle_update(self, workers: Workers, incoming: IncomingUpdate, *, assignment_id: int) -> web.Response:
        """Handle what somebody known does; 429 where it is too much."""
        if workers.flood_limit.admit_update(incoming) is not incoming:
            raise web.HTTPTooManyRequests(text="{}", headers={"Retry-After": "10"})

        def handle(session: Session) -> tuple[dict[str, Any], Sequence[OutboxMessage]]:
            return self._handle(session, workers, incoming, assignment_id=assignment_id)

        answer, messages = await _run(workers, incoming.telegram_id, handle)
        workers.sender.send(messages)
        response = web.json_response(answer)
        if answer.get("is_gone"):
            response.del_cookie(COOKIE, path=PAGE_PATH)
        return response

    def _handle(
        self,
        session: Session,
        workers: Workers,
        incoming: IncomingUpdate,
        *,
        assignment_id: int,
        registers: bool = False,
    ) -> tuple[dict[str, Any], Sequence[OutboxMessage]]:
        """Handle an update; what the page shows then, and the messages to send."""
        user_id, now, settings = incoming.telegram_id, incoming.at, workers.settings.conversation
        calls, context = update_handler.handle_page_update(
            session, incoming, now=now, settings=settings, registers=registers
        )
        kept = tuple(call for call in calls if not isinstance(call, TapAcknowledgement))
        messages = workers.store_calls(session, kept, incoming)
        if context is None:
            work: dict[str, Any] = {"item": None, "draft": None, "is_gone": True}
        else:
            work = answer_page.describe_work(context, assignment_id)
        if user_id >= FIRST_PAGE_ID:
            answers = notifications.deliver_organiser_answers(session, now=now, telegram_id=user_id)
            after = 0 if context is None else context.state.asked_in or 0
            told = screens.show_calls(
                session,
                [*answers, *calls],
                chat_id=user_id,
                now=now,
                after=after,
                with_item=work["item"] is None,
                key=settings.key,
            )
            work |= told | (answer_page.describe_account(context) if context is not None else {})
        return answer_page.summarise_calls(calls) | work, messages

    async def _read_work(self, workers: Workers, user_id: int, assignment_id: int) -> dict[str, Any]:
        """The item to answer now; raises HTTPUnauthorized for somebody unknown."""

        def describe(context: UpdateContext) -> dict[str, Any]:
            work = answer_page.describe_work(context, assignment_id)
            return work if context.has_telegram else work | answer_page.describe_account(context)

        return await self._answer(workers, user_id, describe)

    async def _answer(
        self, workers: Workers, user_id: int, answer: Callable[[UpdateContext], dict[str, Any]]
    ) -> dict[str, Any]:
        """Answer from somebody's context; raises HTTPUnauthorized for somebody unknown."""

        def run(session: Session) -> dict[str, Any]:
            now, settings = workers.runner.clock(), workers.settings.conversation
            context = update_handler.open_page(session, telegram_id=user_id, now=now, settings=settings)
            if context is None:
                raise UnknownAnnotator
            return answer(context)

        found: dict[str, Any] = await _run(workers, user_id, run)
        return found

    def _read_session(self, request: web.Request) -> tuple[int, Workers]:
        """Whose request it is, by a token or a cookie, and the workers of their bot; raises HTTPUnauthorized."""
        scheme, _, session = request.headers.get("Authorization", "").partition(" ")
        if not scheme and COOKIE in request.cookies:
            workers, secret = self.workers[0][1], make_cookie_secret(self._key)
            now = workers.runner.clock().timestamp()
            with contextlib.suppress(BadSession):
                return read_session(request.cookies[COOKIE], secret, now=now), workers
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
        except (Stale, BadInput, DraftConflict, UnknownAnnotator, _NotInvited) as refused:
            return refused  # receipts of messages are kept

    if workers.waits_for_recovery:
        raise web.HTTPServiceUnavailable(text="{}", headers={"Retry-After": "1"})
    try:
        result = await workers.run_for_user(user_id, attempt)
    except HromadaError as failure:
        if not isinstance(failure, Unavailable):
            log.warning("The answer page refuses a request for now: %s", type(failure).__name__)
        raise web.HTTPServiceUnavailable(text="{}", headers={"Retry-After": "1"}) from None
    if isinstance(result, _NotInvited):
        raise web.HTTPForbidden(text=json.dumps({"toast": str(result)}), content_type="application/json")
    if isinstance(result, DraftConflict):
        raise web.HTTPConflict(text=json.dumps({"draft": result.stored}), content_type="application/json")
    for kind, status in _REFUSALS.items():
        if isinstance(result, kind):
            raise status(text="{}")
    return result


_REFUSALS: dict[type[Exception], type[web.HTTPClientError]] = {
    UnknownAnnotator: web.HTTPUnauthorized,
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


def _parse_assignment(written: str) -> int:
    """The id of an assignment in an address; 0 for anything else."""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else 0


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
