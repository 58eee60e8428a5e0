"""Problems that people reported with items: listed for organisers, and dismissed where the item is well as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import NotFound, Where
from annotation.store import journal, overlap_counts
from annotation.store.models import Item, Project, Report
from annotation.vocabulary import Event, ItemStatus


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A report that nobody has looked at yet; `paused` says that the item is handed out no more."""

    project: str
    item: str
    paused: bool
    reason: str
    text: str
    at: datetime


def listed(session: Session, *, project_id: int | None = None) -> Sequence[Problem]:
    """The open reports, or those of a project, oldest first."""
    chosen = select(Report, Item, Project).join(Item, col(Item.id) == col(Report.item_id)).join(Project)
    if project_id is not None:
        chosen = chosen.where(Item.project_id == project_id)
    rows = session.exec(chosen.where(col(Report.resolved_at).is_(None)).order_by(col(Report.id)))
    return [
        Problem(
            project=project.name,
            item=item.external_id,
            paused=item.status is ItemStatus.PAUSED,
            reason=report.reason,
            text=report.text,
            at=report.at,
        )
        for report, item, project in rows
    ]


def dismiss(session: Session, *, project: Project, item: str, now: datetime) -> int:
    """Answer the reports on an item that is well as it is, and let it go on where they paused it; how many they were.

    Raises NotFound for an item that is not there, or about which nothing is reported.
    """
    chosen = select(Item).where(Item.project_id == project.id, Item.external_id == item)
    found = session.exec(chosen.with_for_update()).first()
    item_id = 0 if found is None else found.id or 0
    reports = sa.update(Report).where(col(Report.item_id) == item_id, col(Report.resolved_at).is_(None))
    number = session.connection().execute(reports.values(resolved_at=now)).rowcount
    if found is None or (not number and found.status is not ItemStatus.PAUSED):
        raise NotFound(
            f"Nothing is reported about {item!r}.",
            where=Where(field="item"),
            remedy="`hromada messages reports` lists what is.",
        )
    if found.status is ItemStatus.PAUSED:
        overlap_counts.resume(session, item_id=item_id, now=now)
    session.expire_all()
    data = {"item": item, "reports": number}
    journal.record(session, Event.REPORTS_DISMISSED, now=now, project_id=project.id, data=data)
    return number
