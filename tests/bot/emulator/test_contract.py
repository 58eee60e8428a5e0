"""Whatever the emulator answers, two libraries with models of their own can read; their bots run on it unchanged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest
import telegram as ptb
from _faulty_telegram import FaultyTelegram, ObservedPerson
from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.filters import CommandStart
from aiogram.types import (
    BotCommand,
    BotCommandScopeChat,
    BufferedInputFile,
    CallbackQuery,
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Message,
    ReactionTypeEmoji,
    ReplyParameters,
    Update,
)
from aiogram.webhook.aiohttp_server import SimpleRequestHandler
from aiohttp import web

from bot.emulator.request import LocalRequest
from bot.emulator.server import Server

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02"
HTML = '<b>Кіт</b> 😀 <blockquote expandable>довго</blockquote> <a href="https://a.org/">a</a> <code>x</code>'


@pytest.fixture
def aiogram(server: Server) -> Bot:
    """An aiogram bot that knows the server's address and nothing else."""
    session = AiohttpSession(api=TelegramAPIServer.from_base(server.url))
    return Bot(server.telegram.token, session=session)


async def everything_of_ptb(bot: ptb.Bot) -> None:
    """Every method of the emulator through python-telegram-bot; it raises where it cannot read an answer."""
    keys = ptb.InlineKeyboardMarkup([[ptb.InlineKeyboardButton("A", callback_data="a")]])
    sent = await bot.send_message(10, HTML, parse_mode="HTML", reply_markup=keys, protect_content=True)
    assert sent.parse_entities()[sent.entities[0]] == "Кіт"
    assert sent.has_protected_content is True
    edited = await bot.edit_message_text("<b>так</b>", 10, sent.message_id, parse_mode="HTML", reply_markup=keys)
    assert isinstance(edited, ptb.Message)
    assert edited.edit_date is not None
    await bot.edit_message_reply_markup(10, sent.message_id)
    replied = await bot.send_message(
        10, "?", reply_parameters=ptb.ReplyParameters(sent.message_id), reply_markup=ptb.ForceReply()
    )
    assert replied.reply_to_message is not None
    document = await bot.send_document(10, b"a,b", filename="a.csv", caption="<i>c</i>", parse_mode="HTML")
    assert (document.document.file_name, document.caption_entities[0].type) == ("a.csv", "italic")  # type: ignore[union-attr]
    await bot.edit_message_caption(10, document.message_id, caption="d")
    photo = await bot.send_photo(10, PNG)
    assert (photo.photo[-1].width, photo.photo[-1].height) == (3, 2)
    file = await bot.get_file(document.document.file_id)  # type: ignore[union-attr]
    assert await file.download_as_bytearray() == b"a,b"
    await bot.set_message_reaction(10, sent.message_id, "👍")
    await bot.pin_chat_message(10, sent.message_id)
    assert (await bot.get_chat(10)).pinned_message is not None
    await bot.unpin_chat_message(10, sent.message_id)
    assert (await bot.get_chat_member(10, 10)).status == "member"
    await bot.forward_message(10, 10, photo.message_id)
    assert (await bot.copy_message(10, 10, photo.message_id)).message_id
    await bot.delete_message(10, photo.message_id)
    await bot.delete_messages(10, [document.message_id])
    await bot.send_chat_action(10, "typing")


async def settings_of_ptb(bot: ptb.Bot) -> None:
    """What concerns the bot itself."""
    await bot.set_my_commands([("start", "go on")], scope=ptb.BotCommandScopeChat(10), language_code="uk")
    assert (await bot.get_my_commands(scope=ptb.BotCommandScopeChat(10), language_code="uk"))[0].command == "start"
    await bot.delete_my_commands(scope=ptb.BotCommandScopeChat(10), language_code="uk")
    await bot.set_my_description("що це")
    await bot.set_my_short_description("це")
    assert (await bot.get_my_description()).description == "що це"
    assert (await bot.get_my_short_description()).short_description == "це"
    await bot.set_webhook("http://127.0.0.1:9/", secret_token="s")  # noqa: S106
    assert (await bot.get_webhook_info()).url == "http://127.0.0.1:9/"
    await bot.delete_webhook()


async def test_python_telegram_bot_reads_every_answer(telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """In process, every method and every kind of update."""
    request = LocalRequest(telegram)
    async with ptb.Bot(telegram.token, request=request, get_updates_request=request) as bot:
        await everything_of_ptb(bot)
        await settings_of_ptb(bot)
        act_everything(ann, (await bot.send_message(10, "x", reply_markup=_ptb_keys())).message_id)
        updates = await bot.get_updates()
        kinds = ["message", "edited_message", "callback_query", "my_chat_member", "message"]
        assert [kind for update in updates for kind in kinds[:4] if getattr(update, kind)] == kinds
        assert updates[2].callback_query is not None
        await updates[2].callback_query.answer("так", show_alert=True)
    assert set(telegram.calls) == {"getupdates", *FaultyTelegram.methods}


def _ptb_keys() -> ptb.InlineKeyboardMarkup:
    return ptb.InlineKeyboardMarkup([[ptb.InlineKeyboardButton("A", callback_data="a")]])


def act_everything(ann: ObservedPerson, tapped: int) -> None:
    """One update of each kind, and a file."""
    hello = ann.send("/start abc")
    ann.edit(hello, "/start")
    ann.tap("A", on=ann.chat.messages[tapped])
    ann.block()
    ann.chat.blocked = False
    ann.upload("a.csv", b"x", caption="c")


async def test_aiogram_reads_every_answer(aiogram: Bot, ann: ObservedPerson) -> None:
    """Over HTTP, with pydantic models that miss whatever must be there."""
    bot = aiogram
    keys = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="A", callback_data="a")]])
    sent = await bot.send_message(10, HTML, parse_mode="HTML", reply_markup=keys, protect_content=True)
    assert sent.entities is not None
    assert sent.entities[0].extract_from(sent.text or "") == "Кіт"
    await bot.edit_message_text("так", chat_id=10, message_id=sent.message_id, reply_markup=keys)
    await bot.edit_message_reply_markup(chat_id=10, message_id=sent.message_id)
    await bot.send_message(
        10, "?", reply_parameters=ReplyParameters(message_id=sent.message_id), reply_markup=ForceReply()
    )
    document = (await bot.send_document(10, BufferedInputFile(b"a,b", "a.csv"), caption="c")).document
    photo = await bot.send_photo(10, BufferedInputFile(PNG, "a.png"))
    assert document is not None
    file = await bot.get_file(document.file_id)
    fetched = await bot.download_file(file.file_path or "")
    assert fetched is not None
    assert fetched.read() == b"a,b"
    await bot.edit_message_caption(chat_id=10, message_id=photo.message_id, caption="e")
    await bot.set_message_reaction(10, sent.message_id, [ReactionTypeEmoji(emoji="👍")])
    await bot.pin_chat_message(10, sent.message_id)
    assert (await bot.get_chat(10)).pinned_message is not None
    assert (await bot.get_chat_member(10, 10)).status == "member"
    await bot.forward_message(10, 10, photo.message_id)
    await bot.copy_message(10, 10, photo.message_id)
    await bot.delete_message(10, photo.message_id)
    await bot.send_chat_action(10, "typing")
    scope = BotCommandScopeChat(chat_id=10)
    await bot.set_my_commands([BotCommand(command="start", description="go on")], scope=scope)
    assert (await bot.get_my_commands(scope=scope))[0].command == "start"
    await bot.set_my_description("що це")
    assert (await bot.get_my_description()).description == "що це"
    assert (await bot.get_webhook_info()).url == ""
    tapped = await bot.send_message(10, "x", reply_markup=keys)
    act_everything(ann, tapped.message_id)
    updates = await bot.get_updates()
    assert [update.event_type for update in updates] == [
        "message", "edited_message", "callback_query", "my_chat_member", "message",
    ]  # fmt: skip
    await bot.session.close()


def small_bot() -> Dispatcher:
    """An ordinary aiogram bot with inline buttons."""
    dispatcher = Dispatcher()
    keys = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="Кіт", callback_data="cat")]])

    @dispatcher.message(CommandStart(deep_link=True))
    async def start(message: Message) -> None:
        await message.answer("<b>Хто це?</b>", parse_mode="HTML", reply_markup=keys)

    @dispatcher.callback_query(F.data == "cat")
    async def cat(query: CallbackQuery) -> None:
        assert isinstance(query.message, Message)
        await query.answer("Збережено")
        await query.message.edit_text("✓ Кіт")

    return dispatcher


async def played(ann: ObservedPerson) -> None:
    """The person opens the bot by a link, taps, and sees the edited message."""
    ann.start("abc")
    await _until(lambda: ann.messages and ann.messages[-1].buttons)
    ann.tap("Кіт")
    await _until(lambda: ann.messages[-1].text == "✓ Кіт")
    assert ann.toasts == ["Збережено"]


async def _until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_an_aiogram_bot_runs_unchanged(
    aiogram: Bot, ann: ObservedPerson, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Long polling and a webhook with a secret, inline buttons, a deep link; nothing is logged as an error."""
    ways: dict[str, Callable[[Bot, ObservedPerson], Awaitable[None]]] = {"polling": _polled, "webhook": _hooked}
    with caplog.at_level(logging.WARNING, "aiogram"):
        await ways[way](aiogram, ann)
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


async def _polled(bot: Bot, ann: ObservedPerson) -> None:
    dispatcher = small_bot()
    running = asyncio.create_task(dispatcher.start_polling(bot, handle_signals=False, polling_timeout=5))
    await played(ann)
    await dispatcher.stop_polling()
    await running


async def _hooked(bot: Bot, ann: ObservedPerson) -> None:
    app, dispatcher = web.Application(), small_bot()
    SimpleRequestHandler(dispatcher, bot, secret_token="s-1").register(app, path="/hook")  # noqa: S106
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    assert runner.addresses[0][1]
    await bot.set_webhook(f"http://127.0.0.1:{runner.addresses[0][1]}/hook", secret_token="s-1")  # noqa: S106
    await played(ann)
    await runner.cleanup()
    await bot.session.close()


def test_the_models_complain() -> None:
    """What the contract relies on: an update without a chat is not read."""
    with pytest.raises(ValueError, match="chat"):
        Update.model_validate({"update_id": 1, "message": {"message_id": 1, "date": 1}})
