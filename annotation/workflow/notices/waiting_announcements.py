"""Announcements that have not reached everybody yet: when they go out, and how an organiser cancels one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Conflict, NotFound, Where
from annotation.store import journal, notices
from annotation.store.models import Annotator, Announcement, AnnouncementRecipient, Outbox
from annotation.vocabulary import Event
from annotation.workflow.notices import announcements


@dataclass(frozen=True, kw_only=True)
class WaitingAnnouncement:
    """An announcement that some people will still get, or not, if an organiser cancels it.

    `title` is that of its project or programme, None if it goes to everybody. `waiting` is how many people will get it,
    the first of them at `next_at`; `reached` is how many have it. `project_id` is None unless it goes to one project.
    """

    id: int
    title: str | None
    project_id: int | None
    text: str
    sent_at: datetime
    waiting: int
    reached: int
    next_at: datetime


@dataclass(frozen=True, kw_only=True)
class CancelledAnnouncement:
    """How many people will not get a cancelled announcement, and how many have it already."""

    spared: int
    reached: int


def list_waiting_announcements(
    session: Session, *, now: datetime, default_zone: str
) -> tuple[WaitingAnnouncement, ...]:
    """The announcements that people will still get, oldest first.

    People who have left, and people whom an announcement could not reach within its time, do not wait for it.
    `default_zone` is the time zone of people who have not told theirs.
    """
    has_unqueued = (
        sa.exists()
        .where(
            col(AnnouncementRecipient.announcement_id) == col(Announcement.id),
            col(AnnouncementRecipient.queued_at).is_(None),
        )
        .correlate(Announcement)
    )
    names = set(session.exec(select(Outbox.notice).where(col(Outbox.notice).startswith("announcement ")).distinct()))
    lasting = sa.and_(has_unqueued, col(Announcement.sent_at) > now - announcements.LASTING)
    in_outbox = col(Announcement.id).in_([int(str(name).split()[1]) for name in names])
    query = select(Announcement).where(sa.or_(lasting, in_outbox))
    described = [
        _describe_announcement(session, announcement, now=now, default_zone=default_zone)
        for announcement in session.exec(query.order_by(col(Announcement.sent_at), col(Announcement.id))).all()
    ]
    return tuple(found for found in described if found is not None)


def find_first_time(session: Session, announcement: Announcement, *, now: datetime, default_zone: str) -> datetime:
    """When the first recipient of a draft would get it: now if it is day for anybody, otherwise when their day begins.

    Returns `now` if there are no recipients.
    """
    present = announcements.select_present(announcement).subquery()
    zones = session.exec(
        select(Annotator.time_zone).where(col(Annotator.id).in_(sa.select(present.c.id))).distinct()
    ).all()
    return _find_earliest(zones, now=now, default_zone=default_zone)


def cancel_announcement(session: Session, *, announcement_id: int, now: datetime) -> CancelledAnnouncement:
    """Send an announcement to nobody else. What a process has begun to send may still arrive.

    Raises NotFound for an announcement that was not sent, and Conflict for one that nobody waits for any more.
    """
    announcement = session.get(Announcement, announcement_id)
    if announcement is None or announcement.sent_at is None:
        raise NotFound(
            f"There is no announcement {announcement_id}.",
            where=Where(field="announcement"),
            remedy="`hromada messages` lists those that wait.",
        )
    of_announcement = col(AnnouncementRecipient.announcement_id) == announcement_id
    unqueued = sa.delete(AnnouncementRecipient).where(of_announcement, col(AnnouncementRecipient.queued_at).is_(None))
    spared = session.connection().execute(unqueued).rowcount
    # in this order: a process that stores messages at this moment has marked their recipients by now, or finds none
    chats = set(notices.drop_announcement(session, announcement_id=announcement_id))
    taken_back = sa.select(col(Annotator.id)).where(col(Annotator.telegram_id).in_(chats))
    session.connection().execute(
        sa.delete(AnnouncementRecipient).where(of_announcement, col(AnnouncementRecipient.annotator_id).in_(taken_back))
    )
    spared += len(chats)
    if not spared:
        raise Conflict("Nobody waits for this announcement any more.", remedy="It was sent to everybody, or cancelled.")
    reached = session.exec(select(func.count()).where(of_announcement)).one()
    journal.record_event(
        session,
        Event.ANNOUNCEMENT_CANCELLED,
        now=now,
        project_id=announcement.project_id,
        data={"announcement": announcement_id, "spared": spared, "reached": reached},
    )
    return CancelledAnnouncement(spared=spared, reached=reached)


def _describe_announcement(
    session: Session, announcement: Announcement, *, now: datetime, default_zone: str
) -> WaitingAnnouncement | None:
    announcement_id, sent_at = announcement.id or 0, announcement.sent_at or now
    of_announcement = col(AnnouncementRecipient.announcement_id) == announcement_id
    present = announcements.select_present(announcement).subquery()
    unqueued = (
        select(Annotator.time_zone, func.count())
        .join(AnnouncementRecipient, col(AnnouncementRecipient.annotator_id) == col(Annotator.id))
        .where(
            of_announcement,
            col(AnnouncementRecipient.queued_at).is_(None),
            col(Annotator.id).in_(sa.select(present.c.id)),
        )
    )
    is_lasting = sent_at > now - announcements.LASTING
    zones = dict(session.exec(unqueued.group_by(col(Annotator.time_zone))).all()) if is_lasting else {}
    unsent = select(func.count(sa.distinct(col(Outbox.chat_id)))).where(notices.build_unsent_condition(announcement_id))
    in_outbox = session.exec(unsent).one()
    waiting = sum(zones.values()) + in_outbox
    if not waiting:
        return None
    queued = select(func.count()).where(of_announcement, col(AnnouncementRecipient.queued_at).is_not(None))
    return WaitingAnnouncement(
        id=announcement_id,
        title=announcements.find_title(session, announcement),
        project_id=announcement.project_id,
        text=announcement.text,
        sent_at=sent_at,
        waiting=waiting,
        reached=max(0, session.exec(queued).one() - in_outbox),
        next_at=now if in_outbox else _find_earliest(zones, now=now, default_zone=default_zone),
    )


def _find_earliest(zones: Iterable[str | None], *, now: datetime, default_zone: str) -> datetime:
    return min((announcements.find_next_day(now, zone, default=default_zone) for zone in zones), default=now)
