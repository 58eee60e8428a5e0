"""Participations: an annotator's stage, status and counts in a project, and `NothingAssigned`, why they get no item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from annotation.campaigns import project_file
from annotation.store import models, pseudonyms
from annotation.store.database import LockedAnnotator
from annotation.store.models import Participation, ParticipationRow, Project, ProjectRow
from annotation.vocabulary import ParticipationStatus, Stage, UnassignedReason
from annotation.workflow import definitions


def get_participation(locked: LockedAnnotator, *, project_id: int) -> ParticipationRow | None:
    """The annotator's participation in the project, read anew; None where the annotator has not entered it yet.

    Every writer of a participation holds the lock on the annotator, so it is current until the transaction ends.
    """
    return models.PARTICIPATIONS.get(locked.session, locked.annotator_id, project_id)


def get_or_create_participation(locked: LockedAnnotator, *, project: ProjectRow, now: datetime) -> ParticipationRow:
    """The annotator's participation in the project, created at the project's first stage where there is none yet."""
    participation = get_participation(locked, project_id=project.id or 0)
    if participation is not None:
        return participation
    definition = definitions.read_project_definition(locked.session, project)
    return create_participation(locked, project=project, definition=definition, now=now)


def create_participation(
    locked: LockedAnnotator, *, project: ProjectRow, definition: project_file.ProjectFile, now: datetime
) -> ParticipationRow:
    """Create the participation of an annotator who has none in the project yet.

    It begins at the project's first stage; of an annotator who was erased and returned, where they had to stop.
    """
    values: dict[str, Any] = {"stage": get_first_stage(definition), "since": now, "joined_at": now}
    standing = pseudonyms.get_standing(locked.session, locked.annotator.pseudonym).projects.get(project.name)
    if standing is not None:
        retry_at = standing["retry_at"]
        values |= {
            "status": ParticipationStatus(standing["status"]),
            "stage": Stage(standing["stage"]),
            "attempt": standing["attempt"],
            "reason": pseudonyms.KEPT_REASON,
            "retry_at": None if retry_at is None else datetime.fromisoformat(retry_at),
        }
    return models.PARTICIPATIONS.insert(
        locked.session, annotator_id=locked.annotator_id, project_id=project.id or 0, **values
    )


def list_joined_projects(session: Session, *, annotator_id: int, include_withdrawn: bool = True) -> Sequence[Project]:
    """The projects in which the annotator has a participation, in the order of loading.

    Without `include_withdrawn`, those from which they have not withdrawn.
    """
    joined = select(Project).join(Participation).where(Participation.annotator_id == annotator_id)
    if not include_withdrawn:
        joined = joined.where(Participation.status != ParticipationStatus.WITHDRAWN)
    return session.exec(joined.order_by(col(Project.id))).all()


def find_latest_project(session: Session, *, annotator_id: int) -> int | None:
    """The id of the project in which the annotator worked last; None where they have not worked yet."""
    worked_on = select(Participation.project_id).where(
        Participation.annotator_id == annotator_id, col(Participation.last_at).is_not(None)
    )
    return session.exec(worked_on.order_by(col(Participation.last_at).desc()).limit(1)).first()


def get_first_stage(definition: project_file.ProjectFile) -> Stage:
    """The stage that every annotator begins with: the first one in the project file, else the main stage."""
    return next((Stage(name) for name in definition.stages.by_name), Stage.MAIN)


@dataclass(frozen=True, kw_only=True)
class NothingAssigned:
    """The answer to a request for an item where the annotator gets none now.

    `project` is the name of the project that the reason is about, None where it is about all projects. `until` is the
    time at which the reason ends without anybody's action, None where it does not. `declined` says that the annotator
    could remove the reason by agreeing to something and declined to: items of other projects come first then.

    The reason SEARCHING asks the caller to commit and to ask again at once: the search goes on in a new transaction.
    """

    reason: UnassignedReason
    project: str | None = None
    until: datetime | None = None
    declined: bool = False
