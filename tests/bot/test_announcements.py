"""Announcements: by day where each annotator is, once to each, and not to those who are gone when their turn comes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import BadInput
from annotation.store import processes, queries
from annotation.workflow.annotators import roster
from annotation.workflow.notices import announcements
from bot.delivery import limits_and_retries

if TYPE_CHECKING:
    from bot.emulator.scripted_people import ScriptedPerson
    from tests.bot.conftest import Chat

ITEMS = [("кіт — собака", ["кіт", "собака"]), ("дуб — береза", ["дуб", "береза"])]
WORDS = "Дякуємо всім!"
CITIES = {1: "Europe/Kyiv", 2: "Asia/Tokyo", 3: "America/New_York", 4: None}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


async def join(chat: Chat, number: int, *, zone: str | None = None) -> ScriptedPerson:
    """Somebody who takes part, in this time zone."""
    person = chat.person(number)
    await chat.send(person, "/start")
    await chat.tap(person, "Українська")
    await chat.tap(person, "Почати")
    with chat.database.transaction() as session:
        session.connection().execute(
            sa.text("UPDATE annotator SET time_zone = :zone WHERE telegram_id = :id"), {"zone": zone, "id": number}
        )
    return person


def announce(chat: Chat) -> None:
    """The organisers write to everybody; nobody is at work any more."""
    chat.now += announcements.WORK_LASTS
    with chat.database.transaction() as session:
        draft = announcements.write_announcement(session, text=WORDS, now=chat.now)
        announcements.send_announcement(session, announcement=draft, now=chat.now)


async def store(chat: Chat) -> None:
    """Store what is to be sent now in the outbox."""
    await chat.app.runner.run(lambda session: chat.app.sweeper._store_notifications(session, None))


async def send(chat: Chat) -> None:
    """Send what is in the outbox and due."""
    await chat.app.sweeper.sweep_once()
    await chat.send_paced()


async def live(chat: Chat, *, hours: int) -> None:
    """Let time pass, an hour at a time."""
    for _ in range(hours):
        chat.now += timedelta(hours=1)
        await store(chat)
        await send(chat)


def list_hours(person: ScriptedPerson, *, zone: str | None) -> list[int]:
    """The local hours at which this person got it."""
    found = [entry for entry in person.telegram.display_log.list_events(person.id, "message") if WORDS in entry.text]
    return [datetime.fromtimestamp(entry.at, ZoneInfo(zone or "Europe/Kyiv")).hour for entry in found]


async def test_it_comes_by_day_where_they_are(chat: Chat, load: Callable[..., None]) -> None:
    """At once where it is day, at ten where it is night; whoever has not told where they are is taken for near."""
    load(*ITEMS)
    people = {number: await join(chat, number, zone=zone) for number, zone in CITIES.items()}
    announce(chat)
    await store(chat)
    await send(chat)
    await live(chat, hours=40)
    hours = {number: list_hours(person, zone=CITIES[number]) for number, person in people.items()}
    assert hours == {1: [14], 2: [10], 3: [10], 4: [14]}
    assert people[1].messages[-1].text == f"Повідомлення від організаторів\n\n{WORDS}"


@pytest.mark.parametrize("how", ["blocked", "withdrawn", "suspended", "forgotten"])
async def test_whoever_is_gone_when_their_turn_comes_gets_nothing(
    chat: Chat, load: Callable[..., None], how: str
) -> None:
    """It waits in the outbox already; the other one gets theirs."""
    load(*ITEMS)
    person, other = await join(chat, 1), await join(chat, 2)
    announce(chat)
    await store(chat)
    if how == "blocked":
        person.block()
        await chat.deliver()
    elif how == "suspended":
        with chat.database.transaction() as session:
            suspend(session, 1, chat.now)
    else:
        await chat.send(person, "/withdraw" if how == "withdrawn" else "/forget")
        await chat.send(person, "1" if how == "withdrawn" else "так")
        await chat.send(person, "так")
    await live(chat, hours=3)
    assert (list_hours(person, zone=None), len(list_hours(other, zone=None))) == ([], 1)


@pytest.mark.parametrize("how", ["never", "withdrawn", "withdrawn when it waits"])
async def test_whoever_does_not_agree_gets_nothing(
    chat: Chat, load: Callable[..., None], tmp_path: Path, how: str
) -> None:
    """Whether they declined the consent at once, or withdrew it by the button of the old message."""
    (tmp_path / "consent.md").write_text("Ваші відповіді стануть частиною набору даних.", "utf-8")
    load(*ITEMS, more="consent: {file: consent.md, version: 1}\n")
    people = [chat.person(number) for number in (1, 2)]
    for person in people:
        await chat.send(person, "/start")
        await chat.tap(person, "Українська")
    person, other = people
    asked = person.messages[-1]
    decline = dict(asked.buttons)["Не погоджуюся"]
    await chat.tap(other, "Погоджуюся")
    await chat.tap(other, "Почати")
    if how == "never":
        await chat.tap(person, "Не погоджуюся")
    else:
        await chat.tap(person, "Погоджуюся")
        await chat.tap(person, "Почати")
    if how == "withdrawn":
        person.press(decline, on=asked)
        await chat.deliver()
    announce(chat)
    await store(chat)
    if how == "withdrawn when it waits":
        person.press(decline, on=asked)
        await chat.deliver()
    await live(chat, hours=3)
    assert (list_hours(person, zone=None), len(list_hours(other, zone=None))) == ([], 1)


def suspend(session: Session, number: int, now: datetime) -> None:
    """Suspend the person with this Telegram id."""
    annotator = queries.find_annotator(session, number)
    assert annotator is not None
    roster.suspend_annotator(session, annotator=annotator, reason="haste", now=now)


async def test_whoever_returns_gets_it_after_all(chat: Chat, load: Callable[..., None]) -> None:
    """Within three days: it was not sent."""
    load(*ITEMS)
    person = await join(chat, 1)
    announce(chat)
    await store(chat)
    person.block()
    await chat.deliver()
    await live(chat, hours=12)
    await chat.send(person, "/start")
    await live(chat, hours=20)
    assert list_hours(person, zone=None) == [10]


async def test_a_long_pause_that_telegram_asks_for_ends_by_day(chat: Chat, load: Callable[..., None]) -> None:
    """It lasts into the night: nothing is sent then, by whatever process, and the next day it comes once."""
    load(*ITEMS)
    person, other = await join(chat, 1), await join(chat, 2)
    announce(chat)
    await store(chat)
    hours = 10
    chat.telegram.faults.fail("sendMessage", 429, retry_after=hours * 3600)
    await send(chat)
    paused, served = (person, other) if list_hours(other, zone=None) else (other, person)
    assert (list_hours(paused, zone=None), list_hours(served, zone=None)) == ([], [14])
    await live(chat, hours=8)
    with chat.database.reading() as view:
        assert processes.list_pauses(view, bot_id=chat.app.bot_id, now=chat.now).keys() == {paused.id}
        assert view.connection().execute(sa.text("SELECT count(*) FROM outbox")).scalar_one() == 0
    chat.now += timedelta(hours=3)  # what a process has read of a pause goes by its own clock, which is not moved
    async with chat.restarted():
        await live(chat, hours=20)
    assert (list_hours(paused, zone=None), list_hours(served, zone=None)) == ([10], [14])


async def test_what_a_bot_had_begun_at_nightfall_is_ended_and_not_sent_again(
    chat: Chat, load: Callable[..., None]
) -> None:
    """It may have arrived before that bot was killed; the message does not stay in the outbox for ever."""
    load(*ITEMS)
    person = await join(chat, 1)
    announce(chat)
    await store(chat)
    with chat.database.transaction() as session:
        session.connection().execute(sa.text("UPDATE outbox SET begun_at = due_at"))
    await live(chat, hours=24)
    assert list_hours(person, zone=None) == []
    with chat.database.reading() as view:
        assert view.connection().execute(sa.text("SELECT count(*) FROM outbox")).scalar_one() == 0


@pytest.mark.parametrize(
    ("text", "fits"), [("а" * 3500, True), ("а" * 3501, False), ("😀" * 1751, False), (" ", False)]
)
async def test_it_is_one_message(chat: Chat, load: Callable[..., None], text: str, fits: bool) -> None:
    """So that it is sent as a whole, or not."""
    load(*ITEMS, title="Слова " * 100)
    await join(chat, 1)
    chat.now += announcements.WORK_LASTS  # nobody is at work any more
    with chat.database.transaction() as session:
        project = queries.get_project(session, "words")
        if not fits:
            with pytest.raises(BadInput):
                announcements.write_announcement(session, text=text, now=chat.now, project_id=project.id)
            return
        draft = announcements.write_announcement(session, text=text, now=chat.now, project_id=project.id)
        assert announcements.send_announcement(session, announcement=draft, now=chat.now) == 1
    await store(chat)
    with chat.database.reading() as view:
        assert view.connection().execute(sa.text("SELECT count(*) FROM outbox")).scalar_one() == 1


async def test_simulated_people_get_nothing_from_a_real_bot(chat: Chat, load: Callable[..., None]) -> None:
    """Their Telegram ids are made up, and may be those of other people."""
    load(*ITEMS)
    person = await join(chat, 1)
    with chat.database.transaction() as session:
        session.connection().execute(sa.text("UPDATE annotator SET simulated = true"))
    announce(chat)
    await live(chat, hours=2)
    assert list_hours(person, zone=None) == []
