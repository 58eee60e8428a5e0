"""Messages that cannot be sent are parked with their reason, and whatever comes after them goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from telegram.error import TimedOut

from annotation.errors import NotFound
from annotation.store import mailbox, parked
from annotation.store.mailbox import MessageHold, OutboxDraft
from bot import application
from bot.delivery import sender, telegram_api
from bot.delivery.limits_and_retries import RateLimit
from bot.delivery.telegram_api import TelegramApi
from bot.emulator.request import LocalRequest

if TYPE_CHECKING:
    from types import ModuleType

    from tests.bot.delivery.conftest import Stage


async def until(condition: object, *, seconds: float = 300) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts are short."""
    monkeypatch.setattr(telegram_api, "MIN_RETRY_SECONDS", 0.001)
    monkeypatch.setattr(telegram_api, "MAX_RETRY_SECONDS", 0.01)


def say(text: str) -> dict[str, Any]:
    """A call that sends a text."""
    return {"method": "sendMessage", "data": {"text": text}}


def put(stage: Stage, *calls: Mapping[str, Any], chat_id: int = 1, paced: bool = False) -> int:
    """A message in the outbox, due now."""
    with stage.db.transaction() as session:
        [message] = mailbox.store_messages(
            session, [OutboxDraft(chat_id=chat_id, calls=calls, paced=paced)], bot_id=stage.app.bot_id, now=stage.now
        )
    return message.id


async def send_all(stage: Stage) -> None:
    """Send what is due, and wait until nothing is on its way but what is parked."""
    await stage.app.sweeper.sweep_once()
    await until(lambda: stage.rows("SELECT count(*) FROM outbox WHERE reason IS NULL") == [(0,)])


def list_reasons(stage: Stage) -> Sequence[tuple[str, tuple[str, ...], str]]:
    """What is parked: its kind, the methods of its calls, and why."""
    with stage.db.reading() as view:
        return [(delivery.kind, delivery.methods, delivery.reason) for delivery in parked.list_parked(view)]


async def test_a_message_that_fails_for_ever_is_parked_and_the_chat_goes_on(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """Eight attempts, one line in the log, and what was behind it is there; another chat noticed nothing."""
    person, other = stage.telegram.person(1), stage.telegram.person(2)
    await stage.say(person, "/start")
    await stage.say(other, "/start")
    stage.telegram.faults.spoil("poison", 500)
    before = stage.telegram.calls["sendmessage"]
    put(stage, say("poison"))
    put(stage, say("behind it"))
    put(stage, say("elsewhere"), chat_id=2)
    with caplog.at_level(logging.WARNING):
        await send_all(stage)
    assert [message.text for message in person.messages] == ["item 1", "behind it"]
    assert other.messages[-1].text == "elsewhere"
    assert list_reasons(stage) == [("message", ("sendMessage",), "sendMessage: Internal Server Error, 8 times")]
    assert stage.telegram.calls["sendmessage"] - before == sender.MAX_ATTEMPTS + 2
    assert caplog.text.count("is parked") == 1


async def test_of_several_calls_only_the_one_that_fails_is_parked(stage: Stage) -> None:
    """The acknowledgement and the next item come, though the mark between them does not."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    stage.telegram.faults.spoil("✓", 500)
    await stage.tap(person, "A")
    await until(lambda: len(person.messages) == 2)
    assert person.toasts == ["saved"]
    assert person.messages[-1].text == "item 2"
    await until(lambda: list_reasons(stage))
    assert list_reasons(stage)[0][1] == ("editMessageText",)
    screens = stage.rows("SELECT assignment_id, message_id FROM item_message ORDER BY assignment_id")
    assert screens[-1] == (2, person.messages[-1].id)


async def test_what_telegram_refuses_is_parked_at_once(stage: Stage) -> None:
    """A text that is too long will never be shorter; the calls beside it are made."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    put(stage, say("before"), say("я" * 5000), say("after"))
    await send_all(stage)
    assert [message.text for message in person.messages[1:]] == ["before", "after"]
    assert list_reasons(stage) == [("message", ("sendMessage",), "sendMessage: Message is too long")]


async def test_the_plain_text_attempt_knows_what_is_harmless(stage: Stage) -> None:
    """An edit whose HTML is not valid, and whose plain text is there already: nothing is lost, nothing waits."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    number = put(stage, say("as it was"))
    await send_all(stage)
    shown = person.messages[-1]
    edit = {"message_id": shown.id, "text": "<b>as it was</i>", "parse_mode": "HTML"}
    put(stage, {"method": "editMessageText", "data": edit})
    put(stage, say("behind it"))
    await send_all(stage)
    assert number
    assert person.messages[-1].text == "behind it"
    assert list_reasons(stage) == []


async def test_an_unexpected_error_does_not_keep_a_chat_busy(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The message is parked with its name, the log has the trace, and the next message is sent."""
    make_call, secret = TelegramApi.make_call, "nobody expected this"

    async def fail(api: TelegramApi, call: Mapping[str, Any], **named: Any) -> Any:
        if call["data"].get("text") == "poison":
            raise LookupError(secret)
        return await make_call(api, call, **named)

    monkeypatch.setattr(TelegramApi, "make_call", fail)
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    put(stage, say("poison"))
    put(stage, say("behind it"))
    with caplog.at_level(logging.WARNING):
        await send_all(stage)
    assert person.messages[-1].text == "behind it"
    assert list_reasons(stage) == [("message", ("sendMessage",), "unexpected LookupError")]
    assert "make_call" in caplog.text
    assert secret not in caplog.text


async def test_an_unexpected_error_in_the_parking_does_not_keep_a_chat_busy(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What sees to a failed message fails itself: the message stays stored for later, and the next one is sent."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    stage.telegram.faults.spoil("poison", 400)

    def fail(*_: object, **__: object) -> None:
        raise LookupError("nobody expected this")

    monkeypatch.setattr(mailbox, "park_message", fail)
    put(stage, say("poison"))
    put(stage, say("behind it"))
    with caplog.at_level(logging.WARNING):
        await stage.app.sweeper.sweep_once()
        await until(lambda: person.messages[-1].text == "behind it", seconds=30)
    assert "is left for later" in caplog.text
    await until(lambda: stage.rows("SELECT count(*) FROM outbox") == [(1,)], seconds=30)
    monkeypatch.undo()
    stage.now += timedelta(seconds=10)
    await send_all(stage)
    assert [kind for kind, *_ in list_reasons(stage)] == ["message"]


async def test_while_telegram_is_away_nothing_is_parked(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is tried: it is nobody's failure; afterwards everything comes."""
    make_call, get_me = TelegramApi.make_call, TelegramApi.get_me
    tries: list[None] = []

    async def fail(*_: Any, **__: Any) -> Any:
        tries.append(None)
        raise TimedOut

    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    monkeypatch.setattr(TelegramApi, "make_call", fail)
    monkeypatch.setattr(TelegramApi, "get_me", fail)
    put(stage, say("later"))
    await stage.app.sweeper.sweep_once()
    await until(lambda: len(tries) > 40)
    assert list_reasons(stage) == []
    monkeypatch.setattr(TelegramApi, "make_call", make_call)
    monkeypatch.setattr(TelegramApi, "get_me", get_me)
    await until(lambda: person.messages[-1].text == "later")


async def test_a_message_that_is_too_old_is_parked(stage: Stage) -> None:
    """A day long Telegram asks for one pause after the other: then it is enough."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    put(stage, say("yesterday's"))
    stage.now += timedelta(hours=25)
    stage.telegram.faults.fail("sendMessage", 429, retry_after=1)
    await send_all(stage)
    assert list_reasons(stage) == [("message", ("sendMessage",), "for 1 day: Telegram asks for pauses")]


async def test_a_pause_that_telegram_asks_one_process_for_is_kept_by_all(stage: Stage, tiny: ModuleType) -> None:
    """Another process reads it in the database, and sends the chat nothing until it is over; then it does."""
    telegram = stage.telegram
    other = application.build_application(
        token=telegram.token, database=stage.db, settings=tiny.build_settings(), request=LocalRequest(telegram),
        clock=lambda: stage.now, database_clock=lambda: stage.now,
    )  # fmt: skip
    person = telegram.person(1)
    await stage.say(person, "/start")
    telegram.faults.fail("sendMessage", 429, retry_after=2)
    put(stage, say("first"))
    await stage.app.sweeper.sweep_once()
    await stage.app.sender.wait_until_idle()
    assert stage.rows("SELECT chat_id FROM chat_pause") == [(1,)]
    before = telegram.calls["sendmessage"]
    async with other:
        put(stage, say("of another process"), paced=False)
        await other.sweeper.sweep_once()
        pause_end = other.sender.rate_limit.get_pause_end(1)
        await other.sender.wait_until_idle()
        assert pause_end > 0
        assert telegram.calls["sendmessage"] == before or asyncio.get_running_loop().time() >= pause_end
        await until(lambda: len(person.messages) == 3)
        stage.now += timedelta(seconds=5)
        await other.sweeper.sweep_once()
        assert stage.rows("SELECT count(*) FROM chat_pause") == [(0,)]


async def test_a_paced_message_is_counted_once(stage: Stage) -> None:
    """Thirty reminders need the time of thirty messages, not of sixty."""
    people = [stage.telegram.person(number) for number in range(1, 31)]
    for person in people:
        await stage.say(person, "/start")
        put(stage, say("news"), chat_id=person.id, paced=True)
    limit = stage.app.sweeper.rate_limit
    counted: list[int] = []
    record = limit.record_message

    def count(chat_id: int, *, now: float) -> None:
        counted.append(chat_id)
        record(chat_id, now=now)

    limit.record_message = count  # type: ignore[method-assign]
    sweeper = asyncio.create_task(stage.app.sweeper.run())
    await until(lambda: all(len(person.messages) == 2 for person in people))
    sweeper.cancel()
    await asyncio.gather(sweeper, return_exceptions=True)
    assert sorted(counted) == [person.id for person in people]


def test_an_hour_of_replies_delays_an_answer_of_an_organiser_by_seconds() -> None:
    """Simulated: 42 replies a second, and none waits; while they go on it waits ten seconds, afterwards two at most."""
    limit, now = RateLimit(), 0.0
    while now < 3600:
        limit.record_message(int(now) % 600, now=now)
        now += 1 / 42
    assert limit.choose_chat({7: now}, now=now)[1] <= 2
    since = now
    while limit.choose_chat({7: since}, now=now)[0] is None:
        limit.record_message(7, now=now)
        now += 1 / 42
    assert now - since < 10.1
    assert limit.choose_chat({8: since}, now=now)[1] == pytest.approx(1.0, abs=0.05)


def refuse(limit: RateLimit, chats: Iterable[int], *, now: float, seconds: float = 600.0) -> None:
    """Let Telegram refuse a message to each of these chats, and ask for a pause."""
    for chat in chats:
        limit.record_message(chat, now=now)
        limit.record_refusal(chat, until=now + seconds, now=now)


def test_a_chat_gets_its_next_message_when_its_second_is_over() -> None:
    """Not a moment later; until then it is said how long that is."""
    limit = RateLimit()
    limit.record_message(1, now=0.0)
    end = max(limit.allowed_at[1], limit.overall_allowed_at)
    assert limit.choose_chat({1: 0.0}, now=end - 0.25) == (None, 0.25)
    assert limit.choose_chat({1: 0.0}, now=end) == (1, 0.0)


def test_a_pause_belongs_to_its_chat() -> None:
    """However many are paused: by what other processes were told, in groups, or spread over minutes."""
    limit = RateLimit()
    for chat in range(1, 101):
        limit.pause_chat(chat, until=30.0, now=0.0)
    refuse(limit, range(-100, 0), now=0.0)
    for chat in range(200, 220):
        refuse(limit, [chat], now=2.0 * chat)
    assert [limit.get_pause_end(chat) for chat in (-1, 210, 999)] == [600.0, 1020.0, 0.0]


def test_several_private_chats_refused_at_once_pause_all_for_a_second_then_for_two() -> None:
    """Up to half a minute; after a message that was taken, for a second again. Never longer than Telegram asks for."""
    limit, now = RateLimit(), 0.0
    refuse(limit, range(1, 5), now=now)
    assert limit.get_pause_end(999) == 0.0
    pauses = []
    for round_number in range(1, 8):
        refuse(limit, range(round_number * 10, round_number * 10 + 5), now=now)
        pauses.append(limit.get_pause_end(999) - now)
        now = limit.get_pause_end(999)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    limit.record_success()
    refuse(limit, range(100, 104), now=now)
    limit.record_success()
    refuse(limit, range(104, 108), now=now)
    assert limit.get_pause_end(999) == now
    refuse(limit, [108], now=now, seconds=0.5)
    assert limit.get_pause_end(999) == now + 0.5


def test_chats_that_flood_say_nothing_about_others() -> None:
    """Who gets more than a message a second is refused for that."""
    limit = RateLimit()
    for chat in range(1, 20):
        limit.record_message(chat, now=0.0)
        refuse(limit, [chat], now=0.0)
    assert limit.get_pause_end(999) == 0.0


async def test_a_message_whose_hold_another_process_took_over_is_not_sent_here(stage: Stage) -> None:
    """It waits for a pause that is longer than its hold; meanwhile another process takes it."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    stage.telegram.faults.fail("sendMessage", 429, retry_after=1)
    number = put(stage, say("news"))
    await stage.app.sweeper.sweep_once()
    await stage.app.sender.wait_until_idle()
    stage.now += timedelta(seconds=30)
    theirs = MessageHold(holder="another", until=stage.now + timedelta(seconds=6))
    with stage.db.transaction() as session:
        [taken] = mailbox.take_due_messages(session, bot_id=stage.app.bot_id, now=stage.now, hold=theirs, paced=False)
    assert taken.id == number
    await until(lambda: stage.app.sender.list_held_ids() == [])
    assert len(person.messages) == 1


async def test_what_is_parked_is_tried_again_or_dropped(stage: Stage) -> None:
    """Once the cause is mended it is sent, from the first attempt; what is dropped is gone, what is gone is said."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    stage.telegram.faults.spoil("poison", 500)
    first, second = put(stage, say("poison 1")), put(stage, say("poison 2"))
    await send_all(stage)
    stage.telegram.faults.forget()
    with stage.db.transaction() as session:
        assert parked.count_parked(session) == parked.ParkedCounts(updates=0, messages=2, annotations=0, copies=0)
        parked.retry_parked(session, [f"m{first}"], now=stage.now)
        parked.drop_parked(session, [f"m{second}"], now=stage.now)
        with pytest.raises(NotFound, match="is not parked"):
            parked.drop_parked(session, [f"m{second}"], now=stage.now)
    await send_all(stage)
    assert person.messages[-1].text == "poison 1"
    assert stage.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_an_unexpected_failure_does_not_end_the_sending_of_paced_messages(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says it, and the news goes out a moment later."""
    person, record = stage.telegram.person(1), RateLimit.record_message
    await stage.say(person, "/start")

    def fail_once(limit: RateLimit, chat_id: int, *, now: float) -> None:
        monkeypatch.setattr(RateLimit, "record_message", record)
        raise LookupError(chat_id)

    monkeypatch.setattr(RateLimit, "record_message", fail_once)
    put(stage, say("news"), paced=True)
    sweeping = asyncio.create_task(stage.app.sweeper.run())
    await until(lambda: person.messages[-1].text == "news")
    sweeping.cancel()
    await asyncio.gather(sweeping, return_exceptions=True)
    assert "LookupError" in caplog.text
