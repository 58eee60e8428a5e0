"""As strict as the real one about who, when and how often; and the faults that can be asked for."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from _faulty_telegram import FaultyTelegram, Flood, ObservedPerson
from _pictures import draw, encode
from _webhooks import NoAnswer

from bot.emulator import model
from bot.emulator.calls import Upload

Bot = Any
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02"


def keyboard(*labels: str, data: str = "") -> dict[str, Any]:
    """An inline keyboard of one row."""
    return {"inline_keyboard": [[{"text": label, "callback_data": data or label} for label in labels]]}


def test_flood_control_names_the_seconds(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """One message a second to a chat; the refused one is neither shown nor counted."""
    telegram.flood = Flood(per_chat=1, overall=30)
    bot("sendMessage", chat_id=10, text="1")
    answer = telegram.call("sendMessage", {"chat_id": 10, "text": "2"})
    assert answer.status == 429
    assert answer.body["description"] == "Too Many Requests: retry after 1"
    assert answer.body["parameters"] == {"retry_after": 1}
    telegram.clock.move(1)
    bot("sendMessage", chat_id=10, text="3")
    assert [message.text for message in ann.messages] == ["1", "3"]


def test_flood_control_counts_all_chats(bot: Bot, telegram: FaultyTelegram) -> None:
    """Thirty messages at once to thirty people, not one more; a burst to one chat where it is allowed."""
    for number in range(1, 33):
        telegram.person(number).start()
    telegram.flood = Flood(burst=5)
    for number in range(1, 31):
        bot("sendMessage", chat_id=number, text="x")
    assert bot.refused("sendMessage", chat_id=31, text="x") == "Too Many Requests: retry after 1"
    telegram.clock.move(10)
    for _ in range(5):
        bot("sendMessage", chat_id=31, text="x")
    assert bot.refused("sendMessage", chat_id=31, text="x") == "Too Many Requests: retry after 1"


def test_who_cannot_be_written_to(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """Strangers, those who blocked the bot or are gone, groups that threw it out; nobody of them is shown anything."""
    telegram.person(11)
    stranger = bot.refused("sendMessage", chat_id=11, text="x")
    assert stranger == "Forbidden: bot can't initiate conversation with a user"
    assert bot.refused("sendMessage", chat_id=404, text="x") == "Bad Request: chat not found"
    assert bot.refused("sendMessage", chat_id="@nobody", text="x") == "Bad Request: chat not found"
    ann.block()
    assert bot.refused("sendMessage", chat_id=10, text="x") == "Forbidden: bot was blocked by the user"
    ann.unblock()
    bot("sendMessage", chat_id=10, text="back")
    ann.deactivate()
    assert bot.refused("sendMessage", chat_id=10, text="x") == "Forbidden: user is deactivated"
    for number, what in ((-5, "group chat"), (-1_000_000_000_005, "supergroup chat")):
        telegram.group(number, ann).bot_status = "kicked"
        assert bot.refused("sendMessage", chat_id=number, text="x") == f"Forbidden: bot was kicked from the {what}"
    assert [entry.text for entry in telegram.display_log.list_events(10, "message")] == ["back"]


def test_blocking_is_an_update(telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """The bot learns of it, and of its end, once each."""
    for do in (ann.block, ann.block, ann.unblock):
        do()
    taken = [update["my_chat_member"] for update in telegram.take()]
    assert [one["new_chat_member"]["status"] for one in taken] == ["kicked", "member"]


def test_a_group_that_became_a_supergroup(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """The old number is refused with the new one, where messages arrive."""
    moved = telegram.migrate(telegram.group(-5, ann))
    answer = telegram.call("sendMessage", {"chat_id": -5, "text": "x"})
    assert answer.body["description"] == "Bad Request: group chat was upgraded to a supergroup chat"
    assert answer.body["parameters"] == {"migrate_to_chat_id": moved.id}
    bot("sendMessage", chat_id=moved.id, text="here")
    assert telegram.display_log.list_events(10, "message")[-1].text == "here"


def test_files_have_limits(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """50 MB up, 20 MB down, nothing empty, photos only of what is a picture."""
    big = telegram.call("sendDocument", {"chat_id": 10}, {"document": Upload("a", b"x" * (model.MAX_UPLOAD + 1))})
    assert (big.status, big.body["description"]) == (413, "Request Entity Too Large")
    some = telegram.call("sendDocument", {"chat_id": 10}, {"document": Upload("a", b"x" * (model.MAX_DOWNLOAD + 1))})
    number = some.body["result"]["document"]["file_id"]
    assert bot.refused("getFile", file_id=number) == "Bad Request: file is too big"
    assert bot.refused("getFile", file_id="none") == "Bad Request: invalid file_id"
    empty = telegram.call("sendDocument", {"chat_id": 10}, {"document": Upload("a", b"")})
    assert empty.body["description"] == "Bad Request: file must be non-empty"
    text = telegram.call("sendPhoto", {"chat_id": 10}, {"photo": Upload("a.png", b"text")})
    assert text.body["description"] == "Bad Request: IMAGE_PROCESS_FAILED"
    photo = telegram.call("sendPhoto", {"chat_id": 10}, {"photo": Upload("a.png", PNG)}).body["result"]["photo"][-1]
    assert (photo["width"], photo["height"]) == (3, 2)
    bot("sendPhoto", chat_id=10, photo=photo["file_id"])
    assert bot.refused("sendPhoto", chat_id=10, photo=number) == "Bad Request: can't use file of type Document as Photo"
    assert bot.refused("sendPhoto", chat_id=10, photo="none") == "Bad Request: wrong file identifier/HTTP URL specified"
    refused = bot.refused("sendPhoto", chat_id=10, photo="https://example.org/a.png")
    assert refused == "Bad Request: failed to get HTTP URL content"


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_photos_have_a_size(telegram: FaultyTelegram, ann: ObservedPerson, form: str) -> None:
    """Width and height are told; at most 10,000 pixels together, and one side twenty times the other."""

    def send(width: int, height: int, *, tail: int = 0, **how: Any) -> Any:
        content = encode(draw(size=(width, height)), form, **how) + bytes(tail)
        return telegram.call("sendPhoto", {"chat_id": 10}, {"photo": Upload("a", content)}).body

    more: dict[str, Any]
    for more in ({}, {"lossless": True}, {"icc_profile": b"p"}) if form == "WEBP" else ({},):
        largest = send(640, 480, **more)["result"]["photo"][-1]
        assert (largest["width"], largest["height"]) == (640, 480)
    for sides in ((9_901, 100), (201, 10), (10, 201)):
        assert send(*sides)["description"] == "Bad Request: PHOTO_INVALID_DIMENSIONS"
    assert send(10, 200)["ok"]
    assert send(10, 10, tail=10_000_000)["description"] == "Bad Request: file is too big"


def test_a_protected_message_is_not_forwarded(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """Forwarding and copying are refused; what is not protected goes on without its keyboard."""
    telegram.person(11).start()
    sent = bot("sendMessage", chat_id=10, text="item", protect_content=True)["message_id"]
    where = {"chat_id": 11, "from_chat_id": 10, "message_id": sent}
    assert bot.refused("forwardMessage", **where) == "Bad Request: the message can't be forwarded"
    assert bot.refused("copyMessage", **where) == "Bad Request: the message can't be copied"
    free = bot("sendMessage", chat_id=10, text="news", reply_markup=keyboard("A"))["message_id"]
    bot("forwardMessage", **where | {"message_id": free})
    assert (telegram.person(11).messages[-1].text, telegram.person(11).messages[-1].buttons) == ("news", ())


def test_a_message_can_be_deleted_for_two_days(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """Then it stays; and what is gone cannot be deleted again."""
    first, second = (bot("sendMessage", chat_id=10, text="x")["message_id"] for _ in range(2))
    assert bot("deleteMessage", chat_id=10, message_id=first) is True
    assert bot.refused("deleteMessage", chat_id=10, message_id=first) == "Bad Request: message to delete not found"
    telegram.clock.move(48 * 3600 + 1)
    description = bot.refused("deleteMessage", chat_id=10, message_id=second)
    assert description == "Bad Request: message can't be deleted for everyone"
    assert [message.id for message in ann.messages] == [second]


def test_what_waits_too_long_is_gone(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """Taps after 150 seconds, messages after a day."""
    bot("sendMessage", chat_id=10, text="x", reply_markup=keyboard("A"))
    ann.tap("A")
    ann.send("hello")
    telegram.clock.move(149)
    assert len(telegram.queue.waiting) == 2
    telegram.clock.move(2)
    assert bot("getWebhookInfo")["pending_update_count"] == 1
    telegram.clock.move(86_400)
    assert bot("getWebhookInfo")["pending_update_count"] == 0


def test_allowed_updates_hold_for_updates_still_to_be_made(
    bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson
) -> None:
    """Remembered until given again, applied when an update would be made, and never to those that wait already."""
    ann.send("before")
    bot("setWebhook", url="", allowed_updates=json.dumps(["callback_query"]))
    ann.send("never made")
    bot("setWebhook", url="")
    ann.send("nor this")
    bot("setWebhook", url="", allowed_updates=[])
    ann.send("after")
    assert [update["message"]["text"] for update in telegram.take()] == ["before", "after"]


def test_commands_have_scopes_languages_and_limits(bot: Bot, ann: ObservedPerson) -> None:
    """What does not fit is refused; the menu is that of exactly the scope and language asked for."""
    wrong = [{"command": "Start!", "description": "x"}]
    assert bot.refused("setMyCommands", commands=wrong) == "Bad Request: BOT_COMMAND_INVALID"
    long = [{"command": "start", "description": "x" * 257}]
    assert bot.refused("setMyCommands", commands=long) == "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID"
    many = [{"command": f"c{number}", "description": "x"} for number in range(101)]
    assert bot.refused("setMyCommands", commands=many) == "Bad Request: BOT_COMMANDS_TOO_MUCH"
    bot("setMyCommands", commands=[{"command": "start", "description": "далі"}], language_code="uk")
    scope = {"type": "chat", "chat_id": 10}
    bot("setMyCommands", commands=[{"command": "admin", "description": "all"}], scope=scope)
    assert bot("getMyCommands") == []
    assert bot("getMyCommands", language_code="uk") == [{"command": "start", "description": "далі"}]
    assert bot("getMyCommands", scope=json.dumps(scope)) == [{"command": "admin", "description": "all"}]


@pytest.mark.parametrize("code", [500, 502])
def test_a_fault_after_the_effect(bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson, code: int) -> None:
    """The message is there although the call failed: a bot that sends again sends twice, and the log shows it."""
    telegram.faults.fail("sendMessage", code, after=True)
    bot.refused("sendMessage", chat_id=10, text="once")
    bot("sendMessage", chat_id=10, text="once")
    assert [entry.text for entry in telegram.display_log.list_events(10, "message")] == ["once", "once"]


def test_a_lost_answer_and_a_call_that_never_arrived(telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """Both look alike to the bot; only one of them is on the screen."""
    for after in (True, False):
        telegram.faults.lose("sendMessage", after=after)
        with pytest.raises(NoAnswer):
            telegram.call("sendMessage", {"chat_id": 10, "text": f"{after}"})
    assert [message.text for message in ann.messages] == ["True"]


def test_a_fault_meets_the_next_call_of_its_method_only(
    bot: Bot, telegram: FaultyTelegram, ann: ObservedPerson
) -> None:
    """429 with its seconds, then all is well again; other methods never knew."""
    telegram.faults.fail("sendMessage", 429, retry_after=3)
    bot("sendChatAction", chat_id=10, action="typing")
    assert bot.refused("sendMessage", chat_id=10, text="x") == "Too Many Requests: retry after 3"
    bot("sendMessage", chat_id=10, text="x")
    assert [message.text for message in ann.messages] == ["x"]


def test_delivery_can_be_doubled_and_shuffled(telegram: FaultyTelegram, ann: ObservedPerson) -> None:
    """The same updates come again, in another order."""
    for number in range(20):
        ann.send(str(number))
    telegram.faults.duplicate()
    telegram.faults.reorder(random.Random(1))  # noqa: S311  # an order, no secret
    first, second = telegram.take(), telegram.take()
    assert sorted(map(json.dumps, first)) == sorted(map(json.dumps, second))
    assert first != second
    assert telegram.take() == []


def test_a_method_that_nobody_knows(bot: Bot) -> None:
    """404, as the real server says."""
    assert bot.refused("sendLove") == "Not Found: method not found"
