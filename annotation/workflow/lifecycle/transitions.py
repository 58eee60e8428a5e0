"""Transitions of a campaign: start, pause, extend, close, reopen; which its status allows, and what each does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import project_file as project_files
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.errors import Conflict, Where
from annotation.store import journal, overlap_counts
from annotation.store.models import Assignment, Project
from annotation.vocabulary import AssignmentStatus, Event, ProjectStatus
from annotation.workflow.lifecycle import freeze, item_writer, readiness


class Transition(StrEnum):
    """What an organiser does with a project."""

    START = "start"
    PAUSE = "pause"
    EXTEND = "extend"
    CLOSE = "close"
    REOPEN = "reopen"


_LOADED, _RUNNING, _PAUSED, _CLOSED = ProjectStatus

ALLOWED: Mapping[tuple[Transition, ProjectStatus], ProjectStatus] = {
    (Transition.START, _LOADED): _RUNNING,
    (Transition.START, _PAUSED): _RUNNING,
    (Transition.PAUSE, _RUNNING): _PAUSED,
    (Transition.EXTEND, _RUNNING): _RUNNING,
    (Transition.EXTEND, _PAUSED): _PAUSED,
    (Transition.CLOSE, _RUNNING): _CLOSED,
    (Transition.CLOSE, _PAUSED): _CLOSED,
    (Transition.REOPEN, _CLOSED): _RUNNING,
}
"""Transition and status before it → status after it; everything else is refused."""


@dataclass(frozen=True, kw_only=True)
class TransitionResult:
    """A project after a transition: its new status, and notes for organisers."""

    project: str
    status: ProjectStatus
    notes: tuple[str, ...] = ()


def start_project(session: Session, *, project: Project, now: datetime, rehearsal: bool = False) -> TransitionResult:
    """Assign items from now on. The first start freezes what was planned; a paused project continues as it was.

    A `rehearsal` may have fewer items than its stages ask for. Raises Conflict with all obstacles to a first start, and
    BadInput for a missing word list file.
    """
    first_start = _check_transition(session, Transition.START, project) and project.status is ProjectStatus.LOADED
    if not first_start:
        return _apply_transition(session, Transition.START, project, Event.PROJECT_RESUMED, now=now)
    notes = readiness.check_readiness(session, project, rehearsal=rehearsal)
    item_writer.reset_free_places(session, project)
    project.frozen = freeze.build_frozen_record(session, project, now=now)
    project.started_at = now
    return _apply_transition(
        session, Transition.START, project, Event.PROJECT_STARTED, now=now, data=project.frozen, notes=notes
    )


def pause_project(session: Session, *, project: Project, now: datetime) -> TransitionResult:
    """Assign nothing until the next start; live assignments may still be answered."""
    _check_transition(session, Transition.PAUSE, project)
    return _apply_transition(session, Transition.PAUSE, project, Event.PROJECT_PAUSED, now=now)


def close_project(session: Session, *, project: Project, now: datetime) -> TransitionResult:
    """Assign nothing any more; live assignments expire, and answers reopened by an undo stay as they were."""
    _check_transition(session, Transition.CLOSE, project)
    expired = _expire_live_assignments(session, project, now=now)
    project.closed_at = now
    notes = (f"{expired} items that were in hand were taken back.",) if expired else ()
    return _apply_transition(
        session, Transition.CLOSE, project, Event.PROJECT_CLOSED, now=now, data={"expired": expired}, notes=notes
    )


def reopen_project(session: Session, *, project: Project, now: datetime) -> TransitionResult:
    """Assign items of a closed project again; everything from here on is post hoc."""
    _check_transition(session, Transition.REOPEN, project)
    freeze.add_post_hoc_change(project, what="reopened", now=now)
    project.closed_at = None
    return _apply_transition(
        session, Transition.REOPEN, project, Event.PROJECT_REOPENED, now=now, data={"post_hoc": True}
    )


def extend_project(
    session: Session, *, project: Project, now: datetime, overlap: int | None = None, max_overlap: int | None = None
) -> TransitionResult:
    """Raise the `overlap` of every item, and of a dynamic overlap also the maximum, `max_overlap`.

    Items that had reached the old maximum get one more place; the confidence decides about further ones. Raises
    Conflict for numbers that are not higher than the present ones.
    """
    _check_transition(session, Transition.EXTEND, project)
    before = project.overlap or 0, project.overlap_max or 0
    definition = _raise_overlap(project, overlap=overlap, max_overlap=max_overlap)
    project.definition = definition.model_dump(mode="json")
    project.overlap, project.overlap_max = _get_overlaps(definition)
    raised = overlap_counts.raise_overlap(session, project_id=project.id or 0, overlap=project.overlap, now=now)
    if isinstance(definition.overlap, DynamicOverlap) and project.overlap_max > before[1]:
        next_overlap = {"overlap": before[1] + 1, "least": before[1]}
        raised += overlap_counts.raise_overlap(session, project_id=project.id or 0, **next_overlap, now=now)
    after = project.overlap, project.overlap_max
    freeze.add_post_hoc_change(
        project, what=f"overlap {_format_range(*before)} became {_format_range(*after)}", now=now
    )
    data = {"from": list(before), "to": list(after), "items": raised, "post_hoc": True}
    notes = (f"{raised} items have more places.",)
    return _apply_transition(
        session, Transition.EXTEND, project, Event.PROJECT_EXTENDED, now=now, data=data, notes=notes
    )


def explain_not_running(project: Project) -> str | None:
    """Why the bot assigns nothing of a project; None where it does, and for a project of imported votes only."""
    if project.overlap is None or project.status is ProjectStatus.RUNNING:
        return None
    command = {_LOADED: "start", _PAUSED: "start", _CLOSED: "reopen"}[project.status]
    return f"{project.name} is {project.status.value} and hands out nothing: hromada {command} {project.name}"


def _check_transition(session: Session, transition: Transition, project: Project) -> bool:
    """Lock the project's row and raise Conflict for a transition that its status does not allow."""
    session.refresh(project, with_for_update=True)
    if (transition, project.status) in ALLOWED:
        return True
    possible = [step.value for step, status in ALLOWED if status is project.status]
    raise Conflict(
        f"{project.name!r} is {project.status.value}: it cannot {transition.value}.",
        where=Where(field="project"),
        remedy=f"What can be done now: {', '.join(possible)}.",
    )


def _apply_transition(
    session: Session,
    transition: Transition,
    project: Project,
    event: Event,
    *,
    now: datetime,
    data: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> TransitionResult:
    project.status = ALLOWED[transition, project.status]
    session.add(project)
    session.flush()
    journal.record_event(session, event, now=now, project_id=project.id, data=dict(data or {}))
    return TransitionResult(project=project.name, status=project.status, notes=notes)


def _expire_live_assignments(session: Session, project: Project, *, now: datetime) -> int:
    """Expire every live assignment of the project and end every undo; returns how many were live."""
    of_project = col(Assignment.project_id) == project.id
    connection = session.connection()
    live = select(Assignment.id, Assignment.item_id, Assignment.holds_place)
    rows = session.exec(
        live.where(of_project, Assignment.status == AssignmentStatus.LIVE).order_by(col(Assignment.id))
    ).all()
    count = 0
    for assignment, item, holds in rows:
        expiring = sa.update(Assignment).where(col(Assignment.id) == assignment, col(Assignment.status) == "live")
        if connection.execute(expiring.values(status=AssignmentStatus.EXPIRED, holds_place=False)).rowcount:
            count += 1
            if holds:
                overlap_counts.release_place(session, item_id=item, done=False, now=now)
    opened_again = sa.update(Assignment).where(of_project, col(Assignment.open_revision).is_not(None))
    connection.execute(opened_again.values(open_revision=None))
    session.expire_all()
    return count


def _raise_overlap(project: Project, *, overlap: int | None, max_overlap: int | None) -> project_files.ProjectFile:
    definition = project_files.parse_definition(project.definition)
    dynamic = definition.overlap if isinstance(definition.overlap, DynamicOverlap) else None
    old_min, old_max = project.overlap or 0, project.overlap_max or 0
    wanted = (overlap or old_min, max_overlap or (old_max if dynamic else overlap or old_min))
    grows = wanted[0] >= old_min and wanted[1] >= old_max and wanted != (old_min, old_max)
    fits = wanted[0] < wanted[1] if dynamic else wanted[0] == wanted[1]
    if not grows or not fits:
        raise Conflict(
            f"{project.name!r} asks {_format_range(old_min, old_max)} people about every item; it cannot be extended to"
            f" {_format_range(*wanted)}.",
            where=Where(field="overlap"),
            remedy="Name a higher --overlap, for a dynamic one with a --most above it; items come by `hromada load`.",
        )
    new_overlap = wanted[0] if dynamic is None else dynamic.model_copy(update={"min": wanted[0], "max": wanted[1]})
    return definition.model_copy(update={"overlap": new_overlap})


def _get_overlaps(definition: project_files.ProjectFile) -> tuple[int, int]:
    overlap = definition.overlap
    return (overlap.min, overlap.max) if isinstance(overlap, DynamicOverlap) else (overlap or 0, overlap or 0)


def _format_range(least: int, largest: int) -> str:
    return str(least) if least == largest else f"{least} to {largest}"
