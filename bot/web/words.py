"""Times, numbers and states as the dashboard writes them, in the language of the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from zoneinfo import ZoneInfo

from exports.pages.localization import get_language, mark_text, translate, translate_count

STATES = {
    "loaded": mark_text("not started"),
    "running": mark_text("running"),
    "paused": mark_text("paused"),
    "closed": mark_text("closed"),
}
PEOPLE_STATES = {
    "active": mark_text("active"),
    "imported": mark_text("imported"),
    "forgotten": mark_text("erased"),
    "consent": mark_text("consent asked for"),
    "profile": mark_text("profile asked for"),
    "warning": mark_text("warning not accepted"),
    "not admitted": mark_text("not admitted"),
    "not running": mark_text("project not running"),
    "suspended": mark_text("suspended"),
    "paused": mark_text("paused"),
    "excluded": mark_text("excluded"),
    "failed": mark_text("qualification failed"),
    "cool-down": mark_text("cooling down"),
    "withdrawn": mark_text("withdrew"),
    "cap": mark_text("cap reached"),
    "quota": mark_text("quota reached"),
    "nothing left": mark_text("nothing left"),
    "searching": mark_text("being served"),
}
"""States of annotators, as `roster.RosterEntry` names them."""
WORKS = {
    "adjudication": mark_text("adjudication"),
    "gold review": mark_text("gold review"),
    "review": mark_text("review"),
}
"""Decisions in Label Studio, as `BatchWork` names them."""
ITEM_STATES = {
    "done": mark_text("done"),
    "open": mark_text("open"),
    "paused": mark_text("paused"),
    "retired": mark_text("retired"),
}


_time_zone: ContextVar[str] = ContextVar("time_zone", default="UTC")


@contextmanager
def use_time_zone(name: str) -> Iterator[None]:
    """Write times in this time zone until the end of the block."""
    token = _time_zone.set(name)
    try:
        yield
    finally:
        _time_zone.reset(token)


def get_time_zone() -> str:
    """The name of the time zone in which times are written now."""
    return _time_zone.get()


def format_time(at: datetime) -> str:
    """A time as 23 Nov, 18:04, in the time zone of `use_time_zone`."""
    from babel.dates import format_datetime  # slow to import

    return str(format_datetime(at.astimezone(ZoneInfo(get_time_zone())), "d MMM, HH:mm", locale=get_language()))


def format_recent(at: datetime, *, now: datetime) -> str:
    """A time of today as 18:04, any other as `format_time`, in the time zone of `use_time_zone`."""
    zone = ZoneInfo(get_time_zone())
    is_today = at.astimezone(zone).date() == now.astimezone(zone).date()
    return f"{at.astimezone(zone):%H:%M}" if is_today else format_time(at)


def format_clock(at: datetime) -> str:
    """A time of today with the time zone of `use_time_zone`, as 18:04:09 (Europe/Kyiv)."""
    return f"{at.astimezone(ZoneInfo(get_time_zone())):%H:%M:%S} ({get_time_zone()})"


def format_number(number: float, *, digits: int = 0) -> str:
    """A number as 12,345.6 or, in Ukrainian, 12 345,6."""
    from babel.numbers import format_decimal  # slow to import

    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return str(format_decimal(number, format=pattern, locale=get_language()))


def format_pace(per_hour: float) -> str:
    """Items in an hour; a slow pace, as of long texts, with a decimal."""
    return format_number(per_hour, digits=int(per_hour < 10))


def format_duration(seconds: float) -> str:
    """A time span in its largest unit: 40 seconds, 3 hours."""
    if seconds < 90:
        return translate_count("{n} second", "{n} seconds", round(seconds))
    if seconds < 90 * 60:
        return translate_count("{n} minute", "{n} minutes", round(seconds / 60))
    if seconds < 36 * 3600:
        return translate_count("{n} hour", "{n} hours", round(seconds / 3600))
    return translate_count("{n} day", "{n} days", round(seconds / 86400))


def name_state(status: str) -> str:
    """The state of a project."""
    return translate(STATES[status]) if status in STATES else status


def name_person_state(status: str) -> str:
    """The state of an annotator."""
    return translate(PEOPLE_STATES[status]) if status in PEOPLE_STATES else status


def name_work(work: str) -> str:
    """What is decided in Label Studio."""
    return translate(WORKS[work]) if work in WORKS else work


def name_item_state(status: str) -> str:
    """The state of an item."""
    return translate(ITEM_STATES[status]) if status in ITEM_STATES else status
