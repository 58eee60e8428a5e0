"""The dashboard in a real Chromium: it follows a campaign without a reload, at every width, in light and dark."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _json_schemas
import pytest
from _page_checks import SCHEMES, WIDTHS, check_keyboard, check_paper, find_overflow, list_violations, watch_page
from playwright.sync_api import expect

from annotation.workflow.monitoring import needs
from annotation.workflow.monitoring.needs import Need, NeedKind

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.bot.web.conftest import Campaign

BASELINE, STORIES = "nine.low", "eval-ua-tion.story-correction"
PATHS = ("/", f"/projects/{BASELINE}", f"/projects/{STORIES}", f"/projects/{BASELINE}/items")


@contextmanager
def run_command(url: str) -> Iterator[str]:
    """`hromada dashboard` as somebody runs it; its address without a slash at the end."""
    words = [f"{sysconfig.get_path('scripts')}/hromada", "dashboard", "--listen", "127.0.0.1:0", "--json"]
    env = {"PATH": os.environ["PATH"], "HROMADA_DATABASE_URL": url}
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = "".join(process.stdout.readline() for _ in range(3))
            _json_schemas.check_output(words[1:], told)
            yield str(json.loads(told)["address"]).rstrip("/")
        finally:
            process.terminate()
            assert process.wait(20) == 0


@contextmanager
def serve_in_thread(campaign: Campaign, serve: Callable[..., Any], *, token: str | None = None) -> Iterator[str]:
    """The dashboard in a thread of this process; its address without a slash at the end."""
    addresses, ended = queue.Queue[str](), queue.Queue[None]()

    async def run() -> None:
        async with serve(campaign.database, campaign.url, token=token) as address:
            addresses.put(address)
            await asyncio.to_thread(ended.get)

    with ThreadPoolExecutor(1) as threads:
        serving = threads.submit(asyncio.run, run())
        try:
            yield addresses.get(timeout=20)
        finally:
            ended.put(None)
            serving.result(20)


def open_page(browser: Browser, address: str, *, width: int = 768, scheme: str = "light", language: str = "en") -> Page:
    """A page that is live."""
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    page.goto(f"{address}?lang={language}")
    return page


@pytest.mark.slow
@pytest.mark.process
def test_it_follows_a_campaign_without_a_reload(campaign: Campaign, browser: Browser) -> None:
    """Answers of the simulation appear, focus stays where it was, and a lost connection is said and mended."""
    with run_command(campaign.url) as address:
        page = open_page(browser, f"{address}/projects/{BASELINE}")
        troubles = watch_page(page, address)
        expect(page.locator("#connection")).to_have_text("Updating")
        bar = page.locator("#live-progress progress")
        before = bar.get_attribute("value")
        page.evaluate("window.isTheSamePage = true")
        # measured by a process that stands back behind all others, also while it starts
        expect(page.locator("#live-people tbody tr").first).to_be_visible(timeout=120_000)
        page.get_by_role("link", name="All items").focus()
        campaign.simulation.run(steps=120)
        expect(bar).not_to_have_attribute("value", before or "")
        expect(page.locator("#live-agreement")).to_contain_text("Computed at")
        expect(page.get_by_role("link", name="All items")).to_be_focused()
        assert page.evaluate("window.isTheSamePage") is True
        assert troubles.found == []
    expect(page.locator("#connection")).to_have_text("No connection; trying again")
    page.context.close()


LOOKS = [(width, scheme, ("en", "uk")[number % 2]) for number, width in enumerate(WIDTHS) for scheme in SCHEMES]
ONE_A_PAGE = [(path, *LOOKS[number * 5 % len(LOOKS)]) for number, path in enumerate(PATHS)]
EVERY_ONE = [(path, *look) for path in PATHS for look in LOOKS]


@pytest.mark.parametrize("looks", [ONE_A_PAGE, pytest.param(EVERY_ONE, marks=pytest.mark.slow)], ids=["one", "every"])
def test_every_page_stands_every_width_scheme_and_language(
    campaign: Campaign, serve: Callable[..., Any], browser: Browser, looks: list[tuple[str, int, str, str]]
) -> None:
    """No error, no request elsewhere, no sideways scroll; axe-core finds nothing, the keyboard reaches everything."""
    campaign.simulation.run(steps=150)
    folder = os.environ.get("PAGE_PICTURES")
    with serve_in_thread(campaign, serve) as address:
        for path, width, scheme, language in looks:
            page = open_page(browser, address + path, width=width, scheme=scheme, language=language)
            troubles = watch_page(page, address)
            expect(page.locator("#live-counting")).to_have_count(0)  # a page that is still counted loads itself again
            expect(page.locator("#connection")).to_have_class("live")
            if path == f"/projects/{BASELINE}":
                expect(page.locator("#live-agreement table")).to_be_visible()
            where = f"{path} {width} {scheme}"
            assert list_violations(page) == [], where
            assert find_overflow(page) == 0, where
            assert check_keyboard(page) == [], where
            if folder:
                name = path.strip("/").replace("/", "-") or "all"
                page.screenshot(path=Path(folder) / f"dashboard-{name}-{width}-{scheme}.png", full_page=True)
            assert check_paper(page) == [], where
            assert page.pdf(format="A4")[:5] == b"%PDF-"
            assert troubles.found == [], where
            page.context.close()


@pytest.mark.parametrize("language", ["en", "uk"])
def test_a_phone_shows_what_needs_the_organisers_and_how_much_more_is_below(
    campaign: Campaign,
    serve: Callable[..., Any],
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    language: str,
) -> None:
    """Six things with their commands on the first screen, with three open projects above them; nothing sideways."""
    title, name = "A title that is as long as titles of campaigns are", "a-name-that-is-longer-than-a-line-of-a-phone"
    about: dict[str, Any] = {"project": name, "title": title, "since": datetime.now(UTC) - timedelta(days=2)}
    kinds = [kind for kind in NeedKind if kind not in {NeedKind.SILENCE, NeedKind.BROADCAST}]
    found = tuple(Need(kind=kind, count=12, part=34, names=("p1", "p2", "p3", "p4"), **about) for kind in kinds)
    monkeypatch.setattr(needs, "list_needs", lambda *_, **__: found)
    with serve_in_thread(campaign, serve) as address:
        page = open_page(browser, address, width=360, language=language)
        page.set_viewport_size({"width": 360, "height": 740})
        tasks = page.locator(".tasks li")
        expect(tasks).to_have_count(len(found))  # a page that is still counted loads itself again
        ends = tasks.evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")
        shown = sum(end <= 740 for end in ends)
        assert shown >= 6
        assert find_overflow(page) == 0
        number = len(found) - shown
        expect(page.locator("#below")).to_have_text(
            f"ще {number} нижче" if language == "uk" else f"{number} more below"
        )
        page.mouse.wheel(0, 2000)
        expect(page.locator("#below")).to_be_hidden()
        page.context.close()


@pytest.mark.parametrize("language", ["en", "uk"])
def test_somebody_with_the_token_comes_in(
    campaign: Campaign, serve: Callable[..., Any], browser: Browser, language: str
) -> None:
    words = {
        "en": ("Open", "This is not the token.", "All projects"),
        "uk": ("Відкрити", "Це не той токен.", "Усі проєкти"),
    }
    button, wrong, title = words[language]
    with serve_in_thread(campaign, serve, token="a-long-random-token") as address:  # noqa: S106  # of a test
        page = open_page(browser, f"{address}/login", width=360, language=language)
        troubles = watch_page(page, address)
        assert list_violations(page) == []
        for token, seen in (("guess", wrong), ("a-long-random-token", title)):
            page.locator("#token").fill(token)
            page.get_by_role("button", name=button).click()
            expect(page.locator("body")).to_contain_text(seen)
        expect(page.locator("#connection")).to_have_class("live")
        assert [one for one in troubles.found if "403" not in one] == []
        page.context.close()
