"""Submission of answers: each revision is stored once, late ones too, and then the quality rules are applied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, col, select

from annotation.campaigns.questions import ChoiceQuestion, QuestionContent
from annotation.campaigns.questions import question_base as reading
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.errors import Stale
from annotation.store import item_queue, overlap_counts
from annotation.store.models import Assignment, Item
from annotation.vocabulary import (
    ABSTAINED,
    EXTRA,
    POOLS_WITH_OVERLAP,
    AssignmentStatus,
    ParticipationStatus,
    ProjectStatus,
    Stage,
)
from annotation.workflow.annotators import access
from annotation.workflow.assignments import (
    annotator_context,
    assigned_items,
    item_selection,
    judgement_writer,
    leases,
    qualification,
    undo,
)
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import AnnotatorContext
from annotation.workflow.assignments.judgement_writer import GivenAnswer, SavedJudgement
from annotation.workflow.assignments.qualification import QualificationDecision
from annotation.workflow.quality import enforcement


def submit_judgement(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    revision: int,
    answers: Mapping[str, object],
    now: datetime,
) -> SavedJudgement:
    """Store an answer; the same answer to the same revision is stored once only.

    Raises Stale where the assignment does not belong to the annotator, has a different answer already or is closed, and
    BadInput, with the question's own message, for an answer that is not valid.
    """
    context, assignment, item = annotator_context.load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    given = parse_answers(context, item, answers)
    live = assignment.status is AssignmentStatus.LIVE and revision == 0  # then nothing is stored yet
    earlier = None if live else judgement_writer.get_judgement(session, assignment_id, revision)
    if earlier is not None:
        if (
            judgement_writer.get_stored_answers(context, earlier) != dict(given.answers)
            or earlier.skip_reason is not None
        ):
            raise Stale("This item is answered already.")
        return judgement_writer.build_saved_judgement(context, assignment, item, earlier, repeated=True)
    if revision == 0:
        return store_first_answer(session, context, assignment, item, given=given, now=now)
    if assignment.open_revision != revision or not undo.is_changeable(session, context, assignment, item):
        raise Stale("This answer can be changed no more.")
    return _store_revision(session, context, assignment, item, given=given, now=now)


def store_first_answer(
    session: Session,
    context: AnnotatorContext,
    assignment: Assignment,
    item: Item,
    *,
    given: GivenAnswer,
    now: datetime,
) -> SavedJudgement:
    """Store the first answer to an assignment that is live, or whose lease has expired."""
    check_participation(session, context)
    if context.project.status is ProjectStatus.CLOSED:
        leases.expire_lease(session, assignment, now=now)
    excluded = given.excluded
    if not _mark_done(session, assignment, status=AssignmentStatus.LIVE, holds=assignment.holds_place):
        late_exclusion = enforcement.get_exclusion_reason(context.participation)
        if late_exclusion is None and not _is_still_needed(session, context, assignment, item):
            late_exclusion = EXTRA
        holds = late_exclusion is None and item.pool in POOLS_WITH_OVERLAP and not assignment.is_repeat
        if not _mark_done(session, assignment, status=AssignmentStatus.EXPIRED, holds=holds):
            raise Stale("This item is closed.")
        excluded = late_exclusion or excluded
    judgement = judgement_writer.write_judgement(
        session, context, assignment, given, revision=0, excluded=excluded, now=now
    )
    if assignment.holds_place:
        if not assignment.exposed and annotator_context.is_exposed_by_exception(session, context, item):
            assignment.exposed = True
        overlap_counts.fill_place(session, item_id=item.id or 0)
    _update_counts(session, context, assignment, item, given=given, now=now)
    decision = _decide_qualification(session, context, assignment, now=now)
    apply_consequences(session, context, assignment, now=now)
    return judgement_writer.build_saved_judgement(context, assignment, item, judgement, decision=decision)


def check_participation(session: Session, context: AnnotatorContext) -> None:
    """Raise Stale where no answer of this annotator may be stored any more."""
    if context.participation.status is ParticipationStatus.WITHDRAWN:
        raise Stale("This person takes part no more.")
    if access.has_refused_consent(session, participation=context.participation, terms=context.terms):
        raise Stale("You did not agree, or took your consent back; agree to go on.")


def parse_answers(
    context: AnnotatorContext, item: Item, raw: Mapping[str, object], *, steps: int | None = None
) -> GivenAnswer:
    """Parse raw answers to the questions of the first `steps` steps, or of all.

    Raises BadInput for answers that are not valid.
    """
    questions = tuple(
        question for question in assigned_items.list_questions(context, item) if steps is None or question.step <= steps
    )
    material = QuestionContent(
        options=None if item.options is None else tuple(item.options),
        fields={name: value if isinstance(value, str) else str(value) for name, value in item.data.items()},
    )
    parsed = reading.parse_answers(questions, raw, material)
    first = questions[0]
    label = parsed.get(first.name)
    text = judgement_writer.get_answer_text(questions, item, first.name, label or "")
    raw_text = text if len(questions) == 1 else json.dumps(dict(raw), ensure_ascii=False, default=str)
    abstained = isinstance(first, ChoiceQuestion) and first.abstain is not None and label == first.abstain
    return GivenAnswer(answers=parsed, raw=raw_text, excluded=ABSTAINED if abstained else None)


def _mark_done(session: Session, assignment: Assignment, *, status: AssignmentStatus, holds: bool) -> bool:
    """Mark an assignment of this status as answered; False where its status is another one by now."""
    values = {"assignment": assignment.id, "before": status, "place": holds}
    if session.connection().execute(_MARK_DONE, values).rowcount != 1:
        return False
    set_committed_value(assignment, "status", AssignmentStatus.DONE)
    set_committed_value(assignment, "holds_place", holds)
    return True


def _is_still_needed(session: Session, context: AnnotatorContext, assignment: Assignment, item: Item) -> bool:
    """Whether an answer that came after its lease is still needed; if so, it takes a place again."""
    if assignment.status is not AssignmentStatus.EXPIRED and assignment.status is not AssignmentStatus.LIVE:
        return False
    if context.project.status is ProjectStatus.CLOSED or context.annotator.suspended_at is not None:
        return False
    if item.pool not in POOLS_WITH_OVERLAP or assignment.is_repeat:
        return True
    if item_queue.has_met_group_elsewhere(
        session, item_selection.build_queue_query(session, context, item.pool), item_id=item.id or 0
    ):
        return False
    return overlap_counts.take_place(session, item_id=item.id or 0)


def _store_revision(
    session: Session,
    context: AnnotatorContext,
    assignment: Assignment,
    item: Item,
    *,
    given: GivenAnswer,
    now: datetime,
) -> SavedJudgement:
    revision, assignment.open_revision = assignment.open_revision or 0, None
    if assignment.repeat_at is not None and context.definition.repeats is not None:
        assignment.repeat_at = now + timedelta(seconds=context.definition.repeats.after)
    session.add(assignment)
    judgement = judgement_writer.write_judgement(
        session, context, assignment, given, revision=revision, excluded=given.excluded, now=now
    )
    apply_consequences(session, context, assignment, now=now)
    return judgement_writer.build_saved_judgement(context, assignment, item, judgement)


def _update_counts(
    session: Session,
    context: AnnotatorContext,
    assignment: Assignment,
    item: Item,
    *,
    given: GivenAnswer,
    now: datetime,
) -> None:
    """Update the participation's counts and work session, and plan or clear the item's repeat."""
    participation = context.participation
    if given.at is None:
        annotator_context.record_activity(participation, now=now)
    if assignment.stage is Stage.MAIN:
        today = policy.get_local_date(now, context.annotator.time_zone)
        participation.answered += 1
        participation.answered_today = participation.answered_today + 1 if participation.day == today else 1
        participation.day = today
    if assignment.is_repeat:
        _clear_repeat(session, assignment)
    elif _draw_repeat(context, assignment, item, given):
        after = context.definition.repeats.after if context.definition.repeats is not None else 0
        assignment.repeat_at = now + timedelta(seconds=after)
    session.add_all([participation, assignment])


def _draw_repeat(context: AnnotatorContext, assignment: Assignment, item: Item, given: GivenAnswer) -> bool:
    """Whether a seeded draw chooses the item to be repeated later."""
    repeats = context.definition.repeats
    if (
        repeats is None
        or not assignment.holds_place
        or assignment.stage is not Stage.MAIN
        or given.skip_reason is not None
    ):
        return False
    return policy.draw_number(context.seed_key, "comes again", item.external_id) < repeats.share


def _clear_repeat(session: Session, assignment: Assignment) -> None:
    """Mark the item's repeat as no longer due."""
    due = sa.update(Assignment).where(
        col(Assignment.item_id) == assignment.item_id,
        col(Assignment.annotator_id) == assignment.annotator_id,
        col(Assignment.occasion) == 0,
    )
    session.connection().execute(due.values(repeat_at=None))


def _decide_qualification(
    session: Session, context: AnnotatorContext, assignment: Assignment, *, now: datetime
) -> QualificationDecision | None:
    """The decision on the qualification, where this was the last answer of the attempt."""
    if assignment.stage is not Stage.QUALIFICATION or assignment.attempt != context.participation.attempt:
        return None
    if context.participation.stage is not Stage.QUALIFICATION:
        return None
    if item_selection.select_attempt_item(session, context, Stage.QUALIFICATION) is not None:
        return None
    if not qualification.is_attempt_complete(session, context):
        return None
    return qualification.decide_attempt(session, context, now=now)


def apply_consequences(session: Session, context: AnnotatorContext, assignment: Assignment, *, now: datetime) -> None:
    """Enforce the quality rules after an answer, and add a place where dynamic overlap wants another answer."""
    project, definition = context.project, context.definition
    if definition.quality or not assignment.holds_place:
        enforcement.enforce_rules(
            session,
            project=project,
            definition=definition,
            assignment_id=annotator_context.require_id(assignment.id),
            now=now,
        )
    if not isinstance(definition.overlap, DynamicOverlap) or not assignment.holds_place:
        return
    item_id = assignment.item_id
    full = select(Item.id).where(Item.id == item_id, Item.free == 0, Item.held == 0, Item.n_done == Item.n_live)
    if session.exec(full).first() is not None and enforcement.needs_more_answers(
        session, project=project, definition=definition, item_id=item_id
    ):
        overlap_counts.add_places(session, item_id=item_id, number=1, now=now)


_MARK_DONE = (
    sa.update(Assignment)
    .where(col(Assignment.id) == sa.bindparam("assignment"), col(Assignment.status) == sa.bindparam("before"))
    .values(status=AssignmentStatus.DONE, holds_place=sa.bindparam("place"))
)
