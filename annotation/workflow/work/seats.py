"""A person in a project: all that every step of the work is decided on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns.project import ProjectFile
from annotation.errors import Stale
from annotation.store.models import Annotator, Assignment, Item, Participation, Project
from annotation.vocabulary import Surface
from annotation.workflow import assignment as policy
from annotation.workflow import definitions
from annotation.workflow.people import participations


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A person, a project, its definition, and how she stands in it.

    `exceptions` are the projects whose groups a baseline lets her meet again.
    """

    person: Annotator
    project: Project
    definition: ProjectFile
    participation: Participation
    exceptions: tuple[int, ...] = ()

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
    found = session.get(Annotator, annotator_id, with_for_update={"key_share": True}, populate_existing=True)
    if found is None:
        raise Stale("This person is not known.")
    return found


def take(session: Session, person: Annotator, *, project: Project, now: datetime) -> Seat:
    """The person's seat in a project, made at her first step into it."""
    standing = participations.enter(session, annotator_id=known(person.id), project=project, now=now)
    definition = definitions.of(project)
    return Seat(
        person=person,
        project=project,
        definition=definition,
        participation=standing,
        exceptions=_exceptions(session, definition),
    )


def _exceptions(session: Session, definition: ProjectFile) -> tuple[int, ...]:
    if definition.exposure is None:
        return ()
    named = select(Project.id).where(col(Project.name).in_(definition.exposure.exceptions))
    return tuple(found for found in session.exec(named.order_by(col(Project.id))) if found is not None)


def held(
    session: Session, *, annotator_id: int, assignment_id: int, now: datetime, surface: Surface = Surface.TELEGRAM
) -> tuple[Seat, Assignment, Item]:
    """An assignment on a surface with its item and the seat of the person; raises Stale where it is not hers."""
    person = locked(session, annotator_id)
    found = session.get(Assignment, assignment_id, populate_existing=True)
    if found is None or found.annotator_id != annotator_id or found.surface != surface:
        raise Stale("This item is not yours.")
    item = session.get_one(Item, found.item_id)
    return take(session, person, project=session.get_one(Project, item.project_id), now=now), found, item


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
