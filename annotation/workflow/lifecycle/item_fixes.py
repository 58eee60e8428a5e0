"""An item changed while people work: cosmetically, which keeps its answers, or in meaning, which excludes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import project as project_files
from annotation.campaigns import stimulus
from annotation.errors import Conflict, NotFound, Where
from annotation.loading import campaign as campaigns
from annotation.loading import inspection
from annotation.store import journal, overlap_counts
from annotation.store.models import Assignment, Item, Project, Report
from annotation.vocabulary import CHANGED, AssignmentStatus, Event, ItemStatus
from annotation.workflow import text_versions
from annotation.workflow.lifecycle import freeze, item_writer, projects, row_builder
from annotation.workflow.quality import exclusions

KEPT = ("external_id", "group_id", "stage", "pool", "rank", "revision")
"""What a fix leaves as it is: the place of an item among the others."""

MEANING = ("options", "gold", "golds", "accepted")
"""What a cosmetic fix may not change."""


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """An item after its fix: its revision, what was changed of it, and how many answers no longer count."""

    item: str
    revision: int
    changed: tuple[str, ...]
    excluded: int


def fix(
    session: Session,
    campaign: project_files.Campaign,
    contents: campaigns.Contents,
    *,
    item: str,
    cosmetic: bool,
    now: datetime,
) -> Fixed:
    """Take one item over from a changed file, and nothing else of it.

    A cosmetic fix keeps the answers. Any other excludes the older ones and opens their places to people who have not
    met the item. Raises NotFound for an item that is not there, BadInput where the new one does not pass the lint,
    Conflict where nothing of it changed, where it would leave its pool or its group, and where a cosmetic fix changes
    options or gold.
    """
    project = projects.known_as(session, campaign)
    where = Where(file=campaign.file, field=item)
    if project is None:
        raise NotFound(f"No project {campaign.name!r} is loaded.", where=where, remedy="Load it without --fix.")
    row = row_builder.rows_of(campaign, contents).get(item)
    stored = session.exec(select(Item).where(Item.project_id == project.id, Item.external_id == item)).first()
    if row is None or stored is None:
        raise NotFound(f"There is no item {item!r} to fix.", where=where, remedy="New items come without --fix.")
    inspection.refuse(inspection.findings(campaign, contents), campaign, contents)
    changed = _changed(stored, row, cosmetic=cosmetic, where=where)
    revision, later = stored.revision + 1, project.started_at is not None
    excluded = 0 if cosmetic else _supersede(session, stored, revision=revision, post_hoc=later, now=now)
    _write(session, stored, row, revision=revision, now=now)
    kind = "cosmetic" if cosmetic else "substantive"
    if later:
        freeze.post_hoc(project, what=f"{kind} fix of item {item}", now=now)
    _catch_up(session, project, campaign, contents)
    data = {"item": item, "revision": revision, "kind": kind, "changed": list(changed), "excluded": excluded}
    journal.record(session, Event.ITEM_FIXED, now=now, project_id=project.id, data=data | {"post_hoc": later})
    return Fixed(item=item, revision=revision, changed=changed, excluded=excluded)


def _changed(stored: Item, row: dict[str, Any], *, cosmetic: bool, where: Where) -> tuple[str, ...]:
    changed = tuple(key for key in row if key not in ("rank", "revision") and getattr(stored, key) != row[key])
    moved = [key for key in changed if key in KEPT]
    meant = [key for key in changed if key in MEANING] if cosmetic else []
    if not changed:
        raise Conflict("Nothing of the item changed.", where=where, remedy="Change it in the file first.")
    if moved:
        raise Conflict(
            f"A fix leaves an item where it is, and this changes its {', '.join(moved)}.",
            where=where,
            remedy="Give it an id of its own there.",
        )
    if meant:
        raise Conflict(
            f"This changes more than the looks of the item: {', '.join(meant)}.",
            where=where,
            remedy="Leave --cosmetic out; answers to the item as it was are excluded then.",
        )
    return changed


def _supersede(session: Session, item: Item, *, revision: int, post_hoc: bool, now: datetime) -> int:
    """Exclude the answers to an item as it was, and give back its places; whoever has met it does not get it again."""
    met = session.exec(select(Assignment).where(Assignment.item_id == item.id).order_by(col(Assignment.id))).all()
    reason = f"{CHANGED}: revision {revision}"
    ids = [one.id or 0 for one in met]
    excluded = exclusions.exclude(session, assignment_ids=ids, reason=reason, post_hoc=post_hoc, now=now)
    for one in met:
        session.refresh(one)
        if one.status is AssignmentStatus.EXPIRED:
            one.status = AssignmentStatus.SKIPPED
        one.open_revision = one.repeat_at = None
        session.add(one)
    session.flush()
    return excluded


def _write(session: Session, item: Item, row: dict[str, Any], *, revision: int, now: datetime) -> None:
    """The new item in the old one's place; a pause by reports is over, they are answered by this."""
    session.refresh(item)
    for key, value in row.items():
        if key not in KEPT:
            setattr(item, key, value)
    item.revision = revision
    session.add(item)
    session.flush()
    reports = sa.update(Report).where(col(Report.item_id) == item.id, col(Report.resolved_at).is_(None))
    session.connection().execute(reports.values(resolved_at=now))
    if item.status is ItemStatus.PAUSED:
        overlap_counts.resume(session, item_id=item.id or 0, now=now)
    session.refresh(item)


def _catch_up(
    session: Session, project: Project, campaign: project_files.Campaign, contents: campaigns.Contents
) -> None:
    """The project is as its file is, where that was all that the file changed."""
    rows = item_writer.rows_of(session, project, campaign, contents)
    texts = {kind.value: stimulus.text_digest(text) for kind, text in text_versions.of_project(campaign).items()}
    if item_writer.plan(session, project, campaign, rows).empty and texts == project.texts:
        project.definition_sha256 = row_builder.digest(campaign, contents)
        session.add(project)
        session.flush()
