"""Projects: loaded from their file; loading the same again changes nothing, a changed one shows its plan first."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from annotation.campaigns import project as project_files
from annotation.campaigns.lint import Finding
from annotation.errors import Conflict, Where
from annotation.loading import bulk, inspection
from annotation.loading import campaign as campaigns
from annotation.store import journal
from annotation.store.models import Project
from annotation.vocabulary import Event
from annotation.workflow import text_versions
from annotation.workflow.allocation import group_allocation
from annotation.workflow.lifecycle import change_plan, freeze, item_writer, row_builder
from annotation.workflow.lifecycle.item_writer import Progress

MOST_IDS = 100
"""How many ids of a finding the journal keeps; `hromada check --json` gives all."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A project that is in the database; `fresh` is false where it was there already, `plan` what was changed then.

    `findings` are the lint's warnings and notes on what was stored now.
    """

    name: str
    items: int
    golds: int
    fresh: bool
    plan: change_plan.Plan = field(default_factory=change_plan.Plan)
    findings: tuple[Finding, ...] = ()


def load_file(
    session: Session, path: Path, *, now: datetime, yes: bool = False, progress: Progress | None = None
) -> Loaded:
    """Read, check and store the project of a file with its items; raises BadInput or Conflict, changing nothing."""
    campaign = project_files.read(path)
    return load(session, campaign, campaigns.contents(campaign), now=now, yes=yes, progress=progress)


def plan_file(session: Session, path: Path) -> change_plan.Plan | None:
    """What loading the file would change, with what may not be; None where no project of that name is loaded."""
    campaign = project_files.read(path)
    return plan(session, campaign, campaigns.contents(campaign))


def plan(session: Session, campaign: project_files.Campaign, contents: campaigns.Contents) -> change_plan.Plan | None:
    """What loading the contents would change, with what may not be; None where no project of that name is loaded."""
    known = known_as(session, campaign)
    if known is None:
        return None
    return item_writer.plan(session, known, campaign, item_writer.rows_of(session, known, campaign, contents))


@bulk.uncollected()
def load(
    session: Session,
    campaign: project_files.Campaign,
    contents: campaigns.Contents,
    *,
    now: datetime,
    yes: bool = False,
    findings: tuple[Finding, ...] | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Store a project with its items. Where one of that name is there, change it, if `yes` says so.

    `findings` are the lint's, where it has judged the items already. Raises BadInput where it finds an error, Conflict
    where the project would change and `yes` is not given, and for changes to what people have met.
    """
    digest = row_builder.digest(campaign, contents)
    golds = sum(bool(item.golds) for item in contents.items)
    known = known_as(session, campaign)
    if known is not None and known.definition_sha256 == digest:
        return Loaded(name=campaign.name, items=len(contents.items), golds=golds, fresh=False)
    found = inspection.findings(campaign, contents) if findings is None else findings
    inspection.refuse(found, campaign, contents)
    columns = row_builder.columns_of(campaign, contents, digest=digest)
    columns["texts"] = text_versions.record(session, text_versions.of_project(campaign), now=now)
    noted: dict[str, Any] = {"sha256": digest, "findings": [_noted(one) for one in found], "texts": columns["texts"]}
    changes = change_plan.Plan()
    if known is None:
        rows = row_builder.rows_of(campaign, contents)
        project = item_writer.add(session, columns=columns, rows=rows, now=now, progress=progress)
        event, data = Event.PROJECT_LOADED, noted | {"items": len(contents.items)}
        journal.record(session, event, now=now, project_id=project.id, data=data)
    else:
        rows = item_writer.rows_of(session, known, campaign, contents)
        changes = item_writer.plan(session, known, campaign, rows)
        _refuse(campaign, changes, yes=yes)
        item_writer.change(session, known, changes, rows=rows, columns=columns, now=now, progress=progress)
        group_allocation.include(session, known)
        if known.started_at is not None:
            freeze.post_hoc(known, what=f"loaded again: {changes.told or 'texts'}", now=now)
        journal.record(session, Event.PROJECT_CHANGED, now=now, project_id=known.id, data=noted | _told(known, changes))
    return Loaded(
        name=campaign.name, items=len(contents.items), golds=golds, fresh=known is None, plan=changes, findings=found
    )


def _told(known: Project, changes: change_plan.Plan) -> dict[str, Any]:
    """A change as the journal keeps it; after the start it is post hoc."""
    told = {"keys": list(changes.keys), "added": list(changes.added), "changed": list(changes.changed)}
    return told | {"removed": list(changes.removed), "post_hoc": known.started_at is not None}


def _noted(finding: Finding) -> dict[str, object]:
    """A finding as the journal keeps it."""
    return {
        "rule": finding.rule.name,
        "severity": finding.rule.severity.value,
        "message": finding.message,
        "items": len(finding.ids),
        "ids": list(finding.ids[:MOST_IDS]),
    }


def known_as(session: Session, campaign: project_files.Campaign) -> Project | None:
    """The project of that name, if it is loaded."""
    return session.exec(select(Project).where(Project.name == campaign.name)).first()


def _refuse(campaign: project_files.Campaign, changes: change_plan.Plan, *, yes: bool) -> None:
    where = Where(file=campaign.file, field="project")
    if changes.refused:
        first = changes.refused[0]
        others = change_plan.named([one.what for one in changes.refused[1:]])
        raise Conflict(
            f"{campaign.name!r} is loaded already, and {first.what} may not change: {first.why}."
            + (f" Nor may {others}." if others else ""),
            where=where,
            remedy="Put it back as it was and add what is new under ids of its own, or load the changed file under"
            " another project name.",
        )
    if not changes.empty and not yes:
        raise Conflict(
            f"A project named {campaign.name!r} is loaded already, and this file would change it ({changes.told}).",
            where=where,
            remedy="Do it with --yes, look at it with --plan, or give the changed one another name.",
        )
