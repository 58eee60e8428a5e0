"""Whatever the emulator answers, two libraries with models of their own can read; their bots run on it unchanged."""

from __future__ import annotations

import logging
from functools import partial

import pytest
import telegram as ptb
from _faulty_telegram import FaultyTelegram, ObservedPerson

from bot.emulator.request import LocalRequest
from bot.emulator.server import Server

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02"
HTML = '<b>Кіт</b> 😀 <blockquote expandable>довго</blockquote> <a href="https://a.org/">a</a> <code>x</code>'


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


def act_everything(ann: ObservedPerson, tapped: int) -> None:
    """One update of each kind, and a file."""
    hello = ann.send("/start abc")
    ann.edit(hello, "/start")
    ann.tap("A", on=ann.chat.messages[tapped])
    ann.block()
    ann.chat.blocked = False
    ann.upload("a.csv", b"x", caption="c")


def _ptb_keys() -> ptb.InlineKeyboardMarkup:
    return ptb.InlineKeyboardMarkup([[ptb.InlineKeyboardButton("A", callback_data="a")]])


@pytest.mark.slow
async def test_aiogram_reads_every_answer(server: Server, ann: ObservedPerson) -> None:
    """Over HTTP, with pydantic models that miss whatever must be there."""
    import _aiogram_bots

    await _aiogram_bots.call_everything(
        _aiogram_bots.build_bot(server), html=HTML, png=PNG, act_everything=partial(act_everything, ann)
    )


@pytest.mark.parametrize("way", [pytest.param("run_polling", marks=pytest.mark.slow), "run_webhook"])
async def test_an_aiogram_bot_runs_unchanged(
    server: Server, ann: ObservedPerson, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Long polling and a webhook with a secret, inline buttons, a deep link; nothing is logged as an error."""
    import _aiogram_bots

    with caplog.at_level(logging.WARNING, "aiogram"):
        await getattr(_aiogram_bots, way)(_aiogram_bots.build_bot(server), ann)
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_the_models_complain() -> None:
    """What the contract relies on: an update without a chat is not read."""
    import _aiogram_bots

    with pytest.raises(ValueError, match="chat"):
        _aiogram_bots.read_update({"update_id": 1, "message": {"message_id": 1, "date": 1}})
