"""The webhook: who may call it, what it stores, and what it says when it cannot."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import aiohttp
import pytest
from _faulty_telegram import FaultyServer, FaultyTelegram
from sqlmodel import select

from annotation.errors import BadInput, Unavailable
from annotation.store.models import Heartbeat
from annotation.workflow.monitoring.bot_waits import WaitReason
from bot import application
from bot.application import WebhookAddress
from bot.delivery import silent_connections, webhook
from bot.delivery.webhook import (
    HEALTH_PATH,
    MAX_BODY_BYTES,
    VERIFICATION_HEADER,
    WEBHOOK_PATH,
    ListenAddress,
    WebhookReceiver,
    list_webhook_routes,
    serve_http,
)

if TYPE_CHECKING:
    from tests.bot.delivery.conftest import Stage

ANY_PORT = ListenAddress(host="127.0.0.1", port=0, field="HROMADA_WEBHOOK_LISTEN")
URL = "http://127.0.0.1:9"
SECRET = webhook.derive_secret("123:token")
UPDATE = {
    "update_id": 1,
    "message": {
        "message_id": 1,
        "date": 1,
        "chat": {"id": 5, "type": "private"},
        "from": {"id": 5, "is_bot": False, "first_name": "Оля"},
        "text": "/start",
    },
}


@pytest.fixture
async def hook(stage: Stage) -> AsyncIterator[int]:
    """The endpoint, on a port of its own."""
    async with serve_http(
        list_webhook_routes(WebhookReceiver(stage.app.workers, stage.app.heartbeat, SECRET)), ANY_PORT
    ) as port:
        yield port


async def post(hook: int, body: bytes, *, secret: str = SECRET, method: str = "POST", path: str = WEBHOOK_PATH) -> int:
    """Call it; the status."""
    url = f"http://127.0.0.1:{hook}{path}"
    headers = {VERIFICATION_HEADER: secret} if secret else {}
    async with aiohttp.ClientSession() as client, client.request(method, url, data=body, headers=headers) as response:
        return response.status


@pytest.mark.parametrize(
    ("body", "told", "status"),
    [
        (json.dumps(UPDATE).encode(), {"secret": ""}, 403),
        (json.dumps(UPDATE).encode(), {"secret": SECRET[:-1]}, 403),
        (json.dumps(UPDATE).encode(), {"secret": "ß"}, 403),
        (b"{", {}, 400),
        (b"\xff", {}, 400),
        (b"[]", {}, 400),
        (b'{"update_id": "1"}', {}, 400),
        (b"[" * 100_000, {}, 400),
        (b" " * (MAX_BODY_BYTES + 1), {}, 413),
        (b"", {"method": "GET"}, 405),
        (b"", {"path": "/"}, 404),
        (b"", {"path": "/metrics", "method": "GET"}, 404),
    ],
)
async def test_what_is_no_update_of_telegrams_is_refused(
    stage: Stage, hook: int, body: bytes, told: dict[str, str], status: int
) -> None:
    """Nothing is stored, and the endpoint goes on."""
    assert await post(hook, body, **told) == status
    assert stage.rows("SELECT count(*) FROM inbox") == [(0,)]
    assert await post(hook, json.dumps(UPDATE).encode()) == 200


async def test_a_secret_that_is_no_text_is_a_wrong_one(stage: Stage, hook: int) -> None:
    """Bytes that no client of Telegram's would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hook)
    writer.write(
        f"POST {WEBHOOK_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n{VERIFICATION_HEADER}: ".encode()
        + b"\xff\xfe\r\n\r\n{}"
    )
    assert b" 403 " in await reader.readline()
    writer.close()
    assert stage.rows("SELECT count(*) FROM inbox") == [(0,)]


async def test_what_is_broken_off_or_hangs_is_closed_with_one_line(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Silence and half a head leave none, a body that ends early or stalls leaves a line."""
    monkeypatch.setattr(silent_connections, "REQUEST_SECONDS", 0.3)
    head = f"POST {WEBHOOK_PATH} HTTP/1.1\r\nHost: x\r\n{VERIFICATION_HEADER}: {SECRET}\r\nContent-Length: 99\r\n\r\n"

    async def send(hook: int, text: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", hook)
        writer.write(text.encode())
        return reader, writer

    routes = list_webhook_routes(WebhookReceiver(stage.app.workers, stage.app.heartbeat, SECRET))
    async with serve_http(routes, ANY_PORT) as hook:
        for text in ("", head[:40]):
            reader, writer = await send(hook, text)
            async with asyncio.timeout(5):
                assert await reader.read() == b"", text
            writer.close()
        assert caplog.messages == []
        _, writer = await send(hook, head + '{"update')
        await asyncio.sleep(0.05)
        writer.transport.abort()
        await until(lambda: caplog.messages)
        reader, writer = await send(hook, head + '{"update')
        async with asyncio.timeout(5):
            assert b" 408 " in await reader.readline()
        writer.close()
        told = ["ConnectionResetError", "TimeoutError"]
        assert caplog.messages == [f"An update did not come whole: {name}. Telegram brings it again." for name in told]
        assert await post(hook, json.dumps(UPDATE).encode()) == 200
        await stage.app.workers.wait_until_idle()


async def test_an_update_is_answered_200_once_it_is_stored(stage: Stage, hook: int) -> None:
    """And a kind that nobody asked for is taken too, so that it does not come again."""
    assert await post(hook, json.dumps(UPDATE).encode()) == 200
    assert stage.rows("SELECT update_id FROM inbox") == [(1,)]
    assert await post(hook, b'{"update_id": 2, "poll": {}}') == 200
    await stage.app.workers.wait_until_idle()


async def test_a_database_that_is_down_is_a_503(stage: Stage, hook: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that Telegram brings the update again."""

    async def down(*_: object) -> None:
        raise Unavailable("The database does not answer.")

    monkeypatch.setattr(type(stage.app.runner), "run", down)
    assert await post(hook, json.dumps(UPDATE).encode()) == 503
    monkeypatch.undo()
    assert await post(hook, json.dumps(UPDATE).encode()) == 200
    await stage.app.workers.wait_until_idle()


async def test_telegram_brings_updates_to_it_until_they_are_taken(stage: Stage, hook: int) -> None:
    """Over HTTP, in any order of lanes; each is handled once."""
    telegram = stage.telegram
    telegram.clock = type(telegram.clock)()
    async with FaultyServer(telegram):
        await stage.app.api.set_webhook(
            f"http://127.0.0.1:{hook}{WEBHOOK_PATH}", secret_token=SECRET, drop_pending_updates=False
        )
        people = [telegram.person(number) for number in range(1, 9)]
        telegram.faults.duplicate(3)
        for person in people:
            person.send("/start")
        async with asyncio.timeout(300):
            while not all(person.messages for person in people) or telegram.queue.waiting:
                await asyncio.sleep(0.02)
        await stage.app.workers.wait_until_idle()
    assert [len(person.messages) for person in people] == [1] * 8


async def until(condition: Callable[[], object]) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(300):
        while not condition():
            await asyncio.sleep(0.02)


@asynccontextmanager
async def called_bot(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, *, health: ListenAddress | None = None
) -> AsyncIterator[FaultyTelegram]:
    """A bot that Telegram calls, and that looks often whether it does."""
    monkeypatch.setattr(webhook, "CHECK_SECONDS", 0.05)
    serving = asyncio.create_task(
        application.serve_updates(stage.app, webhook=WebhookAddress(url=URL, listen=ANY_PORT), health=health)
    )
    await until(lambda: stage.telegram.webhook or serving.done())
    try:
        yield stage.telegram
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def test_a_deleted_webhook_is_set_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever deleted it: updates come again, those that waited too."""
    async with called_bot(stage, monkeypatch) as telegram:
        made = telegram.webhook
        await telegram.handle("deleteWebhook", {}, {})
        assert telegram.webhook is None
        await until(lambda: telegram.webhook)
        assert telegram.webhook == made
    assert "The webhook was deleted; it is set again." in caplog.text


async def test_what_keeps_updates_from_coming_is_said_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another address is left to whom has set it; that Telegram cannot call this one is said in its words."""
    async with called_bot(stage, monkeypatch) as telegram:
        telegram.person(1).send("/start")
        telegram.webhook_error = "Connection refused", 1.0
        await until(lambda: "cannot bring its updates: Connection refused" in caplog.text)
        await telegram.handle("setWebhook", {"url": "http://127.0.0.1:10/"}, {})
        asked = telegram.calls["getwebhookinfo"]
        await until(lambda: telegram.calls["getwebhookinfo"] > asked + 3)
        assert telegram.webhook is not None
        assert telegram.webhook.url == "http://127.0.0.1:10/"
        wait = stage.app.watchdog.find_wait()
        assert wait is not None
        assert wait.reason is WaitReason.OTHER_ADDRESS
    assert caplog.text.count("Telegram calls another address") == 1
    assert caplog.text.count("Connection refused") == 1


async def test_a_called_bot_whose_database_is_away_at_the_start_waits_for_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a killed process left is taken up once the database answers; then Telegram is told where to call."""
    recover, failures = application.BotApplication.recover, iter(range(2))

    async def fail_or_recover(app: application.BotApplication) -> None:
        if next(failures, None) is not None:
            raise Unavailable("It does not answer.")
        await recover(app)

    monkeypatch.setattr(application.BotApplication, "recover", fail_or_recover)
    monkeypatch.setattr(application, "MIN_WAIT", 0.01)
    async with called_bot(stage, monkeypatch) as telegram:
        assert telegram.webhook
    assert next(failures, None) is None


def read_heartbeat(stage: Stage) -> list[datetime]:
    """When Telegram last brought updates, as is on record."""
    with stage.db.reading() as view:
        return [row.at for row in view.exec(select(Heartbeat))]


async def test_only_a_webhook_that_works_is_noted(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Telegram calls this address, and reaches it; that it answers is not enough."""
    async with called_bot(stage, monkeypatch) as telegram:
        await until(lambda: read_heartbeat(stage))
        begun = read_heartbeat(stage)

        async def look() -> None:
            stage.now += timedelta(minutes=2)
            asked = telegram.calls["getwebhookinfo"]
            await until(lambda: telegram.calls["getwebhookinfo"] > asked + 3)

        telegram.person(1).send("/start")
        telegram.webhook_error = "SSL error: certificate verify failed", 1.0
        await look()
        assert read_heartbeat(stage) == begun
        telegram.queue.waiting.clear()
        await telegram.handle("setWebhook", {"url": "http://127.0.0.1:10/"}, {})
        await look()
        assert read_heartbeat(stage) == begun
        await telegram.handle("deleteWebhook", {}, {})
        await until(lambda: read_heartbeat(stage) != begun)


async def test_an_update_that_came_is_noted(stage: Stage, hook: int) -> None:
    """Once a minute; one that is refused is not."""
    assert await post(hook, b"{") == 400
    assert read_heartbeat(stage) == []
    for seconds, number in ((0, 1), (30, 2), (60, 3)):
        stage.now += timedelta(seconds=seconds)
        assert await post(hook, json.dumps({"update_id": number, "poll": {}}).encode()) == 200
        if number == 1:
            begun = stage.now
        assert read_heartbeat(stage) == [stage.now if number == 3 else begun]


async def test_a_called_bot_that_is_to_end_when_stuck_ends(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing would ever come: no update, and no sign that the webhook is gone."""
    async with called_bot(stage, monkeypatch) as telegram:
        stage.app.watchdog.seconds, stage.app.watchdog.exit_when_stuck = 1, True
        telegram.faults.stall()
        (task,) = (task for task in asyncio.all_tasks() if "serve_updates" in repr(task.get_coro()))
        with pytest.raises(Unavailable, match="Telegram does not answer"):
            await asyncio.wait_for(asyncio.shield(task), 300)
        telegram.faults.resume()


async def ask_health(port: int) -> tuple[int, list[str]]:
    """What the health route says: its status, and who is silent."""
    async with (
        aiohttp.ClientSession() as client,
        client.get(f"http://127.0.0.1:{port}{HEALTH_PATH}") as response,
    ):
        return response.status, (await response.json())["silent"]


@pytest.mark.parametrize("called", [True, False])
async def test_in_both_modes_a_supervisor_can_ask_whether_the_bot_is_well(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, called: bool
) -> None:
    """Well while everybody answers; it waits for who is silent, which is no reason to start it again."""
    monkeypatch.setattr(webhook, "CHECK_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    address = ListenAddress(host="127.0.0.1", port=port, field="HROMADA_HEALTH_LISTEN")
    mode = WebhookAddress(url=URL, listen=ANY_PORT) if called else None
    serving = asyncio.create_task(application.serve_updates(stage.app, webhook=mode, health=address))
    await until(lambda: stage.telegram.calls["setwebhook" if called else "getupdates"])
    assert await ask_health(port) == (200, [])
    stage.app.watchdog.silent_seconds = 0.2
    stage.telegram.faults.stall()
    async with asyncio.timeout(30):
        while await ask_health(port) != (200, ["telegram"]):
            await asyncio.sleep(0.02)
    stage.telegram.faults.resume()
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)


async def test_an_address_that_is_taken_is_named_with_its_setting(stage: Stage) -> None:
    """Another program listens there already."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = ListenAddress(host="127.0.0.1", port=listening.getsockname()[1], field="HROMADA_HEALTH_LISTEN")
        with pytest.raises(BadInput, match="Nothing can listen there") as failure:
            await application.serve_updates(stage.app, health=taken)
    assert failure.value.where is not None
    assert failure.value.where.field == "HROMADA_HEALTH_LISTEN"
