"""How much room the card of an item takes on a phone, measured in the chat page of a real Chromium, 360 px wide."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page

from annotation.store import queries
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.conversation.texts import LANGUAGES, get_texts
from bot.conversation.updates_and_calls import ConversationSettings
from bot.emulator.request import LocalRequest
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from annotation.store.database import Database

pytestmark = pytest.mark.asyncio(loop_scope="module")  # the browser lives in the loop that started it
WIDTH, HEIGHT = 360, 740
MAX_CARD_HEIGHT = 500
NAMES = {"uk": "Українська", "en": "English", "ru": "Русский", "pl": "Polski"}
SENTENCE = "Руда лисиця зустріла на стежці старого вовка і спитала, куди він так поспішає."
QUESTION = "Що відповів вовк лисиці на її запитання?"
ORDINARY = ["він несе додому дрова, бо вечір холодний", "він біжить до річки напитися свіжої води"]
ORDINARY += ["він шукає свого брата у великому темному", "він не поспішає, а лише тихесенько гуляє"]
LONG = [f"{number}. {'дуже докладна відповідь, яку треба дочитати, ' * 3}" for number in range(8)]


@dataclass
class Shown:
    """The page of a chat in which a project is under way."""

    page: Page

    def find_card(self) -> Locator:
        """The newest message with buttons."""
        return self.page.locator("#log li", has=self.page.locator(".buttons")).last

    async def tap(self, label: str) -> None:
        """Tap a button of the newest message and wait for what follows."""
        seen = await self.page.locator("#log").inner_text()
        await self.find_card().locator(".key", has_text=label).first.click()
        await self.page.wait_for_function("seen => document.querySelector('#log').innerText !== seen", arg=seen)

    async def measure_rows(self) -> list[float]:
        """The heights of the card and of its last row of buttons with the gap above, in pixels."""
        card = await self.find_card().bounding_box()
        row = await self.find_card().locator(".row").last.bounding_box()
        assert card is not None
        assert row is not None
        return [card["height"], row["height"] + 5]

    async def take_picture(self, name: str) -> None:
        """Keep a screenshot where CARD_PICTURES names a folder."""
        if folder := os.environ.get("CARD_PICTURES"):
            await self.page.screenshot(path=Path(folder) / f"{name}.png")


def load_item(
    db: Database, folder: Path, *, questions: list[Any] | None = None, stimulus: str = SENTENCE, **question: Any
) -> None:
    """A running project of one item, with a reward and the countdown."""
    (folder / "p.jsonl").write_text(json.dumps({"id": "1", "text": stimulus}, ensure_ascii=False) + "\n", "utf-8")
    keys = {
        "project": "p",
        "title": "p",
        "language": "uk",
        "instructions": "Прочитайте.",
        "questions": questions or [{"type": "choice", "name": "answer", "text": QUESTION, **question}],
        "items": {"file": "p.jsonl", "id": "id", "show": "text"},
        "overlap": 1,
        "caps": {"items": 1},  # so that nothing is offered at the end
        "reward": {"emoji": ["🍎"], "countdown": True},
    }
    (folder / "p.yaml").write_text(json.dumps(keys, ensure_ascii=False), "utf-8")
    now = datetime.now(UTC)
    with db.transaction() as session:
        projects.load_project_file(session, folder / "p.yaml", now=now)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=now)


@pytest_asyncio.fixture(loop_scope="module")
async def shown(chromium: Browser, db: Database) -> AsyncIterator[Shown]:
    """The bot at work, and its chat page in a phone's window."""
    telegram = Telegram()
    app = application.build_application(
        token=telegram.token,
        database=db,
        settings=application.build_delivery_settings(ConversationSettings(key=b"k" * 32)),
        request=LocalRequest(telegram),
    )
    async with Server(telegram) as server, application.poll_in_background(app):
        context = await chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT}, locale="uk")
        page = await context.new_page()
        await page.goto(f"{server.url}/?token={server.page.ticket}")
        yield Shown(page)


async def go_to_item(shown: Shown, language: str) -> None:
    """Start, choose the language, and tap the first button of whatever is asked, until there is an item."""
    await shown.page.get_by_role("button", name="Почати").click()
    await shown.find_card().wait_for()
    await shown.tap(NAMES[language])
    while not await shown.find_card().locator(".key", has_text=get_texts(language)("skip")).count():
        await shown.tap(await shown.find_card().locator(".key").first.inner_text())


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_ordinary_item_fits_a_phone(shown: Shown, db: Database, tmp_path: Path, language: str) -> None:
    """Four options of 40 characters: the card with its question and all buttons has at most 500 px.

    The service buttons take one row, less than an eighth of it (three rows took 16 to 35 %), and no label is cut.
    """
    assert [len(option) for option in ORDINARY] == [40] * 4
    load_item(db, tmp_path, options=ORDINARY)
    await go_to_item(shown, language)
    await shown.take_picture(f"ordinary-{language}")
    card, service = await shown.measure_rows()
    assert card <= MAX_CARD_HEIGHT, card
    assert service / card < 1 / 8, (card, service)
    cut = "keys => keys.filter(key => key.scrollWidth > key.clientWidth).map(key => key.innerText)"
    assert await shown.find_card().locator(".key").evaluate_all(cut) == []
    await shown.tap(get_texts(language)("more"))
    await shown.take_picture(f"more-{language}")
    assert await shown.find_card().locator(".key").evaluate_all(cut) == []


async def test_the_question_stays_in_sight_below_long_options(shown: Shown, db: Database, tmp_path: Path) -> None:
    """The list alone is longer than the screen: the question stands once more below it, with every button in sight."""
    load_item(db, tmp_path, options=LONG)
    await go_to_item(shown, "uk")
    await shown.take_picture("long")
    card, _ = await shown.measure_rows()
    assert card > HEIGHT
    question = shown.page.locator("#log li .text strong", has_text="Що відповів вовк").last
    seen = await shown.page.locator("#scroller").bounding_box()
    top, last = await question.bounding_box(), await shown.find_card().locator(".row").last.bounding_box()
    assert seen is not None
    assert top is not None
    assert last is not None
    assert top["y"] >= seen["y"]
    assert last["y"] + last["height"] <= seen["y"] + seen["height"]
    assert last["y"] + last["height"] - top["y"] <= MAX_CARD_HEIGHT


@pytest.mark.parametrize("language", LANGUAGES)
async def test_ten_long_titles_below_a_long_text_fit_the_screen_folded(
    shown: Shown, db: Database, tmp_path: Path, language: str
) -> None:
    """A text of 900 characters, ten options of 100: at most 900 px; ten letters stand 5 + 5."""
    text = ("Руда лисиця зустріла на стежці старого вовка і спитала, куди він поспішає. " * 13)[:900].strip() + "."
    title = "Міська рада обговорила, коли ремонтувати міст через річку, і запросила мешканців на зустріч у середу"
    titles = [f"{title[:-1]}{letter}" for letter in "абвгдежзик"]
    assert {len(title) for title in titles} == {100}
    load_item(db, tmp_path, stimulus=text, options=titles)
    await go_to_item(shown, language)
    await shown.take_picture(f"titles-{language}")
    card, _ = await shown.measure_rows()
    assert card <= 900, card
    rows = shown.find_card().locator(".row")
    keys = [await rows.nth(number).locator(".key").all_inner_texts() for number in range(await rows.count())]
    assert [len(row) for row in keys] == [5, 5, 2]


async def test_several_questions_stay_on_one_card(shown: Shown, db: Database, tmp_path: Path) -> None:
    """Five questions are asked on the same message, with two buttons in the row below; no label is cut on the way."""
    texts = ["Це добрий вчинок?", "Це законно?", "Чи зробили б так ви?", "Чи схвалили б це інші?", "Це чесно?"]
    questions = [
        {"type": "choice", "name": f"q{number}", "text": text, "options": ["так", "ні"]}
        for number, text in enumerate(texts)
    ]
    load_item(db, tmp_path, questions=questions)
    await go_to_item(shown, "uk")
    n_messages = await shown.page.locator("#log li").count()
    cut = "keys => keys.filter(key => key.scrollWidth > key.clientWidth).map(key => key.innerText)"
    for _ in texts[1:]:
        await shown.tap("так")
        assert await shown.find_card().locator(".key").evaluate_all(cut) == []
        assert await shown.page.locator("#log li").count() == n_messages
    await shown.take_picture("several-last")
    card, service = await shown.measure_rows()
    assert card <= MAX_CARD_HEIGHT, (card, service)
    await shown.tap("так")
    await shown.page.get_by_text("🍎 1", exact=True).wait_for()
    await shown.take_picture("several-done")
    await shown.tap("Змінити")
    await shown.take_picture("several-summary")
    card, _ = await shown.measure_rows()
    assert card <= MAX_CARD_HEIGHT, card
