"""Which item of a stage comes next for a person: from the pools of her stages, control items, repeats, the ring."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.store import item_queue, judgements
from annotation.store.item_queue_sql import Seeker
from annotation.store.models import Assignment, Exposure, Item
from annotation.vocabulary import AssignmentStatus, Cause, Hindrance, ItemStatus, Pool, Stage, Surface
from annotation.workflow.allocation import group_allocation
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments import qualification
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.assignment_creation import CAUSES, Chosen
from annotation.workflow.waiting import Waiting

ENDED = (AssignmentStatus.DONE, AssignmentStatus.SKIPPED)
EXPIRED = sa.text("assignment.status = 'expired'")
AT_DESK = sa.and_(col(Assignment.status) == AssignmentStatus.LIVE, col(Assignment.surface) == Surface.LABEL_STUDIO)
"""What waits at a person's desk: a batch is many live items at once."""


def in_pilot(session: Session, seat: Seat, *, now: datetime) -> Chosen | Waiting | None:
    """An item of the pilot, at most `number` for a person; None when she is through."""
    section = seat.definition.stages.pilot
    if section is not None and section.number is not None:
        counted = select(func.count()).select_from(Assignment).where(*_of(seat, Stage.PILOT))
        if session.exec(counted.where(col(Assignment.status).in_(ENDED) | AT_DESK)).one() >= section.number:
            return None
    return _claimed(session, seat, Pool.PILOT, now=now)


def in_attempt(session: Session, seat: Seat, stage: Stage) -> Chosen | None:
    """An item of her attempt at the training or the qualification, in an order of the attempt's own, those that she has
    not met before the rest; None when the attempt has all its answers.

    An answer to an item as it was before a fix is none: the attempt goes on with another item, or with the fixed one.
    """
    attempt, section = seat.participation.attempt, seat.definition.stages.named.get(stage.value)
    rows = session.exec(select(Assignment).where(*_of(seat, stage))).all()
    mine = [row for row in rows if (row.attempt or 1) == attempt]
    old = qualification.superseded(session, [row.id for row in mine if row.status is AssignmentStatus.DONE])
    ended = {row.item_id for row in mine if _given(row) and row.id not in old}
    if section is None or (section.number is not None and len(ended) >= section.number):
        return None
    times = {row.item_id: row.occasion + 1 for row in sorted(rows, key=lambda row: row.occasion)}
    waiting = [one for one in _ordered(session, seat, Pool(stage.value), attempt) if one not in ended]
    held = {row.item_id: row for row in mine if row.status is AssignmentStatus.EXPIRED}
    begun = [held[one] for one in sorted(waiting) if one in held]
    if begun:
        return Chosen(item_id=begun[0].item_id, occasion=begun[0].occasion, attempt=begun[0].attempt)
    if not waiting:
        return None
    first = min(waiting, key=lambda one: times.get(one, 0))
    return Chosen(item_id=first, occasion=times.get(first, 0), attempt=attempt)


def at_desk(session: Session, seat: Seat) -> bool:
    """Whether items of her stage wait at her desk; she goes on when they are answered."""
    waiting = select(Assignment.id).where(*_of(seat, seat.participation.stage), AT_DESK)
    return session.exec(waiting.limit(1)).first() is not None


def _given(row: Assignment) -> bool:
    """Whether an item need not be given to her again in this attempt."""
    waits = row.status is AssignmentStatus.LIVE and row.surface is Surface.LABEL_STUDIO
    return waits or row.status is AssignmentStatus.DONE


def in_main(session: Session, seat: Seat, *, now: datetime) -> Chosen | Waiting | None:
    """A control item where one stands, a repeat that is due, or the next of the ring."""
    standing, definition = seat.participation, seat.definition
    place = policy.next_place(definition.pages, page=standing.page, on_page=standing.on_page)
    position = standing.shown + 1
    asks = policy.asks_control(definition.controls, definition.pages, place, position=position, key=seat.key)
    control = _returning(session, seat) or (_control(session, seat) if asks else None)
    if control is not None:
        return Chosen(item_id=control, place=place)
    repeat = _repeat(session, seat, now=now)
    if repeat is not None and policy.draw(seat.key, "repeat", position) < policy.REPEATS_DRAWN:
        return Chosen(item_id=repeat, occasion=1, is_repeat=True, place=place)
    found = _claimed(session, seat, Pool.MAIN, now=now, place=place)
    if isinstance(found, Chosen):
        standing.uncontrolled += asks
    elif found is None and repeat is not None:
        return Chosen(item_id=repeat, occasion=1, is_repeat=True, place=place)
    return found


def _claimed(
    session: Session, seat: Seat, pool: Pool, *, now: datetime, place: policy.Place | None = None
) -> Chosen | Waiting | None:
    claim = item_queue.claim(session, seeker(session, seat, pool), now=now)
    if claim.item_id is not None:
        return Chosen(item_id=claim.item_id, item=claim.item, open_items=claim.open_items, place=place)
    return Waiting(reason=Hindrance.SEARCHING, project=seat.project.name) if claim.again else None


def seeker(session: Session, seat: Seat, pool: Pool) -> Seeker:
    """Who looks for an item of the pool, and in which groups: an allotment keeps some for other projects."""
    return Seeker(
        annotator_id=seat.who,
        project_id=seat.project_id,
        pool=pool,
        cause=CAUSES[pool],
        start=policy.draw(seat.key, "ring", pool.value),
        here=policy.draw(seat.key, "started", seat.participation.shown + 1),
        blind=seat.blind,
        exceptions=seat.exceptions,
        bins=group_allocation.bins(session, annotator_id=seat.who, project_id=seat.project_id)
        if seat.allotted
        else None,
    )


def _returning(session: Session, seat: Seat) -> int | None:
    """The control item that was hers until its lease ran out: it comes first, like every other item, and keeps its
    place, so that the place where she is now has its own. Not where she has met its group elsewhere since."""
    if seat.definition.controls is None:
        return None
    lapsed = (
        select(Assignment.item_id)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(Assignment.annotator_id == seat.who, Assignment.project_id == seat.project_id, EXPIRED)
        .where(judgements.CONTROL, Item.status == ItemStatus.OPEN)
    )
    if seat.blind:
        own = (col(Exposure.project_id) == seat.project_id) & (col(Exposure.cause) == Cause.CONTROL)
        lapsed = lapsed.where(~_met(seat).where(~own).exists())
    return session.exec(lapsed.order_by(col(Assignment.id)).limit(1)).first()


def _control(session: Session, seat: Seat) -> int | None:
    """A control item that she has not met, of a group that she has not met where groups may not come twice."""
    met = set(session.exec(select(Assignment.item_id).where(*_of(seat, Stage.MAIN), judgements.CONTROL)))
    waiting = [one for one in _ordered(session, seat, Pool.CONTROL, "controls") if one not in met]
    if seat.blind:
        known = _known(session, seat, waiting)
        waiting = [one for one in waiting if one not in known]
    return waiting[0] if waiting else None


def _met(seat: Seat) -> sa.Select[int]:
    """That she has met the item's group in any project but the exceptions."""
    return (
        sa.select(sa.literal(1))
        .where(col(Exposure.annotator_id) == seat.who, col(Exposure.group_id) == Item.group_id)
        .where(col(Exposure.project_id).not_in(seat.exceptions))
    )


def _known(session: Session, seat: Seat, items: Collection[int]) -> set[int]:
    """Those of the items whose group she has met in any project but the exceptions."""
    met = _met(seat).limit(1).scalar_subquery()
    chosen = select(Item.id).where(col(Item.id).in_(items), met.is_not(None))
    return {one for one in session.exec(chosen) if one is not None}


def _repeat(session: Session, seat: Seat, *, now: datetime) -> int | None:
    """The item that waits longest to come to her once more."""
    if seat.definition.repeats is None:
        return None
    due = (
        select(Assignment.item_id)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(Assignment.annotator_id == seat.who, Assignment.project_id == seat.project_id)
        .where(Item.status == ItemStatus.OPEN)
    )
    due = due.where(col(Assignment.repeat_at).is_not(None), col(Assignment.repeat_at) <= now)
    again = aliased(Assignment)
    waits = select(again.id).where(
        again.item_id == Assignment.item_id,
        again.annotator_id == seat.who,
        again.occasion == 1,
        again.status == AssignmentStatus.LIVE,
        again.surface == Surface.LABEL_STUDIO,
    )
    due = due.where(~waits.exists())
    return session.exec(due.order_by(col(Assignment.repeat_at), col(Assignment.id)).limit(1)).first()


def _ordered(session: Session, seat: Seat, pool: Pool, *key: object) -> Sequence[int]:
    """The open items of a pool that has no places, in an order of the person's own."""
    chosen = select(Item.external_id, Item.id).where(
        Item.project_id == seat.project_id, Item.pool == pool, Item.status == ItemStatus.OPEN, sa.text("pool <> 'main'")
    )
    ids = dict(session.exec(chosen).all())
    return [one for name in policy.shuffled(list(ids), seat.key, *key) if (one := ids[name]) is not None]


def _of(seat: Seat, stage: Stage) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        col(Assignment.annotator_id) == seat.who,
        col(Assignment.project_id) == seat.project_id,
        col(Assignment.stage) == stage,
    )
