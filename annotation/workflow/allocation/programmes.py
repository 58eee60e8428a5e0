"""Programmes: which projects to try for a person, in which order; stored with their projects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import programme as programme_files
from annotation.campaigns import stimulus
from annotation.errors import Conflict, Where
from annotation.store import journal, queries
from annotation.store.models import Invitation, Participation, Programme, ProgrammeProject, Project
from annotation.vocabulary import Event, Hindrance, ProjectStatus, WordingKind
from annotation.workflow import text_versions
from annotation.workflow.waiting import Waiting


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A programme, or a project of its own, that is open to a person: `key` is the project's id, or minus the
    programme's. `projects` are those to try, in their order; none where she has as many items as it gives her.
    """

    key: int
    title: str
    projects: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Door:
    """A running project as one person stands before it; `programme` is None for a project of its own."""

    project: int
    name: str
    title: str
    programme: int | None
    interleaved: bool
    place: int
    quota: int | None
    answered: int
    shown: int

    @property
    def full(self) -> bool:
        return self.quota is not None and self.answered >= self.quota


def turn(doors: Iterable[Door]) -> tuple[int, ...]:
    """The projects to try for a person, in order: running, served, hers or open to everybody, below their quota.

    Programmes and single projects come in the order of loading. In a sequence one project comes after another; where
    they are interleaved, that of which she had the fewest items comes first.
    """
    return tuple(one for entry in entries(doors) for one in entry.projects)


def entries(doors: Iterable[Door]) -> tuple[Entry, ...]:
    """What is open to a person: programmes and single projects, in the order of loading."""
    found = []
    for _, group in groupby(doors, key=lambda one: one.programme or -one.project):
        members = list(group)
        mine = [one for one in members if not one.full]
        mine.sort(key=lambda one: (one.shown if one.interleaved else 0, one.place))
        first = members[0]
        key = first.project if first.programme is None else -first.programme
        found.append(Entry(key=key, title=first.title, projects=tuple(one.project for one in mine)))
    return tuple(found)


def full(doors: Iterable[Door]) -> tuple[Waiting, ...]:
    """The running projects in which a person has as many items as her programme gives her."""
    return tuple(Waiting(reason=Hindrance.QUOTA, project=one.name) for one in doors if one.full)


def in_order(rows: Iterable[Sequence[Any]]) -> Sequence[Door]:
    """Rows of `DOORS`: each programme's together, in the order of loading."""
    doors = [
        Door(
            project=project,
            name=name,
            title=title,
            programme=programme,
            interleaved=programme is not None and definition["order"] == "interleaved",
            place=place or 0,
            quota=quota,
            answered=answered,
            shown=shown,
        )
        for project, name, title, programme, definition, place, quota, answered, shown in rows
    ]
    first: dict[int, int] = {}
    for one in doors:
        own = one.programme or -one.project
        first[own] = min(first.get(own, one.project), one.project)
    return sorted(doors, key=lambda one: (first[one.programme or -one.project], one.place))


_INVITED = sa.exists().where(
    (col(Invitation.project_id) == col(Project.id))
    | (col(Invitation.programme_id) == col(ProgrammeProject.programme_id))
)
DOORS = (
    sa.select(
        col(Project.id),
        col(Project.name),
        sa.func.coalesce(col(Programme.title), col(Project.title)).label("title"),
        col(ProgrammeProject.programme_id),
        col(Programme.definition),
        col(ProgrammeProject.place),
        col(ProgrammeProject.quota),
        sa.func.coalesce(Participation.answered, 0).label("answered"),
        sa.func.coalesce(Participation.shown, 0).label("shown"),
    )
    .select_from(Project)
    .outerjoin(ProgrammeProject, col(ProgrammeProject.project_id) == col(Project.id))
    .outerjoin(Programme, col(Programme.id) == col(ProgrammeProject.programme_id))
    .outerjoin(
        Participation,
        (col(Participation.project_id) == col(Project.id)) & (col(Participation.annotator_id) == sa.bindparam("who")),
    )
    .where(
        col(Project.status) == ProjectStatus.RUNNING,
        col(Project.served),
        col(Participation.annotator_id).is_not(None) | ~_INVITED,
    )
)
"""The running projects that are a person's (`who`) or open; built once, building takes longer than running it."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A programme that is in the database: `fresh` where it came now, `keys` what was changed of it."""

    name: str
    projects: tuple[str, ...]
    fresh: bool
    keys: tuple[str, ...] = ()


def plan(session: Session, programme: programme_files.Programme) -> tuple[str, ...] | None:
    """The keys of the programme file that loading would change; None where no programme of that name is loaded."""
    known = _known(session, programme)
    return None if known is None else tuple(_changed(known.definition, _definition(programme)))


def store(session: Session, programme: programme_files.Programme, *, now: datetime, yes: bool = False) -> Stored:
    """Store a programme whose projects are loaded. The same again changes nothing, a changed one needs `yes`.

    Raises NotFound for a project that is not loaded, Conflict for one that is in another programme, for a change
    without `yes`, and for leaving out a project that somebody takes part in.
    """
    definition, texts = _definition(programme), _texts(programme)
    digest = stimulus.text_digest(programme.definition.model_dump_json() + "\n".join(texts.values()))
    names = tuple(campaign.name for campaign in programme.campaigns)
    known = _known(session, programme)
    if known is not None and known.definition_sha256 == digest:
        return Stored(name=known.name, projects=names, fresh=False)
    keys = () if known is None else tuple(_changed(known.definition, definition)) or ("consent",)
    if known is not None and not yes:
        raise Conflict(
            f"A programme named {known.name!r} is loaded already, and this file would change it ({', '.join(keys)}).",
            where=Where(file=programme.file, field="programme"),
            remedy="Do it with --yes, look at it with --plan, or give the changed one another name.",
        )
    projects = _projects(session, programme, known=known)
    columns: dict[str, Any] = {
        "title": programme.definition.title,
        "language": programme.definition.language,
        "definition": definition,
        "definition_sha256": digest,
        "source": str(programme.file.absolute()),
        "texts": text_versions.record(session, texts, now=now),
    }
    made = known or Programme(name=programme.definition.programme, **columns, created_at=now)
    for key, value in columns.items():
        setattr(made, key, value)
    session.add(made)
    session.flush()
    _members(session, made, programme, projects)
    event = Event.PROGRAMME_LOADED if known is None else Event.PROGRAMME_CHANGED
    data: dict[str, Any] = {"programme": made.name, "sha256": digest, "projects": list(names), "keys": list(keys)}
    data["texts"] = columns["texts"]
    journal.record(session, event, now=now, data=data)
    return Stored(name=made.name, projects=names, fresh=known is None, keys=keys)


def _known(session: Session, programme: programme_files.Programme) -> Programme | None:
    return session.exec(select(Programme).where(Programme.name == programme.definition.programme)).first()


def _definition(programme: programme_files.Programme) -> dict[str, Any]:
    return programme.definition.model_dump(mode="json")


def _texts(programme: programme_files.Programme) -> dict[WordingKind, str]:
    text = text_versions.consent(programme.definition.consent, file=programme.file)
    return {WordingKind.CONSENT: text} if text else {}


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    return (key for key in after if before.get(key) != after[key])


def _projects(session: Session, programme: programme_files.Programme, *, known: Programme | None) -> Sequence[Project]:
    """The loaded projects of the file; nobody is sent away from one where she takes part already."""
    where = Where(file=programme.file, field="projects")
    found = [queries.project(session, campaign.name) for campaign in programme.campaigns]
    ids = [project.id for project in found]
    mine = known.id if known is not None else None
    theirs = (
        select(Project.name)
        .join(ProgrammeProject)
        .where(col(Project.id).in_(ids), col(ProgrammeProject.programme_id) != (mine or 0))
    )
    other = session.exec(theirs.order_by(col(Project.id))).first()
    if other is not None:
        raise Conflict(f"The project {other!r} is in another programme.", where=where, remedy="Take it out of one.")
    left = select(Project.name).join(ProgrammeProject).join(Participation)
    left = left.where(ProgrammeProject.programme_id == mine, col(Project.id).not_in(ids))
    kept = session.exec(left.order_by(col(Project.id))).first()
    if kept is not None:
        raise Conflict(f"People take part in {kept!r}.", where=where, remedy="Keep it in the programme.")
    return found


def _members(
    session: Session, made: Programme, programme: programme_files.Programme, projects: Sequence[Project]
) -> None:
    session.connection().execute(sa.delete(ProgrammeProject).where(col(ProgrammeProject.programme_id) == made.id))
    session.expire_all()
    for place, (project, member) in enumerate(zip(projects, programme.definition.projects, strict=True)):
        identity = project.id or 0
        session.add(ProgrammeProject(programme_id=made.id or 0, project_id=identity, place=place, quota=member.quota))
    session.flush()
