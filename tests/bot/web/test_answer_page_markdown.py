"""Markdown on the answer page in a real Chromium: tables, code and formulas, on a phone and on a desk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from _markdown import write_project
from _page_windows import LOOKS, check_look, open_window, serve_answer_page
from playwright.async_api import Browser, expect

from annotation.store import queries
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.texts import get_texts
from bot.emulator.server import Server

if TYPE_CHECKING:
    from annotation.store.database import Database

pytestmark = [
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
]  # the browser lives in the loop that started it
NAMESPACES = "(all) => [...new Set(all.map((one) => one.namespaceURI))]"
SCROLLED = "(box) => { box.scrollLeft = 40; return box.scrollLeft; }"


@pytest_asyncio.fixture(loop_scope="module")
async def server(db: Database) -> AsyncIterator[Server]:
    """The chat page of a bot at work that has an answer page."""
    async with serve_answer_page(db) as started:
        yield started


@pytest.mark.parametrize(("is_phone", "scheme", "language"), LOOKS[:3])
async def test_markdown_is_drawn(
    chromium: Browser, server: Server, db: Database, tmp_path: Path, is_phone: bool, scheme: str, language: str
) -> None:
    """What is wider than a phone scrolls by itself and takes the keys; raw HTML is text, and nothing is fetched."""
    now = datetime.now(UTC)
    with db.transaction() as session:
        projects.load_project_file(session, write_project(tmp_path / "sums"), now=now)
        transitions.start_project(session, project=queries.get_project(session, "sums"), now=now)
    window = await open_window(chromium, server, is_phone=is_phone, scheme=scheme, language=language)
    asked: list[str] = []
    window.page.on("request", lambda request: asked.append(request.url))
    frame, texts = await window.open_answer_page(), get_texts(language)
    await expect(frame.locator(".markdown math[display=block] mfrac")).to_be_visible()
    await check_look(frame)
    shown = frame.locator(".markdown")
    await expect(shown.locator("h1, h2, h3, a, img, b, script, [onclick]")).to_have_count(0)
    await expect(shown).to_contain_text('[rules](https://a.b/c_d_e) and <b onclick="x">it</b>.')
    await expect(shown.locator("pre")).to_contain_text('return "<script>alert(1)</script>"')
    await expect(shown.locator("code", has_text=r"$\foo{y}$")).to_be_visible()
    await expect(shown.locator("math")).to_have_count(6)
    assert await shown.locator("math, math *").evaluate_all(NAMESPACES) == ["http://www.w3.org/1998/Math/MathML"]
    await expect(shown.locator("li[value='3']")).to_be_visible()
    for name in ("page-table", "page-listing", "page-formula"):
        box = shown.get_by_role("group", name=texts(name))
        await expect(box).to_have_count(int(is_phone))
        if is_phone:
            await expect(box).to_have_attribute("tabindex", "0")
            assert await box.evaluate(SCROLLED) > 0
    await check_look(frame)
    assert not [url for url in asked if not url.startswith(("http://127.0.0.1", "data:"))]
    await window.choose(frame, 0)
    await expect(frame.locator("h1")).to_have_text(texts("page-nothing"))
