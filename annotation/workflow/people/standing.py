"""Whether a person may take part in a project now."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.campaigns.project import ProjectFile
from annotation.store.models import Annotator, Participation, Project
from annotation.vocabulary import Hindrance, ParticipationStatus
from annotation.workflow.waiting import Waiting

_BY_STATUS = {
    ParticipationStatus.FAILED: Hindrance.FAILED,
    ParticipationStatus.PAUSED: Hindrance.PAUSED,
    ParticipationStatus.EXCLUDED: Hindrance.EXCLUDED,
    ParticipationStatus.WITHDRAWN: Hindrance.WITHDRAWN,
}


def hindrance(
    session: Session,  # noqa: ARG001  # further conditions are read from there
    *,
    person: Annotator,
    project: Project,
    definition: ProjectFile,  # noqa: ARG001  # further conditions stand in there
    participation: Participation,
    now: datetime,  # noqa: ARG001  # further conditions pass with time
) -> Waiting | None:
    """What keeps a person from the items of a project; None where nothing does."""
    if person.suspended_at is not None:
        return Waiting(reason=Hindrance.SUSPENDED)
    reason = _BY_STATUS.get(participation.status)
    return None if reason is None else Waiting(reason=reason, project=project.name)
