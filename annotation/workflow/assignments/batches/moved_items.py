"""Items moved from Telegram to Label Studio batches, because they were reported or are too long for a phone.

They are paused, so that Telegram assigns them no more; their places are held for Label Studio batches.
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
from annotation.workflow.assignments.annotator_context import AnnotatorContext

MAX_MESSAGE_UNITS = 4000
"""How many UTF-16 units of an item's text fit into a message in Telegram, beside the bot's own words."""
BATCH_SIZE = 200


def move_items(session: Session, *, project: Project, item_ids: Collection[int], now: datetime) -> int:
    """Move the open ones of these items to Label Studio; how many. Live ones in Telegram can still be answered."""
    statement = select(Item).where(col(Item.id).in_(item_ids), Item.project_id == project.id, overlap_counts.OPEN)
    items = session.exec(statement.order_by(col(Item.id)).with_for_update()).all()
    for item in items:
        overlap_counts.pause_item(session, item_id=item.id or 0)
    session.expire_all()
    if items:
        data = {"items": sorted(item.external_id for item in items)}
        journal.record_event(session, Event.ITEMS_MOVED, now=now, project_id=project.id, data=data)
    return len(items)


def list_reported_items(session: Session, *, project_id: int) -> set[int]:
    """The ids of the items with a report that is not resolved."""
    unresolved = select(Report.item_id).join(Item, col(Item.id) == col(Report.item_id))
    return set(session.exec(unresolved.where(Item.project_id == project_id, col(Report.resolved_at).is_(None))))


def list_long_items(session: Session, *, project_id: int, units: int = MAX_MESSAGE_UNITS) -> set[int]:
    """The ids of the open items whose shown text does not fit into a message of so many UTF-16 units."""
    long = select(Item.id, Item.stimulus).where(
        Item.project_id == project_id, Item.status == ItemStatus.OPEN, sa.func.length(Item.stimulus) * 2 > units
    )
    return {item_id for item_id, text in session.exec(long) if item_id is not None and _count_utf16_units(text) > units}


def take_moved_item(session: Session, context: AnnotatorContext) -> int | None:
    """Take a held place of the first paused item that the annotator may get, in the order of the item file."""
    own = (
        sa.select(sa.literal(1))
        .where(
            col(Assignment.item_id) == col(Item.id),
            col(Assignment.annotator_id) == context.annotator_id,
            sa.or_(col(Assignment.status) != AssignmentStatus.EXPIRED, col(Assignment.occasion) != 0),
        )
        .exists()
    )
    paused = select(Item).where(
        Item.project_id == context.project_id,
        Item.status == ItemStatus.PAUSED,
        Item.held > 0,
        col(Item.pool).in_(overlap_counts.POOLS_WITH_PLACES),
        Item.stage == context.participation.stage,
        ~own,
    )
    for item in session.exec(paused.order_by(col(Item.rank)).limit(BATCH_SIZE)):
        item_id = item.id or 0
        if item_queue.has_met_group_elsewhere(
            session, item_selection.build_queue_query(session, context, item.pool), item_id=item_id
        ):
            continue
        if overlap_counts.take_held_place(session, item_id=item_id):
            return item_id
    return None


def _count_utf16_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
