"""Where people are lost on their way: invited, agreed, began, had all that there was for them."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, func, or_, select

from annotation.campaigns import project as project_files
from annotation.store.models import Consent, Invitation, Participation, Programme, ProgrammeProject, Project, Walk
from annotation.vocabulary import Pool


@dataclass(frozen=True, kw_only=True)
class Funnel:
    """People by how far they came; `invited` is None where everybody may come, `consented` where nothing is asked."""

    invited: int | None
    consented: int | None
    started: int
    finished: int


def of(session: Session, *, project: Project, definition: project_files.ProjectFile) -> Funnel:
    """The funnel of a project. An invitation, or a consent, of its programme is one of the project."""
    behind = select(Programme).join(ProgrammeProject).where(ProgrammeProject.project_id == project.id)
    programme = session.exec(behind).first()
    doors = [col(Invitation.project_id) == project.id]
    scopes = [f"project {project.name}"]
    if programme is not None:
        doors.append(col(Invitation.programme_id) == programme.id)
        scopes.append(f"programme {programme.name}")
    invited = session.exec(select(func.count(), func.sum(col(Invitation.used))).where(or_(*doors))).one()
    asked = definition.consent is not None or bool(programme and programme.definition.get("consent"))
    agreed = select(func.count(func.distinct(col(Consent.annotator_id)))).where(
        col(Consent.scope).in_(scopes), col(Consent.withdrawn_at).is_(None)
    )
    began = select(func.count()).where(Participation.project_id == project.id, Participation.shown > 0)
    return Funnel(
        invited=invited[1] if invited[0] else None,
        consented=session.exec(agreed).one() if asked else None,
        started=session.exec(began).one(),
        finished=_finished(session, project=project, definition=definition),
    )


def _finished(session: Session, *, project: Project, definition: project_files.ProjectFile) -> int:
    """People who went round all the main items, or had as many as one person gets."""
    quota = session.exec(select(ProgrammeProject.quota).where(ProgrammeProject.project_id == project.id)).first()
    most = [one for one in (quota, definition.caps.items if definition.caps else None) if one is not None]
    round_ = select(Walk.annotator_id).where(
        Walk.project_id == project.id, Walk.pool == Pool.MAIN, col(Walk.wrapped), Walk.pos >= Walk.start
    )
    ended: list[sa.ColumnElement[bool]] = [col(Participation.annotator_id).in_(round_)]
    if most:
        ended.append(col(Participation.answered) >= min(most))
    chosen = select(func.count()).where(Participation.project_id == project.id, or_(*ended))
    return session.exec(chosen).one()
