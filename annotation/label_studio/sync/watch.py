"""The watch: pulls again and again. A webhook of the server only wakes it: what comes by it is never believed."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from aiohttp import web

from annotation.errors import BadInput, HromadaError
from annotation.label_studio.client import Client
from annotation.label_studio.sync import batches
from annotation.label_studio.sync.pull import Pulled, pull
from annotation.store.database import Database

EVERY = 30.0
"""Seconds between two pulls that nothing wakes."""
CALM = 0.5
"""Seconds that a woken watch waits, so that a burst of calls is one pull."""
HEADER = "X-Hromada-Secret"
MOST_BYTES = 2**20
"""A longer call is refused unread; Label Studio's own are about 6 kB."""


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """Where the server's calls come in: an address of this machine, and the one by which the server reaches it."""

    host: str
    port: int
    address: str | None = None


async def watch(
    database: Database,
    client: Client,
    *,
    clock: Callable[[], datetime],
    stop: asyncio.Event,
    told: Callable[[Sequence[Pulled]], None],
    failed: Callable[[HromadaError], None],
    every: float = EVERY,
    receiver: Receiver | None = None,
    project_id: int | None = None,
) -> None:
    """Pull every desk on the server, at once and then every so many seconds or when woken, until `stop`.

    `told` gets what each pull found, `failed` why one could not be made; after that it goes on. Raises BadInput where
    already the first one shows that the settings are wrong, since no time mends that.
    """
    wake, begun = asyncio.Event(), False
    async with _listening(database, client, receiver, wake, failed=failed, project_id=project_id):
        while not stop.is_set():
            wake.clear()
            try:
                told(await asyncio.to_thread(pull, database, client, clock=clock, project_id=project_id))
                begun = True
            except HromadaError as failure:
                if isinstance(failure, BadInput) and not begun:
                    raise
                failed(failure)
            await _first(stop, wake, seconds=every)
            if wake.is_set():
                await _first(stop, seconds=CALM)


async def _first(*events: asyncio.Event, seconds: float) -> None:
    """Wait for the first of these events, but no longer than so many seconds."""
    waits = [asyncio.ensure_future(one.wait()) for one in events]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()


@asynccontextmanager
async def _listening(
    database: Database,
    client: Client,
    receiver: Receiver | None,
    wake: asyncio.Event,
    *,
    failed: Callable[[HromadaError], None],
    project_id: int | None,
) -> AsyncIterator[None]:
    """Receive calls, and let the server make them, for as long as the watch lasts."""
    if receiver is None:
        yield
        return
    secret = secrets.token_urlsafe(32)
    runner = web.AppRunner(application(secret, wake), access_log=None)
    await runner.setup()
    try:
        await _bind(runner, receiver)
        address = receiver.address or f"http://{receiver.host}:{_port(runner)}/"
        hooks = await asyncio.to_thread(_call_us, database, client, address, secret, failed, project_id)
        try:
            yield
        finally:
            await asyncio.to_thread(_call_no_more, client, hooks)
    finally:
        await runner.cleanup()


def application(secret: str, wake: asyncio.Event) -> web.Application:
    """Takes calls with the secret in their header, compared in constant time, and wakes the watch."""

    async def called(request: web.Request) -> web.Response:
        given = request.headers.get(HEADER, "")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return web.Response(status=403)
        if (request.content_length or 0) > MOST_BYTES:
            return web.Response(status=413)
        wake.set()
        return web.Response(status=204)

    made = web.Application(client_max_size=MOST_BYTES)
    made.router.add_post("/", called)
    return made


async def _bind(runner: web.AppRunner, receiver: Receiver) -> None:
    try:
        await web.TCPSite(runner, receiver.host, receiver.port).start()
    except OSError:
        raise BadInput(
            f"{receiver.host}:{receiver.port} cannot be listened at.", remedy="Name another port with --listen."
        ) from None


def _port(runner: web.AppRunner) -> int:
    found: int = runner.addresses[0][1]
    return found


def _call_us(
    database: Database,
    client: Client,
    address: str,
    secret: str,
    failed: Callable[[HromadaError], None],
    project_id: int | None,
) -> list[int]:
    """Make a webhook for each desk; where the server refuses, the watch polls all the same."""
    with database.reading() as session:
        found = batches.of_project(session, server=client.server, project_id=project_id)
    hooks = []
    for desk, _, _ in found:
        if desk.remote_id is None:
            continue
        try:
            hooks.append(client.add_webhook(desk.remote_id, url=address, secret={HEADER: secret}).id)
        except HromadaError as failure:
            failed(failure)
    return hooks


def _call_no_more(client: Client, hooks: Sequence[int]) -> None:
    for one in hooks:
        try:
            client.remove_webhook(one)
        except HromadaError:
            continue  # the server is down or the project gone: a call without its secret is refused anyway
