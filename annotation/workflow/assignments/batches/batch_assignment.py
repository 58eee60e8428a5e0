"""Assignment of Label Studio batches: many items at once, selected by the same rules as items in Telegram."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Stale
from annotation.store.models import Assignment, Item, ProgrammeProject, table_model
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus, Surface, UnassignedReason
from annotation.workflow.assignments import annotator_context, assigned_items, assignment_policy, leases
from annotation.workflow.assignments.annotator_context import AnnotatorContext, AnnotatorTransaction, OpenedAssignment
from annotation.workflow.assignments.assignment_policy import SelectedItem
from annotation.workflow.assignments.batches import moved_items, named_items
from annotation.workflow.assignments.batches.named_items import NotAssigned
from annotation.workflow.assignments.next_item import find_project_obstacle, select_item
from annotation.workflow.participations import NothingAssigned

DEFAULT_BATCH_LEASE = timedelta(days=14)
"""How long the lease of a batch lasts, where the caller sets nothing else."""


@dataclass(frozen=True, kw_only=True)
class AssignedBatch:
    """The ids of the new assignments in their order; `shortfall` says why they are fewer than asked for, if they are.

    The reason SEARCHING asks the caller to commit and to call again. `left_out` has the reason for each named item that
    was not assigned, by its database id.
    """

    assignment_ids: tuple[int, ...]
    shortfall: NothingAssigned | None = None
    left_out: Mapping[int, NotAssigned] = field(default_factory=dict)


def assign_batch(
    transaction: AnnotatorTransaction,
    *,
    project_id: int,
    n_items: int,
    now: datetime,
    lease: timedelta = DEFAULT_BATCH_LEASE,
    moved_only: bool = False,
) -> AssignedBatch:
    """Assign up to `n_items` more items of the annotator's stage to their Label Studio batch.

    With `moved_only` only items that were moved from Telegram to Label Studio are assigned. A live item in Telegram is
    left as it is.
    """
    session = transaction.session

    def select_next(context: AnnotatorContext) -> SelectedItem | NothingAssigned:
        return _select_next(session, context, moved_only, now=now)

    return _assign_items(transaction, select_next, project_id=project_id, n_items=n_items, now=now, lease=lease)


def assign_named_items(
    transaction: AnnotatorTransaction,
    *,
    project_id: int,
    item_ids: Sequence[int],
    now: datetime,
    lease: timedelta = DEFAULT_BATCH_LEASE,
) -> AssignedBatch:
    """Assign these items, in their order, to the annotator's Label Studio batch, as far as they may get them."""
    remaining = iter(item_ids)
    left_out: dict[int, NotAssigned] = {}

    def select_next(context: AnnotatorContext) -> SelectedItem | NothingAssigned:
        for item_id in remaining:
            problem = named_items.take_named_item(transaction.session, context, item_id=item_id)
            if problem is None:
                return SelectedItem(item_id=item_id)
            left_out[item_id] = problem
        return NothingAssigned(reason=UnassignedReason.NOTHING_LEFT, project=context.project.name)

    assigned = _assign_items(
        transaction, select_next, project_id=project_id, n_items=len(item_ids), now=now, lease=lease
    )
    return replace(assigned, left_out=left_out)


def _assign_items(
    transaction: AnnotatorTransaction,
    select_next: Callable[[AnnotatorContext], SelectedItem | NothingAssigned],
    *,
    project_id: int,
    n_items: int,
    now: datetime,
    lease: timedelta,
) -> AssignedBatch:
    """Assign what is selected, until there are `n_items`, or a cap or the annotator's standing allows no more."""
    session = transaction.session
    leases.expire_leases(session, now=now)
    context = annotator_context.load_context(transaction, project_id=project_id, now=now)
    if isinstance(context, NothingAssigned):
        return AssignedBatch(assignment_ids=(), shortfall=context)
    shortfall = find_project_obstacle(session, context, now=now)
    assignment_ids: list[int] = []
    n_in_batch = count_batch_items(session, annotator_id=transaction.annotator_id, project_id=project_id)
    quota = session.exec(select(ProgrammeProject.quota).where(ProgrammeProject.project_id == project_id)).first()
    while shortfall is None and len(assignment_ids) < n_items:
        limit = _find_limit(context, quota=quota, n_in_batch=n_in_batch + len(assignment_ids), now=now)
        selected = limit or select_next(context)
        if isinstance(selected, NothingAssigned):
            shortfall = selected
            break
        opened = assigned_items.assign_item(transaction, context, selected, now=now, batch_until=now + lease)
        assignment_ids.append(opened.assignment_id)
    return AssignedBatch(assignment_ids=tuple(assignment_ids), shortfall=shortfall)


def open_batch_assignment(transaction: AnnotatorTransaction, *, assignment_id: int, now: datetime) -> OpenedAssignment:
    """Open an assignment in Label Studio; raises Stale where it does not belong to the annotator, or is in Telegram."""
    return annotator_context.open_assignment(
        transaction, assignment_id=assignment_id, now=now, surface=Surface.LABEL_STUDIO
    )


def count_batch_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project are live in the annotator's batch, without those of the second pass."""
    return _count_live(session, annotator_id, project_id, col(Assignment.occasion) >= 0)


def count_second_pass_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project are live in the annotator's batch for their second pass."""
    return _count_live(session, annotator_id, project_id, col(Assignment.occasion) == SECOND_PASS_OCCASION)


def _count_live(session: Session, annotator_id: int, project_id: int, condition: sa.ColumnElement[bool]) -> int:
    count_query = select(func.count()).select_from(Assignment)
    count_query = count_query.where(
        Assignment.annotator_id == annotator_id, Assignment.project_id == project_id, condition
    )
    count_query = count_query.where(
        Assignment.status == AssignmentStatus.LIVE, Assignment.surface == Surface.LABEL_STUDIO
    )
    return int(session.exec(count_query).one())


def assign_outside_batch(transaction: AnnotatorTransaction, *, item_id: int, now: datetime) -> int:
    """The id of the assignment for an annotator who answered an item of another annotator's batch.

    Where the annotator has no assignment of the item, an expired one is created: its answer is treated as late and
    takes a place if one is free. Raises Stale where the annotator may not work in the project, or has the item in
    Telegram.
    """
    session = transaction.session
    item = session.get_one(Item, item_id)
    context = annotator_context.load_context(transaction, project_id=item.project_id, now=now)
    if isinstance(context, NothingAssigned):
        raise Stale(f"The annotator may not work in the project: {context.reason.value}.")
    assignments_of_item = select(Assignment).where(
        Assignment.item_id == item_id, Assignment.annotator_id == transaction.annotator_id
    )
    existing = session.exec(assignments_of_item.where(Assignment.occasion == 0)).first()
    if existing is not None:
        if existing.surface is not Surface.LABEL_STUDIO:
            raise Stale("The annotator has this item in Telegram.")
        return table_model.require_id(existing.id)
    obstacle = find_project_obstacle(session, context, now=now)
    if obstacle is not None:
        raise Stale(f"The annotator may not work in the project: {obstacle.reason.value}.")
    selected = SelectedItem(item_id=item_id)
    assignment = assigned_items.assign_item(transaction, context, selected, now=now, batch_until=now).assignment
    assignment.status, assignment.holds_place = AssignmentStatus.EXPIRED, False
    session.add(assignment)
    session.flush()
    return table_model.require_id(assignment.id)


def record_shown_revision(
    transaction: AnnotatorTransaction, *, assignment_id: int, item_revision: int, stimulus_sha256: str
) -> None:
    """Record that a live assignment of a batch shows this revision of its item; does nothing for one that has ended."""
    assignment = transaction.session.get_one(Assignment, assignment_id, populate_existing=True)
    if assignment.status is AssignmentStatus.LIVE:
        assignment.item_revision, assignment.stimulus_sha256 = item_revision, stimulus_sha256
        transaction.session.add(assignment)
        transaction.session.flush()


def _select_next(
    session: Session, context: AnnotatorContext, moved_only: bool, *, now: datetime
) -> SelectedItem | NothingAssigned:
    if not moved_only:
        return select_item(session, context, now=now)
    item_id = moved_items.take_moved_item(session, context)
    if item_id is None:
        return NothingAssigned(reason=UnassignedReason.NOTHING_LEFT, project=context.project.name)
    return SelectedItem(item_id=item_id)


def _find_limit(
    context: AnnotatorContext, *, quota: int | None, n_in_batch: int, now: datetime
) -> NothingAssigned | None:
    """The quota of the programme or the cap that allows the annotator no more items; None where none is reached.

    Live items of the batch count as answered today. The cap on the length of a work session does not apply.
    """
    if quota is not None and context.participation.answered + n_in_batch >= quota:
        return NothingAssigned(reason=UnassignedReason.QUOTA, project=context.project.name)
    participation, today = context.participation, assignment_policy.get_local_date(now, context.annotator.time_zone)
    progress = assignment_policy.AnnotatorProgress(
        answered=participation.answered + n_in_batch,
        day=today,
        answered_today=(participation.answered_today if participation.day == today else 0) + n_in_batch,
        work_session_since=None,
        last_at=None,
    )
    cap = assignment_policy.find_reached_cap(
        context.definition.caps, progress, now=now, zone=context.annotator.time_zone
    )
    if cap is None:
        return None
    return NothingAssigned(reason=UnassignedReason.CAP, project=context.project.name, until=cap.until)
