"""Time zones: the cities offered as buttons, zones typed as text, and times in a zone."""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale
from babel.core import get_global

from annotation.vocabulary import UNSAID_TIME_ZONE
from bot.conversation.texts import Texts, get_texts, list_languages, typed_words


def get_city(zone: str, language: str) -> str:
    """The city that stands for a zone in a language, as CLDR names it; otherwise the last part of the IANA name."""
    return _list_zone_cities(language).get(zone) or zone.rpartition("/")[2].replace("_", " ")


@cache
def _list_zone_cities(language: str) -> dict[str, str]:
    """The cities of zones in a language by IANA name; CLDR has some of them under older names."""
    aliases = get_global("zone_aliases")
    zones = Locale.parse(language).time_zones.items()
    return {aliases.get(name, name): str(data["city"]) for name, data in zones if "city" in data}


@cache
def _list_zones() -> frozenset[str]:
    """The names of all zones; looking for them in the file system takes 10 ms."""
    return frozenset(zoneinfo.available_timezones())


def index_cities() -> dict[str, str]:
    """IANA names of zones by IANA name and by cities in every language, as `normalise_name` writes them."""
    return _index_cities(list_languages())


@cache
def _index_cities(languages: tuple[str, ...]) -> dict[str, str]:
    names = sorted(_list_zones())
    index = {normalise_name(name.rpartition("/")[2]): name for name in names if "/" in name}
    for language in languages:
        index |= {normalise_name(city): zone for zone, city in _list_zone_cities(language).items() if zone in names}
    for language in languages:
        cities = typed_words.parse_cities(get_texts(language)("cities"))
        index |= {normalise_name(city): zone for city, zone in cities.items()}
    return index | {normalise_name(name): name for name in names}


def list_common_zones(language: str) -> tuple[str, ...]:
    """The zones where most speakers of a language live, offered as buttons; others are typed."""
    return typed_words.split_list(get_texts(language)("common-zones"))


def normalise_name(name: str) -> str:
    """The name of a city as it is compared: in lower case, with single spaces, plain apostrophes, and е for ё."""
    words = " ".join(name.replace("_", " ").split()).casefold()
    return words.replace("’", "'").replace("ʼ", "'").replace("ё", "е")


FRACTIONAL_OFFSET_ZONES = (
    "Asia/Kolkata", "Asia/Tehran", "Asia/Kabul", "Asia/Kathmandu", "Asia/Yangon", "Australia/Darwin",
    "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Eucla", "Pacific/Chatham", "America/St_Johns",
    "Pacific/Marquesas",
)  # fmt: skip
"""Zones whose offset from UTC is not whole hours; of zones with the same offset the most populous comes first."""
MAX_CLOCK_ERROR = timedelta(minutes=7)
"""How far a typed local time may be from that of the zone: clocks are wrong, and typing takes a while."""
_OFFSET = re.compile(r"(?:utc|gmt)? ?([+-])(\d{1,2})(?:[:.]?(\d{2}))?")
_LOCAL_TIME = re.compile(r"(\d{1,2})[:.](\d{2})(?: ?([ap])\.?m\.?)?")
_QUARTER = timedelta(minutes=15)


def parse_time_zone(text: str, *, now: datetime, language: str) -> str | None:
    """The IANA name for `Tokyo`, `Токіо`, `Asia/Tokyo`, `+3`, `UTC+5:30`, or the local time `14:30`; None for others.

    An offset of whole hours becomes `Etc/GMT…`, any other a zone that has this offset now. A local time becomes a
    common zone of the language where one has this time now, otherwise its offset.
    """
    typed = normalise_name(text).replace("−", "-").strip(" .!")
    match = _OFFSET.fullmatch(typed)
    if match is not None:
        sign, hours, minutes = match.groups(default="0")
        if int(minutes) > 59:
            return None
        return _find_offset_zone(int(f"{sign}1") * timedelta(hours=int(hours), minutes=int(minutes)), now)
    if (time_match := _LOCAL_TIME.fullmatch(typed)) is not None:
        return _find_local_zone(time_match, now=now, language=language)
    return index_cities().get(typed)


def _find_offset_zone(offset: timedelta, now: datetime) -> str | None:
    hours, rest = divmod(abs(offset), timedelta(hours=1))
    if rest:
        return next((name for name in FRACTIONAL_OFFSET_ZONES if _get_utc_offset(name, now) == offset), None)
    sign = "-" if offset > timedelta(0) else "+"  # the signs of these names are the other way round
    name = f"Etc/GMT{sign}{hours}" if hours else "Etc/GMT"
    return name if name in _list_zones() else None


def _find_local_zone(match: re.Match[str], *, now: datetime, language: str) -> str | None:
    """The zone in which it is this time now, but for MAX_CLOCK_ERROR."""
    hours, minutes = int(match[1]), int(match[2])
    if match[3] is not None and 1 <= hours <= 12:
        hours = hours % 12 + 12 * (match[3] == "p")
    if hours > 23 or minutes > 59:
        return None
    utc = timedelta(hours=now.hour, minutes=now.minute)
    ahead = (timedelta(hours=hours, minutes=minutes) - utc) % timedelta(days=1)
    offset = round(ahead / _QUARTER) * _QUARTER
    if abs(ahead - offset) > MAX_CLOCK_ERROR:
        return None
    offset -= timedelta(days=1) if offset >= timedelta(hours=14) else timedelta(0)
    common = next((name for name in list_common_zones(language) if _get_utc_offset(name, now) == offset), None)
    return common or _find_offset_zone(offset, now)


def format_zone(name: str, translate: Texts) -> str:
    """A zone as annotators read it: the offset of `Etc/GMT…`, otherwise the city that stands for it."""
    if name.startswith("Etc/GMT"):
        hours = -int(name.removeprefix("Etc/GMT") or 0)
        return f"UTC{hours:+d}" if hours else "UTC"
    return get_city(name, translate.language)


def format_time(moment: datetime, translate: Texts, *, zone: str | None, now: datetime) -> str:
    """A date and time with the annotator's zone; how long from now on, where they have told none."""
    told = None if zone in {None, UNSAID_TIME_ZONE} else zone
    try:
        local = None if told is None else moment.astimezone(ZoneInfo(told))
    except (ZoneInfoNotFoundError, ValueError):
        local = None
    if local is not None and told is not None:
        month, place = translate("month-name", month=local.month), format_zone(told, translate)
        return translate("moment", day=local.day, month=month, time=f"{local:%H:%M}", zone=place)
    minutes = max(1, -(-(moment - now) // timedelta(minutes=1)))
    return translate("in-minutes", minutes=minutes) if minutes <= 90 else translate("in-hours", hours=-(-minutes // 60))


def format_date(moment: datetime, translate: Texts, *, zone: str | None) -> str:
    """A date with its year, in the annotator's zone; in UTC where the zone is unknown."""
    try:
        local = moment.astimezone(ZoneInfo(zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        local = moment
    month = translate("month-name", month=local.month)
    return translate("date", day=local.day, month=month, year=str(local.year))


def _get_utc_offset(name: str, now: datetime) -> timedelta | None:
    return now.astimezone(ZoneInfo(name)).utcoffset()
