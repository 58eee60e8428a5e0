"""The hours in which people are written to who have not asked for it now: by day, where they are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from annotation.vocabulary import UNSAID_TIME_ZONE

DAY_BEGINS, DAY_ENDS = time(10), time(20)
"""The local hours within which people are written to."""
NIGHT_ENDS = time(5)
"""Before this hour people who are awake still call the day that begins tomorrow."""


def find_day_end(now: datetime, zone: str | None, *, default: str) -> datetime | None:
    """When the day ends on which it is `now` in this time zone; None by night. `default` is the zone of the unknown."""
    local = now.astimezone(_get_zone(zone, default))
    return _set_time(local, DAY_ENDS) if DAY_BEGINS <= local.time() < DAY_ENDS else None


def find_next_day(now: datetime, zone: str | None, *, default: str) -> datetime:
    """When people in this time zone may be written to next: now by day, otherwise when the next day begins."""
    local = now.astimezone(_get_zone(zone, default))
    if DAY_BEGINS <= local.time() < DAY_ENDS:
        return now
    morning = local if local.time() < DAY_BEGINS else local + timedelta(days=1)
    return _set_time(morning, DAY_BEGINS)


def find_tomorrow(now: datetime, zone: str | None, *, default: str) -> datetime:
    """When the day begins that people in this time zone call tomorrow: before NIGHT_ENDS it is still the day before."""
    local = now.astimezone(_get_zone(zone, default))
    return _set_time(local if local.time() < NIGHT_ENDS else local + timedelta(days=1), DAY_BEGINS)


def list_day_zones(zones: Iterable[str | None], now: datetime, *, default: str) -> list[str | None]:
    """Those of the time zones in which it is day."""
    return [zone for zone in zones if find_day_end(now, zone, default=default) is not None]


def _get_zone(zone: str | None, default: str) -> ZoneInfo:
    return ZoneInfo(default if zone in {None, UNSAID_TIME_ZONE} else zone or default)


def _set_time(local: datetime, at: time) -> datetime:
    """This time on the day of `local`, in UTC."""
    moment = local.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return moment.astimezone(ZoneInfo("UTC"))
