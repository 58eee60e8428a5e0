"""Where in a chat an assignment stands, and since when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store.models.base import Moment


@dataclass(frozen=True, kw_only=True)
class Shown:
    """An assignment came onto the screen with this message."""

    assignment_id: int
    message_id: int
    at: datetime


def note(session: Session, shown: Sequence[Shown]) -> None:
    """Keep where assignments stand; one that waits for its answer is shown from that time on.

    A person who was forgotten in the meantime has no screen.
    """
    rows = [{"assignment": one.assignment_id, "message": one.message_id, "at": one.at} for one in shown]
    if rows:
        session.connection().execute(_NOTE, rows)
        session.connection().execute(_SHOWN, rows)


def message_of(session: Session, *, assignment_id: int) -> int | None:
    """The message under which an assignment stands, if any is known."""
    return session.connection().execute(_MESSAGE, {"assignment": assignment_id}).scalar_one_or_none()


_NOTE = sa.text("""
INSERT INTO screen (assignment_id, message_id)
SELECT a.id, CAST(:message AS BIGINT) FROM assignment a JOIN annotator p ON p.id = a.annotator_id
WHERE a.id = :assignment AND p.forgotten_at IS NULL
ON CONFLICT (assignment_id) DO UPDATE SET message_id = excluded.message_id""")
_SHOWN = sa.text("UPDATE assignment SET shown_at = :at WHERE id = :assignment AND status = 'live'").bindparams(
    sa.bindparam("at", type_=Moment())
)
_MESSAGE = sa.text("SELECT message_id FROM screen WHERE assignment_id = :assignment")
