"""Undo: a slip may be mended until it would tell, or until another item of the group was shown."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Stale
from annotation.store.models import Assignment, Item
from annotation.vocabulary import EXTRA, AssignmentStatus, ParticipationStatus, ProjectStatus, Stage
from annotation.workflow.assignments import annotator_context, assigned_items, judgement_writer
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.assigned_items import Offer
from annotation.workflow.assignments.judgement_writer import Saved

GONE = {ParticipationStatus.EXCLUDED, ParticipationStatus.WITHDRAWN}


def undo(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> Offer:
    """Open an answered item for another answer; the one that is there stands until it comes.

    Raises Stale where it is not hers or closed: another item of its group was shown to her since, the project is
    closed, it was training, or the qualification is decided.
    """
    seat, assignment, item = annotator_context.held(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    standing = judgement_writer.standing(session, assignment)
    if standing is None or not is_open(session, seat, assignment, item):
        raise Stale("This answer can be changed no more.")
    assignment.open_revision = standing.revision + 1
    session.add(assignment)
    session.flush()
    return assigned_items.offer(session, seat, assignment, item)


def keep(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> Saved:
    """Leave an answer as it stands after all: what an undo opened is closed. Raises Stale where there is no answer."""
    seat, assignment, item = annotator_context.held(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    standing = judgement_writer.standing(session, assignment)
    if standing is None:
        raise Stale("This item is not answered.")
    assignment.open_revision = None
    session.add(assignment)
    session.flush()
    return judgement_writer.saved(seat, assignment, item, standing)


def waiting(session: Session, *, annotator_id: int, assignment_id: int, revision: int, now: datetime) -> Offer:
    """The item that waits for this revision of an answer: live, or opened by an undo. Raises Stale for any other."""
    seat, assignment, item = annotator_context.held(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    live = assignment.status is AssignmentStatus.LIVE and revision == 0
    opened = assignment.open_revision is not None and assignment.open_revision == revision
    late = assignment.status is AssignmentStatus.EXPIRED and revision == 0
    if not live and not late and not (opened and is_open(session, seat, assignment, item)):
        raise Stale("This item waits for no answer.")
    return assigned_items.offer(session, seat, assignment, item)


def is_open(session: Session, seat: Seat, assignment: Assignment, item: Item) -> bool:
    """Whether an answer may still be changed."""
    standing = judgement_writer.standing(session, assignment)
    if assignment.status is not AssignmentStatus.DONE or standing is None:
        return False
    if standing.excluded_reason == EXTRA or assignment.item_revision != item.revision:
        return False
    if seat.participation.status in GONE or seat.person.suspended_at is not None:
        return False
    if assignment.stage is Stage.TRAINING or seat.project.status is ProjectStatus.CLOSED:
        return False
    if assignment.stage is Stage.QUALIFICATION and _decided(seat, assignment):
        return False
    return not _another_came(session, seat, assignment, item)


def _decided(seat: Seat, assignment: Assignment) -> bool:
    standing = seat.participation
    undecided = standing.stage is Stage.QUALIFICATION and standing.status is not ParticipationStatus.FAILED
    return not undecided or standing.attempt != assignment.attempt


def _another_came(session: Session, seat: Seat, assignment: Assignment, item: Item) -> bool:
    """Whether another item of the group, in any project, was shown to her since."""
    after = sa.or_(
        col(Assignment.shown_at) > assignment.shown_at,
        sa.and_(col(Assignment.shown_at) == assignment.shown_at, col(Assignment.id) > assignment.id),
    )
    later = select(Assignment.id).join(Item).where(Assignment.annotator_id == seat.who, Item.group_id == item.group_id)
    return session.exec(later.where(Assignment.id != assignment.id, after).limit(1)).first() is not None
