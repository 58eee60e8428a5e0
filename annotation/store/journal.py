"""The journal: an append-only table of events, from which each change of a campaign can be explained.

An event is a member of `vocabulary.Event`. It has a time and, where they apply, a project and an annotator. Its `data`
is JSON whose keys depend on the event, and never holds an identity: annotators are known there by their ids only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from annotation.store.models import AssignmentRow, Journal
from annotation.vocabulary import AssignmentEnd, Event, Surface


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


def record_assignment_ends(
    session: Session, assignments: Iterable[AssignmentRow], *, why: AssignmentEnd, now: datetime
) -> None:
    """Record that live assignments ended without an answer: one event for each project and moment.

    A lease that was over before `now` ended then. Leases that end in Telegram are not recorded, as there are many.
    """
    ended: dict[tuple[int, datetime], list[AssignmentRow]] = defaultdict(list)
    for assignment in assignments:
        is_lease = why is AssignmentEnd.EXPIRED
        if is_lease and assignment.surface is not Surface.LABEL_STUDIO:
            continue
        at = min(assignment.lease_until or now, now) if is_lease else now
        ended[assignment.project_id, at].append(assignment)
    for (project_id, at), rows in sorted(ended.items(), key=lambda entry: entry[0]):
        annotators = {assignment.annotator_id for assignment in rows}
        record_event(
            session,
            Event.ASSIGNMENTS_ENDED,
            now=at,
            project_id=project_id,
            annotator_id=min(annotators) if len(annotators) == 1 else None,
            data={"assignments": sorted(assignment.id or 0 for assignment in rows), "why": why.value},
        )


def record_assigned_again(session: Session, assignment: AssignmentRow, *, surface: Surface, now: datetime) -> None:
    """Record that an ended assignment becomes live on `surface`, if this or the surface before is Label Studio."""
    if Surface.LABEL_STUDIO in {assignment.surface, surface}:
        record_event(
            session,
            Event.ASSIGNED_AGAIN,
            now=now,
            project_id=assignment.project_id,
            annotator_id=assignment.annotator_id,
            data={"assignments": [assignment.id], "from": assignment.surface.value, "to": surface.value},
        )


def list_assignment_events(
    session: Session, *, project_id: int, assignment_ids: Collection[int]
) -> dict[int, list[Journal]]:
    """The recorded ends, new starts and deleted tasks of these assignments of a project, by assignment, by time."""
    kinds = (Event.ASSIGNMENTS_ENDED.value, Event.ASSIGNED_AGAIN.value, Event.TASK_DELETED.value)
    events = select(Journal).where(col(Journal.event).in_(kinds), Journal.project_id == project_id)
    found: dict[int, list[Journal]] = defaultdict(list)
    for entry in session.exec(events.order_by(col(Journal.at), col(Journal.id))):
        for assignment_id in entry.data["assignments"]:
            if assignment_id in assignment_ids:
                found[assignment_id].append(entry)
    return found
