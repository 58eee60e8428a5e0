"""Reminders and news, as annotators wish for them: when they come, when not, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from annotation.store import invariants, queries
from annotation.workflow.annotators import roster
from annotation.workflow.lifecycle import transitions
from bot.delivery import limits_and_retries

if TYPE_CHECKING:
    from _faulty_telegram import ObservedPerson

    from bot.emulator.model import Message
    from tests.bot.conftest import Chat

ITEMS = [("кіт — собака", ["кіт", "собака"]), ("дуб — береза", ["дуб", "береза"])]
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
REMINDER, NEWS = "для вас є запитання", "для вас знову є запитання"
LAST = "більше не нагадуватимемо"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


async def begin(chat: Chat, number: int = 1) -> ObservedPerson:
    """Somebody who has a first item."""
    person = chat.person(number)
    await chat.send(person, "/start")
    await chat.tap(person, "Українська")
    await chat.tap(person, "Почати")
    return person


async def want_reminders(chat: Chat, person: ObservedPerson, *, city: str = "Київ") -> None:
    """Turn reminders on, in this city."""
    await chat.send(person, "/reminders")
    await chat.tap(person, "Нагадувати")
    await chat.send(person, city)


async def collect(chat: Chat) -> None:
    """Look at the wishes that are due, and send what follows."""
    await chat.app.runner.run(lambda session: chat.app.sweeper._store_notifications(session, None))
    await chat.app.sweeper.sweep_once()
    await chat.send_paced()


async def live(chat: Chat, *, days: float, hours: float = 0) -> None:
    """Let time pass, an hour at a time, but six where no wish is due so soon."""
    end = chat.now + timedelta(days=days, hours=hours)
    while chat.now < end:
        later = chat.now + 6 * HOUR
        [(due,)] = read_rows(chat, "SELECT min(due_at) FROM notice_wish")
        is_idle = due is None or datetime.fromisoformat(due).replace(tzinfo=UTC) > later
        chat.now = later if is_idle and later <= end else chat.now + HOUR
        await collect(chat)


def list_told(person: ObservedPerson, words: str) -> list[Message]:
    """The messages to this person that have these words, also where they say something else by now."""
    return [message for message in person.messages if words in message.text]


def list_days(person: ObservedPerson, words: str, *, zone: str = "Europe/Kyiv") -> list[tuple[int, int]]:
    """The day of the month and the local hour of these messages."""
    found = [entry for entry in person.telegram.display_log.list_events(person.id, "message") if words in entry.text]
    moments = [datetime.fromtimestamp(entry.at, ZoneInfo(zone)) for entry in found]
    return [(moment.day, moment.hour) for moment in moments]


def read_rows(chat: Chat, statement: str) -> list[tuple[Any, ...]]:
    """What the database says."""
    with chat.database.reading() as view:
        return [tuple(row) for row in view.connection().execute(sa.text(statement))]


async def test_a_reminder_comes_after_two_days_by_day(chat: Chat, load: Callable[..., None]) -> None:
    """To whoever wants it and has an item; not to whoever does not, and nothing is assigned for it."""
    load(*ITEMS)
    person, other = await begin(chat), await begin(chat, 2)
    await want_reminders(chat, person)
    await chat.send(person, "/pause")
    before = read_rows(chat, "SELECT count(*), max(id) FROM assignment")
    journal = read_rows(chat, "SELECT count(*) FROM journal")
    await live(chat, days=1, hours=22)
    assert list_told(person, REMINDER) == []
    await live(chat, days=1)
    assert list_days(person, REMINDER) == [(23, 14)]
    [reminder] = list_told(person, REMINDER)
    assert reminder.text == "«Слова»: для вас є запитання, коли захочете."
    assert [label for label, _ in reminder.buttons] == ["Далі", "Завтра", "Більше не нагадувати"]
    assert not reminder.silent
    assert list_told(other, REMINDER) == []
    assert read_rows(chat, "SELECT count(*), max(id) FROM assignment") == before
    assert read_rows(chat, "SELECT count(*) FROM journal") == journal
    with chat.database.reading() as view:
        assert invariants.list_violations(view) == ()
    await chat.tap(person, "Далі")
    assert "Яке слово довше?" in person.messages[-1].text


async def test_three_without_an_answer_are_the_last(chat: Chat, load: Callable[..., None]) -> None:
    """One in three days; the third says that it is the last, and it is."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    await live(chat, days=20)
    assert [day for day, _ in list_days(person, REMINDER)] == [23, 26, 29]
    assert [LAST in message.text for message in list_told(person, REMINDER)] == [False, False, True]
    assert read_rows(chat, "SELECT reminders, due_at FROM notice_wish") == [(0, None)]


@pytest.mark.parametrize("act", ["answer", "go on"])
async def test_an_answer_begins_the_count_anew(chat: Chat, load: Callable[..., None], act: str) -> None:
    """Two are left without one, the third is answered: three more may come."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    await live(chat, days=8, hours=2)
    assert len(list_told(person, REMINDER)) == 3
    if act == "answer":
        await chat.send(person, "/start")
        await chat.tap(person, "кіт")
    else:
        await chat.tap(person, "Далі")
    await live(chat, days=3, hours=2)
    assert [LAST in message.text for message in list_told(person, REMINDER)] == [False, False, True, False]


async def test_tomorrow_is_tomorrow(chat: Chat, load: Callable[..., None]) -> None:
    """They are asked again at ten of the next day, and then in three days."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    await live(chat, days=2, hours=2)
    await chat.tap(person, "Завтра")
    assert list_told(person, REMINDER) == []
    assert person.messages[-1].text == "Гаразд, до завтра."
    await live(chat, days=4)
    assert list_days(person, REMINDER) == [(23, 14), (24, 10), (27, 10)]


async def test_tomorrow_is_tomorrow_for_whoever_worked_meanwhile(chat: Chat, load: Callable[..., None]) -> None:
    """They go on from the reminder, answer, and ask for tomorrow below it; the next one is the usual one again."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    await live(chat, days=2, hours=2)
    [reminder] = list_told(person, REMINDER)
    await chat.tap(person, "Далі")
    await chat.tap(person, "собака")
    person.tap("Завтра", on=reminder)
    await chat.deliver()
    await live(chat, days=4)
    assert list_days(person, REMINDER) == [(23, 14), (24, 10), (27, 10)]


async def test_a_promised_reminder_that_is_held_back_comes_the_day_after(chat: Chat, load: Callable[..., None]) -> None:
    """Also to whoever worked meanwhile."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    await live(chat, days=2, hours=2)
    [reminder] = list_told(person, REMINDER)
    await chat.tap(person, "Далі")
    await chat.tap(person, "собака")
    person.tap("Завтра", on=reminder)
    await chat.deliver()
    chat.now += 19 * HOUR
    chat.telegram.faults.fail("sendMessage", 429, retry_after=14 * 3600)
    await collect(chat)
    await live(chat, days=0, hours=12)
    assert read_rows(chat, "SELECT count(*) FROM outbox") == [(0,)]
    chat.now += 3 * HOUR  # what a process has read of a pause goes by its own clock, which is not moved
    async with chat.restarted():
        await live(chat, days=1)
    assert list_days(person, REMINDER) == [(23, 14), (25, 10)]


@pytest.mark.parametrize("how", ["below it", "on the card", "withdrawn", "suspended", "blocked", "forgotten"])
async def test_how_reminders_end(chat: Chat, load: Callable[..., None], how: str) -> None:
    """By a tap, by leaving everything, by a suspension, a block or erasure: for good, until they are wanted again."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    await live(chat, days=2, hours=2)
    assert len(list_days(person, REMINDER)) == 1
    if how == "below it":
        await chat.tap(person, "Більше не нагадувати")
        assert person.messages[-1].text == "Гаразд, більше не нагадуватимемо. Увімкнути знову: /reminders"
    elif how == "on the card":
        await chat.send(person, "/reminders")
        assert "Нагадування: увімкнено." in person.messages[-1].text
        person.tap("Більше не нагадувати", on=person.messages[-1])
        await chat.deliver()
        assert "Нагадування: вимкнено." in person.messages[-1].text
    elif how == "withdrawn":
        await chat.send(person, "/withdraw")
        await chat.send(person, "1")
        await chat.send(person, "так")
    elif how == "suspended":
        with chat.database.transaction() as session:
            annotator = queries.find_annotator(session, 1)
            assert annotator is not None
            roster.suspend_annotator(session, annotator=annotator, reason="haste", now=chat.now)
            roster.unsuspend_annotator(session, annotator=annotator, now=chat.now)
    elif how == "blocked":
        person.block()
        await chat.deliver()
        person.unblock()
        await chat.deliver()
    else:
        await chat.send(person, "/forget")
        await chat.send(person, "так")
    await live(chat, days=5)
    assert len(list_days(person, REMINDER)) == 1
    assert read_rows(chat, "SELECT reminders, due_at FROM notice_wish") in ([(0, None)], [])


async def test_nobody_is_reminded_of_nothing(chat: Chat, load: Callable[..., None]) -> None:
    """Not while the project is paused, nor where all is answered; as soon as there is something, they are."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    with chat.database.transaction() as session:
        transitions.pause_project(session, project=queries.get_project(session, "words"), now=chat.now)
    await live(chat, days=4)
    assert list_told(person, REMINDER) == []
    with chat.database.transaction() as session:
        transitions.start_project(session, project=queries.get_project(session, "words"), now=chat.now)
    await live(chat, days=1)
    assert len(list_told(person, REMINDER)) == 1


async def answer_all(chat: Chat, person: ObservedPerson) -> None:
    """Both items."""
    await chat.tap(person, "собака")
    await chat.tap(person, "береза")


async def test_news_comes_once_when_there_is_something_again(chat: Chat, load: Callable[..., None]) -> None:
    """Where all is answered they may ask for it; new items bring one message, and no second."""
    load(*ITEMS)
    person = await begin(chat)
    await answer_all(chat, person)
    assert person.messages[-1].text.split("\n\n") == [
        "🏁 Це все, що було для вас. Дякуємо!",
        "✓ Слова — 2\u00a0з\u00a02",
        "Сьогодні: 2 · загалом: 2",
        "Написати вам один раз, коли для вас будуть запитання? Перевірити самостійно: /start",
    ]
    await chat.send(person, "так, напишіть")
    assert "Напишемо вам один раз" in person.screen
    assert "Де ви зараз? Так ми зможемо писати вам лише вдень." in person.messages[-1].text
    await chat.tap(person, "Не хочу казати")
    assert "Напишемо вам один раз" in (await send_and_read(chat, person, "/start"))
    await live(chat, days=1)
    assert list_told(person, NEWS) == []
    load(*ITEMS, name="more", title="Ще слова")
    await collect(chat)
    await live(chat, days=0, hours=1)
    [news] = list_told(person, NEWS)
    assert news.text == "«Ще слова»: для вас знову є запитання."
    await live(chat, days=3)
    assert len(list_told(person, NEWS)) == 1
    await chat.tap(person, "Далі")
    assert "Ще слова" in person.messages[-1].text
    assert read_rows(chat, "SELECT news, due_at FROM notice_wish") == [(0, None)]


async def send_and_read(chat: Chat, person: ObservedPerson, text: str) -> str:
    """Send a text; the last message then."""
    await chat.send(person, text)
    return person.messages[-1].text


async def test_what_is_there_is_no_news(chat: Chat, load: Callable[..., None]) -> None:
    """Whoever asks for news in the midst of work is told once all was done and something new came."""
    load(*ITEMS)
    person = await begin(chat)
    await chat.send(person, "/reminders")
    await chat.tap(person, "Писати про нові")
    await chat.send(person, "Київ")
    await live(chat, days=1)
    assert list_told(person, NEWS) == []
    await chat.send(person, "/start")
    await answer_all(chat, person)
    assert person.messages[-1].text.endswith("\n\nНапишемо вам один раз, коли для вас будуть запитання.")
    load(*ITEMS, name="more", title="Ще слова")
    await live(chat, days=1)
    assert len(list_told(person, NEWS)) == 1


async def test_a_freed_place_is_news(chat: Chat, load: Callable[..., None]) -> None:
    """One that somebody's lease gave back."""
    load(*ITEMS)
    for number in (1, 2):
        await answer_all(chat, await begin(chat, number))
    holder, person = await begin(chat, 3), await begin(chat, 4)  # the third place of the first item is taken
    await chat.tap(person, "береза")
    assert "🏁 Це все, що було для вас" in person.messages[-1].text
    await chat.tap(person, "Так, напишіть")
    await chat.send(person, "Київ")
    await collect(chat)
    assert list_told(person, NEWS) == []
    await live(chat, days=3)
    assert len(list_told(person, NEWS)) == 1
    assert list_told(holder, NEWS) == []


@pytest.mark.parametrize(
    "city", [pytest.param("Київ", marks=pytest.mark.slow), "Токіо", pytest.param("Нью-Йорк", marks=pytest.mark.slow)]
)
async def test_nothing_comes_at_night(chat: Chat, load: Callable[..., None], city: str) -> None:
    """By the clock where they are."""
    zone = {"Київ": "Europe/Kyiv", "Токіо": "Asia/Tokyo", "Нью-Йорк": "America/New_York"}[city]
    load(*ITEMS)
    person = await begin(chat)
    chat.now = datetime(2026, 11, 21, 19, 30, tzinfo=ZoneInfo(zone))
    await want_reminders(chat, person, city=city)
    await live(chat, days=16)
    assert [10 <= hour < 20 for _, hour in list_days(person, REMINDER, zone=zone)] == [True, True, True]


async def test_what_is_turned_off_while_it_waits_is_not_sent(
    chat: Chat, load: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reminder is in the outbox already when they say no."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    chat.now += 2 * DAY + HOUR
    await chat.app.runner.run(lambda session: chat.app.sweeper._store_notifications(session, None))
    assert read_rows(chat, "SELECT notice FROM outbox") == [("reminder",)]
    await chat.send(person, "/reminders")
    await chat.tap(person, "Більше не нагадувати")
    assert read_rows(chat, "SELECT notice FROM outbox") == []
    await live(chat, days=4)
    assert list_told(person, REMINDER) == []


async def test_my_data_tells_the_wishes(chat: Chat, load: Callable[..., None]) -> None:
    """In words, and in the file; erasure removes them."""
    load(*ITEMS)
    person = await begin(chat)
    assert "Нагадування" not in await send_and_read(chat, person, "/mydata")
    await want_reminders(chat, person)
    await chat.send(person, "/reminders")
    await chat.tap(person, "Писати про нові")
    chat.now += HOUR
    text = await send_and_read(chat, person, "/mydata")
    assert "Нагадування: увімкнено. Змінити: /reminders\nВи просили написати" in text
    await chat.send(person, "/forget")
    await chat.send(person, "так")
    assert read_rows(chat, "SELECT * FROM notice_wish") == []


async def test_old_and_forged_buttons(chat: Chat, load: Callable[..., None]) -> None:
    """The same tap sets the same again; what the bot did not write is refused."""
    load(*ITEMS)
    person = await begin(chat)
    await chat.send(person, "/reminders")
    card = person.messages[-1]
    for _ in range(2):
        person.press("N:0::remind", on=card)
    await chat.deliver()
    assert read_rows(chat, "SELECT reminders, news FROM notice_wish") == [(1, 0)]
    person.press("N:0::everything", on=card)
    await chat.deliver()
    assert person.toasts[-1] == "Цього вже не питаємо. Ось де ви зараз."
    assert read_rows(chat, "SELECT reminders, news FROM notice_wish") == [(1, 0)]


async def test_a_reminder_that_telegram_held_back_until_night_comes_the_next_day(
    chat: Chat, load: Callable[..., None]
) -> None:
    """Once, by day, from a bot that was started meanwhile; it does not count as one without an answer."""
    load(*ITEMS)
    person = await begin(chat)
    await want_reminders(chat, person)
    chat.now += 2 * DAY + HOUR
    chat.telegram.faults.fail("sendMessage", 429, retry_after=9 * 3600)
    await collect(chat)
    assert read_rows(chat, "SELECT ignored FROM notice_wish") == [(1,)]
    await live(chat, days=0, hours=9)
    assert read_rows(chat, "SELECT count(*) FROM outbox") == [(0,)]
    assert read_rows(chat, "SELECT reminders, ignored FROM notice_wish") == [(1, 0)]
    chat.now += 3 * HOUR  # what a process has read of a pause goes by its own clock, which is not moved
    async with chat.restarted():
        await live(chat, days=1)
    assert list_days(person, REMINDER) == [(24, 10)]
    assert read_rows(chat, "SELECT ignored FROM notice_wish") == [(1,)]
