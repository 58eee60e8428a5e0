"""Chats as a whole: pauses that Telegram asks for, and what becomes of their messages when they close or move."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import ChatPause, Outbox
from annotation.store.models.table_model import UtcDateTime


def store_pause(session: Session, *, chat_id: int, until: datetime) -> None:
    """Store that nothing is sent to a chat before a time; all processes read it (`list_pauses`)."""
    session.connection().execute(_PAUSE, {"chat": chat_id, "until": until})


def list_pauses(session: Session, *, now: datetime) -> Mapping[int, datetime]:
    """When the pauses of chats end, by chat id; those that have ended are deleted."""
    connection = session.connection()
    pauses = {row.chat_id: row.until for row in connection.execute(_PAUSES)}
    ended = [{"chat": chat_id} for chat_id, until in pauses.items() if until <= now]
    if ended:
        connection.execute(_END_PAUSE, ended)
    return {chat_id: until for chat_id, until in pauses.items() if until > now}


def delete_chat_messages(session: Session, *, chat_id: int) -> tuple[int, ...]:
    """Delete all messages to a chat that no longer exists; returns the ids of the support messages whose answers were
    in them.
    """
    deleted = sa.delete(Outbox).where(col(Outbox.chat_id) == chat_id).returning(col(Outbox.calls))
    calls = [call for row in session.connection().execute(deleted).scalars() for call in row]
    return tuple(sorted({call["answers"] for call in calls if "answers" in call}))


def move_chat(session: Session, *, chat_id: int, to: int) -> None:
    """Change the id of a chat; a group that was told where the bot speaks is not told again."""
    session.connection().execute(_MOVE_TOLD, {"chat": chat_id, "to": to})
    session.connection().execute(sa.update(Outbox).where(col(Outbox.chat_id) == chat_id).values(chat_id=to))


_PAUSE = sa.text("""
INSERT INTO chat_pause (chat_id, until) VALUES (:chat, :until)
ON CONFLICT (chat_id) DO UPDATE SET until = excluded.until WHERE chat_pause.until < excluded.until""").bindparams(
    sa.bindparam("until", type_=UtcDateTime())
)
_MOVE_TOLD = sa.text("""
INSERT INTO told_group (chat_id, at) SELECT :to, at FROM told_group WHERE chat_id = :chat ON CONFLICT DO NOTHING""")
_PAUSES = sa.select(ChatPause.__table__)  # type: ignore[attr-defined]
_END_PAUSE = sa.text("DELETE FROM chat_pause WHERE chat_id = :chat")
