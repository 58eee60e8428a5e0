"""Projects: stored from a project file, changed by loading a changed file, and the plan of what would change."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from aggregation.findings import write_plain
from annotation.campaigns import project_file
from annotation.campaigns.lint import LintFinding
from annotation.errors import Conflict, Where
from annotation.loading import campaign_lint, drafts
from annotation.loading.campaign import CampaignContents, read_contents
from annotation.store import journal
from annotation.store.models import Project
from annotation.vocabulary import Event
from annotation.workflow import text_versions
from annotation.workflow.allocation import group_allocation
from annotation.workflow.lifecycle import change_plan, freeze, item_writer, text_changes
from annotation.workflow.lifecycle.item_writer import Progress

MAX_IDS_IN_JOURNAL = 100
"""The most item ids of a lint finding that the journal keeps; `hromada check --json` gives all."""


@dataclass(frozen=True, kw_only=True)
class LoadedProject:
    """A project in the database, after its file was loaded.

    `items` and `golds` count all items and those with gold. `is_new` is false where the project was loaded before;
    `plan` holds what was changed then. `findings` are warnings and notes of the lint on what was stored.
    """

    name: str
    items: int
    golds: int
    is_new: bool
    plan: change_plan.ChangePlan = field(default_factory=change_plan.ChangePlan)
    findings: tuple[LintFinding, ...] = ()


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
        group_allocation.add_late_items(session, stored)
        if stored.started_at is not None:
            freeze.add_post_hoc_change(stored, what=f"loaded again: {changes.summary or 'what its files say'}", now=now)
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
    fixable = [change.fixable_item for change in changes.forbidden if change.fixable_item is not None]
    if not fixable:
        return ""
    command = shlex.join(["hromada", "load", str(campaign.path), "--fix", fixable[0]])
    return f"If the item was wrong: {command} (its answers no longer count; with --cosmetic they do). "
