"""How soon the answer page can be used on a phone with a slow processor and network, and how much it loads.

Chromium opens the page of an item with a span question, as a client of Telegram does, with a processor slowed down four
times, 1.6 Mbit/s and 150 ms to the server (Lighthouse's "slow 4G" with its latency). It can be used once the question
and its words are drawn.

python benchmarks/answer_page.py [--runs 5] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import time
from urllib.parse import quote

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

from _chromium import FLAGS, PROGRAM
from _figures import Figure, show
from aiohttp import web
from playwright.async_api import Browser, async_playwright

from annotation.store import database, queries
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.commands.local_chat import find_free_port
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery.webhook import ListenAddress, serve_http
from bot.emulator.mini_apps import sign_init_data
from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.telegram import Telegram
from bot.web.answer_page.address import PAGE_PATH

MOST_KILOBYTES, MOST_SECONDS = 60, 1.0
"""Goals: the first page over the wire, and until it can be used."""
BYTES_A_SECOND, LATENCY_MS, SLOWER = 1.6e6 / 8, 150, 4
SENTENCE = "Іван мовчав і слухав, як вода біжить до старих яблунь за хатою, і думав про дорогу. "
PROJECT = {
    "project": "p",
    "title": "p",
    "language": "uk",
    "instructions": "Прочитайте.",
    "question": {"type": "span", "text": "Де помилка?", "field": "text", "none": "Немає"},
    "items": {"file": "p.jsonl", "id": "id", "show": "text"},
    "overlap": 1,
}
NOTE_DRAWING = """new MutationObserver((_, observer) => {
  if (document.querySelector("main h1") && document.querySelector("#text .w")) {
    window.drawnAt = performance.now(); observer.disconnect();
  }
}).observe(document, {childList: true, subtree: true});"""


def load_project(db: database.Database, folder: Path) -> None:
    """A running project of one item of 860 characters."""
    (folder / "p.jsonl").write_text(json.dumps({"id": "1", "text": SENTENCE * 10}) + "\n", "utf-8")
    (folder / "p.yaml").write_text(json.dumps(PROJECT, ensure_ascii=False), "utf-8")
    now = datetime.now(UTC)
    with db.transaction() as session:
        projects.load_project_file(session, folder / "p.yaml", now=now)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=now)


async def begin(app: application.BotApplication, telegram: Telegram, person: ScriptedPerson) -> None:
    """Bring somebody to the item."""
    person.send("/start")
    for _ in range(2):
        await app.deliver(*telegram.take())
        message = person.messages[-1]
        person.press(message.buttons[0][1], on=message)
    await app.deliver(*telegram.take())


async def open_page(browser: Browser, address: str) -> tuple[float, float]:
    """Seconds until the question is drawn, and kilobytes that came over the wire."""
    context = await browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    received = 0.0

    def count(event: dict[str, float]) -> None:
        nonlocal received
        received += event["encodedDataLength"]

    session.on("Network.loadingFinished", count)
    await session.send("Network.enable")
    await session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": LATENCY_MS,
            "downloadThroughput": BYTES_A_SECOND,
            "uploadThroughput": BYTES_A_SECOND,
        },
    )
    await session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    await page.add_init_script(NOTE_DRAWING)
    await page.goto(address)
    await page.locator("#text .w").first.wait_for()
    seconds = await page.evaluate("window.drawnAt") / 1000
    await context.close()
    return float(seconds), received / 1000


async def measure(runs: int) -> tuple[list[float], float]:
    """The seconds of each run, and the kilobytes of one."""
    if PROGRAM is None:
        raise SystemExit("Install Debian's chromium first.")
    telegram, port = Telegram(), find_free_port()
    url = f"http://127.0.0.1:{port}{PAGE_PATH}"
    with (
        tempfile.TemporaryDirectory(prefix="hromada-bench-") as name,
        database.open_database(f"sqlite:///{name}/hromada.db") as db,
    ):
        load_project(db, Path(name))
        app = application.build_application(
            token=telegram.token,
            database=db,
            settings=application.build_delivery_settings(ConversationSettings(key=b"k" * 32, page_url=url)),
            request=LocalRequest(telegram),
        )
        listen = ListenAddress(host="127.0.0.1", port=port, field="port")
        routes: list[web.RouteDef] = application.list_page_routes((app,), url)
        async with app, serve_http(routes, listen), async_playwright() as playwright:
            person = telegram.person(1)
            await begin(app, telegram, person)
            fields = {"user": json.dumps({"id": person.id}), "auth_date": str(int(time()))}
            address = f"{url}?l=uk#tgWebAppData={quote(sign_init_data(fields, telegram.token))}"
            browser = await playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
            opened = [await open_page(browser, address) for _ in range(runs)]
            await browser.close()
    return [seconds for seconds, _ in opened], opened[0][1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    every, kilobytes = asyncio.run(measure(parser.parse_args().runs))
    median = statistics.median(every)
    show(
        "The answer page on a slow phone",
        [
            Figure("first page over the wire", kilobytes, "kB", f"< {MOST_KILOBYTES}", kilobytes < MOST_KILOBYTES),
            Figure("until it can be used, median", median, "s", f"<= {MOST_SECONDS:g}", median <= MOST_SECONDS),
            Figure("until it can be used, longest", max(every), "s"),
        ],
    )
