"""Decisions on submissions: an answer is accepted or rejected, and the last decision can be taken back.

A decision is a row of `submission_review`, to which rows are only added. A rejection also excludes the answer, by the
kind `rejected`, and returns its place, in the same transaction; to take it back counts the answer again.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.review_vocabulary import ReviewDecision, build_rejection
from annotation.store import annotator_locks
from annotation.store.annotator_locks import LockedAnnotator
from annotation.store.models import Annotator, Assignment, Project, SubmissionReview
from annotation.vocabulary import AssignmentStatus
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import withdrawal
from annotation.workflow.quality import enforcement, exclusions
from annotation.workflow.review import reviewers, submissions

MAX_REASON_LENGTH = 500
"""In characters: a reason is one or two sentences."""


def accept_answer(
    session: Session,
    *,
    project: Project,
    reviewer: Annotator,
    answer_id: int,
    revision: int,
    now: datetime,
) -> None:
    """Accept the final revision of an answer; raises NotFound and Conflict as `reject_answer` does."""
    review = _build_review(session, project, reviewer, answer_id, revision=revision, now=now)
    session.add(review)
    session.flush()


def reject_answer(
    session: Session,
    *,
    project: Project,
    reviewer: Annotator,
    answer_id: int,
    revision: int,
    reason: str,
    now: datetime,
) -> None:
    """Reject the final revision of an answer: it is excluded, and its place goes to somebody else.

    `revision` is the one that was shown. Raises BadInput without a reason, NotFound for an answer that is not in the
    project, Conflict for one that was corrected since, was decided on, does not count, or that the reviewer may not
    review.
    """
    words = " ".join(reason.split())
    if not words or len(words) > MAX_REASON_LENGTH:
        raise BadInput(
            f"A rejection needs a reason of up to {MAX_REASON_LENGTH} characters.",
            where=Where(field="reason"),
            remedy="Say in a few words why; the annotator may read it.",
        )
    review = _build_review(session, project, reviewer, answer_id, revision=revision, now=now)
    review.decision, review.reason = ReviewDecision.REJECTED, words
    session.add(review)
    session.flush()
    exclusions.exclude_answers(
        session,
        assignment_ids=[answer_id],
        exclusion=build_rejection(words),
        post_hoc=project.started_at is not None,
        now=now,
    )


def undo_review(
    session: Session, *, project: Project, reviewer: Annotator, now: datetime, answer_id: int | None = None
) -> int | None:
    """Take the reviewer's last decision in the project back, or that on one answer; its id, None where there is none.

    A rejected answer counts again, or is kept as extra where others have filled its item. Quality rules and the
    exclusion of its annotator still hold. The decision on one answer may also be of somebody suspended or forgotten.
    """
    held = (
        select(SubmissionReview)
        .join(Assignment)
        .where(Assignment.project_id == project.id, SubmissionReview.decision != ReviewDecision.UNDONE, _IS_LAST)
    )
    if answer_id is None:
        held = held.where(SubmissionReview.annotator_id == reviewer.id)
    else:
        of_answer = reviewers.build_revocable_condition(col(SubmissionReview.annotator_id), by=reviewer)
        held = held.where(SubmissionReview.assignment_id == answer_id, of_answer)
    held = held.order_by(col(SubmissionReview.id).desc()).limit(1)
    found = session.exec(held).first()
    if found is None:
        return None
    assignment = session.get_one(Assignment, found.assignment_id)
    locked = annotator_locks.lock_annotator(session, assignment.annotator_id)
    last = session.exec(held.where(SubmissionReview.assignment_id == found.assignment_id)).first()
    if last is None or last.id != found.id:
        raise Conflict("Somebody took this decision back at this moment.", remedy="Look at what waits, and try again.")
    _add_undone_row(session, last, reviewer, now=now)
    if last.decision is ReviewDecision.REJECTED:
        _reinstate_answer(session, locked, project=project, assignment=assignment, reason=last.reason, now=now)
    return last.assignment_id


def _add_undone_row(session: Session, last: SubmissionReview, reviewer: Annotator, *, now: datetime) -> None:
    undone = SubmissionReview(
        assignment_id=last.assignment_id,
        revision=last.revision,
        number=last.number + 1,
        annotator_id=reviewer.id or 0,
        decision=ReviewDecision.UNDONE,
        gold_shown=last.gold_shown,
        at=now,
    )
    session.add(undone)
    session.flush()


def _reinstate_answer(
    session: Session, locked: LockedAnnotator, *, project: Project, assignment: Assignment, reason: str, now: datetime
) -> None:
    """Count an answer again that was rejected, unless its annotator withdrew, or something else excludes it."""
    ids = [assignment.id or 0]
    exclusions.reinstate_answers(session, assignment_ids=ids, exclusion=build_rejection(reason), now=now)
    if assignment.status is AssignmentStatus.WITHDRAWN:
        post_hoc = project.started_at is not None
        exclusions.exclude_answers(
            session, assignment_ids=ids, exclusion=withdrawal.WITHDRAWN, post_hoc=post_hoc, now=now
        )
        return
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if participation is not None:
        enforcement.enforce_rules(
            session,
            project=project,
            definition=definitions.get_project_definition(project),
            participation=participation,
            assignment_id=ids[0],
            now=now,
        )


_OTHER = aliased(SubmissionReview)
_IS_LAST = col(SubmissionReview.number) == (
    sa.select(func.max(_OTHER.number))
    .where(col(_OTHER.assignment_id) == col(SubmissionReview.assignment_id))
    .scalar_subquery()
)
"""The condition that a review is the last of its answer."""


def _build_review(
    session: Session, project: Project, reviewer: Annotator, answer_id: int, *, revision: int, now: datetime
) -> SubmissionReview:
    """A row for a decision on an answer, whose annotator is locked; raises NotFound and Conflict."""
    assignment = session.get(Assignment, answer_id)
    if assignment is None or assignment.project_id != project.id:
        raise NotFound(
            f"{project.name} has no answer {answer_id}.", remedy="`hromada review --json` lists the answers with ids."
        )
    annotator_locks.lock_annotator(session, assignment.annotator_id)
    listed = submissions.list_submissions(session, project=project, reviewer=reviewer, answer_id=answer_id)
    if not listed:
        raise Conflict(
            f"The answer {answer_id} does not count, or its item is one that {reviewer.pseudonym} answered or made.",
            remedy="`hromada review --json` lists the answers that wait.",
        )
    [found] = listed
    if found.revision != revision:
        raise Conflict(
            f"The answer {answer_id} was corrected since it was shown.",
            remedy="Look at it as it is now, and decide anew.",
        )
    if found.decision is not None:
        raise Conflict(
            f"The answer {answer_id} is {found.decision} already.",
            remedy=f"Take that back first: `--undo --answer {answer_id}`.",
        )
    rows = select(SubmissionReview).where(SubmissionReview.assignment_id == answer_id)
    last = session.exec(rows.order_by(col(SubmissionReview.number).desc())).first()
    if last is not None and last.decision is ReviewDecision.REJECTED:  # of an earlier revision
        _add_undone_row(session, last, reviewer, now=now)
        last = session.exec(rows.order_by(col(SubmissionReview.number).desc())).first()
    return SubmissionReview(
        assignment_id=answer_id,
        revision=found.revision,
        number=0 if last is None else last.number + 1,
        annotator_id=reviewer.id or 0,
        decision=ReviewDecision.ACCEPTED,
        gold_shown=bool(reviewers.list_seen_items(session, project=project, reviewer=reviewer, items=[found.item])),
        at=now,
    )
