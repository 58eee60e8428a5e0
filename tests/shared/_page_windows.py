"""The answer page in windows of a real Chromium, in the frame of a client: of a phone, or of a desk."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.async_api import Browser, Frame, Locator, Page, expect

from bot import application
from bot.commands.local_chat import find_free_port
from bot.conversation.texts import get_texts
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery.webhook import ListenAddress, serve_http
from bot.emulator.request import LocalRequest
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram
from bot.web.answer_page.address import PAGE_PATH

if TYPE_CHECKING:
    from annotation.store.database import Database

AXE = Path(AXE_FILE_PATH).read_text("utf-8")
RUN_AXE = "async () => (await axe.run()).violations.map(one => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`)"
WIDER = "() => document.documentElement.scrollWidth - innerWidth"
LOW = """() => [...document.querySelectorAll("button:not(.command), summary, label, textarea")]
  .filter((one) => one.checkVisibility())
  .filter((one) => one.getBoundingClientRect().height < 44 || one.getBoundingClientRect().width < 44)
  .map((one) => one.outerHTML)"""

LOOKS = [(True, "light", "uk"), (False, "dark", "en"), (True, "dark", "en"), (False, "light", "uk")]
"""Whether it is a phone, the colours, and the language."""


@dataclass
class Window:
    """A chat page in a window, of a phone or of a desk."""

    page: Page
    is_phone: bool
    language: str

    async def open_answer_page(self) -> Frame:
        """Begin to work, and open the page of the first item."""
        await self.page.locator("#start").click()
        await self.page.locator("button.key", has_text={"uk": "Українська", "en": "English"}[self.language]).click()
        await self.page.locator("button.key", has_text=get_texts(self.language)("begin")).first.click()
        await self.page.locator("button.key", has_text="📄").click()
        frame = self.page.frame_locator("#mini-app")
        await frame.locator("h1").wait_for()
        return next(frame for frame in self.page.frames if PAGE_PATH in frame.url)

    async def use(self, target: Locator) -> None:
        """Tap it, or click it."""
        await (target.tap() if self.is_phone else target.click())

    async def choose(self, frame: Frame, number: int) -> None:
        """Choose an option, on a desk by its digit, from 0 on."""
        if self.is_phone:
            await frame.locator(".options button").nth(number).tap()
        else:
            await self.page.keyboard.press(str(number + 1))

    async def mark(self, frame: Frame, word: str) -> None:
        """Mark the third word: by a tap, or by the cursor, which moves down a line and up again before."""
        if self.is_phone:
            await frame.locator("#text .w", has_text=word).tap()
            return
        text = frame.locator("#text")
        await text.focus()
        for key, at in (("ArrowDown", r"w\d\d"), ("ArrowUp", "w0"), ("ArrowRight", "w1"), ("ArrowRight", "w2")):
            await self.page.keyboard.press(key)
            await expect(text).to_have_attribute("aria-activedescendant", re.compile(f"^{at}$"))
        await self.page.keyboard.press("Enter")


@asynccontextmanager
async def serve_answer_page(db: Database) -> AsyncIterator[Server]:
    """Serve the chat page of a bot at work that has an answer page."""
    telegram, port = Telegram(), find_free_port()
    origin = f"http://127.0.0.1:{port}"
    settings = ConversationSettings(key=b"k" * 32, page_url=f"{origin}{PAGE_PATH}")
    app = application.build_application(
        token=telegram.token,
        database=db,
        settings=application.build_delivery_settings(settings),
        request=LocalRequest(telegram),
    )
    async with Server(telegram) as started:
        started.page.mini_apps = origin
        routes = application.list_page_routes((app,), f"{origin}{PAGE_PATH}", frames=(started.url,))
        listen = ListenAddress(host="127.0.0.1", port=port, field="port")
        async with serve_http(routes, listen), application.poll_in_background(app):
            yield started


async def open_window(chromium: Browser, server: Server, *, is_phone: bool, scheme: str, language: str) -> Window:
    """A window of 360 × 740 with touch, or of 1280 × 800; an error of a script fails the test."""
    context = await chromium.new_context(
        viewport={"width": 360, "height": 740} if is_phone else {"width": 1280, "height": 800},
        has_touch=is_phone,
        is_mobile=is_phone,
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = await context.new_page()
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    await page.goto(f"{server.url}/?token={server.page.ticket}")
    return Window(page, is_phone, language)


async def check_look(frame: Frame) -> None:
    """axe-core finds nothing, nothing is wider than the window, no button is lower than a finger."""
    await frame.evaluate(AXE)
    assert await frame.evaluate(RUN_AXE) == []
    assert await frame.evaluate(WIDER) <= 0
    assert await frame.evaluate(LOW) == []
