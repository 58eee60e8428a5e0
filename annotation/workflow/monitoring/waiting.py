"""What waits for somebody: questions, reports and disputes of a project, and what the bot could not handle or send."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import adjudications, parked
from annotation.store.models import (
    AdjudicationCase,
    Annotator,
    Assignment,
    Inbox,
    Item,
    Outbox,
    Participation,
    Project,
    SupportMessage,
)
from annotation.store.models.column_types import UtcDateTime
from annotation.store.parked import ParkedCounts
from annotation.vocabulary import ParticipationStatus
from annotation.workflow.annotators import support_messages
from annotation.workflow.review import problem_reports
from annotation.workflow.review.problem_reports import OpenReport

BACKLOG = timedelta(minutes=2)
"""What waits for the bot for longer is a backlog."""
RECENT = timedelta(days=7)
"""For so long an exclusion counts as one of late."""


@dataclass(frozen=True, kw_only=True)
class WaitingDeliveries:
    """What waits for the bot: updates that are not handled, messages that are due and not sent, what is parked.

    The times are those since which the oldest of them has waited, None where nothing waits.
    """

    updates: int
    oldest_update: datetime | None
    messages: int
    oldest_message: datetime | None
    parked: ParkedCounts

    def has_backlog(self, *, now: datetime) -> bool:
        """Whether anything has waited for longer than BACKLOG."""
        return any(at is not None and now - at > BACKLOG for at in (self.oldest_update, self.oldest_message))


@dataclass(frozen=True, kw_only=True)
class OpenQuestion:
    """A question to the organisers that nobody answered: its number, who asked, about which item, what, and when."""

    number: int
    annotator: str
    item: str | None
    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """An item whose case waits for an adjudicator: its question, and why it is a case (values of `CaseReason`)."""

    item: str
    question: str
    reasons: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, kw_only=True)
class StoppedAnnotator:
    """An annotator who was paused, or excluded of late, since when and why; `status` says which."""

    annotator: str
    status: str
    reason: str
    since: datetime


@dataclass(frozen=True, kw_only=True)
class WaitingDecisions:
    """What of a project waits for its organisers, the oldest first."""

    questions: tuple[OpenQuestion, ...]
    reports: tuple[OpenReport, ...]
    disputes: tuple[Dispute, ...]
    stopped: tuple[StoppedAnnotator, ...]


def count_waiting_deliveries(session: Session, *, now: datetime) -> WaitingDeliveries:
    """Count what waits for the bot at a time of the database's clock."""
    execute = session.connection().execute
    updates, oldest_update = execute(
        sa.select(sa.func.count(), sa.func.min(col(Inbox.received_at), type_=UtcDateTime())).where(
            col(Inbox.done_at).is_(None)
        )
    ).one()
    messages, oldest_message = execute(
        sa.select(sa.func.count(), sa.func.min(col(Outbox.created_at), type_=UtcDateTime())).where(
            col(Outbox.reason).is_(None), col(Outbox.paced).is_(False), col(Outbox.due_at) <= now
        )
    ).one()
    return WaitingDeliveries(
        updates=updates,
        oldest_update=oldest_update,
        messages=messages,
        oldest_message=oldest_message,
        parked=parked.count_parked(session),
    )


def list_waiting_decisions(session: Session, project: Project, *, now: datetime) -> WaitingDecisions:
    """List what of a project waits for its organisers."""
    return WaitingDecisions(
        questions=tuple(_list_questions(session, project)),
        reports=tuple(problem_reports.list_open_reports(session, project_id=project.id)),
        disputes=tuple(_list_disputes(session, project)),
        stopped=tuple(_list_stopped(session, project, now=now)),
    )


def _list_questions(session: Session, project: Project) -> list[OpenQuestion]:
    asked: list[SupportMessage] = [
        *support_messages.list_messages(session, project_id=project.id, include_answered=False)
    ]
    names = dict(
        session.exec(
            select(Annotator.id, Annotator.pseudonym).where(col(Annotator.id).in_({one.annotator_id for one in asked}))
        ).all()
    )
    items = dict(
        session.exec(
            select(Assignment.id, Item.external_id)
            .join(Item, col(Item.id) == col(Assignment.item_id))
            .where(col(Assignment.id).in_({one.assignment_id for one in asked}))
        ).all()
    )
    return [
        OpenQuestion(
            number=one.id or 0,
            annotator=names[one.annotator_id],
            item=items.get(one.assignment_id),
            text=one.text,
            at=one.at,
        )
        for one in asked
    ]


def _list_disputes(session: Session, project: Project) -> list[Dispute]:
    decided = adjudications.build_decided_condition(col(AdjudicationCase.item_id), col(AdjudicationCase.question))
    cases = (
        select(AdjudicationCase, Item.external_id)
        .join(Item, col(Item.id) == col(AdjudicationCase.item_id))
        .where(Item.project_id == project.id, sa.not_(decided))
        .order_by(col(AdjudicationCase.created_at), col(Item.external_id))
    )
    return [
        Dispute(item=item, question=case.question, reasons=tuple(case.reasons), at=case.created_at)
        for case, item in session.exec(cases).all()
    ]


def _list_stopped(session: Session, project: Project, *, now: datetime) -> list[StoppedAnnotator]:
    is_recent = col(Participation.since) >= now - RECENT
    stopped = (
        select(Annotator.pseudonym, Participation.status, Participation.reason, Participation.since)
        .join(Participation, col(Participation.annotator_id) == col(Annotator.id))
        .where(
            Participation.project_id == project.id,
            sa.or_(
                col(Participation.status) == ParticipationStatus.PAUSED,
                sa.and_(col(Participation.status) == ParticipationStatus.EXCLUDED, is_recent),
            ),
        )
        .order_by(col(Participation.since), col(Annotator.pseudonym))
    )
    return [
        StoppedAnnotator(annotator=name, status=str(status), reason=reason or "", since=since)
        for name, status, reason, since in session.exec(stopped)
    ]
