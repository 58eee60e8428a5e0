"""Answers of the second pass in Telegram: stored apart, as the gold was shown, and added to the blind answer."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from annotation.errors import Stale
from annotation.store import judgements
from annotation.store.models import Assignment, Judgement
from annotation.vocabulary import SECOND_PASS, AssignmentStatus, ProjectStatus
from annotation.workflow.assignments import assignment_policy, judgement_writer, second_pass, undo
from annotation.workflow.assignments.annotator_context import OpenedAssignment
from annotation.workflow.assignments.judgement_writer import NewAnswer


def store_answer(
    opened: OpenedAssignment, *, revision: int, new_answer: NewAnswer, now: datetime
) -> tuple[Judgement, OpenedAssignment]:
    """Store an answer or a skip of the second pass, and an answer that adds to the blind one as a revision of that too;
    return the judgement and the opened assignment of the first pass.

    `new_answer` has the answers of both passes. A late answer is stored like any other, since it takes no place. Raises
    Stale once the project is closed, and where this revision may not be stored.
    """
    session, assignment = opened.session, opened.assignment
    if opened.context.project.status is ProjectStatus.CLOSED:
        raise Stale("The project is closed.")
    if revision == 0:
        _mark_done(opened)
        assignment_policy.record_activity(opened.context.participation, now=now)
        session.add(opened.context.participation)
    elif assignment.open_revision != revision or not undo.is_changeable(opened):
        raise Stale("This answer can be changed no more.")
    else:
        assignment.open_revision = None
        session.add(assignment)
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
            first, new_answer, revision=blind.revision + 1, exclusion=blind.exclusion, now=now
        ).post_hoc = blind.post_hoc
    return judgement, first


def _mark_done(opened: OpenedAssignment) -> None:
    """Mark the assignment as answered; raises Stale where it is neither live nor expired."""
    open_statuses = (AssignmentStatus.LIVE, AssignmentStatus.EXPIRED)
    is_open = col(Assignment.id) == opened.assignment_id, col(Assignment.status).in_(open_statuses)
    done = sa.update(Assignment).where(*is_open).values(status=AssignmentStatus.DONE)
    if opened.session.connection().execute(done).rowcount != 1:
        raise Stale("This item is closed.")
    opened.session.refresh(opened.assignment)
