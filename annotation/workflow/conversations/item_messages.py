"""Which messages show items, and which of the annotator's messages answer them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store.models import AnswerMessage, Assignment, ItemMessage, Judgement, Outbox, ProgrammeProject


@dataclass(frozen=True, kw_only=True)
class TypedMessage:
    """A text as Telegram numbers and dates it; times are whole seconds."""

    message_id: int
    at: datetime


def find_asked_assignment(session: Session, assignment_ids: Sequence[int], *, typed: TypedMessage) -> int | None:
    """The one of these assignments that was asked about last, if that was on the screen when the text was sent.

    They are given in the order in which the bot asked, which decides where Telegram's times are equal. None where a
    question was on its way.
    """
    rows = session.exec(select(ItemMessage).where(col(ItemMessage.assignment_id).in_(assignment_ids))).all()
    asked = [(row.asks_since, assignment_ids.index(row.assignment_id), row) for row in rows if row.asks_since]
    if len(asked) < len(assignment_ids):
        return None
    since, _, last = max(asked)
    return last.assignment_id if last.message_id < typed.message_id and since <= typed.at else None


def is_shown(session: Session, assignment_id: int) -> bool:
    """Whether the message of an assignment was sent, and no change of it is on its way."""
    row = session.get(ItemMessage, assignment_id)
    return row is not None and row.asks_since is not None


def find_message(session: Session, assignment_id: int) -> int | None:
    """The id of the message that shows an assignment; None where it is not known."""
    row = session.get(ItemMessage, assignment_id)
    return None if row is None else row.message_id


def begin_redraw(session: Session, assignment_id: int) -> None:
    """Note that the message of an assignment is to be changed; until that has happened no text answers it."""
    changed = sa.update(ItemMessage).where(col(ItemMessage.assignment_id) == assignment_id)
    session.connection().execute(changed.values(asks_since=None))


def find_replied_assignment(session: Session, *, annotator_id: int, message_id: int) -> int | None:
    """The assignment of the annotator that a message shows; None for any other message."""
    shows = sa.select(col(ItemMessage.assignment_id)).join(Assignment)
    shows = shows.where(col(Assignment.annotator_id) == annotator_id, col(ItemMessage.message_id) == message_id)
    return session.connection().execute(shows).scalar_one_or_none()


def find_latest_answered(
    session: Session, *, annotator_id: int, project_id: int | None = None
) -> tuple[int, int] | None:
    """The message and the assignment that the annotator answered or skipped last; None without one.

    With a project only those of the project, or of its programme, count.
    """
    shows = sa.select(col(ItemMessage.message_id), col(ItemMessage.assignment_id)).join(Assignment).join(Judgement)
    latest = shows.where(col(Assignment.annotator_id) == annotator_id).order_by(col(Judgement.id).desc()).limit(1)
    if project_id is not None:
        own = sa.select(col(ProgrammeProject.programme_id)).where(col(ProgrammeProject.project_id) == project_id)
        journey = sa.select(col(ProgrammeProject.project_id)).where(col(ProgrammeProject.programme_id).in_(own))
        latest = latest.where((col(Assignment.project_id) == project_id) | col(Assignment.project_id).in_(journey))
    row = session.connection().execute(latest).first()
    return None if row is None else (row.message_id, row.assignment_id)


def is_anything_unsent(session: Session, *, chat_id: int) -> bool:
    """Whether messages to the chat wait to be sent, but for parked ones."""
    waiting = sa.select(col(Outbox.id)).where(col(Outbox.chat_id) == chat_id, col(Outbox.reason).is_(None)).limit(1)
    return session.connection().execute(waiting).first() is not None


def record_answer_messages(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    messages: Mapping[str, Sequence[int]],
    is_revision: bool,
) -> None:
    """Store which messages gave the final answers to an assignment, by question; those of a revision replace others."""
    if is_revision:
        of_assignment = sa.delete(AnswerMessage).where(col(AnswerMessage.assignment_id) == assignment_id)
        session.connection().execute(of_assignment)
    rows = [
        {
            "annotator_id": annotator_id,
            "message_id": message_id,
            "assignment_id": assignment_id,
            "question": question,
        }
        for question, message_ids in messages.items()
        for message_id in message_ids
    ]
    if rows:
        session.connection().execute(sa.insert(AnswerMessage), rows)


def find_edited_answer(session: Session, *, annotator_id: int, message_id: int) -> tuple[int, str] | None:
    """The assignment and the question that a message of the annotator answers; None for any other message."""
    row = session.get(AnswerMessage, (annotator_id, message_id))
    return None if row is None else (row.assignment_id, row.question)


def list_answer_messages(session: Session, *, assignment_id: int) -> dict[str, list[int]]:
    """The ids of the messages that gave the final answers to an assignment, by question."""
    rows = select(AnswerMessage).where(AnswerMessage.assignment_id == assignment_id)
    messages: dict[str, list[int]] = {}
    for row in session.exec(rows.order_by(col(AnswerMessage.message_id))):
        messages.setdefault(row.question, []).append(row.message_id)
    return messages
