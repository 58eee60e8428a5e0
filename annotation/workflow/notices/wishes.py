"""What annotators want the bot to write to them first: reminders and news, set by them, and sent by day.

A wish is looked at when it is due, a few at a time, those that have waited longest first; each look sets when the next
one is due. What is to be sent is returned to be stored in the outbox in the same transaction, with when night falls. A
wish that its annotator changed meanwhile is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import notices
from annotation.store.models import Annotator, AnnotatorRow, Assignment, Item, NoticeWish, Participation
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import ParticipationStatus, Stage, UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.allocation import open_projects
from annotation.workflow.annotators import withdrawal
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.notices import announcements

IDLE_TIME = timedelta(days=2)
"""For so long somebody has not been at work before they are reminded."""
REMINDER_INTERVAL = timedelta(days=3)
"""How much time is between two reminders at least."""
MOST_IGNORED = 3
"""After so many reminders in a row without an answer no more are sent."""
PROMISE_LASTS = timedelta(days=1)
"""How long after its time a single reminder that somebody asked for is still sent."""
NEWS_INTERVAL, REMINDER_RETRY, ABSENCE_INTERVAL = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)
"""When it is looked again: for news, for something to be reminded of, and for people who take part in nothing now."""


class WishedNotice(StrEnum):
    """What somebody gets who wished for it; the last reminder says that it is the last, PROMISED is a single one."""

    PROMISED = "promised reminder"
    REMINDER = "reminder"
    LAST_REMINDER = "last reminder"
    NEWS = "news"


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What an annotator wants, as `NoticeWish` stores it.

    `promised_at` is when they asked to be reminded; once a reminder follows, `rest_until` is later. Where `reminders`
    are off, that is the only one. `active_at` is when they were at work last, or joined; None where they take part in
    nothing. `at_work` says that they were at work a moment ago and hold an item.
    """

    reminders: bool
    news: bool
    saw_none: bool = False
    reminded_at: datetime | None = None
    rest_until: datetime | None = None
    promised_at: datetime | None = None
    ignored: int = 0
    active_at: datetime | None = None
    at_work: bool = False

    @property
    def is_promised(self) -> bool:
        """Whether the next reminder is one that the annotator asked for, and they were not at work since its time."""
        promised_at = self.promised_at
        if promised_at is None:
            return False
        return (self.rest_until or promised_at) <= promised_at and (self.active_at or promised_at) <= promised_at


@dataclass(frozen=True, kw_only=True)
class WishDecision:
    """What follows from a look at a wish: the notice to send, if any, and the wish as it is from then on."""

    notice: WishedNotice | None
    wish: Wish


def count_ignored(wish: Wish) -> int:
    """How many reminders were sent since the annotator was at work last, as far as these were in a row."""
    reminded_at, active_at = wish.reminded_at, wish.active_at
    return 0 if reminded_at is not None and active_at is not None and active_at > reminded_at else wish.ignored


def is_reminder_due(wish: Wish, *, now: datetime) -> bool:
    """Whether a reminder is to be sent now, if there is something to answer."""
    first = _find_reminder_time(wish)
    return first is not None and first <= now and (not wish.reminders or count_ignored(wish) < MOST_IGNORED)


def needs_look(wish: Wish, *, now: datetime) -> bool:
    """Whether anything depends on there being something to answer."""
    return wish.news or is_reminder_due(wish, now=now)


def decide_notice(wish: Wish, *, now: datetime, has_item: bool) -> WishDecision:
    """What is sent now, by day; `has_item` says that there is something to answer. News goes before a reminder."""
    if wish.reminders and count_ignored(wish) >= MOST_IGNORED:
        wish = replace(wish, reminders=False, ignored=0)
    if wish.news and not has_item:
        return WishDecision(notice=None, wish=replace(wish, saw_none=True))
    if wish.news and wish.saw_none:
        rest_until = max(now + REMINDER_INTERVAL, wish.rest_until or now)
        told = replace(wish, news=False, rest_until=wish.rest_until if wish.is_promised else rest_until)
        return WishDecision(notice=WishedNotice.NEWS, wish=told)
    if not (has_item and is_reminder_due(wish, now=now)):
        return WishDecision(notice=None, wish=wish)
    promised_at = wish.promised_at if wish.is_promised else None
    rest_until = now + REMINDER_INTERVAL
    if not wish.reminders:
        reminded = replace(wish, reminded_at=now, rest_until=rest_until)
        return WishDecision(notice=WishedNotice.PROMISED, wish=reminded)
    ignored = count_ignored(wish) + 1
    reminded = replace(wish, ignored=ignored, reminded_at=now, rest_until=rest_until, promised_at=promised_at)
    is_last = ignored >= MOST_IGNORED
    return WishDecision(notice=WishedNotice.LAST_REMINDER if is_last else WishedNotice.REMINDER, wish=reminded)


def find_next_look(wish: Wish, *, now: datetime, zone: str | None, default_zone: str) -> datetime | None:
    """When to look at the wish again, by day in the annotator's time zone; None where nothing is wished for."""
    looks = [now + NEWS_INTERVAL] if wish.news else []
    if wish.reminders or wish.is_promised:
        first = _find_reminder_time(wish)
        looks.append(now + ABSENCE_INTERVAL if first is None else max(first, now + REMINDER_RETRY))
    return announcements.find_next_day(min(looks), zone, default=default_zone) if looks else None


def _find_reminder_time(wish: Wish) -> datetime | None:
    """The earliest time of the next reminder; None where there is none to come."""
    if wish.active_at is None:
        return None
    if wish.is_promised:
        return wish.promised_at
    if not wish.reminders:
        return None
    return max(wish.active_at + IDLE_TIME, wish.rest_until or wish.active_at)


def settle_wish(wish: Wish, *, now: datetime, zone: ZoneInfo) -> Wish:
    """The wish as far as it still means something: without what the annotator has come back for by themselves. Pure.

    A single reminder lapses where they were at work on its day, or where its day is over. Whoever is at work has found
    what would be news.
    """
    promised_at, active_at = wish.promised_at, wish.active_at
    if promised_at is not None and not wish.reminders:
        came = active_at is not None and active_at.astimezone(zone).date() >= promised_at.astimezone(zone).date()
        if came or now >= promised_at + PROMISE_LASTS:
            wish = replace(wish, promised_at=None)
    return replace(wish, saw_none=False) if wish.at_work else wish


MAX_SEARCHES = 5
"""How many times one look searches on for an item; where it has not ended then, it counts as not found."""


def find_available_title(session: Session, *, annotator_id: int, now: datetime) -> str | None:
    """The title of the project or programme in which there is an item for the annotator now; None where there is none.

    Nothing is changed. What the annotator would have to agree to first counts as no item.
    """
    open_now = open_projects.list_open_projects(session, annotator_id=annotator_id)
    wanted = [offer.project for offer in open_now if not offer.is_full]
    possible = _list_possible_projects(session, wanted, annotator_id=annotator_id, now=now) if wanted else ()
    assigned_project = _try_to_assign(session, possible, annotator_id=annotator_id, now=now) if possible else None
    return next((offer.title for offer in open_now if offer.project == assigned_project), None)


def _list_possible_projects(
    session: Session, project_ids: Sequence[int], *, annotator_id: int, now: datetime
) -> Sequence[int]:
    """Those of the projects that may have an item for the annotator; all others have none."""
    values = {"projects": list(project_ids), "annotator": annotator_id, "now": now}
    possible = set(session.connection().execute(_POSSIBLE, values).scalars())
    return [project_id for project_id in project_ids if project_id in possible]


def _try_to_assign(session: Session, project_ids: Sequence[int], *, annotator_id: int, now: datetime) -> int | None:
    """The project of the item that would be assigned; what was done to find it is undone."""
    savepoint = session.begin_nested()
    try:
        transaction = assignments.lock_annotator(session, annotator_id)
        for project_id in project_ids:
            for _ in range(MAX_SEARCHES):
                result = assignments.assign_next_item(transaction, now=now, project_id=project_id)
                if isinstance(result, AssignedItem):
                    return result.project_id
                if result.reason is not UnassignedReason.SEARCHING:
                    break
        return None
    finally:
        savepoint.rollback()
        session.expire_all()


_PROJECT = sa.column("id", sa.Integer)
_IS_OWN = sa.and_(
    col(Participation.annotator_id) == sa.bindparam("annotator"), col(Participation.project_id) == _PROJECT
)
_IS_OWN_ASSIGNMENT = sa.and_(
    col(Assignment.annotator_id) == sa.bindparam("annotator"), col(Assignment.project_id) == _PROJECT
)
_MAY_WORK = sa.and_(
    col(Participation.status) == ParticipationStatus.ACTIVE,
    sa.or_(
        col(Participation.retry_at).is_(None),
        col(Participation.retry_at) <= sa.bindparam("now", type_=UtcDateTime()),
    ),
)
_POSSIBLE = (
    sa.select(_PROJECT)
    .select_from(sa.table("project", _PROJECT))
    .where(
        _PROJECT.in_(sa.bindparam("projects", expanding=True)),
        ~sa.exists().where(_IS_OWN, sa.not_(_MAY_WORK)),
        sa.or_(
            sa.exists().where(col(Item.project_id) == _PROJECT, sa.text("item.free > 0")),
            sa.exists().where(_IS_OWN, col(Participation.stage) != Stage.MAIN),
            sa.exists().where(_IS_OWN_ASSIGNMENT, sa.text("assignment.status IN ('live', 'expired')")),
            sa.exists().where(_IS_OWN_ASSIGNMENT, sa.text("assignment.repeat_at IS NOT NULL")),
            sa.exists().where(
                col(Assignment.project_id) == _PROJECT,
                sa.text("assignment.status = 'live'"),
                col(Assignment.lease_until) < sa.bindparam("now", type_=UtcDateTime()),
            ),
        ),
    )
)
"""The query for the projects that may have an item for the annotator.

They take part there or can, and there is a free place, a lease that is over, an item that they had before, or a stage
before the main one, whose items have no places.
"""


MOST_LOOKS = 20
"""How many wishes are looked at in one transaction, so that nobody's tap waits for long."""


@dataclass(frozen=True, kw_only=True)
class QueuedWish:
    """A reminder or news for one annotator: its name in the outbox, their chat and language, when night falls there.

    `title` is that of the project or programme in which there is something to answer.
    """

    kind: WishedNotice
    notice: str
    telegram_id: int
    language: str | None
    title: str
    send_before: datetime


def get_wish(session: Session, *, annotator_id: int) -> Wish:
    """What the annotator wants; nothing where they have never said."""
    row = session.get(NoticeWish, annotator_id, populate_existing=True)
    return Wish(reminders=False, news=False) if row is None else _read_wish(row, active_at=None)


def set_wish(
    session: Session,
    *,
    annotator: AnnotatorRow,
    now: datetime,
    default_zone: str,
    reminders: bool | None = None,
    news: bool | None = None,
    saw_none: bool = False,
) -> Wish:
    """Set what the annotator wants, and leave the rest; what they no longer want is not sent if it was not begun.

    `saw_none` says that there is nothing for them to answer now, so that whatever comes is news. The annotator is
    locked. Reminders that they did not answer before are no longer counted.
    """
    unwanted = [name for name, on in ((notices.REMINDER, reminders), (notices.NEWS, news)) if on is False]
    if annotator.telegram_id is not None and unwanted:
        notices.take_back_notices(session, telegram_id=annotator.telegram_id, now=now, names=unwanted)
    wish = get_wish(session, annotator_id=annotator.id or 0)
    changed = replace(
        wish,
        reminders=wish.reminders if reminders is None else reminders,
        news=wish.news if news is None else news,
        saw_none=saw_none or (wish.saw_none and (news is None or wish.news)),
        promised_at=None if reminders is False else wish.promised_at,
        ignored=0,
    )
    _store_wish(session, annotator, changed, now=now, default_zone=default_zone)
    return changed


def postpone_reminder(
    session: Session, *, annotator: AnnotatorRow, now: datetime, default_zone: str, once: bool = False
) -> None:
    """Remind the annotator tomorrow, by day: they asked for it. With `once` this turns no further reminders on."""
    wish = get_wish(session, annotator_id=annotator.id or 0)
    tomorrow = announcements.find_tomorrow(now, annotator.time_zone, default=default_zone)
    reminders = wish.reminders or not once
    postponed = replace(wish, reminders=reminders, rest_until=tomorrow, promised_at=tomorrow, ignored=0)
    _store_wish(session, annotator, postponed, now=now, default_zone=default_zone)


def note_nothing_to_answer(session: Session, *, annotator_id: int) -> Wish:
    """Note that there is nothing for the annotator to answer now, so that whatever comes is news to them."""
    wish = get_wish(session, annotator_id=annotator_id)
    if wish.news and not wish.saw_none:
        noted = sa.update(NoticeWish).where(col(NoticeWish.annotator_id) == annotator_id)
        session.connection().execute(noted.values(saw_none=True))
    return wish


def note_work(session: Session, *, annotator_id: int) -> None:
    """Note that the annotator has just worked, so that what they could go on with is no news to them."""
    seen = sa.update(NoticeWish).where(col(NoticeWish.annotator_id) == annotator_id, col(NoticeWish.saw_none))
    session.connection().execute(seen.values(saw_none=False))


def queue_wished_notices(
    session: Session, *, now: datetime, default_zone: str, simulated: bool = False
) -> Sequence[QueuedWish]:
    """Look at the wishes that are due, and return what is to be stored in the outbox, in this transaction.

    These are wishes of people who can be written to; of simulated ones too where `simulated` says so. `default_zone` is
    the time zone of those who have not told theirs.
    """
    due = session.connection().execute(_DUE, {"now": now, "most": MOST_LOOKS}).all()
    looked_at = [
        (row, _look(session, row, now=now, default_zone=default_zone, simulated=simulated)) for row in due
    ]  # nothing is locked in between: whoever is locked for a look waits for nothing that this transaction holds
    return tuple(
        queued
        for row, (changed, due_at, queued) in sorted(looked_at, key=lambda looked: looked[0].annotator_id)
        if _update_wish(session, row, changed, due_at=due_at) and queued is not None
    )


def _look(
    session: Session, row: Any, *, now: datetime, default_zone: str, simulated: bool
) -> tuple[Wish, datetime | None, QueuedWish | None]:
    """The wish as it is from now on, when to look again, and what is to be sent."""
    wish = _read_wish(row, active_at=row.active_at)
    if not row.is_writable:
        return replace(wish, reminders=False, news=False, promised_at=None), None, None
    is_active = row.active_at is not None and now - row.active_at < announcements.WORK_LASTS
    wish = settle_wish(
        replace(wish, at_work=is_active and row.holds_item),
        now=now,
        zone=announcements.get_zone(row.time_zone, default_zone),
    )
    night = announcements.find_day_end(now, row.time_zone, default=default_zone)
    if night is None or (row.simulated and not simulated):
        wait = now if night is None else night
        return wish, announcements.find_next_day(wait, row.time_zone, default=default_zone), None
    if wish.at_work:
        later = now + announcements.WORK_LASTS
        due_at = find_next_look(wish, now=later, zone=row.time_zone, default_zone=default_zone)
        return wish, due_at, None
    title = find_available_title(session, annotator_id=row.annotator_id, now=now) if needs_look(wish, now=now) else None
    decision = decide_notice(wish, now=now, has_item=title is not None)
    due_at = find_next_look(decision.wish, now=now, zone=row.time_zone, default_zone=default_zone)
    if decision.notice is None:
        return decision.wish, due_at, None
    is_news = decision.notice is WishedNotice.NEWS
    queued = QueuedWish(
        kind=decision.notice,
        notice=notices.NEWS if is_news else notices.REMINDER,
        telegram_id=row.telegram_id,
        language=row.language,
        title=title or "",
        send_before=night,
    )
    return decision.wish, due_at, queued


def _read_wish(row: Any, *, active_at: datetime | None) -> Wish:
    return Wish(
        reminders=row.reminders,
        news=row.news,
        saw_none=row.saw_none,
        reminded_at=row.reminded_at,
        rest_until=row.rest_until,
        promised_at=row.promised_at,
        ignored=row.ignored,
        active_at=active_at,
    )


def _list_values(wish: Wish, *, due_at: datetime | None) -> dict[str, Any]:
    values = {key: value for key, value in vars(wish).items() if key not in {"active_at", "at_work"}}
    return values | {"due_at": due_at}


def _store_wish(session: Session, annotator: AnnotatorRow, wish: Wish, *, now: datetime, default_zone: str) -> None:
    """Store a wish that its annotator changed; it is looked at soon."""
    row = session.get(NoticeWish, annotator.id) or NoticeWish(annotator_id=annotator.id or 0)
    is_wanted = wish.reminders or wish.news or wish.promised_at is not None
    due_at = announcements.find_next_day(now, annotator.time_zone, default=default_zone) if is_wanted else None
    for name, value in _list_values(wish, due_at=due_at).items():
        setattr(row, name, value)
    session.add(row)
    session.flush()


def _update_wish(session: Session, row: Any, wish: Wish, *, due_at: datetime | None) -> bool:
    """Store what follows from a look; False where the annotator changed the wish meanwhile."""
    seen = _list_values(_read_wish(row, active_at=None), due_at=row.due_at)
    is_unchanged = [getattr(NoticeWish, name).is_not_distinct_from(value) for name, value in seen.items()]
    unchanged = sa.update(NoticeWish).where(col(NoticeWish.annotator_id) == row.annotator_id, *is_unchanged)
    changed = session.connection().execute(unchanged.values(_list_values(wish, due_at=due_at)))
    return changed.rowcount > 0


_ACTIVE_AT = (
    sa.select(sa.func.max(sa.func.coalesce(col(Participation.last_at), col(Participation.joined_at))))
    .where(col(Participation.annotator_id) == col(Annotator.id), col(Participation.status).in_(withdrawal.PRESENT))
    .correlate(Annotator)
    .scalar_subquery()
)
_IS_WRITABLE = sa.and_(
    col(Annotator.telegram_id).is_not(None),
    col(Annotator.unreachable_at).is_(None),
    col(Annotator.suspended_at).is_(None),
    col(Annotator.forgotten_at).is_(None),
)
_WISH_TABLE: sa.FromClause = sa.inspect(NoticeWish).local_table
_DUE = (
    sa.select(
        *_WISH_TABLE.columns,
        col(Annotator.telegram_id),
        col(Annotator.language),
        col(Annotator.time_zone),
        col(Annotator.simulated),
        _IS_WRITABLE.label("is_writable"),
        _ACTIVE_AT.label("active_at"),
        announcements.HOLDS_ITEM.label("holds_item"),
    )
    .select_from(_WISH_TABLE.join(Annotator, col(Annotator.id) == col(NoticeWish.annotator_id)))
    .where(col(NoticeWish.due_at) <= sa.bindparam("now"))
    .order_by(col(NoticeWish.due_at), col(NoticeWish.annotator_id))
    .limit(sa.bindparam("most"))
)
"""The query for the wishes that are due, those that have waited longest first, with what is known of their annotators.

`active_at` is when the annotator was at work last in a project in which they take part, or joined it.
"""
