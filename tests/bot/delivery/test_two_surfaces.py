"""One annotator alternates between the chat and the answer page at random, while the bot is killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from time import time
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

import aiohttp
import pytest
from _crowd import is_running, start_spawner, wait_until
from _faulty_telegram import FaultyServer, FaultyTelegram, ObservedPerson
from playwright.async_api import Browser, Page
from playwright.async_api import Error as PageError
from sqlmodel import select

from annotation.store import invariants
from annotation.store.models import Judgement
from bot.commands.local_chat import find_free_port
from bot.conversation import updates_and_calls
from bot.conversation.updates_and_calls import ButtonAction
from bot.emulator.mini_apps import sign_init_data
from bot.emulator.model import DisplayedEvent, Message
from bot.web.answer_page.address import PAGE_PATH

if TYPE_CHECKING:
    from annotation.store.database import Database

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.asyncio(loop_scope="module"),
]  # the browser lives in the loop that started it
ANSWERS, KILLS = 500, 5
OPTIONS = ("перше", "друге")
MARK, ITEM = re.compile(r"✓ [0-9]+ · (\w+)"), re.compile(r"слово \d+")


class Surface(Protocol):
    """Where the annotator answers; it waits for as long as the bot is gone."""

    async def answer(self, label: str) -> None:
        """Answer the item that is asked now, once."""


@dataclass
class ChatSurface:
    """The chat. A card that comes a second time after a kill is left alone once its item is among the `answered`."""

    person: ObservedPerson
    answered: Collection[str] = ()

    async def answer(self, label: str) -> None:
        """Tap the option of the newest item."""
        await wait_until(self.shows_item, who=self.person)
        message = self._find_item()
        assert message is not None
        self.person.tap(label, on=message)

    def shows_item(self) -> bool:
        """Whether an item is asked in the newest message."""
        return self._find_item() is not None

    def _find_item(self) -> Message | None:
        last = self.person.messages[-1]
        if (item := ITEM.search(last.text)) and item[0] in self.answered:
            return None
        pressed = [updates_and_calls.decode_callback(data) for _, data in last.buttons]
        return last if pressed and pressed[0] is not None and pressed[0].action is ButtonAction.ANSWER else None


@dataclass
class RequestedPage:
    """The page by its requests; one that gets no response is sent again, as the page does."""

    client: aiohttp.ClientSession
    address: str
    login: Callable[[], str]
    headers: dict[str, str] = field(default_factory=dict)

    async def answer(self, label: str) -> None:
        """Post the option of the item that the page reads."""
        if not self.headers:
            session = await self._request("POST", "session", {"init_data": self.login()})
            self.headers["Authorization"] = f"Bearer {session['token']}"
        asked = (await self._request("GET", "work"))["item"]["asked"]
        data = {option["label"]: option["data"] for option in asked["options"]}
        await self._request("POST", "tap", {"data": data[label]})

    async def _request(self, method: str, path: str, body: object = None) -> Any:
        while True:
            with contextlib.suppress(aiohttp.ClientError):
                async with self.client.request(
                    method, f"{self.address}{path}", json=body, headers=self.headers
                ) as response:
                    response.raise_for_status()
                    return await response.json()
            await asyncio.sleep(0.05)


@dataclass
class BrowserPage:
    """The page in Chromium, which sends again by itself."""

    page: Page
    address: str
    login: Callable[[], str]

    async def answer(self, label: str) -> None:
        """Load the page, and tap the option of its item."""
        option = self.page.locator(".options button", has_text=label)
        while True:
            with contextlib.suppress(PageError):
                await self.page.goto("about:blank")
                await self.page.goto(f"{self.address}?l=uk#tgWebAppData={quote(self.login())}")
                await option.wait_for(timeout=5_000)
                break
            await asyncio.sleep(0.05)
        await option.click()


@dataclass
class Watch:
    """What the annotator's chat shows: the answers marked as saved, their items, and items that come after that.

    A message that was on its way when the bot was killed may come again, but not once its item is answered.
    """

    saved: list[str] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    again: list[str] = field(default_factory=list)

    def see(self, entry: DisplayedEvent) -> None:
        """Note what comes onto the screen."""
        mark, item = MARK.match(entry.text), ITEM.search(entry.text)
        if item is None:
            return
        if entry.kind == "edit" and mark:
            self.saved.append(mark[1])
            self.answered[item[0]] += 1
        elif entry.kind == "message" and item[0] in self.answered:
            self.again.append(item[0])


async def alternate(
    surfaces: dict[bool, Surface], watch: Watch, rng: random.Random, restart: Callable[[], Awaitable[None]]
) -> list[tuple[str, bool]]:
    """The answers given, and whether each was given on the page; a kill comes while an answer is under way."""
    given: list[tuple[str, bool]] = []
    kills = set(rng.sample(range(5, ANSWERS), KILLS))
    for number in range(ANSWERS):
        label, on_page = rng.choice(OPTIONS), rng.random() < 0.5
        killing = asyncio.ensure_future(restart_later(restart, rng.random() * 0.15)) if number in kills else None
        await surfaces[on_page].answer(label)
        given.append((label, on_page))
        await wait_until(lambda: len(watch.saved) >= len(given), seconds=90)
        if killing is not None:
            await killing
    return given


async def restart_later(restart: Callable[[], Awaitable[None]], seconds: float) -> None:
    """End the bot after a while, and start it again."""
    await asyncio.sleep(seconds)
    await restart()


def make_login(person: ObservedPerson) -> Callable[[], str]:
    """What a client passes to the page: fresh initData of the person."""
    fields = {"user": json.dumps({"id": person.id})}
    return lambda: sign_init_data(fields | {"auth_date": str(int(time()))}, person.telegram.token)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_alternating_loses_nothing_doubles_nothing_and_shows_nothing_twice(
    url: str, db: Database, load_items: Callable[..., None]
) -> None:
    """Each answer is marked once in the chat, stored once with its surface, and its item is not shown again."""
    load_items(items=ANSWERS + 20)
    async with aiohttp.ClientSession() as client:
        await answer_and_compare(url, db, lambda address, login: RequestedPage(client, address, login))


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_alternating_with_the_page_in_a_browser(
    url: str, db: Database, load_items: Callable[..., None], chromium: Browser
) -> None:
    """The same; the page in Chromium sends again by itself what the bot did not take."""
    load_items(items=ANSWERS + 20)
    page = await chromium.new_page()
    await answer_and_compare(url, db, lambda address, login: BrowserPage(page, address, login))


async def answer_and_compare(url: str, db: Database, make_page: Callable[[str, Callable[[], str]], Surface]) -> None:
    """Answer on both surfaces, then compare what the screens showed with what is stored."""
    telegram, rng, watch, port = FaultyTelegram(), random.Random(11), Watch(), find_free_port()  # noqa: S311
    telegram.display_log.watchers.append(watch.see)
    person, address = telegram.person(1), f"http://127.0.0.1:{port}{PAGE_PATH}"
    async with FaultyServer(telegram) as server, start_spawner(server) as bots:

        async def restart() -> None:
            ended = bots.running[0]
            bots.end(ended)
            await wait_until(lambda: not is_running(ended))
            await bots.start(url, page_port=port)

        await bots.start(url, page_port=port)
        await begin(person)
        page = make_page(address, make_login(person))
        given = await alternate({False: ChatSurface(person, watch.answered), True: page}, watch, rng, restart)
        await wait_until(lambda: len(telegram.queue.waiting) == 0)
    assert watch.saved == [label for label, _ in given]
    assert (watch.again, [item for item, times in watch.answered.items() if times > 1]) == ([], [])
    assert len(watch.answered) == ANSWERS
    with db.reading() as view:
        assert invariants.list_violations(view) == ()
        stored = view.exec(select(Judgement).order_by(Judgement.id)).all()  # type: ignore[arg-type]
        assert [(one.response, bool(one.on_page)) for one in stored] == given
        assert len({one.assignment_id for one in stored}) == ANSWERS


async def begin(person: ObservedPerson) -> None:
    """Tap the first button of each message until an item is asked."""
    chat = ChatSurface(person)
    person.send("/start")
    tapped = 0
    while True:
        await wait_until(lambda: person.messages and person.messages[-1].id > tapped and person.messages[-1].buttons)  # noqa: B023
        if chat.shows_item():
            return
        tapped = person.messages[-1].id
        person.press(person.messages[-1].buttons[0][1], on=person.messages[-1])
