"""What organisers are told in the chat without asking: each thing once, by day, and again where it happens again."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import models, queries
from annotation.vocabulary import AdjudicationDecision, ParticipationStatus
from annotation.workflow.lifecycle import transitions
from annotation.workflow.monitoring import bot_waits
from annotation.workflow.monitoring.bot_waits import WaitReason
from annotation.workflow.notices import announcements
from annotation.workflow.organisers.alerts import Observation
from annotation.workflow.quality import enforcement
from bot.delivery import limits_and_retries
from tests.bot.test_organisers import ITEMS, ORGANISER, ask, begin, collect, observe, open_admin

if TYPE_CHECKING:
    from bot.emulator.scripted_people import ScriptedPerson
    from tests.bot.conftest import Chat

KYIV = ZoneInfo("Europe/Kyiv")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


def count_told(person: ScriptedPerson, words: str) -> int:
    """How many messages to this person have these words."""
    return sum(words in message.text for message in person.messages)


async def test_organisers_are_told_each_thing_once(chat: Chat, load: Callable[..., Any]) -> None:
    """Half and end, a stall of a day, a decision that waits: by day, each once to each of them."""
    load(*ITEMS)
    organiser, person = await open_admin(chat), await begin(chat, 1)
    await observe(chat)
    assert count_told(organiser, "Since yesterday:") == 1
    for number in range(4):
        await chat.tap(person, "так")
        if number == 0:
            await ask(chat, person, "Чому?")
    others = [await begin(chat, number) for number in (2, 3)]
    for _ in range(2):
        await chat.tap(others[0], "так")
    await observe(chat)
    assert count_told(organiser, "half of the answers are in (6)") == 1
    assert count_told(organiser, "1 decision is waiting for you.") == 1
    await observe(chat)
    chat.now += timedelta(days=1, hours=1)
    await observe(chat)
    assert count_told(organiser, "no answer since 21.11, 14:") == 1
    assert count_told(organiser, "Since yesterday:") == 2
    for one, number in ((others[0], 2), (others[1], 4)):
        await chat.send(one, "/start")
        for _ in range(number):
            await chat.tap(one, "так")
    await observe(chat)
    await observe(chat)
    assert count_told(organiser, "all answers are in (12)") == 1
    assert count_told(organiser, "half of the answers") == 1
    assert not any("answers are in" in message.text for message in person.messages)


async def test_at_night_organisers_hear_only_of_a_bot_that_is_behind(
    chat: Chat, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silently; the digest and the rest wait for the day."""
    load(*ITEMS)
    organiser, person = await open_admin(chat), await begin(chat, 1)
    await observe(chat)
    chat.now += timedelta(hours=12)
    await ask(chat, person, "Чому?")
    monkeypatch.setattr(chat.app.workers, "wake", lambda _: None)
    with chat.database.transaction() as session:
        update = models.Inbox(bot_id=1, update_id=10**6, telegram_id=77, payload={}, received_at=chat.now)
        session.add(update)
    chat.now += timedelta(minutes=6)
    await observe(chat)
    assert count_told(organiser, "The bot is behind: something has waited since 22.11, 02:") == 1
    assert organiser.messages[-1].silent
    assert count_told(organiser, "decision") == 0
    chat.now += timedelta(minutes=5)
    await observe(chat)
    assert count_told(organiser, "The bot is behind") == 2
    with chat.database.transaction() as session:
        session.connection().exec_driver_sql(
            "UPDATE inbox SET done_at = received_at, telegram_id = NULL WHERE done_at IS NULL"
        )
    chat.now += timedelta(hours=9)
    await observe(chat)
    assert count_told(organiser, "1 decision is waiting for you.") == 1
    assert count_told(organiser, "Since yesterday:") == 2


async def test_a_digest_that_telegram_held_back_until_night_gives_way_to_the_next(
    chat: Chat, load: Callable[..., Any]
) -> None:
    """One of each day at the most, none at night, none to whoever blocked the bot."""
    load(*ITEMS)
    organiser, other = await open_admin(chat), await open_admin(chat, number=901)
    other.block()
    await chat.deliver()
    chat.telegram.faults.fail("sendMessage", 429, retry_after=10 * 3600)
    await observe(chat)
    assert count_told(organiser, "Since yesterday:") == 0
    for _ in range(9):
        chat.now += timedelta(hours=1)
        await observe(chat)
    chat.now += timedelta(hours=3)  # what a process has read of a pause goes by its own clock, which is not moved
    async with chat.restarted():
        for _ in range(10):
            chat.now += timedelta(hours=1)
            await observe(chat)
    sent = [entry for entry in chat.telegram.display_log.entries if "Since yesterday:" in entry.text]
    assert [(entry.person, datetime.fromtimestamp(entry.at, KYIV).hour) for entry in sent] == [(organiser.id, 10)]


async def test_organisers_hear_of_a_time_without_telegram(chat: Chat, load: Callable[..., Any]) -> None:
    """While it grows, at each doubling, and once it is over; a short pause is none."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await chat.app.heartbeat.note()
    for minutes, told in ((4, 0), (1, 1), (3, 1), (2, 2), (8, 2), (2, 3)):
        chat.now += timedelta(minutes=minutes)
        await observe(chat)
        assert count_told(organiser, "Nothing has come from Telegram since 21.11, 14:00") == told
    assert count_told(organiser, "Nothing came from Telegram") == 0
    await chat.app.heartbeat.note()
    for minutes in (1, 2, 4, 20):
        await observe(chat)
        assert count_told(organiser, "Nothing came from Telegram from 21.11, 14:00 (Kyiv) to 21.11, 14:20") == 1
        chat.now += timedelta(minutes=minutes)
        await chat.app.heartbeat.note()
    await observe(chat)
    assert count_told(organiser, "Nothing came from Telegram from 21.11, 14:27 (Kyiv) to 21.11, 14:47") == 1
    assert count_told(organiser, "Nothing has come from Telegram") == 3


async def test_organisers_are_told_why_nothing_comes_from_telegram(chat: Chat, load: Callable[..., Any]) -> None:
    """Another program on the token leaves the calls to the bot, so that it can say so; then it is over."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await chat.app.heartbeat.note()
    for reason in (WaitReason.UNREACHABLE, WaitReason.OTHER_PROGRAM):
        chat.now += timedelta(minutes=6)
        chat.app.watchdog.explain_wait(reason)
        await chat.app.heartbeat.store_wait()
        await observe(chat)
    assert count_told(organiser, "nobody gets a reply. The bot’s log says why.") == 1  # it has not lasted yet
    assert count_told(organiser, "nobody gets a reply. Another program takes this bot’s updates with its token") == 1
    await chat.app.heartbeat.note()
    with chat.database.reading() as view:
        assert bot_waits.find_wait(view, now=chat.now) is None


async def test_a_bot_that_was_off_tells_the_gap_once(chat: Chat, load: Callable[..., Any]) -> None:
    """From when to when, as it polls again; whoever becomes an organiser later is not told of it."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await chat.app.heartbeat.note()
    chat.now += timedelta(hours=3)
    async with chat.restarted():
        for sweep in range(60):
            await chat.app.sweeper.sweep_once()
            if sweep == 30:
                await chat.app.heartbeat.note()  # its first poll is over
        await observe(chat)
    assert count_told(organiser, "Nothing has come from Telegram") == 0
    assert count_told(organiser, "Nothing came from Telegram from 21.11, 14:00 (Kyiv) to 21.11, 17:00") == 1
    chat.now += timedelta(days=2)
    await chat.app.heartbeat.note()
    other = await open_admin(chat, number=901)
    await observe(chat)
    assert count_told(other, "from 21.11, 14:00") == 0


async def test_a_process_that_stands_by_sees_no_gap_while_another_one_receives(
    chat: Chat, load: Callable[..., Any]
) -> None:
    """One receives, the other tells organisers, for hours; then the leases change."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    first = chat.app
    async with chat.restarted():
        for _ in range(5):
            await first.heartbeat.note()
            await observe(chat)
            chat.now += timedelta(minutes=4)
        await chat.app.heartbeat.note()
        await observe(chat)
    assert count_told(organiser, "from Telegram") == 0


async def test_a_backlog_that_moves_is_told_once_for_each_doubling(
    chat: Chat, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits is another update each minute; one that comes back within the hour is no other backlog."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    monkeypatch.setattr(chat.app.workers, "wake", lambda _: None)

    async def lag(minutes: float) -> None:
        with chat.database.transaction() as session:
            session.connection().exec_driver_sql(
                "UPDATE inbox SET done_at = received_at, telegram_id = NULL WHERE done_at IS NULL"
            )
            received_at = chat.now - timedelta(minutes=minutes)
            number = 10**6 + int(chat.now.timestamp())
            session.add(models.Inbox(bot_id=1, update_id=number, telegram_id=77, payload={}, received_at=received_at))
        await observe(chat)
        chat.now += timedelta(minutes=1)

    for minutes in (6, 6.5, 4, 6, 7, 6):
        await lag(minutes)
    assert count_told(organiser, "The bot is behind") == 1
    for minutes in (11, 6, 12, 4):
        await lag(minutes)
    assert count_told(organiser, "The bot is behind") == 2
    chat.now += timedelta(hours=2)
    for minutes in (6, 7):
        await lag(minutes)
    assert count_told(organiser, "The bot is behind") == 3


@pytest.mark.parametrize("change", ["paused", "closed", "extended"])
async def test_a_campaign_that_asks_again_has_not_stalled_before_a_day(
    chat: Chat, load: Callable[..., Any], change: str
) -> None:
    """It got no answer for days, as it was paused, closed or done; the day counts from when it asks again."""
    load(*ITEMS[:1] if change == "extended" else ITEMS)
    organiser = await open_admin(chat)
    for number in (1, 2, 3):
        await chat.tap(await begin(chat, number), "так")
    with chat.database.transaction() as session:
        project = queries.get_project(session, "words")
        if change == "paused":
            transitions.pause_project(session, project=project, now=chat.now)
        elif change == "closed":
            transitions.close_project(session, project=project, now=chat.now)
    chat.now += timedelta(days=3)
    with chat.database.transaction() as session:
        project = queries.get_project(session, "words")
        if change == "paused":
            transitions.start_project(session, project=project, now=chat.now)
        elif change == "closed":
            transitions.reopen_project(session, project=project, now=chat.now)
        else:
            transitions.extend_project(session, project=project, overlap=4, now=chat.now)
    for hours, told in ((0, 0), (23, 0), (2, 1), (1, 1)):
        chat.now += timedelta(hours=hours)
        await observe(chat)
        assert count_told(organiser, "no answer since 24.11") == told


async def test_a_decision_that_recurs_is_told_again(chat: Chat, load: Callable[..., Any]) -> None:
    """Somebody is paused, let go on and paused again; a disputed item is decided, and the decision is taken back."""
    load(*ITEMS)
    organiser, _ = await open_admin(chat), await begin(chat, 1)

    def pause() -> None:
        with chat.database.transaction() as session:
            [row] = session.exec(select(models.Participation)).all()
            row.status, row.reason, row.since = ParticipationStatus.PAUSED, "too fast", chat.now
            session.add(row)

    async def count() -> int:
        chat.now += timedelta(minutes=11)
        await observe(chat)
        return sum(
            count_told(organiser, f"{number} waiting for you. Слова") for number in ("1 decision is", "2 decisions are")
        )

    pause()
    assert [await count(), await count()] == [1, 1]
    with chat.database.transaction() as session:
        [row] = session.exec(select(models.Participation)).all()
        enforcement.readmit_annotator(session, annotator_id=row.annotator_id, project_id=row.project_id, now=chat.now)
    assert await count() == 1
    pause()
    assert [await count(), await count()] == [2, 2]
    with chat.database.transaction() as session:
        item = session.exec(select(models.Item).order_by(col(models.Item.id))).first()
        assert item is not None
        item.free = item.held = item.n_live = 0  # it gets no more answers
        case = models.AdjudicationCase(
            item_id=item.id or 0, question="answer", reasons=["tie"], candidates=[], position=1, created_at=chat.now
        )
        session.add(case)
    assert [await count(), await count()] == [3, 3]
    assert count_told(organiser, "2 decisions are waiting for you.") == 1, "as the list counts them"
    with chat.database.transaction() as session:
        decided = models.Adjudication(
            item_id=item.id or 0, item_revision=1, question="answer", number=0, annotator_id=row.annotator_id,
            decision=AdjudicationDecision.LABEL, labels=["так"], gold_version="1", at=chat.now,
        )  # fmt: skip
        queries.add_row(session, decided)
    assert await count() == 3
    with chat.database.transaction() as session:
        [decided] = session.exec(select(models.Adjudication)).all()
        queries.add_undone_row(session, last=decided, annotator_id=None, item_revision=1, now=chat.now)
    assert [await count(), await count()] == [4, 4]


async def test_any_number_of_decisions_can_wait(chat: Chat, load: Callable[..., Any]) -> None:
    """More than a statement takes; a minute in which nothing is new looks for none of them where others wait."""
    load(*ITEMS)
    organiser, _ = await open_admin(chat), await begin(chat, 1)
    with chat.database.transaction() as session:
        session.connection().exec_driver_sql(
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 70000)"
            " INSERT INTO support_message (annotator_id, text, at) SELECT 1, 'Why?', ? FROM n",
            (chat.now.isoformat(sep=" "),),
        )
    await observe(chat)
    assert count_told(organiser, "70,000 decisions are waiting for you.") == 1
    chat.now += timedelta(minutes=11)
    looked_for: list[int] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        if "organiser_notice.key IN" in statement:
            looked_for.append(len(parameters))

    await chat.app.runner.run(lambda _: None)  # nothing else is under way
    observed = chat.app.sweeper._observe()
    sa.event.listen(chat.database.engine, "before_cursor_execute", note)
    await chat.app.runner.run(lambda session: chat.app.sweeper._store_notifications(session, observed))
    sa.event.remove(chat.database.engine, "before_cursor_execute", note)
    assert looked_for == []


async def test_an_alert_that_telegram_held_back_is_not_told_at_night_but_the_next_day(
    chat: Chat, load: Callable[..., Any]
) -> None:
    """Once, if it is still so."""
    load(*ITEMS)
    organiser, person = await open_admin(chat), await begin(chat, 1)
    await observe(chat)
    await ask(chat, person, "Чому?")
    chat.now = chat.now.astimezone(KYIV).replace(hour=19, minute=59)
    chat.telegram.faults.fail("sendMessage", 429, retry_after=3 * 3600)
    await observe(chat)
    chat.now += timedelta(hours=3)
    async with chat.restarted():  # what a process has read of a pause goes by its own clock, which is not moved
        for _ in range(14):
            await observe(chat)
            chat.now += timedelta(hours=1)
    sent = [entry for entry in chat.telegram.display_log.entries if "1 decision is waiting" in entry.text]
    assert [(entry.person, datetime.fromtimestamp(entry.at, KYIV).hour) for entry in sent] == [(organiser.id, 10)]


async def test_an_urgent_alert_that_telegram_held_back_tells_what_is_so_then(
    chat: Chat, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is over by then is not told."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await observe(chat)
    monkeypatch.setattr(chat.app.workers, "wake", lambda _: None)
    with chat.database.transaction() as session:
        session.add(models.Inbox(bot_id=1, update_id=10**6, telegram_id=77, payload={}, received_at=chat.now))
    chat.now += timedelta(minutes=6)
    chat.telegram.faults.fail("sendMessage", 429, retry_after=1800)
    await observe(chat)
    with chat.database.transaction() as session:
        session.connection().exec_driver_sql(
            "UPDATE inbox SET done_at = received_at, telegram_id = NULL WHERE done_at IS NULL"
        )
    chat.now += timedelta(minutes=40)
    async with chat.restarted():
        await observe(chat)
    assert count_told(organiser, "The bot is behind") == 0


@pytest.mark.parametrize("knows", [True, False])
async def test_whoever_blocked_the_bot_is_told_once_they_write_again(
    chat: Chat, load: Callable[..., Any], knows: bool
) -> None:
    """Where the bot was told of the block while an alert waited, and where it met it in sending the alert."""
    load(*ITEMS)
    organiser, person = await open_admin(chat), await begin(chat, 1)
    await observe(chat)
    await ask(chat, person, "Чому?")
    if knows:
        chat.telegram.faults.fail("sendMessage", 429, retry_after=600)
        await observe(chat)
        organiser.block()
        await chat.deliver()
    else:
        organiser.block()
        assert chat.telegram.take()
        await observe(chat)
    with chat.database.reading() as view:
        blocked = view.exec(select(models.Annotator).where(models.Annotator.telegram_id == ORGANISER)).one()
        assert blocked.unreachable_at is not None
    organiser.unblock()
    await chat.deliver()
    await chat.send(organiser, "/admin")
    chat.now += timedelta(minutes=11)
    async with chat.restarted():
        await observe(chat)
        await observe(chat)
    assert count_told(organiser, "1 decision is waiting for you.") == 1


async def test_no_card_counts_all_items_or_answers(chat: Chat, load: Callable[..., Any]) -> None:
    """What is counted each minute is gone by; the answers of a day are a range of an index. Closed projects too."""
    load(*ITEMS)
    await chat.tap(await begin(chat, 1), "так")
    load(*ITEMS, name="old", title="Старі")
    with chat.database.transaction() as session:
        transitions.close_project(session, project=queries.get_project(session, "old"), now=chat.now)
    organiser = await open_admin(chat)
    before = organiser.messages[-1].text
    await observe(chat)
    seen: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        seen.append((statement, parameters))

    async def list_scans(act: Awaitable[Any]) -> list[str]:
        seen.clear()
        sa.event.listen(chat.database.engine, "before_cursor_execute", note)
        await act
        sa.event.remove(chat.database.engine, "before_cursor_execute", note)
        assert seen
        with chat.database.reading() as view:
            plans = [
                (statement, str(row[3]))
                for statement, parameters in seen
                if statement.startswith("SELECT") and ("judgement" in statement or "item." in statement)
                for row in view.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            ]
        assert plans
        return [
            step
            for statement, step in plans
            if "sum(item." in statement or re.match("SCAN (judgement|assignment|item)", step)
        ]

    assert await list_scans(open_admin(chat)) == []
    assert organiser.messages[-1].text == before
    number = re.search(r"(\d)\) Слова", before)
    assert number is not None
    assert await list_scans(chat.tap(organiser, number[1])) == []
    assert "In the last 24 hours: 1. Here now: 1." in organiser.messages[-1].text
    chat.now += timedelta(hours=1)
    assert len(await list_scans(asyncio.to_thread(chat.app.sweeper._observe))) == 1, "the project that is not over"


async def test_an_observation_that_hangs_keeps_nothing_else_waiting(chat: Chat, load: Callable[..., Any]) -> None:
    """Sweeps go on, one looks at a time, and what it sees is told once it is there."""
    load(*ITEMS)
    organiser, person = await open_admin(chat), await begin(chat, 1)
    settings, goes_on, begun = chat.app.workers.settings, threading.Event(), []

    def observe_slowly(session: Session, *, now: datetime) -> Observation | None:
        begun.append(now)
        assert goes_on.wait(60)
        return settings.observe_campaigns(session, now=now)

    chat.app.workers.settings = replace(settings, observe_campaigns=observe_slowly)
    await ask(chat, person, "Чому?")
    for _ in range(150):
        await asyncio.wait_for(chat.app.sweeper.sweep_once(), 5)
    chat.now += announcements.WORK_LASTS  # the person is not at work any more
    with chat.database.transaction() as session:
        draft = announcements.write_announcement(
            session, text="Дякуємо!", now=chat.now, project_id=queries.get_project(session, "words").id
        )
        announcements.send_announcement(session, announcement=draft, now=chat.now)
    await collect(chat)
    assert person.messages[-1].text.endswith("Дякуємо!")
    assert (len(begun), count_told(organiser, "1 decision is waiting for you.")) == (1, 0)
    goes_on.set()
    await observe(chat)
    assert count_told(organiser, "1 decision is waiting for you.") == 1


async def test_what_a_process_saw_that_lost_the_lease_is_not_told(chat: Chat, load: Callable[..., Any]) -> None:
    """It would be old by the time that the process has the lease again."""
    load(*ITEMS)
    organiser, person = await open_admin(chat), await begin(chat, 1)
    await ask(chat, person, "Чому?")
    sweeper = chat.app.sweeper
    while sweeper._observing is None:
        await sweeper.sweep_once()
    await asyncio.wait([sweeper._observing])
    async with chat.restarted():
        assert await chat.app.sweeper.lease.acquire()
        await sweeper.sweep_once()
        assert not sweeper.lease.held
    await open_messages_are_answered(chat)
    chat.now += timedelta(minutes=1)
    await collect(chat, sweeps=10)
    assert sweeper.lease.held
    assert count_told(organiser, "1 decision is waiting for you.") == 0


async def open_messages_are_answered(chat: Chat) -> None:
    """Somebody else has answered all questions."""
    with chat.database.transaction() as session:
        for message in session.exec(select(models.SupportMessage)):
            message.answer, message.answered_at, message.delivered_at = "Так.", chat.now, chat.now
            session.add(message)
