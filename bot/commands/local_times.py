"""Times as commands print them: in the time zone of the settings, HROMADA_TIME_ZONE. JSON has UTC."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


def get_zone() -> ZoneInfo:
    """The time zone of the settings."""
    from annotation.settings import read_settings

    return ZoneInfo(read_settings().time_zone)


def format_moment(at: datetime | str) -> str:
    """A moment with its zone, as 2026-11-23 18:04 (Europe/Kyiv); `at` is aware, or in ISO format."""
    return f"{format_minute(at)} ({get_zone().key})"


def format_minute(at: datetime | str) -> str:
    """A moment without its zone, as 2026-11-23 18:04: for cells of a table with the note of `name_zone`."""
    return f"{_localise(at):%Y-%m-%d %H:%M}"


def format_short(at: datetime) -> str:
    """A moment of these days without year and zone, as 23.11 18:04, with the note of `name_zone`."""
    return f"{_localise(at):%d.%m %H:%M}"


def format_day(at: datetime | str) -> str:
    """The day of a moment, as 2026-11-23."""
    return f"{_localise(at):%Y-%m-%d}"


def name_zone() -> str:
    """The note below a table that has times."""
    return f"Times are those of {get_zone().key}; the setting HROMADA_TIME_ZONE changes that."


def _localise(at: datetime | str) -> datetime:
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return moment.astimezone(get_zone())
