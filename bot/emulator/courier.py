"""Webhooks: every update is sent until it is taken, one at a time in its lane, later and later after failures."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp

from bot.emulator.calls import NoAnswer
from bot.emulator.state import Hook
from bot.emulator.telegram import Telegram
from bot.emulator.updates import Update

LONGEST_DELAY, LONGEST_RETRY_AFTER = 60.0, 3600.0
_ANSWER_WITHIN = 60.0
_FORBIDDEN = ("get", "setwebhook", "deletewebhook", "close", "logout")


class Courier:
    """Carries the updates of one Telegram while it runs."""

    def __init__(self, telegram: Telegram) -> None:
        self._telegram = telegram
        self._wake = asyncio.Event()
        self._lanes: dict[int, asyncio.Task[None]] = {}
        self._task: asyncio.Task[None] | None = None
        self._session: aiohttp.ClientSession | None = None

    def start(self) -> None:
        """Begin to carry."""
        self._telegram.queue.arrived.append(self._wake.set)
        self._telegram.clock.moved.append(self._wake.set)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End at once; what was not taken waits on."""
        if self._task is not None:
            self._telegram.queue.arrived.remove(self._wake.set)
            self._telegram.clock.moved.remove(self._wake.set)
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
        """Send what is due; seconds until something is, None where nothing waits."""
        telegram, hook = self._telegram, self._telegram.hook
        now = telegram.clock()
        telegram.queue.expire(now)
        if hook is None:
            return None
        first: dict[int, Update] = {}
        for number in telegram.faults.order(sorted(telegram.queue.waiting)):
            first.setdefault(telegram.queue.waiting[number].lane, telegram.queue.waiting[number])
        waits = []
        for lane, update in first.items():
            if lane in self._lanes:
                continue
            if update.due <= now and len(self._lanes) < hook.connections:
                self._lanes[lane] = asyncio.create_task(self._carry(hook, update))
            else:
                waits.append(max(0.01, update.due - now))
        return min(waits, default=None)

    async def _carry(self, hook: Hook, update: Update) -> None:
        try:
            await self._send(hook, update)
        finally:
            del self._lanes[update.lane]
            self._wake.set()

    async def _send(self, hook: Hook, update: Update) -> None:
        self._session = self._session or aiohttp.ClientSession()
        headers = {"X-Telegram-Bot-Api-Secret-Token": hook.secret} if hook.secret else {}
        await self._telegram.faults.passage()
        within = aiohttp.ClientTimeout(total=_ANSWER_WITHIN)
        try:
            sent = self._session.post(
                hook.url, json=update.wire(), headers=headers, timeout=within, allow_redirects=False
            )
            async with sent as response:
                told = await response.read()
                kind, status, retry = response.content_type, response.status, response.headers.get("Retry-After", "")
        except (aiohttp.ClientError, TimeoutError) as failure:
            self._failed(update, f"Connection failed: {type(failure).__name__}", 0)
            return
        if not 200 <= status <= 299:
            reason = f"Wrong response from the webhook: {status} {response.reason}"
            self._failed(update, reason, int(retry) if retry.isdigit() else 0)
            return
        if not self._telegram.faults.repeat():
            self._telegram.queue.forget([update.id])
        if kind == "application/json":
            await self._execute(told)

    def _failed(self, update: Update, reason: str, retry_after: float) -> None:
        """Once more at once, then after 2, 4, 8 … seconds, or when the bot said; until the update expires."""
        telegram = self._telegram
        delay = min(retry_after, LONGEST_RETRY_AFTER) or (min(LONGEST_DELAY, 2.0**update.tries) if update.tries else 0)
        update.tries += 1
        update.due = telegram.clock() + delay
        telegram.hook_error = reason, telegram.clock()
        if update.due > update.expires:
            telegram.queue.forget([update.id])

    async def _execute(self, told: bytes) -> None:
        """A method in the answer is called; whether it works, the bot does not learn."""
        body = _object(told)
        method = str(body.pop("method", ""))
        if not method or method.lower().startswith(_FORBIDDEN):
            return
        try:
            await self._telegram.handle(method, body, {})
        except NoAnswer:
            return


def _object(told: bytes) -> dict[str, Any]:
    try:
        body = json.loads(told or b"{}")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
