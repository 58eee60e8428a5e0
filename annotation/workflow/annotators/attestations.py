"""Attestations: after a work session the annotator says which tools they used, where the project asks for it.

Work sessions of an annotator in a project are numbered from 1; a pause of half an hour ends one. Where several projects
ask the same question, as those of a programme do, it is asked once for what was done in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from annotation.campaigns import project_file
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.annotators import AttestationSection
from annotation.errors import BadInput, Stale, Where
from annotation.store import annotator_locks
from annotation.store.models import Attestation, Participation, Project
from annotation.vocabulary import ParticipationStatus, ProjectStatus
from annotation.workflow import participations
from annotation.workflow.annotators.active_time import PAUSE_SECONDS


@dataclass(frozen=True, kw_only=True)
class DueAttestation:
    """A work session of an annotator in a project that is over and not attested; `section` is what is asked."""

    project_id: int
    work_session: int
    section: AttestationSection


def list_due(session: Session, *, annotator_id: int, now: datetime, at_end: bool) -> Iterator[DueAttestation]:
    """The attestations that are due of an annotator, in the order of the projects, of those that are not closed."""
    query = (
        select(Participation, Project)
        .join(Project, col(Project.id) == col(Participation.project_id))
        .where(
            Participation.annotator_id == annotator_id,
            Participation.status == ParticipationStatus.ACTIVE,
            Project.status != ProjectStatus.CLOSED,
            Participation.work_session > 0,
        )
    )
    for participation, project in session.exec(query.order_by(col(Project.id))).all():
        definition = project_file.parse_definition(project.definition)
        due = get_due_work_session(session, definition=definition, participation=participation, now=now, at_end=at_end)
        if definition.attestation is not None and due is not None:
            yield DueAttestation(project_id=project.id or 0, work_session=due, section=definition.attestation)


def get_due_work_session(
    session: Session,
    *,
    definition: ProjectFile,
    participation: Participation | None,
    now: datetime,
    at_end: bool = False,
) -> int | None:
    """The number of the last work session that is over, where the annotator has not attested it yet; else None.

    A work session is over after half an hour without an answer, when the next one has begun, or `at_end`: the annotator
    pauses, or there is nothing to answer any more.
    """
    if definition.attestation is None or participation is None:
        return None
    last_at = participation.last_at
    paused = last_at is not None and now - last_at >= timedelta(seconds=PAUSE_SECONDS)
    last_over = participation.work_session if paused or at_end else participation.work_session - 1
    key = (participation.annotator_id, participation.project_id, last_over)
    return last_over if last_over >= 1 and session.get(Attestation, key) is None else None


def save_attestation(
    session: Session,
    *,
    annotator_id: int,
    project: Project,
    work_session: int,
    used: str,
    now: datetime,
    at_end: bool = False,
) -> Attestation:
    """Store an attestation of a work session, the current one included; a second one replaces the first.

    It holds for other projects that ask the same, where it is due, too; `at_end` counts current work sessions as over.
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
    for due in [*list_due(session, annotator_id=annotator_id, now=now, at_end=at_end)]:
        if due.section == section and due.project_id != project.id:
            key = {"annotator_id": annotator_id, "project_id": due.project_id, "work_session": due.work_session}
            session.add(Attestation(**key, used=used, at=now))
    session.flush()
    return attestation
