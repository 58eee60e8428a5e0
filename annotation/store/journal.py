"""The append-only table of events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from annotation.store.models import Journal
from annotation.vocabulary import Event


def record(
    session: Session,
    event: Event,
    *,
    now: datetime,
    project_id: int | None = None,
    annotator_id: int | None = None,
    data: dict[str, Any] | None = None,
) -> None:
    """Write one event; `data` never holds an identity."""
    entry = Journal(at=now, event=event.value, project_id=project_id, annotator_id=annotator_id, data=data or {})
    session.add(entry)
    session.flush()


def first(session: Session, event: Event) -> Journal | None:
    """The first event of this kind."""
    return session.exec(select(Journal).where(Journal.event == event.value).order_by(col(Journal.id)).limit(1)).first()


def of_project(session: Session, event: Event, *, project_id: int) -> Sequence[Journal]:
    """A project's events of this kind, oldest first."""
    chosen = select(Journal).where(Journal.event == event.value, Journal.project_id == project_id)
    return session.exec(chosen.order_by(col(Journal.id))).all()
