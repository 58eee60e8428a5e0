"""The client of the Bot API: the HTTP transport, stored calls and polls, refusals, and the profile of the bot.

Calls are made as they were stored and updates returned as they come, without python-telegram-bot's objects. The
transport is aiohttp, which takes a third of the processor time of python-telegram-bot's own.
"""

from __future__ import annotations

import asyncio
import html
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from telegram import Bot, BotCommand, InputFile
from telegram.error import BadRequest, ChatMigrated, Forbidden, NetworkError, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData
from telegram.request._requestparameter import RequestParameter

from annotation.store.outbox import OutboxMessage, ShownAssignment
from bot.conversation.updates_and_calls import BotProfile
from bot.delivery.telegram_payloads import UPDATE_TYPES

log = logging.getLogger(__name__)
MAX_CONNECTIONS = 64
CONNECT_SECONDS, READ_SECONDS, UPLOAD_SECONDS, IDLE_SECONDS = 5.0, 10.0, 60.0, 30.0
"""Timeouts for a connection, a response, the response to an upload, and for closing an idle connection."""
JSON_HEADERS = {"Content-Type": "application/json"}
_DEFAULT = BaseRequest.DEFAULT_NONE
POLL_SECONDS = 25
METHODS_WITHOUT_CHAT = frozenset({"answerCallbackQuery", "setMyCommands"})
"""Methods whose calls name no chat, or name it in their data."""
POLL_SLACK_SECONDS = 10.0
"""Seconds that a poll may take beyond its own timeout."""
HARMLESS_REFUSALS = (
    "message is not modified", "query is too old", "query id is invalid", "message to edit not found",
    "message can't be edited", "message_id_invalid",
)  # fmt: skip
"""Answers to an edit or acknowledgement that comes twice or too late: nothing is lost."""
CHAT_GONE_REFUSALS = ("chat not found", "user is deactivated", "peer_id_invalid")
IDEMPOTENT_METHODS = frozenset({"answerCallbackQuery", "editMessageText", "setMyCommands"})
_TAG = re.compile(r"<[^>]*>")


class CallNotSent(NetworkError):
    """There was no connection, so the call had no effect and may be repeated."""


class AiohttpRequest(BaseRequest):
    """python-telegram-bot's request interface over aiohttp, with one pool of connections."""

    def __init__(self, *, connections: int = MAX_CONNECTIONS, read: float = READ_SECONDS) -> None:
        self._connections, self._read = connections, read
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}

    @property
    def read_timeout(self) -> float | None:
        """Seconds that a response may take."""
        return self._read

    async def initialize(self) -> None:
        """Open the pool; proxies are read from the environment once per server."""
        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=IDLE_SECONDS)
            agent = {"User-Agent": self.USER_AGENT}
            self._session = aiohttp.ClientSession(connector=connector, headers=agent)
            self._proxies.clear()

    async def shutdown(self) -> None:
        """Close the pool."""
        if self._session is not None:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = _DEFAULT,
        write_timeout: Any = _DEFAULT,  # noqa: ARG002
        connect_timeout: Any = _DEFAULT,
        pool_timeout: Any = _DEFAULT,  # noqa: ARG002
    ) -> tuple[int, bytes]:
        """One request; raises TimedOut, CallNotSent, or NetworkError where the effect is unknown."""
        if self._session is None:
            raise RuntimeError("The pool of connections is not open.")
        files = request_data.multipart_data if request_data else None
        read = (UPLOAD_SECONDS if files else self._read) if read_timeout is _DEFAULT else read_timeout
        connect = CONNECT_SECONDS if connect_timeout is _DEFAULT else connect_timeout
        timeout = aiohttp.ClientTimeout(total=None, connect=connect, sock_connect=connect, sock_read=read)
        body, proxy = _build_body(request_data), self._proxy(url)
        headers = JSON_HEADERS if isinstance(body, bytes) else None
        try:
            async with self._session.request(
                method, url, data=body, headers=headers, timeout=timeout, proxy=proxy
            ) as response:
                return response.status, await response.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as failure:
            raise CallNotSent(type(failure).__name__) from failure
        except (TimeoutError, aiohttp.ServerTimeoutError) as failure:
            raise TimedOut from failure
        except (aiohttp.ClientError, OSError) as failure:
            raise NetworkError(type(failure).__name__) from failure

    def _proxy(self, url: str) -> str | None:
        scheme, host, *_ = urlsplit(url)
        if host not in self._proxies:
            self._proxies[host] = None if proxy_bypass(host) else getproxies().get(scheme)
        return self._proxies[host]


def _build_body(request_data: RequestData | None) -> aiohttp.FormData | bytes | None:
    """JSON with unescaped Cyrillic letters; a form where a file is uploaded."""
    if request_data is None:
        return None
    files = request_data.multipart_data
    if not files:
        return json.dumps(request_data.parameters, ensure_ascii=False).encode()
    values = request_data.json_parameters
    form = aiohttp.FormData()
    for name, value in values.items():
        form.add_field(name, value)
    for name, (filename, content, mime) in files.items():
        form.add_field(name, content, filename=filename, content_type=mime)
    return form


class TelegramApi(Bot):
    """python-telegram-bot's Bot with raw calls and polls."""

    def __init__(self, *, token: str, base_url: str, request: BaseRequest, polls: BaseRequest) -> None:
        super().__init__(token, base_url=base_url, request=request, get_updates_request=polls)

    async def make_call(self, call: Mapping[str, Any], *, chat_id: int, content: bytes | None = None) -> Any:
        """Make a stored call; raises TelegramError."""
        data = dict(call["data"])
        if call["method"] not in METHODS_WITHOUT_CHAT:
            data["chat_id"] = chat_id
        if content is not None:
            data["document"] = InputFile(content, filename=data.pop("name"))
            return await self._post(str(call["method"]), data)
        request_data = RequestData([RequestParameter(name, value, None) for name, value in data.items()])
        return await self.request.post(f"{self.base_url}/{call['method']}", request_data)

    async def poll_updates(self, *, offset: int | None, timeout: int = POLL_SECONDS) -> Sequence[Mapping[str, Any]]:
        """The next updates, once there are any; confirms all before `offset`. Raises TelegramError."""
        data = {"timeout": timeout, "allowed_updates": list(UPDATE_TYPES), "limit": 100}
        updates: list[dict[str, Any]] = await self._post(
            "getUpdates",
            data if offset is None else data | {"offset": offset},
            read_timeout=timeout + POLL_SLACK_SECONDS,
        )
        return updates


@dataclass(frozen=True)
class SentItemMessage:
    """A message that shows an assignment."""

    assignment_id: int
    message_id: int

    def at(self, now: datetime) -> ShownAssignment:
        """The row to store for it."""
        return ShownAssignment(assignment_id=self.assignment_id, message_id=self.message_id, at=now)


@dataclass
class CallProgress:
    """The progress of an outbox message: calls made, item messages sent; `unsent`: the next call never left."""

    calls: int = 0
    shown: list[SentItemMessage] = field(default_factory=list)
    unsent: bool = False


async def make_calls(api: TelegramApi, message: OutboxMessage, progress: CallProgress) -> None:
    """Make the remaining calls of an outbox message; raises TelegramError for the first that fails."""
    for call in message.calls[progress.calls :]:
        try:
            result = await _make_call(api, call, message)
        except CallNotSent:
            progress.unsent = True
            raise
        progress.calls += 1
        if "shows" in call and isinstance(result, dict):
            progress.shown.append(SentItemMessage(call["shows"], result["message_id"]))


async def _make_call(api: TelegramApi, call: Mapping[str, Any], message: OutboxMessage) -> Any:
    """One call; an idempotent call is repeated once at once where its response was lost."""
    try:
        return await _make_call_once(api, call, message)
    except (BadRequest, Forbidden, ChatMigrated, CallNotSent):
        raise
    except (TimedOut, NetworkError):
        if call["method"] not in IDEMPOTENT_METHODS:
            raise
        await asyncio.sleep(0.1)
        return await _make_call_once(api, call, message)


async def _make_call_once(api: TelegramApi, call: Mapping[str, Any], message: OutboxMessage) -> Any:
    """One call; harmless refusals count as success, and a chat that is gone raises Forbidden."""
    try:
        return await api.make_call(call, chat_id=message.chat_id, content=message.content)
    except BadRequest as failure:
        text = str(failure).lower()
        if any(refusal in text for refusal in HARMLESS_REFUSALS):
            return None
        if any(refusal in text for refusal in CHAT_GONE_REFUSALS):
            raise Forbidden(str(failure)) from failure
        if "can't parse entities" in text:
            log.error("A message is not valid HTML; it is sent as plain text.")
            return await api.make_call(_strip_markup(call), chat_id=message.chat_id, content=message.content)
        log.error("Telegram refused a call of %s: %s", call["method"], _mask_numbers(str(failure)))
        return None


def _strip_markup(call: Mapping[str, Any]) -> Mapping[str, Any]:
    data = {name: value for name, value in call["data"].items() if name != "parse_mode"}
    return {**call, "data": data | {"text": html.unescape(_TAG.sub("", data["text"]))}}


def _mask_numbers(text: str) -> str:
    """The refusal without long numbers, which could identify somebody."""
    return re.sub(r"-?\d{5,}", "…", text)


async def update_bot_profiles(api: TelegramApi, profiles: Sequence[BotProfile]) -> None:
    """Update profiles that differ: Telegram allows these calls only a few times an hour.

    A failure is logged and left for the next start.
    """
    try:
        for profile in profiles:
            await _update_bot_profile(api, profile)
    except TelegramError as failure:
        log.warning("The profile of the bot could not be updated: %s", type(failure).__name__)


async def _update_bot_profile(api: TelegramApi, profile: BotProfile) -> None:
    code = profile.language or None
    menu = tuple(BotCommand(name, description) for name, description in profile.commands.items())
    if await api.get_my_commands(language_code=code) != menu:
        await api.set_my_commands(menu, language_code=code)
    if (await api.get_my_description(language_code=code)).description != profile.description:
        await api.set_my_description(profile.description, language_code=code)
    if (await api.get_my_short_description(language_code=code)).short_description != profile.about:
        await api.set_my_short_description(profile.about, language_code=code)
