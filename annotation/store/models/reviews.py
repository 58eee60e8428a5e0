"""The tables of reviews: decisions on answers and on items, to which rows are only added, what waits, and who decides.

A decision that is taken back stays, and is followed by a row with the decision `undone`. The rows of an answer, and of
an item and question, are numbered from 0, so that of two that decide at once one gets an IntegrityError.
"""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.store.table_base import (
    UtcDateTime,
    build_enum_check,
    build_enum_type,
    build_partial_index,
)
from annotation.vocabulary import AdjudicationDecision, ReviewDecision

UNTOLD = "told_at IS NULL AND decision <> 'accepted'"
"""The condition of decisions that annotators may have to be told of; a query uses the index where it says the same."""


class SubmissionReview(SQLModel, table=True):
    """A reviewer's decision on one revision of an answer; the last row of an assignment is the one that holds.

    `annotator_id` is the reviewer, `reason` says why the answer was rejected. `gold_shown` is true where the reviewer
    had been shown the gold of the item. `told_at` is when the answer's annotator was told of the decision.
    """

    __tablename__ = "submission_review"
    __table_args__ = (
        sa.UniqueConstraint("assignment_id", "number", name="uq_submission_review_number"),
        # decisions that annotators may have to be told of
        sa.Index("ix_submission_review_untold", "id", **build_partial_index(UNTOLD)),
    )

    id: int | None = Field(default=None, primary_key=True)
    assignment_id: int = Field(foreign_key="assignment.id")
    revision: int
    number: int
    annotator_id: int = Field(foreign_key="annotator.id", index=True)
    decision: ReviewDecision = Field(
        sa_type=build_enum_type(ReviewDecision), sa_column_args=[build_enum_check(ReviewDecision, "decision")]
    )
    reason: str = ""
    gold_shown: bool = False
    at: datetime = Field(sa_type=UtcDateTime)
    told_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Adjudicator(SQLModel, table=True):
    """Somebody who adjudicates a project in Telegram, by which invitation, and since when."""

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    project_id: int = Field(foreign_key="project.id", primary_key=True)
    invitation_id: int = Field(foreign_key="invitation.id")
    since: datetime = Field(sa_type=UtcDateTime)


class GoldReview(SQLModel, table=True):
    """The plan of a review of the declared gold of one question: which items were drawn for it, and of how many.

    `strata` maps each `GoldStratum` to the numbers of its items (`items`) and of those drawn for review (`drawn`).
    """

    __tablename__ = "gold_review"
    __table_args__ = (sa.UniqueConstraint("project_id", "question", name="uq_gold_review_question"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    question: str = Field(max_length=64)
    seed: int
    strata: dict[str, Any] = Field(sa_type=sa.JSON)
    created_at: datetime = Field(sa_type=UtcDateTime)


class AdjudicationCase(SQLModel, table=True):
    """An item that is to be adjudicated, or was, for one of its questions.

    `reasons` are values of `CaseReason`. `gold_review_id` and `stratum` are set where the item was drawn for a gold
    review, and `candidates` are answers that models gave then. `position` is its number in the random order in which
    cases are offered. A case that has no reason any more is deleted, unless it was drawn or decided.
    """

    __tablename__ = "adjudication_case"
    __table_args__ = (sa.UniqueConstraint("item_id", "question", name="uq_adjudication_case_question"),)

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    question: str = Field(max_length=64)
    gold_review_id: int | None = Field(default=None, foreign_key="gold_review.id")
    stratum: str | None = Field(default=None, max_length=32)
    reasons: list[str] = Field(sa_type=sa.JSON)
    candidates: list[str] = Field(sa_type=sa.JSON)
    position: int
    created_at: datetime = Field(sa_type=UtcDateTime)


class Adjudication(SQLModel, table=True):
    """A decision on what is right for one question of an item; the last row of both is the one that holds.

    `annotator_id` is the adjudicator, None where a substantive fix of the item took the decision back. `item_revision`
    is the revision of the item that was decided on. `labels` are the right answers as answers are stored, the gold
    first. `gold_version` is the version of the gold that they make; None for `undone`.
    """

    __table_args__ = (sa.UniqueConstraint("item_id", "question", "number", name="uq_adjudication_number"),)

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    item_revision: int
    question: str = Field(max_length=64)
    number: int
    annotator_id: int | None = Field(default=None, foreign_key="annotator.id", index=True)
    decision: AdjudicationDecision = Field(
        sa_type=build_enum_type(AdjudicationDecision),
        sa_column_args=[build_enum_check(AdjudicationDecision, "decision")],
    )
    labels: list[str] = Field(sa_type=sa.JSON)
    comment: str = ""
    gold_version: str | None = Field(default=None, max_length=64)
    at: datetime = Field(sa_type=UtcDateTime)
