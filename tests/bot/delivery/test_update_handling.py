"""An update on its way: stored, handled once, emptied; its calls made in order and noted."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from annotation.store import mailbox
from bot import application
from bot.delivery import telegram_payloads
from bot.emulator.request import LocalRequest

if TYPE_CHECKING:
    from types import ModuleType

    from sqlmodel import Session

    from bot.conversation.updates_and_calls import IncomingUpdate, TelegramCalls
    from tests.bot.delivery.conftest import Stage


async def test_a_tap_is_saved_marked_and_followed_by_the_next_item(stage: Stage) -> None:
    """The everyday path leaves nothing in the boxes but the numbers of updates."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    await stage.tap(person, "A")
    assert [message.text for message in person.messages] == ["✓ 1 · перше", "item 2"]
    assert person.toasts == ["saved"]
    assert stage.rows("SELECT count(*) FROM outbox") == [(0,)]
    assert stage.rows("SELECT telegram_id, attempts, code FROM inbox") == [(None, 0, None)] * 2
    assert stage.rows("SELECT count(*) FROM inbox WHERE payload IS NOT NULL OR done_at IS NULL") == [(0,)]
    screens = stage.rows("SELECT assignment_id, message_id FROM item_message ORDER BY assignment_id")
    assert screens == [(1, person.messages[0].id), (2, person.messages[1].id)]


async def test_what_is_sent_is_protected_unless_the_setting_says_otherwise(stage: Stage) -> None:
    """Items cannot be forwarded or saved."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    assert person.messages[-1].protected


async def test_an_update_that_comes_again_changes_nothing(stage: Stage) -> None:
    """The same tap three times, in one batch and in another: one judgement, one next item."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    person.tap("A")
    [update] = stage.telegram.take()
    await stage.app.deliver(update, update)
    await stage.app.deliver(update)
    assert [message.text for message in person.messages] == ["✓ 1 · перше", "item 2"]
    assert stage.rows("SELECT count(*) FROM judgement") == [(1,)]


async def test_updates_of_a_batch_are_handled_in_the_order_of_their_numbers(stage: Stage) -> None:
    """However they come: the two taps of a person on one item are told apart by their numbers."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    person.tap("B")
    person.tap("A")
    first, second = stage.telegram.take()
    await stage.app.deliver(second, first)
    assert person.toasts[0] == "saved"
    assert stage.rows("SELECT response FROM judgement") == [("друге",)]


async def test_an_update_that_cannot_be_handled_is_tried_twice_and_told(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """The annotator is told, their next message is handled, and the log holds no name, no id, no text."""
    person = stage.telegram.person(987654321, name="Соломія")
    with caplog.at_level(logging.INFO):
        await stage.say(person, "boom")
        await stage.say(person, "/start")
    assert [message.text for message in person.messages] == ["sorry, LookupError, 6", "item 1"]
    [(attempts, code)] = stage.rows("SELECT attempts, code FROM inbox WHERE code IS NOT NULL")
    assert attempts == 2
    assert f"code {code}" in caplog.text
    assert caplog.text.count("is parked") == 1
    assert "LookupError" in caplog.text
    for secret in ("987654321", "Соломія", stage.telegram.token):
        assert secret not in caplog.text


def test_what_is_kept_of_an_update_holds_no_name() -> None:
    """First names, last names, user names, titles and the message under a button are left out."""
    sender = {"id": 7, "is_bot": False, "first_name": "Олена", "last_name": "Коваль", "username": "olena"}
    chat = {"id": 7, "type": "private", "first_name": "Олена", "username": "olena"}
    message = {"message_id": 3, "date": 5, "chat": chat, "from": sender, "text": "текст"}
    tap = {"id": "9", "from": sender, "message": message, "chat_instance": "1", "data": "a:1:0:1"}
    kept = [
        telegram_payloads.parse_update({"update_id": 1, "message": message}),
        telegram_payloads.parse_update({"update_id": 2, "callback_query": tap}),
    ]
    payloads = [telegram_payloads.dump_update(one).payload for one in kept if one]
    assert len(payloads) == 2
    assert not any(word in str(payloads) for word in ("Олена", "Коваль", "olena"))
    assert [telegram_payloads.restore_update(payload) for payload in payloads] == kept
    assert "текст" not in str(payloads[1])


@pytest.mark.parametrize(
    "update",
    [{"update_id": 1}, {"update_id": 1, "poll": {}}, {"update_id": 1, "message": {"chat": {"id": 1}}}],
)
def test_what_is_from_nobody_is_not_kept(update: dict[str, object]) -> None:
    """Kinds that were not asked for, and posts of channels."""
    assert telegram_payloads.parse_update(update) is None


async def test_numbers_are_forgotten_when_telegram_cannot_send_them_again(stage: Stage) -> None:
    """An inbox does not grow for ever."""
    await stage.say(stage.telegram.person(1), "/start")
    with stage.db.transaction() as session:
        assert mailbox.delete_handled(session, before=stage.now) == 0
        stage.now = stage.now.replace(year=2027)
        assert mailbox.delete_handled(session, before=stage.now) == 1


async def test_what_no_database_keeps_does_not_stop_the_others(stage: Stage) -> None:
    """NUL and halves of characters in a text, a button, a language: the rest of the batch is stored too."""
    person, other = stage.telegram.person(1), stage.telegram.person(2)
    person.send("x")
    other.send("/start")
    [first, second] = stage.telegram.take()
    first["message"]["text"] = "\0\ud800"
    first["message"]["from"]["language_code"] = "\0\ud800"
    await stage.app.deliver(first, second)
    assert {one.messages[-1].text for one in (person, other)} == {"item 1", "item 2"}


async def test_of_two_processes_that_see_an_update_one_handles_it(stage: Stage, tiny: ModuleType) -> None:
    """Both are woken for the same user, and handling takes a while: there is one answer, and one row that is done."""

    def handle_slowly(session: Session, incoming: IncomingUpdate, **named: Any) -> TelegramCalls:
        calls: TelegramCalls = tiny.handle_update(session, incoming, **named)
        time.sleep(0.3)
        return calls

    settings = replace(stage.app.workers.settings, handle_update=handle_slowly)
    other = application.build_application(
        token=stage.telegram.token, database=stage.db, settings=settings, request=LocalRequest(stage.telegram),
        clock=lambda: stage.now, database_clock=lambda: stage.now,
    )  # fmt: skip
    stage.app.workers.settings = settings
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    person.send("/start")
    received = [telegram_payloads.parse_update(update) for update in stage.telegram.take()]
    with stage.db.transaction() as session:
        mailbox.store_updates(
            session,
            [telegram_payloads.dump_update(one) for one in received if one],
            bot_id=stage.app.bot_id,
            now=stage.now,
        )
    async with other:
        for app in (stage.app, other):
            app.workers.wake([person.id])
        for app in (stage.app, other):
            await app.workers.wait_until_idle()
    assert [message.text for message in person.messages] == ["item 1", "item 1"]
