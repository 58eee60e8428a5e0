"""The webhook: who may call it, what it stores, and what it says when it cannot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import aiohttp
import pytest

from annotation.errors import Unavailable
from bot.delivery import webhook
from bot.delivery.webhook import MAX_UPDATE_BYTES, VERIFICATION_HEADER, WEBHOOK_PATH, WebhookServer
from bot.emulator.server import Server

if TYPE_CHECKING:
    from tests.bot.delivery.conftest import Stage

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
async def hook(stage: Stage) -> AsyncIterator[WebhookServer]:
    """The endpoint on a port of its own."""
    made = WebhookServer(workers=stage.app.workers, secret=SECRET)
    await made.start(host="127.0.0.1", port=0)
    yield made
    await made.stop()


async def post(
    hook: WebhookServer, body: bytes, *, secret: str = SECRET, method: str = "POST", path: str = WEBHOOK_PATH
) -> int:
    """Call it; the status."""
    url = f"http://127.0.0.1:{hook.port}{path}"
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
        (b" " * (MAX_UPDATE_BYTES + 1), {}, 413),
        (b"", {"method": "GET"}, 405),
        (b"", {"path": "/"}, 404),
    ],
)
async def test_what_is_no_update_of_telegrams_is_refused(
    stage: Stage, hook: WebhookServer, body: bytes, told: dict[str, str], status: int
) -> None:
    """Nothing is stored, and the endpoint goes on."""
    assert await post(hook, body, **told) == status
    assert stage.rows("SELECT count(*) FROM inbox") == [(0,)]
    assert await post(hook, json.dumps(UPDATE).encode()) == 200


async def test_a_secret_that_is_no_text_is_a_wrong_one(stage: Stage, hook: WebhookServer) -> None:
    """Bytes that no client of Telegram's would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hook.port)
    writer.write(
        f"POST {WEBHOOK_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n{VERIFICATION_HEADER}: ".encode()
        + b"\xff\xfe\r\n\r\n{}"
    )
    assert b" 403 " in await reader.readline()
    writer.close()
    assert stage.rows("SELECT count(*) FROM inbox") == [(0,)]


async def test_an_update_is_answered_200_once_it_is_stored(stage: Stage, hook: WebhookServer) -> None:
    """And a kind that nobody asked for is taken too, so that it does not come again."""
    assert await post(hook, json.dumps(UPDATE).encode()) == 200
    assert stage.rows("SELECT update_id FROM inbox") == [(1,)]
    assert await post(hook, b'{"update_id": 2, "poll": {}}') == 200
    await stage.app.workers.wait_until_idle()


async def test_a_database_that_is_down_is_a_503(
    stage: Stage, hook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that Telegram brings the update again."""

    async def down(*_: object) -> None:
        raise Unavailable("The database does not answer.")

    monkeypatch.setattr(type(stage.app.runner), "run", down)
    assert await post(hook, json.dumps(UPDATE).encode()) == 503
    monkeypatch.undo()
    assert await post(hook, json.dumps(UPDATE).encode()) == 200
    await stage.app.workers.wait_until_idle()


async def test_telegram_brings_updates_to_it_until_they_are_taken(stage: Stage, hook: WebhookServer) -> None:
    """Over HTTP, in any order of lanes; each is handled once."""
    telegram = stage.telegram
    telegram.clock = type(telegram.clock)()
    async with Server(telegram):
        await stage.app.api.set_webhook(
            f"http://127.0.0.1:{hook.port}{WEBHOOK_PATH}", secret_token=SECRET, drop_pending_updates=False
        )
        people = [telegram.person(number) for number in range(1, 9)]
        telegram.faults.duplicate(3)
        for person in people:
            person.send("/start")
        async with asyncio.timeout(10):
            while not all(person.messages for person in people) or telegram.queue.waiting:
                await asyncio.sleep(0.02)
        await stage.app.workers.wait_until_idle()
    assert [len(person.messages) for person in people] == [1] * 8
