"""What becomes of an answer: stored once, late ones too; an undo opens another revision; what follows from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, col, select

from annotation.campaigns.questions import Choice, Material
from annotation.campaigns.questions import answers as reading
from annotation.campaigns.stages import DynamicOverlap
from annotation.errors import Stale
from annotation.store import item_queue, overlap_counts
from annotation.store.models import Assignment, Item
from annotation.vocabulary import ABSTAINED, EXTRA, AssignmentStatus, ParticipationStatus, ProjectStatus, Stage
from annotation.workflow.annotators import consents, declining
from annotation.workflow.assignments import (
    annotator_context,
    assigned_items,
    assignment_creation,
    item_selection,
    judgement_writer,
    leases,
    qualification,
    training_feedback,
    undo,
)
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.judgement_writer import Given, Saved
from annotation.workflow.assignments.qualification import Decision
from annotation.workflow.quality import enforcement


def submit(
    session: Session,
    *,
    annotator_id: int,
    assignment_id: int,
    revision: int,
    answers: Mapping[str, object],
    now: datetime,
) -> Saved:
    """Store an answer; the same one to the same revision twice stores once.

    Raises Stale where the item is not hers, was answered otherwise already or is closed, and BadInput, in the words of
    the question, for an answer that cannot be taken.
    """
    seat, assignment, item = annotator_context.held(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    given = read(seat, item, answers)
    live = assignment.status is AssignmentStatus.LIVE and revision == 0  # then nothing is stored yet
    earlier = None if live else judgement_writer.stored(session, assignment_id, revision)
    if earlier is not None:
        if judgement_writer.answers_of(seat, earlier) != dict(given.answers) or earlier.skip_reason is not None:
            raise Stale("This item is answered already.")
        return judgement_writer.saved(seat, assignment, item, earlier, repeated=True)
    if revision == 0:
        return first(session, seat, assignment, item, given=given, now=now)
    if assignment.open_revision != revision or not undo.is_open(session, seat, assignment, item):
        raise Stale("This answer can be changed no more.")
    return _revised(session, seat, assignment, item, given=given, now=now)


def first(session: Session, seat: Seat, assignment: Assignment, item: Item, *, given: Given, now: datetime) -> Saved:
    """Store the first answer to an assignment that is live, or to one whose lease is over."""
    refuse_gone(session, seat)
    if seat.project.status is ProjectStatus.CLOSED:
        leases.lapse_one(session, assignment, now=now)
    excluded = given.excluded
    if not _end(session, assignment, status=AssignmentStatus.LIVE, holds=assignment.holds):
        late = enforcement.out(seat.participation)
        if late is None and not _returns(session, seat, assignment, item):
            late = EXTRA
        holds = late is None and item.pool.placed and not assignment.is_repeat
        if not _end(session, assignment, status=AssignmentStatus.EXPIRED, holds=holds):
            raise Stale("This item is closed.")
        excluded = late or excluded
    made = judgement_writer.store(session, seat, assignment, given, revision=0, excluded=excluded, now=now)
    if assignment.holds:
        if not assignment.exposed and assignment_creation.exposed(session, seat, item):
            assignment.exposed = True
        overlap_counts.fill(session, item_id=item.id or 0)
    _count(session, seat, assignment, item, given=given, now=now)
    decision = _decision(session, seat, assignment, now=now)
    follow(session, seat, assignment, now=now)
    return judgement_writer.saved(seat, assignment, item, made, decision=decision)


def refuse_gone(session: Session, seat: Seat) -> None:
    """Raise Stale where no answer of this person may be taken any more."""
    if seat.participation.status is ParticipationStatus.WITHDRAWN:
        raise Stale("This person takes part no more.")
    if declining.refuses_consent(seat.participation) or consents.taken_back(
        session, annotator_id=seat.who, terms=seat.terms
    ):
        raise Stale("You did not agree, or took your consent back; agree to go on.")


def read(seat: Seat, item: Item, raw: Mapping[str, object], *, steps: int | None = None) -> Given:
    """The answers as stored, to the questions of the first so many steps, or of all.

    Raises BadInput for those that cannot be taken.
    """
    asked = tuple(one for one in assigned_items.questions(seat, item) if steps is None or one.step <= steps)
    material = Material(
        options=None if item.options is None else tuple(item.options),
        fields={name: value if isinstance(value, str) else str(value) for name, value in item.data.items()},
    )
    parsed = reading.parsed(asked, raw, material)
    one = asked[0]
    text = training_feedback.worded(asked, item, one.name, parsed.get(one.name, ""))
    came = text if len(asked) == 1 else json.dumps(dict(raw), ensure_ascii=False, default=str)
    abstained = isinstance(one, Choice) and one.abstain is not None and parsed.get(one.name) == one.abstain
    return Given(answers=parsed, raw=came, excluded=ABSTAINED if abstained else None)


def _end(session: Session, assignment: Assignment, *, status: AssignmentStatus, holds: bool) -> bool:
    """Mark an assignment of that status as answered; False where it has another by now."""
    given = {"assignment": assignment.id, "before": status, "place": holds}
    if session.connection().execute(_END, given).rowcount != 1:
        return False
    set_committed_value(assignment, "status", AssignmentStatus.DONE)
    set_committed_value(assignment, "holds", holds)
    return True


def _returns(session: Session, seat: Seat, assignment: Assignment, item: Item) -> bool:
    """Whether an answer that came after its lease is still needed; it takes a place again then."""
    if assignment.status is not AssignmentStatus.EXPIRED and assignment.status is not AssignmentStatus.LIVE:
        return False
    if seat.project.status is ProjectStatus.CLOSED or seat.person.suspended_at is not None:
        return False
    if not item.pool.placed or assignment.is_repeat:
        return True
    if item_queue.met_elsewhere(session, item_selection.seeker(session, seat, item.pool), item_id=item.id or 0):
        return False
    return overlap_counts.take(session, item_id=item.id or 0)


def _revised(session: Session, seat: Seat, assignment: Assignment, item: Item, *, given: Given, now: datetime) -> Saved:
    revision, assignment.open_revision = assignment.open_revision or 0, None
    if assignment.repeat_at is not None and seat.definition.repeats is not None:
        assignment.repeat_at = now + timedelta(seconds=seat.definition.repeats.after)
    session.add(assignment)
    made = judgement_writer.store(session, seat, assignment, given, revision=revision, excluded=given.excluded, now=now)
    follow(session, seat, assignment, now=now)
    return judgement_writer.saved(seat, assignment, item, made)


def _count(session: Session, seat: Seat, assignment: Assignment, item: Item, *, given: Given, now: datetime) -> None:
    """Her counts for caps, her sitting, and whether the item is to come to her once more."""
    standing = seat.participation
    if given.at is None:
        annotator_context.be_active(standing, now=now)
    if assignment.stage is Stage.MAIN:
        today = policy.day(now, seat.person.time_zone)
        standing.answered += 1
        standing.answered_today = standing.answered_today + 1 if standing.day == today else 1
        standing.day = today
    if assignment.is_repeat:
        _came_again(session, assignment)
    elif _comes_again(seat, assignment, item, given):
        after = seat.definition.repeats.after if seat.definition.repeats is not None else 0
        assignment.repeat_at = now + timedelta(seconds=after)
    session.add_all([standing, assignment])


def _comes_again(seat: Seat, assignment: Assignment, item: Item, given: Given) -> bool:
    """Whether a seeded draw lets the item come to her once more."""
    repeats = seat.definition.repeats
    if repeats is None or not assignment.holds or assignment.stage is not Stage.MAIN or given.skip_reason is not None:
        return False
    return policy.draw(seat.key, "comes again", item.external_id) < repeats.share


def _came_again(session: Session, assignment: Assignment) -> None:
    """The item has come to her once more, so it is not due any longer."""
    due = sa.update(Assignment).where(
        col(Assignment.item_id) == assignment.item_id,
        col(Assignment.annotator_id) == assignment.annotator_id,
        col(Assignment.occasion) == 0,
    )
    session.connection().execute(due.values(repeat_at=None))


def _decision(session: Session, seat: Seat, assignment: Assignment, *, now: datetime) -> Decision | None:
    """The end of the qualification, where this was its last answer."""
    if assignment.stage is not Stage.QUALIFICATION or assignment.attempt != seat.participation.attempt:
        return None
    if seat.participation.stage is not Stage.QUALIFICATION:
        return None
    if item_selection.in_attempt(session, seat, Stage.QUALIFICATION) is not None:
        return None
    return qualification.decide(session, seat, now=now) if qualification.is_whole(session, seat) else None


def follow(session: Session, seat: Seat, assignment: Assignment, *, now: datetime) -> None:
    """What follows from an answer: quality rules, and another place where a full item is not sure yet."""
    project, definition = seat.project, seat.definition
    if definition.quality or not assignment.holds:
        made = annotator_context.known(assignment.id)
        enforcement.after_answer(session, project=project, definition=definition, assignment_id=made, now=now)
    if not isinstance(definition.overlap, DynamicOverlap) or not assignment.holds:
        return
    item_id = assignment.item_id
    full = select(Item.id).where(Item.id == item_id, Item.free == 0, Item.held == 0, Item.n_done == Item.n_live)
    if session.exec(full).first() is not None and enforcement.wants_more(
        session, project=project, definition=definition, item_id=item_id
    ):
        overlap_counts.open_more(session, item_id=item_id, number=1, now=now)


_END = (
    sa.update(Assignment)
    .where(col(Assignment.id) == sa.bindparam("assignment"), col(Assignment.status) == sa.bindparam("before"))
    .values(status=AssignmentStatus.DONE, holds=sa.bindparam("place"))
)
