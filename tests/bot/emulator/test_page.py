"""The chat in the browser: a real Chromium drives a small bot through consent, a choice, its undo and an alert."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup, ReplyKeyboardMarkup, Update
from telegram.ext import Application, ApplicationBuilder, CallbackQueryHandler, MessageHandler, filters

import bot as product
from bot.emulator.chat_page import LANGUAGES
from bot.emulator.request import LocalRequest
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

LONG = "Довгий контекст оповідання. " * 20
ITEM = (
    f"<b>UA-CBT · 12/40</b>\n<blockquote expandable>{LONG}</blockquote>\nРуда <tg-spoiler>лисиця</tg-spoiler> зустріла"
    " ⟦_____⟧ &lt;b&gt;.\n\n<b>Яке слово має бути на місці пропуску?</b>\nА) черепаху\nБ) <code>лисицю</code>"
)
in_one_loop = pytest.mark.asyncio(loop_scope="module")
"""The browser lives in the loop that started it."""
SCRIPT = "<script>document.title = 'bad'</script>"


def keys(*rows: tuple[str, ...]) -> InlineKeyboardMarkup:
    """Buttons that carry their own labels."""
    return InlineKeyboardMarkup([[InlineKeyboardButton(label, callback_data=label) for label in row] for row in rows])


async def typed(update: Update, _: Any) -> None:
    """Consent first; a comment is thanked for; typed markup comes back as it was typed."""
    message = update.effective_message
    assert message is not None
    if message.text == "/start":
        await message.reply_text("Ви погоджуєтесь?", reply_markup=keys(("Погоджуюсь", "Ні")))
    elif message.text == "меню":
        await message.reply_text("Що далі?", reply_markup=ReplyKeyboardMarkup([["Один", "Два"]]))
    elif message.text == "файл":
        await message.reply_document(b"a,b\n1,2\n", filename="відповіді.csv", caption="Ваші відповіді")
    else:
        await message.reply_chat_action("typing")
        await message.reply_text(f"{'Виправлено' if update.edited_message else 'Почуто'}: {message.text}")


async def tapped(update: Update, _: Any) -> None:
    """One answer, its undo, and an alert for the impatient."""
    query = update.callback_query
    assert query is not None
    if query.data == "Погоджуюсь":
        await query.answer()
        await query.edit_message_text(ITEM, parse_mode="HTML", reply_markup=keys(("А", "Б"), ("Пропустити",)))
    elif query.data in {"А", "Б"}:
        await query.answer("Збережено · 12/40")
        await query.edit_message_text(f"✓ 12 · {query.data}", reply_markup=keys(("Змінити",)))
    elif query.data == "Змінити":
        await query.answer("Оберіть ще раз")
        await query.edit_message_text(ITEM, parse_mode="HTML", reply_markup=keys(("А", "Б"), ("Пропустити",)))
    else:
        await query.answer("Спершу прочитайте до кінця.", show_alert=True)
        assert update.effective_chat is not None
        box = ForceReply(input_field_placeholder="Чому?")
        await update.effective_chat.send_message("Чому пропускаєте?", reply_markup=box)


def small_bot(telegram: Telegram) -> Application[Any, Any, Any, Any, Any, Any]:
    """The bot on the local Telegram."""
    request = LocalRequest(telegram)
    app = ApplicationBuilder().token(telegram.token).request(request).get_updates_request(request).build()
    app.add_handler(CallbackQueryHandler(tapped))
    app.add_handler(MessageHandler(filters.ALL, typed))
    return app


@pytest_asyncio.fixture(loop_scope="module")
async def server() -> AsyncIterator[Server]:
    """The small bot at work, with a menu of commands, and the page beside it."""
    telegram = Telegram()
    app = small_bot(telegram)
    async with app, Server(telegram) as started:
        await app.bot.set_my_commands([("start", "Продовжити")], language_code="uk")
        await app.bot.set_my_description("Тут люди відповідають на ті самі запитання, що й мовні моделі.")
        assert app.updater is not None
        await app.updater.start_polling()
        await app.start()
        yield started
        await app.updater.stop()
        await app.stop()


class Watched:
    """A page whose requests and complaints are kept."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))


async def opened(chromium: Browser, server: Server, *, width: int = 360, scheme: Any = "light") -> Watched:
    """The page, as the address from the terminal opens it."""
    context = await chromium.new_context(
        viewport={"width": width, "height": 740}, color_scheme=scheme, locale="uk", timezone_id="Europe/Kyiv"
    )
    watched = Watched(await context.new_page())
    await watched.page.goto(f"{server.url}/?token={server.page.ticket}")
    return watched


async def to_the_item(page: Page) -> None:
    """Start and consent."""
    await page.get_by_role("button", name="Почати").click()
    await page.get_by_role("button", name="Погоджуюсь").click()
    await expect(page.get_by_role("button", name="Пропустити")).to_be_visible()


@in_one_loop
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_person_consents_chooses_and_changes_the_answer(
    chromium: Browser, server: Server, width: int, scheme: str
) -> None:
    """The whole small dialog; it fits the screen, loads nothing from elsewhere, and the console stays silent."""
    watched = await opened(chromium, server, width=width, scheme=scheme)
    page = watched.page
    await expect(page.get_by_text("Це не Telegram")).to_be_visible()
    await expect(page.get_by_text("Тут люди відповідають")).to_be_visible()
    await to_the_item(page)
    await page.get_by_role("button", name="Б", exact=True).click()
    await expect(page.get_by_role("status").filter(has_text="Збережено · 12/40")).to_be_visible()
    await expect(page.get_by_text("✓ 12 · Б")).to_be_visible()
    await page.get_by_role("button", name="Змінити").click()
    await page.get_by_role("button", name="Пропустити").click()
    alert = page.get_by_role("dialog")
    await expect(alert).to_contain_text("Спершу прочитайте до кінця.")
    await alert.get_by_role("button").click()
    await expect(page.get_by_placeholder("Чому?")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    rights = await page.eval_on_selector_all("button", "all => all.map(one => one.getBoundingClientRect().right)")
    assert max(rights) <= width
    assert watched.complaints == []
    assert all(url.startswith(f"{server.url}/") for url in watched.requests)
    assert [entry.kind for entry in server.telegram.display_log.list_events(1001, "toast", "alert")] == [
        "toast", "toast", "toast", "alert",
    ]  # fmt: skip


@in_one_loop
async def test_folded_text_unfolds_and_what_is_typed_stays_text(chromium: Browser, server: Server) -> None:
    """An expandable quote tells whether it is open; markup in a message is shown, not run."""
    watched = await opened(chromium, server)
    page = watched.page
    await to_the_item(page)
    fold = page.locator("blockquote button")
    await expect(fold).to_have_attribute("aria-expanded", "false")
    height = await page.locator("blockquote").evaluate("one => one.offsetHeight")
    await fold.click()
    await expect(fold).to_have_attribute("aria-expanded", "true")
    assert await page.locator("blockquote").evaluate("one => one.offsetHeight") > 2 * height
    await expect(page.get_by_text("<b>.")).to_be_visible()
    await page.get_by_label("Повідомлення", exact=True).fill(SCRIPT)
    await page.keyboard.press("Enter")
    await expect(page.get_by_text(f"Почуто: {SCRIPT}")).to_be_visible()
    assert await page.title() == "Local bot · hromada"
    assert watched.complaints == []


@in_one_loop
async def test_the_keyboard_alone_is_enough(chromium: Browser, server: Server) -> None:
    """Tab and Enter reach start, consent and an option; new messages are announced."""
    page = (await opened(chromium, server)).page
    await expect(page.get_by_role("log")).to_have_attribute("aria-live", "polite")
    for name in ("Почати", "Погоджуюсь", "А"):
        button = page.get_by_role("button", name=name, exact=True)
        await expect(button).to_be_visible()
        for _ in range(40):
            if await button.evaluate("one => one === document.activeElement"):
                break
            await page.keyboard.press("Tab")
        await expect(button).to_be_focused()
        await page.keyboard.press("Enter")
    await expect(page.get_by_text("✓ 12 · А")).to_be_visible()


@in_one_loop
async def test_a_lost_connection_keeps_what_was_half_typed(chromium: Browser, server: Server) -> None:
    """The stream breaks and is taken up again: the words in the box stay, and what was missed is there."""
    page = (await opened(chromium, server)).page
    await to_the_item(page)
    await page.get_by_label("Повідомлення", exact=True).fill("пів слова")
    server.page.close()
    await expect(page.get_by_text("Зв’язок утрачено")).to_be_visible()
    server.telegram.call("sendMessage", {"chat_id": 1001, "text": "тим часом"})
    await expect(page.get_by_text("тим часом")).to_be_visible(timeout=15_000)
    await expect(page.get_by_label("Повідомлення", exact=True)).to_have_value("пів слова")


@in_one_loop
async def test_several_people_have_chats_of_their_own(chromium: Browser, server: Server) -> None:
    """A second person joins in English; each sees their own messages only."""
    page = (await opened(chromium, server)).page
    await to_the_item(page)
    await page.get_by_role("button", name="Нова людина").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Ім’я").fill("Ben")
    await dialog.get_by_label("Мова").select_option("en")
    await dialog.get_by_role("button", name="Гаразд").click()
    await expect(page.get_by_text("This is not Telegram")).to_be_visible()
    await expect(page.locator("#log li")).to_have_count(0)
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.get_by_role("button", name="Погоджуюсь")).to_be_visible()
    await page.get_by_role("button", name="Оля").click()
    await expect(page.get_by_role("button", name="Пропустити")).to_be_visible()
    assert [entry.person for entry in server.telegram.display_log.entries if entry.kind == "sent"] == [1001, 1002]


@in_one_loop
async def test_menus_keyboards_corrections_files_and_blocking(chromium: Browser, server: Server) -> None:
    """The command menu, a reply keyboard, an edited message, a document, and a bot that is shut out and let in."""
    page = (await opened(chromium, server, width=1280)).page
    text = page.get_by_label("Повідомлення", exact=True)
    await text.fill("/start linguists")  # beside the button, for a code
    await page.get_by_role("button", name="Надіслати").click()
    await expect(page.locator("#log .mine")).to_contain_text("/start linguists")
    await page.get_by_role("button", name="Команди").click()
    await expect(page.get_by_role("button", name="/start Продовжити")).to_be_focused()
    await page.keyboard.press("Escape")
    await text.fill("меню")
    await page.get_by_role("button", name="Надіслати").click()
    await page.get_by_role("button", name="Два").click()
    await expect(page.get_by_text("Почуто: Два")).to_be_visible()
    mine = page.locator("#log .mine").last
    await mine.hover()
    await mine.get_by_role("button", name="Виправити").click()
    await text.fill("Три")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Виправлено: Три")).to_be_visible()
    await page.get_by_label("Надіслати не текст").select_option("sticker")
    await expect(page.locator("#log .mine").last).to_contain_text("👍 Наліпка")
    await text.fill("файл")
    await page.keyboard.press("Enter")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="відповіді.csv").click()
    assert Path(str(await (await download.value).path())).read_bytes() == b"a,b\n1,2\n"
    await page.get_by_role("button", name="Заблокувати", exact=True).click()
    await expect(page.get_by_text("Бота заблоковано")).to_be_visible()
    assert server.telegram.call("sendMessage", {"chat_id": 1001, "text": "x"}).status == 403
    await page.locator("#block").click()
    await expect(text).to_be_visible()


def test_the_words_of_the_page_exist_in_every_language() -> None:
    """Each word in each language, none empty, and every one that the page asks for."""
    folder = Path(str(product.__file__)).parent / "emulator/page"
    words = json.loads((folder / "words.json").read_text("utf-8"))
    assert words.keys() == LANGUAGES.keys()
    assert all(language.keys() == words["uk"].keys() for language in words.values())
    assert all(text for language in words.values() for text in language.values())
    source = "".join((folder / name).read_text("utf-8") for name in ("index.html", "chat.js", "elements.js"))
    unused = {key for key in words["uk"] if f'"{key}"' not in source}
    assert unused == set()
