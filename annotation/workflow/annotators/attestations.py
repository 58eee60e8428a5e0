"""Attestations: after a work session the annotator says which tools they used, where the project asks for it.

Work sessions of an annotator in a project are numbered from 1; a pause of half an hour ends one.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.campaigns import project_file
from annotation.campaigns.project_file import ProjectFile
from annotation.errors import BadInput, Stale, Where
from annotation.store import annotator_locks
from annotation.store.models import Attestation, Participation, Project
from annotation.workflow import participations
from annotation.workflow.annotators.active_time import PAUSE_SECONDS


def get_due_work_session(
    session: Session, *, definition: ProjectFile, participation: Participation | None, now: datetime
) -> int | None:
    """The number of the last work session that is over, where the annotator has not attested it yet; else None.

    A work session is over after half an hour without an answer, or when the next one has begun.
    """
    if definition.attestation is None or participation is None:
        return None
    last_at = participation.last_at
    paused = last_at is not None and now - last_at >= timedelta(seconds=PAUSE_SECONDS)
    last_over = participation.work_session if paused else participation.work_session - 1
    key = (participation.annotator_id, participation.project_id, last_over)
    return last_over if last_over >= 1 and session.get(Attestation, key) is None else None


def save_attestation(
    session: Session, *, annotator_id: int, project: Project, work_session: int, used: str, now: datetime
) -> Attestation:
    """Store an attestation of a work session, the current one included; a second one replaces the first.

    `used` is one of the project's options. Raises Stale for a work session that the annotator has not had, BadInput
    for an unknown option.
    """
    section = project_file.parse_definition(project.definition).attestation
    locked = annotator_locks.lock_annotator(session, annotator_id)  # two taps at once come one after the other
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if section is None or participation is None or not 1 <= work_session <= participation.work_session:
        raise Stale("Nothing is asked of that work session.")
    if used not in section.options:
        listed = ", ".join(repr(option) for option in section.options)
        raise BadInput(
            f"{used!r} is not among the options.", where=Where(field="attestation"), remedy=f"There are: {listed}."
        )
    attestation = session.get(Attestation, (annotator_id, project.id or 0, work_session))
    if attestation is None:
        attestation = Attestation(
            annotator_id=annotator_id, project_id=project.id or 0, work_session=work_session, used=used, at=now
        )
    elif attestation.used != used:
        attestation.used, attestation.at = used, now
    session.add(attestation)
    session.flush()
    return attestation
