"""Items that Telegram gives up, because people reported them or they are too long for a phone; desks take them over.

They are paused, so that Telegram hands them out no more; their places are held, and desks fill those.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import item_queue, journal, overlap_counts
from annotation.store.models import Assignment, Item, Project, Report
from annotation.vocabulary import AssignmentStatus, Event, ItemStatus
from annotation.workflow.assignments import item_selection
from annotation.workflow.assignments.annotator_context import Seat

PHONE = 4000
"""UTF-16 units that a message in Telegram holds, beside what the bot itself says in it."""
BATCH = 200


def hand_over(session: Session, *, project: Project, item_ids: Collection[int], now: datetime) -> int:
    """Give up these items in Telegram; how many were open until now. Who holds one there may still answer it."""
    chosen = select(Item).where(col(Item.id).in_(item_ids), Item.project_id == project.id, overlap_counts.OPEN)
    found = session.exec(chosen.order_by(col(Item.id)).with_for_update()).all()
    for item in found:
        overlap_counts.pause(session, item_id=item.id or 0)
    session.expire_all()
    if found:
        data = {"items": sorted(item.external_id for item in found)}
        journal.record(session, Event.ITEMS_HANDED_OVER, now=now, project_id=project.id, data=data)
    return len(found)


def reported(session: Session, *, project_id: int) -> set[int]:
    """Items with a report that nobody has looked at."""
    chosen = select(Report.item_id).join(Item, col(Item.id) == col(Report.item_id))
    return set(session.exec(chosen.where(Item.project_id == project_id, col(Report.resolved_at).is_(None))))


def too_long(session: Session, *, project_id: int, units: int = PHONE) -> set[int]:
    """Items of which what is shown does not fit into a message of so many UTF-16 units."""
    chosen = select(Item.id, Item.stimulus).where(
        Item.project_id == project_id, Item.status == ItemStatus.OPEN, sa.func.length(Item.stimulus) * 2 > units
    )
    return {one for one, text in session.exec(chosen) if one is not None and _units(text) > units}


def claim(session: Session, seat: Seat) -> int | None:
    """Take a held place of a paused item that the person may have, in the order of the file."""
    hers = (
        sa.select(sa.literal(1))
        .where(
            col(Assignment.item_id) == col(Item.id),
            col(Assignment.annotator_id) == seat.who,
            sa.or_(col(Assignment.status) != AssignmentStatus.EXPIRED, col(Assignment.occasion) != 0),
        )
        .exists()
    )
    paused = select(Item).where(
        Item.project_id == seat.project_id,
        Item.status == ItemStatus.PAUSED,
        Item.held > 0,
        col(Item.pool).in_(overlap_counts.PLACED),
        Item.stage == seat.participation.stage,
        ~hers,
    )
    for item in session.exec(paused.order_by(col(Item.rank)).limit(BATCH)):
        item_id = item.id or 0
        if item_queue.met_elsewhere(session, item_selection.seeker(session, seat, item.pool), item_id=item_id):
            continue
        if overlap_counts.take_held(session, item_id=item_id):
            return item_id
    return None


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
