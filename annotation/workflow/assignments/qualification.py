"""Qualification: whether an annotator passed an attempt at training or qualification, decided by the pass mark.

An attempt is decided when all its items are answered, and recorded in the journal. There may be several attempts with a
cool-down between them; an annotator who misses the last one has failed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, func, select

from aggregation.findings import Finding
from annotation.campaigns.sections.stages import PassMark
from annotation.store import journal, judgements, models
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus, Event, ExclusionKind, ParticipationStatus, Stage
from annotation.workflow.assignments import assigned_items, assignment_policy
from annotation.workflow.assignments.annotator_context import AnnotatorContext
from annotation.workflow.quality import gold_answers


@dataclass(frozen=True, kw_only=True)
class QualificationDecision:
    """The decision on an attempt.

    `stage` is training or qualification. `n_right` of the `n_answered` final answers are right. `n_needed` right
    answers pass, None without a pass mark. `retry_at` is when the next attempt may begin, None where the attempt was
    passed or was the last one. `next_stage` is the stage that the annotator is in now.
    """

    stage: Stage
    next_stage: Stage
    passed: bool
    n_needed: int | None
    n_right: int
    n_answered: int
    retry_at: datetime | None


MARKED_STAGES = (Stage.TRAINING, Stage.QUALIFICATION)
"""The stages in which answers are compared with gold and a pass mark can be set."""


def is_attempt_complete(session: Session, context: AnnotatorContext) -> bool:
    """Whether the attempt has as many answers as the pass mark asks for (`of`), or any answer for a mark like 60 %.

    The callers ask once no item of the stage is left. Without a pass mark an attempt is always complete. Where fewer
    items are open, because reports paused some, it is not.
    """
    pass_mark = _get_pass_mark(context)
    return pass_mark is None or _count_right_answers(session, context)[1] >= (pass_mark.of or 1)


def decide_attempt(session: Session, context: AnnotatorContext, *, now: datetime) -> QualificationDecision:
    """Decide the current attempt by its final answers and return the decision.

    The participation goes to the next stage, to another attempt, or fails. A training without a pass mark is passed
    without an entry in the journal.
    """
    participation, stage, attempt = context.participation, context.participation.stage, context.participation.attempt
    n_right, n_answered = _count_right_answers(session, context)
    section, pass_mark = context.definition.stages.by_name[stage.value], _get_pass_mark(context)
    passed = pass_mark is None or pass_mark.is_reached(n_right, n_answered)
    has_retry = attempt < (section.attempts or 1)
    changes: dict[str, Any] = {"since": now}
    if passed:
        changes["stage"] = assignment_policy.get_next_stage(context.definition, stage)
        changes |= {"qualified_at": now} if stage is Stage.QUALIFICATION else {"attempt": 1}
    elif has_retry:
        changes |= {"attempt": attempt + 1, "retry_at": now + timedelta(seconds=section.cool_down or 0)}
    else:
        reason = Finding(f"{stage.value}-failed", right=n_right, n=n_answered)
        changes |= {"status": ParticipationStatus.FAILED, "reason": reason}
    models.PARTICIPATIONS.update(session, participation, **changes)
    retry_at = None if passed or not has_retry else participation.retry_at
    decision = QualificationDecision(
        stage=stage,
        next_stage=participation.stage,
        passed=passed,
        n_needed=None if pass_mark is None else pass_mark.count_needed(n_answered),
        n_right=n_right,
        n_answered=n_answered,
        retry_at=retry_at,
    )
    if pass_mark is not None or stage is Stage.QUALIFICATION:
        _record_decision(session, context, decision, stage=stage, attempt=attempt, now=now)
    return decision


def find_superseded_assignments(session: Session, assignment_ids: Collection[int | None]) -> set[int]:
    """The ids of those assignments whose answer was given to the item as it was before a substantive fix."""
    superseded_query = select(Judgement.assignment_id).where(
        col(Judgement.assignment_id).in_(assignment_ids),
        judgements.build_stored_kind_condition(ExclusionKind.ITEM_CHANGED),
    )
    return set(session.exec(superseded_query)) if assignment_ids else set()


def _get_pass_mark(context: AnnotatorContext) -> PassMark | None:
    section = context.definition.stages.by_name.get(context.participation.stage.value)
    return section.pass_mark if section is not None else None


def _count_right_answers(session: Session, context: AnnotatorContext) -> tuple[int, int]:
    """The number of right answers and of all answers in the current attempt; a skip is not right.

    Answers from before a substantive fix are left out, so each answer is compared with the gold of its item's revision.
    """
    judgement_rows = session.exec(
        select(Item, Judgement)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            Assignment.annotator_id == context.annotator_id,
            Assignment.project_id == context.project_id,
            Assignment.stage == context.participation.stage,
            func.coalesce(col(Assignment.attempt), 1) == context.participation.attempt,
            Assignment.status == AssignmentStatus.DONE,
            judgements.build_final_revision_condition(),
        )
        .order_by(col(Assignment.id))
    ).all()
    final_by_assignment = {judgement.assignment_id: (item, judgement) for item, judgement in judgement_rows}
    for assignment_id in find_superseded_assignments(session, list(final_by_assignment)):
        del final_by_assignment[assignment_id]
    n_right = 0
    for item, judgement in final_by_assignment.values():
        questions = assigned_items.list_questions(context, item)
        answers = judgement.answers or {questions[0].name: judgement.response}
        n_right += bool(gold_answers.is_item_right(item, questions, answers))
    return n_right, len(final_by_assignment)


def _record_decision(
    session: Session,
    context: AnnotatorContext,
    decision: QualificationDecision,
    *,
    stage: Stage,
    attempt: int,
    now: datetime,
) -> None:
    data = {
        "stage": stage.value,
        "attempt": attempt,
        "right": decision.n_right,
        "of": decision.n_answered,
    }
    event = Event.QUALIFICATION_PASSED if decision.passed else Event.QUALIFICATION_FAILED
    journal.record_event(
        session, event, now=now, project_id=context.project_id, annotator_id=context.annotator_id, data=data
    )
