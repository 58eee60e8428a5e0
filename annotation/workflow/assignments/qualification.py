"""Pass marks of training and qualification: decided when all items of an attempt are answered, and recorded in the
journal with a confidence interval. There may be several attempts, with a cool-down; missing the last one is a failure.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from aggregation.intervals import wilson_interval
from annotation.campaigns.sections.stages import PassMark
from annotation.store import journal
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import CHANGED, AssignmentStatus, Event, ParticipationStatus, Stage
from annotation.workflow.assignments import assigned_items
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import AnnotatorContext
from annotation.workflow.quality import gold_answers


@dataclass(frozen=True, kw_only=True)
class QualificationDecision:
    """How an attempt ended: right answers, of how many, the 95 % interval of their share, and when to try again."""

    passed: bool
    right: int
    of: int
    low: float
    high: float
    retry_at: datetime | None


MARKED_STAGES = (Stage.TRAINING, Stage.QUALIFICATION)


def is_attempt_complete(session: Session, context: AnnotatorContext) -> bool:
    """Whether the attempt has as many answers as the stage's pass mark names, at least one.

    Where fewer items are open, because reports paused some, the attempt waits.
    """
    mark = _get_pass_mark(context)
    return mark is None or _count_right_answers(session, context)[1] >= (mark.of or 1)


def decide_attempt(session: Session, context: AnnotatorContext, *, now: datetime) -> QualificationDecision:
    """Decide the attempt by its final answers: the participation goes to the next stage, to another attempt, or fails.

    A training without a pass mark is passed without an entry in the journal.
    """
    participation, stage, attempt = context.participation, context.participation.stage, context.participation.attempt
    right, of = _count_right_answers(session, context)
    section, mark = context.definition.stages.by_name[stage.value], _get_pass_mark(context)
    interval = wilson_interval(right, of)
    passed = mark is None or mark.is_reached(right, of)
    has_retry = attempt < (section.attempts or 1)
    participation.since = now
    if passed:
        participation.stage = policy.get_next_stage(context.definition, stage)
        if stage is Stage.QUALIFICATION:
            participation.qualified_at = now
        else:
            participation.attempt = 1
    elif has_retry:
        participation.attempt += 1
        participation.retry_at = now + timedelta(seconds=section.cool_down or 0)
    else:
        participation.status, participation.reason = ParticipationStatus.FAILED, f"{stage.value}: {right} of {of} right"
    session.add(participation)
    retry_at = None if passed or not has_retry else participation.retry_at
    decision = QualificationDecision(
        passed=passed,
        right=right,
        of=of,
        low=interval.low or 0.0,
        high=1.0 if interval.high is None else interval.high,
        retry_at=retry_at,
    )
    if mark is not None or stage is Stage.QUALIFICATION:
        _record_decision(session, context, decision, stage=stage, attempt=attempt, now=now)
    return decision


def find_superseded(session: Session, assignment_ids: Collection[int | None]) -> set[int]:
    """Those of the assignments whose answer is to the item as it was before a substantive fix."""
    superseded = select(Judgement.assignment_id).where(
        col(Judgement.assignment_id).in_(assignment_ids),
        col(Judgement.excluded_reason).startswith(CHANGED),
    )
    return set(session.exec(superseded)) if assignment_ids else set()


def _get_pass_mark(context: AnnotatorContext) -> PassMark | None:
    section = context.definition.stages.by_name.get(context.participation.stage.value)
    return section.pass_mark if section is not None else None


def _count_right_answers(session: Session, context: AnnotatorContext) -> tuple[int, int]:
    """The number of right answers and of all answers in the current attempt; a skip is not right.

    Answers from before a substantive fix are left out, so each answer is compared with the gold of its item's revision.
    """
    rows = session.exec(
        select(Item, Judgement)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            Assignment.annotator_id == context.annotator_id,
            Assignment.project_id == context.project_id,
            Assignment.stage == context.participation.stage,
            func.coalesce(col(Assignment.attempt), 1) == context.participation.attempt,
            Assignment.status == AssignmentStatus.DONE,
        )
        .order_by(col(Assignment.id), col(Judgement.revision))
    ).all()
    final = {judgement.assignment_id: (item, judgement) for item, judgement in rows}
    for assignment_id in find_superseded(session, list(final)):
        del final[assignment_id]
    right = 0
    for item, judgement in final.values():
        questions = assigned_items.list_questions(context, item)
        answers = judgement.answers or {questions[0].name: judgement.response}
        right += bool(gold_answers.is_item_right(item, questions, answers))
    return right, len(final)


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
        "right": decision.right,
        "of": decision.of,
        "low": round(decision.low, 6),
        "high": round(decision.high, 6),
    }
    event = Event.QUALIFICATION_PASSED if decision.passed else Event.QUALIFICATION_FAILED
    journal.record_event(
        session, event, now=now, project_id=context.project_id, annotator_id=context.annotator_id, data=data
    )
