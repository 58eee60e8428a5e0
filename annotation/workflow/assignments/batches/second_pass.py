"""The second pass: items that an annotator answered blind, shown again beside the gold; its answers never count."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotation.store import judgements
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus, Stage, Surface
from annotation.workflow.assignments.batches.batch_assignment import BATCH_LEASE, SECOND_PASS


def list_second_pass_candidates(
    session: Session, *, annotator_id: int, project_id: int, number: int
) -> Sequence[tuple[Assignment, Item, Judgement]]:
    """The annotator's blind answers that count and have no second pass yet, with their assignments and items."""
    second = aliased(Assignment)
    existing = select(second.id).where(
        second.item_id == Assignment.item_id, second.annotator_id == annotator_id, second.occasion == SECOND_PASS
    )
    candidates = (
        select(Assignment, Item, Judgement)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(Assignment.annotator_id == annotator_id, Assignment.project_id == project_id)
        .where(Assignment.occasion == 0, Assignment.status == AssignmentStatus.DONE, ~col(Assignment.is_control))
        .where(col(Assignment.stage).in_((Stage.PILOT, Stage.MAIN)), Assignment.surface == Surface.LABEL_STUDIO)
        .where(
            judgements.final_revision(), col(Judgement.excluded_reason).is_(None), col(Judgement.skip_reason).is_(None)
        )
        .where(~existing.exists())
    )
    return session.exec(candidates.order_by(col(Assignment.id)).limit(number)).all()


def assign_second_pass(
    session: Session, *, annotator_id: int, project_id: int, number: int, now: datetime, lease: timedelta = BATCH_LEASE
) -> tuple[int, ...]:
    """Assign up to `number` items for the second pass; returns the ids of the assignments, which hold no places."""
    candidates = list_second_pass_candidates(session, annotator_id=annotator_id, project_id=project_id, number=number)
    assignments = [_build_second_pass(first, item, now=now, until=now + lease) for first, item, _ in candidates]
    session.add_all(assignments)
    session.flush()
    return tuple(assignment.id or 0 for assignment in assignments)


def _build_second_pass(first: Assignment, item: Item, *, now: datetime, until: datetime) -> Assignment:
    return Assignment(
        project_id=first.project_id,
        item_id=first.item_id,
        item_revision=item.revision,
        annotator_id=first.annotator_id,
        occasion=SECOND_PASS,
        surface=Surface.LABEL_STUDIO,
        status=AssignmentStatus.LIVE,
        stage=first.stage,
        option_order=first.option_order,
        option_orders=first.option_orders,
        instructions_sha256=first.instructions_sha256,
        stimulus_sha256=item.stimulus_sha256,
        assigned_at=now,
        shown_at=now,
        lease_until=until,
    )
