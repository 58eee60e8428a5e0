"""Messages: what people ask the organisers, and what these answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import BadInput, Conflict, NotFound, Stale, Where
from annotation.store.models import Annotator, Assignment, Message

LONGEST = 3500
"""In characters, so that question and answer fit a Telegram message each."""


def ask(
    session: Session,
    *,
    annotator_id: int,
    text: str,
    now: datetime,
    project_id: int | None = None,
    assignment_id: int | None = None,
) -> Message:
    """Keep a question, with the item that it is about where there is one.

    Raises Stale for an item in other hands, BadInput for an empty or too long text.
    """
    if assignment_id is not None:
        about = session.get(Assignment, assignment_id)
        if about is None or about.annotator_id != annotator_id:
            raise Stale("This item is not yours.")
        project_id = about.project_id
    made = Message(
        annotator_id=annotator_id, project_id=project_id, assignment_id=assignment_id, text=_checked(text), at=now
    )
    session.add(made)
    session.flush()
    return made


def listed(session: Session, *, project_id: int | None = None, answered: bool = True) -> Sequence[Message]:
    """All messages, or those of a project, oldest first; without `answered` only those that wait for an answer."""
    chosen = select(Message).order_by(col(Message.id)).where(col(Message.text) != "")
    if project_id is not None:
        chosen = chosen.where(Message.project_id == project_id)
    return session.exec(chosen if answered else chosen.where(col(Message.answered_at).is_(None))).all()


def answer(session: Session, *, message_id: int, text: str, now: datetime) -> Message:
    """Answer a message; until it is delivered, a second answer takes the first's place.

    Raises NotFound, Conflict where the person has had an answer or is forgotten, BadInput for an empty text.
    """
    found = session.get(Message, message_id, with_for_update=True)
    if found is None:
        raise NotFound(f"There is no message {message_id}.", remedy="`hromada messages` lists them.")
    if session.get_one(Annotator, found.annotator_id).forgotten_at is not None:
        raise Conflict("Whoever asked is forgotten; nobody would read the answer.")
    if found.delivered_at is not None:
        raise Conflict("The answer has been delivered already.", remedy="Answer the person's next message.")
    found.answer, found.answered_at = _checked(text), now
    session.add(found)
    session.flush()
    return found


def to_deliver(session: Session) -> Sequence[Message]:
    """Answers that their people have not had yet, oldest first."""
    chosen = (
        select(Message)
        .join(Annotator)
        .where(
            col(Message.answered_at).is_not(None),
            col(Message.delivered_at).is_(None),
            col(Annotator.forgotten_at).is_(None),
        )
    )
    return session.exec(chosen.order_by(col(Message.answered_at), col(Message.id))).all()


def delivered(session: Session, *, message_id: int, now: datetime) -> None:
    """Note that the person has the answer; a second time changes nothing."""
    found = session.get_one(Message, message_id)
    if found.delivered_at is None:
        found.delivered_at = now
        session.add(found)
        session.flush()


def lost(session: Session, ids: Sequence[int]) -> None:
    """The answers to these did not arrive: they are to be delivered still."""
    if ids:
        session.connection().execute(sa.update(Message).where(col(Message.id).in_(ids)).values(delivered_at=None))


def _checked(text: str) -> str:
    found = text.strip()
    if not found:
        raise BadInput("There is nothing in it.", where=Where(field="text"), remedy="Write a sentence.")
    if len(found) > LONGEST:
        raise BadInput("It is too long.", where=Where(field="text"), remedy=f"Use {LONGEST} characters at the most.")
    return found
