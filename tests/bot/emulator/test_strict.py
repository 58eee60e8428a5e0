"""As strict as the real one, in its words: each row of the table in the reference is a test here."""

from __future__ import annotations

from typing import Any

import pytest
from _faulty_telegram import ObservedPerson

from bot.emulator.calls import Upload
from bot.emulator.telegram import Telegram

Bot = Any
MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a"
    " current content and reply markup of the message"
)
OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid"


def keyboard(*labels: str, data: str = "") -> dict[str, Any]:
    """An inline keyboard of one row."""
    return {"inline_keyboard": [[{"text": label, "callback_data": data or label} for label in labels]]}


@pytest.mark.parametrize(
    ("text", "mode", "description"),
    [
        ("", "", "message text is empty"),
        (" \n ", "", "message text is empty"),
        ("<b></b>", "HTML", "message text is empty"),
        ("я" * 4097, "", "message is too long"),
        ("😀" * 4097, "", "message is too long"),
        ("<b>" + "я" * 4097 + "</b>", "HTML", "message is too long"),
        ("я" * 20_000, "", "text is too long"),
        ("\ud83d", "", "strings must be encoded in UTF-8"),
        ("x", "Pandoc", "unsupported parse_mode: the local Telegram reads HTML only"),
    ],
)
def test_a_text_that_is_refused(bot: Bot, ann: ObservedPerson, text: str, mode: str, description: str) -> None:
    """1 to 4,096 code points after the markup is read, at most 32,768 bytes before; nothing is shown."""
    assert bot.refused("sendMessage", chat_id=10, text=text, parse_mode=mode) == f"Bad Request: {description}"
    assert ann.messages == []


@pytest.mark.parametrize("text", ["я" * 4096, "😀" * 4096, "<i>" + "&lt;" * 4096 + "</i>"])
def test_the_length_is_counted_after_the_markup_is_read(bot: Bot, ann: ObservedPerson, text: str) -> None:
    """4,096 code points are taken, whatever their bytes, UTF-16 units or references."""
    bot("sendMessage", chat_id=10, text=text, parse_mode="HTML")
    assert len(ann.messages[-1].text) == 4096


def test_a_caption_has_at_most_1024_signs(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """And may be empty."""
    files_ = {"document": Upload("a.txt", b"x")}
    description = telegram.call("sendDocument", {"chat_id": 10, "caption": "я" * 1025}, files_)
    assert description.body["description"] == "Bad Request: message caption is too long"
    assert telegram.call("sendDocument", {"chat_id": 10, "caption": "я" * 1024}, files_).status == 200
    assert telegram.call("sendDocument", {"chat_id": 10}, files_).status == 200
    assert [len(message.text) for message in ann.messages] == [1024, 0]


@pytest.mark.parametrize("data", ["", "я" * 33, "x" * 65])
def test_a_button_carries_1_to_64_bytes(bot: Bot, ann: ObservedPerson, data: str) -> None:
    """33 Cyrillic letters are too many."""
    markup = {"inline_keyboard": [[{"text": "A", "callback_data": data}]]}
    assert bot.refused("sendMessage", chat_id=10, text="x", reply_markup=markup) == "Bad Request: BUTTON_DATA_INVALID"
    bot("sendMessage", chat_id=10, text="x", reply_markup=keyboard("A", data="я" * 32))
    assert ann.messages[-1].buttons == (("A", "я" * 32),)


@pytest.mark.parametrize(
    ("markup", "description"),
    [
        ("{", "can't parse reply markup JSON object"),
        ("[]", "object expected as reply markup"),
        ({"inline_keyboard": {}}, 'field "inline_keyboard" must be of type Array'),
        ({"inline_keyboard": [{}]}, "can't parse inline keyboard row: expected an Array"),
        ({"inline_keyboard": [[{"text": " ", "callback_data": "a"}]]}, "inline keyboard button text must be non-empty"),
        (
            {"inline_keyboard": [[{"text": "A"}]]},
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        ),
        (
            {"inline_keyboard": [[{"text": "A", "url": "nowhere"}]]},
            "inline keyboard button URL 'nowhere' is invalid: Wrong HTTP URL",
        ),
        (keyboard(*map(str, range(101))), "reply markup is too long"),
        (keyboard(*("я" * 60 for _ in range(90))), "reply markup is too long"),
    ],
)
def test_a_keyboard_that_is_refused(bot: Bot, ann: ObservedPerson, markup: Any, description: str) -> None:
    """Broken JSON, rows that are none, buttons that do nothing, and too much of everything."""
    refusal = bot.refused("sendMessage", chat_id=10, text="x", reply_markup=markup)
    assert refusal.startswith(f"Bad Request: {description}")


def test_an_edit_must_change_something(bot: Bot, ann: ObservedPerson) -> None:
    """The same text, formatting and keyboard is refused; any of them changed is not."""
    same: dict[str, Any] = {"chat_id": 10, "text": "<b>a</b>", "parse_mode": "HTML", "reply_markup": keyboard("A")}
    number = bot("sendMessage", **same)["message_id"]
    assert bot.refused("editMessageText", **same, message_id=number) == MODIFIED
    bot("editMessageText", **same | {"text": "a"}, message_id=number)
    bot("editMessageText", **same | {"text": "a", "reply_markup": None}, message_id=number)
    assert bot.refused("editMessageReplyMarkup", chat_id=10, message_id=number) == MODIFIED
    bot("editMessageReplyMarkup", chat_id=10, message_id=number, reply_markup=keyboard("B"))
    assert ann.messages[-1].buttons == (("B", "B"),)


def test_what_cannot_be_edited(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """Messages that are missing, are of the person, have no text or carry a reply box."""
    own = ann.send("hello")
    assert bot.refused("editMessageText", chat_id=10, message_id=999, text="x").endswith("message to edit not found")
    assert bot.refused("editMessageText", chat_id=10, message_id=own.id, text="x").endswith("message can't be edited")
    box = bot("sendMessage", chat_id=10, text="?", reply_markup={"force_reply": True})["message_id"]
    assert bot.refused("editMessageText", chat_id=10, message_id=box, text="x").endswith("message can't be edited")
    sent = telegram.call("sendDocument", {"chat_id": 10}, {"document": Upload("a", b"x")}).body["result"]["message_id"]
    description = bot.refused("editMessageText", chat_id=10, message_id=sent, text="x")
    assert description == "Bad Request: there is no text in the message to edit"
    bot("editMessageCaption", chat_id=10, message_id=sent, caption="words")
    assert ann.messages[-1].text == "words"
    plain = bot("sendMessage", chat_id=10, text="x")["message_id"]
    description = bot.refused("editMessageCaption", chat_id=10, message_id=plain, caption="x")
    assert description == "Bad Request: there is no caption in the message to edit"


def test_a_tap_is_answered_once_and_soon(bot: Bot, telegram: Telegram, ann: ObservedPerson) -> None:
    """The second answer, a late one and one to nothing are refused in the same words."""
    bot("sendMessage", chat_id=10, text="x", reply_markup=keyboard("A"))
    first, late = ann.tap("A"), ann.tap("A")
    assert bot("answerCallbackQuery", callback_query_id=first.id, text="saved") is True
    assert bot.refused("answerCallbackQuery", callback_query_id=first.id) == OLD
    telegram.clock.move(telegram.answerable + 1)
    assert bot.refused("answerCallbackQuery", callback_query_id=late.id) == OLD
    assert bot.refused("answerCallbackQuery", callback_query_id="0") == OLD
    description = bot.refused("answerCallbackQuery", callback_query_id="0", text="x" * 201)
    assert (description, ann.toasts) == ("Bad Request: MESSAGE_TOO_LONG", ["saved"])
