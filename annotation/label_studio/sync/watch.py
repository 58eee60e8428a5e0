"""Watch: pull again and again. A webhook of the server only wakes it; its content is not read."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from aiohttp import web

from annotation.errors import BadInput, HromadaError, SchemaMismatch
from annotation.label_studio.client import Client
from annotation.label_studio.sync import adoption, batches, server_erasure
from annotation.label_studio.sync.pull import PullResult, pull_batches
from annotation.store import migrations
from annotation.store.database import Database

PULL_INTERVAL = 30.0
"""Seconds between two pulls."""
WAKE_DELAY = 0.5
"""Seconds between a webhook and its pull, so that a burst of webhooks is one pull."""
SECRET_HEADER = "X-Hromada-Secret"  # noqa: S105  # the name of a header
MAX_BODY_BYTES = 2**20
"""A longer request is refused unread; those of Label Studio are about 6 kB."""


@dataclass(frozen=True, kw_only=True)
class WebhookListener:
    """Where webhooks come in: an address of this machine, and the URL by which the server reaches it."""

    host: str
    port: int
    address: str | None = None


async def watch_batches(
    database: Database,
    client: Client,
    *,
    clock: Callable[[], datetime],
    stop: asyncio.Event,
    on_results: Callable[[Sequence[PullResult]], None],
    on_failure: Callable[[HromadaError], None],
    every: float = PULL_INTERVAL,
    receiver: WebhookListener | None = None,
    project_id: int | None = None,
) -> None:
    """Pull every batch on the server at once, then at an interval or when woken, until `stop` is set.

    `on_results` gets the results of each pull, `on_failure` the error of a pull that failed; after that it goes on.
    Raises BadInput where the very first pull shows that the settings are wrong, SchemaMismatch where the database was
    upgraded by a newer program.
    """

    def pull_once() -> Sequence[PullResult]:
        with database.reading() as session:
            migrations.check_revision(session.connection())
        return pull_batches(database, client, clock=clock, project_id=project_id)

    wake, started, refused = asyncio.Event(), False, ""
    async with _receive_webhooks(database, client, receiver, wake, on_failure=on_failure, project_id=project_id):
        while not stop.is_set():
            wake.clear()
            try:
                on_results(await asyncio.to_thread(pull_once))
                started = True
                refused = await _erase_copies(database, client, refused, on_failure=on_failure)
            except SchemaMismatch:
                raise
            except HromadaError as failure:
                if isinstance(failure, BadInput) and not started:
                    raise
                on_failure(failure)
            await _wait_for_first(stop, wake, seconds=every)
            if wake.is_set():
                await _wait_for_first(stop, seconds=WAKE_DELAY)


async def _erase_copies(
    database: Database, client: Client, told: str, *, on_failure: Callable[[HromadaError], None]
) -> str:
    """Erase what is there of erased annotators; why that is not possible, which is told unless it was `told` before."""
    try:
        await asyncio.to_thread(server_erasure.erase_copies, database, client)
    except HromadaError as failure:
        if str(failure) != told:
            on_failure(failure)
        return str(failure)
    return ""


async def _wait_for_first(*events: asyncio.Event, seconds: float) -> None:
    """Wait for the first of these events, but no longer than so many seconds."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


@asynccontextmanager
async def _receive_webhooks(
    database: Database,
    client: Client,
    receiver: WebhookListener | None,
    wake: asyncio.Event,
    *,
    on_failure: Callable[[HromadaError], None],
    project_id: int | None,
) -> AsyncIterator[None]:
    """Listen for webhooks and register them on the server; both end with the context."""
    if receiver is None:
        yield
        return
    secret = secrets.token_urlsafe(32)
    runner = web.AppRunner(create_webhook_app(secret, wake), access_log=None)
    await runner.setup()
    try:
        await _bind_address(runner, receiver)
        address = receiver.address or f"http://{receiver.host}:{_get_port(runner)}/"
        webhook_ids = await asyncio.to_thread(
            _create_webhooks, database, client, address, secret, on_failure, project_id
        )
        try:
            yield
        finally:
            await asyncio.to_thread(_delete_webhooks, client, webhook_ids)
    finally:
        await runner.cleanup()


def create_webhook_app(secret: str, wake: asyncio.Event) -> web.Application:
    """A web application that sets `wake` for requests with the secret in their header, compared in constant time."""

    async def receive(request: web.Request) -> web.Response:
        secret_given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(secret_given.encode(), secret.encode()):
            return web.Response(status=403)
        if (request.content_length or 0) > MAX_BODY_BYTES:
            return web.Response(status=413)
        wake.set()
        return web.Response(status=204)

    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_post("/", receive)
    return app


async def _bind_address(runner: web.AppRunner, receiver: WebhookListener) -> None:
    try:
        await web.TCPSite(runner, receiver.host, receiver.port).start()
    except OSError:
        raise BadInput(
            f"{receiver.host}:{receiver.port} cannot be used to listen.", remedy="Choose another port with --listen."
        ) from None


def _get_port(runner: web.AppRunner) -> int:
    port: int = runner.addresses[0][1]
    return port


def _create_webhooks(
    database: Database,
    client: Client,
    address: str,
    secret: str,
    on_failure: Callable[[HromadaError], None],
    project_id: int | None,
) -> list[int]:
    """Create a webhook for each batch; where the server refuses, the watch goes on without."""
    with database.reading() as session:
        rows = batches.list_batches(session, server=client.server_id, project_id=project_id)
        found = [batch for batch, _, _ in rows]
        found += [batch for batch, _ in adoption.list_adopted(session, server=client.server_id, project_id=project_id)]
    webhook_ids = []
    for batch in found:
        if batch.remote_id is None:
            continue
        try:
            webhook_ids.append(client.create_webhook(batch.remote_id, url=address, secret={SECRET_HEADER: secret}).id)
        except HromadaError as failure:
            on_failure(failure)
    return webhook_ids


def _delete_webhooks(client: Client, webhook_ids: Sequence[int]) -> None:
    for webhook_id in webhook_ids:
        try:
            client.delete_webhook(webhook_id)
        except HromadaError:
            continue  # the server is down or the project is gone; requests without the secret are refused anyway
