"""What ten spans and ten corrections cost a hand, in the chat and on the answer page: the same items on a phone.

One person answers in the chat page of the local Telegram, another on the answer page, both in Chromium at 360 × 740 by
touch. Counted are, an item:

- taps: every touch of a button or of a place in a text; copying a paragraph of the chat, touching the field, pasting
  and setting the cursor are one each, in the chat as on the page;
- keys: characters typed and deleted;
- messages that come and that are sent;
- screens: the height of the item's messages in the chat, or of the page, before it is saved, in heights of the window.

Messages that come while somebody answers on the page are the cards in the chat, at which nobody needs to look.

How long it takes a person is not measured: a script has no thumbs.

python benchmarks/taps.py [--items 10] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import quote

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

from _chromium import FLAGS, PROGRAM
from _figures import Figure, show
from playwright.async_api import Browser, Page, async_playwright, expect
from sqlmodel import col, func, select

from annotation.store import database, queries
from annotation.store.models import Annotator, Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.commands.local_chat import find_free_port
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery.webhook import ListenAddress, serve_http
from bot.emulator.mini_apps import sign_init_data
from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram
from bot.web.answer_page.address import PAGE_PATH

SENTENCES = (
    "Іван мовчав і слухав, як вода біжить до старих яблунь за хатою.",
    "Уранці над річкою стояв густий туман, і берега майже не було видно.",
    "Бабуся поставила на стіл гарячий хліб, мед і глечик молока.",
    "Діти побігли стежкою до лісу, бо там уже достигли перші суниці.",
    "Старий млин давно не працював, але колесо ще рипіло від вітру.",
    "Увечері сусіди сходилися на лавку й довго говорили про врожай.",
    "Кіт дрімав на підвіконні й не чув, як у дворі гавкає собака.",
    "Лист прийшов аж восени, коли ніхто вже на нього не чекав.",
    "Марічка знайшла в скрині вишиту сорочку своєї прабабусі.",
    "Дорога до міста забирала два дні, якщо не було дощу.",
)
WRONG = (
    ("Оксана поливала городина щоранку.", "городина", "городину"),
    ("Тато приніс з лісу повний кошик грибам.", "грибам", "грибів"),
    ("Вони довго дивилися на зорях.", "зорях", "зорі"),
    ("Хлопець подарував сестра книжку.", "сестра", "сестрі"),
)
"""Sentences with a wrong word, that word, and the right one."""
WIDTH, HEIGHT = 360, 740
PAGE_PERSON = 77
COUNTED = ("taps", "keys", "messages received", "messages sent", "screens")
QUESTIONS: dict[str, dict[str, Any]] = {
    "span": {"type": "span", "text": "Де помилка?", "field": "text", "none": "Немає"},
    "edit": {"type": "edit", "text": "Виправте.", "field": "text"},
}


def build_texts(kind: str, number: int) -> list[str]:
    """Texts of about 600 characters with one wrong word; to be corrected, of 7 paragraphs with three wrong words."""
    rng, texts = random.Random(47), []  # noqa: S311
    for _ in range(number):
        if kind == "span":
            sentences = [*rng.sample(SENTENCES, 9), rng.choice(WRONG)[0]]
            rng.shuffle(sentences)
            texts.append(" ".join(sentences))
            continue
        paragraphs = [rng.sample(SENTENCES, 5) for _ in range(7)]
        for place, (wrong, _, _) in zip(rng.sample(range(7), 3), rng.sample(WRONG, 3), strict=True):
            paragraphs[place].insert(rng.randrange(6), wrong)
        texts.append("\n\n".join(map(" ".join, paragraphs)))
    return texts


def list_wrong(text: str) -> list[tuple[str, str]]:
    """The wrong words of a text with the right ones, in the order of the text."""
    found = [(text.index(sentence), word, right) for sentence, word, right in WRONG if sentence in text]
    return [(word, right) for _, word, right in sorted(found)]


def correct_text(text: str) -> str:
    """The text without its wrong words."""
    for sentence, word, right in WRONG:
        text = text.replace(sentence, sentence.replace(word, right))
    return text


def count_keys(word: str, right: str) -> tuple[int, str]:
    """How many characters are deleted from the end of a word, and what is typed instead."""
    same = next((n for n, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), min(len(word), len(right)))
    return len(word) - same, right[same:]


@dataclass
class Hand:
    """A thumb in a window, which counts what it does; in the chat, the messages of an item begin at `first`."""

    page: Page
    counts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0.0))
    first: int = 0

    async def tap(self, selector: str, *, text: str | None = None) -> None:
        """Touch the last element of this kind that has this text, where one is given."""
        found = self.page.locator(selector)
        exact = re.compile(f"^{re.escape(text)}$") if text is not None else None
        await (found if exact is None else found.filter(has_text=exact)).last.tap()
        self.counts["taps"] += 1

    async def replace_word(self, field_id: str, word: str, right: str) -> None:
        """Set the cursor behind a word of a field, delete its end and type another."""
        end = "(one, word) => { const at = one.value.indexOf(word) + word.length; one.setSelectionRange(at, at); }"
        await self.page.locator(field_id).evaluate(end, word)
        self.counts["taps"] += 1
        n_deleted, typed = count_keys(word, right)
        for _ in range(n_deleted):
            await self.page.keyboard.press("Backspace")
        await self.page.keyboard.type(typed)
        self.counts["keys"] += n_deleted + len(typed)

    async def add_screens(self) -> None:
        """Add the height of the page."""
        self.counts["screens"] += await self.page.evaluate(READ_PAGE_HEIGHT) / HEIGHT

    async def save_in_chat(self) -> None:
        """Add the height of the item's messages, and save; what comes then is of the next item."""
        self.counts["screens"] += await self.page.evaluate(READ_HEIGHT, self.first) / HEIGHT
        self.first = await self.page.evaluate(COUNT_MESSAGES)
        await self.tap("button.key", text="Зберегти")


async def mark_in_chat(hand: Hand, text: str) -> None:
    """Choose the sentence, the first and the last word, and save."""
    ((word, _),) = list_wrong(text)
    sentences = re.split(r"(?<=\.) ", text)
    number = next(n for n, sentence in enumerate(sentences, 1) if any(sentence == wrong for wrong, _, _ in WRONG))
    place = sentences[number - 1].rstrip(".").split().index(word) + 1
    log, chosen = hand.page.locator("#log"), re.compile(re.escape(f"[{word}]"))
    await hand.tap("button.key", text=str(number))
    await expect(log).to_contain_text("З якого слова")
    await hand.tap("button.key", text=str(place))
    await expect(log).to_contain_text(re.compile(f"Яким словом|{chosen.pattern}"))
    if not chosen.search(await log.inner_text()):  # after the last word of a text nothing is left to choose
        await hand.tap("button.key", text=str(place))
    await expect(log).to_contain_text(chosen)
    await hand.save_in_chat()


async def correct_in_chat(hand: Hand, text: str) -> None:
    """Copy each paragraph with a wrong word, correct and send it; accept the others; save."""
    for number, paragraph in enumerate(text.split("\n\n"), 1):
        await expect(hand.page.locator("#scroller")).to_contain_text(f"Абзац {number} з 7")
        wrong = list_wrong(paragraph)
        if not wrong:
            await hand.tap("button.key", text="Без змін")
            continue
        hand.counts["taps"] += 1  # copies the paragraph
        await hand.tap("#text")
        hand.counts["taps"] += 1  # pastes it
        await hand.page.keyboard.insert_text(paragraph)
        for word, right in wrong:
            await hand.replace_word("#text", word, right)
        await asyncio.sleep(1.1)  # a text sent in the same second as the question does not answer it
        await hand.tap("#send")
        hand.counts["messages sent"] += 1
    await hand.save_in_chat()


async def mark_on_page(hand: Hand, text: str) -> None:
    """Touch the word, and save."""
    ((word, _),) = list_wrong(text)
    await hand.tap("#text .w", text=word)
    await hand.add_screens()
    await hand.tap("#save")


async def correct_on_page(hand: Hand, text: str) -> None:
    """Touch each wrong word in the field and type; save."""
    for word, right in list_wrong(text):
        await hand.page.locator("#area").focus()
        await hand.replace_word("#area", word, right)
    await hand.add_screens()
    await hand.tap("#save")


IN_CHAT = {"span": mark_in_chat, "edit": correct_in_chat}
ON_PAGE = {"span": mark_on_page, "edit": correct_on_page}
COUNT_MESSAGES = "() => document.querySelectorAll('#log > li').length"
READ_HEIGHT = """(first) => [...document.querySelectorAll("#log > li")].slice(first)
  .reduce((sum, one) => sum + one.getBoundingClientRect().height, 0)"""
READ_PAGE_HEIGHT = "() => document.documentElement.scrollHeight"


@dataclass
class Stage:
    """A bot at work, its chat page, and where its answer page is."""

    db: database.Database
    telegram: Telegram
    server: Server
    url: str


@asynccontextmanager
async def start_stage(kind: str, texts: list[str], folder: Path) -> AsyncIterator[Stage]:
    """A running project of these texts, for two people."""
    rows = [json.dumps({"id": str(number), "text": text}, ensure_ascii=False) for number, text in enumerate(texts)]
    (folder / "p.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    keys = {
        "project": "p",
        "title": "p",
        "language": "uk",
        "instructions": "Прочитайте.",
        "question": QUESTIONS[kind],
        "items": {"file": "p.jsonl", "id": "id", "show": "text"},
        "overlap": 2,
    }
    (folder / "p.yaml").write_text(json.dumps(keys, ensure_ascii=False), "utf-8")
    now, telegram, port = datetime.now(UTC), Telegram(), find_free_port()
    url = f"http://127.0.0.1:{port}{PAGE_PATH}"
    with database.open_database(f"sqlite:///{folder / 'hromada.db'}") as db:
        with db.transaction() as session:
            projects.load_project_file(session, folder / "p.yaml", now=now)
            transitions.start_project(session, project=queries.get_project(session, "p"), now=now)
        app = application.build_application(
            token=telegram.token,
            database=db,
            settings=application.build_delivery_settings(ConversationSettings(key=b"k" * 32, page_url=url)),
            request=LocalRequest(telegram),
        )
        async with Server(telegram) as server:
            routes = application.list_page_routes((app,), url, frames=(server.url,))
            listen = ListenAddress(host="127.0.0.1", port=port, field="port")
            async with serve_http(routes, listen), application.poll_in_background(app):
                yield Stage(db, telegram, server, url)


def count_answers(db: database.Database, telegram_id: int) -> int:
    """How many answers somebody has given."""
    given = select(func.count()).select_from(Judgement).join(Assignment).join(Annotator)
    with db.reading() as view:
        return view.exec(given.where(col(Annotator.telegram_id) == telegram_id)).one()


async def wait_until(condition: Callable[[], object], *, seconds: float = 30) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


def read_open_text(db: database.Database, telegram_id: int) -> str | None:
    """The text of the item that somebody has; None where they have none."""
    live = (
        select(Item.stimulus)
        .join(Assignment)
        .join(Annotator)
        .where(col(Annotator.telegram_id) == telegram_id, col(Assignment.status) == AssignmentStatus.LIVE)
    )
    with db.reading() as view:
        return view.exec(live).one_or_none()


def read_response(kind: str, response: str) -> str:
    """The corrected text, or the marked word."""
    return response if kind == "edit" else str(json.loads(response)[0]["text"])


def find_right(kind: str, text: str) -> str:
    """The right answer to a text."""
    return correct_text(text) if kind == "edit" else list_wrong(text)[0][0]


def check_answers(db: database.Database, kind: str, *, number: int) -> None:
    """Both people gave the right answer to every item; the process ends otherwise."""
    with db.reading() as view:
        stored = view.exec(
            select(Item.stimulus, Judgement.response)
            .join(Assignment, col(Assignment.item_id) == Item.id)
            .join(Judgement)
        ).all()
    wrong = [text for text, response in stored if read_response(kind, response) != find_right(kind, text)]
    if len(stored) != 2 * number or wrong:
        raise SystemExit(f"{kind}: {len(stored)} of {2 * number} answers, {len(wrong)} of them wrong: {wrong[:1]}")


async def open_phone(browser: Browser, address: str) -> Hand:
    """A phone at this address."""
    viewport: Any = {"width": WIDTH, "height": HEIGHT}
    context = await browser.new_context(viewport=viewport, has_touch=True, is_mobile=True)
    page = await context.new_page()
    await page.goto(address)
    return Hand(page)


async def answer_in_chat(stage: Stage, browser: Browser, kind: str, *, number: int) -> Hand:
    """Answer all items in the chat."""
    hand = await open_phone(browser, f"{stage.server.url}/?token={stage.server.page.ticket}")
    await hand.page.locator("#start").tap()
    await hand.page.locator("button.key", has_text="Українська").tap()
    begin = hand.page.locator("button.key", has_text="Почати")
    await begin.wait_for()
    (who,) = stage.telegram.chats
    person = stage.telegram.person(who)
    came, hand.first = len(person.messages), await hand.page.evaluate(COUNT_MESSAGES)
    await begin.tap()
    for done in range(number):
        await wait_until(lambda: read_open_text(stage.db, who) is not None)
        await IN_CHAT[kind](hand, read_open_text(stage.db, who) or "")
        await wait_until(lambda done=done: count_answers(stage.db, who) > done)  # type: ignore[misc]
    await asyncio.sleep(1)  # what follows the last answer has come
    hand.counts["messages received"] += len(person.messages) - came
    return hand


async def tap_label(person: ScriptedPerson, label: str) -> None:
    """Tap a button as soon as it is there."""
    await wait_until(lambda: person.messages and label in dict(person.messages[-1].buttons))
    person.tap(label)


async def answer_on_page(stage: Stage, browser: Browser, kind: str, *, number: int) -> Hand:
    """Answer all items on the answer page."""
    person = stage.telegram.person(PAGE_PERSON)
    person.send("/start")
    for label in ("Українська", "Почати"):
        await tap_label(person, label)
    await wait_until(lambda: person.messages[-1].buttons and read_open_text(stage.db, person.id) is not None)
    await asyncio.sleep(1)  # the first card has come
    came = len(person.messages)
    fields = {"user": json.dumps({"id": person.id}), "auth_date": str(int(time()))}
    signed = quote(sign_init_data(fields, stage.telegram.token))
    hand = await open_phone(browser, f"{stage.url}?l=uk#tgWebAppData={signed}")
    for done in range(number):
        text = read_open_text(stage.db, person.id) or ""
        shown = hand.page.locator("#area") if kind == "edit" else hand.page.locator("#text")
        await (expect(shown).to_have_value(text) if kind == "edit" else expect(shown).to_contain_text(text[:20]))
        await ON_PAGE[kind](hand, text)
        await wait_until(lambda done=done: count_answers(stage.db, person.id) > done)  # type: ignore[misc]
    await asyncio.sleep(1)
    hand.counts["messages received"] += len(person.messages) - came
    return hand


async def measure(number: int) -> list[Figure]:
    """What an item takes, by kind of question and surface; the process ends at a wrong answer."""
    if PROGRAM is None:
        raise SystemExit("Install Debian's chromium first.")
    figures = []
    for kind in QUESTIONS:
        with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name:
            texts = build_texts(kind, number)
            async with start_stage(kind, texts, Path(name)) as stage, async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
                hands = {
                    "chat": await answer_in_chat(stage, browser, kind, number=number),
                    "page": await answer_on_page(stage, browser, kind, number=number),
                }
                await browser.close()
                check_answers(stage.db, kind, number=number)
        figures += [
            Figure(f"{kind}, {surface}: {what}", hand.counts[what] / number, "an item")
            for surface, hand in hands.items()
            for what in COUNTED
        ]
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    show("A hand in the chat and on the answer page", asyncio.run(measure(chosen.items)))
