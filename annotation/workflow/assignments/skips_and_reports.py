"""Passing an item over: a skip with its reason, a report of a problem that may pause the item."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from annotation.errors import Stale
from annotation.store import journal, overlap_counts
from annotation.store.models import Annotator, Assignment, Item, Participation, Report
from annotation.vocabulary import SKIPPED, AssignmentStatus, Event, ItemStatus
from annotation.workflow.assignments import annotator_context, judgement_writer, submission, undo
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.judgement_writer import Given, Saved

REPORTS = 2
"""How many people's reports pause an item, where the project does not say."""


@dataclass(frozen=True, kw_only=True)
class Reported:
    """A report that is stored; `repeated` where she had reported the item before, `paused` where it is out now."""

    repeated: bool
    paused: bool


def skip(session: Session, *, annotator_id: int, assignment_id: int, reason: str, now: datetime) -> Saved:
    """Pass a live item over. In a baseline the skip fills its place and scores nothing, as it does where items have no
    places; elsewhere the place is free again, and the item does not come back to her.

    Raises Stale where the item is not hers or is answered.
    """
    seat, assignment, item = annotator_context.held(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    earlier = judgement_writer.stored(session, assignment_id, 0)
    if earlier is not None:
        if earlier.skip_reason is None:
            raise Stale("This item is answered already.")
        return judgement_writer.saved(seat, assignment, item, earlier, repeated=True)
    given = Given(answers={}, raw="", skip_reason=reason)
    return first(session, seat, assignment, item, given=given, now=now)


def first(session: Session, seat: Seat, assignment: Assignment, item: Item, *, given: Given, now: datetime) -> Saved:
    """Store a skip where nothing was said about the item before."""
    if seat.blind or not item.pool.placed or assignment.is_repeat:
        return submission.first(session, seat, assignment, item, given=given, now=now)
    return _give_back(session, seat, assignment, item, given=given, now=now)


def _give_back(
    session: Session, seat: Seat, assignment: Assignment, item: Item, *, given: Given, now: datetime
) -> Saved:
    if seat.participation.status in undo.GONE:
        raise Stale("This person takes part no more.")
    held = assignment.holds
    changed = (
        sa.update(Assignment)
        .where(col(Assignment.id) == assignment.id, col(Assignment.status) == AssignmentStatus.LIVE)
        .values(status=AssignmentStatus.SKIPPED, holds=False)
    )
    if session.connection().execute(changed).rowcount != 1:
        raise Stale("This item is closed.")
    if held:
        overlap_counts.give_back(session, item_id=assignment.item_id, done=False, now=now)
    session.refresh(assignment)
    if given.at is None:
        annotator_context.be_active(seat.participation, now=now)
        session.add(seat.participation)
    made = judgement_writer.store(session, seat, assignment, given, revision=0, excluded=SKIPPED, now=now)
    return judgement_writer.saved(seat, assignment, item, made)


def report(
    session: Session, *, annotator_id: int, assignment_id: int, reason: str, text: str = "", now: datetime
) -> Reported:
    """Say what is wrong with an item; so many people's open reports pause it, those of people who
    withdrew or were excluded or suspended left out. She may answer it all the same.

    Raises Stale where the item is not hers.
    """
    seat, _, item = annotator_context.held(session, annotator_id=annotator_id, assignment_id=assignment_id, now=now)
    session.refresh(item, with_for_update={"key_share": True})
    item_id = annotator_context.known(item.id)
    mine = select(Report.id).where(Report.item_id == item_id, Report.annotator_id == seat.who)
    if session.exec(mine).first() is not None:
        return Reported(repeated=True, paused=item.status is ItemStatus.PAUSED)
    session.add(
        Report(item_id=item_id, annotator_id=seat.who, assignment_id=assignment_id, reason=reason, text=text, at=now)
    )
    session.flush()
    return Reported(repeated=False, paused=_paused(session, seat, item, now=now))


def _counted(seat: Seat, item: Item) -> SelectOfScalar[int]:
    """The open reports of people who take part; what the others reported organisers read all the same."""
    hers = col(Participation.annotator_id) == Report.annotator_id
    return (
        select(func.count())
        .select_from(Report)
        .join(Participation, sa.and_(hers, col(Participation.project_id) == seat.project_id))
        .join(Annotator, col(Annotator.id) == Report.annotator_id)
        .where(
            Report.item_id == item.id,
            col(Report.resolved_at).is_(None),
            col(Participation.status).not_in(undo.GONE),
            col(Annotator.suspended_at).is_(None),
        )
    )


def _paused(session: Session, seat: Seat, item: Item, *, now: datetime) -> bool:
    section = seat.definition.reports
    number = session.exec(_counted(seat, item)).one()
    if item.status is not ItemStatus.OPEN:
        return item.status is ItemStatus.PAUSED
    if number < (REPORTS if section is None else section.threshold):
        return False
    overlap_counts.pause(session, item_id=annotator_context.known(item.id))
    data = {"item": item.external_id, "reports": number}
    journal.record(session, Event.ITEM_PAUSED, now=now, project_id=seat.project_id, data=data)
    return True
