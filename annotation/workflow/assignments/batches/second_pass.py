"""The second pass in Label Studio: items that an annotator answered are shown to them again with the gold.

The first answers were blind: given without seeing the gold. Answers of the second pass never count.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotation.store import judgements
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus, ExclusionKind, Surface
from annotation.workflow.assignments.annotator_context import AnnotatorTransaction
from annotation.workflow.assignments.batches.batch_assignment import DEFAULT_BATCH_LEASE


def list_second_pass_candidates(
    session: Session, *, annotator_id: int, project_id: int, n_items: int
) -> Sequence[tuple[Assignment, Item, Judgement]]:
    """Up to `n_items` of the annotator's answers that count, here or in the pilot or apart, without a second pass yet.

    Each is returned as its assignment, item and judgement, in the order of assignment.
    """
    second_assignment = aliased(Assignment)
    second_passes = select(second_assignment.id).where(
        second_assignment.item_id == Assignment.item_id,
        second_assignment.annotator_id == annotator_id,
        second_assignment.occasion == SECOND_PASS_OCCASION,
    )
    candidates = (
        select(Assignment, Item, Judgement)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(Assignment.annotator_id == annotator_id, Assignment.project_id == project_id)
        .where(Assignment.occasion == 0, Assignment.status == AssignmentStatus.DONE)
        .where(Assignment.surface == Surface.LABEL_STUDIO)
        .where(
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(ignoring=(ExclusionKind.PILOT, ExclusionKind.EXPOSED)),
            col(Judgement.skip_reason).is_(None),
        )
        .where(~second_passes.exists())
    )
    return session.exec(candidates.order_by(col(Assignment.id)).limit(n_items)).all()


def assign_second_pass(
    transaction: AnnotatorTransaction,
    *,
    project_id: int,
    n_items: int,
    now: datetime,
    lease: timedelta = DEFAULT_BATCH_LEASE,
) -> tuple[int, ...]:
    """Assign up to `n_items` items for the second pass; return the ids of the assignments, which hold no places."""
    session = transaction.session
    candidates = list_second_pass_candidates(
        session, annotator_id=transaction.annotator_id, project_id=project_id, n_items=n_items
    )
    assignments = [
        _build_second_assignment(first_assignment, item, now=now, lease_until=now + lease)
        for first_assignment, item, _ in candidates
    ]
    session.add_all(assignments)
    session.flush()
    return tuple(assignment.id or 0 for assignment in assignments)


def _build_second_assignment(
    first_assignment: Assignment, item: Item, *, now: datetime, lease_until: datetime
) -> Assignment:
    return Assignment(
        project_id=first_assignment.project_id,
        item_id=first_assignment.item_id,
        item_revision=item.revision,
        annotator_id=first_assignment.annotator_id,
        occasion=SECOND_PASS_OCCASION,
        surface=Surface.LABEL_STUDIO,
        status=AssignmentStatus.LIVE,
        stage=first_assignment.stage,
        option_order=first_assignment.option_order,
        option_orders=first_assignment.option_orders,
        instructions_sha256=first_assignment.instructions_sha256,
        stimulus_sha256=item.stimulus_sha256,
        assigned_at=now,
        shown_at=now,
        lease_until=lease_until,
    )
