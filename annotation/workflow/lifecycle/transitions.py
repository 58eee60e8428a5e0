"""Transitions of a project: start, pause, extend, close, reopen; which of them its status allows, and what they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns import project_file
from annotation.campaigns.sections.panels import sum_panel_votes
from annotation.campaigns.sections.stages import DynamicOverlap, Overlap, SampledOverlap
from annotation.errors import Conflict, Where
from annotation.store import journal, models, overlap_counts
from annotation.store.models import Assignment, Project
from annotation.vocabulary import AssignmentEnd, AssignmentStatus, Event, ProjectStatus
from annotation.workflow.lifecycle import item_writer, readiness


class Transition(StrEnum):
    """An action of an organiser that changes the status or the overlap of a project."""

    START = "start"
    PAUSE = "pause"
    EXTEND = "extend"
    CLOSE = "close"
    REOPEN = "reopen"


_LOADED, _RUNNING, _PAUSED, _CLOSED = ProjectStatus

STATUS_AFTER: Mapping[tuple[Transition, ProjectStatus], ProjectStatus] = {
    (Transition.START, _LOADED): _RUNNING,
    (Transition.START, _PAUSED): _RUNNING,
    (Transition.PAUSE, _RUNNING): _PAUSED,
    (Transition.EXTEND, _RUNNING): _RUNNING,
    (Transition.EXTEND, _PAUSED): _PAUSED,
    (Transition.CLOSE, _RUNNING): _CLOSED,
    (Transition.CLOSE, _PAUSED): _CLOSED,
    (Transition.REOPEN, _CLOSED): _RUNNING,
}
"""The status after a transition, by the transition and the status before; transitions not listed here are refused."""


@dataclass(frozen=True, kw_only=True)
class TransitionResult:
    """A project after a transition: its new status, and notes for organisers."""

    project: str
    status: ProjectStatus
    notes: tuple[str, ...] = ()


def start_project(session: Session, *, project: Project, now: datetime, rehearsal: bool = False) -> TransitionResult:
    """Start a loaded project, or resume a paused one; the first start stores the frozen record.

    A `rehearsal` may have fewer items than its stages ask for. Raises Conflict with all obstacles to a first start, and
    BadInput for a missing word list file.
    """
    _check_transition(session, Transition.START, project)
    if project.status is not ProjectStatus.LOADED:
        return _apply_transition(session, Transition.START, project, Event.PROJECT_RESUMED, now=now)
    notes = readiness.check_readiness(session, project, rehearsal=rehearsal)
    item_writer.reset_free_places(session, project)
    project.frozen = readiness.build_frozen_record(session, project, now=now)
    project.started_at = now
    return _apply_transition(
        session, Transition.START, project, Event.PROJECT_STARTED, now=now, data=project.frozen, notes=notes
    )


def pause_project(session: Session, *, project: Project, now: datetime) -> TransitionResult:
    """Pause a project: nothing is assigned until the next start; live assignments may still be answered."""
    _check_transition(session, Transition.PAUSE, project)
    return _apply_transition(session, Transition.PAUSE, project, Event.PROJECT_PAUSED, now=now)


def close_project(session: Session, *, project: Project, now: datetime) -> TransitionResult:
    """Close a project: nothing is assigned any more, live assignments expire, and answers reopened by undo stay."""
    _check_transition(session, Transition.CLOSE, project)
    n_expired = _expire_live_assignments(session, project, now=now)
    project.closed_at = now
    words = "1 item that was in hand was" if n_expired == 1 else f"{n_expired} items that were in hand were"
    notes = (f"{words} taken back.",) if n_expired else ()
    return _apply_transition(
        session, Transition.CLOSE, project, Event.PROJECT_CLOSED, now=now, data={"expired": n_expired}, notes=notes
    )


def reopen_project(session: Session, *, project: Project, now: datetime) -> TransitionResult:
    """Reopen a closed project: its items are assigned again, and answers from now on are post hoc."""
    _check_transition(session, Transition.REOPEN, project)
    readiness.refuse_reopening(session, project)
    readiness.add_post_hoc_change(project, what="reopened", now=now)
    project.closed_at = None
    return _apply_transition(
        session, Transition.REOPEN, project, Event.PROJECT_REOPENED, now=now, data={"post_hoc": True}
    )


def extend_project(
    session: Session, *, project: Project, now: datetime, overlap: int | None = None, max_overlap: int | None = None
) -> TransitionResult:
    """Raise the `overlap` of every item; also the maximum of a dynamic overlap, or that of a sample, `max_overlap`.

    Items that had reached the old maximum of a dynamic overlap get one more place; whether they get further places
    depends on the confidence in their label. Raises Conflict for an overlap that is not higher than the present one.
    """
    _check_transition(session, Transition.EXTEND, project)
    old_overlaps = project.overlap or 0, project.overlap_max or 0
    definition = _raise_overlap(project, overlap=overlap, max_overlap=max_overlap)
    project.definition = definition.model_dump(mode="json")
    project.overlap, project.overlap_max = definition.min_overlap or 0, definition.max_overlap or 0
    n_raised = overlap_counts.raise_overlap(session, project_id=project.id or 0, overlap=project.overlap, now=now)
    if isinstance(definition.overlap, SampledOverlap) and project.overlap_max > old_overlaps[1]:
        of_sample = {"overlap": project.overlap_max, "least": old_overlaps[1]}
        n_raised += overlap_counts.raise_overlap(session, project_id=project.id or 0, **of_sample, now=now)
    elif isinstance(definition.overlap, DynamicOverlap) and project.overlap_max > old_overlaps[1]:
        one_more = {"overlap": old_overlaps[1] + 1, "least": old_overlaps[1]}
        n_raised += overlap_counts.raise_overlap(session, project_id=project.id or 0, **one_more, now=now)
    new_overlaps = project.overlap, project.overlap_max
    readiness.add_post_hoc_change(
        project, what=f"overlap {_format_range(*old_overlaps)} became {_format_range(*new_overlaps)}", now=now
    )
    data = {"from": list(old_overlaps), "to": list(new_overlaps), "items": n_raised, "post_hoc": True}
    notes = (f"{n_raised} items have more places.",)
    return _apply_transition(
        session, Transition.EXTEND, project, Event.PROJECT_EXTENDED, now=now, data=data, notes=notes
    )


def explain_not_running(project: Project) -> str | None:
    """A sentence why the bot assigns no items of a project; None for a running project and for imported votes."""
    if project.overlap is None or project.status is ProjectStatus.RUNNING:
        return None
    command = {_LOADED: "start", _PAUSED: "start", _CLOSED: "reopen"}[project.status]
    return f"{project.name} is {project.status.value} and hands out nothing: hromada {command} {project.name}"


def _check_transition(session: Session, transition: Transition, project: Project) -> None:
    """Lock the project's row and raise Conflict for a transition that its status does not allow."""
    session.refresh(project, with_for_update=True)
    if (transition, project.status) in STATUS_AFTER:
        return
    possible = [allowed.value for allowed, status in STATUS_AFTER if status is project.status]
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
    """Store the new status and record the event with its data in the journal."""
    project.status = STATUS_AFTER[transition, project.status]
    if transition in {Transition.START, Transition.EXTEND, Transition.REOPEN}:
        project.active_since = now
    session.add(project)
    session.flush()
    journal.record_event(session, event, now=now, project_id=project.id, data=dict(data or {}))
    return TransitionResult(project=project.name, status=project.status, notes=notes)


def _expire_live_assignments(session: Session, project: Project, *, now: datetime) -> int:
    """Expire every live assignment of the project and end every undo that is not answered; returns how many expired."""
    of_project = col(Assignment.project_id) == project.id
    connection = session.connection()
    live = models.ASSIGNMENTS.select.where(of_project, col(Assignment.status) == AssignmentStatus.LIVE)
    expired = []
    for row in models.ASSIGNMENTS.list(session, live.order_by(col(Assignment.id))):
        expiring = sa.update(Assignment).where(col(Assignment.id) == row.id, col(Assignment.status) == "live")
        if connection.execute(expiring.values(status=AssignmentStatus.EXPIRED, holds_place=False)).rowcount:
            expired.append(row)
            if row.holds_place:
                overlap_counts.release_place(session, item_id=row.item_id, done=False, now=now)
    journal.record_assignment_ends(session, expired, why=AssignmentEnd.PROJECT_CLOSED, now=now)
    opened_again = sa.update(Assignment).where(of_project, col(Assignment.open_revision).is_not(None))
    connection.execute(opened_again.values(open_revision=None))
    session.expire_all()
    return len(expired)


def _raise_overlap(project: Project, *, overlap: int | None, max_overlap: int | None) -> project_file.ProjectFile:
    """The definition with the higher overlap; raises Conflict where it is not higher, or minimum and maximum clash."""
    definition = project_file.parse_definition(project.definition)
    old_overlap = definition.overlap if isinstance(definition.overlap, DynamicOverlap | SampledOverlap) else None
    old_min, old_max = project.overlap or 0, project.overlap_max or 0
    new_min, new_max = overlap or old_min, max_overlap or (old_max if old_overlap else overlap or old_min)
    if (total := sum_panel_votes(definition.panels)) is not None:
        raise Conflict(
            f"{project.name!r} gets {total} answers to every item, a fixed number from each of its panels.",
            where=Where(field="panels"),
            remedy="Load further items, or the file under another project name with other `votes`.",
        )
    is_higher = new_min >= old_min and new_max >= old_max and (new_min, new_max) != (old_min, old_max)
    is_consistent = new_min < new_max if old_overlap else new_min == new_max
    if not is_higher or not is_consistent:
        raise Conflict(
            f"{project.name!r} asks {_format_range(old_min, old_max)} people about every item; it cannot be extended to"
            f" {_format_range(new_min, new_max)}.",
            where=Where(field="overlap"),
            remedy="Name a higher --overlap, for a dynamic one or a sample with a --most above it; items come by"
            " `hromada load`.",
        )
    new_overlap: Overlap = new_min
    if old_overlap is not None:
        least, most = ("min", "max") if isinstance(old_overlap, DynamicOverlap) else ("each", "of")
        new_overlap = old_overlap.model_copy(update={least: new_min, most: new_max})
    return definition.model_copy(update={"overlap": new_overlap})


def _format_range(least: int, largest: int) -> str:
    return str(least) if least == largest else f"{least} to {largest}"
