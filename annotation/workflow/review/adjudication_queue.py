"""The queue of an adjudicator in Telegram: closed questions of the projects that they were invited to adjudicate.

Cases come one by one in their random order, doubtful ones and those of a gold review mixed, so that the order does not
tell why a case is there. `adjudication` shows and decides them, for every surface alike.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from annotation.campaigns.questions import Question
from annotation.errors import Conflict, Stale
from annotation.store import adjudications
from annotation.store.models import Adjudication, AdjudicationCase, Adjudicator, AnnotatorRow, Item, Project
from annotation.workflow import definitions
from annotation.workflow.review import adjudication
from annotation.workflow.review.adjudication import OpenCase

MAX_CANDIDATES = 30
"""A case with more candidates is not offered in Telegram: the number of a button has a bit for each."""


@dataclass(frozen=True, kw_only=True)
class QueuedCase:
    """A case in the queue: what is shown of it, in which project, and how many wait for the adjudicator there.

    `pieces` are those that annotators see before they answer. `number` is that of the decision to come, and `version` a
    digest of the item and the candidates: both differ once what was shown no longer holds.
    """

    case: OpenCase
    title: str
    language: str
    pieces: tuple[Mapping[str, Any], ...]
    number: int
    version: str
    left: int


def is_adjudicator(session: Session, *, adjudicator: AnnotatorRow) -> bool:
    """Whether the person was invited to adjudicate any project, and is not suspended."""
    roles = select(Adjudicator.project_id).where(Adjudicator.annotator_id == adjudicator.id).limit(1)
    return adjudicator.suspended_at is None and session.exec(roles).first() is not None


def find_next_case(session: Session, *, adjudicator: AnnotatorRow, after: int | None = None) -> QueuedCase | None:
    """The first case that waits for the adjudicator; with `after` (an id) the one that follows, and so on in a circle.

    None where no case waits. The case `after` itself comes last.
    """
    passed = None if after is None else session.get(AdjudicationCase, after)
    queues = _list_queues(session, adjudicator)
    start = 0 if passed is None else _find_queue(session, queues, passed)
    rest = () if passed is None else queues[: start + 1]
    for turn, (project, question) in enumerate([*queues[start:], *rest]):
        waiting = adjudication.list_open_cases(
            session, project=project, question=question, adjudicator=adjudicator, gold_review=None
        )
        place = (passed.position, passed.id or 0) if passed is not None and turn == 0 else (-1, 0)
        for case in waiting:
            if (case.position, case.id or 0) > place:
                queued = _build_queued_case(session, project, case, adjudicator, left=len(waiting))
                if len(queued.case.candidates) <= MAX_CANDIDATES:
                    return queued
    return None


def find_case(session: Session, *, adjudicator: AnnotatorRow, case_id: int) -> QueuedCase | None:
    """A case by its id; None where it does not wait for the adjudicator."""
    case = session.get(AdjudicationCase, case_id)
    item = None if case is None else session.get_one(Item, case.item_id)
    for project, question in _list_queues(session, adjudicator):
        if case is not None and item is not None and (item.project_id, case.question) == (project.id, question.name):
            waiting = adjudication.list_open_cases(
                session, project=project, question=question, adjudicator=adjudicator, gold_review=None
            )
            if case.id in {one.id for one in waiting}:
                return _build_queued_case(session, project, case, adjudicator, left=len(waiting))
    return None


def decide_queued_case(
    session: Session,
    *,
    adjudicator: AnnotatorRow,
    queued: QueuedCase,
    picked: Sequence[int] = (),
    comment: str = "",
    now: datetime,
) -> None:
    """Store what is right: the indices of candidates, the gold first; without any it is broken, and `comment` says why.

    Raises Stale where somebody else was faster, or a candidate does not exist.
    """
    candidates = queued.case.candidates
    if not all(0 <= index < len(candidates) for index in picked):
        raise Stale("There is no such candidate.")
    case = session.get_one(AdjudicationCase, queued.case.case_id)
    try:
        adjudication.decide_case(
            session,
            project=session.get_one(Project, queued.case.item.project_id),
            case=case,
            adjudicator=adjudicator,
            revision=queued.case.item.revision,
            labels=[candidates[index].answer for index in picked],
            comment=comment,
            now=now,
        )
    except Conflict as failure:
        raise Stale("This is decided.") from failure


def find_own_decision(session: Session, *, adjudicator: AnnotatorRow, case_id: int, number: int) -> Adjudication | None:
    """The adjudicator's decision with this number on a case, where it holds."""
    of_case = select(Adjudication).join(
        AdjudicationCase,
        (col(AdjudicationCase.item_id) == col(Adjudication.item_id))
        & (col(AdjudicationCase.question) == col(Adjudication.question)),
    )
    own = of_case.where(
        AdjudicationCase.id == case_id, Adjudication.annotator_id == adjudicator.id, Adjudication.number == number
    )
    return session.exec(own.where(adjudications.build_holding_condition())).first()


def take_decision_back(
    session: Session, *, adjudicator: AnnotatorRow, case_id: int, number: int, now: datetime
) -> QueuedCase | None:
    """Take the adjudicator's decision with this number on a case back; the case, None where it does not wait again.

    Raises Stale where that decision does not hold.
    """
    case = session.get(AdjudicationCase, case_id)
    if case is not None:
        adjudication.lock_item(session, case.item_id)
    found = find_own_decision(session, adjudicator=adjudicator, case_id=case_id, number=number)
    if found is None:
        raise Stale("This is taken back already.")
    revision = found.item_revision
    adjudications.add_undone_row(session, last=found, annotator_id=adjudicator.id, item_revision=revision, now=now)
    return find_case(session, adjudicator=adjudicator, case_id=case_id)


def _list_queues(session: Session, adjudicator: AnnotatorRow) -> list[tuple[Project, Question]]:
    """The closed questions with cases of the adjudicator's projects, in the order of the projects."""
    if adjudicator.suspended_at is not None:
        return []
    asked = select(Item.project_id, AdjudicationCase.question).join(Item, col(Item.id) == col(AdjudicationCase.item_id))
    asked = asked.join(Adjudicator, col(Adjudicator.project_id) == col(Item.project_id))
    rows = set(session.exec(asked.where(Adjudicator.annotator_id == adjudicator.id).distinct()))
    projects = [session.get_one(Project, project_id) for project_id in sorted({project_id for project_id, _ in rows})]
    return [
        (project, question)
        for project in projects
        for question in definitions.get_project_definition(project).all_questions
        if (project.id, question.name) in rows and question.is_closed
    ]


def _find_queue(session: Session, queues: Sequence[tuple[Project, Question]], case: AdjudicationCase) -> int:
    """The index of the queue that the case belongs to; 0 where it is in none."""
    project_id = session.get_one(Item, case.item_id).project_id
    keys: Iterator[tuple[int | None, str]] = ((project.id, question.name) for project, question in queues)
    return next((index for index, key in enumerate(keys) if key == (project_id, case.question)), 0)


def _build_queued_case(
    session: Session, project: Project, case: AdjudicationCase, adjudicator: AnnotatorRow, *, left: int
) -> QueuedCase:
    opened = adjudication.open_case(session, project=project, case=case, adjudicator=adjudicator)
    shown = json.dumps([opened.item.revision, *(candidate.answer for candidate in opened.candidates)])
    return QueuedCase(
        case=opened,
        title=project.title,
        language=project.language,
        pieces=tuple(piece for piece in opened.item.pieces or () if piece["step"] == 1),
        number=adjudications.get_next_number(session, item_id=case.item_id, question=case.question),
        version=hashlib.sha256(shown.encode()).hexdigest()[:8],
        left=left,
    )
