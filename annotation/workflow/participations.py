"""How a person stands in a project: the row that every item, answer and consequence is counted on."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.campaigns import project as project_files
from annotation.store import annotator_locks
from annotation.store.models import Participation, Project
from annotation.vocabulary import Stage
from annotation.workflow import definitions


def of(session: Session, *, annotator_id: int, project_id: int) -> Participation | None:
    """The person's row in the project, read under the lock on the person, which all take who change it."""
    fresh = not annotator_locks.held(session, annotator_id)
    annotator_locks.person(session, annotator_id)
    return session.get(Participation, (annotator_id, project_id), populate_existing=fresh)


def enter(
    session: Session,
    *,
    annotator_id: int,
    project: Project,
    now: datetime,
    invitation_id: int | None = None,
    programme_id: int | None = None,
) -> Participation:
    """The person's row in the project, made at her first step into it, at the first stage that the project has."""
    found = of(session, annotator_id=annotator_id, project_id=project.id or 0)
    if found is not None:
        return found
    made = Participation(
        annotator_id=annotator_id,
        project_id=project.id or 0,
        programme_id=programme_id,
        invitation_id=invitation_id,
        stage=first_stage(definitions.of(project)),
        since=now,
        joined_at=now,
    )
    session.add(made)
    session.flush()
    return made


def first_stage(definition: project_files.ProjectFile) -> Stage:
    """The stage that everybody begins with."""
    return next((Stage(name) for name in definition.stages.named), Stage.MAIN)
