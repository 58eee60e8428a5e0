"""Updates that wait to be handled, and calls that wait to be sent: both are rows until they are done.

Each bot handles the updates that it received, and sends what is for those who belong to it (`Annotator.bot_id`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import processes
from annotation.store.models import Outbox
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import FIRST_PAGE_ID

MOST_SENDERS = 1000
"""How many Telegram users with waiting updates are listed at once."""


@dataclass(frozen=True, kw_only=True)
class ReceivedUpdate:
    """An update as it was received: its number, its sender, and the parts of it that are needed."""

    update_id: int
    telegram_id: int
    payload: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class PendingUpdate:
    """An update that this transaction may handle; `has_more` says that the sender may have another one waiting.

    `owner_id` is the bot that the sender belongs to, None if they are no annotator or have started none.
    """

    update_id: int
    payload: dict[str, Any]
    attempts: int
    received_at: datetime
    has_more: bool
    owner_id: int | None = None


def store_updates(session: Session, updates: Sequence[ReceivedUpdate], *, bot_id: int, now: datetime) -> None:
    """Store updates of a bot; those whose number is stored already are left as they are."""
    rows = [
        {
            "bot": bot_id,
            "update": update.update_id,
            "sender": update.telegram_id,
            "payload": dict(update.payload),
            "now": now,
        }
        for update in sorted(updates, key=lambda update: update.update_id)
    ]
    if rows:
        session.connection().execute(_STORE_UPDATES, rows)


def take_next_update(session: Session, *, bot_id: int, telegram_id: int) -> PendingUpdate | None:
    """Take the earliest update of a Telegram user that waits for this bot.

    Returns None where there is none or another transaction has it.
    """
    concurrent = session.get_bind().dialect.name == "postgresql"
    earliest = _EARLIEST_UNLOCKED if concurrent else _EARLIEST
    rows = session.connection().execute(earliest, {"bot": bot_id, "sender": telegram_id}).all()
    if not rows:
        return None
    first = rows[0]
    update_id, payload, attempts, received_at, owner_id = first
    return PendingUpdate(
        update_id=update_id,
        payload=payload,
        attempts=attempts,
        received_at=received_at,
        has_more=concurrent or len(rows) > 1,
        owner_id=owner_id,
    )


def list_following_updates(
    session: Session, *, bot_id: int, telegram_id: int, after: int, most: int
) -> Sequence[tuple[int, dict[str, Any], datetime]]:
    """The waiting updates of a Telegram user after the one that this transaction has taken: number, content, receipt.

    No other transaction takes them, as each user's earliest update comes first.
    """
    values = {"bot": bot_id, "sender": telegram_id, "after": after, "most": most}
    return [(row[0], row[1], row[2]) for row in session.connection().execute(_FOLLOWING, values)]


def mark_done(session: Session, *, bot_id: int, update_id: int, now: datetime) -> None:
    """Mark an update as handled, and delete its content."""
    session.connection().execute(_DONE, {"bot": bot_id, "update": update_id, "now": now})


@dataclass(frozen=True, kw_only=True)
class FailedUpdate:
    """An update that could not be handled: how often that failed before, and when it came."""

    update_id: int
    attempts: int
    received_at: datetime


def get_failed_update(session: Session, *, bot_id: int, telegram_id: int) -> FailedUpdate | None:
    """The earliest waiting update of a Telegram user, whose handling has failed; its content is not read."""
    row = session.connection().execute(_FIND_FAILED, {"bot": bot_id, "sender": telegram_id}).first()
    return None if row is None else FailedUpdate(update_id=row[0], attempts=row[1], received_at=row[2])


def get_payload(session: Session, *, bot_id: int, update_id: int) -> dict[str, Any]:
    """What is stored of an update; empty where nothing is."""
    key = {"bot": bot_id, "update": update_id}
    payload: dict[str, Any] | None = session.connection().execute(_FIND_PAYLOAD, key).scalar()
    return payload or {}


def count_failure(session: Session, *, bot_id: int, update_id: int) -> None:
    """Count a failed attempt to handle an update."""
    session.connection().execute(_FAILED, {"bot": bot_id, "update": update_id})


def park_update(
    session: Session, *, bot_id: int, update_id: int, code: str, reason: str, trace: str, now: datetime
) -> None:
    """Park an update that cannot be handled, with all that it has; `code` is what its sender is told."""
    values = {"bot": bot_id, "update": update_id, "code": code, "reason": reason, "trace": trace, "now": now}
    session.connection().execute(_PARK, values)


def park_unstorable_update(
    session: Session, *, bot_id: int, update_id: int, reason: str, trace: str, now: datetime
) -> None:
    """Store an update that cannot be stored with its content as a parked one without any."""
    values = {"bot": bot_id, "update": update_id, "reason": reason, "trace": trace, "now": now}
    session.connection().execute(_STORE_PARKED, values)


def list_waiting_senders(session: Session, *, bot_id: int, before: datetime) -> Sequence[int]:
    """Telegram users with updates that a bot received before a time and that still wait, the longest waiting first."""
    values = {"bot": bot_id, "before": before, "most": MOST_SENDERS}
    return session.connection().execute(_SENDERS, values).scalars().all()


def get_last_numbers(session: Session) -> tuple[int, int]:
    """The highest known number of an update, and of a message that shows an item or answers one; 0 for none."""
    update, shown, answered = session.connection().execute(_LAST).one()
    return update or 0, max(shown or 0, answered or 0)


def delete_handled(session: Session, *, before: datetime) -> int:
    """Delete updates that were handled before a time; returns how many. Their ids are no longer known then."""
    return session.connection().execute(_DELETE_UPDATES, {"before": before}).rowcount


_NOW, _BEFORE, _AT = (sa.bindparam(name, type_=UtcDateTime()) for name in ("now", "before", "at"))
_LAST = sa.text("""
SELECT (SELECT max(update_id) FROM inbox), (SELECT max(message_id) FROM item_message),
(SELECT max(message_id) FROM answer_message)""")
_STORE_UPDATES = sa.text("""
INSERT INTO inbox (bot_id, update_id, telegram_id, payload, received_at, attempts)
VALUES (:bot, :update, :sender, :payload, :now, 0) ON CONFLICT DO NOTHING""").bindparams(
    sa.bindparam("payload", type_=sa.JSON()), sa.bindparam("now", type_=UtcDateTime())
)
_TAKEN: tuple[sa.ColumnClause[Any], ...] = (
    sa.column("update_id"),
    sa.column("payload", sa.JSON()),
    sa.column("attempts"),
    sa.column("received_at", UtcDateTime()),
    sa.column("owner_id"),
)
_EARLIEST = sa.text("""
SELECT update_id, payload, attempts, received_at,
  (SELECT annotator.bot_id FROM annotator WHERE annotator.telegram_id = :sender) FROM inbox
WHERE bot_id = :bot AND telegram_id = :sender AND done_at IS NULL
ORDER BY update_id LIMIT 2""").columns(*_TAKEN)
_EARLIEST_UNLOCKED = sa.text("""
SELECT update_id, payload, attempts, received_at,
  (SELECT annotator.bot_id FROM annotator WHERE annotator.telegram_id = :sender) FROM inbox
WHERE bot_id = :bot AND done_at IS NULL AND update_id = (
  SELECT min(update_id) FROM inbox WHERE bot_id = :bot AND telegram_id = :sender AND done_at IS NULL)
FOR UPDATE SKIP LOCKED""").columns(*_TAKEN)
_FOLLOWING = sa.text("""
SELECT update_id, payload, received_at FROM inbox
WHERE bot_id = :bot AND telegram_id = :sender AND done_at IS NULL AND update_id > :after
ORDER BY update_id LIMIT :most""").columns(
    sa.column("update_id"), sa.column("payload", sa.JSON()), sa.column("received_at", UtcDateTime())
)
_DONE = sa.text("""
UPDATE inbox SET done_at = :now, telegram_id = NULL, payload = NULL
WHERE bot_id = :bot AND update_id = :update AND done_at IS NULL""").bindparams(_NOW)
_FAILED = sa.text("""
UPDATE inbox SET attempts = attempts + 1 WHERE bot_id = :bot AND update_id = :update AND done_at IS NULL""")
_FIND_FAILED = sa.text("""
SELECT update_id, attempts, received_at FROM inbox
WHERE bot_id = :bot AND telegram_id = :sender AND done_at IS NULL ORDER BY update_id LIMIT 1""").columns(
    sa.column("update_id"), sa.column("attempts"), sa.column("received_at", UtcDateTime())
)
_FIND_PAYLOAD = sa.text("SELECT payload FROM inbox WHERE bot_id = :bot AND update_id = :update").columns(
    sa.column("payload", sa.JSON())
)
_PARK = sa.text("""
UPDATE inbox SET done_at = :now, attempts = attempts + 1, code = :code, reason = :reason, trace = :trace
WHERE bot_id = :bot AND update_id = :update AND done_at IS NULL""").bindparams(_NOW)
_STORE_PARKED = sa.text("""
INSERT INTO inbox (bot_id, update_id, received_at, done_at, attempts, reason, trace)
VALUES (:bot, :update, :now, :now, 1, :reason, :trace) ON CONFLICT DO NOTHING""").bindparams(_NOW)
_SENDERS = sa.text("""
SELECT telegram_id FROM inbox WHERE bot_id = :bot AND done_at IS NULL AND received_at <= :before
GROUP BY telegram_id ORDER BY min(update_id) LIMIT :most""").bindparams(_BEFORE)
_DELETE_UPDATES = sa.text("DELETE FROM inbox WHERE done_at < :before AND reason IS NULL").bindparams(_BEFORE)


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
    chat that were stored before it. `late` says that it was not sent when it was stored, or that nobody noted so.
    """

    id: int
    bot_id: int
    chat_id: int
    calls: Sequence[Mapping[str, Any]]
    created_at: datetime
    held_until: datetime
    content: bytes | None = None
    repeatable: bool = True
    paced: bool = False
    attempts: int = 0
    in_doubt: bool = False
    late: bool = False
    predecessors: tuple[int, ...] = ()


def store_messages(
    session: Session,
    drafts: Sequence[OutboxDraft],
    *,
    bot_id: int,
    own_chat_id: int | None = None,
    now: datetime,
    hold: MessageHold | None = None,
) -> tuple[OutboxMessage, ...]:
    """Store messages, held by the process of `hold`; without one they are due at once. Returns those of the bot.

    The bot sends those for `own_chat_id`, and for chats of nobody who belongs to another one. What another bot is to
    send is due at once, for a process of that bot. Nothing is stored for people without Telegram, who have no chat.
    """
    drafts = [draft for draft in drafts if draft.chat_id < FIRST_PAGE_ID]
    chats = {draft.chat_id for draft in drafts} - {own_chat_id}
    owners = {chat: processes.find_owner(session, telegram_id=chat) or bot_id for chat in chats}
    stored = []
    for draft in drafts:
        sending = owners.get(draft.chat_id, bot_id)
        message = _store_message(session, draft, sending, now, hold if sending == bot_id else None)
        stored += [message] if sending == bot_id else []
    return tuple(stored)


def _store_message(
    session: Session, draft: OutboxDraft, bot_id: int, now: datetime, hold: MessageHold | None
) -> OutboxMessage:
    due_at = now if hold is None else hold.until
    values = {
        "bot_id": bot_id,
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
    number = session.connection().execute(_STORE_CALL, values).scalar_one()
    return OutboxMessage(
        id=number,
        bot_id=bot_id,
        chat_id=draft.chat_id,
        calls=draft.calls,
        created_at=now,
        held_until=due_at,
        content=draft.content,
        repeatable=draft.repeatable,
        paced=draft.paced,
    )


def add_predecessors(session: Session, messages: Sequence[OutboxMessage]) -> tuple[OutboxMessage, ...]:
    """Add to each message the ids of earlier messages of its bot to its chat, still to be sent, but for paced ones."""
    connection = session.connection()
    keys = [{"bot": message.bot_id, "chat": message.chat_id, "number": message.id} for message in messages]
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
        session.connection().execute(_DELETE_CALL, [{"number": number} for number in ids])


def mark_begun(session: Session, *, message_id: int, holder: str, now: datetime) -> bool:
    """Mark a message that must not be sent twice as begun; False where another process holds it, it was deleted, or it
    is too late for it.
    """
    held = sa.update(Outbox).where(_id == message_id, col(Outbox.holder) == holder, col(Outbox.reason).is_(None))
    held = held.where(_build_timely_condition(now))
    return session.connection().execute(held.values(begun_at=now)).rowcount > 0


def postpone_message(session: Session, *, message_id: int, hold: MessageHold, counted: bool) -> bool:
    """Hold a message that was not sent; False where another process took it. `counted` counts the attempt as failed."""
    attempts = Outbox.attempts + 1 if counted else Outbox.attempts
    changed = {"due_at": hold.until, "begun_at": None, "attempts": attempts}
    held = sa.update(Outbox).where(_id == message_id, col(Outbox.holder) == hold.holder)
    return session.connection().execute(held.values(changed)).rowcount > 0


def extend_holds(session: Session, ids: Sequence[int], hold: MessageHold) -> frozenset[int]:
    """Hold these messages longer; returns the ids of those that no other process has taken meanwhile."""
    held = sa.update(Outbox).where(_id.in_(ids), col(Outbox.holder) == hold.holder, col(Outbox.reason).is_(None))
    return frozenset(session.connection().execute(held.values(due_at=hold.until).returning(_id)).scalars())


def take_due_messages(
    session: Session, *, bot_id: int, now: datetime, hold: MessageHold, paced: bool
) -> tuple[OutboxMessage, ...]:
    """Take messages of a bot that are due, the oldest first, and hold them; of late ones those that were begun, to end
    them.
    """
    table: sa.Table = Outbox.__table__  # type: ignore[attr-defined]
    due = sa.select(table).where(table.c.due_at <= now, table.c.reason.is_(None), table.c.paced == paced)
    due = due.where(table.c.bot_id == bot_id)
    due = due.where(sa.or_(_build_timely_condition(now), table.c.begun_at.is_not(None)))
    rows = session.connection().execute(due.order_by(_id).limit(MOST_MESSAGES).with_for_update(skip_locked=True)).all()
    if rows:
        taken = sa.update(Outbox).where(_id.in_([row.id for row in rows]))
        session.connection().execute(taken.values(due_at=hold.until, holder=hold.holder))
    return tuple(
        OutboxMessage(
            id=row.id,
            bot_id=row.bot_id,
            chat_id=row.chat_id,
            calls=row.calls,
            created_at=row.created_at,
            held_until=hold.until,
            content=row.content,
            repeatable=row.repeatable,
            paced=row.paced,
            attempts=row.attempts,
            in_doubt=row.begun_at is not None,
            late=True,
        )
        for row in rows
    )


def _build_timely_condition(now: datetime) -> sa.ColumnElement[bool]:
    """The condition that a message may still be sent."""
    return sa.or_(col(Outbox.send_before).is_(None), col(Outbox.send_before) > now)


def make_all_due(session: Session, *, bot_id: int, now: datetime) -> None:
    """Make all messages of a bot due that another process had taken; to be used when no other process runs it."""
    changed = sa.update(Outbox).where(col(Outbox.due_at) > now, ~col(Outbox.paced), col(Outbox.attempts) == 0)
    changed = changed.where(col(Outbox.bot_id) == bot_id)
    session.connection().execute(changed.values(due_at=now))


def park_message(
    session: Session, *, message_id: int, calls: Sequence[Mapping[str, Any]], reason: str, now: datetime
) -> None:
    """Park a message that cannot be sent, with those of its calls that were not made."""
    parked = {"calls": [dict(call) for call in calls], "reason": reason, "parked_at": now, "begun_at": None}
    session.connection().execute(sa.update(Outbox).where(_id == message_id).values(parked))


_id: sa.ColumnElement[int] = sa.type_coerce(col(Outbox.id), sa.BigInteger)
_STORE_CALL = sa.insert(Outbox).returning(_id)
_EARLIER = sa.select(_id).where(
    col(Outbox.bot_id) == sa.bindparam("bot"),
    col(Outbox.chat_id) == sa.bindparam("chat"),
    _id < sa.bindparam("number"),
    ~col(Outbox.paced),
    col(Outbox.reason).is_(None),
)
_DELETE_CALL = sa.text("DELETE FROM outbox WHERE id = :number")


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
UPDATE assignment SET shown_at = :at WHERE id = :assignment_id AND status = 'live'""").bindparams(_AT)
_STORE_REDRAWN = sa.text("""
UPDATE item_message SET asks_since = :asks_since WHERE assignment_id = :assignment_id AND message_id = :message_id
""").bindparams(sa.bindparam("asks_since", type_=UtcDateTime()))
_STORE_PROMPT = sa.text("""
UPDATE conversation SET asked_in = :message_id WHERE annotator_id = :annotator_id AND asked_by = :update_id""")
_FIND_MESSAGE = sa.text("SELECT message_id FROM item_message WHERE assignment_id = :assignment")
