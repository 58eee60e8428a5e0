"""What needs the organisers: the same list with the same numbers on all five surfaces, in twelve states."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _command import Hromada
from sqlmodel import Session, select

from annotation.store import queries
from annotation.store.models import (
    Annotator,
    Announcement,
    AnnouncementRecipient,
    Heartbeat,
    Inbox,
    Judgement,
    Outbox,
    Participation,
    ProcessLease,
    Project,
    Report,
    SupportMessage,
)
from annotation.vocabulary import ParticipationStatus, Stage, Surface
from annotation.workflow.monitoring import machine
from annotation.workflow.monitoring.bot_waits import POLLING
from annotation.workflow.monitoring.machine import MachineFacts
from bot.conversation import organiser_notifications, time_zones
from bot.conversation.texts import get_texts
from bot.conversation.updates_and_calls import NewMessage
from bot.conversation.views import organiser_cards, organiser_messages
from bot.conversation.views.organiser_cards import OrganiserCard
from bot.web.overview_page import build_overview
from bot.web.project_page import build_project_page
from bot.web.snapshots import SnapshotReader
from exports.dashboard.page import LiveSection, render_section
from exports.pages.localization import use_language
from tests.annotation.conftest import Sandbox

if TYPE_CHECKING:
    from tests.bot.conftest import Chat

MEGABYTE = 1024**2
ORGANISER = 900
ROWS = "".join(f"{item},text {item},g{item},x\n" for item in "abcd")
TEXTS = """\
project: texts
title: Тексти
language: en
instructions: Write.
question: {type: text, text: What is it?}
items: {file: texts.csv, id: id, show: text}
overlap: 2
review: {tell_annotators: no}
"""


def name_zone(now: datetime, *, hour: int) -> str:
    """A time zone in which it is this hour."""
    east = (hour - now.hour + 11) % 24 - 11
    return f"Etc/GMT{-east:+d}"


@dataclass
class Campaign:
    """A database in which all is well, to be disturbed: two running projects, two annotators, a bot, a fresh backup."""

    session: Session
    sandbox: Sandbox
    now: datetime
    facts: MachineFacts
    words: Project
    texts: Project

    def answer(self, project: Project, *, item: str, person: int, response: str) -> int:
        """An answer that counts; the id of its assignment."""
        given = self.sandbox.given(self.session, project, item=item, telegram_id=person)
        self.sandbox.answer(self.session, given, response)
        judgement = self.session.exec(select(Judgement).where(Judgement.assignment_id == given.id)).one()
        judgement.answered_at = self.now
        self.session.add(judgement)
        return given.id or 0

    def stop_bot(self) -> None:
        """The bot ended a minute ago."""
        self.session.get_one(ProcessLease, "pacing").until = self.now - timedelta(minutes=1)
        self.session.flush()

    def delay(self) -> None:
        """An update has waited for ten minutes."""
        at = self.now - timedelta(minutes=10)
        self.session.add(Inbox(bot_id=1, update_id=1, telegram_id=77, payload={}, received_at=at))

    def disagree(self) -> None:
        """Two annotators answer differently."""
        for person, response in ((1, "x"), (2, "y")):
            self.answer(self.words, item="a", person=person, response=response)

    def disagree_on_b(self) -> None:
        """Two annotators answer another item differently."""
        for person, response in ((1, "x"), (2, "y")):
            self.answer(self.words, item="b", person=person, response=response)

    def write(self) -> None:
        """An annotator writes a text, which waits for a reviewer."""
        self.answer(self.texts, item="c", person=1, response="Дім")

    def report(self) -> None:
        """An annotator reports an item."""
        given = self.answer(self.words, item="a", person=1, response="x")
        item_id = self.sandbox.items(self.session, self.words)["a"].id or 0
        report = Report(item_id=item_id, annotator_id=1, assignment_id=given, reason="typo", at=self.now)
        self.session.add(report)

    def ask(self) -> None:
        """Two annotators ask something."""
        for person in (1, 2):
            question = SupportMessage(annotator_id=person, project_id=self.words.id, text="Чому?", at=self.now)
            self.session.add(question)

    def park(self) -> None:
        """A message could not be sent."""
        parked: dict[str, Any] = {"reason": "refused", "parked_at": self.now}
        self.session.add(Outbox(bot_id=1, chat_id=1, calls=[], created_at=self.now, due_at=self.now, **parked))

    def pause(self) -> None:
        """A rule paused an annotator."""
        paused: dict[str, Any] = {"since": self.now, "joined_at": self.now, "stage": Stage.MAIN}
        self.session.add(
            Participation(
                annotator_id=3, project_id=self.words.id or 0, status=ParticipationStatus.PAUSED, **paused
            )
        )  # fmt: skip
        self.session.flush()

    def be_late(self) -> None:
        """An annotator has two items in Label Studio whose date is over."""
        for item in ("c", "d"):
            given = self.sandbox.given(self.session, self.words, item=item, telegram_id=3, surface=Surface.LABEL_STUDIO)
            given.lease_until = self.now - timedelta(days=1)
            self.session.add(given)
            self.session.flush()

    def fill_disk(self) -> None:
        """The disk has too little room."""
        self.facts = replace(self.facts, free=100 * MEGABYTE)

    def forget_backup(self) -> None:
        """The newest backup is three days old."""
        self.answer(self.words, item="b", person=1, response="x")
        self.facts = replace(self.facts, backup_at=self.now - timedelta(days=3))

    def announce(self) -> None:
        """A message waits until it is day where people are."""
        for person in (1, 2):
            annotator = self.session.get_one(Annotator, person)
            annotator.time_zone = name_zone(self.now, hour=23)
            fields: dict[str, Any] = {"since": self.now, "joined_at": self.now, "stage": Stage.MAIN}
            joined = Participation(
                annotator_id=person, project_id=self.words.id or 0, status=ParticipationStatus.ACTIVE, **fields
            )
            self.session.add_all([annotator, joined])
        sent = Announcement(text="Дякуємо!", project_id=self.words.id, created_at=self.now, sent_at=self.now)
        self.session.add(sent)
        self.session.flush()
        for person in (1, 2):
            self.session.add(AnnouncementRecipient(announcement_id=sent.id or 0, annotator_id=person))


STATES: dict[str, tuple[Callable[[Campaign], None], list[tuple[str, str, int]]]] = {
    "all well": (lambda _: None, []),
    "bot off": (Campaign.stop_bot, [("The bot is not working: nobody gets a reply", "bot", 1)]),
    "backlog": (Campaign.delay, [("1 update or message is waiting for the bot", "backlog", 1)]),
    "dispute": (Campaign.disagree, [("1 disputed item, a tie", "dispute", 1)]),
    "review": (Campaign.write, [("1 answer to review", "review", 1)]),
    "report": (Campaign.report, [("1 report", "report", 1)]),
    "question": (Campaign.ask, [("2 questions from annotators", "question", 2)]),
    "parked": (Campaign.park, [("1 delivery is parked", "parked", 1)]),
    "late": (Campaign.be_late, [("1 annotator is late with 2 items in Label Studio: p2", "late", 1)]),
    "full": (Campaign.fill_disk, [("The disk is almost full: 100 MB free, 200 MB needed", "disk", 1)]),
    "paused": (Campaign.pause, [("1 annotator paused by a rule: p2", "paused", 1)]),
    "old backup": (Campaign.forget_backup, [("The last backup is too old: words.sqlite", "backup", 1)]),
    "night broadcast": (Campaign.announce, [("A message to 2 people goes out ", "broadcast", 2)]),
}
TROUBLES = {"bot off", "backlog", "parked", "full", "old backup"}
"""States with which the doctor is not content."""
ALL_AT_ONCE = ("bot off", "full", "parked", "question", "dispute", "late", "old backup")


@pytest.fixture
def build(chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., MachineFacts]:
    """Builds a database in which all is well, and disturbs it; what is known of the machine."""
    chat.now = datetime.now(UTC)

    def built(*acts: Callable[[Campaign], None]) -> MachineFacts:
        now = chat.now
        sandbox = Sandbox(tmp_path)
        with chat.database.transaction() as session:
            words = sandbox.started(session, sandbox.write("words", rows=ROWS, more="overlap: 2\n"))
            (tmp_path / "texts.csv").write_text("id,text\nc,Дім\nd,Ліс\n", "utf-8")
            (tmp_path / "texts.yaml").write_text(TEXTS, "utf-8")
            texts = sandbox.started(session, tmp_path / "texts.yaml")
            for project in (words, texts):
                project.started_at = project.active_since = now
                session.add(project)
            for person in (1, 2, 3):
                sandbox.person(session, person)
            session.add(ProcessLease(name="pacing", holder="host:1:1", until=now + timedelta(hours=1)))
            session.merge(Heartbeat(name=POLLING, at=now))
            facts = MachineFacts(
                free=10**12, needed=200 * MEGABYTE, backup=Path("words.sqlite"), backup_at=now - timedelta(minutes=1)
            )
            campaign = Campaign(session, sandbox, now, facts, words, texts)
            for act in acts:
                act(campaign)
        settings = chat.app.workers.settings
        conversation = replace(
            settings.conversation, time_zone=name_zone(now, hour=12), look_at_machine=lambda: campaign.facts
        )
        chat.app.workers.settings = replace(settings, conversation=conversation)
        monkeypatch.setattr(machine, "read_machine_facts", lambda _: campaign.facts)
        return campaign.facts

    return built


def render_digest(chat: Chat) -> OrganiserCard:
    """The digest of the day in English."""
    conversation = chat.app.workers.settings.conversation
    with chat.database.reading() as view:
        observed = organiser_notifications.observe_campaigns(view, now=chat.now, settings=conversation)
    assert observed is not None
    assert observed.needs is not None
    words = organiser_cards.make_words(get_texts("en"), zone=None, default_zone=conversation.time_zone, now=chat.now)
    return organiser_messages.render_digest(observed.digest, observed.needs, words)


async def read_surfaces(chat: Chat, folder: Path, facts: MachineFacts) -> dict[str, list[str]]:
    """The lines of each surface about what needs the organisers."""
    conversation = chat.app.workers.settings.conversation
    organiser = chat.person(ORGANISER, language="en")
    await chat.send(organiser, "/admin")
    digest = "\n".join(part.html for part in render_digest(chat))
    reader = SnapshotReader(database=chat.database, time_zone=conversation.time_zone, look_at_machine=lambda: facts)
    dashboard = {section.id: section for section in build_overview(reader.read_snapshot(), "")}
    command = Hromada(folder, variables={"HROMADA_DATABASE_URL": str(chat.database.engine.url)})
    return {
        "dashboard": re.findall(r"<li><b>(.*?)</b>", render_section(dashboard["needs"])),
        "admin": re.findall(r"^• (.*)", organiser.messages[-1].text, re.MULTILINE),
        "digest": re.findall(r"^• (.*)", digest, re.MULTILINE),
        **{name: re.findall(r"^• (.*)", command(name).out, re.MULTILINE) for name in ("status", "doctor")},
    }


@pytest.mark.parametrize("state", STATES)
async def test_every_surface_lists_the_same_needs(
    chat: Chat, build: Callable[..., MachineFacts], tmp_path: Path, state: str
) -> None:
    """Each state has its line, with its number, everywhere, and there is nothing else."""
    act, expected = STATES[state]
    facts = build(act)
    found = await read_surfaces(chat, tmp_path, facts)
    for surface, lines in found.items():
        assert len(lines) == len(expected), (surface, lines)
        for (words, *_), line in zip(expected, lines, strict=True):
            assert words in line, surface
    command = Hromada(tmp_path, variables={"HROMADA_DATABASE_URL": str(chat.database.engine.url)})
    told = command("doctor", "--json")
    listed = [(need["kind"], need["count"]) for need in told.json["needs"]]
    assert listed == [(kind, count) for _, kind, count in expected]
    assert told.code == int(state in TROUBLES)
    with chat.database.reading() as view:
        names = [project.name for project in queries.list_projects(view)]
    assert sorted(names) == ["texts", "words"]


def test_the_list_of_questions_says_how_to_answer(
    chat: Chat, build: Callable[..., MachineFacts], tmp_path: Path
) -> None:
    """The command that the list of needs names leads on."""
    build(Campaign.ask)
    command = Hromada(tmp_path, variables={"HROMADA_DATABASE_URL": str(chat.database.engine.url)})
    assert "hromada messages answer ID TEXT" in command("messages", "list", "words").out


async def test_the_alert_counts_what_the_list_counts(chat: Chat, build: Callable[..., MachineFacts]) -> None:
    """Also disputes before anybody calls `adjudicate`, and reviews; it leads to the list, and is not told twice."""
    build(Campaign.report, Campaign.disagree_on_b, Campaign.write, Campaign.ask)
    organiser, settings = chat.person(ORGANISER, language="en"), chat.app.workers.settings.conversation
    await chat.send(organiser, "/admin")
    told = []
    for _ in range(2):
        with chat.database.transaction() as session:
            observed = organiser_notifications.observe_campaigns(session, now=chat.now, settings=settings)
            calls = organiser_notifications.tell_organisers(session, now=chat.now, settings=settings, observed=observed)
        told += [call.html for call in calls if isinstance(call, NewMessage) and "waiting for you" in call.html]
        chat.now += timedelta(minutes=11)
    assert [message.split(". ")[0] for message in told] == ["5 decisions are waiting for you"]


async def test_needs_come_in_the_order_of_urgency_and_sort_the_projects(
    chat: Chat, build: Callable[..., MachineFacts], tmp_path: Path
) -> None:
    """Six things and more at once; the project that needs most is the first, though it was loaded first of two."""
    facts = build(*(STATES[state][0] for state in ALL_AT_ONCE))
    found = await read_surfaces(chat, tmp_path, facts)
    for surface, lines in found.items():
        assert len(lines) == len(ALL_AT_ONCE), surface
        for state, line in zip(ALL_AT_ONCE, lines, strict=True):
            assert STATES[state][1][0][0] in line, surface
    command = Hromada(tmp_path, variables={"HROMADA_DATABASE_URL": str(chat.database.engine.url)})
    assert [project["project"] for project in command("status", "--json").json] == ["words", "texts"]


def finish(campaign: Campaign) -> None:
    """All answers to the texts are in, some to the words, whose title fills three lines of a phone."""
    for item in "cd":
        for person in (1, 2):
            campaign.answer(campaign.texts, item=item, person=person, response="Дім")
            campaign.answer(campaign.words, item=item, person=person, response="x")
    campaign.words.title = LONG
    campaign.session.add(campaign.words)
    campaign.session.flush()


LONG = "A title that is as long as titles of campaigns are"


async def test_needs_are_short_in_the_chat_and_each_leads_to_what_deals_with_it(
    chat: Chat, build: Callable[..., MachineFacts], tmp_path: Path
) -> None:
    """With one zone on a screen, no two equal buttons, and the person whom a rule paused let go on."""
    facts = build(Campaign.report, Campaign.pause, Campaign.announce, finish)
    found = await read_surfaces(chat, tmp_path, facts)
    organiser, digest = chat.person(ORGANISER), render_digest(chat)
    zone = time_zones.format_zone(chat.app.workers.settings.conversation.time_zone, get_texts("en"))
    assert organiser.messages[-1].text.count(f"({zone})") == 1
    assert "".join(part.html for part in digest).count(f"({zone})") == 1, "needs and expected ends"
    for lines in (found["admin"], found["digest"]):
        report, paused, *_, broadcast, end = lines
        assert report.startswith("A title that is as long as …: 1 report · since ")
        assert paused.startswith("A title that is as long as …: 1 annotator paused by a rule: p2")
        assert "since" not in broadcast
        assert end.endswith("close texts</code>" if lines is found["digest"] else "close texts")
    in_digest = [button.label for part in digest for row in part.buttons for button in row]
    for labels in (in_digest, [label for label, _ in organiser.messages[-1].buttons]):
        assert len({*labels}) == len(labels)
    for label in ("People · A title", "1"):
        await chat.tap(organiser, next(one for one, _ in organiser.messages[-1].buttons if one.startswith(label)))
    assert organiser.messages[-1].text.startswith("p2\n\nStatus: paused by a rule"), "first of all people"
    await chat.tap(organiser, "Let them go on")
    assert "Status: takes part" in organiser.messages[-1].text
    assert "Let them go on" not in dict(organiser.messages[-1].buttons)
    await chat.send(organiser, "/admin")
    assert "paused" not in organiser.messages[-1].text
    await chat.tap(organiser, next(one for one, _ in organiser.messages[-1].buttons if one == "2"))
    assert "hromada review texts --as WHO" in organiser.messages[-1].text, "on the card of a campaign too"


async def test_a_page_of_a_project_names_it_once_and_says_why_it_has_no_disputes(
    chat: Chat, build: Callable[..., MachineFacts]
) -> None:
    """No title before what needs organisers there, reasons in the language of the page, and no zero that is untrue."""
    facts = build(Campaign.report, Campaign.disagree_on_b, finish)
    reader = SnapshotReader(database=chat.database, time_zone="UTC", look_at_machine=lambda: facts)
    snapshot = reader.read_snapshot()
    found: dict[str, dict[str, LiveSection]] = {}
    with use_language("uk"):
        for name in ("words", "texts"):
            project = snapshot.find_project(name)
            assert project is not None
            page = build_project_page(snapshot, project, None, reader.read_waiting_rows(name), "")
            found[name] = {section.id: section for section in page}
        first = {section.id: section for section in build_overview(snapshot, "")}
    assert first["needs"].title == f"Потребує вашої уваги · {len(snapshot.needs)}"
    assert any(LONG[:20] in task.about for task in first["needs"].tasks)
    assert not any(LONG[:20] in task.about for task in found["words"]["needs"].tasks)
    assert first["project-words"].title.startswith(LONG)
    [dispute] = found["words"]["decisions"].tables[2].rows
    assert dispute.cells[1] == "голосів порівну, голоси дуже розійшлися"
    assert "тут таких немає" in found["texts"]["decisions"].how
    assert "чекає" in found["texts"]["decisions"].how
