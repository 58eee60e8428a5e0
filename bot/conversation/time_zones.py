"""Time zones: the cities offered as buttons, zones typed as text, and times in a zone."""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.conversation.texts import LANGUAGES, Texts, get_texts

COMMON_ZONES = {
    "uk": ("Europe/Kyiv", "Europe/Warsaw", "Europe/Berlin", "Europe/London", "Europe/Lisbon", "America/Toronto"),
    "ru": ("Europe/Kyiv", "Europe/Moscow", "Europe/Riga", "Europe/Berlin", "Asia/Tbilisi", "Asia/Almaty"),
    "en": ("Europe/London", "Europe/Berlin", "Europe/Kyiv", "America/New_York", "America/Los_Angeles", "Asia/Kolkata"),
}
"""The zones where most speakers of a language live, offered as buttons; others are typed."""
FRACTIONAL_OFFSET_ZONES = (
    "Asia/Kolkata", "Asia/Tehran", "Asia/Kabul", "Asia/Kathmandu", "Asia/Yangon", "Australia/Darwin",
    "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Eucla", "Pacific/Chatham", "America/St_Johns",
    "Pacific/Marquesas",
)  # fmt: skip
"""Zones whose offset from UTC is not whole hours; of zones with the same offset the most populous comes first."""
_OFFSET = re.compile(r"(?:utc|gmt)? ?([+-])(\d{1,2})(?:[:.]?(\d{2}))?")


def parse_time_zone(text: str, *, now: datetime) -> str | None:
    """The IANA name for `Tokyo`, `Asia/Tokyo`, `+3`, `UTC+3` or `+5:30`; None for an unknown zone.

    An offset of whole hours becomes `Etc/GMT…`, any other a zone that has this offset now.
    """
    typed = " ".join(text.split()).casefold()
    match = _OFFSET.fullmatch(typed.replace("−", "-"))
    if match is None:
        return _index_zone_names().get(typed.replace("_", " ")) or _index_zone_names().get(typed)
    sign, hours, minutes = match.groups(default="0")
    offset = int(f"{sign}1") * timedelta(hours=int(hours), minutes=int(minutes))
    if int(minutes):
        return next((name for name in FRACTIONAL_OFFSET_ZONES if _get_utc_offset(name, now) == offset), None)
    name = f"Etc/GMT{-int(sign + hours):+d}" if int(hours) else "Etc/GMT"
    return name if name in zoneinfo.available_timezones() else None


def format_zone(name: str, translate: Texts) -> str:
    """A zone as annotators read it: the offset of `Etc/GMT…`, the city of a common zone, otherwise the IANA name."""
    if name.startswith("Etc/GMT"):
        hours = -int(name.removeprefix("Etc/GMT") or 0)
        return f"UTC{hours:+d}" if hours else "UTC"
    has_city = any(name in zones for zones in COMMON_ZONES.values())
    return translate(get_city_text_id(name)) if has_city else name.replace("_", " ")


def format_time(moment: datetime, translate: Texts, *, zone: str | None) -> str:
    """A date and time in the annotator's zone; in UTC, and marked so, where the zone is unknown."""
    try:
        local = moment.astimezone(ZoneInfo(zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        return format_time(moment, translate, zone=None)
    time = f"{local:%H:%M}" + ("" if zone else " UTC")
    return translate("moment", day=local.day, month=local.month, time=time)


def get_city_text_id(name: str) -> str:
    """The id of the text with the city of a zone."""
    return "zone-" + name.rpartition("/")[2].lower().replace("_", "-")


def _get_utc_offset(name: str, now: datetime) -> timedelta | None:
    return now.astimezone(ZoneInfo(name)).utcoffset()


@cache
def _index_zone_names() -> dict[str, str]:
    """IANA names by IANA name and by city, in lower case, and by the cities on the buttons in every language."""
    names = sorted(zoneinfo.available_timezones())
    cities = {name.rpartition("/")[2].replace("_", " ").casefold(): name for name in names if "/" in name}
    return cities | _index_cities() | {name.casefold(): name for name in names}


def _index_cities() -> dict[str, str]:
    """IANA names of the zones on buttons by the names of their cities in every language, in lower case."""
    names = sorted({name for zones in COMMON_ZONES.values() for name in zones})
    return {get_texts(language)(get_city_text_id(name)).casefold(): name for name in names for language in LANGUAGES}
