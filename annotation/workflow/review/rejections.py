"""What annotators are told of reviews: that an answer was rejected, and why, or that it counts again.

Only where the project file says so (`review.tell_annotators`), and only of the last decision that holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.review_vocabulary import ReviewDecision
from annotation.store.models import Annotator, Assignment, Item, Project, SubmissionReview
from annotation.workflow import definitions


@dataclass(frozen=True, kw_only=True)
class UntoldReview:
    """A decision of which the annotator is to be told: of which project and item, and in which chat and language.

    `reason` says why the answer was rejected; it is None where the answer counts again. `is_paid` says whether a
    rejected answer is paid, None where the project pays nothing.
    """

    review_id: int
    telegram_id: int
    language: str | None
    project: str
    stimulus: str
    reason: str | None
    is_paid: bool | None


def list_untold_reviews(session: Session) -> Sequence[UntoldReview]:
    """The decisions that annotators are to be told of and were not, oldest first.

    A rejection that was taken back before its annotator was told of it is none. That one of which they were told was
    taken back is told whatever followed, unless that is another rejection. Annotators whom Telegram cannot reach,
    or who are erased, are left out.
    """
    other, told = aliased(SubmissionReview), aliased(SubmissionReview)
    of_answer = col(other.assignment_id) == col(SubmissionReview.assignment_id)
    later = sa.select(col(other.id)).where(of_answer, col(other.number) > col(SubmissionReview.number))
    rejected_again = later.where(col(other.decision) == ReviewDecision.REJECTED, _build_last_condition(other))
    earlier = sa.select(col(told.id)).where(
        col(told.assignment_id) == col(SubmissionReview.assignment_id),
        col(told.number) == col(SubmissionReview.number) - 1,
        col(told.decision) == ReviewDecision.REJECTED,
        col(told.told_at).is_not(None),
    )
    is_rejected = col(SubmissionReview.decision) == ReviewDecision.REJECTED
    is_undone = col(SubmissionReview.decision) == ReviewDecision.UNDONE
    rows = session.exec(
        select(SubmissionReview, Annotator, Item, Project)
        .join(Assignment, col(Assignment.id) == col(SubmissionReview.assignment_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Project, col(Project.id) == col(Assignment.project_id))
        .where(
            sa.text("submission_review.told_at IS NULL AND submission_review.decision <> 'accepted'"),
            sa.or_(
                is_rejected & ~later.exists(),
                is_undone
                & earlier.exists()
                & ~rejected_again.exists()
                & ~later.where(col(other.told_at).is_not(None)).exists(),
            ),
            col(Annotator.telegram_id).is_not(None),
            col(Annotator.unreachable_at).is_(None),
            col(Annotator.forgotten_at).is_(None),
        )
        .order_by(col(SubmissionReview.id))
    ).all()
    return [
        _describe_review(review, annotator, item, project)
        for review, annotator, item, project in rows
        if _tells_annotators(project)
    ]


def mark_told(session: Session, *, review_id: int, now: datetime) -> None:
    """Record that the bot put the message about a decision into its outbox; a second time changes nothing."""
    review = session.get_one(SubmissionReview, review_id)
    if review.told_at is None:
        review.told_at = now
        session.add(review)
        session.flush()


def _build_last_condition(review: Any) -> sa.ColumnElement[bool]:
    """The condition that a review (an alias) is the last of its answer."""
    newer = aliased(SubmissionReview)
    last = sa.select(func.max(newer.number)).where(col(newer.assignment_id) == col(review.assignment_id))
    return col(review.number) == last.scalar_subquery()


def _tells_annotators(project: Project) -> bool:
    section = definitions.get_project_definition(project).review
    return section is not None and section.tell_annotators


def _describe_review(review: SubmissionReview, annotator: Annotator, item: Item, project: Project) -> UntoldReview:
    reward = definitions.get_project_definition(project).reward
    pay = None if reward is None else reward.pay
    return UntoldReview(
        review_id=review.id or 0,
        telegram_id=annotator.telegram_id or 0,
        language=annotator.language,
        project=project.title,
        stimulus=item.stimulus,
        reason=review.reason if review.decision is ReviewDecision.REJECTED else None,
        is_paid=None if pay is None else pay.rejected,
    )
