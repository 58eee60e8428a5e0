"""Reports of problems with items by annotators: the list of open reports, and their dismissal by organisers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.errors import NotFound, Where
from annotation.store import journal, overlap_counts, queries
from annotation.store.models import Item, Project, Report
from annotation.vocabulary import Event, ItemStatus


@dataclass(frozen=True, kw_only=True)
class OpenReport:
    """A report that is not resolved.

    `project` is the project's name, `item` the item's external id; `paused` says whether the item is paused, so that
    it is not assigned any more. `reason` and `text` are what the annotator chose and wrote.
    """

    project: str
    item: str
    paused: bool
    reason: str
    text: str
    at: datetime


def list_open_reports(session: Session, *, project_id: int | None = None) -> Sequence[OpenReport]:
    """The open reports of all projects, or of one project, oldest first."""
    reports = select(Report, Item, Project).join(Item, col(Item.id) == col(Report.item_id)).join(Project)
    if project_id is not None:
        reports = reports.where(Item.project_id == project_id)
    rows = session.exec(reports.where(col(Report.resolved_at).is_(None)).order_by(col(Report.id)))
    return [
        OpenReport(
            project=project.name,
            item=item.external_id,
            paused=item.status is ItemStatus.PAUSED,
            reason=report.reason,
            text=report.text,
            at=report.at,
        )
        for report, item, project in rows
    ]


def dismiss_reports(session: Session, *, project: Project, item: str, now: datetime) -> int:
    """Resolve all open reports on an item that needs no fix, and resume the item where it was paused.

    `item` is the external id. Returns how many reports were resolved. Raises NotFound for an unknown item, and for an
    item that is not paused and has no open reports.
    """
    item = queries.resolve_item_id(session, project_id=project.id or 0, written=item)
    of_external_id = select(Item).where(Item.project_id == project.id, Item.external_id == item)
    stored_item = session.exec(of_external_id.with_for_update()).first()
    item_id = 0 if stored_item is None else stored_item.id or 0
    reports = sa.update(Report).where(col(Report.item_id) == item_id, col(Report.resolved_at).is_(None))
    count = session.connection().execute(reports.values(resolved_at=now)).rowcount
    if stored_item is None or (not count and stored_item.status is not ItemStatus.PAUSED):
        raise NotFound(
            f"Nothing is reported about {spelling.quote_word(item)}.",
            where=Where(field="item"),
            remedy="`hromada messages reports` lists what is.",
        )
    if stored_item.status is ItemStatus.PAUSED:
        overlap_counts.resume_item(session, item_id=item_id, now=now)
    session.expire_all()
    data = {"item": item, "reports": count}
    journal.record_event(session, Event.REPORTS_DISMISSED, now=now, project_id=project.id, data=data)
    return count
