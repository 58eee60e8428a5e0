"""One look before anything is handed out: what a person has in hand, whose leases are over, which projects to try."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Assignment
from annotation.store.models.base import Moment
from annotation.workflow.allocation import programmes
from annotation.workflow.allocation.programmes import Door
from annotation.workflow.assignments import annotator_context


@dataclass(frozen=True, kw_only=True)
class Look:
    """`live` is the assignment in her hands, if any; `overdue` says that others' leases are over; `doors` are the
    running projects before which she stands, none where she asks for one project by its id.
    """

    live: int | None
    overdue: bool
    doors: tuple[Door, ...]


def look(session: Session, *, annotator_id: int, project_id: int | None, now: datetime) -> Look:
    """Look once. What this transaction has counted of her and not written yet is reckoned with."""
    statement = _EVERYWHERE if project_id is None else _HERE
    with session.no_autoflush:
        rows = session.connection().execute(statement, {"who": annotator_id, "now": now}).all()
    found = programmes.in_order(row[2:] for row in rows if project_id is None and row[2] is not None)
    doors = (_counted(session, door, annotator_id=annotator_id) for door in found)
    return Look(live=rows[0][0], overdue=bool(rows[0][1]), doors=tuple(doors))


def _counted(session: Session, door: Door, *, annotator_id: int) -> Door:
    seat = annotator_context.kept(session, annotator_id=annotator_id, project_id=door.project)
    if seat is None:
        return door
    return replace(door, answered=seat.participation.answered, shown=seat.participation.shown)


_LIVE = (
    sa.select(col(Assignment.id))
    .where(
        col(Assignment.annotator_id) == sa.bindparam("who"),
        sa.text("assignment.status = 'live'"),
        sa.text("assignment.surface = 'telegram'"),
    )
    .limit(1)
    .scalar_subquery()
)
_OVERDUE = (
    sa.select(sa.literal_column("1"))
    .where(
        sa.text("assignment.status = 'live'"),
        col(Assignment.lease_until) < sa.bindparam("now", type_=Moment()),
        col(Assignment.annotator_id) != sa.bindparam("who"),
    )
    .select_from(Assignment)
    .limit(1)
    .scalar_subquery()
)
_HERE = sa.select(_LIVE.label("live"), _OVERDUE.is_not(None).label("overdue"))
_IN_HAND = _HERE.subquery()
_DOORS = programmes.DOORS.subquery()
_EVERYWHERE = sa.select(_IN_HAND, _DOORS).select_from(_IN_HAND.outerjoin(_DOORS, sa.true()))
