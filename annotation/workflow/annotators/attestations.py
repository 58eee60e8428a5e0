"""Attestation: at the end of a sitting a person says which tools helped her, as the project asks."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.campaigns import project as project_files
from annotation.campaigns.project import ProjectFile
from annotation.errors import BadInput, Stale, Where
from annotation.store.models import Annotator, Attestation, Participation, Project
from annotation.workflow import participations
from annotation.workflow.annotators.activity import PAUSE


def due(session: Session, *, definition: ProjectFile, participation: Participation | None, now: datetime) -> int | None:
    """The number of the last sitting that is over and about which the person has said nothing yet.

    A sitting is over after half an hour without an answer, or when the next one has begun.
    """
    if definition.attestation is None or participation is None:
        return None
    last_at = participation.last_at
    resting = last_at is not None and now - last_at >= timedelta(seconds=PAUSE)
    over = participation.sitting if resting else participation.sitting - 1
    key = (participation.annotator_id, participation.project_id, over)
    return over if over >= 1 and session.get(Attestation, key) is None else None


def attest(
    session: Session, *, annotator_id: int, project: Project, sitting: int, used: str, now: datetime
) -> Attestation:
    """Store what the person says of a sitting, also of the one that she is in; a second answer replaces the first.

    Raises Stale for a sitting that she has not had, BadInput for what is not among the options.
    """
    section = project_files.definition_of(project.definition).attestation
    participation = participations.of(session, annotator_id=annotator_id, project_id=project.id or 0)
    if section is None or participation is None or not 1 <= sitting <= participation.sitting:
        raise Stale("Nothing is asked of that sitting.")
    if used not in section.options:
        listed = ", ".join(repr(one) for one in section.options)
        raise BadInput(
            f"{used!r} is not among the options.", where=Where(field="attestation"), remedy=f"There are: {listed}."
        )
    session.get(Annotator, annotator_id, with_for_update=True)  # two taps at once come one after the other
    found = session.get(Attestation, (annotator_id, project.id or 0, sitting))
    if found is None:
        found = Attestation(annotator_id=annotator_id, project_id=project.id or 0, sitting=sitting, used=used, at=now)
    elif found.used != used:
        found.used, found.at = used, now
    session.add(found)
    session.flush()
    return found
