"""What was on an annotator's screen when they sent a text: which item, if any, the text can answer.

Where it is not certain that the question was on the screen, the text answers nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store.models import AnswerMessage, Assignment, ItemMessage, Outbox


@dataclass(frozen=True, kw_only=True)
class TypedMessage:
    """A text as Telegram numbers and dates it; times are whole seconds."""

    message_id: int
    at: datetime


def find_asked_assignment(session: Session, assignment_ids: Collection[int], *, typed: TypedMessage) -> int | None:
    """The one of these assignments that was asked about last, if that was on the screen when the text was sent.

    None where a question was on its way, or two of them were asked within the same second.
    """
    rows = session.exec(select(ItemMessage).where(col(ItemMessage.assignment_id).in_(assignment_ids))).all()
    asked = sorted((row.asks_since, row.assignment_id, row.message_id) for row in rows if row.asks_since is not None)
    if len(asked) < len(assignment_ids) or (len(asked) > 1 and asked[-1][0] == asked[-2][0]):
        return None
    since, assignment_id, message_id = asked[-1]
    return assignment_id if message_id < typed.message_id and since <= typed.at else None


def is_shown(session: Session, assignment_id: int) -> bool:
    """Whether the message of an assignment was sent, and no change of it is on its way."""
    row = session.get(ItemMessage, assignment_id)
    return row is not None and row.asks_since is not None


def begin_redraw(session: Session, assignment_id: int) -> None:
    """Note that the message of an assignment is to be changed; until that has happened no text answers it."""
    changed = sa.update(ItemMessage).where(col(ItemMessage.assignment_id) == assignment_id)
    session.connection().execute(changed.values(asks_since=None))


def find_replied_assignment(session: Session, *, annotator_id: int, message_id: int) -> int | None:
    """The assignment of the annotator that a message shows; None for any other message."""
    shows = sa.select(col(ItemMessage.assignment_id)).join(Assignment)
    shows = shows.where(col(Assignment.annotator_id) == annotator_id, col(ItemMessage.message_id) == message_id)
    return session.connection().execute(shows).scalar_one_or_none()


def is_anything_unsent(session: Session, *, chat_id: int) -> bool:
    """Whether messages to the chat wait to be sent, but for parked ones."""
    waiting = sa.select(col(Outbox.id)).where(col(Outbox.chat_id) == chat_id, col(Outbox.reason).is_(None)).limit(1)
    return session.connection().execute(waiting).first() is not None


def record_answer_messages(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    messages: Mapping[str, Collection[int]],
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
