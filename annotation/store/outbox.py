"""The outbox: Telegram calls that follow from a transaction are stored by it, and deleted when they were made.

A message is one row: calls for one chat, in their order. The process that makes them first moves `due_at` forward; if
it dies, the message is due again after that time and another process makes the calls. Once they are made, it is stored
which Telegram message shows which assignment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Outbox
from annotation.store.models.table_model import UtcDateTime

MOST_MESSAGES = 100
"""How many messages are taken at once."""


@dataclass(frozen=True, kw_only=True)
class OutboxDraft:
    """A message to be stored; `content` is the file of a document, `paced` limits the rate of sending."""

    chat_id: int
    calls: Sequence[Mapping[str, Any]]
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False


@dataclass(frozen=True, kw_only=True)
class OutboxMessage:
    """A stored message. `in_doubt` says that somebody began to make its calls and it is not known how far they got.

    `predecessors` are the ids of messages to the same chat that were stored before it.
    """

    id: int
    chat_id: int
    calls: Sequence[Mapping[str, Any]]
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    attempts: int = 0
    in_doubt: bool = False
    predecessors: tuple[int, ...] = ()


def store_messages(session: Session, drafts: Sequence[OutboxDraft], *, due_at: datetime) -> tuple[OutboxMessage, ...]:
    """Store messages; until `due_at` only this process sends them."""
    return tuple(_store_message(session, draft, due_at) for draft in drafts)


def _store_message(session: Session, draft: OutboxDraft, due_at: datetime) -> OutboxMessage:
    values = {
        "chat_id": draft.chat_id,
        "calls": [dict(call) for call in draft.calls],
        "content": draft.content,
        "repeatable": draft.repeatable,
        "paced": draft.paced,
        "attempts": 0,
        "due_at": due_at,
    }
    number = session.connection().execute(_STORE, values).scalar_one()
    return OutboxMessage(
        id=number,
        chat_id=draft.chat_id,
        calls=draft.calls,
        content=draft.content,
        repeatable=draft.repeatable,
        paced=draft.paced,
    )


def add_predecessors(session: Session, messages: Sequence[OutboxMessage]) -> tuple[OutboxMessage, ...]:
    """Add to each message the ids of earlier messages to its chat that are still stored, but for paced ones."""
    connection = session.connection()
    keys = [{"chat": message.chat_id, "number": message.id} for message in messages]
    return tuple(
        replace(message, predecessors=tuple(connection.execute(_EARLIER, key).scalars()))
        for message, key in zip(messages, keys, strict=True)
    )


def are_any_stored(session: Session, ids: Sequence[int]) -> bool:
    """Whether one of these messages is still stored."""
    return session.connection().execute(sa.select(_id).where(_id.in_(ids)).limit(1)).first() is not None


def delete_messages(session: Session, ids: Sequence[int]) -> None:
    """Delete messages that were sent."""
    if ids:
        session.connection().execute(_DELETE, [{"number": number} for number in ids])


def mark_begun(session: Session, *, message_id: int, now: datetime) -> bool:
    """Mark a message that must not be sent twice as begun; False where it was deleted meanwhile."""
    return session.connection().execute(sa.update(Outbox).where(_id == message_id).values(begun_at=now)).rowcount > 0


def postpone_message(session: Session, *, message_id: int, until: datetime) -> None:
    """Send a message at `until` at the earliest; it was refused, so it is no longer in doubt."""
    changed = {"due_at": until, "begun_at": None, "attempts": Outbox.attempts + 1}
    session.connection().execute(sa.update(Outbox).where(_id == message_id).values(changed))


def extend_hold(session: Session, ids: Sequence[int], *, until: datetime) -> None:
    """Keep other processes from sending these messages until a time."""
    session.connection().execute(sa.update(Outbox).where(_id.in_(ids)).values(due_at=until))


def take_due_messages(
    session: Session, *, now: datetime, until: datetime, paced: bool, most: int = MOST_MESSAGES
) -> tuple[OutboxMessage, ...]:
    """Take messages that are due, the oldest first; until `until` no other process takes them."""
    due = sa.select(Outbox.__table__).where(col(Outbox.due_at) <= now, col(Outbox.paced) == paced)  # type: ignore[attr-defined]
    rows = session.connection().execute(due.order_by(_id).limit(most).with_for_update(skip_locked=True)).all()
    if rows:
        extend_hold(session, [row.id for row in rows], until=until)
    return tuple(
        OutboxMessage(
            id=row.id,
            chat_id=row.chat_id,
            calls=row.calls,
            content=row.content,
            repeatable=row.repeatable,
            paced=row.paced,
            attempts=row.attempts,
            in_doubt=row.begun_at is not None,
        )
        for row in rows
    )


def make_all_due(session: Session, *, now: datetime) -> None:
    """Make all messages due that another process had taken; to be used when no other process runs."""
    changed = sa.update(Outbox).where(col(Outbox.due_at) > now, ~col(Outbox.paced), col(Outbox.attempts) == 0)
    session.connection().execute(changed.values(due_at=now))


def delete_chat_messages(session: Session, *, chat_id: int) -> tuple[int, ...]:
    """Delete all messages to a chat that no longer exists; returns the ids of the support messages whose answers were
    in them.
    """
    deleted = sa.delete(Outbox).where(col(Outbox.chat_id) == chat_id).returning(col(Outbox.calls))
    calls = [call for row in session.connection().execute(deleted).scalars() for call in row]
    return tuple(sorted({call["answers"] for call in calls if "answers" in call}))


def move_chat(session: Session, *, chat_id: int, to: int) -> None:
    """Change the id of a chat."""
    session.connection().execute(sa.update(Outbox).where(col(Outbox.chat_id) == chat_id).values(chat_id=to))


_id: sa.ColumnElement[int] = sa.type_coerce(col(Outbox.id), sa.BigInteger)
_STORE = sa.insert(Outbox).returning(_id)
_EARLIER = sa.select(_id).where(
    col(Outbox.chat_id) == sa.bindparam("chat"), _id < sa.bindparam("number"), ~col(Outbox.paced)
)
_DELETE = sa.text("DELETE FROM outbox WHERE id = :number")


@dataclass(frozen=True, kw_only=True)
class ShownAssignment:
    """An assignment that appeared in the chat with this message, and when."""

    assignment_id: int
    message_id: int
    at: datetime


def store_shown(session: Session, shown: Sequence[ShownAssignment]) -> None:
    """Store the messages of assignments, and the time since when those that are live have been shown.

    Assignments of erased annotators are left out.
    """
    rows = [{"assignment": row.assignment_id, "message": row.message_id, "at": row.at} for row in shown]
    if rows:
        session.connection().execute(_STORE_SHOWN, rows)
        session.connection().execute(_SET_SHOWN_AT, rows)


def get_message_id(session: Session, *, assignment_id: int) -> int | None:
    """The id of the message that shows an assignment, None where it is not known."""
    return session.connection().execute(_FIND_MESSAGE, {"assignment": assignment_id}).scalar_one_or_none()


_STORE_SHOWN = sa.text("""
INSERT INTO item_message (assignment_id, message_id)
SELECT a.id, CAST(:message AS BIGINT) FROM assignment a JOIN annotator p ON p.id = a.annotator_id
WHERE a.id = :assignment AND p.forgotten_at IS NULL
ON CONFLICT (assignment_id) DO UPDATE SET message_id = excluded.message_id""")
_SET_SHOWN_AT = sa.text("UPDATE assignment SET shown_at = :at WHERE id = :assignment AND status = 'live'").bindparams(
    sa.bindparam("at", type_=UtcDateTime())
)
_FIND_MESSAGE = sa.text("SELECT message_id FROM item_message WHERE assignment_id = :assignment")
