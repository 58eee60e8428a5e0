"""Deletion of what is on its way from and to annotators, and of what the bot remembers of the talk with them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import models


def delete_pending_messages(
    session: Session, annotator_ids: Sequence[int], *, telegram_ids: Sequence[int], now: datetime
) -> None:
    """Delete unhandled updates, unsent messages, the record of item messages, the state of the conversation, and what
    was to be sent or told.
    """
    execute = session.connection().execute
    assignment_ids = sa.select(col(models.Assignment.id)).where(col(models.Assignment.annotator_id).in_(annotator_ids))
    execute(sa.delete(models.ItemMessage).where(col(models.ItemMessage.assignment_id).in_(assignment_ids)))
    notices: tuple[Any, ...] = (
        models.NoticeWish,
        models.AnnouncementRecipient,
        models.OrganiserNotice,
        models.ExportRequest,
    )
    for table in (models.AnswerMessage, models.Conversation, *notices):
        execute(sa.delete(table).where(col(table.annotator_id).in_(annotator_ids)))
    is_theirs = col(models.Announcement.author_id).in_(annotator_ids)
    execute(sa.update(models.Announcement).where(is_theirs).values(author_id=None))
    if not telegram_ids:
        return
    for of_chat in (models.Outbox, models.ChatPause):
        execute(sa.delete(of_chat).where(col(of_chat.chat_id).in_(telegram_ids)))
    unhandled = sa.update(models.Inbox).where(col(models.Inbox.telegram_id).in_(telegram_ids))
    execute(unhandled.values(telegram_id=None, payload=sa.null(), done_at=now, reason=None, trace=None))
