"""Answers from Label Studio batches: first and changed answers, skips and deletions, each stored once as a revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from sqlmodel import Session, select

from annotation.errors import Stale
from annotation.store import overlap_counts
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import (
    ABSTAINED,
    BESIDE_GOLD,
    DELETED,
    EXTRA,
    POOLS_WITH_OVERLAP,
    SKIPPED,
    AssignmentStatus,
    ParticipationStatus,
    ProjectStatus,
    Stage,
    Surface,
)
from annotation.workflow.assignments import annotator_context, judgement_writer, skips_and_reports, submission
from annotation.workflow.assignments.annotator_context import AnnotatorContext
from annotation.workflow.assignments.batches.batch_assignment import SECOND_PASS
from annotation.workflow.assignments.judgement_writer import GivenAnswer
from annotation.workflow.quality import exclusions

REVISABLE_REASONS = {None, ABSTAINED, SKIPPED, DELETED, EXTRA}
"""Exclusion reasons that end with the next revision of an answer; all other reasons stay with it."""


def submit_batch_answer(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    answers: Mapping[str, object],
    seconds: float | None,
    at: datetime,
    now: datetime,
) -> bool:
    """Store an answer that was given in Label Studio at `at`; False where the same answer is stored already.

    A first answer is stored like one from Telegram; one that is late, or finds no place, is kept as extra. A
    changed answer is another revision. Raises Stale where it may not be stored, BadInput where it is not valid.
    """
    context, assignment, item = _load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    has_steps = any(question.step > 1 for question in context.definition.all_questions)
    steps = 1 if has_steps and assignment.occasion != SECOND_PASS else None
    given = replace(submission.parse_answers(context, item, answers, steps=steps), at=at, seconds=seconds)
    is_new = _store_answer(session, context, assignment, item, given=given, now=now)
    if is_new and has_steps and assignment.occasion == SECOND_PASS:
        _complete_first_pass(session, context, assignment, item, given=given, now=now)
    return is_new


def skip_batch_item(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    reason: str,
    seconds: float | None,
    at: datetime,
    now: datetime,
) -> bool:
    """Store a skip from Label Studio; False where it is stored already. Raises Stale where it may not be stored."""
    context, assignment, item = _load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    given = GivenAnswer(answers={}, raw="", skip_reason=reason, at=at, seconds=seconds)
    return _store_answer(session, context, assignment, item, given=given, now=now)


def withdraw_batch_answer(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> bool:
    """Exclude an answer that its annotator deleted in Label Studio, and free its place; False where it did not count.

    Raises Stale once the project is closed, or the qualification is decided.
    """
    context, assignment, _ = _load_assignment(session, annotator_id=annotator_id, assignment_id=assignment_id, now=now)
    final = judgement_writer.get_final_judgement(session, assignment)
    if final is None or (final.excluded_reason is not None and not assignment.holds_place):
        return False
    _check_changeable(session, context, assignment)
    exclusions.exclude_answers(session, assignment_ids=[assignment_id], reason=DELETED, post_hoc=False, now=now)
    return True


def _complete_first_pass(
    session: Session, context: AnnotatorContext, second: Assignment, item: Item, *, given: GivenAnswer, now: datetime
) -> None:
    """Store the answers of both passes together as the first pass's answer, where the project asks in steps."""
    own = select(Assignment).where(
        Assignment.item_id == second.item_id, Assignment.annotator_id == context.annotator_id
    )
    first = session.exec(own.where(Assignment.occasion == 0)).one()
    if judgement_writer.get_final_judgement(session, first) is not None:
        _store_answer(session, context, first, item, given=given, now=now)


def _load_assignment(
    session: Session, *, annotator_id: int, assignment_id: int, now: datetime
) -> tuple[AnnotatorContext, Assignment, Item]:
    return annotator_context.load_assignment(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now, surface=Surface.LABEL_STUDIO
    )


def _store_answer(
    session: Session,
    context: AnnotatorContext,
    assignment: Assignment,
    item: Item,
    *,
    given: GivenAnswer,
    now: datetime,
) -> bool:
    final = judgement_writer.get_final_judgement(session, assignment)
    if final is None:
        _set_shown_time(assignment, given)
        _store_first(session, context, assignment, item, given=given, now=now)
        return True
    same = (
        judgement_writer.get_stored_answers(context, final) == dict(given.answers)
        and final.skip_reason == given.skip_reason
    )
    if same and final.excluded_reason != DELETED:
        return False
    _check_changeable(session, context, assignment)
    if given.skip_reason is None:
        _store_changed_answer(session, context, assignment, final, given=given, now=now)
    else:
        _store_skip_after_answer(session, context, assignment, item, final, given=given, now=now)
    return True


def _set_shown_time(assignment: Assignment, given: GivenAnswer) -> None:
    """Set when the item was opened in Label Studio: known only from when it was answered and how long that took."""
    if given.at is not None and assignment.assigned_at is not None:
        assignment.shown_at = max(assignment.assigned_at, given.at - timedelta(seconds=given.seconds or 0))


def _store_first(
    session: Session,
    context: AnnotatorContext,
    assignment: Assignment,
    item: Item,
    *,
    given: GivenAnswer,
    now: datetime,
) -> None:
    if assignment.occasion == SECOND_PASS:
        submission.check_participation(session, context)
        _end_assignment(session, assignment, AssignmentStatus.DONE)
        judgement_writer.write_judgement(session, context, assignment, given, revision=0, excluded=BESIDE_GOLD, now=now)
    elif assignment.status is AssignmentStatus.SKIPPED:  # a fix of the item ended it
        submission.check_participation(session, context)
        if assignment.holds_place:
            overlap_counts.release_place(session, item_id=assignment.item_id, done=False, now=now)
        _end_assignment(session, assignment, AssignmentStatus.SKIPPED)
        reason = f"the item was changed: revision {item.revision}"
        judgement_writer.write_judgement(session, context, assignment, given, revision=0, excluded=reason, now=now)
    elif given.skip_reason is None:
        submission.store_first_answer(session, context, assignment, item, given=given, now=now)
    elif assignment.status is AssignmentStatus.EXPIRED and not context.is_baseline:
        submission.check_participation(session, context)
        _end_assignment(session, assignment, AssignmentStatus.SKIPPED)
        judgement_writer.write_judgement(session, context, assignment, given, revision=0, excluded=SKIPPED, now=now)
    else:
        skips_and_reports.store_skip(session, context, assignment, item, given=given, now=now)


def _store_changed_answer(
    session: Session,
    context: AnnotatorContext,
    assignment: Assignment,
    final: Judgement,
    *,
    given: GivenAnswer,
    now: datetime,
) -> None:
    stays_excluded = final.excluded_reason not in REVISABLE_REASONS
    reason = final.excluded_reason if stays_excluded else given.excluded
    judgement = judgement_writer.write_judgement(
        session, context, assignment, given, revision=final.revision + 1, excluded=reason, now=now
    )
    judgement.post_hoc = stays_excluded and final.post_hoc
    assignment.open_revision = None
    if not stays_excluded:
        assignment.status = AssignmentStatus.DONE
    session.add_all([judgement, assignment])
    session.flush()
    if not stays_excluded and exclusions.restore_place(session, assignment):
        submission.apply_consequences(session, context, assignment, now=now)


def _store_skip_after_answer(
    session: Session,
    context: AnnotatorContext,
    assignment: Assignment,
    item: Item,
    final: Judgement,
    *,
    given: GivenAnswer,
    now: datetime,
) -> None:
    """Store a skip after an answer: in a baseline it keeps the answer's place, elsewhere it frees the place."""
    stays_excluded = final.excluded_reason not in REVISABLE_REASONS
    free = not context.is_baseline and item.pool in POOLS_WITH_OVERLAP and not assignment.is_repeat
    reason = final.excluded_reason if stays_excluded else SKIPPED if free else None
    if free and assignment.holds_place and not stays_excluded:
        overlap_counts.release_place(session, item_id=assignment.item_id, done=True, now=now)
    if free and not stays_excluded:
        _end_assignment(session, assignment, AssignmentStatus.SKIPPED)
    judgement_writer.write_judgement(
        session, context, assignment, given, revision=final.revision + 1, excluded=reason, now=now
    )
    if not free and not stays_excluded:
        exclusions.restore_place(session, assignment)


def _end_assignment(session: Session, assignment: Assignment, status: AssignmentStatus) -> None:
    assignment.status, assignment.holds_place = status, False
    session.add(assignment)
    session.flush()


def _check_changeable(session: Session, context: AnnotatorContext, assignment: Assignment) -> None:
    """Raise Stale where the stored answer may no longer be changed."""
    submission.check_participation(session, context)
    if context.project.status is ProjectStatus.CLOSED:
        raise Stale("The project is closed; the answer stands as it was.")
    participation = context.participation
    decided = participation.stage is not Stage.QUALIFICATION or participation.attempt != assignment.attempt
    if assignment.stage is Stage.QUALIFICATION and (decided or participation.status is ParticipationStatus.FAILED):
        raise Stale("The qualification is decided; the answer stands as it was.")
