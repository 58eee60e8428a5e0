"""The content warning: what a person should know of a project's items, accepted before she meets the first."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.campaigns import project as project_files
from annotation.campaigns import stimulus
from annotation.campaigns.project import ProjectFile
from annotation.errors import Stale
from annotation.store import journal
from annotation.store.models import Annotator, Participation, Project
from annotation.vocabulary import Event
from annotation.workflow import participations


def missing(definition: ProjectFile, participation: Participation | None) -> bool:
    """Whether the warning, as it reads now, has yet to be accepted."""
    if definition.content_warning is None:
        return False
    return participation is None or participation.warning_sha256 != stimulus.text_digest(definition.content_warning)


def accept(
    session: Session, *, annotator_id: int, project: Project, sha256: str, now: datetime, how: str | None = None
) -> Participation:
    """Note that the person goes on after the warning with this hash; the same tap twice notes it once.

    `how` is told to the journal where she said so elsewhere than here.
    Raises Stale where the warning reads otherwise now, or there is none.
    """
    definition = project_files.definition_of(project.definition)
    text = definition.content_warning
    if text is None or stimulus.text_digest(text) != sha256:
        raise Stale("This warning is out of date; read the new one.")
    session.get(Annotator, annotator_id, with_for_update=True)  # two taps at once come one after the other
    participation = participations.enter(session, annotator_id=annotator_id, project=project, now=now)
    if participation.warning_sha256 == sha256:
        return participation
    participation.warned_at, participation.warning_sha256 = now, sha256
    session.add(participation)
    session.flush()
    journal.record(
        session,
        Event.WARNING_ACCEPTED,
        now=now,
        project_id=project.id,
        annotator_id=annotator_id,
        data={"sha256": sha256} | ({} if how is None else {"how": how}),
    )
    return participation
