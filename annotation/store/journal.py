"""The journal: an append-only table of events, from which each change of a campaign can be explained.

An event is a member of `vocabulary.Event`. It has a time and, where they apply, a project and an annotator. Its `data`
is JSON whose keys depend on the event, and never holds an identity: annotators are known there by their ids only.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from annotation.store.models import Journal
from annotation.vocabulary import Event


def record_event(
    session: Session,
    event: Event,
    *,
    now: datetime,
    project_id: int | None = None,
    annotator_id: int | None = None,
    data: dict[str, Any] | None = None,
) -> None:
    """Append one event; `data` must not hold an identity."""
    row = Journal(at=now, event=event.value, project_id=project_id, annotator_id=annotator_id, data=data or {})
    session.add(row)
    session.flush()


def get_first_event(session: Session, event: Event) -> Journal | None:
    """The first event of this kind, None where there is none."""
    return session.exec(select(Journal).where(Journal.event == event.value).order_by(col(Journal.id)).limit(1)).first()


def list_project_events(session: Session, event: Event, *, project_id: int) -> Sequence[Journal]:
    """All events of this kind in a project, oldest first."""
    events = select(Journal).where(Journal.event == event.value, Journal.project_id == project_id)
    return session.exec(events.order_by(col(Journal.id))).all()
