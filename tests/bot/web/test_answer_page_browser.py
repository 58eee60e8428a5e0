"""The answer page in a real Chromium, in the frame of a client: every kind of question, by touch and by keys."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from _page_windows import LOOKS, Window, check_look, open_window, serve_answer_page
from _pictures import write_project
from playwright.async_api import Browser, Locator, Page, Route, expect
from sqlmodel import select

from annotation.store import queries
from annotation.store.models import Judgement
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.texts import get_texts
from bot.emulator.server import Server
from bot.web.answer_page.address import PAGE_PATH

if TYPE_CHECKING:
    from annotation.store.database import Database

pytestmark = [
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="module"),
]  # the browser lives in the loop that started it
TEXT = "Марія поливала городина щоранку. " + "Іван мовчав і слухав, як вода біжить до старих яблунь за хатою. " * 3
QUESTIONS: list[dict[str, Any]] = [
    {"name": "who", "type": "choice", "text": "Хто мовчав?", "options": ["Марія", "Іван"]},
    {"name": "wrong", "type": "choices", "text": "Що не так?", "options": ["відмінок", "кома"]},
    {"name": "where", "type": "span", "text": "Де помилка?", "field": "text", "none": "Немає"},
    {"name": "fixed", "type": "edit", "text": "Виправте.", "field": "text"},
    {"name": "good", "type": "scale", "text": "Наскільки добре?", "options": ["1", "2", "3"], "ends": ["ні", "так"]},
    {"name": "why", "type": "text", "text": "Чому?"},
]
PAIR: dict[str, Any] = {
    "name": "better",
    "type": "preference",
    "text": "Яка краща?",
    "sides": ["one", "two"],
    "tie": "однаково",
}
ROW = {"id": "1", "text": TEXT, "one": "Жила собі лисиця. " * 20, "two": "Був собі вовк. " * 20}
RIGHT = TEXT.replace("городина", "городину")
STORED = {
    "who": "Іван",
    "wrong": '["відмінок"]',
    "where": '[{"start": 15, "end": 23, "text": "городина"}]',
    "fixed": RIGHT,
    "good": "2",
    "why": "Бо так.",
}


@pytest_asyncio.fixture(loop_scope="module")
async def server(db: Database) -> AsyncIterator[Server]:
    """The chat page of a bot at work that has an answer page."""
    async with serve_answer_page(db) as started:
        yield started


def load_project(db: Database, folder: Path, questions: list[dict[str, Any]], *, text: str = TEXT) -> None:
    """A running project of one item with these questions, all of them on the page."""
    (folder / "p.jsonl").write_text(json.dumps(ROW | {"text": text}, ensure_ascii=False) + "\n", "utf-8")
    keys = {
        "project": "p",
        "title": "p",
        "language": "uk",
        "instructions": "Прочитайте.",
        "questions": questions,
        "items": {"file": "p.jsonl", "id": "id", "show": [] if questions == [PAIR] else ["text"]},
        "overlap": 1,
        "surface": {"page": sorted({str(question["type"]) for question in questions})},
    }
    (folder / "p.yaml").write_text(json.dumps(keys, ensure_ascii=False), "utf-8")
    now = datetime.now(UTC)
    with db.transaction() as session:
        projects.load_project_file(session, folder / "p.yaml", now=now)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=now)


def read_judgements(db: Database) -> list[Judgement]:
    """What is stored."""
    with db.reading() as view:
        return list(view.exec(select(Judgement)).all())


@pytest.mark.parametrize(("is_phone", "scheme", "language"), LOOKS)
async def test_every_question_is_answered(
    chromium: Browser, server: Server, db: Database, tmp_path: Path, is_phone: bool, scheme: str, language: str
) -> None:
    """Six questions of an item, by touch on a phone and by keys on a desk, to the last screen."""
    load_project(db, tmp_path, QUESTIONS)
    window = await open_window(chromium, server, is_phone=is_phone, scheme=scheme, language=language)
    frame = await window.open_answer_page()
    heading, save = frame.locator("h1"), frame.locator("#save")
    for question in QUESTIONS:
        await expect(heading).to_have_text(str(question["text"]))
        await check_look(frame)
        kind = question["type"]
        if kind in {"choice", "scale"}:
            await window.choose(frame, 1)
            continue
        if kind == "choices":
            await window.use(frame.locator(".boxes label").first)
        elif kind == "span":
            await window.mark(frame, "городина")
            await expect(frame.locator(".list .grow")).to_have_text("«городина»")
        elif kind == "edit":
            await frame.locator("#area").fill(RIGHT)
            await expect(frame.locator("#diff ins")).to_have_text("городину")
        else:
            await frame.locator("#field").fill("Бо так.")
        await check_look(frame)
        await window.use(save)
    await expect(heading).to_have_text(get_texts(language)("page-nothing"))
    await check_look(frame)
    (stored,) = read_judgements(db)
    assert stored.answers == STORED
    await window.use(frame.get_by_role("button", name=get_texts(language)("go-on")))
    await expect(window.page.locator("#page")).to_be_hidden()  # the chat says why there is nothing


async def test_the_item_is_asked_for_before_the_page_is_whole(
    chromium: Browser, server: Server, db: Database, tmp_path: Path
) -> None:
    """On a slow network, the question and the files of the page come together, not one after the other."""
    load_project(db, tmp_path, QUESTIONS[:1])
    window = await open_window(chromium, server, is_phone=True, scheme="light", language="uk")
    asked = asyncio.Event()

    async def hold(route: Route) -> None:
        await asyncio.wait_for(asked.wait(), 10)
        await route.continue_()

    await window.page.route(f"**{PAGE_PATH}page.js", hold)
    window.page.on("request", lambda request: asked.set() if request.url.endswith("/session") else None)
    frame = await window.open_answer_page()
    await expect(frame.locator("h1")).to_have_text("Хто мовчав?")


@pytest.mark.parametrize(("is_phone", "scheme", "language"), LOOKS[:2])
async def test_two_texts_are_compared(
    chromium: Browser, server: Server, db: Database, tmp_path: Path, is_phone: bool, scheme: str, language: str
) -> None:
    """Side by side on a desk; on a phone a swipe or a tab leads to the other, and nobody chooses before they saw it."""
    load_project(db, tmp_path, [PAIR])
    window = await open_window(chromium, server, is_phone=is_phone, scheme=scheme, language=language)
    frame = await window.open_answer_page()
    await check_look(frame)
    one, two = (frame.locator(".compared section").nth(number) for number in range(2))
    await expect(one).to_be_in_viewport()
    if is_phone:
        await expect(two).not_to_be_in_viewport()
        await window.choose(frame, 2)
        await expect(frame.locator("#say")).to_have_text(get_texts(language)("page-other-first"))
        await expect(two).to_be_in_viewport()
        await check_look(frame)
        box = await two.bounding_box()
        assert box is not None
        await move_finger(window.page, (60, box["y"] + 60), (320, box["y"] + 60))
        await expect(frame.locator("#tab0")).to_have_attribute("aria-selected", "true")
        await expect(two).not_to_be_in_viewport()
        await frame.locator("#tab1").tap()
    await expect(two).to_be_in_viewport()
    await window.choose(frame, 2)
    await expect(frame.locator("h1")).to_have_text(get_texts(language)("page-nothing"))
    assert [one.response for one in read_judgements(db)] == ["tie"]


async def move_finger(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Put a finger down, move it, and lift it."""
    session = await page.context.new_cdp_session(page)
    for step in range(10):
        x, y = (one + (other - one) * step / 9 for one, other in zip(start, end, strict=True))
        kind = "touchMove" if step else "touchStart"
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    await session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


async def drag(window: Window, start: Locator, end: Locator) -> None:
    """Drag a handle to below a word: by a finger on a phone, by the mouse on a desk."""
    grip, word = await start.bounding_box(), await end.bounding_box()
    assert grip is not None
    assert word is not None
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + 12
    to_x, to_y = word["x"] + word["width"] / 2, word["y"] + word["height"] / 2 + 30
    if window.is_phone:
        await move_finger(window.page, (x, y), (to_x, to_y))
        return
    await window.page.mouse.move(x, y)
    await window.page.mouse.down()
    await window.page.mouse.move(to_x, to_y, steps=8)
    await window.page.mouse.up()


@pytest.mark.parametrize(("is_phone", "scheme", "language"), LOOKS[:2])
async def test_the_ends_of_a_part_are_dragged(
    chromium: Browser, server: Server, db: Database, tmp_path: Path, is_phone: bool, scheme: str, language: str
) -> None:
    """From one word to three, and to two again; a tap through a handle means the word below it."""
    load_project(db, tmp_path, QUESTIONS[2:3])
    window = await open_window(chromium, server, is_phone=is_phone, scheme=scheme, language=language)
    frame = await window.open_answer_page()
    await window.use(frame.locator("#text .w").nth(1))
    marked, last = frame.locator(".list .grow"), frame.locator(".handle.last")
    await drag(window, last, frame.locator("#text .w").nth(3))
    await expect(marked).to_have_text("«поливала городина щоранку»")
    await check_look(frame)
    await drag(window, frame.locator(".handle.first"), frame.locator("#text .w").nth(2))
    await expect(marked).to_have_text("«городина щоранку»")
    await last.press("ArrowLeft")
    await expect(marked).to_have_text("«городина»")
    await window.use(frame.locator("#save"))
    await expect(frame.locator("h1")).to_have_text(get_texts(language)("page-nothing"))
    assert [one.response for one in read_judgements(db)] == [STORED["where"]]


async def pinch(page: Page, before: float, after: float) -> None:
    """Put two fingers down at the middle of the window, this far apart, and move them to another distance."""
    session = await page.context.new_cdp_session(page)
    for step in range(10):
        gap = before + (after - before) * step / 9
        points = [{"x": 180 - gap / 2, "y": 300, "id": 0}, {"x": 180 + gap / 2, "y": 300, "id": 1}]
        kind = "touchMove" if step else "touchStart"
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    await session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize(("is_phone", "scheme", "language"), LOOKS[:2])
async def test_a_picture_is_opened_large(
    chromium: Browser, server: Server, db: Database, tmp_path: Path, is_phone: bool, scheme: str, language: str
) -> None:
    """By a tap; two fingers, the wheel, keys and buttons enlarge it, also once its address holds no more."""
    now = datetime.now(UTC)
    with db.transaction() as session:
        projects.load_project_file(session, write_project(tmp_path / "birds"), now=now)
        transitions.start_project(session, project=queries.get_project(session, "birds"), now=now)
    window = await open_window(chromium, server, is_phone=is_phone, scheme=scheme, language=language)
    frame, texts = await window.open_answer_page(), get_texts(language)
    picture, percent = frame.locator("img"), frame.locator("#scale")
    await expect(picture).to_have_attribute("alt", "Picture 1: The bird")
    await expect(picture).to_have_js_property("complete", True)
    address = await picture.get_attribute("src") or ""
    assert await picture.evaluate("(one) => one.naturalWidth") == (400 if address.endswith("png") else 300)
    await check_look(frame)

    await window.page.route("**/answer/picture/**", lambda route: route.abort())
    await window.use(picture)
    await expect(frame.locator("#zoom")).to_be_visible()
    await expect(percent).to_have_text("100%")
    await check_look(frame)
    if is_phone:
        await pinch(window.page, 60, 180)
        await expect(percent).to_have_text("300%")
        await move_finger(window.page, (180, 300), (120, 260))
        await percent.tap()  # Chromium makes no click of the first tap after a simulated pinch
    else:
        await frame.locator("#stage").hover()
        await window.page.mouse.wheel(0, -400)
        await expect(percent).to_have_text("272%")
        await window.page.keyboard.press("ArrowRight")
        await window.page.keyboard.press("-")
        await expect(percent).to_have_text("170%")
        await window.page.keyboard.press("+")
        await expect(percent).to_have_text("272%")
    for _ in range(3):
        await window.use(frame.get_by_role("button", name=texts("page-smaller")))
    await expect(percent).to_have_text("100%")
    await window.use(frame.get_by_role("button", name=texts("page-larger")))
    await expect(percent).to_have_text("160%")
    await check_look(frame)
    if is_phone:
        await window.use(frame.get_by_role("button", name=texts("page-close")))
    else:
        await window.page.keyboard.press("Escape")
    await expect(frame.locator("#zoom")).not_to_be_visible()
    await expect(frame.locator(".picture img")).to_be_visible()
    assert await picture.evaluate("(one) => [one.naturalWidth > 0, one.style.transform]") == [True, ""]
    await window.page.unroute("**/answer/picture/**")
    await window.choose(frame, 0)
    await expect(picture).to_have_attribute("src", re.compile("jpg$" if address.endswith("png") else "png$"))
    assert len(read_judgements(db)) == 1


async def test_a_picture_that_does_not_come_is_asked_for_again(
    chromium: Browser, server: Server, db: Database, tmp_path: Path
) -> None:
    """By a tap in its place, which gets a new address."""
    now = datetime.now(UTC)
    with db.transaction() as session:
        projects.load_project_file(session, write_project(tmp_path / "birds"), now=now)
        transitions.start_project(session, project=queries.get_project(session, "birds"), now=now)
    window = await open_window(chromium, server, is_phone=True, scheme="light", language="en")
    await window.page.route("**/answer/picture/**", lambda route: route.abort())
    frame = await window.open_answer_page()
    await expect(frame.locator("#say")).to_have_text(get_texts("en")("page-offline"))
    await window.page.unroute("**/answer/picture/**")
    await frame.locator(".picture").tap()
    await expect(frame.locator(".picture img")).to_have_js_property("naturalWidth", 400)


async def test_a_draft_survives_the_page(chromium: Browser, server: Server, db: Database, tmp_path: Path) -> None:
    """What was typed when the page was closed is there when it is opened again."""
    load_project(db, tmp_path, QUESTIONS[3:4])
    window = await open_window(chromium, server, is_phone=True, scheme="light", language="uk")
    frame = await window.open_answer_page()
    await frame.locator("#area").fill(RIGHT)
    await expect(frame.locator("#say")).to_have_text(get_texts("uk")("page-draft"), timeout=10_000)
    await window.page.locator("#page-close").click()
    await window.page.locator("button.key", has_text="📄").click()
    await expect(window.page.frame_locator("#mini-app").locator("#area")).to_have_value(RIGHT)
    assert read_judgements(db) == []


async def test_a_copy_that_came_is_no_conflict(chromium: Browser, server: Server, db: Database, tmp_path: Path) -> None:
    """A draft came, its response did not; another device went on from it, so the copy here is only an older one."""
    load_project(db, tmp_path, QUESTIONS[-1:])
    phone = await open_window(chromium, server, is_phone=True, scheme="light", language="uk")
    code = await join_by_link(phone, server, db)
    address = phone.page.url

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.abort()

    await phone.page.route("**/answer/draft", lose)
    await phone.page.locator("#field").fill("Бо")
    await expect(phone.page.locator("#say")).to_have_text(get_texts("uk")("page-offline"), timeout=10_000)
    await phone.page.goto("about:blank")
    desk = (await open_window(chromium, server, is_phone=False, scheme="light", language="uk")).page
    await desk.goto(address)
    await desk.locator("#own").fill(code)
    await desk.locator("#own").press("Enter")
    await expect(desk.locator("#field")).to_have_value("Бо")
    await desk.locator("#field").fill("Бо так.")
    await expect(desk.locator("#say")).to_have_text(get_texts("uk")("page-draft"), timeout=10_000)
    await phone.page.unroute("**/answer/draft")
    await phone.page.goto(address)
    await expect(phone.page.locator("#field")).to_have_value("Бо так.")
    await expect(phone.page.locator("#conflict")).to_have_count(0)


async def test_no_part_changes_when_no_more_are_allowed(
    chromium: Browser, server: Server, db: Database, tmp_path: Path
) -> None:
    """Two parts of two are marked: a tap on another word says that these are all."""
    load_project(db, tmp_path, [QUESTIONS[2] | {"most": 2}])
    window = await open_window(chromium, server, is_phone=True, scheme="light", language="uk")
    frame = await window.open_answer_page()
    for word in (0, 1, 10, 11, 20):
        await frame.locator("#text .w").nth(word).tap()
    await expect(frame.locator("#say")).to_have_text(get_texts("uk")("page-most"))
    assert await frame.locator(".list .grow").all_inner_texts() == ["«Марія поливала»", "«біжить до»"]


async def test_the_next_question_of_a_long_text_is_in_sight(
    chromium: Browser, server: Server, db: Database, tmp_path: Path
) -> None:
    """Its text was read; an empty field that is saved says so."""
    load_project(db, tmp_path, [QUESTIONS[5], QUESTIONS[5] | {"name": "how", "text": "Як?"}], text=TEXT * 10)
    window = await open_window(chromium, server, is_phone=True, scheme="light", language="uk")
    frame = await window.open_answer_page()
    assert await frame.evaluate("scrollY") == 0
    await frame.locator("#save").tap()
    await expect(frame.locator("#say")).to_have_text(get_texts("uk")("page-empty"))
    await frame.locator("#field").fill("Бо так.")
    await frame.locator("#save").tap()
    await expect(frame.locator("h1")).to_have_text("Як?")
    await expect(frame.locator("h1")).to_be_in_viewport()
    assert await frame.evaluate("scrollY") > 500


async def test_an_answer_is_sent_when_the_connection_returns(
    chromium: Browser, server: Server, db: Database, tmp_path: Path
) -> None:
    """It is sent by itself, once; one whose response was lost as well. What is changed meanwhile waits for a tap."""
    load_project(db, tmp_path, QUESTIONS[:1] + QUESTIONS[3:4] + QUESTIONS[5:])
    window = await open_window(chromium, server, is_phone=True, scheme="light", language="uk")
    frame = await window.open_answer_page()
    said, offline = frame.locator("#say"), get_texts("uk")("page-offline")
    lost: list[str] = []

    async def lose_response(route: Route) -> None:
        if lost:
            await route.continue_()
            return
        await route.fetch()
        lost.append("stored")
        await route.abort()

    await window.page.context.set_offline(True)
    await window.choose(frame, 1)
    await expect(said).to_have_text(offline)
    await window.page.context.set_offline(False)
    await expect(frame.locator("#area")).to_be_visible(timeout=15_000)

    await window.page.context.set_offline(True)
    await frame.locator("#area").fill(RIGHT[1:])
    await window.use(frame.locator("#save"))
    await expect(said).to_have_text(offline)
    await frame.locator("#area").fill(RIGHT)
    await window.page.context.set_offline(False)
    await window.page.wait_for_timeout(3_000)
    await expect(frame.locator("#area")).to_have_value(RIGHT)
    await window.use(frame.locator("#save"))

    await frame.locator("#field").fill("Бо так.")
    await window.page.route("**/answer/tap", lose_response)
    await window.use(frame.locator("#save"))
    await expect(frame.locator("h1")).to_have_text(get_texts("uk")("page-nothing"), timeout=15_000)
    assert lost == ["stored"]
    assert [one.answers for one in read_judgements(db)] == [{name: STORED[name] for name in ("who", "fixed", "why")}]


def invite(db: Database) -> None:
    """Make an invitation to the project, with the code abcd."""
    with db.transaction() as session:
        target = queries.get_project(session, "p")
        invitations.create_invitation(session, target=target, code="abcd", now=datetime.now(UTC))


async def join_by_link(window: Window, server: Server, db: Database) -> str:
    """Open the link of an invitation, join, and come to the first question; returns the personal code."""
    invite(db)
    texts, page = get_texts(window.language), window.page
    await page.goto(f"{server.page.mini_apps}{PAGE_PATH}?l={window.language}#join=abcd")
    await window.use(page.get_by_role("button", name=texts("page-join-now")))
    code = await page.locator("#code").inner_text()
    await window.use(page.get_by_role("button", name={"uk": "Українська", "en": "English"}[window.language]))
    await window.use(page.get_by_role("button", name=texts("begin")))
    return code


async def test_a_text_stays_in_sight_after_signing_out(
    chromium: Browser, server: Server, db: Database, tmp_path: Path
) -> None:
    """Another tab leaves the device: what was written stays on the page, and comes back with the code."""
    load_project(db, tmp_path, QUESTIONS[-1:])
    window = await open_window(chromium, server, is_phone=True, scheme="light", language="uk")
    page, texts = window.page, get_texts("uk")
    code = await join_by_link(window, server, db)
    other = await page.context.new_page()
    await other.goto(page.url)
    await other.get_by_role("button", name=texts("pause")).tap()
    await other.get_by_role("button", name=texts("page-leave")).tap()
    await expect(other.locator("h1")).to_have_text(texts("page-join-none"))
    await page.locator("#field").fill("Бо так.")
    await page.locator("#save").tap()
    await expect(page.locator("#say")).to_have_text(texts("page-ended"))
    await expect(page.locator("#field")).to_have_value("Бо так.")
    await check_look(page.main_frame)
    await page.locator("#own").fill(code)
    await page.locator("#own").press("Enter")
    await expect(page.locator("#entry")).to_have_count(0)
    await expect(page.locator("#field")).to_have_value("Бо так.")
    await page.locator("#save").tap()
    await expect(page.locator("h1")).to_have_text(texts("page-told"))
    assert [one.response for one in read_judgements(db)] == ["Бо так."]


@pytest.mark.parametrize(("is_phone", "scheme", "language"), LOOKS[:3])
async def test_a_link_leads_to_the_last_screen(
    chromium: Browser, server: Server, db: Database, tmp_path: Path, is_phone: bool, scheme: str, language: str
) -> None:
    """Without Telegram: joining, the task, every question; then another device with the personal code."""
    load_project(db, tmp_path, QUESTIONS)
    invite(db)
    texts, address = get_texts(language), f"{server.page.mini_apps}{PAGE_PATH}"
    window = await open_window(chromium, server, is_phone=is_phone, scheme=scheme, language=language)
    page = window.page
    await page.goto(f"{address}?l={language}#join=abcd")
    await expect(page.locator("h1")).to_have_text(texts("page-join"))
    await check_look(page.main_frame)
    await window.use(page.locator("label[for=remember]"))
    await window.use(page.get_by_role("button", name=texts("page-join-now")))
    code = await page.locator("#code").inner_text()
    await check_look(page.main_frame)
    await window.use(page.get_by_role("button", name={"uk": "Українська", "en": "English"}[language]))
    await expect(page.locator(".told", has_text="Прочитайте.")).to_be_visible()
    await check_look(page.main_frame)
    await page.reload()
    await window.use(page.get_by_role("button", name=texts("begin")))
    heading, save = page.locator("h1"), page.locator("#save")
    for question in QUESTIONS:
        await expect(heading).to_have_text(str(question["text"]))
        if question["type"] in {"choice", "scale"}:
            await window.choose(page.main_frame, 1)
            continue
        if question["type"] == "choices":
            await window.use(page.locator(".boxes label").first)
        elif question["type"] == "span":
            await window.mark(page.main_frame, "городина")
        else:
            await page.locator("#area, #field").fill(RIGHT if question["type"] == "edit" else "Бо так.")
        await window.use(save)
    await expect(heading).to_have_text(texts("page-told"))
    await check_look(page.main_frame)
    await page.locator("#reply").fill("/progress")
    await window.use(page.get_by_role("button", name=texts("page-send")))
    await expect(page.locator(".told")).to_contain_text("1")
    (stored,) = read_judgements(db)
    assert (stored.answers, stored.on_page) == (STORED, True)
    other = (await open_window(chromium, server, is_phone=is_phone, scheme=scheme, language=language)).page
    await other.goto(f"{address}?l={language}")
    await check_look(other.main_frame)
    await other.locator("#own").fill(code.lower())
    await other.locator("#own").press("Enter")
    await expect(other.locator("h1")).to_have_text(texts("page-told"))
    await other.get_by_role("button", name=texts("more")).click()
    await check_look(other.main_frame)
    await other.get_by_role("button", name=texts("page-leave")).click()
    await expect(other.locator("h1")).to_have_text(texts("page-join-none"))
