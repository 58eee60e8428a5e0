"""Undo of an answer: possible until feedback, a decision or another item of the group was shown to the annotator."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Stale
from annotation.store.models import Assignment, Item
from annotation.vocabulary import EXTRA, AssignmentStatus, ParticipationStatus, ProjectStatus, Stage
from annotation.workflow.assignments import annotator_context, assigned_items, judgement_writer
from annotation.workflow.assignments.annotator_context import AnnotatorContext
from annotation.workflow.assignments.assigned_items import AssignedItem
from annotation.workflow.assignments.judgement_writer import SavedJudgement

ENDED_STATUSES = {ParticipationStatus.EXCLUDED, ParticipationStatus.WITHDRAWN}


def undo_judgement(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> AssignedItem:
    """Open an answered item for another answer; the stored one stays final until that comes.

    Raises Stale where the assignment does not belong to the annotator, or can be changed no more: another item of its
    group was shown since, the project is closed, it was training, or the qualification is decided.
    """
    context, assignment, item = annotator_context.load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    judgement = judgement_writer.get_final_judgement(session, assignment)
    if judgement is None or not is_changeable(session, context, assignment, item):
        raise Stale("This answer can be changed no more.")
    assignment.open_revision = judgement.revision + 1
    session.add(assignment)
    session.flush()
    return assigned_items.build_assigned_item(session, context, assignment, item)


def keep_judgement(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> SavedJudgement:
    """Close an item that an undo opened and keep its stored answer. Raises Stale where there is no answer."""
    context, assignment, item = annotator_context.load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    judgement = judgement_writer.get_final_judgement(session, assignment)
    if judgement is None:
        raise Stale("This item is not answered.")
    assignment.open_revision = None
    session.add(assignment)
    session.flush()
    return judgement_writer.build_saved_judgement(context, assignment, item, judgement)


def get_open_item(
    session: Session, *, annotator_id: int, assignment_id: int, revision: int, now: datetime
) -> AssignedItem:
    """The item that waits for this revision of an answer: live, expired, or opened by an undo. Else raises Stale."""
    context, assignment, item = annotator_context.load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    live = assignment.status is AssignmentStatus.LIVE and revision == 0
    opened = assignment.open_revision is not None and assignment.open_revision == revision
    late = assignment.status is AssignmentStatus.EXPIRED and revision == 0
    if not live and not late and not (opened and is_changeable(session, context, assignment, item)):
        raise Stale("This item waits for no answer.")
    return assigned_items.build_assigned_item(session, context, assignment, item)


def is_changeable(session: Session, context: AnnotatorContext, assignment: Assignment, item: Item) -> bool:
    """Whether an answer may still be changed."""
    judgement = judgement_writer.get_final_judgement(session, assignment)
    if assignment.status is not AssignmentStatus.DONE or judgement is None:
        return False
    if judgement.excluded_reason == EXTRA or assignment.item_revision != item.revision:
        return False
    if context.participation.status in ENDED_STATUSES or context.annotator.suspended_at is not None:
        return False
    if assignment.stage is Stage.TRAINING or context.project.status is ProjectStatus.CLOSED:
        return False
    if assignment.stage is Stage.QUALIFICATION and _is_qualification_decided(context, assignment):
        return False
    return not _was_group_shown_later(session, context, assignment, item)


def _is_qualification_decided(context: AnnotatorContext, assignment: Assignment) -> bool:
    participation = context.participation
    undecided = participation.stage is Stage.QUALIFICATION and participation.status is not ParticipationStatus.FAILED
    return not undecided or participation.attempt != assignment.attempt


def _was_group_shown_later(session: Session, context: AnnotatorContext, assignment: Assignment, item: Item) -> bool:
    """Whether another item of the group, in any project, was shown to the annotator since."""
    after = sa.or_(
        col(Assignment.shown_at) > assignment.shown_at,
        sa.and_(col(Assignment.shown_at) == assignment.shown_at, col(Assignment.id) > assignment.id),
    )
    later = (
        select(Assignment.id)
        .join(Item)
        .where(Assignment.annotator_id == context.annotator_id, Item.group_id == item.group_id)
    )
    return session.exec(later.where(Assignment.id != assignment.id, after).limit(1)).first() is not None
