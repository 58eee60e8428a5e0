"""Notices: messages that annotators get without having asked for them now; until they are sent, they can be taken back.

In the outbox a notice has a name: "reminder", "news", "announcement" with a number, or "alerts" and "urgent" with a
time, which organisers get. It is taken back where it was not sent in time, that is, mostly by day, and where the
annotator blocked the bot, left, or wants no more of them. Whatever stored it then stores it anew, if that is still
right. One that was begun is left alone: it may have arrived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Annotator, AnnouncementRecipient, NoticeWish, OrganiserNotice, Outbox

REMINDER, NEWS = "reminder", "news"
"""The names of the notices that annotators wished for."""
DIGEST = "digest"
"""The name of an organiser's digest: one that was not sent by day is not sent, the next day has its own."""
_ANNOUNCEMENT = "announcement"
_ALERTS, _URGENT = "alerts", "urgent"


def name_announcement(announcement_id: int) -> str:
    """The name of the notices of an announcement."""
    return f"{_ANNOUNCEMENT} {announcement_id}"


def name_alerts(at: datetime, *, urgent: bool) -> str:
    """The name of the message with the alerts that an organiser is told of at a time."""
    return f"{_URGENT if urgent else _ALERTS} {int(at.timestamp() * 1000)}"


def take_back_notices(
    session: Session, *, telegram_id: int, now: datetime, names: Collection[str] | None = None
) -> None:
    """Take back the unsent notices to an annotator; only those with these names, where any are given.

    Where such a notice is being stored at this moment, this waits for it: whoever stores one updates the wish first, or
    locks the annotator.
    """
    wish = sa.select(col(NoticeWish.annotator_id)).where(col(NoticeWish.annotator_id) == _select_id(telegram_id))
    session.connection().execute(wish.with_for_update())
    unsent = col(Outbox.chat_id) == telegram_id
    _take_back(session, unsent if names is None else sa.and_(unsent, col(Outbox.notice).in_(names)), now=now)


def drop_announcement(session: Session, *, announcement_id: int) -> Sequence[int]:
    """Delete the unsent messages of an announcement that no process has begun to send; the chats of its recipients."""
    unsent = sa.delete(Outbox).where(build_unsent_condition(announcement_id), col(Outbox.begun_at).is_(None))
    return session.connection().execute(unsent.returning(col(Outbox.chat_id))).scalars().all()


def build_unsent_condition(announcement_id: int) -> sa.ColumnElement[bool]:
    """The condition for messages of an announcement that wait in the outbox and can still be sent."""
    return sa.and_(col(Outbox.notice) == name_announcement(announcement_id), col(Outbox.reason).is_(None))


def take_back_late_notices(session: Session, *, now: datetime) -> None:
    """Take back the notices that were not sent in time."""
    _take_back(session, sa.and_(col(Outbox.send_before).is_not(None), col(Outbox.send_before) <= now), now=now)


def forget_alerts(session: Session, *, telegram_id: int) -> None:
    """Record that an organiser who blocked the bot was not told of what stands in unsent messages, begun ones too."""
    named = sa.or_(*(col(Outbox.notice).startswith(f"{kind} ") for kind in (_ALERTS, _URGENT)))
    unsent = sa.select(col(Outbox.notice)).where(col(Outbox.chat_id) == telegram_id, named)
    told = sa.delete(OrganiserNotice).where(col(OrganiserNotice.annotator_id) == _select_id(telegram_id))
    session.connection().execute(told.where(col(OrganiserNotice.notice).in_(unsent)))


def end_wishes(session: Session, *, telegram_id: int) -> None:
    """End all wishes of an annotator; whoever wants to be written to again says so again."""
    wishes = sa.update(NoticeWish).where(col(NoticeWish.annotator_id) == _select_id(telegram_id))
    session.connection().execute(wishes.values(reminders=False, news=False, promised_at=None, due_at=None))


def count_waiting(session: Session) -> int:
    """How many announcements wait in the outbox for their turn."""
    waiting = sa.select(sa.func.count()).where(
        col(Outbox.notice).startswith(_ANNOUNCEMENT), col(Outbox.reason).is_(None)
    )
    return session.connection().execute(waiting).scalar_one()


def _take_back(session: Session, condition: sa.ColumnElement[bool], *, now: datetime) -> None:
    unsent = sa.delete(Outbox).where(condition, col(Outbox.notice).is_not(None), col(Outbox.begun_at).is_(None))
    rows = session.connection().execute(unsent.returning(col(Outbox.chat_id), col(Outbox.notice))).all()
    for chat_id, name in sorted(rows):
        _undo_notice(session, telegram_id=chat_id, words=str(name).split(), now=now)


def _undo_notice(session: Session, *, telegram_id: int, words: Iterable[str], now: datetime) -> None:
    """Undo the record that a notice was stored in the outbox."""
    kind, *number = words
    annotator_id = _select_id(telegram_id)
    undone: sa.Update | sa.Delete
    if kind == DIGEST:
        return
    if kind == _ANNOUNCEMENT:
        undone = sa.update(AnnouncementRecipient).where(
            col(AnnouncementRecipient.annotator_id) == annotator_id,
            col(AnnouncementRecipient.announcement_id) == int(number[0]),
        )
        undone = undone.values(queued_at=None)
    elif kind in {_ALERTS, _URGENT}:
        undone = sa.delete(OrganiserNotice).where(
            col(OrganiserNotice.annotator_id) == annotator_id, col(OrganiserNotice.notice) == " ".join((kind, *number))
        )
    else:
        others_ignored = sa.case((col(NoticeWish.ignored) > 0, col(NoticeWish.ignored) - 1), else_=0)
        reminder = {"rest_until": None, "ignored": others_ignored}
        undone = sa.update(NoticeWish).where(col(NoticeWish.annotator_id) == annotator_id)
        undone = undone.values({"due_at": now, **(reminder if kind == REMINDER else {"news": True})})
    session.connection().execute(undone)


def _select_id(telegram_id: int) -> sa.ScalarSelect[int | None]:
    return sa.select(col(Annotator.id)).where(col(Annotator.telegram_id) == telegram_id).scalar_subquery()
