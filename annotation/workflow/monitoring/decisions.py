"""What waits for the organisers of one project, row by row: questions of annotators, and items to adjudicate.

`needs.py` counts the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import queries
from annotation.store.models import AdjudicationCase, Annotator, AnnotatorRow, Assignment, Item, Project
from annotation.vocabulary import CaseReason, ProjectStatus
from annotation.workflow import definitions
from annotation.workflow.annotators import support_messages
from annotation.workflow.monitoring import blindness, progress
from annotation.workflow.monitoring.progress import Doubt
from annotation.workflow.review import adjudication_queue, cases, doubts

DOUBTS_COUNTED = timedelta(days=30)
"""For how long after the close of a project its items in doubt wait, even if nobody began to adjudicate them."""


@dataclass(frozen=True, kw_only=True)
class OpenQuestion:
    """A question to the organisers that nobody answered: its number, who asked, about which item, what, and when."""

    number: int
    annotator: str
    item: str | None
    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """A main item and a question of it that wait for an adjudicator, and why (values of `CaseReason`).

    `at` is when `hromada adjudicate` first found it; None if it has not been called since.
    """

    item: str
    question: str
    reasons: tuple[str, ...]
    at: datetime | None

    @property
    def is_tie(self) -> bool:
        """Whether several answers are the most frequent."""
        return CaseReason.TIE.value in self.reasons


def list_open_questions(session: Session, project: Project) -> tuple[OpenQuestion, ...]:
    """The questions about a project that nobody answered, oldest first."""
    asked = support_messages.list_messages(session, project_id=project.id, include_answered=False)
    authors = {question.annotator_id for question in asked}
    names = dict(session.exec(select(Annotator.id, Annotator.pseudonym).where(col(Annotator.id).in_(authors))).all())
    items = dict(
        session.exec(
            select(Assignment.id, Item.external_id)
            .join(Item, col(Item.id) == col(Assignment.item_id))
            .where(col(Assignment.id).in_({question.assignment_id for question in asked}))
        ).all()
    )
    return tuple(
        OpenQuestion(
            number=question.id or 0,
            annotator=names[question.annotator_id],
            item=items.get(question.assignment_id),
            text=question.text,
            at=question.at,
        )
        for question in asked
    )


def list_disputes(
    session: Session, project: Project, *, now: datetime, counted: Sequence[Doubt] | None = None
) -> tuple[Dispute, ...]:
    """The items that wait for an adjudicator: stored cases, and those that `hromada adjudicate` would store now.

    The longest waiting come first. An item is left out if it waits only because somebody reported it, or only for a
    gold review, or still gets answers; a blind project has none. `counted` are the items in doubt as `count_doubts` has
    them at this time, None if they were not counted now.
    """
    if blindness.is_blind(session, project):
        return ()
    decided = queries.build_decided_condition(col(AdjudicationCase.item_id), col(AdjudicationCase.question))
    stored = (
        select(AdjudicationCase, Item.external_id)
        .join(Item, col(Item.id) == col(AdjudicationCase.item_id))
        .where(Item.project_id == project.id, sa.not_(decided), doubts.build_answered_condition(project))
    )
    found = {
        (item, case.question): Dispute(
            item=item, question=case.question, reasons=tuple(case.reasons), at=case.created_at
        )
        for case, item in session.exec(stored)
        if {*case.reasons} - {CaseReason.REPORT.value}
    }
    for item, question, reasons in _list_new_doubts(session, project, now=now, counted=counted):
        found.setdefault((item, question), Dispute(item=item, question=question, reasons=tuple(reasons), at=None))
    return tuple(sorted(found.values(), key=lambda one: (one.at or now, one.item, one.question)))


def list_early_items(session: Session, project: Project) -> frozenset[str]:
    """The main items, by external id, of which nobody is to be told yet that they are in doubt.

    Those of a blind project are all, of any other project those that still get answers.
    """
    return doubts.list_main_items(session, project, with_answered=blindness.is_blind(session, project))


def store_disputes(session: Session, *, adjudicator: AnnotatorRow, now: datetime) -> None:
    """Store as cases what waits and was not stored yet, in the projects of an adjudicator; nothing is deleted.

    So the queue in the chat has what `list_disputes` counts, though nobody called `hromada adjudicate` since.
    """
    for project in adjudication_queue.list_adjudicated_projects(session, adjudicator):
        new = [dispute for dispute in list_disputes(session, project, now=now) if dispute.at is None]
        for question in {dispute.question for dispute in new}:
            reasons = {dispute.item: dispute.reasons for dispute in new if dispute.question == question}
            cases.add_cases(session, project=project, question=question, reasons=reasons, now=now)


def _list_new_doubts(
    session: Session, project: Project, *, now: datetime, counted: Sequence[Doubt] | None
) -> Sequence[Doubt]:
    """The items in doubt on which nobody has decided, as they were `counted` now or lately."""
    is_old = project.status is ProjectStatus.CLOSED and (project.closed_at or now) <= now - DOUBTS_COUNTED
    if is_old:
        return ()
    found = _recall_doubts(session, project, now=now) if counted is None else counted
    decided = {
        (item.external_id, question)
        for question in {question for _, question, _ in found}
        for item, _ in queries.list_holding(session, project_id=project.id or 0, question=question)
    }
    return [doubt for doubt in found if doubt[:2] not in decided]


def _recall_doubts(session: Session, project: Project, *, now: datetime) -> Sequence[Doubt]:
    """The items in doubt as they were counted lately, else as they are."""
    tally = progress.find_tally(session, project, now=now)
    if tally is None:
        return count_doubts(session, project)
    return [(item, question, why) for item, question, why in tally.doubts]


def count_doubts(session: Session, project: Project) -> list[Doubt]:
    """The items in doubt; this reads all answers of the project.

    A blind project has none: their number tells how far people agree. Nor has a project that asks nobody, in which ties
    of imported votes are no task for anybody.
    """
    if project.overlap is None or project.started_at is None or blindness.is_blind(session, project):
        return []
    found = doubts.find_doubts(session, project, definitions.get_project_definition(project))
    return [
        (item, question, [reason.value for reason in CaseReason if reason in reasons])
        for (item, question), reasons in sorted(found.items())
    ]
