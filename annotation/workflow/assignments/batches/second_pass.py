"""The second pass: items that a person answered blind, once more, now beside the gold. It never counts as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotation.store import judgements
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus, Stage, Surface
from annotation.workflow.assignments.batches.batch_assignment import LEASE, SECOND


def waiting_for_second(
    session: Session, *, annotator_id: int, project_id: int, number: int
) -> Sequence[tuple[Assignment, Item, Judgement]]:
    """Blind answers that count and have no second pass yet, in their order, with their items."""
    again = aliased(Assignment)
    second = select(again.id).where(
        again.item_id == Assignment.item_id, again.annotator_id == annotator_id, again.occasion == SECOND
    )
    chosen = (
        select(Assignment, Item, Judgement)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(Assignment.annotator_id == annotator_id, Assignment.project_id == project_id)
        .where(Assignment.occasion == 0, Assignment.status == AssignmentStatus.DONE, ~col(Assignment.is_control))
        .where(col(Assignment.stage).in_((Stage.PILOT, Stage.MAIN)), Assignment.surface == Surface.LABEL_STUDIO)
        .where(
            judgements.final_revision(), col(Judgement.excluded_reason).is_(None), col(Judgement.skip_reason).is_(None)
        )
        .where(~second.exists())
    )
    return session.exec(chosen.order_by(col(Assignment.id)).limit(number)).all()


def open_second(
    session: Session, *, annotator_id: int, project_id: int, number: int, now: datetime, lease: timedelta = LEASE
) -> tuple[int, ...]:
    """Hand up to `number` items out for the second pass; ids of the assignments. They take no places."""
    found = waiting_for_second(session, annotator_id=annotator_id, project_id=project_id, number=number)
    made = [_second(first, item, now=now, until=now + lease) for first, item, _ in found]
    session.add_all(made)
    session.flush()
    return tuple(one.id or 0 for one in made)


def _second(first: Assignment, item: Item, *, now: datetime, until: datetime) -> Assignment:
    return Assignment(
        project_id=first.project_id,
        item_id=first.item_id,
        item_revision=item.revision,
        annotator_id=first.annotator_id,
        occasion=SECOND,
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
