"""The inbox: Telegram updates are stored here before they are confirmed, until a transaction has handled them.

A worker takes the earliest waiting update of one Telegram user, and its transaction locks that row until it ends. So
each update is handled once, and the updates of one user in their order, for any number of threads and processes. An
update that cannot be handled is parked (`parked`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store.models.table_model import UtcDateTime

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
    """An update that this transaction may handle; `has_more` says that the sender may have another one waiting."""

    update_id: int
    payload: dict[str, Any]
    attempts: int
    received_at: datetime
    has_more: bool


def store_updates(session: Session, updates: Sequence[ReceivedUpdate], *, now: datetime) -> None:
    """Store updates; those whose number is stored already are left as they are."""
    rows = [
        {"update": update.update_id, "sender": update.telegram_id, "payload": dict(update.payload), "now": now}
        for update in sorted(updates, key=lambda update: update.update_id)
    ]
    if rows:
        session.connection().execute(_STORE, rows)


def take_next_update(session: Session, *, telegram_id: int) -> PendingUpdate | None:
    """Take the earliest waiting update of a Telegram user; None where there is none or another transaction has it."""
    concurrent = session.get_bind().dialect.name == "postgresql"
    rows = session.connection().execute(_EARLIEST_UNLOCKED if concurrent else _EARLIEST, {"sender": telegram_id}).all()
    if not rows:
        return None
    first = rows[0]
    update_id, payload, attempts, received_at = first
    return PendingUpdate(
        update_id=update_id,
        payload=payload,
        attempts=attempts,
        received_at=received_at,
        has_more=concurrent or len(rows) > 1,
    )


def list_following_updates(
    session: Session, *, telegram_id: int, after: int, most: int
) -> Sequence[tuple[int, dict[str, Any], datetime]]:
    """The waiting updates of a Telegram user after the one that this transaction has taken: number, content, receipt.

    No other transaction takes them, as each user's earliest update comes first.
    """
    values = {"sender": telegram_id, "after": after, "most": most}
    return [(row[0], row[1], row[2]) for row in session.connection().execute(_FOLLOWING, values)]


def mark_done(session: Session, *, update_id: int, now: datetime) -> None:
    """Mark an update as handled, and delete its content."""
    session.connection().execute(_DONE, {"update": update_id, "now": now})


@dataclass(frozen=True, kw_only=True)
class FailedUpdate:
    """An update that could not be handled: how often that failed before, and when it came."""

    update_id: int
    attempts: int
    received_at: datetime


def get_failed_update(session: Session, *, telegram_id: int) -> FailedUpdate | None:
    """The earliest waiting update of a Telegram user, whose handling has failed; its content is not read."""
    row = session.connection().execute(_FIND_FAILED, {"sender": telegram_id}).first()
    return None if row is None else FailedUpdate(update_id=row[0], attempts=row[1], received_at=row[2])


def get_payload(session: Session, *, update_id: int) -> dict[str, Any]:
    """What is stored of an update; empty where nothing is."""
    payload: dict[str, Any] | None = session.connection().execute(_FIND_PAYLOAD, {"update": update_id}).scalar()
    return payload or {}


def count_failure(session: Session, *, update_id: int) -> None:
    """Count a failed attempt to handle an update."""
    session.connection().execute(_FAILED, {"update": update_id})


def park_update(session: Session, *, update_id: int, code: str, reason: str, trace: str, now: datetime) -> None:
    """Park an update that cannot be handled, with all that it has; `code` is what its sender is told."""
    values = {"update": update_id, "code": code, "reason": reason, "trace": trace, "now": now}
    session.connection().execute(_PARK, values)


def park_unstorable_update(session: Session, *, update_id: int, reason: str, trace: str, now: datetime) -> None:
    """Store an update that cannot be stored with its content as a parked one without any."""
    values = {"update": update_id, "reason": reason, "trace": trace, "now": now}
    session.connection().execute(_STORE_PARKED, values)


def list_waiting_senders(session: Session, *, before: datetime) -> Sequence[int]:
    """Telegram users with updates that were received before a time and still wait, the longest waiting first."""
    return session.connection().execute(_SENDERS, {"before": before, "most": MOST_SENDERS}).scalars().all()


def get_last_numbers(session: Session) -> tuple[int, int]:
    """The highest known number of an update, and of a message that shows an item or answers one; 0 for none."""
    update, shown, answered = session.connection().execute(_LAST).one()
    return update or 0, max(shown or 0, answered or 0)


def delete_handled(session: Session, *, before: datetime) -> int:
    """Delete updates that were handled before a time; returns how many. Their ids are no longer known then."""
    return session.connection().execute(_DELETE, {"before": before}).rowcount


_LAST = sa.text("""
SELECT (SELECT max(update_id) FROM inbox), (SELECT max(message_id) FROM item_message),
(SELECT max(message_id) FROM answer_message)""")
_STORE = sa.text("""
INSERT INTO inbox (update_id, telegram_id, payload, received_at, attempts)
VALUES (:update, :sender, :payload, :now, 0) ON CONFLICT DO NOTHING""").bindparams(
    sa.bindparam("payload", type_=sa.JSON()), sa.bindparam("now", type_=UtcDateTime())
)
_TAKEN: tuple[sa.ColumnClause[Any], ...] = (
    sa.column("update_id"),
    sa.column("payload", sa.JSON()),
    sa.column("attempts"),
    sa.column("received_at", UtcDateTime()),
)
_EARLIEST = sa.text("""
SELECT update_id, payload, attempts, received_at FROM inbox WHERE telegram_id = :sender AND done_at IS NULL
ORDER BY update_id LIMIT 2""").columns(*_TAKEN)
_EARLIEST_UNLOCKED = sa.text("""
SELECT update_id, payload, attempts, received_at FROM inbox
WHERE update_id = (SELECT min(update_id) FROM inbox WHERE telegram_id = :sender AND done_at IS NULL)
  AND done_at IS NULL
FOR UPDATE SKIP LOCKED""").columns(*_TAKEN)
_FOLLOWING = sa.text("""
SELECT update_id, payload, received_at FROM inbox
WHERE telegram_id = :sender AND done_at IS NULL AND update_id > :after ORDER BY update_id LIMIT :most""").columns(
    sa.column("update_id"), sa.column("payload", sa.JSON()), sa.column("received_at", UtcDateTime())
)
_DONE = sa.text("""
UPDATE inbox SET done_at = :now, telegram_id = NULL, payload = NULL
WHERE update_id = :update AND done_at IS NULL""").bindparams(sa.bindparam("now", type_=UtcDateTime()))
_FAILED = sa.text("UPDATE inbox SET attempts = attempts + 1 WHERE update_id = :update AND done_at IS NULL")
_FIND_FAILED = sa.text("""
SELECT update_id, attempts, received_at FROM inbox WHERE telegram_id = :sender AND done_at IS NULL
ORDER BY update_id LIMIT 1""").columns(
    sa.column("update_id"), sa.column("attempts"), sa.column("received_at", UtcDateTime())
)
_FIND_PAYLOAD = sa.text("SELECT payload FROM inbox WHERE update_id = :update").columns(sa.column("payload", sa.JSON()))
_PARK = sa.text("""
UPDATE inbox SET done_at = :now, attempts = attempts + 1, code = :code, reason = :reason, trace = :trace
WHERE update_id = :update AND done_at IS NULL""").bindparams(sa.bindparam("now", type_=UtcDateTime()))
_STORE_PARKED = sa.text("""
INSERT INTO inbox (update_id, received_at, done_at, attempts, reason, trace)
VALUES (:update, :now, :now, 1, :reason, :trace) ON CONFLICT DO NOTHING""").bindparams(
    sa.bindparam("now", type_=UtcDateTime())
)
_SENDERS = sa.text("""
SELECT telegram_id FROM inbox WHERE done_at IS NULL AND received_at <= :before
GROUP BY telegram_id ORDER BY min(update_id) LIMIT :most""").bindparams(sa.bindparam("before", type_=UtcDateTime()))
_DELETE = sa.text("DELETE FROM inbox WHERE done_at < :before AND reason IS NULL").bindparams(
    sa.bindparam("before", type_=UtcDateTime())
)
