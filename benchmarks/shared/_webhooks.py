"""Webhooks of the local Telegram: the methods that set one, and the sender that brings updates to it."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import aiohttp
from telegram.error import TimedOut

from bot.emulator.calls import Call, bad_request
from bot.emulator.updates import UPDATE_KINDS, QueuedUpdate

if TYPE_CHECKING:
    from _faulty_telegram import FaultyTelegram

MAX_DELAY, MAX_RETRY_AFTER = 60.0, 3600.0
_ANSWER_SECONDS = 60.0
_MAX_DOUBLINGS = 10
_FORBIDDEN = ("get", "setwebhook", "deletewebhook", "close", "logout")
"""Beginnings of the methods that cannot be called in the answer to an update."""
_TAP_LANES = 3 << 33
"""Added to a person's id for the lane of their taps; messages have a lane of their own."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_WEBHOOK_SET = "Conflict: terminated by setWebhook request"


class NoAnswer(TimedOut):
    """The connection gives no answer, so that the caller cannot know whether the call took effect."""


@dataclass(frozen=True)
class Webhook:
    """The address to which updates are sent, the secret sent with them, and the number of connections."""

    url: str
    secret: str = ""
    connections: int = 40


@dataclass
class _Retry:
    """The attempts to send an update so far, and the time of the next."""

    tries: int = 0
    due: float = 0.0


def set_webhook(telegram: FaultyTelegram, call: Call) -> Any:
    """Send updates to an address from now on; an empty address ends this."""
    url, secret = call.text("url"), call.text("secret_token")
    if secret and not re.fullmatch(r"[A-Za-z0-9_\-]{1,256}", secret):
        raise bad_request("secret token contains unallowed characters")
    if url and _parse_host(url) not in _LOOPBACK:
        raise bad_request("bad webhook: the local Telegram sends to loopback addresses only")
    connections = call.number("max_connections", 40)
    if not 1 <= connections <= 100:
        raise bad_request("bad webhook: max_connections must be between 1 and 100")
    _drop_pending(telegram, call)
    if call.values.get("allowed_updates") is not None:
        telegram.queue.allow(call.rows("allowed_updates"))
    telegram.webhook, telegram.webhook_error = (Webhook(url, secret, connections) if url else None), None
    if url:
        telegram.long_poll.end(_WEBHOOK_SET)
    for notify in tuple(telegram.queue.on_arrival):
        notify()
    return True


def delete_webhook(telegram: FaultyTelegram, call: Call) -> Any:
    """Remove the webhook, so that updates can be polled."""
    _drop_pending(telegram, call)
    telegram.webhook = None
    return True


def get_webhook_info(telegram: FaultyTelegram, _: Call) -> Any:
    """The address of the webhook, the number of waiting updates, and the last error."""
    telegram.queue.expire(telegram.clock())
    hook = telegram.webhook
    info: dict[str, Any] = {"url": hook.url if hook else "", "has_custom_certificate": False}
    info["pending_update_count"] = len(telegram.queue.waiting)
    if hook is not None:
        info |= {"max_connections": hook.connections, "ip_address": "127.0.0.1"}
        if telegram.queue.allowed != UPDATE_KINDS:
            info["allowed_updates"] = sorted(telegram.queue.allowed)
    if hook is not None and telegram.webhook_error is not None:
        info |= {"last_error_date": int(telegram.webhook_error[1]), "last_error_message": telegram.webhook_error[0]}
    return info


def _parse_host(url: str) -> str | None:
    """The host of an HTTP address, None for other addresses."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in {"http", "https"} else None


def _drop_pending(telegram: FaultyTelegram, call: Call) -> None:
    if call.flag("drop_pending_updates"):
        telegram.queue.waiting.clear()


WEBHOOK_METHODS: dict[str, Callable[[Any, Call], Any]] = {
    method.__name__.replace("_", ""): method for method in (set_webhook, delete_webhook, get_webhook_info)
}
"""The methods by their names in lower case; each takes a `FaultyTelegram`."""


class WebhookSender:
    """Sends the updates of one local Telegram to its webhook."""

    def __init__(self, telegram: FaultyTelegram) -> None:
        self._telegram = telegram
        self._wake = asyncio.Event()
        self._lanes: dict[int, asyncio.Task[None]] = {}
        self._retries: defaultdict[int, _Retry] = defaultdict(_Retry)
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
                async with asyncio.timeout(wait):  # wait_for of Python 3.11 loses a cancellation at the same moment
                    await self._wake.wait()
            except TimeoutError:
                continue

    def _dispatch(self) -> float | None:
        """Send the updates that are due; returns the seconds until the next one is, None where none waits."""
        hook, now = self._telegram.webhook, self._telegram.clock()
        if hook is None:
            return None
        first: dict[int, QueuedUpdate] = {}
        for update in self._telegram.queue.list_waiting(now):
            first.setdefault(_find_lane(update), update)
        waits = []
        for lane, update in first.items():
            if lane in self._lanes:
                continue
            due = self._retries[update.id].due
            if due <= now and len(self._lanes) < hook.connections:
                self._lanes[lane] = asyncio.create_task(self._send_in_lane(hook, lane, update))
            else:
                waits.append(max(0.01, due - now))
        return min(waits, default=None)

    async def _send_in_lane(self, hook: Webhook, lane: int, update: QueuedUpdate) -> None:
        try:
            await self._send(hook, update)
        finally:
            del self._lanes[lane]
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
        telegram, retry = self._telegram, self._retries[update.id]
        delay = min(retry_after, MAX_RETRY_AFTER) or (
            min(MAX_DELAY, 2.0 ** min(retry.tries, _MAX_DOUBLINGS)) if retry.tries else 0
        )
        retry.tries += 1
        retry.due = telegram.clock() + delay
        telegram.webhook_error = reason, telegram.clock()
        if retry.due > update.expires:
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


def _find_lane(update: QueuedUpdate) -> int:
    """The lane of an update: those of one lane are sent in order."""
    if update.kind == "callback_query":
        return int(update.body["from"]["id"]) + _TAP_LANES
    return int(update.body["chat"]["id"])


def _parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object of an answer; empty where it is none."""
    try:
        content = json.loads(body or b"{}")
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
