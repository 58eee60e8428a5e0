"""Webhooks: every update is sent until it is accepted, one at a time in its lane, with growing delays."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp

from bot.emulator.calls import NoAnswer
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
