"""The inbox: updates wait here from before they are confirmed until the transaction that handles them.

Whoever handles a person's updates takes the earliest that waits, and holds its row until the end of the transaction: so
each is handled once, and one after another, whatever the number of threads and processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store.models.base import Moment

MOST_PEOPLE = 1000
"""How many people with something waiting are looked for at once."""


@dataclass(frozen=True, kw_only=True)
class Arrived:
    """An update that came: its number, whose it is, and what of it is needed."""

    update_id: int
    telegram_id: int
    payload: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An update that this transaction may handle; `more` says that the next one of this person may be there."""

    update_id: int
    payload: dict[str, Any]
    attempts: int
    more: bool


def store(session: Session, updates: Sequence[Arrived], *, now: datetime) -> None:
    """Keep updates; those that came before are known by their numbers, and left as they are."""
    rows = [
        {"update": one.update_id, "person": one.telegram_id, "payload": dict(one.payload), "now": now}
        for one in sorted(updates, key=lambda one: one.update_id)
    ]
    if rows:
        session.connection().execute(_STORE, rows)


def earliest(session: Session, *, telegram_id: int) -> Waiting | None:
    """The earliest update of a person that waits; None where there is none, or another transaction has it in hand."""
    several = session.get_bind().dialect.name == "postgresql"
    rows = session.connection().execute(_EARLIEST_UNLOCKED if several else _EARLIEST, {"person": telegram_id}).all()
    if not rows:
        return None
    first = rows[0]
    return Waiting(update_id=first[0], payload=first[1], attempts=first[2], more=several or len(rows) > 1)


def done(session: Session, *, update_id: int, now: datetime) -> None:
    """Mark an update as handled, and empty it."""
    session.connection().execute(_DONE, {"update": update_id, "now": now, "code": None})


def give_up(session: Session, *, update_id: int, code: str, now: datetime) -> None:
    """Mark an update as one that cannot be handled; the log tells why under the code."""
    session.connection().execute(_DONE, {"update": update_id, "now": now, "code": code})


def count_failure(session: Session, *, update_id: int) -> None:
    """Remember that it could not be handled this time."""
    session.connection().execute(_FAILED, {"update": update_id})


def people_waiting(session: Session, *, before: datetime) -> Sequence[int]:
    """People with updates that came before a time and wait still, the longest first."""
    return session.connection().execute(_PEOPLE, {"before": before, "most": MOST_PEOPLE}).scalars().all()


def forget(session: Session, *, before: datetime) -> int:
    """Remove updates that were handled before a time; their numbers are not known any more. How many."""
    return session.connection().execute(_FORGET, {"before": before}).rowcount


_STORE = sa.text("""
INSERT INTO inbox (update_id, telegram_id, payload, received_at, attempts)
VALUES (:update, :person, :payload, :now, 0) ON CONFLICT DO NOTHING""").bindparams(
    sa.bindparam("payload", type_=sa.JSON()), sa.bindparam("now", type_=Moment())
)
_EARLIEST = sa.text("""
SELECT update_id, payload, attempts FROM inbox WHERE telegram_id = :person AND done_at IS NULL
ORDER BY update_id LIMIT 2""").columns(sa.column("update_id"), sa.column("payload", sa.JSON()), sa.column("attempts"))
_EARLIEST_UNLOCKED = sa.text("""
SELECT update_id, payload, attempts FROM inbox
WHERE update_id = (SELECT min(update_id) FROM inbox WHERE telegram_id = :person AND done_at IS NULL)
  AND done_at IS NULL
FOR UPDATE SKIP LOCKED""").columns(sa.column("update_id"), sa.column("payload", sa.JSON()), sa.column("attempts"))
_DONE = sa.text("""
UPDATE inbox SET done_at = :now, telegram_id = NULL, payload = NULL, code = :code
WHERE update_id = :update AND done_at IS NULL""").bindparams(sa.bindparam("now", type_=Moment()))
_FAILED = sa.text("UPDATE inbox SET attempts = attempts + 1 WHERE update_id = :update AND done_at IS NULL")
_PEOPLE = sa.text("""
SELECT telegram_id FROM inbox WHERE done_at IS NULL AND received_at <= :before
GROUP BY telegram_id ORDER BY min(update_id) LIMIT :most""").bindparams(sa.bindparam("before", type_=Moment()))
_FORGET = sa.text("DELETE FROM inbox WHERE done_at < :before").bindparams(sa.bindparam("before", type_=Moment()))
