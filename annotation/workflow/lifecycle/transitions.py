"""The life of a campaign: start, pause, extend, close, reopen; which of them its state allows, and what each does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import project as project_files
from annotation.campaigns.stages import DynamicOverlap
from annotation.errors import Conflict, Where
from annotation.store import journal, overlap_counts
from annotation.store.models import Assignment, Project
from annotation.vocabulary import AssignmentStatus, Event, ProjectStatus
from annotation.workflow.lifecycle import freeze, item_writer, readiness


class Step(StrEnum):
    """What an organiser does with a project."""

    START = "start"
    PAUSE = "pause"
    EXTEND = "extend"
    CLOSE = "close"
    REOPEN = "reopen"


_LOADED, _RUNNING, _PAUSED, _CLOSED = ProjectStatus

ALLOWED: Mapping[tuple[Step, ProjectStatus], ProjectStatus] = {
    (Step.START, _LOADED): _RUNNING,
    (Step.START, _PAUSED): _RUNNING,
    (Step.PAUSE, _RUNNING): _PAUSED,
    (Step.EXTEND, _RUNNING): _RUNNING,
    (Step.EXTEND, _PAUSED): _PAUSED,
    (Step.CLOSE, _RUNNING): _CLOSED,
    (Step.CLOSE, _PAUSED): _CLOSED,
    (Step.REOPEN, _CLOSED): _RUNNING,
}
"""Step and state before it → state after it; everything else is refused."""


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A project after a step: its state, and in `said` what organisers should know."""

    project: str
    status: ProjectStatus
    said: tuple[str, ...] = ()


def start(session: Session, *, project: Project, now: datetime, rehearsal: bool = False) -> Moved:
    """Hand out items from now on. The first start freezes what was planned; a paused project goes on as it was.

    A `rehearsal` may have fewer items than its stages ask for. Raises Conflict with everything that hinders a first
    start, and BadInput for a file of words that is not there.
    """
    first = _allowed(session, Step.START, project) and project.status is ProjectStatus.LOADED
    if not first:
        return _moved(session, Step.START, project, Event.PROJECT_RESUMED, now=now)
    notes = readiness.check(session, project, rehearsal=rehearsal)
    item_writer.settle(session, project)
    project.frozen = freeze.frozen(session, project, now=now)
    project.started_at = now
    return _moved(session, Step.START, project, Event.PROJECT_STARTED, now=now, data=project.frozen, said=notes)


def pause(session: Session, *, project: Project, now: datetime) -> Moved:
    """Hand out nothing until the next start; what people hold they may still answer."""
    _allowed(session, Step.PAUSE, project)
    return _moved(session, Step.PAUSE, project, Event.PROJECT_PAUSED, now=now)


def close(session: Session, *, project: Project, now: datetime) -> Moved:
    """Hand out nothing any more; what people hold is taken back, and what they opened again stays as it was."""
    _allowed(session, Step.CLOSE, project)
    held = _take_back(session, project, now=now)
    project.closed_at = now
    said = (f"{held} items that were in hand were taken back.",) if held else ()
    return _moved(session, Step.CLOSE, project, Event.PROJECT_CLOSED, now=now, data={"expired": held}, said=said)


def reopen(session: Session, *, project: Project, now: datetime) -> Moved:
    """Hand out a closed project's items again; from here on all is post hoc."""
    _allowed(session, Step.REOPEN, project)
    freeze.post_hoc(project, what="reopened", now=now)
    project.closed_at = None
    return _moved(session, Step.REOPEN, project, Event.PROJECT_REOPENED, now=now, data={"post_hoc": True})


def extend(
    session: Session, *, project: Project, now: datetime, overlap: int | None = None, most: int | None = None
) -> Moved:
    """Ask more people about every item: a higher `overlap`, and of a dynamic one a higher maximum, `most`.

    Items that had reached the old maximum get one place more; the confidence decides about the next. Raises Conflict
    for numbers that are no more than there are.
    """
    _allowed(session, Step.EXTEND, project)
    before = project.overlap or 0, project.overlap_max or 0
    definition = _extended(project, overlap=overlap, most=most)
    project.definition = definition.model_dump(mode="json")
    project.overlap, project.overlap_max = _overlaps(definition)
    raised = overlap_counts.raise_to(session, project_id=project.id or 0, overlap=project.overlap, now=now)
    if isinstance(definition.overlap, DynamicOverlap) and project.overlap_max > before[1]:
        further = {"overlap": before[1] + 1, "least": before[1]}
        raised += overlap_counts.raise_to(session, project_id=project.id or 0, **further, now=now)
    after = project.overlap, project.overlap_max
    freeze.post_hoc(project, what=f"overlap {_range(*before)} became {_range(*after)}", now=now)
    data = {"from": list(before), "to": list(after), "items": raised, "post_hoc": True}
    said = (f"{raised} items have more places.",)
    return _moved(session, Step.EXTEND, project, Event.PROJECT_EXTENDED, now=now, data=data, said=said)


def sentence(project: Project) -> str | None:
    """Why the bot hands out nothing of a project; None where it does, and where there is nothing to hand out."""
    if project.overlap is None or project.status is ProjectStatus.RUNNING:
        return None
    then = {_LOADED: "start", _PAUSED: "start", _CLOSED: "reopen"}[project.status]
    return f"{project.name} is {project.status.value} and hands out nothing: hromada {then} {project.name}"


def _allowed(session: Session, step: Step, project: Project) -> bool:
    """Lock the project where the database locks rows, and refuse a step that its state does not allow."""
    session.refresh(project, with_for_update=True)
    if (step, project.status) in ALLOWED:
        return True
    steps = [one.value for one, status in ALLOWED if status is project.status]
    raise Conflict(
        f"{project.name!r} is {project.status.value}: it cannot {step.value}.",
        where=Where(field="project"),
        remedy=f"What can be done now: {', '.join(steps)}.",
    )


def _moved(
    session: Session,
    step: Step,
    project: Project,
    event: Event,
    *,
    now: datetime,
    data: Mapping[str, Any] | None = None,
    said: tuple[str, ...] = (),
) -> Moved:
    project.status = ALLOWED[step, project.status]
    session.add(project)
    session.flush()
    journal.record(session, event, now=now, project_id=project.id, data=dict(data or {}))
    return Moved(project=project.name, status=project.status, said=said)


def _take_back(session: Session, project: Project, *, now: datetime) -> int:
    """End every live assignment of the project, and every revision that an undo opened; how many were live."""
    mine = col(Assignment.project_id) == project.id
    connection = session.connection()
    live = select(Assignment.id, Assignment.item_id, Assignment.holds)
    rows = session.exec(live.where(mine, Assignment.status == AssignmentStatus.LIVE).order_by(col(Assignment.id))).all()
    ended = 0
    for assignment, item, holds in rows:
        over = sa.update(Assignment).where(col(Assignment.id) == assignment, col(Assignment.status) == "live")
        if connection.execute(over.values(status=AssignmentStatus.EXPIRED, holds=False)).rowcount:
            ended += 1
            if holds:
                overlap_counts.give_back(session, item_id=item, done=False, now=now)
    opened = sa.update(Assignment).where(mine, col(Assignment.open_revision).is_not(None))
    connection.execute(opened.values(open_revision=None))
    session.expire_all()
    return ended


def _extended(project: Project, *, overlap: int | None, most: int | None) -> project_files.ProjectFile:
    definition = project_files.definition_of(project.definition)
    dynamic = definition.overlap if isinstance(definition.overlap, DynamicOverlap) else None
    least, largest = project.overlap or 0, project.overlap_max or 0
    wanted = (overlap or least, most or (largest if dynamic else overlap or least))
    grows = wanted[0] >= least and wanted[1] >= largest and wanted != (least, largest)
    fits = wanted[0] < wanted[1] if dynamic else wanted[0] == wanted[1]
    if not grows or not fits:
        raise Conflict(
            f"{project.name!r} asks {_range(least, largest)} people about every item; it cannot be extended to"
            f" {_range(*wanted)}.",
            where=Where(field="overlap"),
            remedy="Name a higher --overlap, for a dynamic one with a --most above it; items come by `hromada load`.",
        )
    changed = wanted[0] if dynamic is None else dynamic.model_copy(update={"min": wanted[0], "max": wanted[1]})
    return definition.model_copy(update={"overlap": changed})


def _overlaps(definition: project_files.ProjectFile) -> tuple[int, int]:
    overlap = definition.overlap
    return (overlap.min, overlap.max) if isinstance(overlap, DynamicOverlap) else (overlap or 0, overlap or 0)


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"
