"""Assignment of Label Studio batches: many items at once, selected by the same rules as items in Telegram."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Stale
from annotation.store.models import Assignment, Item
from annotation.vocabulary import AssignmentStatus, Surface, UnassignedReason
from annotation.workflow.assignments import annotator_context, assigned_items, leases
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import AnnotatorContext
from annotation.workflow.assignments.assigned_items import SelectedItem
from annotation.workflow.assignments.batches import moved_items
from annotation.workflow.assignments.next_item import check_access, select_item
from annotation.workflow.participations import NothingAssigned

BATCH_LEASE = timedelta(days=14)
"""The lease of a batch, where the caller names none."""
SECOND_PASS = -1
"""The occasion of an assignment in the second pass; occasions from 0 on are first assignments and repeats."""


@dataclass(frozen=True, kw_only=True)
class AssignedBatch:
    """The ids of the new assignments, in their order; `shortfall` says why they are fewer than asked for.

    The reason SEARCHING asks the caller to commit and to call again.
    """

    assignments: tuple[int, ...]
    shortfall: NothingAssigned | None = None


def assign_batch(
    session: Session,
    *,
    annotator_id: int,
    project_id: int,
    number: int,
    now: datetime,
    lease: timedelta = BATCH_LEASE,
    moved_only: bool = False,
) -> AssignedBatch:
    """Assign up to `number` more items of the annotator's stage to their Label Studio batch.

    With `moved_only` only items that were moved from Telegram to Label Studio. A live item in Telegram stays as it is.
    """
    annotator = annotator_context.lock_annotator(session, annotator_id)
    leases.expire_leases(session, now=now)
    context = annotator_context.load_context(session, annotator, project_id=project_id, now=now)
    if isinstance(context, NothingAssigned):
        return AssignedBatch(assignments=(), shortfall=context)
    shortfall = check_access(session, context, now=now)
    assigned: list[int] = []
    held = count_batch_items(session, annotator_id=annotator_id, project_id=project_id)
    while shortfall is None and len(assigned) < number:
        selected = _check_caps(context, held=held + len(assigned), now=now) or _select_next(
            session, context, moved_only, now=now
        )
        if isinstance(selected, NothingAssigned):
            shortfall = selected
            break
        assignment, _ = assigned_items.assign_item(session, context, selected, now=now, batch_until=now + lease)
        assigned.append(annotator_context.require_id(assignment.id))
    return AssignedBatch(assignments=tuple(assigned), shortfall=shortfall)


def count_batch_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project are live in the annotator's batch, without those of the second pass."""
    return _count_live(session, annotator_id, project_id, col(Assignment.occasion) >= 0)


def count_second_pass_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project are live in the annotator's batch for their second pass."""
    return _count_live(session, annotator_id, project_id, col(Assignment.occasion) == SECOND_PASS)


def _count_live(session: Session, annotator_id: int, project_id: int, condition: sa.ColumnElement[bool]) -> int:
    live = select(func.count()).select_from(Assignment)
    live = live.where(Assignment.annotator_id == annotator_id, Assignment.project_id == project_id, condition)
    live = live.where(Assignment.status == AssignmentStatus.LIVE, Assignment.surface == Surface.LABEL_STUDIO)
    return int(session.exec(live).one())


def assign_outside_batch(session: Session, *, annotator_id: int, item_id: int, now: datetime) -> int:
    """The id of the assignment of an annotator who answered an item of another annotator's batch.

    A new one is made as expired: its answer takes a place, if one is free. Raises Stale where the annotator may not
    work in the project, or has the item in Telegram.
    """
    annotator = annotator_context.lock_annotator(session, annotator_id)
    item = session.get_one(Item, item_id)
    context = annotator_context.load_context(session, annotator, project_id=item.project_id, now=now)
    if isinstance(context, NothingAssigned):
        raise Stale(f"The annotator may not work in the project: {context.reason.value}.")
    own = select(Assignment).where(Assignment.item_id == item_id, Assignment.annotator_id == annotator_id)
    existing = session.exec(own.where(Assignment.occasion == 0)).first()
    if existing is not None:
        if existing.surface is not Surface.LABEL_STUDIO:
            raise Stale("The annotator has this item in Telegram.")
        return annotator_context.require_id(existing.id)
    refusal = check_access(session, context, now=now)
    if refusal is not None:
        raise Stale(f"The annotator may not work in the project: {refusal.reason.value}.")
    selected = SelectedItem(item_id=item_id)
    assignment, _ = assigned_items.assign_item(session, context, selected, now=now, batch_until=now)
    assignment.status, assignment.holds_place = AssignmentStatus.EXPIRED, False
    session.add(assignment)
    session.flush()
    return annotator_context.require_id(assignment.id)


def _select_next(
    session: Session, context: AnnotatorContext, moved_only: bool, *, now: datetime
) -> SelectedItem | NothingAssigned:
    if not moved_only:
        return select_item(session, context, now=now)
    item_id = moved_items.take_moved_item(session, context)
    if item_id is None:
        return NothingAssigned(reason=UnassignedReason.NOTHING_LEFT, project=context.project.name)
    return SelectedItem(item_id=item_id)


def _check_caps(context: AnnotatorContext, *, held: int, now: datetime) -> NothingAssigned | None:
    """Check the caps, with the live items of the batch counted as answered today; work sessions are not capped."""
    participation, today = context.participation, policy.get_local_date(now, context.annotator.time_zone)
    progress = policy.AnnotatorProgress(
        answered=participation.answered + held,
        day=today,
        answered_today=(participation.answered_today if participation.day == today else 0) + held,
        session_since=None,
        last_at=None,
    )
    cap = policy.find_reached_cap(context.definition.caps, progress, now=now, zone=context.annotator.time_zone)
    if cap is None:
        return None
    return NothingAssigned(reason=UnassignedReason.CAP, project=context.project.name, until=cap.until)
