"""Answers as quality rules need them: those of one item, of one page, or an annotator's answers to control items.

A partial index can be used where its condition stands in the query as it stands in the index, so it is written out.
The queries are built once and kept: building one takes several times as long as running it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import CONTROL_ITEM, AssignmentStatus, Stage, Surface

IS_CONTROL = sa.text("assignment.is_control")
IS_TRAINING = sa.text("assignment.stage = 'training'")

IS_FIRST_OCCASION = col(Assignment.occasion) == 0

IS_ANSWERED = (
    col(Assignment.status) == AssignmentStatus.DONE,
    col(Judgement.skip_reason).is_(None),
    sa.or_(col(Judgement.response) != "", col(Judgement.answers).is_not(None)),
)
"""The condition that something was answered: not skipped, not withdrawn, not empty."""


@dataclass(frozen=True, kw_only=True)
class FinalAnswer:
    """A final answer with what is known of its item.

    `response` answers the first question and is empty for a skip; `stored_answers` are the answers by question, None
    where the project has one question; `golds` likewise. `seconds` is the time from showing the item to the last
    correction. `is_current` says that the item has not been changed since.
    """

    assignment_id: int
    annotator_id: int
    item_id: int
    is_control: bool
    page: int | None
    response: str
    stored_answers: dict[str, str] | None
    seconds: float | None
    option_order: list[int] | None
    option_orders: dict[str, list[int]] | None
    options: list[str] | None
    gold: str | None
    golds: dict[str, str] | None
    accepted: list[str] | None
    answered_at: datetime | None
    is_current: bool

    def answers(self, first: str) -> dict[str, str]:
        """The answers by question; `first` is the name of the first question."""
        return (
            dict(self.stored_answers)
            if self.stored_answers is not None
            else {first: self.response}
            if self.response
            else {}
        )

    def gold_answers(self, first: str) -> dict[str, str]:
        """The gold by question; `first` is the name of the first question."""
        return dict(self.golds) if self.golds else {first: self.gold} if self.gold is not None else {}


@cache
def build_final_revision_condition() -> sa.ColumnElement[bool]:
    """The condition that a judgement is the highest revision of its assignment: the final answer."""
    other = aliased(Judgement)
    highest = sa.select(func.max(other.revision)).where(col(other.assignment_id) == Judgement.assignment_id)
    return col(Judgement.revision) == highest.scalar_subquery()


def list_neighbouring_answers(session: Session, assignment: Assignment, *, number: int) -> list[FinalAnswer]:
    """An annotator's answers around one assignment of the same stage, that one included, in the order of assignment.

    At most `number` on either side.
    """
    in_stage = _select_annotator_answers(
        assignment.annotator_id, assignment.project_id, col(Assignment.stage) == assignment.stage
    )
    before = in_stage.where(col(Assignment.id) <= assignment.id).order_by(col(Assignment.id).desc()).limit(number + 1)
    after = in_stage.where(col(Assignment.id) > assignment.id).order_by(col(Assignment.id)).limit(number)
    return [*reversed(_read_answers(session, before)), *_read_answers(session, after)]


def list_gold_answers(session: Session, *, annotator_id: int, project_id: int, training: bool) -> list[FinalAnswer]:
    """An annotator's answers to control items, and to training items with `training`, in the order of assignment.

    Answers to items that were changed since are left out, and so are those to training items of a later attempt, whose
    gold the annotator had been told.
    """
    answers = _read_answers(
        session, _select_annotator_answers(annotator_id, project_id, IS_CONTROL).where(*IS_ANSWERED)
    )
    if training:
        answers += _read_answers(
            session,
            _select_annotator_answers(annotator_id, project_id, IS_TRAINING).where(*IS_ANSWERED, IS_FIRST_OCCASION),
        )
    return sorted((answer for answer in answers if answer.is_current), key=lambda answer: answer.assignment_id)


def list_control_answers(session: Session, *, project_id: int, annotator_id: int | None = None) -> list[FinalAnswer]:
    """Answers to a project's control items, by annotator, without repeats; of one annotator where one is given."""
    query = _select_answers().where(
        col(Assignment.project_id) == project_id, IS_CONTROL, ~col(Assignment.is_repeat), *IS_ANSWERED
    )
    if annotator_id is not None:
        query = query.where(col(Assignment.annotator_id) == annotator_id)
    return _read_answers(session, query.order_by(col(Assignment.annotator_id), col(Assignment.id)))


def list_imported_control_answers(session: Session, *, project_id: int) -> list[FinalAnswer]:
    """Imported answers to control items, by annotator in the order of the files.

    Those that were not accepted at their origin are left out.
    """
    accepted = col(Judgement.excluded_reason) == CONTROL_ITEM
    query = _select_answers().where(
        col(Assignment.project_id) == project_id,
        IS_CONTROL,
        col(Assignment.surface) == Surface.IMPORT,
        accepted,
        *IS_ANSWERED,
    )
    return _read_answers(session, query.order_by(col(Assignment.annotator_id), col(Assignment.id)))


def list_counting_answers(session: Session, *, item_id: int) -> list[FinalAnswer]:
    """The answers of an item that count towards its consensus, without repeats."""
    query = _select_answers().where(
        col(Assignment.item_id) == item_id,
        col(Assignment.status) == AssignmentStatus.DONE,
        col(Assignment.is_repeat).is_(False),
        col(Assignment.is_control).is_(False),
        col(Judgement.excluded_reason).is_(None),
    )
    return _read_answers(session, query.order_by(col(Assignment.id)))


def list_stage_assignment_ids(session: Session, *, annotator_id: int, project_id: int, stage: Stage) -> Sequence[int]:
    """The ids of an annotator's assignments in a stage of a project."""
    query = select(Assignment.id).where(
        Assignment.annotator_id == annotator_id, Assignment.project_id == project_id, Assignment.stage == stage
    )
    return [number for number in session.exec(query.order_by(col(Assignment.id))) if number is not None]


def list_assignments(session: Session, ids: Collection[int]) -> Sequence[Assignment]:
    """Assignments by their ids, in the order of ids, as they are in the database now."""
    query = select(Assignment).where(col(Assignment.id).in_(ids)).order_by(col(Assignment.id))
    return session.exec(query.execution_options(populate_existing=True)).all()


def _select_annotator_answers(
    annotator_id: int, project_id: int, condition: sa.ColumnElement[bool] | sa.TextClause
) -> sa.Select[tuple[object, ...]]:
    return _select_answers().where(
        col(Assignment.annotator_id) == annotator_id, col(Assignment.project_id) == project_id, condition
    )


@cache
def _select_answers() -> sa.Select[tuple[object, ...]]:
    revision = aliased(Judgement)
    seconds = (
        sa.select(func.max(revision.seconds)).where(col(revision.assignment_id) == Assignment.id).scalar_subquery()
    )
    return (
        sa.select(
            col(Assignment.id).label("assignment_id"),
            col(Assignment.annotator_id),
            col(Assignment.item_id),
            col(Assignment.is_control),
            col(Assignment.page),
            col(Judgement.response),
            col(Judgement.answers).label("stored_answers"),
            seconds.label("seconds"),
            col(Assignment.option_order),
            col(Assignment.option_orders),
            col(Item.options),
            col(Item.gold),
            col(Item.golds),
            col(Item.accepted),
            col(Judgement.answered_at),
            (col(Item.revision) == col(Assignment.item_revision)).label("is_current"),
        )
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(build_final_revision_condition())
    )


def _read_answers(session: Session, query: sa.Select[tuple[object, ...]]) -> list[FinalAnswer]:
    return [FinalAnswer(**row) for row in session.execute(query).mappings()]
