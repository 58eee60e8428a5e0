"""The participation of an annotator in a project: their stage, status and counts; and why they get no item now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from annotation.campaigns import project_file as project_files
from annotation.store import annotator_locks
from annotation.store.models import Participation, Project
from annotation.vocabulary import Stage, UnassignedReason
from annotation.workflow import definitions


def get_participation(session: Session, *, annotator_id: int, project_id: int) -> Participation | None:
    """The annotator's participation, read under the lock on the annotator, which every writer of it takes."""
    fresh = not annotator_locks.is_locked(session, annotator_id)
    annotator_locks.lock_annotator(session, annotator_id)
    return session.get(Participation, (annotator_id, project_id), populate_existing=fresh)


def get_or_create_participation(
    session: Session,
    *,
    annotator_id: int,
    project: Project,
    now: datetime,
    invitation_id: int | None = None,
    programme_id: int | None = None,
) -> Participation:
    """The annotator's participation; a new one begins at the first stage that the project has."""
    participation = get_participation(session, annotator_id=annotator_id, project_id=project.id or 0)
    if participation is not None:
        return participation
    participation = Participation(
        annotator_id=annotator_id,
        project_id=project.id or 0,
        programme_id=programme_id,
        invitation_id=invitation_id,
        stage=get_first_stage(definitions.get_project_definition(project)),
        since=now,
        joined_at=now,
    )
    session.add(participation)
    session.flush()
    return participation


def get_first_stage(definition: project_files.ProjectFile) -> Stage:
    """The stage that every annotator begins with."""
    return next((Stage(name) for name in definition.stages.by_name), Stage.MAIN)


@dataclass(frozen=True, kw_only=True)
class NothingAssigned:
    """Why an annotator gets no item now.

    `project` is the project's name, None where the reason is not about one; `until` is when time alone lifts it.
    `declined` says that the annotator could remove the reason and declined to: other projects come first.
    The reason SEARCHING asks the caller to commit and to ask again at once: the search goes on in a new transaction.
    """

    reason: UnassignedReason
    project: str | None = None
    until: datetime | None = None
    declined: bool = False
