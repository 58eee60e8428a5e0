"""The next item of a person: the one in her hands, else the next of the project whose turn it is."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, select

from annotation.store.models import Annotator, Assignment, Item, Project
from annotation.vocabulary import AssignmentStatus, Hindrance, ProjectStatus, Stage, Surface
from annotation.workflow import assignment as policy
from annotation.workflow import programmes
from annotation.workflow.people import standing
from annotation.workflow.waiting import Waiting
from annotation.workflow.work import choosing, handing, leases, offers, qualifying, seats
from annotation.workflow.work.handing import Chosen
from annotation.workflow.work.offers import Offer
from annotation.workflow.work.seats import Seat

HERS = {Hindrance.CONSENT, Hindrance.PROFILE, Hindrance.WARNING}
"""What she can do something about at once: she is asked for it before any later project."""


def next_item(session: Session, *, annotator_id: int, now: datetime, project_id: int | None = None) -> Offer | Waiting:
    """The live item of this person, else a new one, of that project if one is named; else why there is none.

    Waiting for SEARCHING asks to commit and to call again at once.
    """
    person = seats.locked(session, annotator_id)
    leases.expire(session, now=now, but=annotator_id)
    found = _in_hand(session, person, now=now)
    if found is not None:
        return found
    waits: list[Waiting] = []
    turn = programmes.turn(session, annotator_id=annotator_id) if project_id is None else (project_id,)
    for one in turn:
        offered = _of_project(session, person, session.get_one(Project, one), now=now)
        if isinstance(offered, Offer) or offered.reason in HERS or offered.reason is Hindrance.SEARCHING:
            return offered
        waits.append(offered)
    if project_id is None:
        waits += programmes.full(session, annotator_id=annotator_id)
    return _told(waits)


def _told(waits: list[Waiting]) -> Waiting:
    """What to tell a person who gets nothing anywhere: what time lifts first, else the first that is no mere lack."""
    passing = sorted((one for one in waits if one.until is not None), key=lambda one: one.until.timestamp())  # type: ignore[union-attr]
    telling = [one for one in waits if one.reason is not Hindrance.NOTHING_LEFT]
    return next(iter([*passing, *telling, *waits]), Waiting(reason=Hindrance.NOTHING_LEFT))


def _in_hand(session: Session, person: Annotator, *, now: datetime) -> Offer | Waiting | None:
    """Her live item, its lease renewed; one that she may not answer any more is taken out of her hands."""
    live = session.exec(
        select(Assignment).where(
            Assignment.annotator_id == person.id,
            Assignment.status == AssignmentStatus.LIVE,
            Assignment.surface == Surface.TELEGRAM,
        )
    ).first()
    if live is None:
        return None
    seat = seats.take(session, person, project=session.get_one(Project, live.project_id), now=now)
    hindered = hindrance(session, seat, now=now)
    if hindered is not None and hindered.reason in HERS:
        return hindered
    if hindered is not None:
        leases.lapse_one(session, live, now=now)
        return None
    if live.lease_until is not None and live.lease_until < now:
        handing.renew(seat, live, now=now)
    item = session.get_one(Item, live.item_id)
    live.item_revision, live.stimulus_sha256 = item.revision, item.stimulus_sha256
    session.add(live)
    return offers.offer(session, seat, live, item)


def _of_project(session: Session, person: Annotator, project: Project, *, now: datetime) -> Offer | Waiting:
    if project.status is not ProjectStatus.RUNNING:
        return Waiting(reason=Hindrance.NOT_RUNNING, project=project.name)
    seat = seats.take(session, person, project=project, now=now)
    hindered = hindrance(session, seat, now=now) or _capped(seat, now=now)
    if hindered is not None:
        return hindered
    chosen = choose(session, seat, now=now)
    if isinstance(chosen, Waiting):
        return chosen
    assignment, item = handing.hand(session, seat, chosen, now=now)
    return offers.offer(session, seat, assignment, item)


def hindrance(session: Session, seat: Seat, *, now: datetime) -> Waiting | None:
    """What keeps her from the items of the project now."""
    if seat.project.status is not ProjectStatus.RUNNING:
        return Waiting(reason=Hindrance.NOT_RUNNING, project=seat.project.name)
    return standing.hindrance(
        session,
        person=seat.person,
        project=seat.project,
        definition=seat.definition,
        participation=seat.participation,
        now=now,
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
        if choosing.at_desk(session, seat):
            return nothing
        if stands.stage is Stage.QUALIFICATION:
            if not qualifying.is_whole(session, seat):
                return Waiting(reason=Hindrance.NOTHING_LEFT, project=seat.project.name)
            if not qualifying.decide(session, seat, now=now).passed:
                return hindrance(session, seat, now=now) or choose(session, seat, now=now)
            continue
        if stands.stage is Stage.TRAINING and not qualifying.trained(session, seat, now=now):
            return hindrance(session, seat, now=now) or nothing
        stands.stage, stands.since = policy.following(seat.definition, stands.stage), now
        session.add(stands)
    return choosing.in_main(session, seat, now=now) or nothing


def _of_stage(session: Session, seat: Seat, *, now: datetime) -> Chosen | Waiting | None:
    match seat.participation.stage:
        case Stage.PILOT:
            return choosing.in_pilot(session, seat, now=now)
        case Stage.TRAINING:
            return choosing.in_training(session, seat)
        case _:
            return choosing.in_qualification(session, seat)
