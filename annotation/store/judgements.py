"""What people answered, no more of it than a judge of quality needs: one item, one page, the controls of a person.

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

CONTROL = sa.text("assignment.is_control")
TRAINING = sa.text("assignment.stage = 'training'")

FIRST = col(Assignment.occasion) == 0

GIVEN = (
    col(Assignment.status) == AssignmentStatus.DONE,
    col(Judgement.skip_reason).is_(None),
    sa.or_(col(Judgement.response) != "", col(Judgement.answers).is_not(None)),
)
"""That something was answered: neither skipped nor withdrawn nor left empty."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer as it finally stands, with what its item knows; `seconds` go from when it was shown to the last
    correction.

    `given` are the answers by question, None where the project asks one only: then `response` is the answer, empty for
    a skip. `golds` likewise. `current` says that the item is still the one that was answered.
    """

    assignment_id: int
    annotator_id: int
    item_id: int
    is_control: bool
    page: int | None
    response: str
    given: dict[str, str] | None
    seconds: float | None
    option_order: list[int] | None
    option_orders: dict[str, list[int]] | None
    options: list[str] | None
    gold: str | None
    golds: dict[str, str] | None
    accepted: list[str] | None
    answered_at: datetime | None
    current: bool

    def answers(self, first: str) -> dict[str, str]:
        """The answers by question; `first` is the name of the first."""
        return dict(self.given) if self.given is not None else {first: self.response} if self.response else {}

    def golden(self, first: str) -> dict[str, str]:
        """The right answers by question."""
        return dict(self.golds) if self.golds else {first: self.gold} if self.gold is not None else {}


@cache
def final_revision() -> sa.ColumnElement[bool]:
    """That a judgement is the highest revision of its assignment: the answer as it finally stands."""
    other = aliased(Judgement)
    highest = sa.select(func.max(other.revision)).where(col(other.assignment_id) == Judgement.assignment_id)
    return col(Judgement.revision) == highest.scalar_subquery()


def neighbours(session: Session, assignment: Assignment, *, number: int) -> list[Answered]:
    """The answers of a person round one of hers in the same stage, that one included: `number` on either side at most,
    in the order in which the items came."""
    mine = _mine(assignment.annotator_id, assignment.project_id, col(Assignment.stage) == assignment.stage)
    before = mine.where(col(Assignment.id) <= assignment.id).order_by(col(Assignment.id).desc()).limit(number + 1)
    after = mine.where(col(Assignment.id) > assignment.id).order_by(col(Assignment.id)).limit(number)
    return [*reversed(_read(session, before)), *_read(session, after)]


def known(session: Session, *, annotator_id: int, project_id: int, training: bool) -> list[Answered]:
    """A person's answers to control items, and to training items where asked for, in the order in which they came.

    An answer to an item that was changed since is no answer to it any more; nor is one to a training item that she met
    again in another attempt, when she had been told the answer.
    """
    found = _read(session, _mine(annotator_id, project_id, CONTROL).where(*GIVEN))
    if training:
        found += _read(session, _mine(annotator_id, project_id, TRAINING).where(*GIVEN, FIRST))
    return sorted((one for one in found if one.current), key=lambda one: one.assignment_id)


def controls(session: Session, *, project_id: int, annotator_id: int | None = None) -> list[Answered]:
    """Everybody's answers to control items of a project, or one person's, by person, repeats left out."""
    chosen = _answers().where(col(Assignment.project_id) == project_id, CONTROL, ~col(Assignment.is_repeat), *GIVEN)
    if annotator_id is not None:
        chosen = chosen.where(col(Assignment.annotator_id) == annotator_id)
    return _read(session, chosen.order_by(col(Assignment.annotator_id), col(Assignment.id)))


def imported_controls(session: Session, *, project_id: int) -> list[Answered]:
    """Everybody's imported answers to control items, by person and in the order of the files, those left out that
    were not accepted where they were given."""
    accepted = col(Judgement.excluded_reason) == CONTROL_ITEM
    chosen = _answers().where(
        col(Assignment.project_id) == project_id,
        CONTROL,
        col(Assignment.surface) == Surface.IMPORT,
        accepted,
        *GIVEN,
    )
    return _read(session, chosen.order_by(col(Assignment.annotator_id), col(Assignment.id)))


def counting(session: Session, *, item_id: int) -> list[Answered]:
    """The answers of an item that count towards its consensus, repeats left out."""
    chosen = _answers().where(
        col(Assignment.item_id) == item_id,
        col(Assignment.status) == AssignmentStatus.DONE,
        col(Assignment.is_repeat).is_(False),
        col(Assignment.is_control).is_(False),
        col(Judgement.excluded_reason).is_(None),
    )
    return _read(session, chosen.order_by(col(Assignment.id)))


def of_stage(session: Session, *, annotator_id: int, project_id: int, stage: Stage) -> Sequence[int]:
    """The ids of all that a person was handed in a stage of a project."""
    chosen = select(Assignment.id).where(
        Assignment.annotator_id == annotator_id, Assignment.project_id == project_id, Assignment.stage == stage
    )
    return [found for found in session.exec(chosen.order_by(col(Assignment.id))) if found is not None]


def assignments(session: Session, ids: Collection[int]) -> Sequence[Assignment]:
    """Assignments by their ids, in their order, as they are in the database now."""
    chosen = select(Assignment).where(col(Assignment.id).in_(ids)).order_by(col(Assignment.id))
    return session.exec(chosen.execution_options(populate_existing=True)).all()


def _mine(
    annotator_id: int, project_id: int, condition: sa.ColumnElement[bool] | sa.TextClause
) -> sa.Select[tuple[object, ...]]:
    return _answers().where(
        col(Assignment.annotator_id) == annotator_id, col(Assignment.project_id) == project_id, condition
    )


@cache
def _answers() -> sa.Select[tuple[object, ...]]:
    every = aliased(Judgement)
    spent = sa.select(func.max(every.seconds)).where(col(every.assignment_id) == Assignment.id).scalar_subquery()
    return (
        sa.select(
            col(Assignment.id).label("assignment_id"),
            col(Assignment.annotator_id),
            col(Assignment.item_id),
            col(Assignment.is_control),
            col(Assignment.page),
            col(Judgement.response),
            col(Judgement.answers).label("given"),
            spent.label("seconds"),
            col(Assignment.option_order),
            col(Assignment.option_orders),
            col(Item.options),
            col(Item.gold),
            col(Item.golds),
            col(Item.accepted),
            col(Judgement.answered_at),
            (col(Item.revision) == col(Assignment.item_revision)).label("current"),
        )
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(final_revision())
    )


def _read(session: Session, chosen: sa.Select[tuple[object, ...]]) -> list[Answered]:
    return [Answered(**row) for row in session.execute(chosen).mappings()]
