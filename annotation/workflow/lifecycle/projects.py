"""Projects: stored from a project file, changed by loading a changed file, and the plan of what would change."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation.findings import write_plain
from annotation.campaigns import programme_file, project_file, stimulus
from annotation.campaigns.lint import LintFinding
from annotation.errors import Conflict, Where
from annotation.loading import campaign_lint, drafts
from annotation.loading.campaign import CampaignContents, read_contents
from annotation.loading.overlap_sample import SampleSize
from annotation.store import journal, pictures, queries
from annotation.store.models import Participation, Programme, ProgrammeProject, Project
from annotation.vocabulary import Event, TextKind
from annotation.workflow import text_versions
from annotation.workflow.allocation import group_allocation
from annotation.workflow.lifecycle import change_plan, item_writer, readiness, sampled_places, text_changes
from annotation.workflow.lifecycle.change_plan import ChangePlan, describe_texts
from annotation.workflow.lifecycle.item_writer import Progress


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


MAX_IDS_IN_JOURNAL = 100
"""The most item ids of a lint finding that the journal keeps; `hromada check --json` gives all."""


@dataclass(frozen=True, kw_only=True)
class LoadedProject:
    """A project in the database, after its file was loaded.

    `items` and `golds` count all items and those with gold. `is_new` is false where the project was loaded before;
    `plan` holds what was changed then. `findings` are warnings and notes of the lint on what was stored. `sample` is
    the size of the overlap sample, None without one or where nothing changed.
    """

    name: str
    items: int
    golds: int
    is_new: bool
    plan: change_plan.ChangePlan = field(default_factory=change_plan.ChangePlan)
    findings: tuple[LintFinding, ...] = ()
    sample: SampleSize | None = None


@drafts.pause_garbage_collection()
def load_project_file(
    session: Session, path: Path, *, now: datetime, confirmed: bool = False, allow_outside: bool = False
) -> LoadedProject:
    """Read, check and store the project of a file with its items.

    Raises BadInput for a file with errors, and Conflict as `load_project` does; nothing is changed then.
    """
    campaign = project_file.read_project(path, allow_outside=allow_outside)
    return load_project(session, campaign, read_contents(campaign), now=now, confirmed=confirmed)


def plan_project(
    session: Session, campaign: project_file.CheckedProject, contents: CampaignContents
) -> change_plan.ChangePlan | None:
    """The plan of what loading the contents would change; None where no project of that name is loaded."""
    project = find_project(session, campaign)
    if project is None:
        return None
    rows = item_writer.build_rows_of_stored(session, project, campaign, contents)
    return _plan_changes(session, project, campaign, rows)


def _plan_changes(
    session: Session, project: Project, campaign: project_file.CheckedProject, rows: item_writer.ItemRows
) -> change_plan.ChangePlan:
    changes = item_writer.plan_project_changes(session, project, campaign, rows)
    return replace(changes, texts=text_changes.list_project_changes(session, project, campaign))


@drafts.pause_garbage_collection()
def load_project(
    session: Session,
    campaign: project_file.CheckedProject,
    contents: CampaignContents,
    *,
    now: datetime,
    confirmed: bool = False,
    findings: tuple[LintFinding, ...] | None = None,
    progress: Progress | None = None,
) -> LoadedProject:
    """Store a project with its items, or change the stored project of that name; an unchanged file changes nothing.

    `findings` are those of a lint that was run before; without them the lint is run here. Raises BadInput for an error
    that the lint finds, Conflict for a change that is not `confirmed`, and for changes to what annotators have met.
    """
    encoded_data = item_writer.encode_data(contents)
    digest = item_writer.compute_digest(campaign, contents, encoded_data=encoded_data)
    n_with_gold = sum(bool(item.golds) for item in contents.items)
    stored = find_project(session, campaign)
    if stored is not None and stored.definition_sha256 == digest:
        return LoadedProject(name=campaign.name, items=len(contents.items), golds=n_with_gold, is_new=False)
    all_findings = campaign_lint.lint_campaign(campaign, contents) if findings is None else findings
    campaign_lint.refuse_errors(all_findings, campaign, contents)
    columns = item_writer.build_project_columns(campaign, contents, digest=digest)
    columns["texts"] = text_versions.save_text_versions(session, text_versions.read_project_texts(campaign), now=now)
    pictures.store_pictures(session, contents.pictures)
    journal_data: dict[str, Any] = {
        "sha256": digest,
        "findings": [_describe_finding(finding) for finding in all_findings],
        "texts": columns["texts"],
    }
    changes = change_plan.ChangePlan()
    if stored is None:
        rows = item_writer.build_item_rows(campaign, contents)
        project = item_writer.add_project(
            session, columns=columns, rows=rows, encoded_data=encoded_data, now=now, progress=progress
        )
        event, data = Event.PROJECT_LOADED, journal_data | {"items": len(contents.items)}
        journal.record_event(session, event, now=now, project_id=project.id, data=data)
    else:
        rows = item_writer.build_rows_of_stored(session, stored, campaign, contents)
        changes = _plan_changes(session, stored, campaign, rows)
        _refuse_changes(campaign, changes, confirmed=confirmed)
        item_writer.change_project(session, stored, changes, rows=rows, columns=columns, now=now, progress=progress)
        pictures.delete_unused_pictures(session)
        group_allocation.add_late_items(session, stored)
        if stored.started_at is not None:
            readiness.refuse_detached_groups(session, stored)
            sample = sampled_places.describe_added(session, stored) if changes.added else ""
            what = f"loaded again: {changes.summary or 'what its files say'}{sample}"
            readiness.add_post_hoc_change(stored, what=what, now=now)
            stored.active_since = now if changes.added else stored.active_since
        journal.record_event(
            session,
            Event.PROJECT_CHANGED,
            now=now,
            project_id=stored.id,
            data=journal_data | _describe_changes(stored, changes),
        )
    return LoadedProject(
        name=campaign.name,
        items=len(contents.items),
        golds=n_with_gold,
        is_new=stored is None,
        plan=changes,
        findings=all_findings,
        sample=sampled_places.measure(session, project if stored is None else stored),
    )


def _describe_changes(project: Project, changes: change_plan.ChangePlan) -> dict[str, Any]:
    """A change as data for the journal; a change after the start is marked as post hoc."""
    keys = {"keys": list(changes.keys), "added": list(changes.added), "changed": list(changes.changed)}
    keys |= {"removed": list(changes.removed), "changed_texts": [change.name for change in changes.texts]}
    return keys | {"post_hoc": project.started_at is not None}


def _describe_finding(finding: LintFinding) -> dict[str, object]:
    """A lint finding as data for the journal."""
    return {
        "rule": finding.rule.name,
        "severity": finding.rule.severity.value,
        "message": write_plain(finding.message),
        "items": len(finding.ids),
        "ids": list(finding.ids[:MAX_IDS_IN_JOURNAL]),
    }


def find_project(session: Session, campaign: project_file.CheckedProject) -> Project | None:
    """The stored project with the name of the campaign, if it is loaded."""
    return session.exec(select(Project).where(Project.name == campaign.name)).first()


def _refuse_changes(campaign: project_file.CheckedProject, changes: change_plan.ChangePlan, *, confirmed: bool) -> None:
    where = Where(file=campaign.path, field="project")
    if changes.forbidden:
        first_change = changes.forbidden[0]
        others = change_plan.format_ids([forbidden.what for forbidden in changes.forbidden[1:]])
        raise Conflict(
            f"{campaign.name!r} is loaded already, and {first_change.what} may not change: {first_change.reason}."
            + (f" Nor may {others}." if others else ""),
            where=where,
            remedy=_suggest_fix(campaign, changes)
            + "Put it back as it was and add what is new under ids of its own, or load the changed file under another"
            " project name.",
        )
    if not changes.empty and not confirmed:
        raise Conflict(
            f"A project named {campaign.name!r} is loaded already, and this file would change it ({changes.summary})."
            + change_plan.describe_texts(changes.texts),
            where=where,
            remedy="Do it with --yes, look at it with --plan, or give the changed one another name.",
        )


def _suggest_fix(campaign: project_file.CheckedProject, changes: change_plan.ChangePlan) -> str:
    """How the changed items can be taken over while people work, naming the first; empty where none is changed."""
    first = next((change for change in changes.forbidden if change.fixable_item is not None), None)
    if first is None:
        return ""
    command = shlex.join(["hromada", "load", str(campaign.path), "--fix", str(first.fixable_item)])
    kept = "; with --cosmetic they do" if first.may_keep_answers else ""
    return f"If the item was wrong: {command} (its answers no longer count{kept}). "
