"""What somebody decides on in Label Studio: adjudication cases, or answers that are reviewed.

Both kinds of work say what waits, build tasks, and store a decision, take it back, or say whether it still holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question
from annotation.campaigns.stimulus import list_images
from annotation.errors import Conflict
from annotation.label_studio import decision_payloads
from annotation.store import journal, pictures
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Annotator,
    Item,
    LabelStudioBatch,
    LabelStudioReviewTask,
    Project,
    SubmissionReview,
)
from annotation.vocabulary import AdjudicationDecision, BatchWork, Event, ReviewDecision
from annotation.workflow import definitions
from annotation.workflow.review import adjudication_queue, cases, reviewers, submissions
from annotation.workflow.review.cases import parse_label
from annotation.workflow.review.submissions import Submission, SubmissionSample

FIXED_REMEDY = "Push again: it is sent once more, as it is now."


@dataclass(frozen=True, kw_only=True)
class BuiltTask:
    """A task, the revision of what it shows, and the answers behind its choices."""

    task: dict[str, Any]
    revision: int
    candidates: list[str]


@dataclass(frozen=True, kw_only=True)
class DecisionWork:
    """The work of a batch within a session."""

    subject: ClassVar[str]
    """The column of a task that says on what is decided."""

    session: Session
    project: Project
    person: Annotator
    definition: ProjectFile

    def list_waiting(self) -> list[int]:
        """The ids of what waits for the person, in the order in which it is offered."""
        raise NotImplementedError

    def build_task(self, row: LabelStudioReviewTask) -> BuiltTask:
        """The task of a row as it is now; raises Conflict where it cannot be shown any more."""
        raise NotImplementedError

    def is_outdated(self, row: LabelStudioReviewTask) -> bool:
        """Whether a decision on what the task shows is none on what is there now."""
        raise NotImplementedError

    def store_decision(self, row: LabelStudioReviewTask, result: Sequence[dict[str, Any]], now: datetime) -> int | None:
        """Decide as an annotation says, instead of what was decided by it before; the decision's number.

        None where that says the same. Raises BadInput, Conflict and NotFound where it cannot be stored.
        """
        raise NotImplementedError

    def take_back(self, row: LabelStudioReviewTask, now: datetime) -> bool:
        """Take the decision back that was taken over from this task; False where it does not hold any more."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class CaseWork(DecisionWork):
    """Cases of one question are adjudicated, the doubtful ones or those of a gold review."""

    subject = "case_id"

    question: Question
    gold_review: bool

    def list_waiting(self) -> list[int]:
        """See DecisionWork."""
        waiting = adjudication_queue.list_open_cases(
            self.session,
            project=self.project,
            question=self.question,
            adjudicator=self.person,
            gold_review=self.gold_review,
        )
        return [case.id or 0 for case in waiting]

    def build_task(self, row: LabelStudioReviewTask) -> BuiltTask:
        """See DecisionWork."""
        case = self.session.get_one(AdjudicationCase, row.case_id)
        opened = adjudication_queue.open_case(self.session, project=self.project, case=case, adjudicator=self.person)
        uris = pictures.build_data_uris(self.session, list_images(opened.item.pieces or ()))
        return BuiltTask(
            task=decision_payloads.build_case_task(self.definition, opened, number=row.id or 0, pictures=uris),
            revision=opened.item.revision,
            candidates=[candidate.answer for candidate in opened.candidates],
        )

    def is_outdated(self, row: LabelStudioReviewTask) -> bool:
        """See DecisionWork: the item was fixed in substance."""
        item = self._get_item(row)
        if row.revision is None or item.revision == row.revision:
            return False
        fixes = journal.list_project_events(self.session, Event.ITEM_FIXED, project_id=self.project.id or 0)
        return any(
            fix.data["item"] == item.external_id
            and fix.data["revision"] > (row.revision or 0)
            and fix.data["kind"] == "substantive"
            for fix in fixes
        )

    def store_decision(self, row: LabelStudioReviewTask, result: Sequence[dict[str, Any]], now: datetime) -> int | None:
        """See DecisionWork."""
        item, case = self._get_item(row), self.session.get_one(AdjudicationCase, row.case_id)
        if self.is_outdated(row):
            raise Conflict(f"{item.external_id} was fixed since it was shown.", remedy=FIXED_REMEDY)
        verdict = decision_payloads.read_case_verdict(self.question, item, result, candidates=row.candidates or ())
        held = self._find_own_decision(row)
        if held is not None:
            labels = [parse_label(self.question, item, label) for label in verdict.labels]
            if (held.labels, held.comment) == (labels, verdict.comment.strip()):
                return None
            self.take_back(row, now)
        decided = adjudication_queue.decide_case(
            self.session,
            project=self.project,
            case=case,
            adjudicator=self.person,
            revision=item.revision,
            labels=verdict.labels,
            comment=verdict.comment,
            now=now,
        )
        return decided.number

    def take_back(self, row: LabelStudioReviewTask, now: datetime) -> bool:
        """See DecisionWork."""
        if self._find_own_decision(row) is None:
            return False
        undone = adjudication_queue.undo_decision(
            self.session,
            project=self.project,
            question=self.question,
            adjudicator=self.person,
            item_id=self._get_item(row).id,
            now=now,
        )
        return bool(undone)

    def _get_item(self, row: LabelStudioReviewTask) -> Item:
        return self.session.get_one(Item, self.session.get_one(AdjudicationCase, row.case_id).item_id)

    def _find_own_decision(self, row: LabelStudioReviewTask) -> Adjudication | None:
        """The decision that was taken over from the task, where it is the last one and was not taken back."""
        decided = select(Adjudication).where(
            Adjudication.item_id == self._get_item(row).id, Adjudication.question == self.question.name
        )
        last = self.session.exec(decided.order_by(col(Adjudication.number).desc()).limit(1)).first()
        holds = last is not None and last.decision is not AdjudicationDecision.UNDONE
        return last if holds and last is not None and last.number == row.decision_number else None


@dataclass(frozen=True, kw_only=True)
class ReviewWork(DecisionWork):
    """Answers are accepted or rejected; `sample` says which."""

    subject = "assignment_id"

    sample: SubmissionSample = field(default_factory=SubmissionSample)

    def list_waiting(self) -> list[int]:
        """See DecisionWork."""
        listed = submissions.list_submissions(
            self.session, project=self.project, reviewer=self.person, sample=self.sample
        )
        return [submission.answer_id for submission in listed if submission.decision is None]

    def build_task(self, row: LabelStudioReviewTask) -> BuiltTask:
        """See DecisionWork."""
        submission = self._find_submission(row)
        if submission is None:
            raise Conflict("The answer does not count any more.", remedy="Push again, which takes it away.")
        uris = pictures.build_data_uris(self.session, list_images(submission.item.pieces or ()))
        task = decision_payloads.build_submission_task(self.definition, submission, number=row.id or 0, pictures=uris)
        return BuiltTask(task=task, revision=submission.revision, candidates=[])

    def is_outdated(self, row: LabelStudioReviewTask) -> bool:
        """See DecisionWork: its annotator corrected the answer."""
        submission = self._find_submission(row)
        return row.revision is not None and submission is not None and submission.revision != row.revision

    def store_decision(self, row: LabelStudioReviewTask, result: Sequence[dict[str, Any]], now: datetime) -> int | None:
        """See DecisionWork."""
        reasons = self.definition.review.reasons if self.definition.review is not None else ()
        if self.is_outdated(row):
            raise Conflict("The answer was corrected since it was shown.", remedy=FIXED_REMEDY)
        verdict = decision_payloads.read_submission_verdict(reasons, result)
        held = self._find_own_decision(row)
        if held is not None:
            if (held.reason or None) == (" ".join(verdict.reason.split()) if verdict.reason else None):
                return None
            self.take_back(row, now)
        values: dict[str, Any] = {"project": self.project, "reviewer": self.person, "now": now}
        values |= {"answer_id": row.assignment_id, "revision": row.revision or 0}
        if verdict.reason is None:
            submissions.accept_answer(self.session, **values)
        else:
            submissions.reject_answer(self.session, reason=verdict.reason, **values)
        last = self._find_last_decision(row)
        return None if last is None else last.number

    def take_back(self, row: LabelStudioReviewTask, now: datetime) -> bool:
        """See DecisionWork."""
        if self._find_own_decision(row) is None:
            return False
        undone = submissions.undo_review(
            self.session, project=self.project, reviewer=self.person, answer_id=row.assignment_id, now=now
        )
        return bool(undone)

    def _find_submission(self, row: LabelStudioReviewTask) -> Submission | None:
        listed = submissions.list_submissions(
            self.session, project=self.project, reviewer=self.person, answer_id=row.assignment_id
        )
        return listed[0] if listed else None

    def _find_last_decision(self, row: LabelStudioReviewTask) -> SubmissionReview | None:
        decided = select(SubmissionReview).where(SubmissionReview.assignment_id == row.assignment_id)
        return self.session.exec(decided.order_by(col(SubmissionReview.number).desc()).limit(1)).first()

    def _find_own_decision(self, row: LabelStudioReviewTask) -> SubmissionReview | None:
        """The decision that was taken over from the task, where it is the last one and was not taken back."""
        last = self._find_last_decision(row)
        holds = last is not None and last.decision is not ReviewDecision.UNDONE
        return last if holds and last is not None and last.number == row.decision_number else None


def load_work(session: Session, batch: LabelStudioBatch, *, sample: SubmissionSample | None = None) -> DecisionWork:
    """The work of a batch; raises Conflict where the person is suspended or forgotten."""
    project = session.get_one(Project, batch.project_id)
    person = reviewers.get_reviewer(session, session.get_one(Annotator, batch.annotator_id).pseudonym)
    definition = definitions.get_project_definition(project)
    common: dict[str, Any] = {"session": session, "project": project, "person": person, "definition": definition}
    if batch.work is BatchWork.REVIEW:
        return ReviewWork(**common, sample=sample or SubmissionSample())
    question = cases.get_question(project, batch.question)
    return CaseWork(**common, question=question, gold_review=batch.work is BatchWork.GOLD_REVIEW)
