"""Pass marks of the training and the qualification: k of n, decided when all are answered, with the interval in the
journal. There may be several attempts, with a cool-down; whoever misses the mark in the last has failed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from annotation.campaigns.stages import PassMark
from annotation.store import journal
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import CHANGED, AssignmentStatus, Event, ParticipationStatus, Stage
from annotation.workflow.assignments import assigned_items
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.quality import gold_answers


@dataclass(frozen=True, kw_only=True)
class Decision:
    """How an attempt ended: right answers of so many, their share's 95 % interval, and when she may try again."""

    passed: bool
    right: int
    of: int
    low: float
    high: float
    retry_at: datetime | None


MARKED = (Stage.TRAINING, Stage.QUALIFICATION)


def is_whole(session: Session, seat: Seat) -> bool:
    """Whether as many items of the attempt are answered as the pass mark of her stage speaks of, one at the least.

    Where fewer are open, because reports paused some, nobody fails for it: the attempt waits.
    """
    mark = _mark(seat)
    return mark is None or _result(session, seat)[1] >= (mark.of or 1)


def decide(session: Session, seat: Seat, *, now: datetime) -> Decision:
    """Judge the attempt by the answers as they finally stand, and let her go on, try again, or go.

    A training without a pass mark is passed without a word in the journal.
    """
    standing, stage, attempt = seat.participation, seat.participation.stage, seat.participation.attempt
    right, of = _result(session, seat)
    section, mark = seat.definition.stages.named[stage.value], _mark(seat)
    low, high = policy.wilson(right, of) if of else (0.0, 1.0)
    passed = mark is None or mark.reached(right, of)
    more = attempt < (section.attempts or 1)
    standing.since = now
    if passed:
        standing.stage = policy.following(seat.definition, stage)
        if stage is Stage.QUALIFICATION:
            standing.qualified_at = now
        else:
            standing.attempt = 1
    elif more:
        standing.attempt += 1
        standing.retry_at = now + timedelta(seconds=section.cool_down or 0)
    else:
        standing.status, standing.reason = ParticipationStatus.FAILED, f"{stage.value}: {right} of {of} right"
    session.add(standing)
    retry_at = None if passed or not more else standing.retry_at
    made = Decision(passed=passed, right=right, of=of, low=low, high=high, retry_at=retry_at)
    if mark is not None or stage is Stage.QUALIFICATION:
        _record(session, seat, made, stage=stage, attempt=attempt, now=now)
    return made


def superseded(session: Session, assignment_ids: Collection[int | None]) -> set[int]:
    """Those of the assignments whose answer is to the item as it was before a substantive fix."""
    chosen = select(Judgement.assignment_id).where(
        col(Judgement.assignment_id).in_(assignment_ids),
        col(Judgement.excluded_reason).startswith(CHANGED),
    )
    return set(session.exec(chosen)) if assignment_ids else set()


def _mark(seat: Seat) -> PassMark | None:
    section = seat.definition.stages.named.get(seat.participation.stage.value)
    return section.pass_mark if section is not None else None


def _result(session: Session, seat: Seat) -> tuple[int, int]:
    """Right answers, and all, of her attempt at her stage; a skip is not right.

    Each is judged by the gold that it was given to: a fix that changes gold takes the older answers out.
    """
    rows = session.exec(
        select(Item, Judgement)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            Assignment.annotator_id == seat.who,
            Assignment.project_id == seat.project_id,
            Assignment.stage == seat.participation.stage,
            func.coalesce(col(Assignment.attempt), 1) == seat.participation.attempt,
            Assignment.status == AssignmentStatus.DONE,
        )
        .order_by(col(Assignment.id), col(Judgement.revision))
    ).all()
    final = {judgement.assignment_id: (item, judgement) for item, judgement in rows}
    for old in superseded(session, list(final)):
        del final[old]
    right = 0
    for item, judgement in final.values():
        asked = assigned_items.questions(seat, item)
        given = judgement.answers or {asked[0].name: judgement.response}
        right += bool(gold_answers.right(item, asked, given))
    return right, len(final)


def _record(session: Session, seat: Seat, made: Decision, *, stage: Stage, attempt: int, now: datetime) -> None:
    data = {
        "stage": stage.value,
        "attempt": attempt,
        "right": made.right,
        "of": made.of,
        "low": round(made.low, 6),
        "high": round(made.high, 6),
    }
    event = Event.QUALIFICATION_PASSED if made.passed else Event.QUALIFICATION_FAILED
    journal.record(session, event, now=now, project_id=seat.project_id, annotator_id=seat.who, data=data)
