"""What comes back from a desk: answers, changed answers, skips, deletions; each stored once, as another revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from sqlmodel import Session, select

from annotation.errors import Stale
from annotation.store import overlap_counts
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import (
    ABSTAINED,
    BESIDE_GOLD,
    DELETED,
    EXTRA,
    SKIPPED,
    AssignmentStatus,
    ParticipationStatus,
    ProjectStatus,
    Stage,
    Surface,
)
from annotation.workflow.assignments import annotator_context, judgement_writer, skips_and_reports
from annotation.workflow.assignments import submission as working
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.batches.batch_assignment import SECOND
from annotation.workflow.assignments.judgement_writer import Given
from annotation.workflow.quality import exclusions

MENDABLE = {None, ABSTAINED, SKIPPED, DELETED, EXTRA}
"""Reasons for which an answer does not count that another revision of it does away with; all others stay with it."""


def answer(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    answers: Mapping[str, object],
    seconds: float | None,
    at: datetime,
    now: datetime,
) -> bool:
    """Store what a person answered at her desk at `at`; False where it is what stands already.

    A first answer goes the way of every answer; one that is late, or finds no place, is kept as extra. Another one is
    another revision. Raises Stale where it may not be taken any more, BadInput where it is no answer.
    """
    seat, assignment, item = _held(session, annotator_id=annotator_id, assignment_id=assignment_id, now=now)
    stepped = any(one.step > 1 for one in seat.definition.asked)
    steps = 1 if stepped and assignment.occasion != SECOND else None
    given = replace(working.read(seat, item, answers, steps=steps), at=at, seconds=seconds)
    fresh = _stored(session, seat, assignment, item, given=given, now=now)
    if fresh and stepped and assignment.occasion == SECOND:
        _complete(session, seat, assignment, item, given=given, now=now)
    return fresh


def skip(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    reason: str,
    seconds: float | None,
    at: datetime,
    now: datetime,
) -> bool:
    """Store that a person passed an item over at her desk; False where that stands already. Raises Stale."""
    seat, assignment, item = _held(session, annotator_id=annotator_id, assignment_id=assignment_id, now=now)
    given = Given(answers={}, raw="", skip_reason=reason, at=at, seconds=seconds)
    return _stored(session, seat, assignment, item, given=given, now=now)


def take_back(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> bool:
    """Let an answer count no more that its person deleted; its place is free. False where it did not count.

    Raises Stale once the project is closed, or the qualification decided.
    """
    seat, assignment, _ = _held(session, annotator_id=annotator_id, assignment_id=assignment_id, now=now)
    standing = judgement_writer.standing(session, assignment)
    if standing is None or (standing.excluded_reason is not None and not assignment.holds):
        return False
    _refuse_settled(session, seat, assignment)
    exclusions.exclude(session, assignment_ids=[assignment_id], reason=DELETED, post_hoc=False, now=now)
    return True


def _complete(session: Session, seat: Seat, second: Assignment, item: Item, *, given: Given, now: datetime) -> None:
    """Where a project asks in steps, the first pass answered the first; both together are the answer that counts."""
    hers = select(Assignment).where(Assignment.item_id == second.item_id, Assignment.annotator_id == seat.who)
    blind = session.exec(hers.where(Assignment.occasion == 0)).one()
    if judgement_writer.standing(session, blind) is not None:
        _stored(session, seat, blind, item, given=given, now=now)


def _held(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> tuple[Seat, Assignment, Item]:
    return annotator_context.held(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now, surface=Surface.LABEL_STUDIO
    )


def _stored(session: Session, seat: Seat, assignment: Assignment, item: Item, *, given: Given, now: datetime) -> bool:
    standing = judgement_writer.standing(session, assignment)
    if standing is None:
        _begun(assignment, given)
        _first(session, seat, assignment, item, given=given, now=now)
        return True
    same = (
        judgement_writer.answers_of(seat, standing) == dict(given.answers) and standing.skip_reason == given.skip_reason
    )
    if same and standing.excluded_reason != DELETED:
        return False
    _refuse_settled(session, seat, assignment)
    if given.skip_reason is None:
        _answered_anew(session, seat, assignment, standing, given=given, now=now)
    else:
        _skipped_after(session, seat, assignment, item, standing, given=given, now=now)
    return True


def _begun(assignment: Assignment, given: Given) -> None:
    """At a desk an item is shown when its person opens it, which is known once she answered."""
    if given.at is not None and assignment.assigned_at is not None:
        assignment.shown_at = max(assignment.assigned_at, given.at - timedelta(seconds=given.seconds or 0))


def _first(session: Session, seat: Seat, assignment: Assignment, item: Item, *, given: Given, now: datetime) -> None:
    if assignment.occasion == SECOND:
        working.refuse_gone(session, seat)
        _end(session, assignment, AssignmentStatus.DONE)
        judgement_writer.store(session, seat, assignment, given, revision=0, excluded=BESIDE_GOLD, now=now)
    elif assignment.status is AssignmentStatus.SKIPPED:  # a fix ended it; a cosmetic one leaves it as it is
        working.refuse_gone(session, seat)
        if assignment.holds:
            overlap_counts.give_back(session, item_id=assignment.item_id, done=False, now=now)
        _end(session, assignment, AssignmentStatus.SKIPPED)
        reason = f"the item was changed: revision {item.revision}"
        judgement_writer.store(session, seat, assignment, given, revision=0, excluded=reason, now=now)
    elif given.skip_reason is None:
        working.first(session, seat, assignment, item, given=given, now=now)
    elif assignment.status is AssignmentStatus.EXPIRED and not seat.blind:
        working.refuse_gone(session, seat)
        _end(session, assignment, AssignmentStatus.SKIPPED)
        judgement_writer.store(session, seat, assignment, given, revision=0, excluded=SKIPPED, now=now)
    else:
        skips_and_reports.first(session, seat, assignment, item, given=given, now=now)


def _answered_anew(
    session: Session, seat: Seat, assignment: Assignment, standing: Judgement, *, given: Given, now: datetime
) -> None:
    kept = standing.excluded_reason not in MENDABLE
    reason = standing.excluded_reason if kept else given.excluded
    made = judgement_writer.store(
        session, seat, assignment, given, revision=standing.revision + 1, excluded=reason, now=now
    )
    made.post_hoc = kept and standing.post_hoc
    assignment.open_revision = None
    if not kept:
        assignment.status = AssignmentStatus.DONE
    session.add_all([made, assignment])
    session.flush()
    if not kept and exclusions.settle(session, assignment):
        working.follow(session, seat, assignment, now=now)


def _skipped_after(
    session: Session,
    seat: Seat,
    assignment: Assignment,
    item: Item,
    standing: Judgement,
    *,
    given: Given,
    now: datetime,
) -> None:
    """A skip after an answer: in a baseline it fills the place as the answer did, elsewhere the place is free."""
    kept = standing.excluded_reason not in MENDABLE
    free = not seat.blind and item.pool.placed and not assignment.is_repeat
    reason = standing.excluded_reason if kept else SKIPPED if free else None
    if free and assignment.holds and not kept:
        overlap_counts.give_back(session, item_id=assignment.item_id, done=True, now=now)
    if free and not kept:
        _end(session, assignment, AssignmentStatus.SKIPPED)
    judgement_writer.store(session, seat, assignment, given, revision=standing.revision + 1, excluded=reason, now=now)
    if not free and not kept:
        exclusions.settle(session, assignment)


def _end(session: Session, assignment: Assignment, status: AssignmentStatus) -> None:
    assignment.status, assignment.holds = status, False
    session.add(assignment)
    session.flush()


def _refuse_settled(session: Session, seat: Seat, assignment: Assignment) -> None:
    """Raise Stale where an answer that stands may not become another one."""
    working.refuse_gone(session, seat)
    if seat.project.status is ProjectStatus.CLOSED:
        raise Stale("The project is closed; the answer stands as it was.")
    standing = seat.participation
    decided = standing.stage is not Stage.QUALIFICATION or standing.attempt != assignment.attempt
    if assignment.stage is Stage.QUALIFICATION and (decided or standing.status is ParticipationStatus.FAILED):
        raise Stale("The qualification is decided; the answer stands as it was.")
