"""Scripted people: what they do reaches the bot as updates, and what they see can be read as text."""

from __future__ import annotations

from typing import Any

import pytest
from _faulty_telegram import ObservedPerson

from bot.emulator.telegram import Telegram

Bot = Any


def test_a_deep_link_is_a_command_with_a_payload(telegram: Telegram) -> None:
    """`/start abc`, with the entity that libraries look for, from the person with their language."""
    telegram.person(7, language="en", name="Eve", username="eve").start("abc")
    message = telegram.take()[0]["message"]
    assert (message["text"], message["entities"]) == ("/start abc", [{"type": "bot_command", "offset": 0, "length": 6}])
    eve = {"id": 7, "is_bot": False, "first_name": "Eve", "username": "eve", "language_code": "en"}
    assert message["from"] == eve


def test_a_screen_is_text(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """Messages, buttons by row, the keyboard, the reply box, and that the bot is typing."""
    rows = [[{"text": "Так", "callback_data": "y"}, {"text": "Ні", "callback_data": "n"}],
            [{"text": "Далі", "url": "https://a.org/"}]]  # fmt: skip
    bot("sendMessage", chat_id=10, text="<b>Кіт?</b>", parse_mode="HTML", reply_markup={"inline_keyboard": rows})
    bot("sendMessage", chat_id=10, text="Меню", reply_markup={"keyboard": [["Один", {"text": "Два"}]]})
    bot("sendChatAction", chat_id=10, action="typing")
    assert ann.screen.splitlines() == [
        "Ann: /start", "Local bot: Кіт?", "[Так] [Ні]", "[Далі]", "Local bot: Меню", "<Один> <Два>", "… typing",
    ]  # fmt: skip
    telegram.clock.move(6)
    box = {"force_reply": True, "input_field_placeholder": "Слово"}
    bot("sendMessage", chat_id=10, text="?", reply_markup=box)
    bot("sendMessage", chat_id=10, text="Слово?", reply_markup={"remove_keyboard": True})
    bot("sendMessage", chat_id=10, text="Яке слово?", reply_markup=box)
    assert ann.screen.splitlines()[-2:] == ["Local bot: Яке слово?", "> Слово"]
    assert "<Один>" not in ann.screen


def test_a_text_under_a_reply_box_is_a_reply(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """The answer names the question; an edit is another update with the same number."""
    asked = bot("sendMessage", chat_id=10, text="Слово?", reply_markup={"force_reply": True})["message_id"]
    word = ann.send("кит")
    ann.edit(word, "кіт")
    sent, edited = telegram.take()
    assert sent["message"]["reply_to_message"]["message_id"] == asked
    assert (edited["edited_message"]["message_id"], edited["edited_message"]["text"]) == (word.id, "кіт")
    assert "Ann: кіт (edited)" in ann.screen
    later = ann.send("ще")
    assert later.reply_to is None


def test_a_forwarded_message_names_whose_it_was(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """Text and buttons are the same; what is protected cannot be forwarded."""
    markup = {"inline_keyboard": [[{"text": "A", "callback_data": "a:1"}]]}
    bot("sendMessage", chat_id=10, text="x", reply_markup=markup)
    bot("sendMessage", chat_id=10, text="y", protect_content=True)
    shown, kept = ann.messages[-2:]
    ann.forward(shown)
    [sent] = telegram.take()
    assert (sent["message"]["text"], sent["message"]["forward_origin"]["sender_user"]["is_bot"]) == ("x", True)
    assert sent["message"]["reply_markup"] == markup
    with pytest.raises(ValueError, match="protected"):
        ann.forward(kept)


def test_a_tap_carries_the_message_as_it_is(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """Data, message and a chat instance; a message too old to be shown comes with date 0 and no text."""
    markup = {"inline_keyboard": [[{"text": "A", "callback_data": "a:1"}]]}
    sent = bot("sendMessage", chat_id=10, text="x", reply_markup=markup)
    ann.tap("A")
    ann.press("forged", on=ann.messages[-1], inaccessible=True)
    fresh, old = (update["callback_query"] for update in telegram.take())
    assert (fresh["data"], fresh["message"]) == ("a:1", sent)
    assert fresh["chat_instance"]
    assert (old["data"], old["message"]["date"], "text" in old["message"]) == ("forged", 0, False)


def test_the_display_log_has_what_was_shown_and_when(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """Messages, edits, toasts and alerts in their order, for the person who saw them."""
    markup = {"inline_keyboard": [[{"text": "A", "callback_data": "a"}]]}
    number = bot("sendMessage", chat_id=10, text="1", reply_markup=markup)["message_id"]
    telegram.clock.move(5)
    bot("answerCallbackQuery", callback_query_id=ann.tap("A").id, text="saved")
    bot("answerCallbackQuery", callback_query_id=ann.tap("A").id, text="stop", show_alert=True)
    bot("editMessageText", chat_id=10, message_id=number, text="✓ 1")
    bot("setMessageReaction", chat_id=10, message_id=number, reaction=[{"type": "emoji", "emoji": "👍"}])
    bot("deleteMessage", chat_id=10, message_id=number)
    seen = [(entry.kind, entry.text, entry.buttons) for entry in telegram.display_log.list_events(10)[1:]]
    assert seen == [
        ("message", "1", ("A",)), ("toast", "saved", ()), ("alert", "stop", ()), ("edit", "✓ 1", ()),
        ("reaction", "✓ 1", ()), ("delete", "✓ 1", ()),
    ]  # fmt: skip
    assert (
        telegram.display_log.list_events(10, "edit")[0].at - telegram.display_log.list_events(10, "message")[0].at == 5
    )
    assert telegram.display_log.list_events(11) == []


def test_files_and_groups_reach_the_bot(telegram: Telegram, ann: ObservedPerson) -> None:
    """A document and a message in a group are updates like others; writing again unblocks the bot."""
    ann.upload("votes.csv", b"a,b", caption="мої")
    ann.send("привіт", chat=telegram.group(-5, ann))
    ann.block()
    ann.send("я тут")
    kinds = [next(name for name in update if name != "update_id") for update in telegram.take()]
    assert kinds == ["message", "message", "my_chat_member", "my_chat_member", "message"]
