"""Invitations: codes that let people into a project or a programme.

A project is by invitation only as soon as it, or its programme, has one; without, it is open to everybody who writes.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import BadInput, NotFound, Where
from annotation.store import journal, queries
from annotation.store.models import (
    Annotator,
    Cohort,
    Invitation,
    Participation,
    Programme,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import Event, ProjectStatus
from annotation.workflow import participations
from annotation.workflow.annotators.terms import Terms

Door = Project | Programme
"""What an invitation lets people into."""


class Refusal(StrEnum):
    """Why a code lets nobody in; what to say about it is the surface's."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    USED_UP = "used up"
    CLOSED = "closed"
    SUSPENDED = "suspended"


@dataclass(frozen=True, kw_only=True)
class Entered:
    """Where a code let a person in; `repeated` says that she was in by invitation already and no use was taken."""

    door: str
    projects: tuple[str, ...]
    repeated: bool


def door(session: Session, name: str) -> Door:
    """The project or, where none has that name, the programme; raises NotFound naming the nearest."""
    if session.exec(select(Project.id).where(Project.name == name)).first() is None:
        programme = session.exec(select(Programme).where(Programme.name == name)).first()
        if programme is not None:
            return programme
    return queries.project(session, name)


def new_code() -> str:
    """A code of 16 letters and digits that nobody guesses (80 bits) and a deep link can carry."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


def invite(
    session: Session,
    *,
    door: Door,
    code: str,
    now: datetime,
    uses: int | None = None,
    expires_at: datetime | None = None,
    cohort: str | None = None,
) -> Invitation:
    """Make an invitation for `uses` people, None for any number; raises BadInput for one that could let nobody in."""
    if uses is not None and uses < 1:
        raise BadInput("An invitation has one use at the least.", where=Where(field="uses"), remedy="Give a number.")
    if expires_at is not None and expires_at <= now:
        raise BadInput("That time is over already.", where=Where(field="expires"), remedy="Give one to come.")
    to_project = isinstance(door, Project)
    made = Invitation(
        code=code,
        project_id=door.id if to_project else None,
        programme_id=None if to_project else door.id,
        cohort=None if cohort is None else checked_cohort(cohort),
        uses=uses,
        expires_at=expires_at,
        created_at=now,
    )
    session.add(made)
    session.flush()
    data = {"invitation": made.id, "door": door.name, "uses": uses, "cohort": made.cohort}
    journal.record(session, Event.INVITATION_MADE, now=now, project_id=made.project_id, data=data)
    return made


def checked_cohort(name: str) -> str:
    """The name of a cohort as it is stored; raises BadInput for one that cannot be."""
    text = name.strip()
    if not 0 < len(text) <= 64:
        raise BadInput("A cohort has a name of 1 to 64 characters.", where=Where(field="cohort"), remedy="Shorten it.")
    return text


def redeem(session: Session, *, annotator_id: int, code: str, now: datetime) -> Entered | Refusal:
    """Let a person in by a code, counted once, however often she sends it, and however many send the last use at once.

    Whether a use is left is settled by the statement that takes it. Whoever is in by invitation already, by this code
    or another to the same door, takes no use, and stays in the cohorts that she is in.
    """
    person = session.get(Annotator, annotator_id, with_for_update=True)
    if person is None:
        raise NotFound("There is no such person.")
    found = session.exec(select(Invitation).where(Invitation.code == code.strip())).first()
    if found is None:
        return Refusal.UNKNOWN
    if person.suspended_at is not None:
        return Refusal.SUSPENDED
    behind, projects = _behind(session, found)
    names = tuple(project.name for project in projects)
    if _entered(session, annotator_id=annotator_id, project_id=found.project_id, programme_id=found.programme_id):
        return Entered(door=behind.name, projects=names, repeated=True)
    refusal = _over(found, projects, now=now)
    if refusal is None and not _take_use(session, invitation_id=found.id or 0):
        refusal = Refusal.USED_UP
    if refusal is not None:
        return refusal
    _let_in(session, annotator_id=annotator_id, invitation=found, projects=projects, now=now)
    data = {"invitation": found.id, "door": behind.name}
    journal.record(session, Event.INVITATION_REDEEMED, now=now, annotator_id=annotator_id, data=data)
    return Entered(door=behind.name, projects=names, repeated=False)


def lets_in(session: Session, *, annotator_id: int, terms: Terms) -> bool:
    """Whether the project is open to everybody, or the person was let in by an invitation."""
    project_id = terms.project.id or 0
    programme_id = terms.programme.id if terms.programme else None
    doors = sa.or_(col(Invitation.project_id) == project_id, col(Invitation.programme_id) == programme_id)
    if session.exec(select(Invitation.id).where(doors).limit(1)).first() is None:
        return True
    return _entered(session, annotator_id=annotator_id, project_id=project_id, programme_id=programme_id)


def listed(session: Session, *, door: Door) -> Sequence[Invitation]:
    """The invitations to a project or programme, oldest first."""
    key = col(Invitation.project_id) if isinstance(door, Project) else col(Invitation.programme_id)
    return session.exec(select(Invitation).where(key == door.id).order_by(col(Invitation.id))).all()


def _over(invitation: Invitation, projects: Sequence[Project], *, now: datetime) -> Refusal | None:
    if all(project.status == ProjectStatus.CLOSED for project in projects):
        return Refusal.CLOSED
    expired = invitation.expires_at is not None and invitation.expires_at <= now
    return Refusal.EXPIRED if expired else None


def _take_use(session: Session, *, invitation_id: int) -> bool:
    left = sa.or_(col(Invitation.uses).is_(None), col(Invitation.used) < col(Invitation.uses))
    taking = sa.update(Invitation).where(col(Invitation.id) == invitation_id, left)
    return session.connection().execute(taking.values(used=Invitation.used + 1)).rowcount == 1


def _behind(session: Session, invitation: Invitation) -> tuple[Door, Sequence[Project]]:
    """The door, and the projects behind it in their order."""
    if invitation.project_id is not None:
        project = session.get_one(Project, invitation.project_id)
        return project, [project]
    chosen = select(Project).join(ProgrammeProject).where(ProgrammeProject.programme_id == invitation.programme_id)
    projects = session.exec(chosen.order_by(col(ProgrammeProject.place))).all()
    return session.get_one(Programme, invitation.programme_id), projects


def _entered(session: Session, *, annotator_id: int, project_id: int | None, programme_id: int | None) -> bool:
    """Whether the person is in by an invitation to this project or this programme."""
    doors = sa.or_(
        sa.and_(col(Invitation.project_id).is_not(None), col(Invitation.project_id) == project_id),
        sa.and_(col(Invitation.programme_id).is_not(None), col(Invitation.programme_id) == programme_id),
    )
    joined = select(Participation.project_id).join(Invitation, col(Invitation.id) == col(Participation.invitation_id))
    found = joined.where(Participation.annotator_id == annotator_id, doors).limit(1)
    return session.exec(found).first() is not None


def _let_in(
    session: Session, *, annotator_id: int, invitation: Invitation, projects: Sequence[Project], now: datetime
) -> None:
    """A row in each project, under this invitation; where she is in by another door already, that one stays."""
    for project in projects:
        row = participations.enter(session, annotator_id=annotator_id, project=project, now=now)
        if row.invitation_id is None:
            row.invitation_id, row.programme_id = invitation.id, invitation.programme_id or row.programme_id
            session.add(row)
    if invitation.cohort and session.get(Cohort, (annotator_id, invitation.cohort)) is None:
        session.add(Cohort(annotator_id=annotator_id, name=invitation.cohort))
    session.flush()
    session.refresh(invitation)
