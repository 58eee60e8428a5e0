"""Leases: an assignment that is not answered in time expires and releases its place, a few at a time."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import journal, models, overlap_counts
from annotation.store.models import AssignmentRow
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import AssignmentEnd, Surface

LEASE_SECONDS = 30 * 60
"""The lease of an item in Telegram, if the project file sets none."""
MAX_EXPIRED_AT_ONCE = 8
"""The largest number of other annotators' leases that one update of an annotator expires."""


def expire_leases(session: Session, *, now: datetime, except_annotator_id: int | None = None) -> int:
    """Expire up to MAX_EXPIRED_AT_ONCE assignments whose lease is over, and release their places; the number of them.

    The oldest leases are first. Assignments of `except_annotator_id` are left live. The assignments are locked before
    they expire (on SQLite the whole database is), so that no other transaction ends them meanwhile. Rows that another
    transaction has locked are skipped: two transactions that expired each other's leases would deadlock.
    """
    statement = _OVERDUE_UNLOCKED_LEASES if session.get_bind().dialect.name == "postgresql" else _OVERDUE_LEASES
    values = {"now": now, "except": except_annotator_id or 0, "limit": MAX_EXPIRED_AT_ONCE}
    rows = session.connection().execute(statement, values).all()
    if rows:
        session.connection().execute(_EXPIRE, [{"assignment": row[0], "now": now} for row in rows])
        overlap_counts.release_places(
            session, item_ids=[item_id for _, item_id, holds_place, _ in rows if holds_place], now=now
        )
    in_batches = [row[0] for row in rows if row[3] == Surface.LABEL_STUDIO.value]
    if in_batches:
        ended = [models.ASSIGNMENTS.get_one(session, assignment_id) for assignment_id in in_batches]
        journal.record_assignment_ends(session, ended, why=AssignmentEnd.EXPIRED, now=now)
    return len(rows)


def expire_lease(
    session: Session, assignment: AssignmentRow, *, now: datetime, why: AssignmentEnd = AssignmentEnd.EXPIRED
) -> None:
    """Expire this assignment and release its place; does nothing where the assignment is no longer live.

    A lease that would have lasted longer ends now. `why` is recorded in the journal.
    """
    ended = session.connection().execute(_EXPIRE, {"assignment": assignment.id, "now": now})
    if ended.rowcount == 1:
        journal.record_assignment_ends(session, [assignment], why=why, now=now)
        if assignment.holds_place:
            overlap_counts.release_place(session, item_id=assignment.item_id, done=False, now=now)
    models.ASSIGNMENTS.refresh(session, assignment)


_SELECT_OVERDUE = """
SELECT a.id, a.item_id, a.holds_place, a.surface
FROM assignment a JOIN item i ON i.id = a.item_id JOIN annotator p ON p.id = a.annotator_id
WHERE a.status = 'live' AND a.lease_until < :now AND a.annotator_id <> :except ORDER BY a.lease_until LIMIT :limit"""

_OVERDUE_LEASES = sa.text(_SELECT_OVERDUE).bindparams(sa.bindparam("now", type_=UtcDateTime()))
_OVERDUE_UNLOCKED_LEASES = sa.text(f"{_SELECT_OVERDUE} FOR NO KEY UPDATE OF p, a, i SKIP LOCKED").bindparams(
    sa.bindparam("now", type_=UtcDateTime())
)
_EXPIRE = sa.text("""
UPDATE assignment SET status = 'expired', holds_place = false,
  lease_until = CASE WHEN lease_until <= :now THEN lease_until ELSE :now END
WHERE id = :assignment AND status = 'live'""").bindparams(sa.bindparam("now", type_=UtcDateTime()))
