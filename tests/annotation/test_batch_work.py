"""Who does what in Label Studio, as the database knows it: counted by hand, from nobody to everybody being late."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import Session, select

from annotation.label_studio import reminders
from annotation.label_studio.sync.people import PeopleStatus, PersonStatus, read_people_status
from annotation.store import queries
from annotation.store.models import (
    Annotator,
    AnnouncementRecipient,
    Assignment,
    Judgement,
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioSetAside,
    LabelStudioTask,
    Participation,
    Project,
)
from annotation.vocabulary import (
    SECOND_PASS_OCCASION,
    AssignmentStatus,
    BatchWork,
    ParticipationStatus,
    Stage,
    Surface,
)
from annotation.workflow import definitions
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.monitoring.batch_work import PersonWork, is_most_dropped, list_person_work

if TYPE_CHECKING:
    from annotation.store.database import Database
    from tests.annotation.conftest import Sandbox

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
NOW = START + timedelta(days=2)
DUE = NOW + timedelta(days=5)
STORY = "Кіт спав на печі, а пес сидів біля дверей і чекав на господаря."
FIXED = STORY.replace("спав", "дрімав")
OLHA, IVAN = 1, 2


def start(session: Session, sandbox: Sandbox) -> Project:
    """A project of six stories to correct."""
    rows = "".join(f"s{number},{STORY!r}\n".replace("'", '"') for number in range(1, 7))
    (sandbox.folder / "stories.csv").write_text("id,story\n" + rows, "utf-8")
    file = sandbox.folder / "stories.yaml"
    file.write_text(
        "project: stories\ntitle: Казки\nlanguage: uk\ninstructions: Читайте.\noverlap: 2\n"
        "question: {type: edit, text: 'Виправте.', field: story}\n"
        "items: {file: stories.csv, id: id, show: [story]}\n",
        "utf-8",
    )
    project = queries.get_project(session, projects.load_project_file(session, file, now=START).name)
    transitions.start_project(session, project=project, now=START)
    return project


def add_batch(session: Session, sandbox: Sandbox, project: Project, person: int) -> LabelStudioBatch:
    """A person's queue on a server, with the number of the person as their account."""
    annotator_id = sandbox.person(session, person)
    batch = LabelStudioBatch(
        project_id=project.id or 0, annotator_id=annotator_id, server="s", mark=str(person), remote_id=person,
        watermark=NOW - timedelta(minutes=person), created_at=START,
    )  # fmt: skip
    session.add_all([batch, LabelStudioAccount(server="s", user_id=person, annotator_id=annotator_id)])
    session.flush()
    return batch


def assign(
    session: Session, sandbox: Sandbox, batch: LabelStudioBatch, item: str, *, due: datetime = DUE
) -> Assignment:
    """An item of the batch that waits until it is due, as task 10 × the number of the batch and the item."""
    project = session.get_one(Project, batch.project_id)
    person = session.get_one(Annotator, batch.annotator_id).telegram_id
    made = sandbox.given(session, project, item=item, telegram_id=person, surface=Surface.LABEL_STUDIO)
    made.assigned_at, made.lease_until = START, due
    task = LabelStudioTask(assignment_id=made.id or 0, batch_id=batch.id or 0, remote_id=int(item[1:]))
    session.add_all([made, task])
    session.flush()
    return made


def answer(session: Session, sandbox: Sandbox, made: Assignment, text: str, *, minute: int) -> None:
    """An answer of two minutes so many minutes after the start."""
    sandbox.answer(session, made, text)
    stored = session.exec(select(Judgement).where(Judgement.assignment_id == made.id)).one()
    stored.answered_at, stored.seconds = START + timedelta(minutes=minute), 60.0 * minute
    made.shown_at = START + timedelta(minutes=minute - 2)
    session.add_all([stored, made])
    session.flush()


@pytest.fixture
def work(db: Database, sandbox: Sandbox) -> tuple[PersonWork, ...]:
    """Olha answered three of six items, Ivan one of two, the other of which is overdue."""
    with db.transaction() as session:
        project = start(session, sandbox)
        assert list_person_work(session, now=NOW) == (), "nobody has a queue yet"
        mine = add_batch(session, sandbox, project, OLHA)
        for number, text in enumerate((FIXED, STORY, "Виправлене."), start=1):
            answer(session, sandbox, assign(session, sandbox, mine, f"s{number}"), text, minute=2 * number)
        assign(session, sandbox, mine, "s4")
        for task, account in ((4, OLHA), (5, IVAN)):
            aside: dict[str, Any] = {"annotation_id": task, "remote_task_id": task, "user_id": account}
            session.add(LabelStudioSetAside(batch_id=mine.id or 0, reason="empty", since=NOW, **aside))
        assign(session, sandbox, mine, "s5", due=DUE + timedelta(days=1))
        assign(session, sandbox, mine, "s6").status = AssignmentStatus.EXPIRED
        other = add_batch(session, sandbox, project, IVAN)
        answer(session, sandbox, assign(session, sandbox, other, "s1"), FIXED, minute=10)
        assign(session, sandbox, other, "s2", due=NOW - timedelta(hours=1))
        second = assign(session, sandbox, other, "s3")
        answer(session, sandbox, second, FIXED, minute=12)
        second.item_id, second.occasion = sandbox.items(session, project)["s1"].id or 0, SECOND_PASS_OCCASION
        session.flush()
        unread = LabelStudioBatch(
            project_id=project.id or 0, annotator_id=mine.annotator_id, second=True, server="s", mark="2nd",
            remote_id=9, created_at=NOW,
        )  # fmt: skip
        session.add(unread)
        session.flush()
        return list_person_work(session, now=NOW, project_id=project.id)


def test_each_persons_work_is_counted_by_hand(work: tuple[PersonWork, ...]) -> None:
    """Three answers of two active minutes each are thirty an hour; one answer has no pace."""
    olha, ivan = work
    assert (olha.waiting, olha.answered, olha.late, olha.returned, olha.due_at) == (2, 3, 0, 1, DUE)
    assert olha.seconds == 240
    assert olha.per_hour == pytest.approx(30)
    counts = olha.corrections
    assert (counts.number, counts.unchanged, counts.most_dropped) == (3, 1, 1)
    assert counts.unchanged_share == counts.dropped_share == pytest.approx(1 / 3)
    # her second pass is newer than the pull
    assert (olha.pulled_at, olha.queues[0].waiting) == (NOW - timedelta(minutes=1), frozenset({4, 5}))
    assert olha.queues[0].aside == frozenset({4}), "the other one is of somebody else"
    assert (ivan.waiting, ivan.answered, ivan.second_answered, ivan.late) == (1, 1, 1, 1), "both passes of one item"
    assert (ivan.seconds, ivan.corrections.number, ivan.corrections.unchanged_share) == (660, 1, 0)


def test_people_of_an_adopted_project_are_counted_by_its_answers(db: Database, sandbox: Sandbox) -> None:
    """Its batch is nobody's, and its answers are imported ones; a correction that drops most of the text is told of."""
    with db.transaction() as session:
        project = start(session, sandbox)
        batch = add_batch(session, sandbox, project, OLHA)
        batch.annotator_id, batch.work = None, BatchWork.ADOPTED
        session.flush()
        definition = definitions.get_project_definition(project)
        dropped = []
        for number, text in enumerate((FIXED, STORY, "Виправлене."), start=1):
            made = sandbox.given(session, project, item=f"s{number}", telegram_id=OLHA, surface=Surface.LABEL_STUDIO)
            answer(session, sandbox, made, text, minute=2 * number)
            made.surface = Surface.IMPORT
            session.flush()
            dropped.append(is_most_dropped(session, definition, made))
        sandbox.person(session, IVAN)
        (olha,) = list_person_work(session, now=NOW)
    assert dropped == [False, False, True]
    assert (olha.work, olha.waiting, olha.answered, olha.seconds) == (BatchWork.ADOPTED, 0, 3, 240)
    assert (olha.corrections.number, olha.corrections.most_dropped) == (3, 1)


def test_without_a_server_people_are_pseudonyms(
    db: Database, work: tuple[PersonWork, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is there, the problem is said, and a name that is nobody's is refused with those that are."""
    monkeypatch.delenv("HROMADA_LABEL_STUDIO_TOKEN", raising=False)
    with db.reading() as view:
        status = read_people_status(view, now=NOW)
    assert status.problem == "There is no token for Label Studio."
    assert [(one.name, one.in_work, one.work) for one in status.people] == [(one.annotator, None, one) for one in work]
    (chosen,) = status.choose([work[1].annotator]).people
    assert chosen.work == work[1]
    assert status.choose(["1"]).people[0].work == work[0], "the number of an account is known here"
    with pytest.raises(Exception, match="E-mails are known only while Label Studio answers"):
        status.choose(["olha@example.org"])


def test_an_email_names_its_person_in_any_case(work: tuple[PersonWork, ...]) -> None:
    """An apostrophe is a letter of a name; nobody without an e-mail is meant by an empty one."""
    named = PersonStatus(work=work[0], email="Olha.O'Neil@example.org")
    status = PeopleStatus(people=(named, PersonStatus(work=work[1])))
    assert status.choose(["olha.o'neil@example.org"]).people == (named,)
    with pytest.raises(Exception, match=r"Olha\.O'Neil@example\.org, p"):
        status.choose([""])


def test_reminders_are_written_and_reach_only_whom_they_are_for(
    db: Database, sandbox: Sandbox, work: tuple[PersonWork, ...]
) -> None:
    """The date is that of the time zone; the bot reminds Olha alone, and nobody who takes no part."""
    olha = PersonStatus(work=work[0], addresses=("http://ls/",))
    reminder = reminders.write_reminder(olha, time_zone="Pacific/Kiritimati")
    assert reminder.subject == "Казки: на вас чекають 2 завдання"
    assert "У кампанії «Казки» на вас чекають 2 завдання:\nhttp://ls/" in reminder.body
    assert "до 29 листопада" in reminder.body
    aside = reminders.write_reminder(replace(olha, aside=("http://ls/5",)), time_zone="Europe/Kyiv")
    assert "виправте, клацніть поза текстом і натисніть Update:\nhttp://ls/5\n" in aside.body
    overdue = reminders.write_reminder(PersonStatus(work=work[1]), time_zone="Europe/Kyiv")
    assert "Термін минув 23 листопада." in overdue.body
    with db.transaction() as session:
        assert not reminders.send_reminder(session, reminder, now=NOW), "they take no part yet"
        project = queries.get_project(session, "stories")
        for one in work:
            own: dict[str, Any] = {"annotator_id": one.annotator_id, "project_id": project.id, "stage": Stage.MAIN}
            session.add(Participation(**own, since=START, joined_at=START, status=ParticipationStatus.ACTIVE))
        session.flush()
        assert reminders.send_reminder(session, reminder, now=NOW)
        recipients = session.exec(select(AnnouncementRecipient.annotator_id)).all()
    assert recipients == [work[0].annotator_id]
