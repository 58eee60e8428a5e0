"""Leases: assignments that were not answered in time expire, a few at a time, without waiting for locks."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import overlap_counts
from annotation.store.models import Assignment
from annotation.store.models.table_model import UtcDateTime

MAX_AT_ONCE = 8
"""How many leases of others one update of an annotator expires at most."""


def expire_leases(
    session: Session, *, now: datetime, limit: int = MAX_AT_ONCE, except_annotator_id: int | None = None
) -> int:
    """End the assignments whose lease is over, the oldest leases first, and release their places; how many.

    Assignments of `except_annotator_id` are left live. The assignments found are locked (on SQLite the whole database
    is), so nobody else ends them meanwhile. Rows that another transaction has locked are skipped: two transactions that
    expired each other's leases would deadlock.
    """
    statement = _OVERDUE_UNLOCKED if session.get_bind().dialect.name == "postgresql" else _OVERDUE
    rows = (
        session.connection().execute(statement, {"now": now, "except": except_annotator_id or 0, "limit": limit}).all()
    )
    if rows:
        session.connection().execute(_END, [{"assignment": row[0]} for row in rows])
        overlap_counts.release_places(session, item_ids=[item_id for _, item_id, holds in rows if holds], now=now)
    return len(rows)


def expire_lease(session: Session, assignment: Assignment, *, now: datetime) -> None:
    """End this assignment and release its place; does nothing where it is no longer live."""
    ended = session.connection().execute(_END, {"assignment": assignment.id})
    if ended.rowcount == 1 and assignment.holds_place:
        overlap_counts.release_place(session, item_id=assignment.item_id, done=False, now=now)
    session.refresh(assignment)


_DUE = """
SELECT a.id, a.item_id, a.holds_place
FROM assignment a JOIN item i ON i.id = a.item_id JOIN annotator p ON p.id = a.annotator_id
WHERE a.status = 'live' AND a.lease_until < :now AND a.annotator_id <> :except ORDER BY a.lease_until LIMIT :limit"""

_OVERDUE = sa.text(_DUE).bindparams(sa.bindparam("now", type_=UtcDateTime()))
_OVERDUE_UNLOCKED = sa.text(f"{_DUE} FOR NO KEY UPDATE OF p, a, i SKIP LOCKED").bindparams(
    sa.bindparam("now", type_=UtcDateTime())
)
_END = sa.text("""
UPDATE assignment SET status = 'expired', holds_place = false WHERE id = :assignment AND status = 'live'""")
