"""The client of the Bot API: the HTTP transport, stored calls and polls, and refusals.

Calls are made from the stored JSON, and updates are returned as JSON, without python-telegram-bot's objects. The HTTP
transport is aiohttp, which takes a third of the processor time of the one that python-telegram-bot has.
"""

from __future__ import annotations

import asyncio
import html
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from sqlmodel import Session
from telegram import Bot, InputFile
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.request import BaseRequest, RequestData

from annotation.store import mailbox
from annotation.store.mailbox import OutboxMessage, ShownAssignment, ShownPrompt
from annotation.workflow.monitoring.bot_waits import WaitReason
from bot.delivery.limits_and_retries import Backoff
from bot.delivery.telegram_payloads import UPDATE_TYPES, build_reply
from bot.delivery.transaction_runner import Measurements, get_update

log = logging.getLogger(__name__)
MAX_CONNECTIONS = 64
"""How many connections to Telegram may be open at once."""
CONNECT_SECONDS, READ_SECONDS, UPLOAD_SECONDS, IDLE_SECONDS = 5.0, 10.0, 60.0, 30.0
"""Timeouts for a connection, a response, the response to an upload, and for closing an idle connection."""
JSON_HEADERS = {"Content-Type": "application/json"}
_DEFAULT = BaseRequest.DEFAULT_NONE
POLL_SECONDS = 25
"""Seconds that Telegram waits for updates before it answers a poll with none."""
FILE_PARAMETERS = {"sendDocument": "document", "sendPhoto": "photo"}
"""The parameters in which methods take an uploaded file."""
METHODS_WITHOUT_CHAT = frozenset({"answerCallbackQuery", "setMyCommands"})
"""Methods whose calls name no chat, or name it in their data."""
POLL_SLACK_SECONDS = 10.0
"""Seconds that the response to a poll may take beyond the time that Telegram was asked to wait."""
MIN_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.5, 60.0
"""Seconds to wait after a failed call, at first and at most; each wait is twice the one before."""
HARMLESS_REFUSALS = (
    "message is not modified", "query is too old", "query id is invalid", "message to edit not found",
    "message can't be edited", "message_id_invalid",
)  # fmt: skip
"""Parts of refusals of an edit or acknowledgement that comes twice or too late, by which nothing is lost."""
CHAT_GONE_REFUSALS = ("chat not found", "user is deactivated", "peer_id_invalid")
"""Parts of refusals that say that nothing can be sent to the chat any more."""
IDEMPOTENT_METHODS = frozenset({"answerCallbackQuery", "editMessageText", "setMyCommands"})
"""Methods whose call can be repeated without another effect."""
SHOWING_REFERENCES = frozenset({"shows", "redraws", "asks"})
"""Keys of a stored call whose result says what is on the screen now."""
_TAG = re.compile(r"<[^>]*>")


class CallNotSent(NetworkError):
    """There was no connection, so the call had no effect and can be repeated."""


def explain_failure(failure: TelegramError) -> tuple[WaitReason, float | None]:
    """Why a call failed that would have brought updates, and for how many seconds Telegram asks to wait, if it does."""
    match failure:
        case RetryAfter():
            pause = failure.retry_after
            return WaitReason.TOLD_TO_WAIT, pause.total_seconds() if isinstance(pause, timedelta) else float(pause)
        case Conflict():
            return WaitReason.OTHER_PROGRAM, None
        case CallNotSent():
            return WaitReason.UNREACHABLE, None
        case TimedOut():
            return WaitReason.NO_ANSWER, None
    return WaitReason.ERRORS, None


class AiohttpRequest(BaseRequest):
    """python-telegram-bot's request interface over aiohttp, with one pool of connections."""

    def __init__(
        self,
        *,
        connections: int = MAX_CONNECTIONS,
        read_seconds: float = READ_SECONDS,
        measurements: Measurements | None = None,
    ) -> None:
        self._connections, self._read_seconds = connections, read_seconds
        self._measurements = measurements or Measurements()
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}

    @property
    def read_timeout(self) -> float | None:
        """Seconds that a response may take."""
        return self._read_seconds

    async def initialize(self) -> None:
        """Open the pool of connections."""
        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=IDLE_SECONDS)
            headers = {"User-Agent": self.USER_AGENT}
            self._session = aiohttp.ClientSession(connector=connector, headers=headers)
            self._proxies.clear()

    async def shutdown(self) -> None:
        """Close the pool of connections."""
        if self._session is not None:
            await self._session.close()

    async def do_request(self, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        """Make a request and count how it ends; the status and the body of the response.

        Raises CallNotSent without a connection, TimedOut or another NetworkError where the effect is unknown.
        """
        try:
            status, body = await self._do_request(*arguments, **options)
        except NetworkError as failure:
            self._measurements.count_error("telegram", type(failure).__name__)
            raise
        self._measurements.note_response(status)
        return status, body

    async def _do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = _DEFAULT,
        write_timeout: Any = _DEFAULT,  # noqa: ARG002
        connect_timeout: Any = _DEFAULT,
        pool_timeout: Any = _DEFAULT,  # noqa: ARG002
    ) -> tuple[int, bytes]:
        if self._session is None:
            raise RuntimeError("The pool of connections is not open.")
        files = request_data.multipart_data if request_data else None
        read = (UPLOAD_SECONDS if files else self._read_seconds) if read_timeout is _DEFAULT else read_timeout
        connect = CONNECT_SECONDS if connect_timeout is _DEFAULT else connect_timeout
        timeout = aiohttp.ClientTimeout(total=None, connect=connect, sock_connect=connect, sock_read=read)
        body, proxy = _build_body(request_data), self._find_proxy(url)
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

    def _find_proxy(self, url: str) -> str | None:
        """The proxy of the environment for this URL, looked up once per server."""
        scheme, host, *_ = urlsplit(url)
        if host not in self._proxies:
            self._proxies[host] = None if proxy_bypass(host) else getproxies().get(scheme)
        return self._proxies[host]


def _build_body(request_data: RequestData | None) -> aiohttp.FormData | bytes | None:
    """The body of a request: JSON with unescaped Cyrillic letters, or a form where a file is uploaded."""
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


@dataclass(frozen=True)
class CallData:
    """The parameters and files of a call, with the attributes of RequestData that transports read.

    How a RequestData is made is no part of python-telegram-bot's public interface.
    """

    parameters: Mapping[str, Any]
    multipart_data: Mapping[str, Any]

    @property
    def json_parameters(self) -> dict[str, str]:
        """The parameters as texts, as a form needs them."""
        return {name: value if isinstance(value, str) else json.dumps(value) for name, value in self.parameters.items()}


class TelegramApi(Bot):
    """python-telegram-bot's Bot, which also makes calls from JSON and returns updates as JSON.

    `poll_request` is the transport for polls, `request` for all other calls.
    """

    def __init__(self, *, token: str, base_url: str, request: BaseRequest, poll_request: BaseRequest) -> None:
        super().__init__(token, base_url=base_url, request=request, get_updates_request=poll_request)
        self._poll_request = poll_request

    async def make_call(self, call: Mapping[str, Any], *, chat_id: int, content: bytes | None = None) -> Any:
        """Make a stored call and return Telegram's result; `content` is the file to upload. Raises TelegramError."""
        data = {name: value for name, value in call["data"].items() if value is not None}
        if call["method"] not in METHODS_WITHOUT_CHAT:
            data["chat_id"] = chat_id
        kind = FILE_PARAMETERS.get(call["method"], "")
        files = {} if content is None else {kind: InputFile(content, filename=data.pop("name")).field_tuple}
        request_data = cast(RequestData, CallData(data, files))
        return await self.request.post(f"{self.base_url}/{call['method']}", request_data)

    async def make_stored_call(self, call: Mapping[str, Any], message: OutboxMessage) -> Any:
        """Make a call of an outbox message and return Telegram's result. Raises TelegramError."""
        return await self.make_call(call, chat_id=message.chat_id, content=message.content)

    async def poll_updates(self, *, offset: int | None) -> Sequence[Mapping[str, Any]]:
        """The next updates, once there are any, or none after POLL_SECONDS. Raises TelegramError.

        Updates with ids below `offset` are confirmed, so that Telegram does not send them again. What has no id is no
        update, and left out; where nothing else came, that is an error.
        """
        data = {"timeout": POLL_SECONDS, "allowed_updates": list(UPDATE_TYPES), "limit": 100}
        request_data = cast(RequestData, CallData(data if offset is None else data | {"offset": offset}, {}))
        updates = await self._poll_request.post(
            f"{self.base_url}/getUpdates", request_data, read_timeout=POLL_SECONDS + POLL_SLACK_SECONDS
        )
        found = [one for one in updates if _has_id(one)] if isinstance(updates, list) else []
        if updates and not found:
            raise NetworkError("The answer to a poll has no update.")
        return found


def _has_id(update: Any) -> bool:
    return isinstance(update, dict) and isinstance(update.get("update_id"), int)


Shown = ShownAssignment | ShownPrompt


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """That an outbox message was sent to this chat, and what it shows there."""

    message_id: int
    chat_id: int
    shown: Sequence[Shown] = ()


@dataclass(frozen=True)
class ReceiptBatch:
    """The receipts that one transaction saves."""

    receipts: Sequence[Receipt] = ()

    def save(self, session: Session) -> None:
        """Delete the outbox messages that were sent, and store which Telegram messages show and ask what."""
        mailbox.delete_messages(session, [receipt.message_id for receipt in self.receipts])
        mailbox.store_shown(session, [shown for receipt in self.receipts for shown in receipt.shown])


@dataclass
class InFlightMessage:
    """An outbox message that this process sends, and how far it is.

    `n_calls` of its calls were made or set aside; `set_aside` are those that cannot be made, `reason` is why the first
    of them cannot. `made` are those that show or ask something, with their results, and `sent_ids` the messages that
    were sent, by the number of the call. `begun`: some of its calls were
    made, or may have been. `unsent`: the call that failed was never sent. `attempts` counts the failures of the current
    call that are its own. `dropped`: this process no longer sends it; where its row was deleted, another message may
    have its id now. `update` is the number of the update that it answers, None for others.
    """

    message: OutboxMessage
    n_calls: int = 0
    made: list[tuple[Mapping[str, Any], Any]] = field(default_factory=list)
    sent_ids: dict[int, int] = field(default_factory=dict)
    set_aside: list[Mapping[str, Any]] = field(default_factory=list)
    reason: str = ""
    begun: bool = False
    unsent: bool = False
    attempts: int = 0
    dropped: bool = False
    update: int | None = field(default_factory=get_update)
    backoff: Backoff = field(default_factory=lambda: Backoff(first=MIN_RETRY_SECONDS, longest=MAX_RETRY_SECONDS))

    @property
    def has_pictures(self) -> bool:
        """Whether some calls send pictures that are stored apart."""
        return any("picture" in call for call in self.message.calls)

    def list_shown(self, *, at: datetime) -> list[ShownAssignment | ShownPrompt]:
        """What the calls that were made show and ask; `at` is when they were made, by this process's clock."""
        return [shown for call, result in self.made if (shown := _describe_shown(call, result, at=at)) is not None]

    def add_reply(self, call: Mapping[str, Any]) -> Mapping[str, Any]:
        """The current call, as a reply to the message that a call so many before it sent, where it names one."""
        message_id = self.sent_ids.get(self.n_calls - call["above"]) if "above" in call else None
        reply = {} if message_id is None else {"reply_parameters": build_reply(message_id)}
        return {**call, "data": call["data"] | reply}

    def set_call_aside(self, reason: str) -> None:
        """Go on with the next call, as the current one cannot be made."""
        call = self.message.calls[self.n_calls]
        self.set_aside.append(call)
        self.reason = self.reason or f"{call['method']}: {_mask_numbers(reason)}"
        self.n_calls += 1
        self.attempts = 0
        self.backoff.reset()


def _describe_shown(call: Mapping[str, Any], result: Any, *, at: datetime) -> ShownAssignment | ShownPrompt | None:
    """What a call with a reference shows or asks now; None for a message that is not there.

    Telegram's times are whole seconds, so an edit counts from the next one on.
    """
    sent = result if isinstance(result, dict) else {}
    if "redraws" in call and result is not None:
        edited = datetime.fromtimestamp(sent["edit_date"], UTC) if "edit_date" in sent else at
        message_id, since = call["data"]["message_id"], edited + timedelta(seconds=1)
        return ShownAssignment(
            assignment_id=call["redraws"], message_id=message_id, at=at, asks_since=since, redrawn=True
        )
    if not {"message_id", "date"} <= sent.keys():
        return None
    if "asks" in call:
        annotator_id, update_id = call["asks"]
        return ShownPrompt(annotator_id=annotator_id, update_id=update_id, message_id=sent["message_id"])
    since = datetime.fromtimestamp(sent["date"], UTC)
    return ShownAssignment(assignment_id=call["shows"], message_id=sent["message_id"], at=at, asks_since=since)


MakeCall = Callable[[Mapping[str, Any], OutboxMessage], Awaitable[Any]]
"""Makes a stored call of an outbox message."""


async def make_calls(make_call: MakeCall, in_flight: InFlightMessage) -> None:
    """Make the remaining calls of an outbox message; those that Telegram refuses are set aside.

    Raises TelegramError for the first that fails otherwise.
    """
    message, in_flight.unsent = in_flight.message, False
    for call in message.calls[in_flight.n_calls :]:
        try:
            result = await _make_call(make_call, in_flight.add_reply(call), message)
        except CallNotSent:
            in_flight.unsent = True
            raise
        except BadRequest as refusal:
            in_flight.set_call_aside(str(refusal))
            continue
        if isinstance(result, dict) and "message_id" in result:
            in_flight.sent_ids[in_flight.n_calls] = result["message_id"]
        in_flight.n_calls += 1
        if not SHOWING_REFERENCES.isdisjoint(call):
            in_flight.made.append((call, result))


async def _make_call(make_call: MakeCall, call: Mapping[str, Any], message: OutboxMessage) -> Any:
    """Make a call; an idempotent call is repeated once, a moment later, where its response was lost."""
    try:
        return await _make_call_once(make_call, call, message)
    except (BadRequest, Forbidden, ChatMigrated, CallNotSent):
        raise
    except (TimedOut, NetworkError):
        if call["method"] not in IDEMPOTENT_METHODS:
            raise
        await asyncio.sleep(0.1)
        return await _make_call_once(make_call, call, message)


async def _make_call_once(make_call: MakeCall, call: Mapping[str, Any], message: OutboxMessage) -> Any:
    """Make a call without repeating it. Raises Forbidden where the chat is gone, BadRequest for other refusals.

    Harmless refusals count as success, with True for an edit that was made before. A text whose HTML is not valid is
    sent as plain text.
    """
    try:
        return await make_call(call, message)
    except BadRequest as failure:
        text = str(failure).lower()
        if any(refusal in text for refusal in HARMLESS_REFUSALS):
            return "not modified" in text or None
        if any(refusal in text for refusal in CHAT_GONE_REFUSALS):
            raise Forbidden(str(failure)) from failure
        if "can't parse entities" not in text or "parse_mode" not in call["data"]:
            raise
    log.error("A message is not valid HTML; it is sent as plain text.")
    return await _make_call_once(make_call, _strip_markup(call), message)


def _strip_markup(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """The call with its HTML text as plain text."""
    data = {name: value for name, value in call["data"].items() if name != "parse_mode"}
    return {**call, "data": data | {"text": html.unescape(_TAG.sub("", data["text"]))}}


def _mask_numbers(text: str) -> str:
    """The text without long numbers, which could be ids of people."""
    return re.sub(r"-?\d{5,}", "…", text)
