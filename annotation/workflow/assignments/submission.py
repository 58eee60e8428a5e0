"""Submission of answers: stores each revision once, late answers too, and then enforces the quality rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.errors import Stale
from annotation.store import item_queue, judgements, models, overlap_counts, table_base
from annotation.store.models import Assignment, AssignmentRow, Item, JudgementRow
from annotation.vocabulary import (
    EXTRA,
    POOLS_WITH_OVERLAP,
    SECOND_PASS,
    UNSAID_TIME_ZONE,
    AssignmentEnd,
    AssignmentStatus,
    Exclusion,
    ParticipationStatus,
    ProjectStatus,
    Stage,
)
from annotation.workflow.annotators import access
from annotation.workflow.assignments import (
    annotator_context,
    assignment_policy,
    countdown,
    judgement_writer,
    leases,
    next_item,
    qualification,
    second_pass,
    undo,
)
from annotation.workflow.assignments.annotator_context import AnnotatorContext, OpenedAssignment
from annotation.workflow.assignments.assignment_policy import Journey, Remark
from annotation.workflow.assignments.judgement_writer import NewAnswer, SavedJudgement
from annotation.workflow.assignments.qualification import QualificationDecision
from annotation.workflow.quality import enforcement


def store_answer(
    opened: OpenedAssignment, *, revision: int, new_answer: NewAnswer, now: datetime
) -> tuple[JudgementRow, OpenedAssignment]:
    """Store an answer or a skip of the second pass, and an answer that adds to the blind one as a revision of that too;
    return the judgement and the opened assignment of the first pass.

    `new_answer` has the answers of both passes. A late answer is stored like any other, since it takes no place. Raises
    Stale once the project is closed, and where this revision may not be stored.
    """
    session, assignment = opened.session, opened.assignment
    if opened.context.project.status is ProjectStatus.CLOSED:
        raise Stale("The project is closed.")
    if revision == 0:
        if not any(_mark_done(session, assignment, status=status, holds_place=False) for status in _OPEN):
            raise Stale("This item is closed.")
        participation = opened.context.participation
        activity = assignment_policy.count_activity(participation, now=now)
        opened.transaction.update_participation(participation, **activity)
    elif assignment.open_revision != revision or not undo.is_changeable(opened):
        raise Stale("This answer can be changed no more.")
    else:
        models.ASSIGNMENTS.update(session, assignment, open_revision=None)
    judgement = judgement_writer.write_judgement(opened, new_answer, revision=revision, exclusion=SECOND_PASS, now=now)
    first = OpenedAssignment(
        transaction=opened.transaction,
        context=opened.context,
        assignment=second_pass.get_first_assignment(session, assignment),
        item=opened.item,
    )
    blind = judgements.get_final_judgement(session, first.assignment_id)
    stored = {} if blind is None else judgement_writer.get_stored_answers(opened.context, blind)
    if blind is not None and new_answer.skip_reason is None and stored != dict(new_answer.answers):
        judgement_writer.write_judgement(
            first,
            new_answer,
            revision=blind.revision + 1,
            exclusion=blind.exclusion,
            post_hoc=blind.post_hoc,
            now=now,
        )
    return judgement, first


def submit_judgement(
    opened: OpenedAssignment,
    *,
    revision: int,
    answers: Mapping[str, object],
    now: datetime,
) -> SavedJudgement:
    """Store an answer as this revision of its assignment; the same answer to the same revision is stored only once.

    `answers` are raw answers by the names of the questions that were shown. Raises Stale where the assignment has a
    different answer already or is closed; raises BadInput, with the question's own message, for an invalid answer.
    """
    context, assignment = opened.context, opened.assignment
    if opened.is_second_pass:
        answers = second_pass.add_blind_answers(opened, answers)
    steps = None if opened.is_second_pass else 1
    new_answer = judgement_writer.parse_answers(context, opened.item, answers, steps=steps)
    is_first = assignment.status is AssignmentStatus.LIVE and revision == 0  # then nothing is stored yet
    stored_judgement = None if is_first else judgement_writer.get_judgement(opened, revision=revision)
    if stored_judgement is not None:
        if (
            judgement_writer.get_stored_answers(context, stored_judgement) != dict(new_answer.answers)
            or stored_judgement.skip_reason is not None
        ):
            raise Stale("This item is answered already.")
        return judgement_writer.build_saved_judgement(opened, stored_judgement, repeated=True)
    if opened.is_second_pass:
        return store_second_answer(opened, revision=revision, new_answer=new_answer, now=now)
    if revision == 0:
        saved = store_first_answer(opened, new_answer=new_answer, now=now)
        if is_first and context.definition.asks_in_steps:
            second_pass.begin_second_pass(opened, now=now)
        return replace(saved, remarks=_list_remarks(opened, saved, now=now))
    if assignment.open_revision != revision or not undo.is_changeable(opened):
        raise Stale("This answer can be changed no more.")
    return _store_revision(opened, new_answer=new_answer, now=now)


def _list_remarks(opened: OpenedAssignment, saved: SavedJudgement, *, now: datetime) -> tuple[Remark, ...]:
    """The remarks after a first answer of the main stage, in a programme of any stage: there all items are counted."""
    way = saved.journey
    if saved.stage is not Stage.MAIN and way is None:
        return ()
    context, zone = opened.context, opened.context.annotator.time_zone
    has_total = context.definition.has_countdown or context.definition.caps is not None or context.quota is not None
    may_be_half = has_total and assignment_policy.may_be_halfway(context.participation, number=saved.number)
    return assignment_policy.list_remarks(
        number=saved.number,
        began=context.participation.work_session_since,
        previous=opened.assignment.assigned_at or now,
        now=now,
        zone=None if zone is None or zone == UNSAID_TIME_ZONE else assignment_policy.get_time_zone(zone),
        is_half=may_be_half
        and (countdown.reach_half(opened, number=saved.number) if way is None else _reaches_half(opened, way)),
    )


def _reaches_half(opened: OpenedAssignment, way: Journey) -> bool:
    """Whether the item makes half of all items of the programme: true once, in whatever data set."""
    if way.total is None or way.is_halfway_told or way.number * 2 < way.total:
        return False
    opened.transaction.update_participation(opened.context.participation, halfway_told=True)
    return assignment_policy.is_halfway(way.number, way.total)


def store_first_answer(
    opened: OpenedAssignment,
    *,
    new_answer: NewAnswer,
    now: datetime,
) -> SavedJudgement:
    """Store the first answer to an assignment that is live or whose lease has expired.

    A late answer takes a place again; where it is no longer needed, it is stored with an exclusion. Raises Stale
    where the assignment has another status.
    """
    session, context, assignment, item = opened.session, opened.context, opened.assignment, opened.item
    check_participation(session, context)
    if context.project.status is ProjectStatus.CLOSED:
        leases.expire_lease(session, assignment, now=now, why=AssignmentEnd.PROJECT_CLOSED)
    exclusion = new_answer.exclusion
    if not _mark_done(session, assignment, status=AssignmentStatus.LIVE, holds_place=assignment.holds_place):
        exclusion = _take_place_again(opened, status=AssignmentStatus.EXPIRED) or exclusion
    judgement = judgement_writer.write_judgement(opened, new_answer, revision=0, exclusion=exclusion, now=now)
    if assignment.holds_place:
        if not assignment.exposed and annotator_context.is_exposed_by_exception(session, context, item):
            models.ASSIGNMENTS.update(session, assignment, exposed=True)
        overlap_counts.fill_place(session, item_id=item.id or 0)
    _update_counts(opened, new_answer=new_answer, now=now)
    decision = _decide_attempt(opened, now=now)
    apply_consequences(opened, judgement, now=now)
    return judgement_writer.build_saved_judgement(opened, judgement, decision=decision)


def store_second_answer(
    opened: OpenedAssignment, *, revision: int, new_answer: NewAnswer, now: datetime
) -> SavedJudgement:
    """Store an answer or a skip of the second pass in Telegram: see `second_pass_answers.store_answer`."""
    check_participation(opened.session, opened.context)
    judgement, first = store_answer(opened, revision=revision, new_answer=new_answer, now=now)
    apply_consequences(first, judgement, now=now)
    return judgement_writer.build_saved_judgement(opened, judgement)


def check_participation(session: Session, context: AnnotatorContext) -> None:
    """Raise Stale where the annotator withdrew or refused the consent, so that no answer of theirs may be stored."""
    if context.participation.status is ParticipationStatus.WITHDRAWN:
        raise Stale("This person takes part no more.")
    if access.has_refused_consent(session, participation=context.participation, terms=context.terms):
        raise Stale("You did not agree, or took your consent back; agree to go on.")


def _mark_done(session: Session, assignment: AssignmentRow, *, status: AssignmentStatus, holds_place: bool) -> bool:
    """Mark an assignment of this status as answered; return False where its status has changed meanwhile."""
    parameters = {"assignment": assignment.id, "before": status, "place": holds_place}
    if session.connection().execute(_MARK_DONE, parameters).rowcount != 1:
        return False
    table_base.set_values(assignment, {"status": AssignmentStatus.DONE, "holds_place": holds_place})
    return True


def _take_place_again(opened: OpenedAssignment, *, status: AssignmentStatus) -> Exclusion | None:
    """Mark an assignment of this status, which has lost its place, as answered, with a place if one is free.

    Returns the exclusion of the answer, None where it counts. Raises Stale where the assignment has another status.
    """
    assignment, item = opened.assignment, opened.item
    exclusion = enforcement.get_exclusion(opened.context.participation)
    if exclusion is None and not _is_still_needed(opened):
        exclusion = EXTRA
    takes_place = exclusion is None and item.pool in POOLS_WITH_OVERLAP and not assignment.is_repeat
    if not _mark_done(opened.session, assignment, status=status, holds_place=takes_place):
        raise Stale("This item is closed.")
    return exclusion


def _is_still_needed(opened: OpenedAssignment) -> bool:
    """Whether an answer that came after its lease is still needed; takes a place for it where it needs one."""
    session, context, assignment, item = opened.session, opened.context, opened.assignment, opened.item
    if assignment.status not in {AssignmentStatus.EXPIRED, AssignmentStatus.LIVE, AssignmentStatus.SKIPPED}:
        return False
    if context.project.status is ProjectStatus.CLOSED or context.annotator.suspended_at is not None:
        return False
    if item.pool not in POOLS_WITH_OVERLAP or assignment.is_repeat:
        return True
    query = next_item.build_queue_query(session, context, item.pool)
    if item_queue.is_barred_item(session, query, item_id=item.id or 0):
        return False
    return item_queue.take_named_place(session, query, item_id=item.id or 0)


def _store_revision(opened: OpenedAssignment, *, new_answer: NewAnswer, now: datetime) -> SavedJudgement:
    """Store another answer; the first answer to a skipped item takes a place again, if there is one."""
    session, context, assignment = opened.session, opened.context, opened.assignment
    revision = assignment.open_revision or 0
    changes: dict[str, Any] = {"open_revision": None}
    was_skipped, exclusion = assignment.status is AssignmentStatus.SKIPPED, new_answer.exclusion
    if was_skipped:
        exclusion = _take_place_again(opened, status=AssignmentStatus.SKIPPED) or exclusion
    if assignment.repeat_at is not None and context.definition.repeats is not None:
        changes["repeat_at"] = now + timedelta(seconds=context.definition.repeats.after)
    models.ASSIGNMENTS.update(session, assignment, **changes)
    judgement = judgement_writer.write_judgement(opened, new_answer, revision=revision, exclusion=exclusion, now=now)
    if was_skipped:
        if assignment.holds_place:
            overlap_counts.fill_place(session, item_id=assignment.item_id)
        _update_counts(opened, new_answer=new_answer, now=now)
    apply_consequences(opened, judgement, now=now)
    return judgement_writer.build_saved_judgement(opened, judgement)


def _update_counts(opened: OpenedAssignment, *, new_answer: NewAnswer, now: datetime) -> None:
    """Update the participation's counts and work session, and set or clear the time of the item's repeat."""
    context, assignment = opened.context, opened.assignment
    participation = context.participation
    changes = assignment_policy.count_activity(participation, now=now) if new_answer.at is None else {}
    if assignment.stage is Stage.MAIN:
        today = assignment_policy.get_local_date(now, context.zone)
        before = participation.answered_today if participation.day == today else 0
        changes |= {"answered": participation.answered + 1, "answered_today": before + 1, "day": today}
    opened.transaction.update_participation(participation, **changes)
    if assignment.is_repeat:
        _clear_repeat(opened.session, assignment)
    elif _is_chosen_for_repeat(opened, new_answer):
        repeat_after = context.definition.repeats.after if context.definition.repeats is not None else 0
        models.ASSIGNMENTS.update(opened.session, assignment, repeat_at=now + timedelta(seconds=repeat_after))


def _is_chosen_for_repeat(opened: OpenedAssignment, new_answer: NewAnswer) -> bool:
    """Whether the item is to be repeated later to this annotator, decided by its seeded number."""
    context, assignment = opened.context, opened.assignment
    repeats = context.definition.repeats
    if (
        repeats is None
        or context.definition.asks_in_steps  # the gold was shown
        or not assignment.holds_place
        or assignment.stage is not Stage.MAIN
        or new_answer.skip_reason is not None
    ):
        return False
    return (
        assignment_policy.generate_seeded_number(context.seed_key, "comes again", opened.item.external_id)
        < repeats.share
    )


def _clear_repeat(session: Session, assignment: AssignmentRow) -> None:
    """Clear the time at which the item's repeat is due, on the first assignment of the item to this annotator."""
    of_first_occasion = sa.update(Assignment).where(
        col(Assignment.item_id) == assignment.item_id,
        col(Assignment.annotator_id) == assignment.annotator_id,
        col(Assignment.occasion) == 0,
    )
    session.connection().execute(of_first_occasion.values(repeat_at=None))


def _decide_attempt(opened: OpenedAssignment, *, now: datetime) -> QualificationDecision | None:
    """Decide the training or qualification if this was the last answer of the attempt; None where it was not."""
    session, context, assignment = opened.session, opened.context, opened.assignment
    stage = assignment.stage
    if stage not in qualification.MARKED_STAGES or assignment.attempt != context.participation.attempt:
        return None
    if context.participation.stage is not stage:
        return None
    if next_item.select_attempt_item(session, context, stage) is not None:
        return None
    if next_item.has_batch_items(session, context):
        return None
    if not qualification.is_attempt_complete(session, context):
        return None
    return qualification.decide_attempt(session, context, now=now)


def apply_consequences(opened: OpenedAssignment, judgement: JudgementRow, *, now: datetime) -> None:
    """Enforce the quality rules on a stored answer, and add a place where dynamic overlap asks for another answer.

    Afterwards the assignment and `judgement`, the answer, are as the rules have left them.
    """
    session, context, assignment = opened.session, opened.context, opened.assignment
    project, definition = context.project, context.definition
    if definition.quality or not assignment.holds_place:
        enforcement.enforce_rules(
            session,
            project=project,
            definition=definition,
            participation=context.participation,
            assignment_id=opened.assignment_id,
            now=now,
        )
        models.ASSIGNMENTS.refresh(session, assignment)
        models.JUDGEMENTS.refresh(session, judgement)
    if not isinstance(definition.overlap, DynamicOverlap) or not assignment.holds_place:
        return
    item_id = assignment.item_id
    full_item = select(Item.id).where(Item.id == item_id, Item.free == 0, Item.held == 0, Item.n_done == Item.n_live)
    if session.exec(full_item).first() is not None and enforcement.needs_more_answers(
        session, project=project, definition=definition, item_id=item_id
    ):
        overlap_counts.add_places(session, item_id=item_id, number=1, now=now)


_OPEN = (AssignmentStatus.LIVE, AssignmentStatus.EXPIRED)
_MARK_DONE = (
    sa.update(Assignment)
    .where(col(Assignment.id) == sa.bindparam("assignment"), col(Assignment.status) == sa.bindparam("before"))
    .values(status=AssignmentStatus.DONE, holds_place=sa.bindparam("place"))
)
