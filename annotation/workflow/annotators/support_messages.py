"""Support messages: what annotators write to the organisers, and the organisers' answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import bot_commands
from annotation.errors import BadInput, Conflict, NotFound, Stale, Where
from annotation.store.models import Annotator, Assignment, SupportMessage

MAX_TEXT_LENGTH = 3500
"""In characters: a message and its answer each fit a Telegram message."""
MAX_MESSAGES, MESSAGES_PERIOD = 20, timedelta(hours=24)
"""How many messages of one annotator are taken in any period of this length."""


@dataclass(frozen=True, kw_only=True)
class UndeliveredAnswer:
    """An answer that waits for the bot: the id and text of the annotator's message, and where and how to answer it."""

    message_id: int
    text: str
    answer: str
    telegram_id: int
    language: str | None


def store_message(
    session: Session,
    *,
    annotator_id: int,
    text: str,
    now: datetime,
    project_id: int | None = None,
    assignment_id: int | None = None,
) -> SupportMessage:
    """Store a message to the organisers, with the assignment that it is about where there is one.

    Raises Stale for an assignment that is not this annotator's, BadInput for a text that is empty or too long, Conflict
    after MAX_MESSAGES within MESSAGES_PERIOD.
    """
    if assignment_id is not None:
        assignment = session.get(Assignment, assignment_id)
        if assignment is None or assignment.annotator_id != annotator_id:
            raise Stale("This item is not yours.")
        project_id = assignment.project_id
    message = SupportMessage(
        annotator_id=annotator_id, project_id=project_id, assignment_id=assignment_id, text=_check_text(text), at=now
    )
    if _count_messages(session, annotator_id=annotator_id, since=now - MESSAGES_PERIOD) >= MAX_MESSAGES:
        raise Conflict(f"There are {MAX_MESSAGES} messages of this annotator within a day.", remedy="Write tomorrow.")
    session.add(message)
    session.flush()
    return message


def list_messages(
    session: Session, *, project_id: int | None = None, include_answered: bool = True
) -> Sequence[SupportMessage]:
    """The messages of all projects or of one, oldest first; only unanswered ones where `include_answered` is false.

    Messages of erased annotators are empty and left out.
    """
    messages = select(SupportMessage).order_by(col(SupportMessage.id)).where(col(SupportMessage.text) != "")
    if project_id is not None:
        messages = messages.where(SupportMessage.project_id == project_id)
    return session.exec(
        messages if include_answered else messages.where(col(SupportMessage.answered_at).is_(None))
    ).all()


def answer_message(session: Session, *, message_id: int, text: str, now: datetime) -> SupportMessage:
    """Store the answer to a message; until the bot takes it up, a second answer replaces it.

    Raises NotFound, Conflict where an answer was taken up or the annotator is erased, BadInput for a text that is
    empty, too long, or names a command that the bot does not have.
    """
    message = session.get(SupportMessage, message_id, with_for_update=True)
    if message is None:
        raise NotFound(f"There is no message {message_id}.", remedy="`hromada messages` lists them.")
    if session.get_one(Annotator, message.annotator_id).is_gone:
        raise Conflict("The annotator is forgotten or detached; nobody would read the answer.")
    if message.delivered_at is not None:
        raise Conflict("The answer has been delivered already.", remedy="Answer the annotator's next message.")
    bot_commands.refuse_unknown_commands(text, where=Where(field="text"))
    message.answer, message.answered_at = _check_text(text), now
    session.add(message)
    session.flush()
    return message


def store_reply(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    project_id: int | None,
    text: str,
    at: datetime,
    answer: str,
    now: datetime,
) -> SupportMessage:
    """Store what the organisers reply to something that an annotator wrote at `at`, as `text`, and that asked nothing.

    Raises Conflict where the annotator is erased, BadInput for a reply that is empty, too long, or names a command that
    the bot does not have.
    """
    bot_commands.refuse_unknown_commands(answer, where=Where(field="text"))
    if session.get_one(Annotator, annotator_id).is_gone:
        raise Conflict("The annotator is forgotten or detached; nobody would read the reply.")
    message = SupportMessage(
        annotator_id=annotator_id, project_id=project_id, assignment_id=assignment_id, text=text, at=at,
        answer=_check_text(answer), answered_at=now,
    )  # fmt: skip
    session.add(message)
    session.flush()
    return message


def list_undelivered_answers(session: Session, *, telegram_id: int | None = None) -> Sequence[UndeliveredAnswer]:
    """Answers that the bot has not put into its outbox yet, oldest first; with `telegram_id` only those to this person.

    Those to annotators whom Telegram cannot reach, unless they are this person, or who are erased, are left out.
    """
    of_whom = (
        col(Annotator.unreachable_at).is_(None) if telegram_id is None else col(Annotator.telegram_id) == telegram_id
    )
    undelivered = (
        select(SupportMessage, Annotator)
        .join(Annotator)
        .where(
            col(SupportMessage.answered_at).is_not(None),
            col(SupportMessage.delivered_at).is_(None),
            col(Annotator.telegram_id).is_not(None),
            of_whom,
            col(Annotator.forgotten_at).is_(None),
        )
    )
    rows = session.exec(undelivered.order_by(col(SupportMessage.answered_at), col(SupportMessage.id))).all()
    return [
        UndeliveredAnswer(
            message_id=message.id or 0,
            text=message.text,
            answer=message.answer or "",
            telegram_id=annotator.telegram_id or 0,
            language=annotator.language,
        )
        for message, annotator in rows
    ]


def mark_delivered(session: Session, *, message_id: int, now: datetime) -> None:
    """Record that the bot put the answer into its outbox; a second time changes nothing."""
    message = session.get_one(SupportMessage, message_id)
    if message.delivered_at is None:
        message.delivered_at = now
        session.add(message)
        session.flush()


def mark_undelivered(session: Session, ids: Sequence[int]) -> None:
    """Record that the answers to these messages never left the outbox, so that they are put there again."""
    if ids:
        session.connection().execute(
            sa.update(SupportMessage).where(col(SupportMessage.id).in_(ids)).values(delivered_at=None)
        )


def _count_messages(session: Session, *, annotator_id: int, since: datetime) -> int:
    """How many messages an annotator wrote after a time."""
    messages = sa.select(sa.func.count()).where(
        col(SupportMessage.annotator_id) == annotator_id, col(SupportMessage.at) > since
    )
    return session.connection().execute(messages).scalar_one()


def _check_text(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise BadInput("The text is empty.", where=Where(field="text"), remedy="Write at least one word.")
    if len(stripped) > MAX_TEXT_LENGTH:
        raise BadInput(
            "The text is too long.", where=Where(field="text"), remedy=f"Use at most {MAX_TEXT_LENGTH} characters."
        )
    return stripped
