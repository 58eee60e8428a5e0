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

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import placeholders, spelling
from annotation.campaigns.questions import Question
from annotation.errors import BadInput, Conflict, NotFound, Stale, Where
from annotation.store import judgements, queries
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Adjudicator,
    AnnotatorRow,
    Assignment,
    Item,
    Judgement,
    Project,
    Report,
)
from annotation.vocabulary import AdjudicationDecision, AssignmentStatus, ExclusionKind, name_next_version
from annotation.workflow import definitions
from annotation.workflow.quality import gold_answers
from annotation.workflow.review import doubts, reviewers
from annotation.workflow.review.cases import Candidate, list_candidates, parse_label

MAX_COMMENT_LENGTH = 2000


@dataclass(frozen=True, kw_only=True)
class OpenCase:
    """A case as an adjudicator sees it: the item, its candidates, what was reported, and why it waits.

    Where the item has declared gold, nothing tells which candidate it is, nor why the item is there: `reasons` and
    `reports` are empty and the candidates have no votes.
    """

    case_id: int
    item: Item
    question: Question
    candidates: tuple[Candidate, ...]
    reasons: tuple[str, ...]
    reports: tuple[str, ...]


def list_open_cases(
    session: Session,
    *,
    project: Project,
    question: Question,
    adjudicator: AnnotatorRow,
    gold_review: bool | None = False,
    case_id: int | None = None,
) -> Sequence[AdjudicationCase]:
    """The cases of a question that wait and that the adjudicator may decide, in their random order.

    With `gold_review` those that were drawn for it, else the doubtful ones, with None both; with `case_id` all but one
    are left out.
    """
    decided = queries.build_decided_condition(col(AdjudicationCase.item_id), col(AdjudicationCase.question))
    query = (
        select(AdjudicationCase, Item)
        .join(Item, col(Item.id) == col(AdjudicationCase.item_id))
        .where(
            Item.project_id == project.id,
            AdjudicationCase.question == question.name,
            sa.not_(decided),
            ~reviewers.build_answered_condition(adjudicator.id or 0),
        )
    )
    if gold_review:
        query = query.where(col(AdjudicationCase.gold_review_id).is_not(None))
    if case_id is not None:
        query = query.where(AdjudicationCase.id == case_id)
    rows = session.exec(query.order_by(col(AdjudicationCase.position), col(AdjudicationCase.id))).all()
    items = [item for _, item in rows]
    barred = reviewers.list_seen_items(session, project=project, reviewer=adjudicator, items=items)
    barred |= reviewers.list_made_items(session, project=project, reviewer=adjudicator, items=items)
    return [
        case
        for case, item in rows
        if (case.reasons or (gold_review is not False and case.gold_review_id is not None))
        and item.external_id not in barred
    ]


def open_case(session: Session, *, project: Project, case: AdjudicationCase, adjudicator: AnnotatorRow) -> OpenCase:
    """What an adjudicator is shown of a case."""
    definition = definitions.get_project_definition(project)
    question = next(asked for asked in definition.all_questions if asked.name == case.question)
    item = session.get_one(Item, case.item_id)
    gold = gold_answers.get_gold_answers(item, definition.all_questions).get(question.name)
    is_first = question.name == definition.all_questions[0].name
    accepted = (item.accepted or ()) if is_first and gold is not None else ()
    votes, excluded = _list_votes(session, item, question=question.name, is_first=is_first)
    return OpenCase(
        case_id=case.id or 0,
        item=item,
        question=question,
        candidates=list_candidates(
            question,
            item,
            votes=votes,
            others=[*excluded, *case.candidates, *([] if gold is None else [gold]), *accepted],
            order_key=adjudicator.pseudonym,
            with_votes=gold is None,
        ),
        reasons=() if gold is not None else tuple(case.reasons),
        reports=() if gold is not None else _list_reports(session, item),
    )


def decide_case(
    session: Session,
    *,
    project: Project,
    case: AdjudicationCase,
    adjudicator: AnnotatorRow,
    revision: int,
    labels: Sequence[str],
    comment: str = "",
    now: datetime,
) -> Adjudication:
    """Store what is right: `labels` are candidates or the adjudicator's own answers, the gold first; none: broken.

    `revision` is that of the item as it was shown. Raises BadInput for a label that does not fit the question, one that
    is given twice, and a broken item without a comment; Conflict where the item was changed since, is decided already,
    or was answered or made by the adjudicator.
    """
    item = lock_item(session, case.item_id)
    if item.revision != revision:
        raise Conflict(
            f"{item.external_id} was changed since it was shown.", remedy="Look at it as it is now, and decide again."
        )
    definition = definitions.get_project_definition(project)
    question = next(asked for asked in definition.all_questions if asked.name == case.question)
    is_drawn = case.gold_review_id is not None
    if not list_open_cases(
        session, project=project, question=question, adjudicator=adjudicator, gold_review=is_drawn, case_id=case.id
    ):
        raise Conflict(
            f"{item.external_id} is decided already, or {adjudicator.pseudonym} answered or made it.",
            remedy="`hromada adjudicate --list` shows what waits; `--undo --item "
            f"{item.external_id}` takes your decision back, or one of somebody suspended or forgotten.",
        )
    stored = [parse_label(question, item, label) for label in labels]
    words = comment.strip()
    if len(set(stored)) < len(stored):
        raise BadInput("The same answer is given twice.", where=Where(field=item.external_id), remedy="Give it once.")
    is_missing = not stored and placeholders.is_unwritten(words)
    if is_missing or placeholders.has_control_characters(words) or len(words) > MAX_COMMENT_LENGTH:
        raise BadInput(
            f"A broken item needs a comment of up to {MAX_COMMENT_LENGTH} characters.",
            where=Where(field=item.external_id),
            remedy="Say what is wrong with it.",
        )
    has_gold = question.name in gold_answers.get_gold_answers(item, definition.all_questions)
    decided = Adjudication(
        item_id=item.id or 0,
        item_revision=item.revision,
        question=question.name,
        number=0,
        annotator_id=adjudicator.id,
        decision=AdjudicationDecision.LABEL if stored else AdjudicationDecision.BROKEN,
        labels=stored,
        comment=words,
        gold_version=name_next_version(item.gold_version, has_gold=has_gold),
        at=now,
    )
    return queries.add_row(session, decided)


def undo_decision(
    session: Session,
    *,
    project: Project,
    question: Question,
    adjudicator: AnnotatorRow,
    now: datetime,
    item_id: int | None = None,
) -> tuple[str, ...]:
    """Take the adjudicator's last decision back, or that on one item; the external ids, none where there is none.

    Decisions that were stored together, at one time, are taken back together. That on one item is taken back alone; it
    may also be of somebody who is suspended or forgotten.
    """
    held = select(Adjudication).join(Item, col(Item.id) == col(Adjudication.item_id))
    held = held.where(
        Item.project_id == project.id,
        Adjudication.question == question.name,
        queries.build_holding_condition(),
    )
    if item_id is None:
        held = held.where(Adjudication.annotator_id == adjudicator.id)
    else:
        of_item = reviewers.build_revocable_condition(col(Adjudication.annotator_id), by=adjudicator)
        held = held.where(Adjudication.item_id == item_id, of_item)
    last = session.exec(held.order_by(col(Adjudication.id).desc()).limit(1)).first()
    if last is None:
        return ()
    together = [last] if item_id is not None else session.exec(held.where(Adjudication.at == last.at)).all()
    return tuple(
        _undo_one(session, held, decision, adjudicator, now=now)
        for decision in sorted(together, key=lambda decision: decision.item_id)
    )


def _undo_one(session: Session, held: Any, decision: Adjudication, adjudicator: AnnotatorRow, *, now: datetime) -> str:
    """Take a decision back; the external id of its item. Raises Conflict where it does not hold any more."""
    item = lock_item(session, decision.item_id)
    last = session.exec(held.where(Adjudication.item_id == item.id)).first()
    if last is None or last.id != decision.id:
        raise Conflict("Somebody took this decision back at this moment.", remedy="Look at what waits, and try again.")
    queries.add_undone_row(session, last=last, annotator_id=adjudicator.id, item_revision=last.item_revision, now=now)
    return item.external_id


def lock_item(session: Session, item_id: int) -> Item:
    """The item as it is now; nobody else decides on it, or takes a decision on it back, until the transaction ends."""
    locked = (
        select(Item).where(Item.id == item_id).with_for_update(key_share=True).execution_options(populate_existing=True)
    )
    return session.exec(locked).one()


def get_case(session: Session, *, project: Project, question: Question, item: str) -> AdjudicationCase:
    """The case of an item by its external id.

    Raises NotFound if it does not wait and never did, and says so if it waits for answers first.
    """
    item = queries.resolve_item_id(session, project_id=project.id or 0, written=item)
    cases = select(AdjudicationCase).join(Item).where(Item.project_id == project.id, Item.external_id == item)
    case = session.exec(cases.where(AdjudicationCase.question == question.name)).first()
    if case is None and item in doubts.list_main_items(session, project, with_answered=False):
        raise NotFound(
            f"{spelling.quote_word(item)} still gets answers, so it does not wait for an adjudicator.",
            remedy=f"Wait for them, or end them: hromada close {project.name}",
        )
    if case is None:
        raise NotFound(
            f"{spelling.quote_word(item)} does not wait for an adjudicator.",
            remedy="`hromada adjudicate --list` shows what does.",
        )
    return case


def map_revisions(session: Session, *, project: Project) -> dict[str, int]:
    """The present revisions of a project's items by external id."""
    return dict(session.exec(select(Item.external_id, Item.revision).where(Item.project_id == project.id)).all())


def _list_votes(session: Session, item: Item, *, question: str, is_first: bool) -> tuple[list[str], list[str]]:
    """The answers to a question of an item: those that count, and those that a rule excluded."""
    rows = session.exec(
        select(Judgement, judgements.build_counting_condition())
        .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
        .where(
            Assignment.item_id == item.id,
            Assignment.status == AssignmentStatus.DONE,
            col(Judgement.skip_reason).is_(None),
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(ignoring=(ExclusionKind.RULE,)),
        )
        .order_by(col(Assignment.id))
    ).all()
    votes: list[str] = []
    excluded: list[str] = []
    for judgement, counts in rows:
        answer = judgement.answers.get(question) if judgement.answers else judgement.response if is_first else None
        if answer:
            (votes if counts else excluded).append(answer)
    return votes, excluded


def _list_reports(session: Session, item: Item) -> tuple[str, ...]:
    reports = select(Report.reason, Report.text).where(Report.item_id == item.id, col(Report.resolved_at).is_(None))
    return tuple(": ".join(filter(None, row)) for row in session.exec(reports.order_by(col(Report.id))))


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


def list_adjudicated_projects(session: Session, adjudicator: AnnotatorRow) -> list[Project]:
    """The projects that the person was invited to adjudicate, in the order of their ids; none while suspended."""
    if adjudicator.suspended_at is not None:
        return []
    of_person = select(Adjudicator.project_id).where(Adjudicator.annotator_id == adjudicator.id)
    return [session.get_one(Project, project_id) for project_id in sorted(session.exec(of_person))]


def find_next_case(session: Session, *, adjudicator: AnnotatorRow, after: int | None = None) -> QueuedCase | None:
    """The first case that waits for the adjudicator; with `after` (an id) the one that follows, and so on in a circle.

    None where no case waits. The case `after` itself comes last.
    """
    passed = None if after is None else session.get(AdjudicationCase, after)
    queues = _list_queues(session, adjudicator)
    start = 0 if passed is None else _find_queue(session, queues, passed)
    rest = () if passed is None else queues[: start + 1]
    for turn, (project, question) in enumerate([*queues[start:], *rest]):
        waiting = list_open_cases(
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
            waiting = list_open_cases(
                session, project=project, question=question, adjudicator=adjudicator, gold_review=None
            )
            if case.id in {open_case.id for open_case in waiting}:
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
        decide_case(
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
    return session.exec(own.where(queries.build_holding_condition())).first()


def find_latest_decision(session: Session, *, adjudicator: AnnotatorRow) -> tuple[int, int] | None:
    """The case that the adjudicator decided last and the number of that decision, of those that hold; None without."""
    shown = sa.select(col(AdjudicationCase.id), col(Adjudication.number)).join(
        Adjudication,
        (col(AdjudicationCase.item_id) == col(Adjudication.item_id))
        & (col(AdjudicationCase.question) == col(Adjudication.question)),
    )
    own = shown.where(col(Adjudication.annotator_id) == adjudicator.id, queries.build_holding_condition())
    row = session.connection().execute(own.order_by(col(Adjudication.id).desc()).limit(1)).first()
    return None if row is None else (row.id, row.number)


def take_decision_back(
    session: Session, *, adjudicator: AnnotatorRow, case_id: int, number: int, now: datetime
) -> QueuedCase | None:
    """Take the adjudicator's decision with this number on a case back; the case, None where it does not wait again.

    Raises Stale where that decision does not hold.
    """
    case = session.get(AdjudicationCase, case_id)
    if case is not None:
        lock_item(session, case.item_id)
    decision = find_own_decision(session, adjudicator=adjudicator, case_id=case_id, number=number)
    if decision is None:
        raise Stale("This is taken back already.")
    revision = decision.item_revision
    queries.add_undone_row(session, last=decision, annotator_id=adjudicator.id, item_revision=revision, now=now)
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
    opened = open_case(session, project=project, case=case, adjudicator=adjudicator)
    shown = json.dumps([opened.item.revision, *(candidate.answer for candidate in opened.candidates)])
    return QueuedCase(
        case=opened,
        title=project.title,
        language=project.language,
        pieces=tuple(piece for piece in opened.item.pieces or () if piece["step"] == 1),
        number=queries.get_next_number(session, item_id=case.item_id, question=case.question),
        version=hashlib.sha256(shown.encode()).hexdigest()[:8],
        left=left,
    )
