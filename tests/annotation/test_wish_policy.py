"""When annotators are reminded, and when they are told of news: cases of the pure rules."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from annotation.workflow.notices import announcements, wishes
from annotation.workflow.notices.wishes import Wish, WishedNotice

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
IDLE = Wish(reminders=True, news=False, active_at=NOW - 2 * DAY)
AWAY = replace(IDLE, active_at=NOW - 9 * DAY, reminded_at=NOW - 3 * DAY)
WAITING = Wish(reminders=False, news=True, saw_none=True)
CASES = [
    ("after two days away", IDLE, True, WishedNotice.REMINDER),
    ("nothing to answer", IDLE, False, None),
    ("a minute too early", replace(IDLE, active_at=NOW - 2 * DAY + MINUTE), True, None),
    ("never at work", replace(IDLE, active_at=None), True, None),
    ("not wanted", replace(IDLE, reminders=False), True, None),
    (
        "three days after the last",
        replace(IDLE, rest_until=NOW, reminded_at=NOW - 3 * DAY),
        True,
        WishedNotice.REMINDER,
    ),
    ("before that", replace(IDLE, rest_until=NOW + MINUTE, reminded_at=NOW - 3 * DAY + MINUTE), True, None),
    ("the third in a row", replace(AWAY, ignored=2), True, WishedNotice.LAST_REMINDER),
    ("after the third", replace(AWAY, ignored=3), True, None),
    (
        "after the third, but they came back",
        replace(AWAY, ignored=3, active_at=NOW - 2 * DAY),
        True,
        WishedNotice.REMINDER,
    ),
    ("news", WAITING, True, WishedNotice.NEWS),
    ("no news", WAITING, False, None),
    ("what was there when they asked is no news", replace(WAITING, saw_none=False), True, None),
    ("news goes before a reminder", replace(IDLE, news=True, saw_none=True), True, WishedNotice.NEWS),
    ("a reminder while news is awaited", replace(IDLE, news=True), True, WishedNotice.REMINDER),
]


@pytest.mark.parametrize(
    ("wish", "has_item", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_is_sent(wish: Wish, has_item: bool, expected: WishedNotice | None) -> None:
    """By what they want, when they were here last, and whether there is an item."""
    assert wishes.decide_notice(wish, now=NOW, has_item=has_item).notice is expected


TOMORROW = NOW + 20 * HOUR
PROMISED = replace(IDLE, active_at=NOW, rest_until=TOMORROW, promised_at=TOMORROW)


@pytest.mark.parametrize(
    ("wish", "at", "expected"),
    [
        (PROMISED, TOMORROW, WishedNotice.REMINDER),
        (PROMISED, TOMORROW - MINUTE, None),
        (replace(PROMISED, active_at=TOMORROW - MINUTE), TOMORROW, WishedNotice.REMINDER),
        (replace(PROMISED, active_at=TOMORROW + MINUTE), TOMORROW + HOUR, None),
        (replace(PROMISED, active_at=TOMORROW + MINUTE), TOMORROW + 3 * DAY, WishedNotice.REMINDER),
        (replace(PROMISED, reminders=False), TOMORROW, WishedNotice.PROMISED),
        (replace(PROMISED, rest_until=None), TOMORROW, WishedNotice.REMINDER),
    ],
    ids=["in time", "early", "at work before", "at work since", "away since", "a single one", "taken back"],
)
def test_a_promised_reminder(wish: Wish, at: datetime, expected: WishedNotice | None) -> None:
    """It comes when they asked for it, whether or not they were at work meanwhile; once they are back, it need not."""
    assert wishes.decide_notice(wish, now=at, has_item=True).notice is expected


def test_news_does_not_end_a_promise() -> None:
    """Neither does it come twice."""
    told = wishes.decide_notice(replace(PROMISED, news=True, saw_none=True), now=NOW + HOUR, has_item=True)
    assert told.notice is WishedNotice.NEWS
    reminded = wishes.decide_notice(told.wish, now=TOMORROW, has_item=True)
    assert reminded.notice is WishedNotice.REMINDER
    later = replace(reminded.wish, active_at=TOMORROW - HOUR)
    assert wishes.decide_notice(later, now=TOMORROW + 2 * DAY, has_item=True).notice is None


def test_what_a_reminder_changes() -> None:
    """It counts as without an answer until there is one, and the next comes in three days."""
    first = replace(IDLE, active_at=NOW - 5 * DAY)
    reminded = wishes.decide_notice(first, now=NOW, has_item=True).wish
    assert reminded == replace(first, ignored=1, reminded_at=NOW, rest_until=NOW + 3 * DAY)
    again = wishes.decide_notice(reminded, now=NOW + 3 * DAY, has_item=True).wish
    assert again.ignored == 2
    answered = replace(again, active_at=NOW + 4 * DAY)
    assert wishes.decide_notice(answered, now=NOW + 6 * DAY, has_item=True).wish.ignored == 1


def test_three_without_an_answer_are_the_end() -> None:
    """Then nothing is wanted any more, and nothing is looked for."""
    ignored = replace(AWAY, ignored=3)
    ended = wishes.decide_notice(ignored, now=NOW, has_item=True).wish
    assert not ended.reminders
    assert wishes.find_next_look(ended, now=NOW, zone=None, default_zone="UTC") is None


def test_news_comes_once_and_no_reminder_after_it() -> None:
    """It is news only once there was nothing."""
    wish = Wish(reminders=True, news=True, active_at=NOW - 5 * DAY, rest_until=NOW + HOUR)
    assert wishes.decide_notice(wish, now=NOW, has_item=True).notice is None
    waiting = wishes.decide_notice(wish, now=NOW, has_item=False).wish
    told = wishes.decide_notice(waiting, now=NOW, has_item=True)
    assert told.notice is WishedNotice.NEWS
    assert (told.wish.news, told.wish.rest_until) == (False, NOW + 3 * DAY)


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (WAITING, NOW + 15 * MINUTE),
        (IDLE, NOW + HOUR),
        (replace(IDLE, active_at=NOW - DAY), NOW + DAY),
        (replace(IDLE, rest_until=NOW + 3 * DAY), NOW + 3 * DAY),
        (replace(IDLE, active_at=None), NOW + DAY),
        (replace(IDLE, news=True), NOW + 15 * MINUTE),
        (replace(IDLE, active_at=NOW - 2 * DAY + 10 * HOUR), datetime(2026, 11, 25, 10, 0, tzinfo=UTC)),
        (Wish(reminders=False, news=False), None),
    ],
)
def test_when_it_is_looked_again(wish: Wish, expected: datetime | None) -> None:
    """As soon as something may be due, and by day."""
    assert wishes.find_next_look(wish, now=NOW, zone=None, default_zone="UTC") == expected


@pytest.mark.parametrize(
    ("now", "zone", "expected"),
    [
        ("2026-11-24T12:00", "Europe/Kyiv", "2026-11-25T08:00"),
        ("2026-11-24T21:59", "Europe/Kyiv", "2026-11-25T08:00"),
        ("2026-11-24T22:30", "Europe/Kyiv", "2026-11-25T08:00"),
        ("2026-11-25T03:30", "Europe/Kyiv", "2026-11-26T08:00"),
        ("2026-11-24T23:30", "America/New_York", "2026-11-25T15:00"),
        ("2026-03-28T12:00", "Europe/Kyiv", "2026-03-29T07:00"),
        ("2026-11-24T12:00", None, "2026-11-25T10:00"),
    ],
)
def test_tomorrow(now: str, zone: str | None, expected: str) -> None:
    """At ten of the next day where they are; who is awake at half past twelve means the day that is to come."""
    found = announcements.find_tomorrow(datetime.fromisoformat(f"{now}+00:00"), zone, default="UTC")
    assert found == datetime.fromisoformat(f"{expected}+00:00")
