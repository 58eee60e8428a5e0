"""Undo of an answer: possible until feedback, a decision or another item of the group was shown to the annotator."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Stale
from annotation.store import judgements
from annotation.store.models import Assignment, Item
from annotation.vocabulary import AssignmentStatus, ExclusionKind, ParticipationStatus, ProjectStatus, Stage
from annotation.workflow.assignments import annotator_context, assigned_items, judgement_writer
from annotation.workflow.assignments.annotator_context import AnnotatorContext
from annotation.workflow.assignments.assigned_items import AssignedItem
from annotation.workflow.assignments.judgement_writer import SavedJudgement

EXCLUDED_OR_WITHDRAWN = {ParticipationStatus.EXCLUDED, ParticipationStatus.WITHDRAWN}
"""The statuses of participations that are over for good or until the annotator is readmitted."""


def undo_judgement(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> AssignedItem:
    """Open an answered item for another answer; the stored answer stays final until the other one is submitted.

    Raises Stale where the assignment does not belong to the annotator, or its answer can no longer be changed: another
    item of the group was shown since, the project is closed, the item was training, or the qualification is decided.
    """
    context, assignment, item = annotator_context.load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    judgement = judgements.get_final_judgement(session, assignment.id)
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
    judgement = judgements.get_final_judgement(session, assignment.id)
    if judgement is None:
        raise Stale("This item is not answered.")
    assignment.open_revision = None
    session.add(assignment)
    session.flush()
    return judgement_writer.build_saved_judgement(context, assignment, item, judgement)


def get_open_item(
    session: Session, *, annotator_id: int, assignment_id: int, revision: int, now: datetime
) -> AssignedItem:
    """The item of an assignment that waits for this revision of an answer.

    A first answer (revision 0) may come to a live or an expired assignment, a later revision to one that an undo
    opened. Raises Stale in every other case.
    """
    context, assignment, item = annotator_context.load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    is_live = assignment.status is AssignmentStatus.LIVE and revision == 0
    is_opened = assignment.open_revision is not None and assignment.open_revision == revision
    is_late = assignment.status is AssignmentStatus.EXPIRED and revision == 0
    if not is_live and not is_late and not (is_opened and is_changeable(session, context, assignment, item)):
        raise Stale("This item waits for no answer.")
    return assigned_items.build_assigned_item(session, context, assignment, item)


def is_changeable(session: Session, context: AnnotatorContext, assignment: Assignment, item: Item) -> bool:
    """Whether the annotator may still change the stored answer to an assignment."""
    judgement = judgements.get_final_judgement(session, assignment.id)
    if assignment.status is not AssignmentStatus.DONE or judgement is None:
        return False
    if judgement.excluded_kind is ExclusionKind.EXTRA or assignment.item_revision != item.revision:
        return False
    if context.participation.status in EXCLUDED_OR_WITHDRAWN or context.annotator.suspended_at is not None:
        return False
    if assignment.stage is Stage.TRAINING or context.project.status is ProjectStatus.CLOSED:
        return False
    if assignment.stage is Stage.QUALIFICATION and _is_qualification_decided(context, assignment):
        return False
    return not _was_group_shown_later(session, context, assignment, item)


def _is_qualification_decided(context: AnnotatorContext, assignment: Assignment) -> bool:
    participation = context.participation
    is_undecided = participation.stage is Stage.QUALIFICATION and participation.status is not ParticipationStatus.FAILED
    return not is_undecided or participation.attempt != assignment.attempt


def _was_group_shown_later(session: Session, context: AnnotatorContext, assignment: Assignment, item: Item) -> bool:
    """Whether another item of the group, in any project, was shown to the annotator after this one."""
    is_after = sa.or_(
        col(Assignment.shown_at) > assignment.shown_at,
        sa.and_(col(Assignment.shown_at) == assignment.shown_at, col(Assignment.id) > assignment.id),
    )
    assignments_of_group = (
        select(Assignment.id)
        .join(Item)
        .where(Assignment.annotator_id == context.annotator_id, Item.group_id == item.group_id)
    )
    return (
        session.exec(assignments_of_group.where(Assignment.id != assignment.id, is_after).limit(1)).first() is not None
    )
