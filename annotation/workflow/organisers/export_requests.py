"""Exports that organisers asked for in the chat: one process makes them, each in a child process, and sends the files.

A request stays until its files, or a sentence why there are none, are stored in the outbox: in the same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.store.models import Annotator, ExportRequest, Project

MOST_ATTEMPTS = 3
"""How many processes may begin an export, of which each before the last one died over it."""


@dataclass(frozen=True, kw_only=True)
class ClaimedExport:
    """An export to be made: of which project, for which chat and in which language.

    `is_given_up` says that it was begun too often.
    """

    request_id: int
    project: str
    telegram_id: int
    language: str | None
    is_given_up: bool


def add_request(session: Session, *, project_id: int, annotator_id: int, now: datetime) -> bool:
    """Store a request; False where the same organiser waits for the same export already."""
    same = (ExportRequest.project_id == project_id, ExportRequest.annotator_id == annotator_id)
    if session.exec(select(ExportRequest.id).where(*same)).first() is not None:
        return False
    session.add(ExportRequest(project_id=project_id, annotator_id=annotator_id, requested_at=now))
    session.flush()
    return True


def has_requests(session: Session) -> bool:
    """Whether an export is to be made."""
    return session.exec(select(ExportRequest.id).limit(1)).first() is not None


def claim_request(session: Session) -> ClaimedExport | None:
    """The oldest export that is to be made, counted as begun once more; None where there is none."""
    request = session.exec(select(ExportRequest).order_by(col(ExportRequest.id)).limit(1).with_for_update()).first()
    if request is None:
        return None
    request.attempts += 1
    session.add(request)
    session.flush()
    annotator = session.get_one(Annotator, request.annotator_id)
    return ClaimedExport(
        request_id=request.id or 0,
        project=session.get_one(Project, request.project_id).name,
        telegram_id=annotator.telegram_id or 0,
        language=annotator.language,
        is_given_up=request.attempts > MOST_ATTEMPTS,
    )


def end_request(session: Session, *, request_id: int) -> bool:
    """Delete a request whose files are stored to be sent; False where it is gone, as after an erasure."""
    request = session.get(ExportRequest, request_id, with_for_update=True)
    if request is None:
        return False
    session.delete(request)
    session.flush()
    return True
