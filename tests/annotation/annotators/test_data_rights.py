"""What people may ask for: their data, to leave, to be forgotten."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict, NotFound
from annotation.store import database, frames, journal, models, pseudonyms, queries
from annotation.store.models import (
    Adjudication,
    Adjudicator,
    Annotator,
    Announcement,
    AnnouncementRecipient,
    AnswerMessage,
    Assignment,
    Attestation,
    Cohort,
    Consent,
    Conversation,
    ExportRequest,
    Exposure,
    Inbox,
    Invitation,
    ItemMessage,
    Journal,
    Judgement,
    LabelStudioAccount,
    LabelStudioBatch,
    NoticeWish,
    OrganiserNotice,
    Outbox,
    Participation,
    Payment,
    ProfileAnswer,
    QueueCursor,
    Report,
    SubmissionReview,
    SupportMessage,
    TextVersion,
    metadata,
)
from annotation.store.models.assignments import AllocatedAnnotator
from annotation.vocabulary import (
    ABSTAINED,
    AdjudicationDecision,
    AssignmentStatus,
    Event,
    Exclusion,
    ExclusionKind,
    ExposureCause,
    ParticipationStatus,
    Pool,
    ProjectStatus,
    ReviewDecision,
    TextKind,
)
from annotation.workflow import participations
from annotation.workflow.annotators import erasure, own_data, registration, roster, support_messages, withdrawal

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
KEY = b"k" * 32
MARKER = "СЛІД"
TELEGRAM_ID = 987654321
Load = Callable[..., None]
KEYS = {
    "participations": {
        "programme_id", "stage", "status", "reason", "declined", "declined_scope", "declined_version", "since",
        "joined_at", "warned_at", "warning_sha256", "attempt", "retry_at", "qualified_at", "shown", "answered", "page",
        "on_page", "uncontrolled", "day", "answered_today", "sitting", "sitting_since", "last_at", "project",
        "invitation", "halfway_told", "panel", "journey",
    },
    "attestations": {"sitting", "used", "at", "project"},
    "allotments": {"allotment_id", "bin"},
}  # fmt: skip
"""Keys of the export where columns of the database are called otherwise: annotators read them, so they stay."""


def everywhere(session: Session) -> str:
    """Every cell of every table, as text."""
    tables = [name for name in metadata.tables if name not in {"item", "project"}]
    rows = [session.connection().execute(sa.select(metadata.tables[name])).all() for name in tables]
    return json.dumps([[list(row) for row in found] for found in rows], default=str, ensure_ascii=False)


def full_of_traces(people: People, session: Session, person: Annotator) -> None:
    """All that a person can leave behind, each with the marker in it."""
    mark, who = itertools.count(1), person.id or 0

    def trace() -> str:
        return f"{MARKER}-{next(mark)}"

    project = queries.get_project(session, "words")
    participation = participations.get_or_create_participation(
        database.lock_annotator(session, who), project=project, now=NOW
    )
    models.PARTICIPATIONS.update(session, participation, reason=trace())
    first = people.assigned(session, who, "words-1", answer=trace())
    judgement = session.exec(select(Judgement).where(Judgement.assignment_id == first.id)).one()
    judgement.answers, judgement.flags, judgement.skip_reason = {"answer": trace()}, [trace()], trace()
    judgement.excluded_kind, judgement.excluded_reason = ExclusionKind.RULE, trace()
    people.assigned(session, who, "words-2")
    session.add_all([
        Judgement(assignment_id=first.id or 0, revision=1, response=trace(), response_raw=trace(), answered_at=NOW),
        SupportMessage(annotator_id=who, text=trace(), at=NOW, answer=trace(), answered_at=NOW),
        SupportMessage(annotator_id=who, text=trace(), at=NOW),
        Report(
            item_id=first.item_id, annotator_id=who, assignment_id=first.id or 0, reason=trace(), text=trace(), at=NOW
        ),
        ProfileAnswer(annotator_id=who, field="city", value=trace(), at=NOW),
        Cohort(annotator_id=who, name=trace()),
        Attestation(annotator_id=who, project_id=project.id or 0, work_session=1, used=trace(), at=NOW),
        Payment(annotator_id=who, project_id=project.id or 0, hundredths=100, currency="UAH", note=trace(), at=NOW),
        Consent(annotator_id=who, scope="project words", version="1", sha256="0" * 64, at=NOW),
        Conversation(annotator_id=who, step="skip", data={"text": trace()}, at=NOW),
        ItemMessage(assignment_id=first.id or 0, message_id=TELEGRAM_ID),
        AnswerMessage(annotator_id=who, message_id=TELEGRAM_ID, assignment_id=first.id or 0, question=trace()),
        Inbox(bot_id=1, update_id=1, telegram_id=TELEGRAM_ID, payload={"text": trace()}, received_at=NOW),
        Outbox(
            bot_id=1,
            chat_id=TELEGRAM_ID,
            calls=[{"text": trace()}],
            content=trace().encode(),
            created_at=NOW,
            due_at=NOW,
        ),
        *(
            SubmissionReview(
                assignment_id=first.id or 0, revision=0, number=number, annotator_id=reviewer, reason=trace(), at=NOW,
                decision=ReviewDecision.REJECTED,
            )
            for number, reviewer in enumerate((who, people.joined(session, 77).id or 0))
        ),
        Adjudication(
            item_id=first.item_id, item_revision=1, question="answer", number=0, annotator_id=who, comment=trace(),
            decision=AdjudicationDecision.BROKEN, labels=[], at=NOW,
        ),
    ])  # fmt: skip
    person.time_zone, person.insider = "Europe/Kyiv", True
    session.flush()
    roster.suspend_annotator(session, annotator=person, reason=trace(), now=NOW)


def test_a_withdrawal_excludes_all_answers(people: People, load: Load) -> None:
    """Places are free again, no answer counts, earlier reasons and answers elsewhere stay; nothing more is assigned."""
    load("words", n=4)
    load("other", n=1)
    with people.db.transaction() as session:
        project = people.ready(session, "words")
        person = people.joined(session, 1).id or 0
        for name in ("words", "other"):
            participations.get_or_create_participation(
                database.lock_annotator(session, person), project=queries.get_project(session, name), now=NOW
            )
        people.assigned(session, person, "words-1", answer="кіт")
        people.assigned(session, person, "words-2", answer="", exclusion=ABSTAINED)
        people.assigned(session, person, "words-3", answer="кіт", exclusion=Exclusion(ExclusionKind.RULE, "too fast"))
        people.assigned(session, person, "words-4")
        people.assigned(session, people.joined(session, 2).id or 0, "words-1", answer="кіт")
        people.assigned(session, person, "other-1", answer="кіт")
        left = withdrawal.withdraw_annotator(session, annotator_id=person, project=project, now=LATER)
        assert left == withdrawal.WithdrawalCounts(answers=2, places=4)
        assert people.places(session) == [
            ("words-1", 1, 1, 1), ("words-2", 1, 0, 0), ("words-3", 1, 0, 0), ("words-4", 1, 0, 0),
            ("other-1", 0, 1, 1),
        ]  # fmt: skip
        reasons = session.exec(select(Judgement.excluded_reason).order_by(col(Judgement.id))).all()
        assert reasons == [withdrawal.WITHDRAWN.reason, withdrawal.WITHDRAWN.reason, "too fast", None, None]
        participation = session.get_one(Participation, (person, project.id))
        assert (participation.status, participation.reason, participation.since) == (
            ParticipationStatus.WITHDRAWN, withdrawal.WITHDRAWN.reason, LATER,
        )  # fmt: skip
        of_annotator = session.exec(
            select(Assignment.status, Assignment.holds_place).where(Assignment.annotator_id == person)
        ).all()
        assert of_annotator == [(AssignmentStatus.WITHDRAWN, False)] * 4 + [(AssignmentStatus.DONE, True)]
        assert (
            withdrawal.withdraw_annotator(session, annotator_id=person, project=project, now=LATER)
            == withdrawal.WithdrawalCounts()
        )
        assert [one.data for one in session.exec(select(Journal).where(Journal.event == "person withdrew"))] == [
            {"answers": 2, "places": 4}
        ]
        with pytest.raises(NotFound):
            withdrawal.withdraw_annotator(
                session, annotator_id=people.joined(session, 3).id or 0, project=project, now=NOW
            )


def test_a_suspension_releases_live_items(people: People, load: Load) -> None:
    """As if its lease were over; answers stay as they are."""
    load("words", n=2)
    with people.db.transaction() as session:
        people.ready(session, "words")
        person = people.joined(session, 1)
        people.assigned(session, person.id or 0, "words-1", answer="кіт")
        people.assigned(session, person.id or 0, "words-2")
        roster.suspend_annotator(session, annotator=person, reason="копіює", now=NOW)
        assert people.places(session) == [("words-1", 0, 1, 1), ("words-2", 1, 0, 0)]
        statuses = session.exec(select(Assignment.status).order_by(col(Assignment.id))).all()
        assert statuses == [AssignmentStatus.DONE, AssignmentStatus.EXPIRED]


def test_of_a_forgotten_annotator_a_counted_tombstone_is_left(people: People, load: Load) -> None:
    """No table holds the annotator's words, id or old pseudonym; the numbers say how much there was."""
    load("words", n=2)
    with people.db.transaction() as session:
        people.ready(session, "words")
        person = people.joined(session, TELEGRAM_ID)
        people.assigned(session, people.joined(session, 2).id or 0, "words-1", answer="кіт")
        before = person.pseudonym
        full_of_traces(people, session, person)
        text = everywhere(session)
        assert text.count(MARKER) >= 18
        assert str(TELEGRAM_ID) in text
        assert before in text
        gone = erasure.erase_annotator(
            session, annotator_id=person.id or 0, pseudonym=pseudonyms.make_random_pseudonym(), now=LATER
        )
        counts = {"projects": 1, "judgements": 2, "messages": 2, "reports": 1, "attestations": 1, "profile": 1}
        assert vars(gone) == counts
        text = everywhere(session)
        assert not [trace for trace in (MARKER, str(TELEGRAM_ID), before, "Europe/Kyiv") if trace in text]
        said = session.exec(select(Journal).where(Journal.event == "person forgotten")).one()
        assert (said.annotator_id, said.data, said.at) == (None, counts, LATER)
        assert [one.excluded_reason for one in session.exec(select(Judgement).order_by(col(Judgement.id)))] == [
            None,
            erasure.ERASED.reason,
            erasure.ERASED.reason,
        ]
        assert (person.forgotten_at, person.insider, person.suspended_at) == (LATER, False, None)
        assert session.exec(select(Payment.hundredths)).one() == 100
        assert session.exec(select(Consent.withdrawn_at)).one() == LATER
        assert people.places(session) == [("words-1", 1, 1, 1), ("words-2", 1, 0, 0)]
        with pytest.raises(Conflict):
            erasure.erase_annotator(session, annotator_id=person.id or 0, pseudonym="x", now=LATER)
        assert people.joined(session, TELEGRAM_ID).id != person.id


def test_what_is_forgotten_counts_for_nothing_downstream(people: People, load: Load) -> None:
    """The frames keep the row as a tombstone, empty and excluded; consensus is made of what is left."""
    load("words", n=1)
    with people.db.transaction() as session:
        project = people.ready(session, "words")
        for number, answer in ((1, "кіт"), (2, "собака")):
            person = people.joined(session, number).id or 0
            participations.get_or_create_participation(
                database.lock_annotator(session, person), project=project, now=NOW
            )
            people.assigned(session, person, "words-1", answer=answer)
        assert len(queries.list_final_answers(session, project_id=project.id or 0)) == 2
        erasure.erase_annotator(session, annotator_id=1, pseudonym="stranger", now=LATER)
        assert [one[3] for one in queries.list_final_answers(session, project_id=project.id or 0)] == ["собака"]
        rows = frames.read_responses(session, project)
        assert rows[["annotator", "response", "excluded_reason"]].to_numpy().tolist()[0] == [
            "stranger", None, erasure.ERASED.reason,
        ]  # fmt: skip


def test_what_is_forgotten_is_not_in_the_file_either(tmp_path: Path) -> None:
    """SQLite is told to overwrite what is freed, however it was built."""
    file = tmp_path / "own.db"
    with database.open_database(f"sqlite:///{file}") as db:
        with db.transaction() as session:
            person = (
                registration.register_telegram_annotator(
                    session, telegram_id=1, language="uk", key=b"k" * 32, now=NOW
                ).id
                or 0
            )
            support_messages.store_message(session, annotator_id=person, text=MARKER * 500, now=NOW)
        with db.transaction() as session:
            assert session.connection().exec_driver_sql("PRAGMA secure_delete").scalar_one() == 1
            erasure.erase_annotator(session, annotator_id=person, pseudonym="stranger", now=LATER)
    assert MARKER.encode() not in file.read_bytes()


def test_random_pseudonyms_have_nothing_in_common_with_keys() -> None:
    """Two are never the same; simulated ones still say so."""
    assert len({pseudonyms.make_random_pseudonym() for _ in range(100)}) == 100
    assert pseudonyms.make_random_pseudonym(simulated=True).startswith(pseudonyms.SIMULATED_PREFIX)


def test_every_table_about_annotators_is_in_the_export(people: People, load: Load) -> None:
    """A row in each table that names an annotator comes back, with answers, texts and names instead of numbers."""
    load("words", n=1)
    with people.db.transaction() as session:
        project, person = people.ready(session, "words"), people.joined(session, TELEGRAM_ID)
        who, pid = person.id or 0, project.id or 0
        full = Invitation(code="code", project_id=pid, created_at=NOW)
        session.add_all([full, TextVersion(sha256="1" * 64, kind=TextKind.CONSENT, text="Я згоден.", since=NOW)])
        session.flush()
        locked = database.lock_annotator(session, who)
        joined = participations.get_or_create_participation(locked, project=project, now=NOW)
        models.PARTICIPATIONS.update(session, joined, invitation_id=full.id)
        made = people.assigned(session, who, "words-1", answer="кіт")
        made.is_control = True
        session.connection().exec_driver_sql("""UPDATE judgement SET flags = '[{"words": "control items right"}]'""")
        broken = {"rule": "control items right", "assignment": made.id}
        journal.record_event(session, Event.QUALITY_FLAGGED, now=NOW, project_id=pid, annotator_id=who, data=broken)
        session.connection().exec_driver_sql(
            "INSERT INTO group_allocation (id, slots, people, seed, created_at)"
            " VALUES (1, '[]', 1, 1, '2026-11-21 12:00:00')"
        )
        session.add_all([
            Cohort(annotator_id=who, name="students"),
            ProfileAnswer(annotator_id=who, field="city", value="Львів", at=NOW),
            Consent(annotator_id=who, scope="project words", version="1", sha256="1" * 64, at=NOW),
            Report(item_id=made.item_id, annotator_id=who, assignment_id=made.id or 0, reason="двозначно", at=NOW),
            SupportMessage(annotator_id=who, text="Чому?", at=NOW),
            Attestation(annotator_id=who, project_id=pid, work_session=1, used="ні", at=NOW),
            Payment(annotator_id=who, project_id=pid, hundredths=100, currency="UAH", at=NOW),
            Exposure(annotator_id=who, group_id="words-1", project_id=pid, cause=ExposureCause.CONTROL, at=NOW),
            QueueCursor(annotator_id=who, project_id=pid, pool=Pool.MAIN, start=1, pos=1),
            AllocatedAnnotator(allocation_id=1, annotator_id=who, bin=0),
            Conversation(annotator_id=who, step="skip", at=NOW),
            ItemMessage(assignment_id=made.id or 0, message_id=12),
            AnswerMessage(annotator_id=who, message_id=13, assignment_id=made.id or 0, question="answer"),
            Inbox(bot_id=1, update_id=1, telegram_id=TELEGRAM_ID, payload={"text": "Привіт"}, received_at=NOW),
            Inbox(bot_id=1, update_id=2, telegram_id=TELEGRAM_ID + 1, payload={"text": "Чуже"}, received_at=NOW),
            Outbox(
                bot_id=1,
                chat_id=TELEGRAM_ID,
                calls=[{"text": "Вітаємо"}],
                content=b"%",
                created_at=NOW,
                due_at=NOW,
            ),
            LabelStudioBatch(project_id=pid, annotator_id=who, server="s", mark="m", created_at=NOW),
            LabelStudioAccount(server="s", user_id=7, annotator_id=who),
            Adjudicator(annotator_id=who, project_id=pid, invitation_id=full.id or 0, since=NOW),
            NoticeWish(annotator_id=who, news=True, due_at=NOW),
            Announcement(id=1, text="Дякуємо", created_at=NOW),
            AnnouncementRecipient(announcement_id=1, annotator_id=who),
            OrganiserNotice(annotator_id=who, key="half 1", notice="alerts 1", at=NOW),
            ExportRequest(project_id=pid, annotator_id=who, requested_at=NOW),
            SubmissionReview(
                assignment_id=made.id or 0, revision=0, number=0, annotator_id=who, decision=ReviewDecision.ACCEPTED,
                at=NOW,
            ),
            Adjudication(
                item_id=made.item_id, item_revision=1, question="answer", number=0, annotator_id=who,
                decision=AdjudicationDecision.BROKEN, labels=[], comment="два правильних", at=NOW,
            ),
        ])  # fmt: skip
        session.flush()
        found: dict[str, Any] = json.loads(json.dumps(own_data.export_annotator(session, annotator_id=who)))
        about = {name for name, table in metadata.tables.items() if "annotator_id" in table.c}
        assert about == {table.__tablename__ for table in own_data.TABLES.values()}
        assert all(found[name] for name in own_data.TABLES)
        assert {name: set(found[name][0]) for name in KEYS} == KEYS
        assert (found["person"]["telegram_id"], found["person"]["created_at"]) == (TELEGRAM_ID, "2026-11-21T12:00:00Z")
        assert found["participations"][0]["invitation"] == "code"
        assert found["consents"][0]["text"] == "Я згоден."
        assert [(one["project"], one["item"], one["answers"][0]["response"]) for one in found["assignments"]] == [
            ("words", "words-1", "кіт")
        ]
        assert [one["payload"]["text"] for one in found["received"]] == ["Привіт"]
        assert [one["calls"][0]["text"] for one in found["to_send"]] == ["Вітаємо"]
        assert found["screens"] == [{"assignment_id": made.id, "message_id": 12, "asks_since": None}]
        assert found["exposures"][0]["cause"] == "answered"
        assert "is_control" not in found["assignments"][0]
        assert "flags" not in found["assignments"][0]["answers"][0]
        assert all("assignment" not in entry["data"] for entry in found["journal"])
        project.status = ProjectStatus.CLOSED
        session.flush()
        found = own_data.export_annotator(session, annotator_id=who)
        assert (found["exposures"][0]["cause"], found["assignments"][0]["is_control"]) == ("control", True)
        assert found["assignments"][0]["answers"][0]["flags"] == ["control items right"]


def test_the_export_holds_nothing_of_other_annotators(people: People, load: Load) -> None:
    """The answer and the pseudonym of another annotator of the same item are not in it."""
    load("words", n=1)
    with people.db.transaction() as session:
        people.ready(session, "words")
        people.assigned(session, people.joined(session, 1).id or 0, "words-1", answer="кіт")
        people.assigned(session, people.joined(session, 2).id or 0, "words-1", answer="собака")
        text = json.dumps(own_data.export_annotator(session, annotator_id=1), ensure_ascii=False)
        assert "кіт" in text
        assert "собака" not in text
        assert session.get_one(Annotator, 2).pseudonym not in text
