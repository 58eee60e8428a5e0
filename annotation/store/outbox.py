"""The outbox: Telegram calls that follow from a transaction are stored by it, and deleted when they were made.

A message is one row: calls for one chat, in their order. The process that makes them holds the message until a time
that it moves forward; if it dies, the message is due then and another process makes the calls. Once they are made, it
is stored which Telegram message shows which assignment, and which asks for what the conversation waits for. A message
that cannot be sent is parked (`parked`).

A typed text is an answer only to a question that was on the screen when it was sent. New messages are compared by their
ids, which grow within a chat. An edited message keeps its id, so the time of the edit is stored, by Telegram's clock.
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
class MessageHold:
    """That one process, `holder`, sends a message, and no other does so before `until`."""

    holder: str
    until: datetime


@dataclass(frozen=True, kw_only=True)
class OutboxDraft:
    """A message to be stored; `content` is the file of a document, `paced` limits the rate of sending.

    `notice` names what is sent unasked for, `send_before` is when it must have been begun (`store/notices.py`).
    """

    chat_id: int
    calls: Sequence[Mapping[str, Any]]
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    notice: str | None = None
    send_before: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class OutboxMessage:
    """A stored message. `in_doubt` says that somebody began to make its calls and it is not known how far they got.

    `held_until` is when the hold of the process that reads it ends. `predecessors` are the ids of messages to the same
    chat that were stored before it.
    """

    id: int
    chat_id: int
    calls: Sequence[Mapping[str, Any]]
    created_at: datetime
    held_until: datetime
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    attempts: int = 0
    in_doubt: bool = False
    predecessors: tuple[int, ...] = ()


def store_messages(
    session: Session, drafts: Sequence[OutboxDraft], *, now: datetime, hold: MessageHold | None = None
) -> tuple[OutboxMessage, ...]:
    """Store messages, held by the process of `hold`; without one they are due at once."""
    return tuple(_store_message(session, draft, now, hold) for draft in drafts)


def _store_message(session: Session, draft: OutboxDraft, now: datetime, hold: MessageHold | None) -> OutboxMessage:
    due_at = now if hold is None else hold.until
    values = {
        "chat_id": draft.chat_id,
        "calls": [dict(call) for call in draft.calls],
        "content": draft.content,
        "repeatable": draft.repeatable,
        "paced": draft.paced,
        "notice": draft.notice,
        "send_before": draft.send_before,
        "attempts": 0,
        "created_at": now,
        "due_at": due_at,
        "holder": "" if hold is None else hold.holder,
    }
    number = session.connection().execute(_STORE, values).scalar_one()
    return OutboxMessage(
        id=number,
        chat_id=draft.chat_id,
        calls=draft.calls,
        created_at=now,
        held_until=due_at,
        content=draft.content,
        repeatable=draft.repeatable,
        paced=draft.paced,
    )


def add_predecessors(session: Session, messages: Sequence[OutboxMessage]) -> tuple[OutboxMessage, ...]:
    """Add to each message the ids of earlier messages to its chat that are still to be sent, but for paced ones."""
    connection = session.connection()
    keys = [{"chat": message.chat_id, "number": message.id} for message in messages]
    return tuple(
        replace(message, predecessors=tuple(connection.execute(_EARLIER, key).scalars()))
        for message, key in zip(messages, keys, strict=True)
    )


def are_any_waiting(session: Session, ids: Sequence[int]) -> bool:
    """Whether one of these messages is still to be sent."""
    waiting = sa.select(_id).where(_id.in_(ids), col(Outbox.reason).is_(None))
    return session.connection().execute(waiting.limit(1)).first() is not None


def delete_messages(session: Session, ids: Sequence[int]) -> None:
    """Delete messages that were sent."""
    if ids:
        session.connection().execute(_DELETE, [{"number": number} for number in ids])


def mark_begun(session: Session, *, message_id: int, holder: str, now: datetime) -> bool:
    """Mark a message that must not be sent twice as begun; False where another process holds it, it was deleted, or it
    is too late for it.
    """
    held = sa.update(Outbox).where(_id == message_id, col(Outbox.holder) == holder, col(Outbox.reason).is_(None))
    held = held.where(_build_timely_condition(now))
    return session.connection().execute(held.values(begun_at=now)).rowcount > 0


def postpone_message(session: Session, *, message_id: int, hold: MessageHold, counted: bool) -> None:
    """Hold a message that was not sent, so that it is no longer in doubt; `counted` counts the attempt as failed."""
    attempts = Outbox.attempts + 1 if counted else Outbox.attempts
    changed = {"due_at": hold.until, "begun_at": None, "attempts": attempts}
    held = sa.update(Outbox).where(_id == message_id, col(Outbox.holder) == hold.holder)
    session.connection().execute(held.values(changed))


def extend_holds(session: Session, ids: Sequence[int], hold: MessageHold) -> frozenset[int]:
    """Hold these messages longer; returns the ids of those that no other process has taken meanwhile."""
    held = sa.update(Outbox).where(_id.in_(ids), col(Outbox.holder) == hold.holder, col(Outbox.reason).is_(None))
    return frozenset(session.connection().execute(held.values(due_at=hold.until).returning(_id)).scalars())


def take_due_messages(
    session: Session, *, now: datetime, hold: MessageHold, paced: bool, most: int = MOST_MESSAGES
) -> tuple[OutboxMessage, ...]:
    """Take messages that are due, the oldest first, and hold them; of late ones those that were begun, to end them."""
    table: sa.Table = Outbox.__table__  # type: ignore[attr-defined]
    due = sa.select(table).where(table.c.due_at <= now, table.c.reason.is_(None), table.c.paced == paced)
    due = due.where(sa.or_(_build_timely_condition(now), table.c.begun_at.is_not(None)))
    rows = session.connection().execute(due.order_by(_id).limit(most).with_for_update(skip_locked=True)).all()
    if rows:
        taken = sa.update(Outbox).where(_id.in_([row.id for row in rows]))
        session.connection().execute(taken.values(due_at=hold.until, holder=hold.holder))
    return tuple(
        OutboxMessage(
            id=row.id,
            chat_id=row.chat_id,
            calls=row.calls,
            created_at=row.created_at,
            held_until=hold.until,
            content=row.content,
            repeatable=row.repeatable,
            paced=row.paced,
            attempts=row.attempts,
            in_doubt=row.begun_at is not None,
        )
        for row in rows
    )


def _build_timely_condition(now: datetime) -> sa.ColumnElement[bool]:
    """The condition that a message may still be sent."""
    return sa.or_(col(Outbox.send_before).is_(None), col(Outbox.send_before) > now)


def make_all_due(session: Session, *, now: datetime) -> None:
    """Make all messages due that another process had taken; to be used when no other process runs."""
    changed = sa.update(Outbox).where(col(Outbox.due_at) > now, ~col(Outbox.paced), col(Outbox.attempts) == 0)
    session.connection().execute(changed.values(due_at=now))


def park_message(
    session: Session, *, message_id: int, calls: Sequence[Mapping[str, Any]], reason: str, now: datetime
) -> None:
    """Park a message that cannot be sent, with those of its calls that were not made."""
    parked = {"calls": [dict(call) for call in calls], "reason": reason, "parked_at": now, "begun_at": None}
    session.connection().execute(sa.update(Outbox).where(_id == message_id).values(parked))


_id: sa.ColumnElement[int] = sa.type_coerce(col(Outbox.id), sa.BigInteger)
_STORE = sa.insert(Outbox).returning(_id)
_EARLIER = sa.select(_id).where(
    col(Outbox.chat_id) == sa.bindparam("chat"),
    _id < sa.bindparam("number"),
    ~col(Outbox.paced),
    col(Outbox.reason).is_(None),
)
_DELETE = sa.text("DELETE FROM outbox WHERE id = :number")


@dataclass(frozen=True, kw_only=True)
class ShownAssignment:
    """An assignment that appeared in the chat with this message at `at`, or was `redrawn` in it.

    Texts that were sent at `asks_since` or later can answer what the message asks now.
    """

    assignment_id: int
    message_id: int
    at: datetime
    asks_since: datetime
    redrawn: bool = False


@dataclass(frozen=True, kw_only=True)
class ShownPrompt:
    """A message that asks an annotator for the next step of the conversation, as an update made the bot ask."""

    annotator_id: int
    update_id: int
    message_id: int


def store_shown(session: Session, shown: Sequence[ShownAssignment | ShownPrompt]) -> None:
    """Store which messages show assignments and ask for steps, and since when live assignments have been shown.

    Assignments of erased annotators are left out, and so are messages that ask for something else by now.
    """
    prompts = [vars(prompt) for prompt in shown if isinstance(prompt, ShownPrompt)]
    assignments = [row for row in shown if isinstance(row, ShownAssignment)]
    new = [vars(row) for row in assignments if not row.redrawn]
    redrawn = [vars(row) for row in assignments if row.redrawn]
    connection = session.connection()
    if new:
        connection.execute(_STORE_NEW, new)
        connection.execute(_SET_SHOWN_AT, new)
    if redrawn:
        connection.execute(_STORE_REDRAWN, redrawn)
    if prompts:
        connection.execute(_STORE_PROMPT, prompts)


def get_message_id(session: Session, *, assignment_id: int) -> int | None:
    """The id of the message that shows an assignment, None where it is not known."""
    return session.connection().execute(_FIND_MESSAGE, {"assignment": assignment_id}).scalar_one_or_none()


_STORE_NEW = sa.text("""
INSERT INTO item_message (assignment_id, message_id, asks_since)
SELECT a.id, CAST(:message_id AS BIGINT), :asks_since FROM assignment a JOIN annotator p ON p.id = a.annotator_id
WHERE a.id = :assignment_id AND p.forgotten_at IS NULL
ON CONFLICT (assignment_id) DO UPDATE SET message_id = excluded.message_id, asks_since = excluded.asks_since
""").bindparams(sa.bindparam("asks_since", type_=UtcDateTime()))
_SET_SHOWN_AT = sa.text("""
UPDATE assignment SET shown_at = :at WHERE id = :assignment_id AND status = 'live'""").bindparams(
    sa.bindparam("at", type_=UtcDateTime())
)
_STORE_REDRAWN = sa.text("""
UPDATE item_message SET asks_since = :asks_since WHERE assignment_id = :assignment_id AND message_id = :message_id
""").bindparams(sa.bindparam("asks_since", type_=UtcDateTime()))
_STORE_PROMPT = sa.text("""
UPDATE conversation SET asked_in = :message_id WHERE annotator_id = :annotator_id AND asked_by = :update_id""")
_FIND_MESSAGE = sa.text("SELECT message_id FROM item_message WHERE assignment_id = :assignment")
