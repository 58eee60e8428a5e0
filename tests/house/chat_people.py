"""People who answer in the chats that pages of the documents open, while the reader is told to wait for them."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, TypeVar

import aiohttp
from _faulty_telegram import FaultyTelegram

from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.server import Server
from tests.house.page_runner import Act

Result = TypeVar("Result")
NO_ANSWER = {"Пропустити", "Skip", "⋯", "‹"}
"""Buttons of an item that answer nothing."""
NOTHING_WRONG = {"Усе гаразд", "No problems"}
"""The button of somebody who finds no fault with an item."""


def answer_in_the_browser(*, people: int, items: int) -> Act:
    """An act for `hromada bot --local` and `hromada try`: so many people answer so many items in the page's chat."""

    def act(process: Any) -> None:
        assert process.stdout is not None
        answering = _answer_page(_read_address(process.stdout), people=people, items=items)
        with ThreadPoolExecutor(max_workers=1) as thread:  # a browser of another test has the loop of this one
            thread.submit(asyncio.run, answering).result()

    return act


def _read_address(output: IO[str]) -> str:
    """The address that a command prints, among whatever else it says."""
    while line := output.readline():
        found = re.search(r"http://127\.0\.0\.1:\d+/\S*", line)
        if found:
            return found[0]
    raise AssertionError("no address was printed")


async def _answer_page(address: str, *, people: int, items: int) -> None:
    site = address.partition("/?")[0]
    async with (
        asyncio.timeout(60 + 60 * people),
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client,
    ):
        async with client.get(address) as page:
            assert page.status == 200
        for number in range(people):
            who = {}
            if number:
                async with client.post(f"{site}/act", json={"do": "join", "name": "", "language": "uk"}) as joined:
                    who = {"person": (await joined.json())["person"]}
            async with client.get(f"{site}/events", params=who) as stream:
                person = (await _hear(stream.content))["person"]
                await client.post(f"{site}/act", json={"do": "send", "person": person, "text": "/start"})
                await _answer_items(client, stream.content, f"{site}/act", person=person, items=items)


async def _answer_items(
    client: aiohttp.ClientSession, events: aiohttp.StreamReader, acts: str, *, person: int, items: int
) -> None:
    """Tap the buttons of whatever is asked, each in its turn, until so many items are answered."""
    tapped: Counter[int] = Counter()
    answered: set[int] = set()
    while len(answered) < items:
        event = await _hear(events)
        message = event["message"]
        if event["kind"] not in {"message", "edit"} or message["mine"]:
            continue
        if message["plain"].startswith("✓"):
            answered.add(message["id"])
            continue
        keys = [key for row in message["rows"] for key in row if key["text"] not in NO_ANSWER]
        if keys:
            nothing = [key for key in keys if key["text"] in NOTHING_WRONG]
            key = nothing[0] if nothing else keys[tapped[message["id"]] % len(keys)]
            tapped[message["id"]] += 1
            tap = {"do": "tap", "person": person, "message": message["id"], "data": key["data"]}
            await client.post(acts, json=tap)


async def _hear(events: aiohttp.StreamReader) -> dict[str, Any]:
    while True:
        line = await asyncio.wait_for(events.readline(), 30)
        if line.startswith(b"data: "):
            return json.loads(line.removeprefix(b"data: "))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class LocalTelegram:
    """A local Telegram in a thread of its own; whatever people do there is done in that thread."""

    telegram: FaultyTelegram
    server: Server
    loop: asyncio.AbstractEventLoop

    def do(self, work: Callable[[], Result]) -> Result:
        """Call a function in the thread of the server; its result."""

        async def call() -> Result:
            return work()

        return asyncio.run_coroutine_threadsafe(call(), self.loop).result(20)


@contextmanager
def local_telegram(token: str) -> Iterator[LocalTelegram]:
    """A local Telegram with this token, at work until the block ends."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    telegram = FaultyTelegram(token=token)
    server = Server(telegram)
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(20)
        yield LocalTelegram(telegram, server, loop)
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _stop(server: Server) -> None:
    await server.stop()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


def answer_on(telegram: LocalTelegram, *, items: int, code: str = "") -> Act:
    """An act for `hromada bot` on a local Telegram: one person, invited by a code, answers so many items."""

    def act(_process: Any) -> None:
        person = telegram.do(lambda: telegram.telegram.person(7))
        telegram.do(lambda: person.start(code))
        until = time.monotonic() + 120
        while f"✓ {items} ·" not in (before := telegram.do(lambda: person.screen)):
            assert time.monotonic() < until, before
            telegram.do(lambda: _tap_newest(person))
            patience = time.monotonic() + 10
            while telegram.do(lambda: person.screen) == before and time.monotonic() < patience:
                time.sleep(0.05)

    return act


def _tap_newest(person: ScriptedPerson) -> None:
    """Tap the first button of the newest message that is not answered yet, if there is one."""
    asked = [message for message in person.messages if message.buttons and not message.text.startswith("✓")]
    if asked:
        person.press(asked[-1].buttons[0][1], on=asked[-1])
