"""Organisers in the chat: everything that they do there, on record; and that nobody else can, or learns of it."""

from __future__ import annotations

import asyncio
import io
import re
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import Session, col, select

from annotation.store import models, queries
from annotation.store.models import Annotator, Assignment, Journal, Project, SupportMessage
from annotation.vocabulary import AssignmentStatus, Event, ParticipationStatus, ProjectStatus
from annotation.workflow import assignments
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.monitoring.bot_waits import WaitReason
from annotation.workflow.monitoring.needs import NeedKind
from annotation.workflow.notices import announcements
from annotation.workflow.organisers import people
from annotation.workflow.organisers.alerts import AlertKind
from annotation.workflow.organisers.campaigns import OrganiserAct
from annotation.workflow.organisers.people import MOST_ATTEMPTS, ClaimedExport, claim_request, has_requests
from annotation.workflow.review import cases
from bot import conversation
from bot.conversation.handlers import organisers
from bot.conversation.texts import FOLDER, ORGANISER_LANGUAGES, get_organiser_texts
from bot.conversation.texts.fluent_files import read_fluent_file
from bot.delivery import limits_and_retries
from bot.delivery.sweeper import FIRST_OBSERVED, NOTIFY_EVERY, OBSERVE_EVERY

if TYPE_CHECKING:
    from _faulty_telegram import ObservedPerson

    from tests.bot.conftest import Chat


pytestmark = pytest.mark.usefixtures("no_wait_for_parts")
ITEMS = [(f"Слово {number}", ["так", "ні"]) for number in range(4)]
ORGANISER = 900
KYIV = ZoneInfo("Europe/Kyiv")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


async def begin(chat: Chat, number: int) -> ObservedPerson:
    """Somebody who has a first item."""
    person = chat.person(number)
    await chat.send(person, "/start")
    await chat.tap(person, "Українська")
    await chat.tap(person, "Почати")
    return person


async def open_admin(chat: Chat, *, number: int = ORGANISER) -> ObservedPerson:
    """An organiser with the card of all campaigns; they have not answered anything."""
    organiser = chat.person(number, language="en")
    await chat.send(organiser, "/admin")
    assert organiser.messages[-1].text.startswith("Campaigns")
    return organiser


async def go(chat: Chat, organiser: ObservedPerson, *labels: str) -> str:
    """Tap these buttons one after another; the text of the last message."""
    for label in labels:
        await chat.tap(organiser, label)
    return organiser.messages[-1].text


def list_acts(chat: Chat) -> list[tuple[str, str, int | None]]:
    """What organisers did, as the journal has it: the act, the pseudonym of who did it, and the annotator concerned."""
    with chat.database.reading() as view:
        names = dict(view.exec(select(Annotator.id, Annotator.pseudonym)).all())
        events = select(Journal).where(Journal.event == Event.ORGANISER_ACTED).order_by(col(Journal.id))
        return [(row.data["act"], names[row.data["by"]], row.annotator_id) for row in view.exec(events)]


def find_pseudonym(chat: Chat, number: int) -> str:
    """The pseudonym of the person with this Telegram id."""
    with chat.database.reading() as view:
        return view.exec(select(Annotator.pseudonym).where(Annotator.telegram_id == number)).one()


async def test_an_organiser_sees_how_far_a_campaign_is(chat: Chat, load: Callable[..., Any]) -> None:
    """All campaigns, then one: answers, the last day, people now, the expected end, and what waits."""
    load(*ITEMS)
    person = await begin(chat, 1)
    for _ in range(2):
        await chat.tap(person, "так")
    organiser = await open_admin(chat)
    assert organiser.messages[-1].text == "Campaigns\n\nNothing needs you now.\n\n1) Слова — running, 16%"
    text = await go(chat, organiser, "1")
    assert text.split("\n") == [
        "Слова · words · running", "", "2 of 12 answers (16%)", "In the last 24 hours: 2. Here now: 1.",
        "At this pace it will be done 21.11, 19:00 (Kyiv).", "", "1 person is taking part.",
    ]  # fmt: skip
    assert await go(chat, organiser, "Refresh") == text


async def test_a_person_is_seen_suspended_and_let_go_on(chat: Chat, load: Callable[..., Any]) -> None:
    """By pseudonym, with what they answered and have in hand; what is taken back goes to others."""
    load(*ITEMS)
    person = await begin(chat, 1)
    await chat.tap(person, "так")
    name, organiser = find_pseudonym(chat, 1), await open_admin(chat)
    text = await go(chat, organiser, "1", "People")
    assert text == f"People · Слова · 1\n\n1) {name} · 1 · just now"
    text = await go(chat, organiser, "1")
    assert text.split("\n")[2:] == [
        "Status: takes part", "Answered: 1, skipped: 0",
        "Last here: just now", "Assigned: 1",
    ]  # fmt: skip
    text = await go(chat, organiser, "Take back: 1", "Take back now: 1")
    assert text.endswith("Assigned: nothing")
    await go(chat, organiser, "Suspend")
    await chat.send(organiser, "answers without reading")
    assert organiser.messages[-1].text.endswith("Suspended: answers without reading")
    await chat.send(person, "/start")
    assert "зупинили" in person.messages[-1].text or "зупинено" in person.messages[-1].text
    text = await go(chat, organiser, "End suspension")
    assert "Status: takes part" in text
    await chat.send(person, "/start")
    assert person.messages[-1].text.startswith("2\n\nСлово")
    by = find_pseudonym(chat, ORGANISER)
    acts = [OrganiserAct.RELEASE, OrganiserAct.SUSPEND, OrganiserAct.UNSUSPEND]
    assert [(act, who) for act, who, _ in list_acts(chat)] == [(act.value, by) for act in acts]
    assert all(annotator is not None for *_, annotator in list_acts(chat))


async def test_whoever_was_suspended_reads_why_among_their_data_and_not_who_did_it(
    chat: Chat, load: Callable[..., Any]
) -> None:
    """The organiser is told that they may; nothing there names an organiser's act."""
    load(*ITEMS)
    person = await begin(chat, 1)
    organiser = await open_admin(chat)
    asked = await go(chat, organiser, "1", "People", "1", "Suspend")
    assert asked.endswith("they can read it if they ask for their data.")
    await chat.send(organiser, "answers without reading")
    await chat.send(person, "/mydata")
    sent = next(message.content.file for message in reversed(person.messages) if message.content.file is not None)
    assert "answers without reading" in sent.content.decode()
    assert "organiser acted" not in sent.content.decode()
    assert len(list_acts(chat)) == 1


async def test_of_two_who_dismiss_a_report_the_later_is_told_that_it_is_done(
    chat: Chat, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one was quicker by so little that the card still had the report."""
    load(*ITEMS)
    person, organiser = await begin(chat, 1), await open_admin(chat)
    await chat.send(person, "/problem")
    await chat.tap(person, person.messages[-1].buttons[0][0])
    await go(chat, organiser, "1", "To answer: 1")
    dismiss = cases.dismiss_reports

    def dismiss_second(session: Session, **arguments: Any) -> int:
        dismiss(session, **arguments)
        return dismiss(session, **arguments)

    monkeypatch.setattr(cases, "dismiss_reports", dismiss_second)
    assert (await go(chat, organiser, "The item is fine")).startswith("Campaigns")


@pytest.mark.parametrize(
    ("text", "told"), [(" ", "Please write it in words"), ("а" * 3501, "That is too long: at most 3,500 characters.")]
)
async def test_what_cannot_be_sent_is_told_and_asked_for_again(
    chat: Chat, load: Callable[..., Any], text: str, told: str
) -> None:
    """A text of nothing, or of too much; the next one is taken."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser = await open_admin(chat)
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, text)
    assert organiser.messages[-1].text.startswith(told)
    await chat.send(organiser, "Дякуємо!")
    assert organiser.messages[-1].text.endswith("Дякуємо!")


async def test_files_go_to_nobody_who_is_no_organiser_any_more(chat: Chat, load: Callable[..., Any]) -> None:
    """They were asked for before the settings changed and the bot was started again."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Files")
    settings = chat.app.workers.settings
    chat.app.workers.settings = replace(settings, conversation=replace(settings.conversation, organisers=frozenset()))
    async with chat.restarted():
        await chat.app.exports.make_next()
        await chat.app.sweeper.sweep_once()
        await chat.app.sender.wait_until_idle()
    assert organiser.messages[-1].text.endswith("they will come here.")
    with chat.database.reading() as view:
        assert not has_requests(view)


def push_batch(chat: Chat, number: int, *, n_items: int) -> None:
    """Assign this many items to the Label Studio batch of the person with this Telegram id."""
    with chat.database.transaction() as session:
        annotator, project = queries.find_annotator(session, number), queries.get_project(session, "words")
        assert annotator is not None
        locked = assignments.lock_annotator(session, annotator.id or 0)
        assignments.assign_batch(locked, project_id=project.id or 0, n_items=n_items, now=chat.now)


def count_in_hand(chat: Chat) -> int:
    """How many items anybody has in hand."""
    with chat.database.reading() as view:
        live = select(Assignment).where(Assignment.status == AssignmentStatus.LIVE)
        return len(view.exec(live).all())


async def test_what_is_taken_back_is_named_before_and_after(chat: Chat, load: Callable[..., Any]) -> None:
    """A batch in Label Studio too; where more is in hand than the button says, nothing is taken."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "People", "1")
    card = organiser.messages[-1]
    push_batch(chat, 1, n_items=2)
    organiser.tap("Take back: 1", on=card)
    await chat.deliver()
    assert organiser.messages[-1].text.startswith("Take back 1 item from ")
    assert count_in_hand(chat) == 3  # asked, not done
    await chat.tap(organiser, "Take back now: 1")
    assert organiser.toasts[-1].startswith("That question is closed.")
    assert count_in_hand(chat) == 3
    assert (await go(chat, organiser, "1", "People", "1")).endswith("Assigned: 0, Label Studio: 2")
    assert (await go(chat, organiser, "Take back: 3", "Take back now: 3")).endswith("Assigned: nothing")
    assert organiser.toasts[-1] == "Taken back: 1 in Telegram, 2 in Label Studio"
    assert count_in_hand(chat) == 0
    push_batch(chat, 1, n_items=1)
    assert (await go(chat, organiser, "‹ Back", "1")).endswith("Assigned: Label Studio: 1")
    assert (await go(chat, organiser, "Take back: 1", "Take back now: 1")).endswith("Assigned: nothing")
    assert [act for act, *_ in list_acts(chat)] == ["release", "release"]


async def test_a_campaign_is_paused_and_goes_on(chat: Chat, load: Callable[..., Any]) -> None:
    """A second tap on the same button changes nothing and shows the present state."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1")
    card = organiser.messages[-1]
    organiser.tap("Pause", on=card)
    organiser.tap("Pause", on=card)
    await chat.deliver()
    with chat.database.reading() as view:
        assert queries.get_project(view, "words").status is ProjectStatus.PAUSED
    assert organiser.messages[-1].text.endswith("1) Слова — paused, 0%")
    text = await go(chat, organiser, "1", "Go on")
    assert "running" in text
    assert [act for act, *_ in list_acts(chat)] == ["pause", "resume"]


async def ask(chat: Chat, person: ObservedPerson, text: str) -> None:
    """A question to the organisers about the item in hand."""
    await chat.tap(person, "⋯")
    await chat.tap(person, "Запитати")
    await chat.send(person, text)


async def collect(chat: Chat, *, sweeps: int = 5) -> None:
    """Let what waits be stored in the outbox and sent."""
    for _ in range(sweeps):
        await chat.app.sweeper.sweep_once()
    await chat.send_paced()


async def observe(chat: Chat) -> None:
    """The sweeps of a minute from its look at the campaigns until what follows is sent; the others are left out."""
    sweeper = chat.app.sweeper
    sweeper._sweeps += (FIRST_OBSERVED - 1 - sweeper._sweeps) % OBSERVE_EVERY
    for _ in range(2 * NOTIFY_EVERY):
        await chat.app.sweeper.sweep_once()
        if chat.app.sweeper._observing is not None:
            await asyncio.wait([chat.app.sweeper._observing])
    await chat.send_paced()


async def test_an_answer_reaches_the_person_who_asked(chat: Chat, load: Callable[..., Any]) -> None:
    """With the id of the item; the question is gone from the queue then."""
    load(*ITEMS)
    person = await begin(chat, 1)
    await ask(chat, person, "Чи рахувати апостроф?")
    organiser = await open_admin(chat)
    text = await go(chat, organiser, "To answer: 1")
    assert text.split("\n")[:3] == ["Question · 1 waiting", "", "Слова · item 0"]
    assert text.endswith("Чи рахувати апостроф?")
    await go(chat, organiser, "Answer")
    await chat.send(organiser, "Так, рахуйте.")
    assert organiser.messages[-1].text == "Nothing is waiting for an answer."
    await collect(chat)
    assert person.messages[-1].text == "Організатори відповіли\nЧи рахувати апостроф?\nТак, рахуйте."
    assert [act for act, *_ in list_acts(chat)] == ["answer"]


@pytest.mark.parametrize("messages", [("/ask", "Чи рахувати апостроф?"), ("/ask Чи рахувати апостроф?",)])
async def test_a_question_by_command_is_about_the_item_in_hand(
    chat: Chat, load: Callable[..., Any], messages: tuple[str, ...]
) -> None:
    """In one message or two; the item is shown again."""
    load(*ITEMS)
    person = await begin(chat, 1)
    await chat.tap(person, "так")
    for text in messages:
        await chat.send(person, text)
    assert person.messages[-2].text == "Запитання передано. Відповідь надійде сюди."
    assert person.messages[-1].text.startswith("2\n\nСлово 1")
    text = await go(chat, await open_admin(chat), "To answer: 1")
    assert text.split("\n")[2] == "Слова · item 1"
    assert text.endswith("Чи рахувати апостроф?")


async def test_a_report_is_replied_to_and_dismissed(chat: Chat, load: Callable[..., Any]) -> None:
    """The reply repeats the problem in the reporter's language; the item is handed out again."""
    load(*ITEMS)
    person = await begin(chat, 1)
    await chat.send(person, "/problem")
    await chat.tap(person, person.messages[-1].buttons[0][0])
    organiser = await open_admin(chat)
    text = await go(chat, organiser, "1", "To answer: 1")
    name = find_pseudonym(chat, 1)
    assert text.startswith(f"Report · 1 waiting\n\nСлова · item 0\nFrom {name}, just now\nСлово 0\n")
    assert text.endswith("Several answers are right")
    await go(chat, organiser, "Answer")
    await chat.send(organiser, "Правильна лише перша.")
    assert "Reply sent." in organiser.messages[-1].text
    await collect(chat)
    assert person.messages[-1].text == "Організатори відповіли\nПравильних відповідей кілька\nПравильна лише перша."
    await go(chat, organiser, "The item is fine")
    assert "Nothing is waiting for an answer." in [message.text for message in organiser.messages]
    with chat.database.reading() as view:
        assert view.exec(select(models.Report.resolved_at)).one() is not None
    assert [act for act, *_ in list_acts(chat)] == ["answer", "dismiss"]


async def test_an_answer_to_all_is_a_new_version_of_the_instructions(chat: Chat, load: Callable[..., Any]) -> None:
    """It is shown first; then everybody reads the task again before the next item, and the change is post hoc."""
    load(*ITEMS)
    person, other = await begin(chat, 1), await begin(chat, 2)
    await ask(chat, person, "Чи рахувати апостроф?")
    organiser = await open_admin(chat)
    await go(chat, organiser, "To answer: 1", "Answer to all")
    await chat.send(organiser, "Апостроф – не літера.")
    assert organiser.messages[-1].text.endswith("Апостроф – не літера.")
    with chat.database.reading() as view:
        assert queries.get_project(view, "words").instructions == "Порахуйте літери."
    preview = organiser.messages[-1]
    organiser.tap("Add", on=preview)
    organiser.tap("Add", on=preview)
    await chat.deliver()
    with chat.database.reading() as view:
        project = queries.get_project(view, "words")
        assert project.instructions == "Порахуйте літери.\n\nАпостроф – не літера."
        assert [change["what"] for change in (project.frozen or {})["post_hoc"]] == [
            "an answer to all was added to the instructions"
        ]
        assert (
            view.get_one(models.TextVersion, (project.instructions_sha256, "instructions")).text == project.instructions
        )
    await chat.tap(other, "так")
    assert other.messages[-1].text == "Слова\n\nПорахуйте літери.\n\nАпостроф – не літера."
    await collect(chat)
    assert person.messages[-1].text.endswith("Апостроф – не літера.")
    assert [act for act, *_ in list_acts(chat)] == ["answer", "answer to all"]


async def test_an_invitation_is_made_once_and_can_be_forwarded(chat: Chat, load: Callable[..., Any]) -> None:
    """A repeated tap makes no second link; the link lets somebody in."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Invite", "New link")
    card = organiser.messages[-1]
    organiser.tap("Make the link", on=card)
    organiser.tap("Make the link", on=card)
    await chat.deliver()
    with chat.database.reading() as view:
        invitation = view.exec(select(models.Invitation)).one()
    await go(chat, organiser, "1", "Invite")
    assert f"start={invitation.code}" in organiser.messages[-1].text
    assert not organiser.messages[-1].protected
    stranger = chat.person(5)
    await chat.send(stranger, f"/start {invitation.code}")
    await chat.tap(stranger, "Українська")
    assert stranger.messages[-1].text.startswith("Слова")
    assert [act for act, *_ in list_acts(chat)] == ["invite"]


async def test_a_message_to_all_is_shown_before_it_is_sent(chat: Chat, load: Callable[..., Any]) -> None:
    """It goes once to whoever takes part, however often the button is tapped; a draft can be dropped."""
    load(*ITEMS)
    people = [await begin(chat, number) for number in (1, 2)]
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Write to all")
    await chat.send(organiser, "Вийти можна будь-коли: /leave")
    assert organiser.messages[-1].text.startswith("There is no command /leave.")
    await chat.send(organiser, "Сьогодні останній день!")
    assert organiser.messages[-1].text.startswith("2 people get this")
    await go(chat, organiser, "Do not send")
    assert organiser.messages[-1].text == "Not sent."
    await chat.send(organiser, "/admin")
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Сьогодні останній день!")
    preview = organiser.messages[-1]
    organiser.tap("Send", on=preview)
    organiser.tap("Send", on=preview)
    await chat.deliver()
    chat.now += announcements.WORK_LASTS  # nobody is at work any more
    await collect(chat)
    await collect(chat)
    for person in people:
        told = [message.text for message in person.messages if "останній день" in message.text]
        assert told == ["Повідомлення від організаторів\n\nСьогодні останній день!"]
    assert not any("Повідомлення" in message.text for message in organiser.messages)
    assert [act for act, *_ in list_acts(chat)] == ["announce"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("так", "It goes to 1 person"),
        ("Yes!", "It goes to 1 person"),
        ("надіслати", "It goes to 1 person"),
        ("send", "It goes to 1 person"),
        ("ні", "Not sent."),
        ("назад", "Not sent."),
        ("не надсилати", "Not sent."),
        ("do not send", "Not sent."),
    ],
)
async def test_whether_a_message_to_all_is_sent_can_be_typed(
    chat: Chat, load: Callable[..., Any], typed: str, told: str
) -> None:
    """As the label of a button, or yes and no; it answers no item, and another text is asked about again."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Write to all")
    await chat.send(organiser, "Сьогодні останній день!")
    await chat.send(organiser, "може")
    assert organiser.messages[-1].text.startswith("1 person gets this")
    await chat.send(organiser, typed)
    assert any(message.text.startswith(told) for message in organiser.messages[-3:])
    assert chat.answers() == []
    before = len(organiser.messages)
    await chat.send(organiser, typed)
    assert not any("gets this" in message.text for message in organiser.messages[before:])


async def test_drafts_do_not_stay(chat: Chat, load: Callable[..., Any]) -> None:
    """One that nobody would get is not kept; one that is not sent can be sent for a day, then it is deleted."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Дякуємо!")
    assert organiser.messages[-1].text.startswith("Nobody would get it")
    assert count_drafts(chat) == 0
    await begin(chat, 1)
    previews = []
    for act in range(2):
        chat.now += timedelta(hours=23) * act
        await chat.send(organiser, "/admin")
        await go(chat, organiser, "Write to all")
        await chat.send(organiser, "Дякуємо!")
        previews.append(organiser.messages[-1])
    await observe(chat)
    assert count_drafts(chat) == 2
    chat.now += timedelta(hours=2)
    await observe(chat)
    assert count_drafts(chat) == 1
    organiser.tap("Send", on=previews[0])
    await chat.deliver()
    assert organiser.toasts[-1].startswith("That question is closed.")
    organiser.tap("Send", on=previews[1])
    await chat.deliver()
    chat.now += timedelta(days=2)
    await observe(chat)
    assert count_drafts(chat) == 1
    assert [act for act, *_ in list_acts(chat)] == ["announce"]


def count_drafts(chat: Chat) -> int:
    """How many messages to all are stored, sent or not."""
    with chat.database.reading() as view:
        return len(view.exec(select(models.Announcement.id)).all())


async def test_files_come_as_a_document(chat: Chat, load: Callable[..., Any]) -> None:
    """A child process makes them; a baseline that people answer is refused before; a second request waits."""
    load(*ITEMS)
    person = await begin(chat, 1)
    await chat.tap(person, "так")
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Files")
    assert organiser.messages[-1].text == "The files of “Слова” are being prepared; they will come here."
    organiser.tap("Files")
    await chat.deliver()
    assert len([one for one in organiser.messages if "being prepared" in one.text]) == 1
    await chat.app.exports.make_next()
    await chat.app.sweeper.sweep_once()
    await chat.app.sender.wait_until_idle()
    sent = organiser.messages[-1]
    assert sent.text == "words: open report.html"
    assert sent.content.file is not None
    with zipfile.ZipFile(io.BytesIO(sent.content.file.content)) as archive:
        names = set(archive.namelist())
    assert {"words/report.html", "words/report.uk.html", "words/human_responses.csv"} <= names
    assert [act for act, *_ in list_acts(chat)] == ["export"]
    await chat.app.exports.make_next()
    assert chat.telegram.calls["senddocument"] == 1


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.01, "it took too long; make them with hromada export"), (60.0, "No project 'wards' is loaded.")],
    ids=["slow", "failing"],
)
async def test_files_that_cannot_be_made_are_explained(
    chat: Chat, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, seconds: float, told: str
) -> None:
    """A child that hangs is ended, one that fails says why; the request is over then."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Files")
    if seconds > 1:
        claimed = claim_request

        def claim(session: Session) -> ClaimedExport | None:
            found = claimed(session)
            return None if found is None else replace(found, project="wards")

        monkeypatch.setattr(people, "claim_request", claim)
    chat.app.exports.seconds = seconds
    await chat.app.exports.make_next()
    await chat.app.sweeper.sweep_once()
    await chat.app.sender.wait_until_idle()
    assert told in organiser.messages[-1].text
    with chat.database.reading() as view:
        assert not has_requests(view)


async def test_files_that_are_too_large_are_refused_without_being_read(
    chat: Chat, load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not even the zip file is in the memory of the bot."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Files")
    command = tmp_path / "export.sh"
    command.write_text('#!/bin/sh\nmkdir -p "$6" && head -c 51000000 /dev/urandom >"$6/answers.csv"\n', "utf-8")
    command.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(command))
    tracemalloc.start()
    try:
        await chat.app.exports.make_next()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    await chat.app.sweeper.sweep_once()
    await chat.app.sender.wait_until_idle()
    assert "too large for Telegram (51 MB)" in organiser.messages[-1].text
    with chat.database.reading() as view:
        assert not has_requests(view)


async def test_files_are_given_up_after_three_processes_died_over_them(chat: Chat, load: Callable[..., Any]) -> None:
    """Each process that begins is counted; a bot that is started again does not end over the same export for ever."""
    load(*ITEMS)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Files")
    with chat.database.transaction() as session:
        for _ in range(MOST_ATTEMPTS):
            claim_request(session)
    await chat.app.exports.make_next()
    await chat.app.sweeper.sweep_once()
    await chat.app.sender.wait_until_idle()
    assert "stopped several times while preparing them" in organiser.messages[-1].text


async def test_files_of_an_open_baseline_are_refused(chat: Chat, load: Callable[..., Any], tmp_path: Path) -> None:
    """Nobody sees its scores before it is closed, in the chat neither."""
    load(*ITEMS, name="base", start=False)
    (tmp_path / "base.yaml").write_text((tmp_path / "base.yaml").read_text("utf-8") + "kind: baseline\n", "utf-8")
    with chat.database.transaction() as session:
        projects.load_project_file(session, tmp_path / "base.yaml", now=chat.now, confirmed=True)
        transitions.start_project(session, project=queries.get_project(session, "base"), now=chat.now)
    person = await begin(chat, 1)
    await chat.tap(person, "так")
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "Files")
    assert "nobody sees the scores of a baseline before it is closed" in organiser.messages[-1].text
    with chat.database.reading() as view:
        assert not has_requests(view)


async def list_button_data(chat: Chat, load: Callable[..., Any]) -> list[str]:
    """The data of every button that an organiser is shown on a walk over all cards."""
    load(*ITEMS)
    person = await begin(chat, 1)
    await ask(chat, person, "Чи рахувати апостроф?")
    await chat.send(person, "/problem")
    await chat.tap(person, person.messages[-1].buttons[0][0])
    organiser = await open_admin(chat)
    seen = []
    for label in (
        "1",
        "People",
        "1",
        "‹ Back",
        "‹ Back",
        "To answer: 2",
        "Next ›",
        "Answer",
        "‹ Back",
        "‹ Back",
        "Invite",
    ):
        seen += [data for _, data in organiser.messages[-1].buttons]
        await chat.tap(organiser, label)
    seen += [data for _, data in organiser.messages[-1].buttons]
    await chat.send(organiser, "/admin")
    await chat.tap(organiser, "Write to all")
    seen += [data for _, data in organiser.messages[-1].buttons]
    await chat.send(organiser, "Дякуємо!")
    seen += [data for _, data in organiser.messages[-1].buttons]
    return sorted({data for data in seen if data.startswith("O:")})


async def test_nobody_else_can_do_what_organisers_do(chat: Chat, load: Callable[..., Any]) -> None:
    """Guessed commands are unknown ones; every replayed or forged button is answered like one of another bot.

    All words of buttons are tried with all numbers that occur, on the annotator's own messages.
    """
    data = await list_button_data(chat, load)
    words = {one.rsplit(":", 1)[1] for one in data}
    assert words >= {"campaign", "people", "person", "suspend", "pause", "invite", "send", "drop", "inbox", "dismiss"}
    before = read_state(chat)
    annotator = chat.people[1]
    await chat.send(annotator, "/admin")
    unknown = [message.text for message in annotator.messages[-2:]]
    chat.now += timedelta(minutes=2)
    await chat.send(annotator, "/adminn")
    assert [message.text for message in annotator.messages[-2:]] == unknown
    await chat.send(annotator, "/help")
    assert "admin" not in annotator.messages[-1].text
    shown = annotator.messages[-1]
    forged = {f"O:1:{numbers}:{word}" for word in organisers.TAPS for numbers in ("", "0", "1", "0.0", "0.1", "1.1")}
    for number, one in enumerate(sorted({*data, *forged})):
        annotator.press(one, on=shown)
        await chat.deliver()
        said = [message.text for message in annotator.messages]
        assert not any("Campaigns" in text or "Кампанії" in text or "Участь" in text for text in said), one
        chat.now += timedelta(seconds=number % 3)
    assert read_state(chat) == before


def read_state(chat: Chat) -> dict[str, Any]:
    """What organisers can change: all of it."""
    with chat.database.reading() as view:
        return {
            "projects": [(one.name, one.status, one.instructions) for one in view.exec(select(Project))],
            "people": [(one.id, one.suspended_at) for one in view.exec(select(Annotator))],
            "in hand": [
                one.id for one in view.exec(select(Assignment).where(Assignment.status == AssignmentStatus.LIVE))
            ],
            "messages": [(one.id, one.answer) for one in view.exec(select(SupportMessage))],
            "reports": [(one.id, one.resolved_at) for one in view.exec(select(models.Report))],
            "invitations": [one.id for one in view.exec(select(models.Invitation))],
            "announcements": [(one.id, one.sent_at) for one in view.exec(select(models.Announcement))],
            "exports": [one.id for one in view.exec(select(models.ExportRequest))],
            "acts": list_acts(chat),
        }


async def test_an_organiser_cannot_send_the_draft_of_another(chat: Chat, load: Callable[..., Any]) -> None:
    """A draft is sent by whoever wrote it."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser, other = await open_admin(chat), await open_admin(chat, number=901)
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Дякуємо!")
    other.press(dict(organiser.messages[-1].buttons)["Send"], on=other.messages[-1])
    await chat.deliver()
    with chat.database.reading() as view:
        assert view.exec(select(models.Announcement.sent_at)).all() == [None]


async def test_whoever_is_no_organiser_any_more_can_do_nothing(chat: Chat, load: Callable[..., Any]) -> None:
    """What they type to a question from before is not taken either."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser = await open_admin(chat)
    await go(chat, organiser, "Write to all")
    settings = chat.app.workers.settings
    chat.app.workers.settings = replace(settings, conversation=replace(settings.conversation, organisers=frozenset()))
    await chat.send(organiser, "Дякуємо!")
    await chat.send(organiser, "/admin")
    with chat.database.reading() as view:
        assert view.exec(select(models.Announcement)).all() == []
    assert not organiser.messages[-1].text.startswith("Campaigns")


def test_every_text_for_organisers_is_there_in_both_languages() -> None:
    """With the same arguments, and said somewhere."""
    found = {}
    for language in ORGANISER_LANGUAGES:
        file = read_fluent_file(FOLDER / f"organisers.{language}.ftl")
        assert file.junk == ()
        found[language] = {message.text_id: sorted(message.variables) for message in file.messages}
    assert found["uk"] == found["en"]
    code = "".join(file.read_text("utf-8") for file in Path(conversation.__file__ or "").parent.rglob("*.py"))
    made = {
        *(f"alert-{kind.value}" for kind in AlertKind if kind is not AlertKind.DECISION),
        *(f"gap-{reason.value}" for reason in WaitReason),
        *(f"standing-{status.value}" for status in ParticipationStatus),
        *(f"need-{kind.value}" for kind in NeedKind),
        *("bot-works", "bot-is-off"),  # on the dashboard
        "button-suspend",
        "button-unsuspend",
    }
    assert {name for name in found["uk"] if f'"{name}"' not in code} == made
    said = set(re.findall(r'words\(\s*"([a-z-]+)"', code))
    assert said <= found["uk"].keys()
    for language in ORGANISER_LANGUAGES:
        words = get_organiser_texts(language)
        for name, arguments in found[language].items():
            for number in (0, 1, 3, 11):
                text = words(name, **dict.fromkeys(arguments, number))
                assert "{" not in text
                assert not name.startswith("button-") or len(text) <= 20, (name, text)
