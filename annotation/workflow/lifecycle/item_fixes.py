"""Fixes of single items after the start: a cosmetic fix keeps the answers, a substantive one excludes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.campaigns import project_file, stimulus
from annotation.errors import Conflict, NotFound, Where
from annotation.loading import campaign_lint
from annotation.loading.campaign import CampaignContents
from annotation.store import journal, overlap_counts, pictures, queries
from annotation.store.models import Assignment, Item, Project, Report
from annotation.vocabulary import AssignmentStatus, Event, ItemStatus, build_item_change
from annotation.workflow import text_versions
from annotation.workflow.lifecycle import change_plan, item_writer, projects, readiness
from annotation.workflow.quality import exclusions

UNCHANGEABLE_COLUMNS = ("external_id", "group_id", "stage", "pool", "rank", "revision")
"""The columns of an item that no fix changes: they say which item it is, and its position among the others."""


@dataclass(frozen=True, kw_only=True)
class FixedItem:
    """An item after its fix: its external id, new revision, changed columns, and how many answers were excluded."""

    item: str
    revision: int
    changed: tuple[str, ...]
    excluded: int


def fix_item(
    session: Session,
    campaign: project_file.CheckedProject,
    contents: CampaignContents,
    *,
    item: str,
    cosmetic: bool,
    now: datetime,
) -> FixedItem:
    """Store the item with the external id `item` as it is in a changed file; nothing else of the file is stored.

    A cosmetic fix keeps the answers. A substantive fix excludes the answers to older revisions, frees their places for
    annotators who have not met the item, and takes back what adjudicators decided on it. Raises NotFound for an unknown
    item, BadInput where the changed item does not pass the lint, Conflict where the item is unchanged, where its pool
    or group would change, and where a cosmetic fix would change options or gold.
    """
    project = projects.find_project(session, campaign)
    where = Where(file=campaign.path, field=item)
    if project is None:
        raise NotFound(f"No project {campaign.name!r} is loaded.", where=where, remedy="Load it without --fix.")
    item = queries.resolve_item_id(session, project_id=project.id or 0, written=item)
    rows = item_writer.build_rows_of_stored(session, project, campaign, contents)
    row = rows.get(spelling.find_name(item, rows) or item)
    stored = session.exec(select(Item).where(Item.project_id == project.id, Item.external_id == item)).first()
    if row is None or stored is None:
        raise NotFound(
            f"There is no item {spelling.quote_word(item)} to fix.", where=where, remedy="New items come without --fix."
        )
    campaign_lint.refuse_errors(campaign_lint.lint_campaign(campaign, contents), campaign, contents)
    changed = _check_changes(stored, row, cosmetic=cosmetic, where=where)
    revision, post_hoc = stored.revision + 1, project.started_at is not None
    excluded = 0 if cosmetic else _exclude_old_answers(session, stored, revision=revision, post_hoc=post_hoc, now=now)
    if not cosmetic:
        queries.undo_item_decisions(session, item=stored, now=now)
    pictures.store_pictures(session, contents.pictures)
    _write_item(session, stored, row, revision=revision, now=now)
    pictures.delete_unused_pictures(session)
    kind = "cosmetic" if cosmetic else "substantive"
    if post_hoc:
        readiness.add_post_hoc_change(project, what=f"{kind} fix of item {item}", now=now)
    _update_digest(session, project, campaign, contents)
    data = {"item": item, "revision": revision, "kind": kind, "changed": list(changed), "excluded": excluded}
    journal.record_event(session, Event.ITEM_FIXED, now=now, project_id=project.id, data=data | {"post_hoc": post_hoc})
    return FixedItem(item=item, revision=revision, changed=changed, excluded=excluded)


def _check_changes(stored: Item, row: dict[str, Any], *, cosmetic: bool, where: Where) -> tuple[str, ...]:
    """The columns that the fix changes; raises Conflict where there are none, and for a column that may not change."""
    changed = tuple(
        column for column in row if column not in ("rank", "revision") and getattr(stored, column) != row[column]
    )
    unchangeable = [column for column in changed if column in UNCHANGEABLE_COLUMNS]
    substantive = [column for column in changed if column in change_plan.SUBSTANTIVE_COLUMNS] if cosmetic else []
    if not changed:
        raise Conflict("Nothing of the item changed.", where=where, remedy="Change it in the file first.")
    if unchangeable:
        raise Conflict(
            f"A fix leaves an item where it is, and this changes its {', '.join(unchangeable)}.",
            where=where,
            remedy="Give it an id of its own there.",
        )
    if substantive:
        raise Conflict(
            f"This changes more than the looks of the item: {', '.join(substantive)}.",
            where=where,
            remedy="Leave --cosmetic out; answers to the item as it was are excluded then.",
        )
    return changed


def _exclude_old_answers(session: Session, item: Item, *, revision: int, post_hoc: bool, now: datetime) -> int:
    """Exclude all answers to the old revision and free their places; its annotators do not get the item again."""
    assignments = session.exec(
        select(Assignment).where(Assignment.item_id == item.id).order_by(col(Assignment.id))
    ).all()
    exclusion = build_item_change(revision)
    ids = [assignment.id or 0 for assignment in assignments]
    excluded = exclusions.exclude_answers(session, assignment_ids=ids, exclusion=exclusion, post_hoc=post_hoc, now=now)
    for assignment in assignments:
        session.refresh(assignment)
        if assignment.status is AssignmentStatus.EXPIRED:
            assignment.status = AssignmentStatus.SKIPPED
        assignment.open_revision = assignment.repeat_at = None
        session.add(assignment)
    session.flush()
    return excluded


def _write_item(session: Session, item: Item, row: dict[str, Any], *, revision: int, now: datetime) -> None:
    """Write the new columns, resolve the open reports on the item, and resume it where reports had paused it."""
    session.refresh(item)
    for key, value in row.items():
        if key not in UNCHANGEABLE_COLUMNS:
            setattr(item, key, value)
    item.revision = revision
    session.add(item)
    session.flush()
    reports = sa.update(Report).where(col(Report.item_id) == item.id, col(Report.resolved_at).is_(None))
    session.connection().execute(reports.values(resolved_at=now))
    if item.status is ItemStatus.PAUSED:
        overlap_counts.resume_item(session, item_id=item.id or 0, now=now)
    session.refresh(item)


def _update_digest(
    session: Session, project: Project, campaign: project_file.CheckedProject, contents: CampaignContents
) -> None:
    """Store the digest of the changed file, so that loading it later changes nothing.

    Where the file holds other changes than the fixed items, the old digest stays.
    """
    rows = item_writer.build_rows_of_stored(session, project, campaign, contents)
    texts = {
        kind.value: stimulus.compute_text_digest(text)
        for kind, text in text_versions.read_project_texts(campaign).items()
    }
    if item_writer.plan_project_changes(session, project, campaign, rows).empty and texts == project.texts:
        project.definition_sha256 = item_writer.compute_digest(
            campaign, contents, encoded_data=item_writer.encode_data(contents)
        )
        session.add(project)
        session.flush()
