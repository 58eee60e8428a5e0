"""When annotators are written to who wished for it: what follows from a look at a wish, decided without a database.

A reminder comes to people who have not been at work for IDLE_TIME, at most once in REMINDER_INTERVAL, and at the time
for which they asked, even if they were at work before it. MOST_IGNORED in a row without an answer are the end. News
comes once, when there is something to answer after there was nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from annotation.workflow.notices import daytime

IDLE_TIME = timedelta(days=2)
"""For so long somebody has not been at work before they are reminded."""
REMINDER_INTERVAL = timedelta(days=3)
"""How much time is between two reminders at least."""
MOST_IGNORED = 3
"""After so many reminders in a row without an answer no more are sent."""
NEWS_INTERVAL, REMINDER_RETRY, ABSENCE_INTERVAL = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)
"""When it is looked again: for news, for something to be reminded of, and for people who take part in nothing now."""


class WishedNotice(StrEnum):
    """What somebody gets who wished for it; the last reminder says that it is the last."""

    REMINDER = "reminder"
    LAST_REMINDER = "last reminder"
    NEWS = "news"


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What an annotator wants, as `NoticeWish` stores it.

    `promised_at` is when they asked to be reminded; once a reminder follows, `rest_until` is later. `active_at` is when
    they were at work last, or joined; None where they take part in nothing.
    """

    reminders: bool
    news: bool
    saw_none: bool = False
    reminded_at: datetime | None = None
    rest_until: datetime | None = None
    promised_at: datetime | None = None
    ignored: int = 0
    active_at: datetime | None = None


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
    return first is not None and first <= now and count_ignored(wish) < MOST_IGNORED


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
        told = replace(wish, news=False, rest_until=wish.rest_until if _is_promised(wish) else rest_until)
        return WishDecision(notice=WishedNotice.NEWS, wish=told)
    if not (has_item and is_reminder_due(wish, now=now)):
        return WishDecision(notice=None, wish=wish)
    ignored = count_ignored(wish) + 1
    promised_at = wish.promised_at if _is_promised(wish) else None
    rest_until = now + REMINDER_INTERVAL
    reminded = replace(wish, ignored=ignored, reminded_at=now, rest_until=rest_until, promised_at=promised_at)
    is_last = ignored >= MOST_IGNORED
    return WishDecision(notice=WishedNotice.LAST_REMINDER if is_last else WishedNotice.REMINDER, wish=reminded)


def find_next_look(wish: Wish, *, now: datetime, zone: str | None, default_zone: str) -> datetime | None:
    """When to look at the wish again, by day in the annotator's time zone; None where nothing is wished for."""
    looks = [now + NEWS_INTERVAL] if wish.news else []
    if wish.reminders:
        first = _find_reminder_time(wish)
        looks.append(now + ABSENCE_INTERVAL if first is None else max(first, now + REMINDER_RETRY))
    return daytime.find_next_day(min(looks), zone, default=default_zone) if looks else None


def _find_reminder_time(wish: Wish) -> datetime | None:
    """The earliest time of the next reminder; None where there is none to come."""
    if not wish.reminders or wish.active_at is None:
        return None
    if wish.promised_at is not None and _is_promised(wish):
        return wish.promised_at
    return max(wish.active_at + IDLE_TIME, wish.rest_until or wish.active_at)


def _is_promised(wish: Wish) -> bool:
    """Whether the next reminder is one that the annotator asked for, and they were not at work since its time came."""
    promised_at = wish.promised_at
    if promised_at is None:
        return False
    return (wish.rest_until or promised_at) <= promised_at and (wish.active_at or promised_at) <= promised_at
