"""Bots of aiogram, for tests of the local Telegram; imported by few tests, as its models take a second to load."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from _faulty_telegram import ObservedPerson
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

from bot.emulator.server import Server


def build_bot(server: Server) -> Bot:
    """A bot that knows the server's address and nothing else."""
    session = AiohttpSession(api=TelegramAPIServer.from_base(server.url))
    return Bot(server.telegram.token, session=session)


async def call_everything(bot: Bot, *, html: str, png: bytes, act_everything: Callable[[int], None]) -> None:
    """Every method over HTTP, with pydantic models that miss whatever must be there; the person acts on a message."""
    keys = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="A", callback_data="a")]])
    sent = await bot.send_message(10, html, parse_mode="HTML", reply_markup=keys, protect_content=True)
    assert sent.entities is not None
    assert sent.entities[0].extract_from(sent.text or "") == "Кіт"
    await bot.edit_message_text("так", chat_id=10, message_id=sent.message_id, reply_markup=keys)
    await bot.edit_message_reply_markup(chat_id=10, message_id=sent.message_id)
    await bot.send_message(
        10, "?", reply_parameters=ReplyParameters(message_id=sent.message_id), reply_markup=ForceReply()
    )
    document = (await bot.send_document(10, BufferedInputFile(b"a,b", "a.csv"), caption="c")).document
    photo = await bot.send_photo(10, BufferedInputFile(png, "a.png"))
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
    act_everything(tapped.message_id)
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


async def run_polling(bot: Bot, ann: ObservedPerson) -> None:
    dispatcher = small_bot()
    running = asyncio.create_task(dispatcher.start_polling(bot, handle_signals=False, polling_timeout=5))
    await played(ann)
    await dispatcher.stop_polling()
    await running


async def run_webhook(bot: Bot, ann: ObservedPerson) -> None:
    app, dispatcher = web.Application(), small_bot()
    handler = SimpleRequestHandler(dispatcher, bot, handle_in_background=False, secret_token="s-1")  # noqa: S106
    handler.register(app, path="/hook")  # the clean-up waits for the last update
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    assert runner.addresses[0][1]
    await bot.set_webhook(f"http://127.0.0.1:{runner.addresses[0][1]}/hook", secret_token="s-1")  # noqa: S106
    await played(ann)
    await runner.cleanup()
    await bot.session.close()


def read_update(update: dict[str, object]) -> Update:
    """An update as the library reads it; raises ValueError where something is missing."""
    return Update.model_validate(update)
