"""Over HTTP: who is refused, one poller at a time, webhooks until they are taken, files, and a network that fails."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import aiohttp
import pytest
from _faulty_telegram import FaultyServer, FaultyTelegram

from bot.emulator.calls import Upload
from bot.emulator.chat_page import MAX_ACT_BYTES
from bot.emulator.model import store_file
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.server import MAX_BODY


async def test_the_token_is_required(server: FaultyServer, client: aiohttp.ClientSession) -> None:
    """Another token is 401, for files 404, and the page without its cookie 403."""
    async with client.post(f"{server.url}/bot7000000001:other/getMe") as response:
        assert response.status == 401
        assert await response.json() == {"ok": False, "error_code": 401, "description": "Unauthorized"}
    async with client.get(f"{server.url}/file/bot7000000001:other/documents/a") as response:
        assert response.status == 404
    for path in ("/", "/events", "/chat.js", "/media/x", "/?token=wrong"):
        async with client.get(server.url + path) as response:
            assert response.status == 403, path
    async with client.post(f"{server.url}/act", json={"do": "join", "name": "", "language": "uk"}) as response:
        assert response.status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "telegram.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/bot{token}/getMe", "/?token={ticket}", "/file/bot{token}/x", "/act"])
async def test_other_hosts_and_origins_are_refused(
    server: FaultyServer, client: aiohttp.ClientSession, headers: dict[str, str], path: str
) -> None:
    """Even with the right token: a page elsewhere must reach neither the bot's methods nor the chat."""
    address = server.url + path.format(token=server.telegram.token, ticket=server.page.ticket)
    async with client.get(address, headers=headers) as response:
        assert response.status == 403
        assert "emulator" not in response.headers.get("Set-Cookie", "")


async def test_the_address_opens_the_page_once(server: FaultyServer, client: aiohttp.ClientSession) -> None:
    """The token is exchanged for a cookie; a second browser needs another address."""
    address = f"{server.url}/?token={server.page.ticket}"
    async with client.get(address) as response:
        assert (response.status, str(response.url)) == (200, f"{server.url}/")
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'" in policy
        assert "unsafe" not in policy
    cookie = next(iter(client.cookie_jar))
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
    async with aiohttp.ClientSession() as other, other.get(address) as response:
        assert response.status == 403
        assert "Set-Cookie" not in response.headers
        assert "Opened in another browser? Go on there, or stop the command and start it again" in await response.text()


@pytest.mark.parametrize(("name", "kind"), [("a.png", "image/png"), ("a.jpg", "image/jpeg")])
async def test_a_photo_says_what_it_is(
    server: FaultyServer, telegram: FaultyTelegram, client: aiohttp.ClientSession, name: str, kind: str
) -> None:
    """By its bytes, not by its name."""
    png = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (8).to_bytes(4, "big") * 2
    jpeg = b"\xff\xd8\xff\xc0\0\x11\x08\0\x08\0\x08"
    content = png if name == "a.png" else jpeg
    file = store_file(telegram.files, Upload(name="photo", content=content, mime="image/x"), photo=True)
    assert file.width == 8
    async with client.get(f"{server.url}/?token={server.page.ticket}"):
        pass
    async with client.get(f"{server.url}/media/{file.id}") as response:
        assert (response.status, response.content_type) == (200, kind)


async def test_what_is_over_size_is_refused(server: FaultyServer, client: aiohttp.ClientSession) -> None:
    """An act of 64 KB, and a call beyond the limit of uploads, whether or not its length is given."""
    async with client.get(f"{server.url}/?token={server.page.ticket}"):
        pass
    async with client.post(
        f"{server.url}/act", data=b"[" * (MAX_ACT_BYTES + 1), headers={"Content-Type": "application/json"}
    ) as response:
        assert response.status == 413
    form = aiohttp.FormData()
    form.add_field("document", io.BytesIO(b"x" * (MAX_BODY + 1)), filename="big")
    async with client.post(f"{server.url}/bot{server.telegram.token}/sendDocument", data=form) as response:
        assert (response.status, (await response.json())["description"]) == (413, "Request Entity Too Large")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])  # noqa: S104  # refused, that is the point
async def test_nothing_listens_beyond_loopback(telegram: FaultyTelegram, host: str) -> None:
    """Another address is refused before a socket is opened."""
    with pytest.raises(ValueError, match="not a loopback address"):
        await FaultyServer(telegram).start(host=host)


async def test_calls_come_as_json_as_forms_and_in_the_address(
    server: FaultyServer, client: aiohttp.ClientSession, ann: ScriptedPerson
) -> None:
    """All the ways that libraries use, and JSON that is none."""
    base = f"{server.url}/bot{server.telegram.token}/"
    parts = aiohttp.FormData()
    parts.add_field("chat_id", "10")
    parts.add_field("text", "parts", content_type="text/plain")
    for sent in (
        {"json": {"chat_id": 10, "text": "json"}},
        {"data": {"chat_id": "10", "text": "form"}},
        {"data": parts},
    ):
        async with client.post(base + "SENDMESSAGE", **sent) as response:
            assert (await response.json())["ok"] is True
    async with client.get(base + "sendMessage?chat_id=10&text=address") as response:
        assert response.status == 200
    async with client.post(base + "getMe", data=b"{", headers={"Content-Type": "application/json"}) as response:
        assert response.status == 400
    assert [message.text for message in ann.messages] == ["json", "form", "parts", "address"]


async def test_a_long_poll_waits_and_is_answered_at_once(api: Any, ann: ScriptedPerson) -> None:
    """Held open until something comes; with nothing, until its time is over."""
    poll = asyncio.create_task(api("getUpdates", timeout=30))
    await asyncio.sleep(0.1)
    assert not poll.done()
    ann.send("hello")
    _, body = await asyncio.wait_for(poll, 2)
    assert [update["message"]["text"] for update in body["result"]] == ["hello"]
    offset = body["result"][0]["update_id"] + 1
    begun = asyncio.get_running_loop().time()
    assert (await api("getUpdates", offset=offset, timeout=1))[1]["result"] == []
    assert 0.9 < asyncio.get_running_loop().time() - begun < 5


async def test_offsets_confirm_and_count_from_the_end(api: Any, ann: ScriptedPerson) -> None:
    """Unconfirmed updates come again; an offset forgets what is before it; a negative one keeps the last."""
    for number in range(5):
        ann.send(str(number))

    async def texts(**values: Any) -> list[str]:
        return [update["message"]["text"] for update in (await api("getUpdates", **values))[1]["result"]]

    assert await texts(limit=2) == await texts(limit=2) == ["0", "1"]
    first = (await api("getUpdates"))[1]["result"][0]["update_id"]
    assert await texts(offset=first + 1) == ["1", "2", "3", "4"]
    assert await texts(offset=-2) == ["3", "4"]
    assert await texts() == ["3", "4"]


async def test_a_second_poller_ends_the_first(api: Any, telegram: FaultyTelegram, ann: ScriptedPerson) -> None:
    """The first gets 409; a webhook ends polls too, and forbids new ones."""
    first = asyncio.create_task(api("getUpdates", timeout=30))
    await asyncio.sleep(0.1)
    second = asyncio.create_task(api("getUpdates", timeout=30))
    status, body = await asyncio.wait_for(first, 2)
    assert status == 409
    assert body["description"].startswith("Conflict: terminated by other getUpdates request; make sure that only one")
    await api("setWebhook", url="http://127.0.0.1:9/")
    status, body = await asyncio.wait_for(second, 2)
    assert (status, body["description"]) == (409, "Conflict: terminated by setWebhook request")
    status, body = await api("getUpdates")
    assert status == 409
    assert body["description"].startswith("Conflict: can't use getUpdates method while webhook is active")
    await api("deleteWebhook", drop_pending_updates=True)
    assert (await api("getUpdates"))[0] == 200


async def test_a_network_that_stalls_goes_on_with_all_that_waited(
    api: Any, telegram: FaultyTelegram, ann: ScriptedPerson
) -> None:
    """Nothing passes while it stands still; a lost answer hangs until its caller gives up, but took effect."""
    telegram.faults.stall()
    sent = asyncio.create_task(api("sendMessage", chat_id=10, text="late"))
    await asyncio.sleep(0.1)
    assert (sent.done(), ann.messages) == (False, [])
    telegram.faults.resume()
    await asyncio.wait_for(sent, 2)
    telegram.faults.lose("sendMessage")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(api("sendMessage", chat_id=10, text="unheard"), 0.3)
    telegram.faults.latency = 0.2
    begun = asyncio.get_running_loop().time()
    await api("getMe")
    assert asyncio.get_running_loop().time() - begun > 0.19
    assert [message.text for message in ann.messages] == ["late", "unheard"]


async def test_a_file_goes_up_and_comes_down(
    server: FaultyServer, client: aiohttp.ClientSession, ann: ScriptedPerson
) -> None:
    """The bytes that were sent are the bytes that are fetched, by the path that getFile gives."""
    base, form = f"{server.url}/bot{server.telegram.token}", aiohttp.FormData(quote_fields=False)
    form.add_field("chat_id", "10")
    form.add_field("document", "attach://part")
    form.add_field("part", b"a,b\n1,2\n", filename="дані.csv", content_type="text/csv")
    async with client.post(f"{base}/sendDocument", data=form) as response:
        document = (await response.json())["result"]["document"]
    assert (document["file_name"], document["mime_type"], document["file_size"]) == ("дані.csv", "text/csv", 8)
    async with client.post(f"{base}/getFile", json={"file_id": document["file_id"]}) as response:
        path = (await response.json())["result"]["file_path"]
    async with client.get(f"{server.url}/file/bot{server.telegram.token}/{path}") as response:
        assert await response.read() == b"a,b\n1,2\n"


async def test_duplicated_polls_and_lost_confirmations(api: Any, telegram: FaultyTelegram, ann: ScriptedPerson) -> None:
    """A confirmation that Telegram forgets brings the same updates again, once."""
    ann.send("once")
    telegram.faults.duplicate()
    first = (await api("getUpdates"))[1]["result"]
    again = (await api("getUpdates", offset=first[0]["update_id"] + 1))[1]["result"]
    assert json.dumps(again) == json.dumps(first)
    assert (await api("getUpdates", offset=first[0]["update_id"] + 1))[1]["result"] == []
