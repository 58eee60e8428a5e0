"""Announcements: messages of the organisers to everybody who takes part in a project, in a programme, or in anything.

A draft is sent by storing its recipients. From then on batches of them are stored in the outbox, for whom it is day and
who still takes part: so that none is lost and none doubled, whenever a process ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import bot_commands
from annotation.campaigns.questions.question_base import count_units
from annotation.errors import BadInput, Conflict, Stale, Where
from annotation.store import journal, notices
from annotation.store.models import (
    Annotator,
    Announcement,
    AnnouncementRecipient,
    Assignment,
    Consent,
    Participation,
    Programme,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import UNSAID_TIME_ZONE, Event
from annotation.workflow import definitions
from annotation.workflow.annotators import withdrawal

DAY_BEGINS, DAY_ENDS = time(10), time(20)
"""The local hours within which people are written to."""
NIGHT_ENDS = time(5)
"""Before this hour people who are awake still call the day that begins tomorrow."""
WORK_LASTS = timedelta(minutes=30)
"""For so long after their last action somebody who holds an item is at work, and is not written to unasked."""


def find_day_end(now: datetime, zone: str | None, *, default: str) -> datetime | None:
    """When the day ends on which it is `now` in this time zone; None by night. `default` is the zone of the unknown."""
    local = now.astimezone(get_zone(zone, default))
    return _set_time(local, DAY_ENDS) if DAY_BEGINS <= local.time() < DAY_ENDS else None


def find_next_day(now: datetime, zone: str | None, *, default: str) -> datetime:
    """When people in this time zone may be written to next: now by day, otherwise when the next day begins."""
    local = now.astimezone(get_zone(zone, default))
    if DAY_BEGINS <= local.time() < DAY_ENDS:
        return now
    morning = local if local.time() < DAY_BEGINS else local + timedelta(days=1)
    return _set_time(morning, DAY_BEGINS)


def find_tomorrow(now: datetime, zone: str | None, *, default: str) -> datetime:
    """When the day begins that people in this time zone call tomorrow: before NIGHT_ENDS it is still the day before."""
    local = now.astimezone(get_zone(zone, default))
    return _set_time(local if local.time() < NIGHT_ENDS else local + timedelta(days=1), DAY_BEGINS)


def list_day_zones(zones: Iterable[str | None], now: datetime, *, default: str) -> list[str | None]:
    """Those of the time zones in which it is day."""
    return [zone for zone in zones if find_day_end(now, zone, default=default) is not None]


def get_zone(zone: str | None, default: str) -> ZoneInfo:
    """The time zone of somebody who lives in `zone`, or has not told theirs."""
    return ZoneInfo(default if zone in {None, UNSAID_TIME_ZONE} else zone or default)


def _set_time(local: datetime, at: time) -> datetime:
    """This time on the day of `local`, in UTC."""
    moment = local.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return moment.astimezone(ZoneInfo("UTC"))


MAX_TEXT_LENGTH = 3500
"""In UTF-16 units: with its heading an announcement fits one Telegram message, so that it is sent as a whole or not."""
BATCH = 200
"""How many recipients are taken at once, and how many may wait in the outbox before more are taken."""
LASTING = timedelta(days=3)
"""For so long an announcement is sent to people whom it could not reach; then it is old."""

DRAFTS_KEPT = timedelta(days=1)
"""For so long a draft can be sent."""


@dataclass(frozen=True, kw_only=True)
class QueuedAnnouncement:
    """An announcement for one annotator: its name in the outbox, their chat and language, and when night falls there.

    `title` is that of the project or programme, None where it goes to everybody.
    """

    notice: str
    telegram_id: int
    language: str | None
    title: str | None
    text: str
    send_before: datetime


def write_announcement(
    session: Session,
    *,
    text: str,
    now: datetime,
    project_id: int | None = None,
    programme_id: int | None = None,
    author_id: int | None = None,
) -> Announcement:
    """Store a draft; raises BadInput for a text that is empty, too long, or names a command the bot does not have."""
    stripped = text.strip()
    bot_commands.refuse_unknown_commands(stripped, where=Where(field="text"))
    if not stripped or count_units(stripped) > MAX_TEXT_LENGTH:
        raise BadInput(
            "The text is too long." if stripped else "The text is empty.",
            where=Where(field="text"),
            remedy=f"Write between one word and {MAX_TEXT_LENGTH} characters.",
        )
    draft = Announcement(
        text=stripped, project_id=project_id, programme_id=programme_id, author_id=author_id, created_at=now
    )
    session.add(draft)
    session.flush()
    return draft


def get_draft(session: Session, *, announcement_id: int, author_id: int) -> Announcement:
    """A draft of this author, to be sent or not; raises Stale where there is none, or it was sent."""
    announcement = session.get(Announcement, announcement_id, with_for_update=True)
    if announcement is None or announcement.author_id != author_id or announcement.sent_at is not None:
        raise Stale("There is no such draft.")
    return announcement


def drop_draft(session: Session, *, announcement_id: int, author_id: int) -> None:
    """Delete a draft of this author; raises Stale where there is none, or it was sent."""
    session.delete(get_draft(session, announcement_id=announcement_id, author_id=author_id))
    session.flush()


def delete_old_drafts(session: Session, *, now: datetime) -> None:
    """Delete the drafts that were not sent within DRAFTS_KEPT."""
    unsent = sa.delete(Announcement).where(
        col(Announcement.sent_at).is_(None), col(Announcement.created_at) <= now - DRAFTS_KEPT
    )
    session.connection().execute(unsent)


def find_title(session: Session, announcement: Announcement) -> str | None:
    """The title of the project or programme to which an announcement goes; None where it goes to everybody."""
    if announcement.programme_id is not None:
        return session.get_one(Programme, announcement.programme_id).title
    return None if announcement.project_id is None else session.get_one(Project, announcement.project_id).title


def count_recipients(session: Session, announcement: Announcement, *, only: int | None = None) -> int:
    """How many annotators would get it now, or whether the one with the id `only` would."""
    present = select_present(announcement, only=only).subquery()
    return session.exec(select(func.count()).select_from(present)).one()


def send_announcement(session: Session, *, announcement: Announcement, now: datetime, only: int | None = None) -> int:
    """Store the recipients of a draft and return their number; raises Conflict where there are none, or it was sent.

    With `only` the annotator with this id is the only one.
    """
    if announcement.sent_at is not None:
        raise Conflict("It is sent already.")
    announcement_id = announcement.id or 0
    present = select_present(announcement, only=only).add_columns(sa.literal(announcement_id))
    stored = sa.insert(AnnouncementRecipient).from_select(["annotator_id", "announcement_id"], present)
    session.connection().execute(stored)
    recipients = select(func.count()).where(AnnouncementRecipient.announcement_id == announcement_id)
    number = session.exec(recipients).one()
    if not number:
        raise Conflict("Nobody would get it: nobody takes part yet whom the bot can write to.")
    announcement.sent_at = now
    session.add(announcement)
    session.flush()
    journal.record_event(
        session,
        Event.ANNOUNCED,
        now=now,
        project_id=announcement.project_id,
        data={"announcement": announcement_id, "programme": announcement.programme_id, "recipients": number},
    )
    return number


def queue_announcements(
    session: Session, *, now: datetime, default_zone: str, simulated: bool = False
) -> Sequence[QueuedAnnouncement]:
    """Mark the next recipients as queued and return what is to be stored for them in the outbox, in this transaction.

    These are people for whom it is day and who are not at work, simulated ones only where `simulated` says so;
    `default_zone` is the time zone of those who have not told theirs. People who take no part any more are passed over,
    and people who cannot be reached wait for LASTING at most.
    """
    is_waiting = col(AnnouncementRecipient.queued_at).is_(None)
    waiting = sa.select(col(AnnouncementRecipient.announcement_id)).where(is_waiting).distinct()
    ids = session.execute(waiting).scalars().all()
    if not ids or notices.count_waiting(session) >= BATCH:
        return ()
    query = select(Announcement).where(col(Announcement.id).in_(ids), col(Announcement.sent_at) > now - LASTING)
    queued: list[QueuedAnnouncement] = []
    for announcement in session.exec(query.order_by(col(Announcement.sent_at), col(Announcement.id))).all():
        if len(queued) < BATCH:
            most = BATCH - len(queued)
            queued += _queue_batch(
                session, announcement, most=most, now=now, default_zone=default_zone, simulated=simulated
            )
    return queued


def _queue_batch(
    session: Session, announcement: Announcement, *, most: int, now: datetime, default_zone: str, simulated: bool
) -> list[QueuedAnnouncement]:
    announcement_id = announcement.id or 0
    zones = session.execute(sa.select(col(Annotator.time_zone)).distinct()).scalars().all()
    by_day = set(list_day_zones(zones, now, default=default_zone))
    in_zone = col(Annotator.time_zone).in_([zone for zone in by_day if zone is not None])
    present = select_present(announcement).subquery()
    chosen = (
        select(Annotator)
        .join(AnnouncementRecipient, col(AnnouncementRecipient.annotator_id) == col(Annotator.id))
        .where(
            col(AnnouncementRecipient.announcement_id) == announcement_id,
            col(AnnouncementRecipient.queued_at).is_(None),
            col(Annotator.id).in_(sa.select(present.c.id)),
            sa.or_(in_zone, col(Annotator.time_zone).is_(None)) if None in by_day else in_zone,
            sa.true() if simulated else ~col(Annotator.simulated),
            ~build_at_work_condition(now),
        )
    )
    chosen = chosen.order_by(col(Annotator.id)).limit(most)
    # an annotator whose row is locked may be leaving, and comes next time
    annotators = session.exec(chosen.with_for_update(key_share=True, skip_locked=True, of=Annotator)).all()
    marked = sa.update(AnnouncementRecipient).where(
        col(AnnouncementRecipient.announcement_id) == announcement_id,
        col(AnnouncementRecipient.annotator_id).in_([annotator.id for annotator in annotators]),
    )
    recipient_id = col(AnnouncementRecipient.annotator_id)
    # an organiser may have cancelled it since the recipients were read
    kept = set(session.connection().execute(marked.values(queued_at=now).returning(recipient_id)).scalars())
    title = find_title(session, announcement)
    return [
        QueuedAnnouncement(
            notice=notices.name_announcement(announcement_id),
            telegram_id=annotator.telegram_id or 0,
            language=annotator.language,
            title=title,
            text=announcement.text,
            send_before=find_day_end(now, annotator.time_zone, default=default_zone) or now,
        )
        for annotator in annotators
        if annotator.id in kept
    ]


HOLDS_ITEM: sa.ColumnElement[bool] = (
    sa.exists()
    .where(
        col(Assignment.annotator_id) == col(Annotator.id),
        sa.text("assignment.status = 'live'"),
        sa.text("assignment.surface = 'telegram'"),
    )
    .correlate(Annotator)
)
"""The condition that an annotator has an item in the chat."""


def build_at_work_condition(now: datetime) -> sa.ColumnElement[bool]:
    """The condition that an annotator holds an item, and did something less than WORK_LASTS ago."""
    is_active = (
        sa.exists()
        .where(
            col(Participation.annotator_id) == col(Annotator.id),
            col(Participation.status).in_(withdrawal.PRESENT),
            sa.func.coalesce(col(Participation.last_at), col(Participation.joined_at)) > now - WORK_LASTS,
        )
        .correlate(Annotator)
    )
    return sa.and_(is_active, HOLDS_ITEM)


def select_present(announcement: Announcement, *, only: int | None = None) -> sa.Select[int | None]:
    """The ids of the annotators who would get it: who take part, may, agree to what is asked, and can be written to."""
    asked = [
        sa.literal(definitions.PROJECT_SCOPE) + col(Project.name),
        sa.literal(definitions.PROGRAMME_SCOPE) + col(Programme.name),
    ]
    withdrawn = sa.select(col(Consent.scope)).where(
        col(Consent.annotator_id) == col(Participation.annotator_id), col(Consent.scope).in_(asked)
    )
    withdrawn = withdrawn.group_by(col(Consent.scope)).having(
        sa.func.count(col(Consent.withdrawn_at)) == sa.func.count()
    )
    taking_part = (
        sa.select(col(Participation.annotator_id))
        .join(Project, col(Project.id) == col(Participation.project_id))
        .outerjoin(Programme, col(Programme.id) == col(Participation.programme_id))
        .where(
            col(Participation.status).in_(withdrawal.PRESENT),
            col(Participation.declined).is_(None),
            col(Participation.annotator_id) == col(Annotator.id),
            ~withdrawn.exists(),
        )
    )
    if announcement.project_id is not None:
        taking_part = taking_part.where(col(Participation.project_id) == announcement.project_id)
    elif announcement.programme_id is not None:
        members = sa.select(col(ProgrammeProject.project_id)).where(
            col(ProgrammeProject.programme_id) == announcement.programme_id
        )
        taking_part = taking_part.where(col(Participation.project_id).in_(members))
    return sa.select(col(Annotator.id)).where(
        col(Annotator.telegram_id).is_not(None),
        col(Annotator.unreachable_at).is_(None),
        col(Annotator.suspended_at).is_(None),
        col(Annotator.forgotten_at).is_(None),
        sa.true() if only is None else col(Annotator.id) == only,
        taking_part.exists(),
    )
