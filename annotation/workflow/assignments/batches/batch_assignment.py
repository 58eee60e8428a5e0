"""A batch for a desk: many items at once, by the same claims, controls, caps and blindness as in Telegram."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Stale
from annotation.store.models import Assignment, Item
from annotation.vocabulary import AssignmentStatus, Hindrance, Surface
from annotation.workflow.assignments import annotator_context, assignment_creation, leases
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.assignment_creation import Chosen
from annotation.workflow.assignments.batches import handover
from annotation.workflow.assignments.next_item import choose, hindrance
from annotation.workflow.waiting import Waiting

LEASE = timedelta(days=14)
"""How long a batch waits for its answers, where nothing else is said."""
SECOND = -1
"""The occasion of an item in the second pass; occasions from 0 on are those of work and its repeats."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Ids of the assignments that were handed out, in their order; `waiting` says why they are fewer than asked for.

    Waiting for SEARCHING asks to commit and to call again.
    """

    assignments: tuple[int, ...]
    waiting: Waiting | None = None


def hand_out(
    session: Session,
    *,
    annotator_id: int,
    project_id: int,
    number: int,
    now: datetime,
    lease: timedelta = LEASE,
    handed_over: bool = False,
) -> Batch:
    """Give a person up to `number` more items for her desk, of the stage where she is.

    With `handed_over` only those that Telegram gave up: their places are held for desks. Her live item in Telegram is
    another matter, and stays.
    """
    person = annotator_context.locked(session, annotator_id)
    leases.expire(session, now=now)
    seat = annotator_context.take(session, person, project_id=project_id, now=now)
    if isinstance(seat, Waiting):
        return Batch(assignments=(), waiting=seat)
    waiting = hindrance(session, seat, now=now)
    given: list[int] = []
    held = in_hand(session, annotator_id=annotator_id, project_id=project_id)
    while waiting is None and len(given) < number:
        chosen = _capped(seat, held=held + len(given), now=now) or _next(session, seat, handed_over, now=now)
        if isinstance(chosen, Waiting):
            waiting = chosen
            break
        assignment, _ = assignment_creation.hand(session, seat, chosen, now=now, desk=now + lease)
        given.append(annotator_context.known(assignment.id))
    return Batch(assignments=tuple(given), waiting=waiting)


def in_hand(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project wait at the person's desk, those of a second pass apart."""
    return _count(session, annotator_id, project_id, col(Assignment.occasion) >= 0)


def second_in_hand(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project wait there for their second pass."""
    return _count(session, annotator_id, project_id, col(Assignment.occasion) == SECOND)


def _count(session: Session, annotator_id: int, project_id: int, which: sa.ColumnElement[bool]) -> int:
    held = select(func.count()).select_from(Assignment)
    held = held.where(Assignment.annotator_id == annotator_id, Assignment.project_id == project_id, which)
    held = held.where(Assignment.status == AssignmentStatus.LIVE, Assignment.surface == Surface.LABEL_STUDIO)
    return int(session.exec(held).one())


def borrow(session: Session, *, annotator_id: int, item_id: int, now: datetime) -> int:
    """The assignment of a person who answered at somebody else's desk; it takes a free place with its answer.

    Raises Stale for whoever may not work in the project, and where she has the item in Telegram.
    """
    person = annotator_context.locked(session, annotator_id)
    item = session.get_one(Item, item_id)
    seat = annotator_context.take(session, person, project_id=item.project_id, now=now)
    if isinstance(seat, Waiting):
        raise Stale(f"She may not work in the project: {seat.reason.value}.")
    hers = select(Assignment).where(Assignment.item_id == item_id, Assignment.annotator_id == annotator_id)
    found = session.exec(hers.where(Assignment.occasion == 0)).first()
    if found is not None:
        if found.surface is not Surface.LABEL_STUDIO:
            raise Stale("She has this item in Telegram.")
        return annotator_context.known(found.id)
    waiting = hindrance(session, seat, now=now)
    if waiting is not None:
        raise Stale(f"She may not work in the project: {waiting.reason.value}.")
    made, _ = assignment_creation.hand(session, seat, Chosen(item_id=item_id), now=now, desk=now)
    made.status, made.holds = AssignmentStatus.EXPIRED, False
    session.add(made)
    session.flush()
    return annotator_context.known(made.id)


def _next(session: Session, seat: Seat, handed_over: bool, *, now: datetime) -> Chosen | Waiting:
    if not handed_over:
        return choose(session, seat, now=now)
    item_id = handover.claim(session, seat)
    if item_id is None:
        return Waiting(reason=Hindrance.NOTHING_LEFT, project=seat.project.name)
    return Chosen(item_id=item_id)


def _capped(seat: Seat, *, held: int, now: datetime) -> Waiting | None:
    """Caps count what waits at the desk as answered today; a sitting is hers to end."""
    stands, today = seat.participation, policy.day(now, seat.person.time_zone)
    work = policy.Work(
        answered=stands.answered + held,
        day=today,
        answered_today=(stands.answered_today if stands.day == today else 0) + held,
        sitting_since=None,
        last_at=None,
    )
    cap = policy.capped(seat.definition.caps, work, now=now, zone=seat.person.time_zone)
    return None if cap is None else Waiting(reason=Hindrance.CAP, project=seat.project.name, until=cap.until)
