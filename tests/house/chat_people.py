"""People who answer in the chats that pages of the documents open, while the reader is told to wait for them."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import aiohttp

from bot.emulator.server import Server
from bot.emulator.telegram import Telegram
from tests.house.page_runner import Act


def answer_in_the_browser(*, people: int, items: int) -> Act:
    """An act for `hromada bot --local` and `hromada try`: so many people answer so many items in the page's chat."""

    def act(process: Any) -> None:
        assert process.stdout is not None
        asyncio.run(_answer_page(_read_address(process.stdout), people=people, items=items))

    return act


def _read_address(output: IO[str]) -> str:
    """The address that a command prints, among whatever else it says."""
    while line := output.readline():
        found = re.search(r"http://127\.0\.0\.1:\d+/\S*", line)
        if found:
            return found[0]
    raise AssertionError("no address was printed")


async def _answer_page(address: str, *, people: int, items: int) -> None:
    site = address.split("/?", maxsplit=1)[0]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        async with client.get(address) as page:
            assert page.status == 200
        for number in range(people):
            who = None
            if number:
                async with client.post(f"{site}/act", json={"do": "join", "name": "", "language": "uk"}) as joined:
                    who = (await joined.json())["person"]
            async with client.get(f"{site}/events", params={} if who is None else {"person": who}) as stream:
                person = (await _hear(stream.content))["person"]
                await client.post(f"{site}/act", json={"do": "send", "person": person, "text": "/start"})
                while not _is_answered(event := await _hear(stream.content), items):
                    if event["kind"] == "message" and event["message"]["rows"]:
                        key = event["message"]["rows"][0][0]
                        tap = {"do": "tap", "person": person, "message": event["message"]["id"], "data": key["data"]}
                        await client.post(f"{site}/act", json=tap)


async def _hear(events: aiohttp.StreamReader) -> dict[str, Any]:
    while True:
        line = await asyncio.wait_for(events.readline(), 30)
        if line.startswith(b"data: "):
            return json.loads(line.removeprefix(b"data: "))  # type: ignore[no-any-return]


def _is_answered(event: dict[str, Any], items: int) -> bool:
    """Whether this event shows that the last of so many items is answered."""
    return event["message"] is not None and event["message"]["plain"].startswith(f"✓ {items} ")


@contextmanager
def local_telegram(token: str) -> Iterator[Server]:
    """A local Telegram with this token, in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        server = Server(Telegram(token=token))
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(20)
        yield server
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _stop(server: Server) -> None:
    await server.stop()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


def answer_on(server: Server, *, items: int) -> Act:
    """An act for `hromada bot` on a local Telegram: one person answers so many items."""

    def act(_process: Any) -> None:
        person = server.telegram.person(7)
        person.send("/start")
        until = time.monotonic() + 120
        while f"✓ {items} ·" not in person.screen:
            assert time.monotonic() < until, person.screen
            asked = [message for message in person.messages if message.buttons and not message.text.startswith("✓")]
            before = person.screen
            if asked:
                person.press(asked[-1].buttons[0][1], on=asked[-1])
            patience = time.monotonic() + 3
            while person.screen == before and time.monotonic() < patience:
                time.sleep(0.05)

    return act
