"""Answers from Label Studio batches: first and changed answers, skips and deletions, each stored once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.errors import Stale
from annotation.store import judgements, models, overlap_counts
from annotation.store.models import AssignmentRow, Judgement
from annotation.vocabulary import (
    DELETED_IN_LABEL_STUDIO,
    POOLS_WITH_OVERLAP,
    SECOND_PASS,
    SECOND_PASS_OCCASION,
    SKIPPED,
    AssignmentStatus,
    ExclusionKind,
    ParticipationStatus,
    ProjectStatus,
    Stage,
    Surface,
    build_item_change,
)
from annotation.workflow.assignments import judgement_writer, second_pass, skips_and_reports, submission
from annotation.workflow.assignments.annotator_context import AnnotatorTransaction, OpenedAssignment
from annotation.workflow.assignments.batches.batch_assignment import DEFAULT_BATCH_LEASE
from annotation.workflow.assignments.judgement_writer import NewAnswer
from annotation.workflow.quality import exclusions


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
    candidates = second_pass.list_candidates(
        session,
        annotator_id=transaction.annotator_id,
        project_id=project_id,
        surface=Surface.LABEL_STUDIO,
        n_items=n_items,
    )
    assignments = [
        second_pass.insert_second_assignment(
            session, first_assignment, item, surface=Surface.LABEL_STUDIO, now=now, lease_until=now + lease
        )
        for first_assignment, item, _ in candidates
    ]
    return tuple(assignment.id or 0 for assignment in assignments)


REVISABLE_KINDS = {
    None, ExclusionKind.ABSTAINED, ExclusionKind.SKIPPED, ExclusionKind.DELETED, ExclusionKind.EXTRA,
}  # fmt: skip
"""Kinds of exclusion that a changed answer removes; an answer excluded for any other reason stays excluded."""


def submit_batch_answer(
    opened: OpenedAssignment,
    *,
    answers: Mapping[str, object],
    seconds: float | None,
    at: datetime,
    now: datetime,
) -> bool:
    """Store an answer that was given in Label Studio at `at`; return False where the same answer is stored already.

    `answers` are raw answers by question name; `seconds` is how long the answer took, None where that is not known. A
    first answer is stored like one from Telegram: where it is late and no place is free, it is kept as extra. A changed
    answer is stored as another revision. Raises Stale where the answer may not be stored, BadInput where it is not
    valid.
    """
    has_steps = opened.context.definition.asks_in_steps
    is_second_pass = opened.assignment.occasion == SECOND_PASS_OCCASION
    steps = 1 if has_steps and not is_second_pass else None
    new_answer = judgement_writer.parse_answers(opened.context, opened.item, answers, steps=steps)
    new_answer = replace(new_answer, at=at, seconds=seconds)
    is_new = _store_answer(opened, new_answer=new_answer, now=now)
    if is_new and has_steps and is_second_pass:
        _complete_first_pass(opened, new_answer=new_answer, now=now)
    return is_new


def skip_batch_item(
    opened: OpenedAssignment,
    *,
    reason: str,
    seconds: float | None,
    at: datetime,
    now: datetime,
) -> bool:
    """Store a skip from Label Studio; return False where the same skip is stored already.

    The parameters are those of `submit_batch_answer`. Raises Stale where the skip may not be stored.
    """
    new_answer = NewAnswer(answers={}, raw="", skip_reason=reason, at=at, seconds=seconds)
    return _store_answer(opened, new_answer=new_answer, now=now)


def withdraw_batch_answer(opened: OpenedAssignment, *, now: datetime) -> bool:
    """Exclude an answer that its annotator deleted in Label Studio, and free its place.

    Returns False where there is no answer, or it did not count and holds no place. Raises Stale once the project
    is closed, or the qualification is decided.
    """
    final = judgements.get_final_judgement(opened.session, opened.assignment_id)
    if final is None or (final.excluded_kind is not None and not opened.assignment.holds_place):
        return False
    _check_changeable(opened)
    exclusions.exclude_answers(
        opened.session,
        assignment_ids=[opened.assignment_id],
        exclusion=DELETED_IN_LABEL_STUDIO,
        post_hoc=False,
        now=now,
    )
    return True


def _complete_first_pass(second: OpenedAssignment, *, new_answer: NewAnswer, now: datetime) -> None:
    """Store the answers of both passes together as an answer of the first pass, in projects that ask in steps."""
    first = replace(second, assignment=second_pass.get_first_assignment(second.session, second.assignment))
    if judgements.get_final_judgement(first.session, first.assignment_id) is not None:
        _store_answer(first, new_answer=new_answer, now=now)


def _store_answer(
    opened: OpenedAssignment,
    *,
    new_answer: NewAnswer,
    now: datetime,
) -> bool:
    final = judgements.get_final_judgement(opened.session, opened.assignment_id)
    if final is None:
        _set_shown_time(opened, new_answer)
        _store_first(opened, new_answer=new_answer, now=now)
        return True
    is_same = (
        judgement_writer.get_stored_answers(opened.context, final) == dict(new_answer.answers)
        and final.skip_reason == new_answer.skip_reason
    )
    if is_same and final.excluded_kind is not ExclusionKind.DELETED:
        return False
    _check_changeable(opened)
    if new_answer.skip_reason is None:
        _store_changed_answer(opened, final, new_answer=new_answer, now=now)
    else:
        _store_skip_after_answer(opened, final, new_answer=new_answer, now=now)
    return True


def _set_shown_time(opened: OpenedAssignment, new_answer: NewAnswer) -> None:
    """Set when the item was opened in Label Studio: the time of the answer minus the seconds that it took."""
    assigned_at = opened.assignment.assigned_at
    if new_answer.at is not None and assigned_at is not None:
        shown_at = max(assigned_at, new_answer.at - timedelta(seconds=new_answer.seconds or 0))
        models.ASSIGNMENTS.update(opened.session, opened.assignment, shown_at=shown_at)


def _store_first(
    opened: OpenedAssignment,
    *,
    new_answer: NewAnswer,
    now: datetime,
) -> None:
    session, context, assignment = opened.session, opened.context, opened.assignment
    if assignment.occasion == SECOND_PASS_OCCASION:
        submission.check_participation(session, context)
        _end_assignment(session, assignment, AssignmentStatus.DONE)
        judgement_writer.write_judgement(opened, new_answer, revision=0, exclusion=SECOND_PASS, now=now)
    elif assignment.status is AssignmentStatus.SKIPPED:  # a fix of the item ended the assignment
        submission.check_participation(session, context)
        if assignment.holds_place:
            overlap_counts.release_place(session, item_id=assignment.item_id, done=False, now=now)
        _end_assignment(session, assignment, AssignmentStatus.SKIPPED)
        exclusion = build_item_change(opened.item.revision)
        judgement_writer.write_judgement(opened, new_answer, revision=0, exclusion=exclusion, now=now)
    elif new_answer.skip_reason is None:
        submission.store_first_answer(opened, new_answer=new_answer, now=now)
    elif assignment.status is AssignmentStatus.EXPIRED and not context.is_baseline:
        submission.check_participation(session, context)
        _end_assignment(session, assignment, AssignmentStatus.SKIPPED)
        judgement_writer.write_judgement(opened, new_answer, revision=0, exclusion=SKIPPED, now=now)
    else:
        skips_and_reports.store_skip(opened, new_answer=new_answer, now=now)


def _store_changed_answer(
    opened: OpenedAssignment,
    final: Judgement,
    *,
    new_answer: NewAnswer,
    now: datetime,
) -> None:
    session, assignment = opened.session, opened.assignment
    stays_excluded = final.excluded_kind not in REVISABLE_KINDS
    exclusion = final.exclusion if stays_excluded else new_answer.exclusion
    judgement = judgement_writer.write_judgement(
        opened,
        new_answer,
        revision=final.revision + 1,
        exclusion=exclusion,
        post_hoc=stays_excluded and final.post_hoc,
        now=now,
    )
    status = assignment.status if stays_excluded else AssignmentStatus.DONE
    models.ASSIGNMENTS.update(session, assignment, open_revision=None, status=status)
    if not stays_excluded and exclusions.restore_place(session, assignment):
        submission.apply_consequences(opened, judgement, now=now)


def _store_skip_after_answer(
    opened: OpenedAssignment,
    final: Judgement,
    *,
    new_answer: NewAnswer,
    now: datetime,
) -> None:
    """Store a skip after an answer: in a baseline it keeps the answer's place, elsewhere it frees the place.

    An answer that stays excluded for its earlier reason keeps its status and place.
    """
    session, assignment = opened.session, opened.assignment
    stays_excluded = final.excluded_kind not in REVISABLE_KINDS
    frees_place = not opened.context.is_baseline and opened.item.pool in POOLS_WITH_OVERLAP and not assignment.is_repeat
    exclusion = final.exclusion if stays_excluded else SKIPPED if frees_place else None
    if frees_place and assignment.holds_place and not stays_excluded:
        overlap_counts.release_place(session, item_id=assignment.item_id, done=True, now=now)
    if frees_place and not stays_excluded:
        _end_assignment(session, assignment, AssignmentStatus.SKIPPED)
    judgement_writer.write_judgement(opened, new_answer, revision=final.revision + 1, exclusion=exclusion, now=now)
    if not frees_place and not stays_excluded:
        exclusions.restore_place(session, assignment)


def _end_assignment(session: Session, assignment: AssignmentRow, status: AssignmentStatus) -> None:
    models.ASSIGNMENTS.update(session, assignment, status=status, holds_place=False)


def _check_changeable(opened: OpenedAssignment) -> None:
    """Raise Stale where the stored answer may no longer be changed."""
    session, context, assignment = opened.session, opened.context, opened.assignment
    submission.check_participation(session, context)
    if context.project.status is ProjectStatus.CLOSED:
        raise Stale("The project is closed; the answer was not changed.")
    participation = context.participation
    decided = participation.stage is not Stage.QUALIFICATION or participation.attempt != assignment.attempt
    if assignment.stage is Stage.QUALIFICATION and (decided or participation.status is ParticipationStatus.FAILED):
        raise Stale("The qualification is decided; the answer was not changed.")
