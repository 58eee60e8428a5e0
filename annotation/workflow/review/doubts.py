"""Which answers of people are in doubt, computed from the database alone, for counts that no command has asked for yet.

`bot/doubtful_items.py` computes the same from a data set, with any method; this is what `hromada adjudicate` finds by
default for questions with one option per answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question
from annotation.store import judgements
from annotation.store.models import Assignment, Item, Judgement, Project, ProjectRow
from annotation.vocabulary import AssignmentStatus, CaseReason, ExclusionKind, ItemStatus, Pool, ProjectStatus

BELOW = 0.6
"""An item is in doubt if its most frequent answer has a smaller share of the votes: the default of `adjudicate`."""


class _Vote(NamedTuple):
    """An answer of which only a quality rule may keep the count away: which answer, and whether a rule marked it."""

    answer: str
    is_excluded: bool
    is_flagged: bool


def find_doubts(
    session: Session, project: Project, definition: ProjectFile
) -> dict[tuple[str, str], frozenset[CaseReason]]:
    """Why items are in doubt, by their external id and the name of a question; others are left out.

    Only questions with one option per answer are looked at, of main items in use that get no more answers.
    """
    questions = [question for question in definition.all_questions if question.takes_one_option]
    if not questions:
        return {}
    first = definition.all_questions[0].name
    votes: dict[tuple[str, str], list[_Vote]] = defaultdict(list)
    for item, response, answers, kind, flags in session.connection().execute(_select_disputed(project)):
        given = {first: response} if answers is None else answers
        for question, answer in _list_answers(questions, given):
            votes[item, question].append(_Vote(answer, kind is not None, bool(flags)))
    found = {key: frozenset(_list_reasons(cast)) for key, cast in votes.items()}
    return {key: reasons for key, reasons in found.items() if reasons}


def build_answered_condition(project: ProjectRow) -> sa.ColumnElement[bool]:
    """The condition that an item gets no more answers: of an open project, that it has all and nobody has it in hand.

    Until then a tie may be gone with the next answer.
    """
    if project.status is ProjectStatus.CLOSED or project.overlap is None:
        return sa.true()
    return sa.and_(
        col(Item.free) == 0,
        col(Item.held) == 0,
        col(Item.n_done) >= col(Item.n_live),
    )


def list_main_items(session: Session, project: ProjectRow, *, with_answered: bool) -> frozenset[str]:
    """The main items, by external id: those that still get answers, or all."""
    items = select(Item.external_id).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    return frozenset(session.exec(items if with_answered else items.where(sa.not_(build_answered_condition(project)))))


def _select_disputed(project: Project) -> Any:
    """The answers to items that have different ones, or of which none counts: item, answer, exclusion and flags."""
    counts = judgements.build_counting_condition()
    of_project = (
        col(Item.project_id) == project.id,
        col(Item.pool) == Pool.MAIN,
        col(Item.status) != ItemStatus.RETIRED,
        build_answered_condition(project),
        col(Assignment.status) == AssignmentStatus.DONE,
        col(Judgement.skip_reason).is_(None),
        judgements.build_final_revision_condition(),
        judgements.build_counting_condition(ignoring=(ExclusionKind.RULE,)),
    )
    whole = sa.func.coalesce(sa.cast(col(Judgement.answers), sa.Text), col(Judgement.response))
    joined = (
        sa.select(col(Item.id))
        .select_from(Item)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(*of_project)
    )
    disputed = joined.group_by(col(Item.id)).having(
        sa.or_(sa.func.min(whole) != sa.func.max(whole), sa.func.count().filter(counts) == 0)
    )
    columns = (col(Item.external_id), col(Judgement.response), col(Judgement.answers), col(Judgement.excluded_kind))
    return joined.with_only_columns(*columns, col(Judgement.flags)).where(col(Item.id).in_(disputed))


def _list_answers(questions: Iterable[Question], given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for question in questions:
        answer = given.get(question.name)
        if answer and not question.is_abstention(answer):
            yield question.name, answer


def _list_reasons(votes: list[_Vote]) -> Iterator[CaseReason]:
    counted = [vote for vote in votes if not vote.is_excluded]
    if counted:
        (_, most), *others = Counter(vote.answer for vote in counted).most_common(2)
        if others and others[0][1] == most:
            yield CaseReason.TIE
        if most / len(counted) < BELOW:
            yield CaseReason.LOW_CONFIDENCE
    label = _find_majority(counted)
    unflagged = [vote for vote in counted if not vote.is_flagged]
    if (len(counted) < len(votes) and _find_majority(votes) != label) or (
        unflagged and _find_majority(unflagged) != label
    ):
        yield CaseReason.RULE_CONFLICT


def _find_majority(votes: list[_Vote]) -> str | None:
    """The most frequent answer; None for a tie, and without votes."""
    ranked = Counter(vote.answer for vote in votes).most_common(2)
    is_tie = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return None if not ranked or is_tie else ranked[0][0]
