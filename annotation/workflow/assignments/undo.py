"""Undo of an answer or a skip: possible until feedback, a decision or another item of the group was shown."""

from __future__ import annotations

import sqlalchemy as sa
from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store import judgements, models
from annotation.store.models import Assignment, AssignmentRow, Item
from annotation.vocabulary import AssignmentStatus, ExclusionKind, ParticipationStatus, ProjectStatus, Stage
from annotation.workflow.assignments import assigned_items, judgement_writer
from annotation.workflow.assignments.annotator_context import AnnotatorContext, OpenedAssignment
from annotation.workflow.assignments.assigned_items import AssignedItem
from annotation.workflow.assignments.judgement_writer import SavedJudgement

EXCLUDED_OR_WITHDRAWN = {ParticipationStatus.EXCLUDED, ParticipationStatus.WITHDRAWN}
"""The statuses of participations that are over for good or until the annotator is readmitted."""


def undo_judgement(opened: OpenedAssignment) -> AssignedItem:
    """Open an answered or skipped item for another answer; what is stored stays final until the other is submitted.

    Raises Stale where the answer can no longer be changed: another item of the group was shown since, the project is
    closed, the item was training, or the qualification is decided.
    """
    session, assignment = opened.session, opened.assignment
    judgement = judgements.get_final_judgement(session, assignment.id)
    if judgement is None or not is_changeable(opened):
        raise Stale("This answer can be changed no more.")
    models.ASSIGNMENTS.update(session, assignment, open_revision=judgement.revision + 1)
    return assigned_items.build_assigned_item(opened)


def keep_judgement(opened: OpenedAssignment) -> SavedJudgement:
    """Close an item that an undo opened and keep its stored answer. Raises Stale where there is no answer."""
    session, assignment = opened.session, opened.assignment
    judgement = judgements.get_final_judgement(session, assignment.id)
    if judgement is None:
        raise Stale("This item is not answered.")
    models.ASSIGNMENTS.update(session, assignment, open_revision=None)
    return judgement_writer.build_saved_judgement(opened, judgement)


def get_open_item(opened: OpenedAssignment, *, revision: int) -> AssignedItem:
    """The item of an assignment that waits for this revision of an answer.

    A first answer (revision 0) may come to a live or an expired assignment, a later revision to one that an undo
    opened. Raises Stale in every other case.
    """
    assignment = opened.assignment
    is_live = assignment.status is AssignmentStatus.LIVE and revision == 0
    is_opened = assignment.open_revision is not None and assignment.open_revision == revision
    is_late = assignment.status is AssignmentStatus.EXPIRED and revision == 0
    if not is_live and not is_late and not (is_opened and is_changeable(opened)):
        raise Stale("This item waits for no answer.")
    return assigned_items.build_assigned_item(opened)


def is_changeable(opened: OpenedAssignment) -> bool:
    """Whether the annotator may still change the stored answer to an assignment."""
    context, assignment, item = opened.context, opened.assignment, opened.item
    judgement = judgements.get_final_judgement(opened.session, assignment.id)
    if assignment.status not in {AssignmentStatus.DONE, AssignmentStatus.SKIPPED} or judgement is None:
        return False
    if judgement.excluded_kind is ExclusionKind.EXTRA or assignment.item_revision != item.revision:
        return False
    if context.participation.status in EXCLUDED_OR_WITHDRAWN or context.annotator.suspended_at is not None:
        return False
    if assignment.stage is Stage.TRAINING or context.project.status is ProjectStatus.CLOSED:
        return False
    if assignment.stage is Stage.QUALIFICATION and _is_qualification_decided(context, assignment):
        return False
    return not _was_group_shown_later(opened)


def _is_qualification_decided(context: AnnotatorContext, assignment: AssignmentRow) -> bool:
    participation = context.participation
    is_undecided = participation.stage is Stage.QUALIFICATION and participation.status is not ParticipationStatus.FAILED
    return not is_undecided or participation.attempt != assignment.attempt


def _was_group_shown_later(opened: OpenedAssignment) -> bool:
    """Whether another item of the group, in any project, was shown to the annotator after this one."""
    assignment = opened.assignment
    is_after = sa.or_(
        col(Assignment.shown_at) > assignment.shown_at,
        sa.and_(col(Assignment.shown_at) == assignment.shown_at, col(Assignment.id) > assignment.id),
    )
    assignments_of_group = (
        select(Assignment.id)
        .join(Item)
        .where(Assignment.annotator_id == assignment.annotator_id, Item.group_id == opened.item.group_id)
    )
    return (
        opened.session.exec(assignments_of_group.where(Assignment.id != assignment.id, is_after).limit(1)).first()
        is not None
    )
