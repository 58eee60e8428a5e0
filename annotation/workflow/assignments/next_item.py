"""The next item of a person: the one in her hands, else the next of the project whose turn it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from annotation.store.models import Annotator
from annotation.vocabulary import AssignmentStatus, Hindrance, ProjectStatus, Stage
from annotation.workflow.allocation import programmes
from annotation.workflow.annotators import access, declining
from annotation.workflow.assignments import (
    annotator_context,
    assigned_items,
    assignment_creation,
    eligibility,
    item_selection,
    leases,
    qualification,
)
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.assigned_items import Offer
from annotation.workflow.assignments.assignment_creation import Chosen
from annotation.workflow.assignments.eligibility import Look
from annotation.workflow.waiting import Waiting

HERS = declining.HERS
"""What she can do something about at once: she is asked for it before any later project, until she declines."""


def next_item(
    session: Session,
    *,
    annotator_id: int,
    now: datetime,
    project_id: int | None = None,
    turn: Sequence[int] | None = None,
    seen: Look | None = None,
) -> Offer | Waiting:
    """The live item of this person, else a new one, of that project if one is named; else why there is none.

    `turn` are the projects to try, in order, in place of those before which she stands; none for the live item alone.
    `seen` is a look that was taken in this transaction, with nothing handed out since.

    Waiting for SEARCHING asks to commit and to call again at once.
    """
    person = annotator_context.locked(session, annotator_id)
    if seen is None:
        seen = eligibility.look(session, annotator_id=annotator_id, project_id=project_id, now=now)
    if seen.overdue:
        leases.expire(session, now=now, but=annotator_id)
    found = _in_hand(session, person, assignment_id=seen.live, now=now) if seen.live is not None else None
    if found is not None:
        return found
    waits: list[Waiting] = []
    asked = programmes.turn(seen.doors) if project_id is None else (project_id,)
    for one in asked if turn is None else turn:
        offered = _of_project(session, person, project_id=one, now=now)
        if isinstance(offered, Offer) or _asks(offered) or offered.reason is Hindrance.SEARCHING:
            return offered
        waits.append(offered)
    return _told([*waits, *(programmes.full(seen.doors) if turn is None else ())])


def look(session: Session, *, annotator_id: int, now: datetime) -> Look:
    """What a person has in hand, and before which projects she stands, for whoever chooses among them."""
    annotator_context.locked(session, annotator_id)
    return eligibility.look(session, annotator_id=annotator_id, project_id=None, now=now)


def _told(waits: list[Waiting]) -> Waiting:
    """What to tell a person who gets nothing anywhere: what time lifts first, else the first that is no mere lack."""
    passing = sorted((one for one in waits if one.until is not None), key=lambda one: one.until.timestamp())  # type: ignore[union-attr]
    telling = [one for one in waits if one.reason is not Hindrance.NOTHING_LEFT]
    return next(iter([*passing, *telling, *waits]), Waiting(reason=Hindrance.NOTHING_LEFT))


def _asks(waiting: Waiting) -> bool:
    return waiting.reason in HERS and not waiting.declined


def _in_hand(session: Session, person: Annotator, *, assignment_id: int, now: datetime) -> Offer | Waiting | None:
    """Her live item, its lease renewed; one that she may not answer any more is taken out of her hands."""
    seat, live, item = annotator_context.held(
        session, annotator_id=person.id or 0, assignment_id=assignment_id, now=now
    )
    if live.status is not AssignmentStatus.LIVE:
        return None
    hindered = hindrance(session, seat, now=now)
    if hindered is not None and _asks(hindered):
        return hindered
    if hindered is not None:
        leases.lapse_one(session, live, now=now)
        return None
    if live.lease_until is not None and live.lease_until < now:
        assignment_creation.renew(seat, live, now=now)
    live.item_revision, live.stimulus_sha256 = item.revision, item.stimulus_sha256
    session.add(live)
    return assigned_items.offer(session, seat, live, item)


def _of_project(session: Session, person: Annotator, *, project_id: int, now: datetime) -> Offer | Waiting:
    seat = annotator_context.take(session, person, project_id=project_id, now=now)
    if isinstance(seat, Waiting):
        return seat
    hindered = hindrance(session, seat, now=now) or _capped(seat, now=now)
    if hindered is not None:
        return hindered
    declining.forget(seat.participation)
    chosen = choose(session, seat, now=now)
    if isinstance(chosen, Waiting):
        return chosen
    assignment, item = assignment_creation.hand(session, seat, chosen, now=now)
    return assigned_items.offer(session, seat, assignment, item, open_items=chosen.open_items)


def hindrance(session: Session, seat: Seat, *, now: datetime) -> Waiting | None:
    """What keeps her from the items of the project now."""
    if seat.project.status is not ProjectStatus.RUNNING:
        return Waiting(reason=Hindrance.NOT_RUNNING, project=seat.project.name)
    return access.hindrance(
        session,
        person=seat.person,
        project=seat.project,
        definition=seat.definition,
        participation=seat.participation,
        now=now,
        known=seat.terms,
    )


def _capped(seat: Seat, *, now: datetime) -> Waiting | None:
    stands = seat.participation
    work = policy.Work(
        answered=stands.answered,
        day=stands.day,
        answered_today=stands.answered_today,
        sitting_since=stands.sitting_since,
        last_at=stands.last_at,
    )
    cap = policy.capped(seat.definition.caps, work, now=now, zone=seat.person.time_zone)
    return None if cap is None else Waiting(reason=Hindrance.CAP, project=seat.project.name, until=cap.until)


def choose(session: Session, seat: Seat, *, now: datetime) -> Chosen | Waiting:
    """The next item of her stage, or of the first later one that has any."""
    stands = seat.participation
    nothing = Waiting(reason=Hindrance.NOTHING_LEFT, project=seat.project.name)
    while stands.stage is not Stage.MAIN:
        chosen = _of_stage(session, seat, now=now)
        if chosen is not None:
            return chosen
        if item_selection.at_desk(session, seat):
            return nothing
        if stands.stage in qualification.MARKED:
            if not qualification.is_whole(session, seat):
                return nothing
            if not qualification.decide(session, seat, now=now).passed:
                return hindrance(session, seat, now=now) or choose(session, seat, now=now)
            continue
        stands.stage, stands.since = policy.following(seat.definition, stands.stage), now
        session.add(stands)
    return item_selection.in_main(session, seat, now=now) or nothing


def _of_stage(session: Session, seat: Seat, *, now: datetime) -> Chosen | Waiting | None:
    stage = seat.participation.stage
    if stage is Stage.PILOT:
        return item_selection.in_pilot(session, seat, now=now)
    return item_selection.in_attempt(session, seat, stage)
