"""Changes of the clock that all processes go by: what was shown before one has no duration that anybody knows."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import journal
from annotation.store.models import Assignment
from annotation.vocabulary import AssignmentStatus, Event

TOLERANCE = timedelta(seconds=1)
"""A clock that is set right by less than this is not told of: time servers do it all day."""
UNDONE_WITHIN = timedelta(days=7)
"""How far back an answer is looked for that could still be undone and given again."""


def find_change(read: datetime, *, earliest: datetime, latest: datetime) -> timedelta | None:
    """Return by how much the clock was set, or None if it was not.

    `read` is the time that it shows, `earliest` and `latest` are the times between which it would show one if it had
    gone on evenly.
    """
    if read < earliest - TOLERANCE:
        return read - earliest
    return read - latest if read > latest + TOLERANCE else None


def record_change(session: Session, *, by: timedelta, now: datetime) -> int:
    """Mark what is shown and not yet answered, and write the change into the journal; returns how many were marked.

    `now` is the time after the change. Several processes may find the same change; each marks what is left.
    """
    before = now - by
    can_be_answered = sa.or_(
        col(Assignment.status).in_((AssignmentStatus.LIVE, AssignmentStatus.EXPIRED)),
        col(Assignment.open_revision).is_not(None),
        col(Assignment.shown_at) >= before - UNDONE_WITHIN,
    )
    shown = sa.update(Assignment).where(
        col(Assignment.shown_at).is_not(None), col(Assignment.clock_changed).is_(False), can_be_answered
    )
    marked = session.connection().execute(shown.values(clock_changed=True)).rowcount
    session.expire_all()
    data = {"seconds": round(by.total_seconds(), 3), "assignments": marked}
    journal.record_event(session, Event.CLOCK_CHANGED, now=now, data=data)
    return marked
