"""A time zone as people type it: a city, its name in the IANA database, the difference from UTC."""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime, timedelta
from functools import cache

from bot.conversation.views import onboarding

PARTS_OF_AN_HOUR = (
    "Asia/Kolkata", "Asia/Tehran", "Asia/Kabul", "Asia/Kathmandu", "Asia/Yangon", "Australia/Darwin",
    "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Eucla", "Pacific/Chatham", "America/St_Johns",
    "Pacific/Marquesas",
)  # fmt: skip
"""Where clocks differ from UTC by more than whole hours: of places that agree, the one where most people live first."""
_OFFSET = re.compile(r"(?:utc|gmt)? ?([+-])(\d{1,2})(?:[:.]?(\d{2}))?")


def meant(text: str, *, now: datetime) -> str | None:
    """The zone's name for `Tokyo`, `Asia/Tokyo`, `+3`, `UTC+3`, `+5:30`; None for what is nowhere.

    An offset of whole hours is a zone by itself; another one stands for a place whose clocks show it now.
    """
    said = " ".join(text.split()).casefold()
    offset = _OFFSET.fullmatch(said.replace("−", "-"))
    if offset is None:
        return _cities().get(said.replace("_", " ")) or _cities().get(said)
    sign, hours, minutes = offset.groups(default="0")
    ahead = int(f"{sign}1") * timedelta(hours=int(hours), minutes=int(minutes))
    if int(minutes):
        return next((name for name in PARTS_OF_AN_HOUR if _ahead(name, now) == ahead), None)
    name = f"Etc/GMT{-int(sign + hours):+d}" if int(hours) else "Etc/GMT"
    return name if name in zoneinfo.available_timezones() else None


def _ahead(name: str, now: datetime) -> timedelta | None:
    return now.astimezone(zoneinfo.ZoneInfo(name)).utcoffset()


@cache
def _cities() -> dict[str, str]:
    """Zones by their whole name and by their city, in small letters; of the buttons' cities in every language too."""
    names = sorted(zoneinfo.available_timezones())
    cities = {name.rpartition("/")[2].replace("_", " ").casefold(): name for name in names if "/" in name}
    return cities | onboarding.cities() | {name.casefold(): name for name in names}
