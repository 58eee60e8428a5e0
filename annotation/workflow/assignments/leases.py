"""Leases: an item that nobody answered in time goes back, a few at a time, without waiting for anybody."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import overlap_counts
from annotation.store.models import Assignment
from annotation.store.models.base import Moment

AT_ONCE = 8
"""How many a person's own step gives back beside her own business."""


def expire(session: Session, *, now: datetime, most: int = AT_ONCE, but: int | None = None) -> int:
    """Give back items whose lease is over, the longest first; how many. `but` is a person who is here to go on.

    What was found is locked, by its rows or by the whole database: nobody else ends it meanwhile. Whoever is at work
    herself is passed over: two who ended each other's leases would wait for each other.
    """
    statement = _OVERDUE_UNLOCKED if session.get_bind().dialect.name == "postgresql" else _OVERDUE
    rows = session.connection().execute(statement, {"now": now, "but": but or 0, "most": most}).all()
    if rows:
        session.connection().execute(_END, [{"assignment": row[0]} for row in rows])
        overlap_counts.give_back_all(session, item_ids=[item_id for _, item_id, holds in rows if holds], now=now)
    return len(rows)


def lapse_one(session: Session, assignment: Assignment, *, now: datetime) -> None:
    """Take this live item out of its person's hands; nothing where it is live no more."""
    ended = session.connection().execute(_END, {"assignment": assignment.id})
    if ended.rowcount == 1 and assignment.holds:
        overlap_counts.give_back(session, item_id=assignment.item_id, done=False, now=now)
    session.refresh(assignment)


_DUE = """
SELECT a.id, a.item_id, a.holds
FROM assignment a JOIN item i ON i.id = a.item_id JOIN annotator p ON p.id = a.annotator_id
WHERE a.status = 'live' AND a.lease_until < :now AND a.annotator_id <> :but ORDER BY a.lease_until LIMIT :most"""

_OVERDUE = sa.text(_DUE).bindparams(sa.bindparam("now", type_=Moment()))
_OVERDUE_UNLOCKED = sa.text(f"{_DUE} FOR NO KEY UPDATE OF p, a, i SKIP LOCKED").bindparams(
    sa.bindparam("now", type_=Moment())
)
_END = sa.text("""
UPDATE assignment SET status = 'expired', holds = false WHERE id = :assignment AND status = 'live'""")
