"""Items moved from Telegram to Label Studio batches, because they were reported or are too long for a phone.

Moved items are paused, so that they are no longer assigned in Telegram; their places are held for Label Studio batches.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Stale
from annotation.review_vocabulary import BatchWork
from annotation.store import item_queue, journal, overlap_counts
from annotation.store.models import Assignment, Item, LabelStudioBatch, Project, Report
from annotation.vocabulary import POOLS_WITH_OVERLAP, AssignmentStatus, Event, ItemStatus
from annotation.workflow.assignments import item_selection, leases
from annotation.workflow.assignments.annotator_context import AnnotatorContext, OpenedAssignment
from annotation.workflow.assignments.batches import named_items

MAX_MESSAGE_UNITS = 4000
"""The number of UTF-16 units of an item's text that fit into a Telegram message with the bot's own words.

Telegram counts the length of messages in these units.
"""

MAX_CANDIDATES = 200
"""The largest number of moved items that are looked at to assign one."""


def move_items(session: Session, *, project: Project, item_ids: Collection[int], now: datetime) -> int:
    """Move those of the items that are open to Label Studio; return how many were moved.

    Live assignments of moved items in Telegram can still be answered.
    """
    open_items = select(Item).where(col(Item.id).in_(item_ids), Item.project_id == project.id, overlap_counts.IS_OPEN)
    items = session.exec(open_items.order_by(col(Item.id)).with_for_update()).all()
    for item in items:
        overlap_counts.pause_item(session, item_id=item.id or 0)
    session.expire_all()
    if items:
        data = {"items": sorted(item.external_id for item in items)}
        journal.record_event(session, Event.ITEMS_MOVED, now=now, project_id=project.id, data=data)
    return len(items)


def move_live_item(opened: OpenedAssignment, *, now: datetime) -> None:
    """Return the annotator's live item and move it to Label Studio; raises Stale where it is not live."""
    if opened.assignment.status is not AssignmentStatus.LIVE:
        raise Stale("This item is closed.")
    item_id = opened.assignment.item_id
    leases.expire_lease(opened.session, opened.assignment, now=now)
    move_items(opened.session, project=opened.context.project, item_ids={item_id}, now=now)


def find_remote_batch(session: Session, *, annotator_id: int, project_id: int) -> int | None:
    """The number of the annotator's batch of a project on the Label Studio server; None where there is none."""
    batches = select(LabelStudioBatch.remote_id).where(
        LabelStudioBatch.annotator_id == annotator_id,
        LabelStudioBatch.project_id == project_id,
        LabelStudioBatch.work == BatchWork.ANSWERS,
        col(LabelStudioBatch.second).is_(False),
        col(LabelStudioBatch.remote_id).is_not(None),
    )
    return session.exec(batches.order_by(col(LabelStudioBatch.id).desc()).limit(1)).first()


def list_reported_items(session: Session, *, project_id: int) -> set[int]:
    """The ids of the items with a report that is not resolved."""
    unresolved = select(Report.item_id).join(Item, col(Item.id) == col(Report.item_id))
    return set(session.exec(unresolved.where(Item.project_id == project_id, col(Report.resolved_at).is_(None))))


def list_long_items(session: Session, *, project_id: int, max_units: int = MAX_MESSAGE_UNITS) -> set[int]:
    """The ids of the open items whose shown text has more than `max_units` UTF-16 units."""
    open_items = select(Item.id, Item.stimulus).where(
        Item.project_id == project_id, Item.status == ItemStatus.OPEN, sa.func.length(Item.stimulus) * 2 > max_units
    )
    return {
        item_id
        for item_id, text in session.exec(open_items)
        if item_id is not None and _count_utf16_units(text) > max_units
    }


def take_moved_item(session: Session, context: AnnotatorContext) -> int | None:
    """Take a held place of the first moved item that the annotator may get, in the order of the item file.

    Returns the item's id, None where there is no such item.
    """
    was_assigned = (
        sa.select(sa.literal(1))
        .where(col(Assignment.item_id) == col(Item.id), *named_items.build_had_conditions(context))
        .exists()
    )
    paused_items = select(Item).where(
        Item.project_id == context.project_id,
        Item.status == ItemStatus.PAUSED,
        Item.held > 0,
        col(Item.pool).in_(POOLS_WITH_OVERLAP),
        Item.stage == context.participation.stage,
        ~was_assigned,
    )
    for item in session.exec(paused_items.order_by(col(Item.rank)).limit(MAX_CANDIDATES)):
        item_id = item.id or 0
        if item_queue.is_barred_item(
            session, item_selection.build_queue_query(session, context, item.pool), item_id=item_id
        ):
            continue
        if overlap_counts.take_held_place(session, item_id=item_id):
            return item_id
    return None


def _count_utf16_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
