"""Skips of items with a reason, and reports of problems with items; an item with enough reports is paused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from annotation.errors import Stale
from annotation.store import journal, models, overlap_counts, table_base
from annotation.store.models import Annotator, Assignment, ItemRow, Participation, Report
from annotation.vocabulary import POOLS_WITH_OVERLAP, SKIPPED, AssignmentStatus, Event, ItemStatus
from annotation.workflow.assignments import assignment_policy, judgement_writer, submission, undo
from annotation.workflow.assignments.annotator_context import AnnotatorContext, OpenedAssignment
from annotation.workflow.assignments.judgement_writer import NewAnswer, SavedJudgement

DEFAULT_REPORT_THRESHOLD = 2
"""The number of annotators with open reports at which an item is paused, where the project file sets none."""


@dataclass(frozen=True, kw_only=True)
class SavedReport:
    """A stored report; `repeated`: the annotator had reported the same before, `paused`: the item is paused."""

    repeated: bool
    paused: bool


def skip_item(opened: OpenedAssignment, *, reason: str, now: datetime) -> SavedJudgement:
    """Skip a live item and store the reason.

    In a baseline, in pools without overlap and in repeats the skip counts as the answer and scores nothing. Elsewhere
    the item's place is freed for another annotator, and this annotator does not get the item again. Raises Stale where
    the assignment is answered.
    """
    earlier = judgement_writer.get_judgement(opened, revision=0)
    if earlier is not None:
        if earlier.skip_reason is None:
            raise Stale("This item is answered already.")
        return judgement_writer.build_saved_judgement(opened, earlier, repeated=True)
    new_answer = NewAnswer(answers={}, raw="", skip_reason=reason)
    if opened.is_second_pass:
        return submission.store_second_answer(opened, revision=0, new_answer=new_answer, now=now)
    return store_skip(opened, new_answer=new_answer, now=now)


def store_skip(opened: OpenedAssignment, *, new_answer: NewAnswer, now: datetime) -> SavedJudgement:
    """Store a skip of an assignment that has no judgement yet, as the answer or with its place released."""
    is_without_overlap = opened.item.pool not in POOLS_WITH_OVERLAP or opened.assignment.is_repeat
    if opened.context.is_baseline or is_without_overlap:
        return submission.store_first_answer(opened, new_answer=new_answer, now=now)
    return _skip_and_release(opened, new_answer=new_answer, now=now)


def _skip_and_release(opened: OpenedAssignment, *, new_answer: NewAnswer, now: datetime) -> SavedJudgement:
    session, context, assignment = opened.session, opened.context, opened.assignment
    if context.participation.status in undo.EXCLUDED_OR_WITHDRAWN:
        raise Stale("This person takes part no more.")
    held_place = assignment.holds_place
    skipped = (
        sa.update(Assignment)
        .where(col(Assignment.id) == assignment.id, col(Assignment.status) == AssignmentStatus.LIVE)
        .values(status=AssignmentStatus.SKIPPED, holds_place=False)
    )
    if session.connection().execute(skipped).rowcount != 1:
        raise Stale("This item is closed.")
    if held_place:
        overlap_counts.release_place(session, item_id=assignment.item_id, done=False, now=now)
    table_base.set_values(assignment, {"status": AssignmentStatus.SKIPPED, "holds_place": False})
    if new_answer.at is None:
        activity = assignment_policy.count_activity(context.participation, now=now)
        opened.transaction.update_participation(context.participation, **activity)
    judgement = judgement_writer.write_judgement(opened, new_answer, revision=0, exclusion=SKIPPED, now=now)
    return judgement_writer.build_saved_judgement(opened, judgement)


def report_item(opened: OpenedAssignment, *, reason: str, text: str = "", now: datetime) -> SavedReport:
    """Report a problem with an item; the annotator may answer it all the same.

    An annotator can report several problems with one item; the same one is stored once. The item is paused when enough
    annotators have open reports about it; those who withdrew or were excluded or suspended are not counted.
    """
    session, context, item = opened.session, opened.context, opened.item
    models.ITEMS.refresh(session, item, lock=True)
    item_id = table_base.require_id(item.id)
    earlier = select(Report.id).where(Report.item_id == item_id, Report.annotator_id == context.annotator_id)
    same = earlier.where(Report.reason == reason, Report.text == text, col(Report.resolved_at).is_(None))
    if session.exec(same).first() is not None:
        return SavedReport(repeated=True, paused=item.status is ItemStatus.PAUSED)
    session.add(
        Report(
            item_id=item_id,
            annotator_id=context.annotator_id,
            assignment_id=opened.assignment_id,
            reason=reason,
            text=text,
            at=now,
        )
    )
    session.flush()
    return SavedReport(repeated=False, paused=_pause_if_reported(session, context, item, now=now))


def _build_report_count_query(context: AnnotatorContext, item: ItemRow) -> SelectOfScalar[int]:
    """The query that counts the annotators who have open reports on the item and still take part."""
    is_of_reporter = col(Participation.annotator_id) == Report.annotator_id
    return (
        select(func.count(sa.distinct(col(Report.annotator_id))))
        .select_from(Report)
        .join(Participation, sa.and_(is_of_reporter, col(Participation.project_id) == context.project_id))
        .join(Annotator, col(Annotator.id) == Report.annotator_id)
        .where(
            Report.item_id == item.id,
            col(Report.resolved_at).is_(None),
            col(Participation.status).not_in(undo.EXCLUDED_OR_WITHDRAWN),
            col(Annotator.suspended_at).is_(None),
        )
    )


def _pause_if_reported(session: Session, context: AnnotatorContext, item: ItemRow, *, now: datetime) -> bool:
    """Pause the item if it is open and has enough open reports; return whether it is paused now."""
    section = context.definition.reports
    n_reports = session.exec(_build_report_count_query(context, item)).one()
    if item.status is not ItemStatus.OPEN:
        return item.status is ItemStatus.PAUSED
    if n_reports < (DEFAULT_REPORT_THRESHOLD if section is None else section.threshold):
        return False
    overlap_counts.pause_item(session, item_id=table_base.require_id(item.id))
    data = {"item": item.external_id, "reports": n_reports}
    journal.record_event(session, Event.ITEM_PAUSED, now=now, project_id=context.project_id, data=data)
    return True
