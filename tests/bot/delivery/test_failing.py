"""What Telegram refuses, loses or delays: nothing is lost, nothing that must not come twice does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from annotation.store import late_messages, mailbox, processes
from annotation.store.mailbox import MessageHold, OutboxDraft, OutboxMessage, ShownAssignment

if TYPE_CHECKING:
    from sqlmodel import Session

    from tests.bot.delivery.conftest import Stage

BROADCAST = {"method": "sendMessage", "data": {"text": "новини"}}


async def until(condition: object, *, seconds: float = 300) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)


def put(
    stage: Stage,
    chat_id: int,
    *,
    calls: Sequence[Mapping[str, Any]] = (BROADCAST,),
    repeatable: bool = True,
    paced: bool = False,
) -> int:
    """A message that somebody left in the outbox, due now."""
    with stage.db.transaction() as session:
        draft = OutboxDraft(chat_id=chat_id, calls=calls, repeatable=repeatable, paced=paced)
        [message] = mailbox.store_messages(session, [draft], bot_id=stage.app.bot_id, now=stage.now)
    return message.id


@pytest.mark.parametrize("method", ["answerCallbackQuery", "editMessageText"])
@pytest.mark.parametrize("after", [True, False])
async def test_a_lost_answer_to_what_may_be_repeated_is_no_failure(stage: Stage, method: str, after: bool) -> None:
    """Whether it took effect or not: the toast, the mark and the next item are there, once."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    stage.telegram.faults.lose(method, after=after)
    await stage.tap(person, "A")
    assert [message.text for message in person.messages] == ["✓ 1 · перше", "item 2"]
    assert person.toasts == ["saved"]


@pytest.mark.parametrize("code", [502, 500])
async def test_an_item_that_may_not_have_arrived_is_sent_again(stage: Stage, code: int) -> None:
    """A second card of one item does no harm: both lead to the same judgement."""
    person = stage.telegram.person(1)
    stage.telegram.faults.fail("sendMessage", code, after=True)
    await stage.say(person, "/start")
    await until(lambda: len(person.messages) == 2)
    await stage.tap(person, "A")
    assert stage.rows("SELECT count(*) FROM judgement") == [(1,)]
    assert person.messages[-1].text == "item 2"


async def test_only_retry_after_delays_and_only_this_chat(stage: Stage) -> None:
    """While one annotator's messages wait, their taps are saved and others are served; the order stays."""
    first, second = stage.telegram.person(1), stage.telegram.person(2)
    stage.telegram.faults.fail("sendMessage", 429, retry_after=3)
    await stage.say(first, "/start")
    await stage.say(second, "/start")
    assert (len(first.messages), len(second.messages)) == (0, 1)
    await stage.say(first, "hello")
    assert stage.rows("SELECT count(*) FROM inbox WHERE done_at IS NULL") == [(0,)]
    await until(lambda: len(first.messages) == 2)
    assert stage.telegram.calls["sendmessage"] == 4


async def test_flood_limits_of_telegram_lose_nothing(stage: Stage) -> None:
    """One message a second to a chat: three come, none twice."""
    from _faulty_telegram import Flood

    stage.telegram.flood = Flood(per_chat=2, burst=1)
    stage.telegram.clock = type(stage.telegram.clock)()
    person = stage.telegram.person(1)
    for text in "abc":
        person.send(text)
    await stage.deliver()
    await until(lambda: len(person.messages) == 3)
    await asyncio.sleep(0.2)
    await stage.app.workers.wait_until_idle()
    assert len(person.messages) == 3
    assert stage.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_whoever_blocked_the_bot_is_marked_and_their_item_goes_back(stage: Stage) -> None:
    """The lease ends, waiting messages are dropped, nobody else notices."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    put(stage, 1)
    person.send("hello")
    updates = stage.telegram.take()
    person.block()
    stage.telegram.take()
    await stage.app.deliver(*updates)
    await stage.app.sweeper.sweep_once()
    await until(lambda: stage.rows("SELECT count(*) FROM annotator WHERE unreachable_at IS NOT NULL") == [(1,)])
    await stage.app.workers.wait_until_idle()
    assert stage.rows("SELECT status FROM assignment") == [("expired",)]
    assert stage.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_what_another_process_dropped_is_not_sent(stage: Stage) -> None:
    """The bot was blocked while a message that must not come twice was about to go; other messages are stored anew."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    number = put(stage, 1, repeatable=False)
    with stage.db.transaction() as session:
        assert processes.delete_chat_messages(session, chat_id=1) == ()
    message = OutboxMessage(
        id=number, bot_id=1, chat_id=1, calls=[BROADCAST], repeatable=False, created_at=stage.now, held_until=stage.now
    )
    stage.app.sender.send([message])
    await stage.app.sender.wait_until_idle()
    assert len(person.messages) == 1


async def test_what_another_process_took_during_a_call_is_not_sent_again(stage: Stage) -> None:
    """The call failed late, when this process no longer held its message; the other one has sent it."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    stage.telegram.faults.fail("sendMessage", 500, after=True)
    with stage.db.transaction() as session:
        hold = MessageHold(holder="another", until=stage.now + timedelta(seconds=15))
        [message] = mailbox.store_messages(
            session, [OutboxDraft(chat_id=1, calls=[BROADCAST])], bot_id=stage.app.bot_id, now=stage.now, hold=hold
        )
    stage.app.sender.send([message])
    await until(lambda: not stage.app.sender.list_held_ids())
    assert [message.text for message in person.messages] == ["item 1", "новини"]


async def test_what_another_process_took_while_its_calls_were_settled_is_not_sent(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database was slow when it was asked whether the card is late; by then another process had sent it."""
    person, settle = stage.telegram.person(1), late_messages.settle_calls
    await stage.say(person, "/start")

    def settle_slowly(session: Session, message: OutboxMessage, **named: Any) -> OutboxMessage:
        stage.now += timedelta(seconds=60)
        mailbox.delete_messages(session, [message.id])
        return settle(session, message, **named)

    monkeypatch.setattr(late_messages, "settle_calls", settle_slowly)
    put(stage, 1, calls=[{**BROADCAST, "shows": 1}])
    await stage.app.sweeper.sweep_once()
    await until(lambda: not stage.app.sender.list_held_ids())
    assert [message.text for message in person.messages] == ["item 1"]


async def test_what_follows_a_card_is_sent_although_the_card_is_overtaken_meanwhile(stage: Stage) -> None:
    """The card came; what follows in the same message fails at first, and the item is answered before the next try."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    put(stage, 1, calls=[{"method": "sendMessage", "data": {"text": "картка"}, "shows": 1}, BROADCAST])
    stage.telegram.faults.spoil("новини")
    await stage.app.sweeper.sweep_once()
    await until(lambda: person.messages[-1].text == "картка")
    person.tap("A", on=person.messages[0])
    await stage.app.workers.receive_updates(stage.telegram.take())
    await until(lambda: stage.rows("SELECT count(*) FROM judgement") == [(1,)])
    stage.telegram.faults.forget()
    await until(lambda: person.messages[-1].text == "item 2")
    assert [message.text for message in person.messages[1:]] == ["картка", "новини", "item 2"]


async def test_a_chat_that_migrated_gets_its_messages_under_its_new_number(stage: Stage) -> None:
    """Telegram names the new number; all that waits goes there."""
    group = stage.telegram.group(-5, stage.telegram.person(1))
    moved = stage.telegram.migrate(group)
    put(stage, -5)
    await stage.app.recover()
    await until(lambda: moved.messages)
    assert [message.text for message in moved.visible()] == ["новини"]


async def test_what_must_not_come_twice_is_not_sent_again_in_doubt(stage: Stage) -> None:
    """A time-out of a broadcast: it may have arrived, so it is left alone."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    put(stage, 1, repeatable=False)
    stage.telegram.faults.lose("sendMessage", after=True)
    await stage.app.recover()
    await until(lambda: len(person.messages) == 2)
    await asyncio.sleep(0.1)
    await stage.app.workers.wait_until_idle()
    stage.now += timedelta(hours=1)
    await stage.app.recover()
    await asyncio.sleep(0.1)
    assert len(person.messages) == 2


async def test_what_another_process_had_begun_is_left_alone(stage: Stage) -> None:
    """It died between the mark and the answer; nobody knows."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    number = put(stage, 1, repeatable=False)
    with stage.db.transaction() as session:
        mailbox.mark_begun(session, message_id=number, holder="", now=stage.now)
    await stage.app.recover()
    await asyncio.sleep(0.1)
    await stage.app.workers.wait_until_idle()
    assert len(person.messages) == 1
    assert stage.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_a_broadcast_that_was_refused_for_its_speed_is_no_doubt(stage: Stage) -> None:
    """429 says that it was not sent: it is, later."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    put(stage, 1, repeatable=False)
    stage.telegram.faults.fail("sendMessage", 429, retry_after=1)
    await stage.app.recover()
    await until(lambda: len(person.messages) == 2)
    assert stage.telegram.calls["sendmessage"] == 3


async def test_messages_of_a_process_that_died_are_sent_by_another_in_time(stage: Stage) -> None:
    """Until their hold is over they are its own; then they are anybody's."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    with stage.db.transaction() as session:
        hold = MessageHold(holder="another", until=stage.now + timedelta(seconds=15))
        mailbox.store_messages(
            session, [OutboxDraft(chat_id=1, calls=[BROADCAST])], bot_id=stage.app.bot_id, now=stage.now, hold=hold
        )
    await stage.app.sweeper.sweep_once()
    await asyncio.sleep(0.05)
    assert len(person.messages) == 1
    stage.now += timedelta(seconds=16)
    await stage.app.sweeper.sweep_once()
    await until(lambda: len(person.messages) == 2)


async def test_what_another_process_has_yet_to_send_comes_first(stage: Stage) -> None:
    """Where several share the work, what follows waits for it; where one does it all, there is no other."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    with stage.db.transaction() as session:
        hold = MessageHold(holder="another", until=stage.now + timedelta(seconds=5))
        mailbox.store_messages(
            session, [OutboxDraft(chat_id=1, calls=[BROADCAST])], bot_id=stage.app.bot_id, now=stage.now, hold=hold
        )
    await stage.say(person, "hello")
    await asyncio.sleep(0.3)
    assert len(person.messages) == (2 if stage.app.runner.single_writer else 1)
    stage.now += timedelta(seconds=6)
    await stage.app.sweeper.sweep_once()
    await until(lambda: len(person.messages) == 3)
    first = ["item 1", "item 1", "новини"] if stage.app.runner.single_writer else ["item 1", "новини", "item 1"]
    assert [message.text for message in person.messages] == first


async def test_html_that_telegram_cannot_read_goes_as_plain_text(stage: Stage) -> None:
    """A mistake of ours in one message does not stop a person."""
    person = stage.telegram.person(1)
    await stage.say(person, "/start")
    call = {"method": "sendMessage", "data": {"text": "<b>a &lt; b</i>", "parse_mode": "HTML"}}
    with stage.db.transaction() as session:
        mailbox.store_messages(session, [OutboxDraft(chat_id=1, calls=[call])], bot_id=stage.app.bot_id, now=stage.now)
    await stage.app.recover()
    await until(lambda: len(person.messages) == 2)
    assert person.messages[-1].text == "a < b"


async def test_a_database_that_is_down_delays_and_loses_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The update waits in the inbox until the database answers."""
    from annotation.errors import Unavailable
    from bot.delivery.workers import Workers

    person = stage.telegram.person(1)
    failures = iter(range(2))
    handled = Workers._handle_in_transaction

    def failing(self: Workers, *arguments: object, **named: object) -> object:
        if next(failures, None) is not None:
            raise Unavailable("It does not answer.")
        return handled(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Workers, "_handle_in_transaction", failing)
    await stage.say(person, "/start")
    await until(lambda: person.messages)
    assert [message.text for message in person.messages] == ["item 1"]
    assert stage.rows("SELECT attempts FROM inbox") == [(0,)]


async def test_paced_messages_keep_to_one_a_second_for_a_chat_and_29_for_all() -> None:
    """Simulated: 60 messages to 30 chats."""
    from bot.delivery.limits_and_retries import RateLimit

    limit, now, sent = RateLimit(), 0.0, []
    waiting = [chat for chat in range(30) for _ in range(2)]
    while waiting:
        chat, wait = limit.choose_chat(dict.fromkeys(waiting, 0.0), now=now)
        if chat is None:
            now += wait + 1e-9
            continue
        waiting.remove(chat)
        limit.record_message(chat, now=now)
        sent.append((now, chat))
    assert all(len([at for at, _ in sent if start <= at < start + 1]) <= 30 for start, _ in sent)
    for chat in range(30):
        first, second = (at for at, one in sent if one == chat)
        assert second - first >= 1
    assert 1.9 < now < 2.2


async def test_paced_messages_go_out_by_one_process(stage: Stage) -> None:
    """Reminders in the outbox are sent by the sweeper, once."""
    people = [stage.telegram.person(number) for number in range(1, 4)]
    for person in people:
        await stage.say(person, "/start")
        put(stage, person.id, repeatable=False, paced=True)
    sweeper = asyncio.create_task(stage.app.sweeper.run())
    await until(lambda: all(len(person.messages) == 2 for person in people))
    sweeper.cancel()
    await asyncio.gather(sweeper, return_exceptions=True)
    await stage.app.workers.wait_until_idle()
    assert stage.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_a_message_that_comes_as_the_sending_to_its_chat_ends_is_sent(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the last message of a chat and the end of its task: there is one task for a chat, and none is left."""
    person, loop, failures = stage.telegram.person(1), asyncio.get_running_loop(), list[object]()
    await stage.say(person, "/start")
    sender, add = stage.app.sender, stage.app.receipts.add
    with stage.db.transaction() as session:
        drafts = [OutboxDraft(chat_id=1, calls=[BROADCAST])] * 2
        first, second = mailbox.store_messages(
            session, drafts, bot_id=stage.app.bot_id, now=stage.now, hold=sender.make_hold()
        )

    def add_and_send(message: OutboxMessage, *, shown: Sequence[ShownAssignment] = ()) -> None:
        add(message, shown=shown)
        if message.id == first.id:
            loop.call_soon(sender.send, [second])

    monkeypatch.setattr(stage.app.receipts, "add", add_and_send)
    loop.set_exception_handler(lambda _, context: failures.append(context))
    sender.send([first])
    await until(lambda: len(person.messages) == 3)
    await sender.wait_until_idle()
    assert failures == []
