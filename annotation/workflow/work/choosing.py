"""Which item of a stage comes next for a person: from the pools of her stages, control items, repeats, the ring."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.store import claims, records
from annotation.store.models import Assignment, Exposure, Item
from annotation.vocabulary import AssignmentStatus, Hindrance, ItemStatus, Pool, Stage, Surface
from annotation.workflow import allotments
from annotation.workflow import assignment as policy
from annotation.workflow.waiting import Waiting
from annotation.workflow.work.handing import CAUSES, Chosen
from annotation.workflow.work.seats import Seat

ENDED = (AssignmentStatus.DONE, AssignmentStatus.SKIPPED)
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


def in_training(session: Session, seat: Seat) -> Chosen | None:
    """A training item, in an order of her own; None when she is through."""
    rows = session.exec(select(Assignment).where(*_of(seat, Stage.TRAINING))).all()
    ended = {row.item_id for row in rows if _given(row)}
    section = seat.definition.stages.training
    if section is None or (section.number is not None and len(ended) >= section.number):
        return None
    for item_id in _ordered(session, seat, Pool.TRAINING, Pool.TRAINING.value):
        if item_id not in ended:
            return Chosen(item_id=item_id)
    return None


def in_qualification(session: Session, seat: Seat) -> Chosen | None:
    """An item of her attempt, those before the rest that she has not met; None when it has all its answers."""
    attempt, section = seat.participation.attempt, seat.definition.stages.qualification
    rows = session.exec(select(Assignment).where(*_of(seat, Stage.QUALIFICATION))).all()
    now_ended = {row.item_id for row in rows if row.attempt == attempt and _given(row)}
    if section is None or (section.number is not None and len(now_ended) >= section.number):
        return None
    begun = {row.item_id: row.occasion for row in rows if row.attempt == attempt and row.item_id not in now_ended}
    if begun:
        item_id, occasion = min(begun.items())
        return Chosen(item_id=item_id, occasion=occasion, attempt=attempt)
    times = {row.item_id: row.occasion + 1 for row in sorted(rows, key=lambda row: row.occasion)}
    waiting = [one for one in _ordered(session, seat, Pool.QUALIFICATION, attempt) if one not in now_ended]
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
    return waits or row.status in ENDED


def in_main(session: Session, seat: Seat, *, now: datetime) -> Chosen | Waiting | None:
    """A control item where one stands, a repeat that is due, or the next of the ring."""
    standing, definition = seat.participation, seat.definition
    place = policy.next_place(definition.pages, page=standing.page, on_page=standing.on_page)
    position = standing.shown + 1
    asks = policy.asks_control(definition.controls, definition.pages, place, position=position, key=seat.key)
    if asks:
        control = _control(session, seat)
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
    claim = claims.claim(session, seeker(session, seat, pool), now=now)
    if claim.item_id is not None:
        return Chosen(item_id=claim.item_id, place=place)
    return Waiting(reason=Hindrance.SEARCHING, project=seat.project.name) if claim.again else None


def seeker(session: Session, seat: Seat, pool: Pool) -> claims.Seeker:
    """Who looks for an item of the pool, and in which groups: an allotment keeps some for other projects."""
    return claims.Seeker(
        annotator_id=seat.who,
        project_id=seat.project_id,
        pool=pool,
        cause=CAUSES[pool],
        start=policy.draw(seat.key, "ring", pool.value),
        here=policy.draw(seat.key, "started", seat.participation.shown + 1),
        blind=seat.blind,
        exceptions=seat.exceptions,
        bins=allotments.bins(session, annotator_id=seat.who, project_id=seat.project_id),
    )


def _control(session: Session, seat: Seat) -> int | None:
    """A control item that she has not met, of a group that she has not met where groups may not come twice."""
    hers = select(Assignment.item_id, Assignment.status).where(*_of(seat, Stage.MAIN), records.CONTROL)
    held = dict(session.exec(hers).all())
    expired = {item for item, status in held.items() if status is AssignmentStatus.EXPIRED}
    met = held.keys() - expired
    waiting = [one for one in _ordered(session, seat, Pool.CONTROL, "controls") if one not in met]
    if seat.blind:
        known = _known(session, seat, waiting)
        waiting = [one for one in waiting if one in expired or one not in known]
    return waiting[0] if waiting else None


def _known(session: Session, seat: Seat, items: Collection[int]) -> set[int]:
    """Those of the items whose group she has met in any project but the exceptions."""
    met = (
        sa.select(sa.literal(1))
        .where(col(Exposure.annotator_id) == seat.who, col(Exposure.group_id) == Item.group_id)
        .where(col(Exposure.project_id).not_in(seat.exceptions))
        .limit(1)
        .scalar_subquery()
    )
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
