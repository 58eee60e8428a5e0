"""Programmes: several projects behind one invitation, loaded from a programme file after the projects are loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import programme_file, stimulus
from annotation.errors import Conflict, Where
from annotation.store import journal, queries
from annotation.store.models import Participation, Programme, ProgrammeProject, Project
from annotation.vocabulary import Event, TextKind
from annotation.workflow import text_versions
from annotation.workflow.lifecycle import text_changes
from annotation.workflow.lifecycle.change_plan import ChangePlan, describe_texts


@dataclass(frozen=True, kw_only=True)
class LoadedProgramme:
    """A programme in the database, after its file was loaded.

    `projects` are names; `is_new` is false where the programme was loaded before; `plan` has the changed keys of its
    file and the changed texts.
    """

    name: str
    projects: tuple[str, ...]
    is_new: bool
    plan: ChangePlan = field(default_factory=ChangePlan)


def plan_programme(session: Session, programme: programme_file.CheckedProgramme) -> ChangePlan | None:
    """The keys and texts of the programme that loading would change; None where none of that name is loaded."""
    stored = queries.find_programme(session, programme.definition.programme)
    if stored is None:
        return None
    return ChangePlan(
        file="programme",
        keys=tuple(_list_changed_keys(stored.definition, _dump_definition(programme))),
        texts=text_changes.list_programme_changes(session, stored, programme),
    )


def load_programme(
    session: Session, programme: programme_file.CheckedProgramme, *, now: datetime, confirmed: bool = False
) -> LoadedProgramme:
    """Store a programme whose projects are loaded. Loading the same file again changes nothing.

    Raises NotFound for a project that is not loaded, Conflict for a project that is in another programme, for a change
    of a loaded programme that is not `confirmed`, and for leaving out a project that annotators take part in.
    """
    definition, texts = _dump_definition(programme), _read_texts(programme)
    digest = stimulus.compute_text_digest(programme.definition.model_dump_json() + "\n".join(texts.values()))
    names = tuple(campaign.name for campaign in programme.projects)
    stored = queries.find_programme(session, programme.definition.programme)
    if stored is not None and stored.definition_sha256 == digest:
        return LoadedProgramme(name=stored.name, projects=names, is_new=False)
    plan = plan_programme(session, programme) or ChangePlan()
    if not plan.empty and not confirmed:
        raise Conflict(
            f"A programme named {programme.definition.programme!r} is loaded already, and this file would change it"
            f" ({plan.summary})." + describe_texts(plan.texts),
            where=Where(file=programme.path, field="programme"),
            remedy="Do it with --yes, look at it with --plan, or give the changed one another name.",
        )
    projects = _list_projects(session, programme, stored=stored)
    columns: dict[str, Any] = {
        "title": programme.definition.title,
        "language": programme.definition.language,
        "definition": definition,
        "definition_sha256": digest,
        "source": str(programme.path.absolute()),
        "texts": text_versions.save_text_versions(session, texts, now=now),
    }
    programme_row = stored or Programme(name=programme.definition.programme, **columns, created_at=now)
    for key, value in columns.items():
        setattr(programme_row, key, value)
    session.add(programme_row)
    session.flush()
    _write_members(session, programme_row, programme, projects)
    event = Event.PROGRAMME_LOADED if stored is None else Event.PROGRAMME_CHANGED
    data: dict[str, Any] = {
        "programme": programme_row.name,
        "sha256": digest,
        "projects": list(names),
        "keys": list(plan.keys),
        "changed_texts": [change.name for change in plan.texts],
    }
    data["texts"] = columns["texts"]
    journal.record_event(session, event, now=now, data=data)
    return LoadedProgramme(name=programme_row.name, projects=names, is_new=stored is None, plan=plan)


def _dump_definition(programme: programme_file.CheckedProgramme) -> dict[str, Any]:
    return programme.definition.model_dump(mode="json")


def _read_texts(programme: programme_file.CheckedProgramme) -> dict[TextKind, str]:
    text = text_versions.read_consent_text(programme.definition.consent, file=programme.path)
    return {TextKind.CONSENT: text} if text else {}


def _list_changed_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    return (key for key in after if before.get(key) != after[key])


def _list_projects(
    session: Session, programme: programme_file.CheckedProgramme, *, stored: Programme | None
) -> Sequence[Project]:
    """The loaded projects that the file names, in its order.

    Raises Conflict where one of these projects is in another programme, and where a project with annotators would leave
    the `stored` programme.
    """
    where = Where(file=programme.path, field="projects")
    projects = [queries.get_project(session, campaign.name) for campaign in programme.projects]
    ids = [project.id for project in projects]
    programme_id = stored.id if stored is not None else None
    other_members = (
        select(Project.name)
        .join(ProgrammeProject)
        .where(col(Project.id).in_(ids), col(ProgrammeProject.programme_id) != (programme_id or 0))
    )
    project_elsewhere = session.exec(other_members.order_by(col(Project.id))).first()
    if project_elsewhere is not None:
        raise Conflict(
            f"The project {project_elsewhere!r} is in another programme.", where=where, remedy="Take it out of one."
        )
    left_out_members = select(Project.name).join(ProgrammeProject).join(Participation)
    left_out_members = left_out_members.where(
        ProgrammeProject.programme_id == programme_id, col(Project.id).not_in(ids)
    )
    project_in_use = session.exec(left_out_members.order_by(col(Project.id))).first()
    if project_in_use is not None:
        raise Conflict(f"People take part in {project_in_use!r}.", where=where, remedy="Keep it in the programme.")
    return projects


def _write_members(
    session: Session, row: Programme, programme: programme_file.CheckedProgramme, projects: Sequence[Project]
) -> None:
    """Replace the projects of a stored programme by those of the file, with their positions and quotas."""
    session.connection().execute(sa.delete(ProgrammeProject).where(col(ProgrammeProject.programme_id) == row.id))
    session.expire_all()
    for position, (project, member) in enumerate(zip(projects, programme.definition.projects, strict=True)):
        project_id = project.id or 0
        session.add(
            ProgrammeProject(programme_id=row.id or 0, project_id=project_id, position=position, quota=member.quota)
        )
    session.flush()
