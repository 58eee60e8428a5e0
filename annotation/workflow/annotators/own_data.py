"""What is stored about an annotator, as a summary and as files."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, func, select

from aggregation.findings import read_plain
from annotation.campaigns.sections.annotators import ProfileField
from annotation.store import models, pseudonyms
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus, Event, ExposureCause, ProjectStatus, TextKind
from annotation.workflow import definitions


@dataclass(frozen=True, kw_only=True)
class ProjectSummary:
    """A project that the annotator joined: since when, and how many items they answered and skipped."""

    title: str
    joined_at: datetime
    answered: int
    skipped: int


@dataclass(frozen=True, kw_only=True)
class ProfileSummary:
    """A profile field that the annotator answered, in a project that asks for it; the value is empty for "not told"."""

    project_id: int
    field: ProfileField
    value: str


@dataclass(frozen=True, kw_only=True)
class DataSummary:
    """What is stored about an annotator; consents oldest first. `n_questions` counts their questions to organisers.

    `reminders` and `news` say what they want the bot to write to them first.
    """

    projects: tuple[ProjectSummary, ...]
    profile: tuple[ProfileSummary, ...]
    consents: tuple[models.Consent, ...]
    n_questions: int
    reminders: bool
    news: bool


def summarise_data(session: Session, *, annotator_id: int) -> DataSummary:
    """Summarise what is stored about an annotator."""
    joined = (
        select(models.Participation, models.Project)
        .join(models.Project)
        .where(models.Participation.annotator_id == annotator_id)
    )
    rows = session.exec(joined.order_by(col(models.Project.id))).all()
    counts = _count_assignments(session, annotator_id)
    consents = (
        select(models.Consent).where(models.Consent.annotator_id == annotator_id).order_by(col(models.Consent.id))
    )
    wish = session.get(models.NoticeWish, annotator_id)
    questions = (
        select(func.count())
        .select_from(models.SupportMessage)
        .where(models.SupportMessage.annotator_id == annotator_id)
    )
    return DataSummary(
        projects=tuple(
            ProjectSummary(
                title=project.title,
                joined_at=participation.joined_at,
                answered=counts.get((project.id or 0, False), 0),
                skipped=counts.get((project.id or 0, True), 0),
            )
            for participation, project in rows
        ),
        profile=_list_profile(session, annotator_id, [project for _, project in rows]),
        consents=tuple(session.exec(consents)),
        n_questions=session.exec(questions).one(),
        reminders=wish is not None and wish.reminders,
        news=wish is not None and wish.news,
    )


def count_answers(session: Session, *, annotator_id: int) -> int:
    """How many items the annotator has answered, in all projects."""
    done = select(func.count()).select_from(models.Assignment).where(models.Assignment.annotator_id == annotator_id)
    is_counted = models.Assignment.status == AssignmentStatus.DONE, models.Assignment.occasion != SECOND_PASS_OCCASION
    return session.exec(done.where(*is_counted)).one()


def _count_assignments(session: Session, annotator_id: int) -> dict[tuple[int, bool], int]:
    """The items that the annotator has finished, by project and whether they were skipped.

    A skip whose place did not return to the queue, as one in training, is a finished assignment without an answer.
    """
    assignment, judgement = models.Assignment, models.Judgement
    reasons = sa.select(col(judgement.skip_reason)).where(col(judgement.assignment_id) == col(assignment.id))
    last_reason = reasons.order_by(col(judgement.revision).desc()).limit(1).correlate(assignment).scalar_subquery()
    is_skipped = sa.or_(col(assignment.status) == AssignmentStatus.SKIPPED, last_reason.is_not(None))
    finished = sa.select(col(assignment.project_id), is_skipped.label("skipped"), func.count().label("n")).where(
        col(assignment.annotator_id) == annotator_id,
        col(assignment.status).in_([AssignmentStatus.DONE, AssignmentStatus.SKIPPED]),
    )
    rows = session.connection().execute(finished.group_by(col(assignment.project_id), sa.text("skipped")))
    return {(row.project_id, bool(row.skipped)): row.n for row in rows}


def _list_profile(session: Session, annotator_id: int, projects: list[models.Project]) -> tuple[ProfileSummary, ...]:
    """The answered fields, each as the latest of the projects asks for it."""
    answers = definitions.get_profile_answers(session, annotator_id=annotator_id)
    by_name: dict[str, ProfileSummary] = {}
    for project in projects:
        definition = definitions.get_project_definition(project)
        for field in definitions.get_terms(session, project=project, definition=definition).fields:
            if field.name in answers:
                by_name[field.name] = ProfileSummary(project_id=project.id or 0, field=field, value=answers[field.name])
    return tuple(by_name.values())


FINDING_KEYS = ("reason", "rule")
"""Keys of journal entries whose value is a finding, or words of a person."""

TABLES: dict[str, type[SQLModel]] = {
    "participations": models.Participation,
    "cohorts": models.Cohort,
    "profile": models.ProfileAnswer,
    "consents": models.Consent,
    "assignments": models.Assignment,
    "reports": models.Report,
    "messages": models.SupportMessage,
    "attestations": models.Attestation,
    "payments": models.Payment,
    "exposures": models.Exposure,
    "walks": models.QueueCursor,
    "allotments": models.AllocatedAnnotator,
    "talk": models.Conversation,
    "notice wishes": models.NoticeWish,
    "announcements": models.AnnouncementRecipient,
    "told as an organiser": models.OrganiserNotice,
    "exports asked for": models.ExportRequest,
    "answer messages": models.AnswerMessage,
    "desks": models.LabelStudioBatch,
    "desk accounts": models.LabelStudioAccount,
    "reviews": models.SubmissionReview,
    "adjudications": models.Adjudication,
    "adjudicator": models.Adjudicator,
    "journal": models.Journal,
}
"""Every table with a column `annotator_id`, by its key in the export."""

EXPORT_KEYS = {
    "work_session": "sitting",
    "work_session_since": "sitting_since",
    "missed_controls": "uncontrolled",
    "allocation_id": "allotment_id",
}
"""Columns whose key in the export differs from their name in the database."""


def export_annotator(session: Session, *, annotator_id: int) -> dict[str, Any]:
    """All rows about the annotator, as JSON: times in ISO 8601, projects and items by name, answers under assignments.

    Which items are control items is left out until the project is closed.
    """
    projects = dict(session.exec(select(models.Project.id, models.Project.name)).all())
    closed = set(session.exec(select(models.Project.id).where(models.Project.status == ProjectStatus.CLOSED)))
    annotator = session.get_one(models.Annotator, annotator_id)
    export: dict[str, Any] = {"person": annotator.model_dump(mode="json")}
    for name, table in TABLES.items():
        key = table.__table__.c  # type: ignore[attr-defined]
        of_annotator = select(table).where(key.annotator_id == annotator_id).order_by(*table.__table__.primary_key)  # type: ignore[attr-defined]
        if table is models.Journal:  # what was done stands there by itself; which organiser did it, and how, is theirs
            of_annotator = of_annotator.where(key.event != Event.ORGANISER_ACTED)
        rows = [record.model_dump(mode="json", exclude={"annotator_id"}) for record in session.exec(of_annotator)]
        for row in rows:
            if table is models.Journal:
                finding = {key: value for key, value in row["data"].items() if key in FINDING_KEYS}
                row["data"] |= {key: read_plain(value) for key, value in finding.items() if isinstance(value, dict)}
            _remove_control_marks(name, row, closed=row.get("project_id") in closed)
            if "project_id" in row:
                row["project"] = projects.get(row.pop("project_id"))
        export[name] = [{EXPORT_KEYS.get(column, column): value for column, value in row.items()} for row in rows]
    _name_items(session, [*export["assignments"], *export["reports"], *export["adjudications"]])
    _add_answers(session, annotator_id, export["assignments"])
    _remove_control_flags(export, _list_open_controls(session, annotator_id=annotator_id, closed=closed))
    _add_texts(session, export["consents"])
    _add_codes(session, [*export["participations"], *export["adjudicator"]])
    given = select(models.Invitation).where(models.Invitation.invited_by == annotator_id)
    rows = [
        row.model_dump(mode="json", include={"code", "max_uses", "used", "created_at"}) for row in session.exec(given)
    ]
    export["invitations"] = rows
    mark = pseudonyms.find_mark(session, annotator.pseudonym)
    export["erased"] = None if mark is None else mark.model_dump(mode="json")
    export["screens"] = _export_item_messages(session, annotator_id)
    return export | _export_pending(session, annotator.telegram_id)


def _export_item_messages(session: Session, annotator_id: int) -> list[dict[str, Any]]:
    """The Telegram messages that show the annotator's items."""
    of_annotator = (
        select(models.ItemMessage).join(models.Assignment).where(models.Assignment.annotator_id == annotator_id)
    )
    return [
        row.model_dump(mode="json")
        for row in session.exec(of_annotator.order_by(col(models.ItemMessage.assignment_id)))
    ]


def _export_pending(session: Session, telegram_id: int | None) -> dict[str, Any]:
    """Updates from the annotator that are not handled yet, or parked, and messages that are not sent to them yet."""
    received = select(models.Inbox).where(col(models.Inbox.telegram_id) == telegram_id)
    to_send = select(models.Outbox).where(col(models.Outbox.chat_id) == telegram_id)
    return {
        "received": [
            row.model_dump(mode="json") for row in session.exec(received.order_by(col(models.Inbox.update_id)))
        ],
        "to_send": [
            row.model_dump(mode="json", exclude={"content"})
            for row in session.exec(to_send.order_by(col(models.Outbox.id)))
        ],
    }


def _remove_control_marks(table: str, row: dict[str, Any], *, closed: bool) -> None:
    if table == "assignments":
        row.pop("holds_place")
        if not closed:
            row.pop("is_control")
    if table == "exposures" and not closed and row["cause"] == ExposureCause.CONTROL.value:
        row["cause"] = ExposureCause.ANSWERED.value


def _list_open_controls(session: Session, *, annotator_id: int, closed: set[int | None]) -> set[int | None]:
    of_annotator = select(models.Assignment.id, models.Assignment.project_id).where(
        models.Assignment.annotator_id == annotator_id
    )
    return {
        assignment_id
        for assignment_id, project_id in session.exec(of_annotator.where(models.Assignment.is_control))
        if project_id not in closed
    }


def _remove_control_flags(export: dict[str, Any], controls: set[int | None]) -> None:
    """Remove quality flags and journal entries that would tell which assignments are control items."""
    for row in export["assignments"]:
        for answer in row["answers"] if row["id"] in controls else ():
            answer.pop("flags")
    for row in export["journal"]:
        if row["data"].get("assignment") in controls:
            row["data"].pop("assignment")


def _name_items(session: Session, rows: list[dict[str, Any]]) -> None:
    ids = {row["item_id"] for row in rows}
    names = dict(
        session.exec(select(models.Item.id, models.Item.external_id).where(col(models.Item.id).in_(ids))).all()
    )
    for row in rows:
        row["item"] = names[row.pop("item_id")]


def _add_answers(session: Session, annotator_id: int, assignments: list[dict[str, Any]]) -> None:
    of_annotator = (
        select(models.Judgement).join(models.Assignment).where(models.Assignment.annotator_id == annotator_id)
    )
    answers: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for judgement in session.exec(
        of_annotator.order_by(col(models.Judgement.assignment_id), col(models.Judgement.revision))
    ):
        answers[judgement.assignment_id].append(judgement.model_dump(mode="json", exclude={"id", "assignment_id"}))
    for row in assignments:
        row["answers"] = answers[row["id"]]


def _add_texts(session: Session, consents: list[dict[str, Any]]) -> None:
    for row in consents:
        version = session.get(models.TextVersion, (row["sha256"], TextKind.CONSENT))
        row["text"] = None if version is None else version.text


def _add_codes(session: Session, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        invitation_id = row.pop("invitation_id")
        invitation = None if invitation_id is None else session.get(models.Invitation, invitation_id)
        row["invitation"] = None if invitation is None else invitation.code
