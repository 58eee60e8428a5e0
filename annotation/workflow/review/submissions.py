"""Submissions: the answers that a reviewer may accept or reject, blind to who gave them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import Refused
from annotation.review_vocabulary import ReviewDecision
from annotation.store import judgements
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project, SubmissionReview
from annotation.vocabulary import AssignmentStatus, ExclusionKind, Pool
from annotation.workflow import definitions
from annotation.workflow.quality import gold_answers
from annotation.workflow.review import reviewers

REVIEWED_TYPES = ("text", "edit", "span")
"""The types of questions whose answers are reviewed."""


@dataclass(frozen=True, kw_only=True)
class Submission:
    """An answer as a reviewer sees it; `decision` is None while it waits.

    `answer_id` is the id of its assignment, `person` a code that is the same for all answers of one annotator and tells
    a reviewer nothing else. `answers` are by question, as stored. `golds` and `accepted` are empty unless asked for.
    """

    answer_id: int
    revision: int
    person: str
    item: Item
    answers: Mapping[str, str]
    decision: ReviewDecision | None
    reason: str
    golds: Mapping[str, str]
    accepted: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SubmissionSample:
    """Which answers to look at: a share of them, drawn by a seed, of one annotator (by code) or of all.

    Whether an answer is in the sample depends on the seed and its id alone, so that later answers change nothing.
    """

    share: float = 1.0
    seed: int = 0
    person: str | None = None

    def has_answer(self, answer_id: int) -> bool:
        """Whether the share has this answer."""
        digest = hashlib.sha256(f"{self.seed}\x1f{answer_id}".encode()).digest()
        return int.from_bytes(digest[:8]) < self.share * 2**64


def list_submissions(
    session: Session,
    *,
    project: Project,
    reviewer: Annotator,
    sample: SubmissionSample | None = None,
    with_gold: bool = False,
    answer_id: int | None = None,
) -> list[Submission]:
    """The answers of the main stage that count, or were rejected in a review, in the order in which they were given.

    Answers to items that the reviewer answered or made are left out; with `answer_id` all but one are. Raises Refused
    where the project asks no question of REVIEWED_TYPES.
    """
    definition = definitions.get_project_definition(project)
    if not any(question.kind in REVIEWED_TYPES for question in definition.all_questions):
        raise Refused(
            f"{project.name} asks for no texts, corrections or parts of a text.",
            remedy="`hromada adjudicate` decides on the labels of its items.",
        )
    chosen = sample or SubmissionSample()
    submissions = []
    rows = session.exec(_select_answers(project, reviewer, answer_id)).all()
    items = [item for _, item, *_ in rows]
    made = reviewers.list_made_items(session, project=project, reviewer=reviewer, items=items)
    for assignment, item, judgement, review in rows:
        is_rejected_elsewhere = judgement.excluded_kind is not None and not _is_holding(review, judgement)
        if is_rejected_elsewhere or item.external_id in made:
            continue
        if not chosen.has_answer(assignment.id or 0):
            continue
        found = _build_submission(definition, (assignment, item, judgement, review), reviewer, with_gold=with_gold)
        if chosen.person in {None, found.person}:
            submissions.append(found)
    return submissions


def _select_answers(project: Project, reviewer: Annotator, answer_id: int | None) -> Any:
    """The final answers that may be reviewed: Assignment, Item, Judgement, and the last SubmissionReview or None."""
    other = aliased(SubmissionReview)
    last = sa.select(func.max(other.number)).where(col(other.assignment_id) == col(Assignment.id)).scalar_subquery()
    is_last = (col(SubmissionReview.assignment_id) == col(Assignment.id)) & (col(SubmissionReview.number) == last)
    query = (
        select(Assignment, Item, Judgement, SubmissionReview)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .outerjoin(SubmissionReview, is_last)
        .where(
            Assignment.project_id == project.id,
            Assignment.status == AssignmentStatus.DONE,
            Item.pool == Pool.MAIN,
            col(Judgement.skip_reason).is_(None),
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(ignoring=(ExclusionKind.REJECTED,)),
            ~reviewers.build_answered_condition(reviewer.id or 0),
        )
    )
    query = query if answer_id is None else query.where(Assignment.id == answer_id)
    return query.order_by(col(Assignment.id))


def _is_holding(review: SubmissionReview | None, judgement: Judgement) -> bool:
    """Whether a decision holds: it was not taken back, and the answer was not corrected since."""
    return review is not None and review.decision is not ReviewDecision.UNDONE and review.revision == judgement.revision


def _build_submission(
    definition: ProjectFile,
    row: tuple[Assignment, Item, Judgement, SubmissionReview | None],
    reviewer: Annotator,
    *,
    with_gold: bool,
) -> Submission:
    assignment, item, judgement, review = row
    first = definition.all_questions[0].name
    holds = _is_holding(review, judgement)
    return Submission(
        answer_id=assignment.id or 0,
        revision=judgement.revision,
        person=_build_person_code(reviewer, assignment),
        item=item,
        answers=judgement.answers or {first: judgement.response},
        decision=review.decision if holds and review is not None else None,
        reason=review.reason if holds and review is not None else "",
        golds=gold_answers.get_gold_answers(item, definition.all_questions) if with_gold else {},
        accepted=tuple(item.accepted or ()) if with_gold else (),
    )


def _build_person_code(reviewer: Annotator, assignment: Assignment) -> str:
    """Six signs for an annotator, which differ from reviewer to reviewer and from project to project."""
    text = f"{reviewer.pseudonym}\x1f{assignment.project_id}\x1f{assignment.annotator_id}"
    return hashlib.sha256(text.encode()).hexdigest()[:6]
