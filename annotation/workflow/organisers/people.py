"""The people of a project as organisers see them in the chat: how much they answered, when, and what they have in hand.

Nothing here tells how well anybody answers: a baseline is blind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from statistics import median

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Stale
from annotation.store import judgements
from annotation.store.models import (
    Annotator,
    Assignment,
    ExportRequest,
    Item,
    Judgement,
    Participation,
    Project,
    Report,
    SupportMessage,
)
from annotation.vocabulary import AssignmentStatus, ItemStatus, ParticipationStatus, Surface

MOST_ATTEMPTS = 3
"""How many processes may begin an export, of which each before the last one died over it."""


@dataclass(frozen=True, kw_only=True)
class ClaimedExport:
    """An export to be made: of which project, for which chat and in which language.

    `is_given_up` says that it was begun too often.
    """

    request_id: int
    project: str
    telegram_id: int
    language: str | None
    is_given_up: bool


def add_request(session: Session, *, project_id: int, annotator_id: int, now: datetime) -> bool:
    """Store a request; False where the same organiser waits for the same export already."""
    same = (ExportRequest.project_id == project_id, ExportRequest.annotator_id == annotator_id)
    if session.exec(select(ExportRequest.id).where(*same)).first() is not None:
        return False
    session.add(ExportRequest(project_id=project_id, annotator_id=annotator_id, requested_at=now))
    session.flush()
    return True


def has_requests(session: Session) -> bool:
    """Whether an export is to be made."""
    return session.exec(select(ExportRequest.id).limit(1)).first() is not None


def claim_request(session: Session) -> ClaimedExport | None:
    """The oldest export that is to be made, counted as begun once more; None where there is none."""
    request = session.exec(select(ExportRequest).order_by(col(ExportRequest.id)).limit(1).with_for_update()).first()
    if request is None:
        return None
    request.attempts += 1
    session.add(request)
    session.flush()
    annotator = session.get_one(Annotator, request.annotator_id)
    return ClaimedExport(
        request_id=request.id or 0,
        project=session.get_one(Project, request.project_id).name,
        telegram_id=annotator.telegram_id or 0,
        language=annotator.language,
        is_given_up=request.attempts > MOST_ATTEMPTS,
    )


def end_request(session: Session, *, request_id: int) -> bool:
    """Delete a request whose files are stored to be sent; False where it is gone, as after an erasure."""
    request = session.get(ExportRequest, request_id, with_for_update=True)
    if request is None:
        return False
    session.delete(request)
    session.flush()
    return True


class MessageKind(IntEnum):
    """What an annotator wrote, as buttons carry it."""

    QUESTION = 0
    REPORT = 1


@dataclass(frozen=True, kw_only=True)
class OpenMessage:
    """A question (`id` is that of the support message) or a report: who wrote it, about which item, and when.

    `reason` is the chosen kind of a reported problem, "" for questions; `text` is what they wrote. `project_id` and
    `item` are None for a question that is about none. `is_answered`: the reporter got a reply already. `is_paused`: the
    item is not handed out.
    """

    kind: MessageKind
    id: int
    annotator_id: int
    pseudonym: str
    language: str | None
    project_id: int | None
    project: str | None
    item: str | None
    stimulus: str
    reason: str
    text: str
    at: datetime
    is_answered: bool = False
    is_paused: bool = False


def count_open_messages(session: Session, *, project_id: int | None = None) -> int:
    """How many questions and reports wait, in all projects or in one."""
    return sum(len(_list_keys(session, kind, project_id)) for kind in MessageKind)


def find_next_message(
    session: Session, *, project_id: int | None = None, after: tuple[datetime, int, int] | None = None
) -> OpenMessage | None:
    """The oldest message that waits; with the place of another one (`get_place`) the next after that, in a circle."""
    keys = sorted(key for kind in MessageKind for key in _list_keys(session, kind, project_id))
    if not keys:
        return None
    _, kind, number = next((key for key in keys if after is None or key > after), keys[0])
    return get_open_message(session, kind=MessageKind(kind), message_id=number)


def get_place(message: OpenMessage) -> tuple[datetime, int, int]:
    """The place of a message among all that wait."""
    return message.at, int(message.kind), message.id


def get_open_message(session: Session, *, kind: MessageKind, message_id: int) -> OpenMessage:
    """A message that waits; raises Stale where it does not any more, or its writer is forgotten."""
    message = _get_question(session, message_id) if kind is MessageKind.QUESTION else _get_report(session, message_id)
    if message is None:
        raise Stale("This message does not wait.")
    return message


def _list_keys(session: Session, kind: MessageKind, project_id: int | None) -> list[tuple[datetime, int, int]]:
    if kind is MessageKind.QUESTION:
        questions = select(SupportMessage.at, SupportMessage.id).where(
            SupportMessage.text != "", col(SupportMessage.answered_at).is_(None)
        )
        if project_id is not None:
            questions = questions.where(SupportMessage.project_id == project_id)
        return [(at, int(kind), number or 0) for at, number in session.exec(questions)]
    reports = select(Report.at, Report.id).where(col(Report.resolved_at).is_(None))
    if project_id is not None:
        reports = reports.join(Item, col(Item.id) == col(Report.item_id)).where(Item.project_id == project_id)
    return [(at, int(kind), number or 0) for at, number in session.exec(reports)]


def _get_question(session: Session, message_id: int) -> OpenMessage | None:
    question = session.get(SupportMessage, message_id)
    if question is None or question.answered_at is not None or not question.text:
        return None
    annotator = session.get_one(Annotator, question.annotator_id)
    item = None
    if question.assignment_id is not None:
        item = session.get_one(Item, session.get_one(Assignment, question.assignment_id).item_id)
    project = None if question.project_id is None else session.get_one(Project, question.project_id)
    return OpenMessage(
        kind=MessageKind.QUESTION,
        id=message_id,
        annotator_id=question.annotator_id,
        pseudonym=annotator.pseudonym,
        language=annotator.language,
        project_id=question.project_id,
        project=None if project is None else project.title,
        item=None if item is None else item.external_id,
        stimulus="" if item is None else item.stimulus,
        reason="",
        text=question.text,
        at=question.at,
    )


def _get_report(session: Session, report_id: int) -> OpenMessage | None:
    report = session.get(Report, report_id)
    if report is None or report.resolved_at is not None:
        return None
    annotator, item = session.get_one(Annotator, report.annotator_id), session.get_one(Item, report.item_id)
    replies = select(func.count()).where(
        SupportMessage.assignment_id == report.assignment_id,
        SupportMessage.at == report.at,
        col(SupportMessage.answered_at).is_not(None),
    )
    return OpenMessage(
        kind=MessageKind.REPORT,
        id=report_id,
        annotator_id=report.annotator_id,
        pseudonym=annotator.pseudonym,
        language=annotator.language,
        project_id=item.project_id,
        project=session.get_one(Project, item.project_id).title,
        item=item.external_id,
        stimulus=item.stimulus,
        reason=report.reason,
        text=report.text,
        at=report.at,
        is_answered=session.exec(replies).one() > 0,
        is_paused=item.status is ItemStatus.PAUSED,
    )


PAGE = 8
"""How many people stand on one card."""
MOST_TIMED = 500
"""From how many of the last answers the median time is taken."""


@dataclass(frozen=True, kw_only=True)
class ListedAnnotator:
    """A line of the list: the annotator, how many items they finished in the project, and when they were last there."""

    annotator_id: int
    pseudonym: str
    finished: int
    last_at: datetime | None
    status: ParticipationStatus
    is_suspended: bool


@dataclass(frozen=True, kw_only=True)
class AnnotatorDetails:
    """An annotator in a project: also the items skipped, the median seconds of an answer, and the items in hand.

    `in_hand` are external ids of items in Telegram, `in_batch` is how many wait in Label Studio. `suspended_reason` is
    set while they are suspended.
    """

    listed: ListedAnnotator
    skipped: int
    median_seconds: float | None
    in_hand: tuple[str, ...]
    in_batch: int
    suspended_reason: str | None
    is_gone: bool


def list_people(
    session: Session, *, project_id: int, page: int, now: datetime
) -> tuple[Sequence[ListedAnnotator], int]:
    """A page of the project's people, from 0, and how many people there are.

    First come those who need an organiser, as a rule paused them or they are late, then those who were there last.
    """
    late = sa.exists().where(
        col(Assignment.project_id) == project_id,
        col(Assignment.annotator_id) == col(Annotator.id),
        col(Assignment.surface) == Surface.LABEL_STUDIO,
        col(Assignment.status) == AssignmentStatus.LIVE,
        col(Assignment.lease_until) < now,
    )
    in_need = sa.or_(col(Participation.status) == ParticipationStatus.PAUSED, late)
    total = session.exec(select(func.count()).where(Participation.project_id == project_id)).one()
    rows = session.execute(
        _select_people(project_id)
        .order_by(sa.case((in_need, 0), else_=1), col(Participation.last_at).desc().nulls_last(), col(Annotator.id))
        .offset(page * PAGE)
        .limit(PAGE)
    )
    return [_describe_row(row) for row in rows], total


def takes_part(session: Session, *, annotator_id: int) -> bool:
    """Whether an annotator has begun with any project."""
    begun = select(Participation.project_id).where(Participation.annotator_id == annotator_id)
    return session.exec(begun.limit(1)).first() is not None


def get_person(session: Session, *, project_id: int, annotator_id: int) -> AnnotatorDetails:
    """One annotator of the project; raises Stale where they do not take part in it."""
    row = session.execute(_select_people(project_id).where(col(Annotator.id) == annotator_id)).one_or_none()
    if row is None:
        raise Stale("There is nobody like that.")
    of_person = (col(Assignment.project_id) == project_id, col(Assignment.annotator_id) == annotator_id)
    answers = (
        sa.select(judgements.build_known_seconds(), col(Judgement.skip_reason))
        .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
        .where(*of_person, col(Judgement.revision) == 0)
    )
    given = session.execute(answers.order_by(col(Judgement.id).desc()).limit(MOST_TIMED)).all()
    times = [seconds for seconds, skip_reason in given if seconds is not None and skip_reason is None]
    live = (*of_person, Assignment.status == AssignmentStatus.LIVE)
    in_hand = select(Item.external_id).join(Assignment, col(Assignment.item_id) == col(Item.id))
    in_hand = in_hand.where(*live, Assignment.surface != Surface.LABEL_STUDIO)
    in_batch = select(func.count()).select_from(Assignment).where(*live, Assignment.surface == Surface.LABEL_STUDIO)
    skipped = answers.where(col(Judgement.skip_reason).is_not(None)).subquery()
    annotator = session.get_one(Annotator, annotator_id)
    return AnnotatorDetails(
        listed=_describe_row(row),
        skipped=session.exec(select(func.count()).select_from(skipped)).one(),
        median_seconds=median(times) if len(times) > 1 else None,
        in_hand=tuple(session.exec(in_hand.order_by(col(Item.external_id))).all()),
        in_batch=session.exec(in_batch).one(),
        suspended_reason=annotator.suspended_reason,
        is_gone=annotator.is_gone,
    )


def _select_people(project_id: int) -> sa.Select[tuple[object, ...]]:
    finished = (
        sa.select(sa.func.count())
        .where(
            col(Assignment.project_id) == project_id,
            col(Assignment.annotator_id) == col(Annotator.id),
            col(Assignment.status) == AssignmentStatus.DONE,
        )
        .scalar_subquery()
    )
    return (
        sa.select(
            col(Annotator.id),
            col(Annotator.pseudonym),
            finished.label("finished"),
            col(Participation.last_at),
            col(Participation.status),
            col(Annotator.suspended_at),
        )
        .select_from(Annotator)
        .join(Participation, col(Participation.annotator_id) == col(Annotator.id))
        .where(col(Participation.project_id) == project_id)
    )


def _describe_row(row: sa.Row[tuple[object, ...]]) -> ListedAnnotator:
    return ListedAnnotator(
        annotator_id=row.id,
        pseudonym=row.pseudonym,
        finished=row.finished,
        last_at=row.last_at,
        status=ParticipationStatus(row.status),
        is_suspended=row.suspended_at is not None,
    )
