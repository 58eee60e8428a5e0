"""Pass marks: k of n, decided when all are answered, with the interval in the journal; of the qualification there may
be several attempts, with a cool-down, of a training one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from annotation.store import journal
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus, Event, ParticipationStatus, Stage
from annotation.workflow import assignment as policy
from annotation.workflow import golds
from annotation.workflow.work import offers
from annotation.workflow.work.seats import Seat


@dataclass(frozen=True, kw_only=True)
class Decision:
    """How an attempt ended: right answers of so many, their share's 95 % interval, and when she may try again."""

    passed: bool
    right: int
    of: int
    low: float
    high: float
    retry_at: datetime | None


def is_whole(session: Session, seat: Seat) -> bool:
    """Whether as many items of the attempt are answered as its pass mark speaks of, one at the least.

    Where fewer are open, because reports paused some, nobody fails for it: the attempt waits.
    """
    section = seat.definition.stages.qualification
    mark = section.pass_mark if section is not None else None
    answered = _result(session, seat, Stage.QUALIFICATION, attempt=seat.participation.attempt)[1]
    return mark is None or answered >= (mark.of or 1)


def decide(session: Session, seat: Seat, *, now: datetime) -> Decision:
    """Judge the attempt by the answers as they finally stand, and let her go on, try again, or go."""
    attempt = seat.participation.attempt
    right, of = _result(session, seat, Stage.QUALIFICATION, attempt=attempt)
    section, standing = seat.definition.stages.qualification, seat.participation
    mark = section.pass_mark if section is not None else None
    low, high = policy.wilson(right, of) if of else (0.0, 1.0)
    passed = mark is None or mark.reached(right, of)
    more = section is not None and standing.attempt < (section.attempts or 1)
    standing.since = now
    if passed:
        standing.stage, standing.qualified_at = policy.following(seat.definition, Stage.QUALIFICATION), now
    elif more:
        standing.attempt += 1
        standing.retry_at = now + timedelta(seconds=(section.cool_down if section else None) or 0)
    else:
        standing.status, standing.reason = ParticipationStatus.FAILED, f"qualification: {right} of {of} right"
    session.add(standing)
    retry_at = None if passed or not more else standing.retry_at
    made = Decision(passed=passed, right=right, of=of, low=low, high=high, retry_at=retry_at)
    _record(session, seat, made, attempt=attempt, now=now)
    return made


def trained(session: Session, seat: Seat, *, now: datetime) -> bool:
    """Whether a training that is over may be left for the next stage; who missed its pass mark has failed."""
    section = seat.definition.stages.training
    mark = section.pass_mark if section is not None else None
    right, of = _result(session, seat, Stage.TRAINING, attempt=None)
    if mark is None or of == 0:
        return True
    low, high = policy.wilson(right, of)
    made = Decision(passed=mark.reached(right, of), right=right, of=of, low=low, high=high, retry_at=None)
    standing = seat.participation
    if not made.passed:
        standing.status, standing.reason = ParticipationStatus.FAILED, f"training: {right} of {of} right"
        standing.since = now
        session.add(standing)
    _record(session, seat, made, attempt=None, now=now)
    return made.passed


def _result(session: Session, seat: Seat, stage: Stage, *, attempt: int | None) -> tuple[int, int]:
    """Right answers, and all, of this attempt at the stage; a skip is not right."""
    rows = session.exec(
        select(Item, Judgement)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            Assignment.annotator_id == seat.who,
            Assignment.project_id == seat.project_id,
            Assignment.stage == stage,
            Assignment.attempt == attempt,
            Assignment.status == AssignmentStatus.DONE,
        )
        .order_by(col(Assignment.id), col(Judgement.revision))
    ).all()
    final = {judgement.assignment_id: (item, judgement) for item, judgement in rows}
    right = 0
    for item, judgement in final.values():
        asked = offers.questions(seat, item)
        given = judgement.answers or {asked[0].name: judgement.response}
        right += bool(golds.right(item, asked, given))
    return right, len(final)


def _record(session: Session, seat: Seat, made: Decision, *, attempt: int | None, now: datetime) -> None:
    """Journal a decision; `attempt` is None for a training."""
    data = {
        "stage": (Stage.TRAINING if attempt is None else Stage.QUALIFICATION).value,
        "attempt": attempt,
        "right": made.right,
        "of": made.of,
        "low": round(made.low, 6),
        "high": round(made.high, 6),
    }
    event = Event.QUALIFICATION_PASSED if made.passed else Event.QUALIFICATION_FAILED
    journal.record(session, event, now=now, project_id=seat.project_id, annotator_id=seat.who, data=data)
