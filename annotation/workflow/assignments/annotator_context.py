"""A person in a project: all that every step of the work is decided on, read in one statement under her lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from annotation.campaigns.project import ProjectFile
from annotation.errors import Stale
from annotation.store import annotator_locks
from annotation.store.models import (
    AllottedProject,
    Annotator,
    Assignment,
    Item,
    Participation,
    Programme,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import Hindrance, ProjectStatus, Surface
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import terms
from annotation.workflow.annotators.terms import Terms
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.waiting import Waiting


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A person, a project, its definition, and how she stands in it.

    `exceptions` are the projects whose groups a baseline lets her meet again, `terms` those on which she takes part.
    `allotted` says that the project shares its groups with others.
    """

    person: Annotator
    project: Project
    definition: ProjectFile
    participation: Participation
    terms: Terms
    exceptions: tuple[int, ...] = ()
    allotted: bool = False

    @property
    def who(self) -> int:
        """The person's id."""
        return known(self.person.id)

    @property
    def project_id(self) -> int:
        """The project's id."""
        return known(self.project.id)

    @property
    def key(self) -> str:
        """What every seeded draw for this person in this project begins with."""
        return f"{self.definition.seed}\x1f{self.project.name}\x1f{self.person.pseudonym}"

    @property
    def blind(self) -> bool:
        """Whether she may not meet a group twice."""
        return self.definition.kind == "baseline"


def locked(session: Session, annotator_id: int) -> Annotator:
    """The person; where the database locks rows, her other taps wait until this one is saved."""
    found = annotator_locks.person(session, annotator_id)
    if found is None:
        raise Stale("This person is not known.")
    return found


def take(session: Session, person: Annotator, *, project_id: int, now: datetime) -> Seat | Waiting:
    """The person's seat in a running project, made at her first step into it; the same again in this transaction."""
    seat = kept(session, annotator_id=known(person.id), project_id=project_id)
    if seat is not None:
        return seat
    row = session.execute(_SEAT, {"who": person.id, "project": project_id}).one()
    if row[0].status is not ProjectStatus.RUNNING:
        return Waiting(reason=Hindrance.NOT_RUNNING, project=row[0].name)
    return _seat(session, person, *row, now=now)


def kept(session: Session, *, annotator_id: int, project_id: int) -> Seat | None:
    """The seat, where this transaction has taken it already."""
    found: Seat | None = annotator_locks.kept(session).get((Seat, annotator_id, project_id))
    return found if found is not None and definitions.of(found.project) is found.definition else None


def held(
    session: Session, *, annotator_id: int, assignment_id: int, now: datetime, surface: Surface = Surface.TELEGRAM
) -> tuple[Seat, Assignment, Item]:
    """An assignment on a surface with its item and the seat of the person; raises Stale where it is not hers."""
    person = locked(session, annotator_id)
    again: tuple[Seat, Assignment, Item] | None = annotator_locks.kept(session).pop(
        (Assignment, annotator_id, assignment_id), None
    )
    if again is not None:
        return again
    row = session.execute(_HELD, {"who": annotator_id, "assignment": assignment_id}).first()
    if row is None:
        raise Stale("This item is not yours.")
    found, item, *rest = row
    if found.annotator_id != annotator_id or found.surface != surface:
        raise Stale("This item is not yours.")
    seat = kept(session, annotator_id=annotator_id, project_id=item.project_id)
    return seat or _seat(session, person, *rest, now=now), found, item


def hold(session: Session, seat: Seat, assignment: Assignment, item: Item) -> None:
    """Keep an assignment for whoever asks for it next in this transaction: nothing has come of it yet."""
    annotator_locks.kept(session)[Assignment, seat.who, known(assignment.id)] = (seat, assignment, item)


def _seat(
    session: Session,
    person: Annotator,
    project: Project,
    participation: Participation | None,
    programme: Programme | None,
    allotted: bool,
    *,
    now: datetime,
) -> Seat:
    who, definition = known(person.id), definitions.of(project)
    made = Seat(
        person=person,
        project=project,
        definition=definition,
        participation=participation or participations.enter(session, annotator_id=who, project=project, now=now),
        terms=terms.under(programme, project=project, definition=definition),
        exceptions=_exceptions(session, definition),
        allotted=allotted,
    )
    annotator_locks.kept(session)[Seat, who, made.project_id] = made
    return made


def _exceptions(session: Session, definition: ProjectFile) -> tuple[int, ...]:
    if definition.exposure is None:
        return ()
    named = select(Project.id).where(col(Project.name).in_(definition.exposure.exceptions))
    return tuple(found for found in session.exec(named.order_by(col(Project.id))) if found is not None)


def definition_of(session: Session, item: Item) -> ProjectFile:
    """The definition of an item's project."""
    return definitions.of(session.get_one(Project, item.project_id))


def be_active(participation: Participation, *, now: datetime) -> None:
    """She did something: it belongs to her sitting, or begins another one."""
    if policy.rested(participation.last_at, now=now):
        participation.sitting += 1
        participation.sitting_since = now
    participation.last_at = now


def known(identity: int | None) -> int:
    """The id of a row that was flushed."""
    if identity is None:
        raise LookupError("a row without an id was not flushed")
    return identity


def _with_seat(chosen: sa.Select[*tuple[Any, ...]]) -> sa.Select[*tuple[Any, ...]]:
    """The statement with all that belongs to the seat; of the project no more than every step needs."""
    allotted = sa.exists().where(col(AllottedProject.project_id) == col(Project.id)).correlate(Project)
    hers = (col(Participation.project_id) == col(Project.id)) & (col(Participation.annotator_id) == sa.bindparam("who"))
    return (
        chosen.add_columns(Project, Participation, Programme, allotted)
        .outerjoin(Participation, hers)
        .outerjoin(ProgrammeProject, col(ProgrammeProject.project_id) == col(Project.id))
        .outerjoin(Programme, col(Programme.id) == col(ProgrammeProject.programme_id))
        .options(*(defer(one) for one in _SELDOM))  # type: ignore[arg-type]
        .execution_options(populate_existing=True)
    )


_SELDOM = (col(Project.definition), col(Project.source), col(Project.frames), col(Programme.source))
_SEAT = _with_seat(sa.select().select_from(Project).where(col(Project.id) == sa.bindparam("project")))
_HELD = _with_seat(
    sa.select(Assignment, Item)
    .select_from(Assignment)
    .join(Item, col(Item.id) == col(Assignment.item_id))
    .join(Project, col(Project.id) == col(Item.project_id))
    .where(col(Assignment.id) == sa.bindparam("assignment"))
)
