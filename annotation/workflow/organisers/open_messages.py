"""What annotators wrote and nobody has answered: questions, and reports of problems, the oldest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from sqlmodel import Session, col, func, select

from annotation.errors import Stale
from annotation.store.models import Annotator, Assignment, Item, Project, Report, SupportMessage
from annotation.vocabulary import ItemStatus


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
    found = _get_question(session, message_id) if kind is MessageKind.QUESTION else _get_report(session, message_id)
    if found is None:
        raise Stale("This message does not wait.")
    return found


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
