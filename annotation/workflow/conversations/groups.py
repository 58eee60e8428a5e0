"""Groups and channels: the bot says there once that it speaks in private, and nothing more."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session

from annotation.store.models.table_model import UtcDateTime


def mark_told(session: Session, *, chat_id: int, now: datetime) -> bool:
    """Store that a group is told where the bot speaks; False where it was told before, by whatever process."""
    return session.connection().execute(_TELL, {"chat": chat_id, "now": now}).rowcount == 1


_TELL = sa.text("INSERT INTO told_group (chat_id, at) VALUES (:chat, :now) ON CONFLICT DO NOTHING").bindparams(
    sa.bindparam("now", type_=UtcDateTime())
)
