"""Submissions: the answers that a reviewer may accept or reject, blind to who gave them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from aggregation import placeholders
from annotation.campaigns.project_file import ProjectFile
from annotation.errors import BadInput, Conflict, NotFound, Refused, Where
from annotation.store import database, judgements, models
from annotation.store.database import LockedAnnotator
from annotation.store.models import Annotator, Assignment, AssignmentRow, Item, Judgement, Project, SubmissionReview
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import AssignmentStatus, ExclusionKind, Pool, ReviewDecision, build_rejection
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import withdrawal
from annotation.workflow.quality import enforcement, exclusions, gold_answers
from annotation.workflow.review import reviewers


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
    rows = session.execute(_select_untold_reviews()).all()
    return [
        _describe_review(review, annotator, item, project)
        for review, annotator, item, project in rows
        if _tells_annotators(project)
    ]


@cache
def _select_untold_reviews() -> sa.Select[SubmissionReview, Annotator, Item, Project]:
    """Every sweep asks it, and to build it costs more than to run it."""
    other, told = aliased(SubmissionReview), aliased(SubmissionReview)
    of_answer = col(other.assignment_id) == col(SubmissionReview.assignment_id)
    later = sa.select(col(other.id)).where(of_answer, col(other.number) > col(SubmissionReview.number))
    newer = aliased(SubmissionReview)
    last = sa.select(func.max(newer.number)).where(col(newer.assignment_id) == col(other.assignment_id))
    rejected_again = later.where(
        col(other.decision) == ReviewDecision.REJECTED, col(other.number) == last.scalar_subquery()
    )
    earlier = sa.select(col(told.id)).where(
        col(told.assignment_id) == col(SubmissionReview.assignment_id),
        col(told.number) == col(SubmissionReview.number) - 1,
        col(told.decision) == ReviewDecision.REJECTED,
        col(told.told_at).is_not(None),
    )
    is_rejected = col(SubmissionReview.decision) == ReviewDecision.REJECTED
    is_undone = col(SubmissionReview.decision) == ReviewDecision.UNDONE
    return (
        sa.select(SubmissionReview, Annotator, Item, Project)
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
    )


def mark_told(session: Session, *, review_id: int, now: datetime) -> None:
    """Record that the bot put the message about a decision into its outbox; a second time changes nothing."""
    review = session.get_one(SubmissionReview, review_id)
    if review.told_at is None:
        review.told_at = now
        session.add(review)
        session.flush()


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
    where the project asks closed questions only.
    """
    definition = definitions.get_project_definition(project)
    if all(question.is_closed for question in definition.all_questions):
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
        submission = _build_submission(definition, (assignment, item, judgement, review), reviewer, with_gold=with_gold)
        if chosen.person in {None, submission.person}:
            submissions.append(submission)
    return submissions


def _select_answers(project: Project, reviewer: Annotator, answer_id: int | None) -> Any:
    """The final answers that may be reviewed: Assignment, Item, Judgement, and the last SubmissionReview or None."""
    is_last = (col(SubmissionReview.assignment_id) == col(Assignment.id)) & _IS_LAST
    query = (
        select(Assignment, Item, Judgement, SubmissionReview)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .outerjoin(SubmissionReview, is_last)
        .where(
            *_list_conditions(project),
            judgements.build_counting_condition(ignoring=(ExclusionKind.REJECTED,)),
            ~reviewers.build_answered_condition(reviewer.id or 0),
        )
    )
    query = query if answer_id is None else query.where(Assignment.id == answer_id)
    return query.order_by(col(Assignment.id))


def list_reviewed_projects(session: Session) -> frozenset[int]:
    """The ids of the projects in which somebody has reviewed an answer."""
    reviewed = select(Assignment.project_id).join(SubmissionReview).distinct()
    return frozenset(session.exec(reviewed))


def map_items(session: Session, answer_ids: Collection[int]) -> dict[int, str]:
    """The items, by external id, of answers with these ids (`Submission.answer_id`), in the order of the ids."""
    items = select(Assignment.id, Item.external_id).join(Item, col(Item.id) == col(Assignment.item_id))
    found = session.exec(items.where(col(Assignment.id).in_(answer_ids)).order_by(col(Assignment.id))).all()
    return {answer_id or 0: item for answer_id, item in found}


def count_waiting_answers(session: Session, project: Project) -> tuple[int, datetime | None]:
    """How many answers wait for a reviewer, whoever that is, and since when the first does."""
    held = sa.select(col(SubmissionReview.id)).where(
        col(SubmissionReview.assignment_id) == col(Assignment.id),
        col(SubmissionReview.decision) != ReviewDecision.UNDONE,
        col(SubmissionReview.revision) == col(Judgement.revision),
        _IS_LAST,
    )
    waiting = (
        select(func.count(), func.min(Judgement.answered_at, type_=UtcDateTime()))
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(*_list_conditions(project), judgements.build_counting_condition(), ~held.exists())
    )
    return session.exec(waiting).one()


def _list_conditions(project: Project) -> tuple[sa.ColumnElement[bool], ...]:
    """The conditions that an answer is a final one of the main stage, and no skip."""
    return (
        col(Assignment.project_id) == project.id,
        col(Assignment.status) == AssignmentStatus.DONE,
        col(Item.pool) == Pool.MAIN,
        col(Judgement.skip_reason).is_(None),
        judgements.build_final_revision_condition(),
    )


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
    # The code of a person differs between reviewers and projects, so that nobody can put codes together.
    text = f"{reviewer.pseudonym}\x1f{assignment.project_id}\x1f{assignment.annotator_id}"
    return Submission(
        answer_id=assignment.id or 0,
        revision=judgement.revision,
        person=hashlib.sha256(text.encode()).hexdigest()[:6],
        item=item,
        answers=judgement.answers or {first: judgement.response},
        decision=review.decision if holds and review is not None else None,
        reason=review.reason if holds and review is not None else "",
        golds=gold_answers.get_gold_answers(item, definition.all_questions) if with_gold else {},
        accepted=tuple(item.accepted or ()) if with_gold else (),
    )


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

    `revision` is the one that was shown. Raises BadInput without a reason or with a placeholder, NotFound for an answer
    that is not in the project, Conflict for one that was corrected since, was decided on, does not count, or that the
    reviewer may not review.
    """
    words = " ".join(reason.split())
    is_missing = placeholders.is_unwritten(words) or placeholders.has_control_characters(words)
    if is_missing or len(words) > MAX_REASON_LENGTH:
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
) -> tuple[int, ...]:
    """Take the reviewer's last decision in the project back, or that on one answer; the ids, none where there is none.

    Decisions that were stored together, at one time, are taken back together. A rejected answer counts again, or is
    kept as extra where others have filled its item. Quality rules and the exclusion of its annotator still hold. The
    decision on one answer is taken back alone; it may also be of somebody suspended or forgotten.
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
    last = session.exec(held.order_by(col(SubmissionReview.id).desc()).limit(1)).first()
    if last is None:
        return ()
    together = [last] if answer_id is not None else session.exec(held.where(SubmissionReview.at == last.at)).all()
    assignments = [models.ASSIGNMENTS.get_one(session, decision.assignment_id) for decision in together]
    pairs = zip(together, assignments, strict=True)  # annotators are locked in one order
    for decision, assignment in sorted(pairs, key=lambda pair: (pair[1].annotator_id, pair[1].id)):
        _undo_one(session, held, decision, assignment, project=project, reviewer=reviewer, now=now)
    return tuple(sorted(decision.assignment_id for decision in together))


def _undo_one(
    session: Session,
    held: Any,
    decision: SubmissionReview,
    assignment: AssignmentRow,
    *,
    project: Project,
    reviewer: Annotator,
    now: datetime,
) -> None:
    """Take a decision back; raises Conflict where it does not hold any more."""
    locked = database.lock_annotator(session, assignment.annotator_id)
    last = session.exec(held.where(SubmissionReview.assignment_id == decision.assignment_id)).first()
    if last is None or last.id != decision.id:
        raise Conflict("Somebody took this decision back at this moment.", remedy="Look at what waits, and try again.")
    _add_undone_row(session, last, reviewer, now=now)
    if last.decision is ReviewDecision.REJECTED:
        _reinstate_answer(session, locked, project=project, assignment=assignment, reason=last.reason, now=now)


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
    session: Session,
    locked: LockedAnnotator,
    *,
    project: Project,
    assignment: AssignmentRow,
    reason: str,
    now: datetime,
) -> None:
    """Count an answer again that was rejected, unless something else excludes it, or its assignment is closed.

    It is closed if the annotator withdrew, or if their two accounts were united, and was given or met twice.
    """
    ids, rejection = [assignment.id or 0], build_rejection(reason)
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if assignment.status is AssignmentStatus.WITHDRAWN:
        closed, post_hoc = withdrawal.explain_closing(assignment, participation), project.started_at is not None
        exclusions.replace_exclusion(session, ids, exclusion=rejection, by=closed, post_hoc=post_hoc)
        return
    exclusions.reinstate_answers(session, assignment_ids=ids, exclusion=rejection, now=now)
    models.ASSIGNMENTS.refresh(session, assignment)
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
    database.lock_annotator(session, assignment.annotator_id)
    listed = list_submissions(session, project=project, reviewer=reviewer, answer_id=answer_id)
    if not listed:
        raise Conflict(
            f"The answer {answer_id} does not count, or its item is one that {reviewer.pseudonym} answered or made.",
            remedy="`hromada review --json` lists the answers that wait.",
        )
    [answer] = listed
    if answer.revision != revision:
        raise Conflict(
            f"The answer {answer_id} was corrected since it was shown.",
            remedy="Look at it as it is now, and decide again.",
        )
    if answer.decision is not None:
        raise Conflict(
            f"The answer {answer_id} is {answer.decision} already.",
            remedy=f"Take that back first: `--undo --answer {answer_id}`.",
        )
    rows = select(SubmissionReview).where(SubmissionReview.assignment_id == answer_id)
    last = session.exec(rows.order_by(col(SubmissionReview.number).desc())).first()
    if last is not None and last.decision is ReviewDecision.REJECTED:  # of an earlier revision
        _add_undone_row(session, last, reviewer, now=now)
        last = session.exec(rows.order_by(col(SubmissionReview.number).desc())).first()
    return SubmissionReview(
        assignment_id=answer_id,
        revision=answer.revision,
        number=0 if last is None else last.number + 1,
        annotator_id=reviewer.id or 0,
        decision=ReviewDecision.ACCEPTED,
        gold_shown=bool(reviewers.list_seen_items(session, project=project, reviewer=reviewer, items=[answer.item])),
        at=now,
    )
