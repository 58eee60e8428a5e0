"""An item is put into a person's hands: the assignment with its lease, the exposure, her position and page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import row_writer
from annotation.store.models import Assignment, Exposure, Item
from annotation.store.models.base import Moment
from annotation.vocabulary import AssignmentStatus, Cause, Pool, Surface
from annotation.workflow.assignments import annotator_context, assigned_items
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.assignment_policy import Place

CAUSES = {
    Pool.MAIN: Cause.ANSWERED,
    Pool.PILOT: Cause.PILOT,
    Pool.TRAINING: Cause.TRAINING,
    Pool.QUALIFICATION: Cause.QUALIFICATION,
    Pool.CONTROL: Cause.CONTROL,
}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The item that comes next: as which occasion, in which attempt, whether it is a repeat, where on which page.

    `item` is there where it was read already, and was never hers; `open_items` as `claims.Claim` has it.
    """

    item_id: int
    item: Item | None = None
    open_items: int | None = None
    occasion: int = 0
    attempt: int | None = None
    is_repeat: bool = False
    place: Place | None = None


def hand(
    session: Session, seat: Seat, chosen: Chosen, *, now: datetime, desk: datetime | None = None
) -> tuple[Assignment, Item]:
    """Give the item to the person; an assignment of hers that expired is hers again, at its old position.

    `desk` is until when it waits at her desk; without it, it is shown to her now, in Telegram.
    """
    item = chosen.item or session.get_one(Item, chosen.item_id, populate_existing=True)
    found = _before(session, seat, chosen) if chosen.item is None else None
    if found is None:
        found = _made(seat, item, chosen, now=now)
        _move_on(seat, chosen.place)
    found.surface = Surface.TELEGRAM if desk is None else Surface.LABEL_STUDIO
    found.exposed = found.exposed or exposed(session, seat, item)
    found.status = AssignmentStatus.LIVE
    found.holds = item.pool.placed and not chosen.is_repeat
    found.item_revision = item.revision
    found.instructions_sha256 = seat.project.instructions_sha256
    found.stimulus_sha256 = item.stimulus_sha256
    found.shown_at = now
    if desk is None:
        renew(seat, found, now=now)
        annotator_context.be_active(seat.participation, now=now)
    else:
        found.lease_until = desk
    row_writer.write(session, seat.participation)
    row_writer.write(session, found)
    _expose(session, seat, item, now=now)
    return found, item


def _before(session: Session, seat: Seat, chosen: Chosen) -> Assignment | None:
    """Her assignment of the same item and occasion, which she let expire."""
    hers = select(Assignment).where(Assignment.item_id == chosen.item_id, Assignment.annotator_id == seat.who)
    return session.exec(hers.where(Assignment.occasion == chosen.occasion)).first()


def renew(seat: Seat, assignment: Assignment, *, now: datetime) -> None:
    """Let an assignment wait for its answer anew."""
    assignment.lease_until = now + timedelta(seconds=seat.definition.lease or policy.LEASE_SECONDS)


def _made(seat: Seat, item: Item, chosen: Chosen, *, now: datetime) -> Assignment:
    orders = assigned_items.orders(seat, item, occasion=chosen.occasion)
    return Assignment(
        project_id=seat.project_id,
        item_id=chosen.item_id,
        annotator_id=seat.who,
        occasion=chosen.occasion,
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.LIVE,
        stage=item.stage,
        is_control=item.pool is Pool.CONTROL,
        is_repeat=chosen.is_repeat,
        attempt=chosen.attempt,
        position=seat.participation.shown + 1,
        page=None if chosen.place is None else chosen.place.page,
        option_order=orders.get(seat.definition.asked[0].name),
        option_orders=orders if len(seat.definition.asked) > 1 else None,
        assigned_at=now,
    )


def _move_on(seat: Seat, place: Place | None) -> None:
    seat.participation.shown += 1
    if place is not None:
        seat.participation.page, seat.participation.on_page = place.page, place.place


def exposed(session: Session, seat: Seat, item: Item) -> bool:
    """Whether a baseline's exception let her meet a group that she knew."""
    if not (seat.blind and seat.exceptions and item.pool.placed):
        return False
    met = sa.select(sa.literal(1)).where(
        col(Exposure.annotator_id) == seat.who,
        col(Exposure.group_id) == item.group_id,
        col(Exposure.project_id).in_(seat.exceptions),
    )
    return session.connection().execute(met.limit(1)).first() is not None


def _expose(session: Session, seat: Seat, item: Item, *, now: datetime) -> None:
    met = {"who": seat.who, "group": item.group_id, "project": seat.project_id, "cause": CAUSES[item.pool].value}
    session.connection().execute(_MEET, met | {"at": now})


_MEET = sa.text("""
INSERT INTO exposure (annotator_id, group_id, project_id, cause, at) VALUES (:who, :group, :project, :cause, :at)
ON CONFLICT DO NOTHING""").bindparams(sa.bindparam("at", type_=Moment()))
