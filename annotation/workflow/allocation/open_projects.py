"""Open projects: the running projects that an annotator may work in, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import (
    Adjudicator,
    Invitation,
    Participation,
    ParticipationRow,
    Programme,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import ParticipationStatus, ProjectStatus, Stage, UnassignedReason
from annotation.workflow.participations import NothingAssigned

PREPARING_STAGES = (Stage.TRAINING, Stage.QUALIFICATION)
"""The stages that are done in one go, once the first item of the project was shown."""


@dataclass(frozen=True, kw_only=True)
class ProjectChoice:
    """A programme, or a project outside programmes, that the annotator can choose to work in.

    `key` is the project's id, or minus the programme's id. `projects` are the ids of the projects to try for the next
    item, in this order, without projects in which the annotator has reached the quota.
    """

    key: int
    title: str
    projects: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class OpenProject:
    """A running project that is open to an annotator.

    `project` and `programme` are ids; `programme` is None for a project outside programmes. `title` is that of the
    programme, if any. `interleaved` says whether the programme takes its projects in turn, `position` is the project's
    position in the programme. `quota` is the most items that one annotator answers in the project; `answered` and
    `shown` are how many items the annotator has answered and was shown there, `prepared_at` when they last worked
    there, if they are in the midst of its training, or between that and the end of its qualification.
    """

    project: int
    name: str
    title: str
    programme: int | None
    interleaved: bool
    position: int
    quota: int | None
    answered: int
    shown: int
    prepared_at: datetime | None = None

    @property
    def is_full(self) -> bool:
        """Whether the annotator has reached the quota."""
        return self.quota is not None and self.answered >= self.quota


def find_preparation(
    status: ParticipationStatus | None, stage: Stage | None, last_at: datetime | None, *, shown: int
) -> datetime | None:
    """When somebody last worked who is in the midst of a training or qualification, or between them; else None."""
    is_preparing = shown > 0 and status is ParticipationStatus.ACTIVE and stage in PREPARING_STAGES
    return last_at if is_preparing else None


def count_anew(stored: OpenProject, participation: ParticipationRow) -> OpenProject:
    """The project with the counts of a participation that is already read, and changed since the query perhaps."""
    prepared_at = find_preparation(
        participation.status, participation.stage, participation.last_at, shown=participation.shown
    )
    return replace(stored, answered=participation.answered, shown=participation.shown, prepared_at=prepared_at)


def order_projects(open_projects: Iterable[OpenProject]) -> tuple[int, ...]:
    """The ids of the projects to try for the annotator's next item, without projects whose quota is reached.

    Programmes and single projects come in the order of loading. Inside a programme the projects come in sequence, or,
    where they are interleaved, in the order of how many of their items the annotator was shown, fewest first. A project
    whose training or qualification is under way comes first, so that its test follows its training.
    """
    return tuple(project for choice in list_choices(open_projects) for project in choice.projects)


def list_choices(open_projects: Iterable[OpenProject]) -> tuple[ProjectChoice, ...]:
    """The programmes and single projects that are open to the annotator, in the order of loading."""
    choices = []
    for _, rows in groupby(open_projects, key=lambda member: member.programme or -member.project):
        members = list(rows)
        below_quota = [member for member in members if not member.is_full]
        below_quota.sort(
            key=lambda member: (
                -(member.prepared_at.timestamp() if member.prepared_at else 0),
                member.shown if member.interleaved else 0,
                member.position,
            )
        )
        first = members[0]
        key = first.project if first.programme is None else -first.programme
        choices.append(
            ProjectChoice(key=key, title=first.title, projects=tuple(member.project for member in below_quota))
        )
    return tuple(choices)


def list_full_projects(open_projects: Iterable[OpenProject]) -> tuple[NothingAssigned, ...]:
    """The reason QUOTA for each open project in which the annotator has reached the quota."""
    return tuple(
        NothingAssigned(reason=UnassignedReason.QUOTA, project=project.name)
        for project in open_projects
        if project.is_full
    )


def sort_open_projects(rows: Iterable[Sequence[Any]]) -> Sequence[OpenProject]:
    """The rows of the query `OPEN_PROJECTS` as `OpenProject`, in the order of loading.

    The projects of a programme stand together, at the programme's first loaded project.
    """
    open_projects = [
        OpenProject(
            project=project,
            name=name,
            title=title,
            programme=programme,
            interleaved=programme is not None and definition["order"] == "interleaved",
            position=position or 0,
            quota=quota,
            answered=answered,
            shown=shown,
            prepared_at=find_preparation(*preparation, shown=shown),
        )
        for project, name, title, programme, definition, position, quota, answered, shown, *preparation in rows
    ]
    first_loaded: dict[int, int] = {}
    for open_project in open_projects:
        key = open_project.programme or -open_project.project
        first_loaded[key] = min(first_loaded.get(key, open_project.project), open_project.project)
    return sorted(
        open_projects,
        key=lambda open_project: (first_loaded[open_project.programme or -open_project.project], open_project.position),
    )


def list_open_projects(session: Session, *, annotator_id: int) -> Sequence[OpenProject]:
    """The running projects that are open to the annotator, in the order of loading."""
    return sort_open_projects(session.connection().execute(OPEN_PROJECTS, {"annotator": annotator_id}).all())


_NEEDS_INVITATION = sa.exists().where(
    (col(Invitation.project_id) == col(Project.id))
    | (col(Invitation.programme_id) == col(ProgrammeProject.programme_id)),
    ~col(Invitation.adjudicates),
    col(Invitation.invited_by).is_(None),
)
_IS_ADJUDICATOR = sa.exists().where(
    col(Adjudicator.project_id) == col(Project.id), col(Adjudicator.annotator_id) == sa.bindparam("annotator")
)
OPEN_PROJECTS = (
    sa.select(
        col(Project.id),
        col(Project.name),
        sa.func.coalesce(col(Programme.title), col(Project.title)).label("title"),
        col(ProgrammeProject.programme_id),
        col(Programme.definition),
        col(ProgrammeProject.position),
        col(ProgrammeProject.quota),
        sa.func.coalesce(Participation.answered, 0).label("answered"),
        sa.func.coalesce(Participation.shown, 0).label("shown"),
        col(Participation.status).label("own_status"),
        col(Participation.stage),
        col(Participation.last_at),
    )
    .select_from(Project)
    .outerjoin(ProgrammeProject, col(ProgrammeProject.project_id) == col(Project.id))
    .outerjoin(Programme, col(Programme.id) == col(ProgrammeProject.programme_id))
    .outerjoin(
        Participation,
        (col(Participation.project_id) == col(Project.id))
        & (col(Participation.annotator_id) == sa.bindparam("annotator")),
    )
    .where(
        col(Project.status) == ProjectStatus.RUNNING,
        col(Participation.annotator_id).is_not(None) | ~(_NEEDS_INVITATION | _IS_ADJUDICATOR),
    )
)
"""The query for running projects that the annotator (parameter `annotator`) joined, or that need no invitation.

Whoever was invited to adjudicate a project is offered its items only if they joined it: what they answer, they may not
adjudicate.

It is built once, since building it is slow. `sort_open_projects` reads its rows.
"""
