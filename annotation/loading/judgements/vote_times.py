"""The times of votes as Google Forms and Excel write them, in their languages; votes are sorted by them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from annotation.errors import BadInput
from annotation.loading.drafts import get_cell
from annotation.loading.judgements.other_tools import RawVote

_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001  # Excel's day 0; times of a file have no zone, or all the same
_DAYS_OF_EXCEL = (20_000.0, 80_000.0)
"""Numbers that are days of Excel: from 1954 to 2119."""
_MORNING = ("am", "a.m", "дп", "vorm", "ap")
_AFTERNOON = ("pm", "p.m", "пп", "nachm", "ip")
_MORNING_BEFORE, _AFTERNOON_BEFORE = ("上午", "오전", "午前"), ("下午", "오후", "午後")
_DATE = re.compile(r"(?P<a>\d{1,4})\s*[./\-年년]\s*(?P<b>\d{1,2})\s*[./\-月월]\s*(?P<c>\d{1,4})\s*[.日일]?")
_TIME = re.compile(r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?")


def sort_by_time(votes: Iterable[RawVote], column: str) -> list[RawVote]:
    """Return the votes in the order of their times; those without one come first, equal ones in file order.

    Raises BadInput for a text that is no time, and where it cannot be told whether the day or the month comes first.
    """
    listed = list(votes)
    written = [get_cell(vote.row, column).strip() for vote in listed]
    day_first = _find_day_first(written)
    times: list[datetime] = []
    for vote, text in zip(listed, written, strict=True):
        time = parse_time(text, day_first=day_first is not False) if text else datetime.min  # noqa: DTZ901
        if time is None:
            raise BadInput(
                f"{text[:40]!r} is not a time.",
                where=vote.row.where(column),
                remedy="Write it like 2026-03-01 14:30:00, or take `time` out.",
            )
        times.append(time)
    if day_first is None and _is_ambiguous(written):
        first = next(vote for vote, text in zip(listed, written, strict=True) if _is_ambiguous([text]))
        raise BadInput(
            f"Is the day or the month first in {get_cell(first.row, column).strip()[:40]!r}? No row tells.",
            where=first.row.where(column),
            remedy="Write the year first, like 2026-03-01 14:30:00.",
        )
    order = sorted(range(len(listed)), key=lambda index: times[index])
    return [listed[index] for index in order]


def can_tell_days(texts: Iterable[str]) -> bool:
    """Return whether it is clear in all times which number is the day and which the month."""
    listed = list(texts)
    return _find_day_first(listed) is not None or not _is_ambiguous(listed)


def parse_time(text: str, *, day_first: bool) -> datetime | None:
    """Return the time that a text states, without its zone, or None if it is no time.

    It may be ISO 8601, a day number of Excel, or a date and time of Google Forms: with points the day is first, with
    the year at its end and slashes `day_first` decides; `AM` and `PM` may be those of other languages.
    """
    number = _parse_number(text)
    if number is not None:
        is_day = _DAYS_OF_EXCEL[0] <= number <= _DAYS_OF_EXCEL[1]
        return _FIRST_DAY + timedelta(milliseconds=round(number * 86_400_000)) if is_day else None
    date = _DATE.match(text)
    if date is None:
        return None
    parts = int(date["a"]), int(date["b"]), int(date["c"])
    if len(date["a"]) == 4:
        year, month, day = parts
    elif day_first or "/" not in date[0]:
        day, month, year = parts
    else:
        month, day, year = parts
    rest = text[date.end() :].lstrip(" ,T").casefold()
    hour = minute = second = 0
    time = _TIME.search(rest)
    if time is not None:
        hour, minute, second = int(time["hour"]), int(time["minute"]), int(time["second"] or 0)
        hour = _read_half(rest[: time.start()].strip(), rest[time.end() :].strip(), hour)
    elif rest:
        return None
    try:
        return datetime(year + 2000 * (year < 100), month, day, hour, minute, second)  # noqa: DTZ001
    except ValueError:
        return None


def _parse_number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d{1,15})?", text) else None


def _read_half(before: str, behind: str, hour: int) -> int:
    """The hour of 24: `2 PM` is 14, `12 AM` is 0; words for the halves of the day stand before or behind the time."""
    word = behind.replace(" ", "")
    if hour <= 12 and (before.startswith(_AFTERNOON_BEFORE) or word.startswith(_AFTERNOON)):
        return hour % 12 + 12
    if hour <= 12 and (before.startswith(_MORNING_BEFORE) or word.startswith(_MORNING)):
        return hour % 12
    return hour


def _find_day_first(texts: Iterable[str]) -> bool | None:
    """Whether the day is first in dates with slashes and the year at their end; None where no row tells."""
    for text in texts:
        date = _DATE.match(text)
        if date is not None and "/" in date[0] and len(date["a"]) < 3:
            if int(date["a"]) > 12:
                return True
            if int(date["b"]) > 12:
                return False
    return None


def _is_ambiguous(texts: Iterable[str]) -> bool:
    dates = (_DATE.match(text) for text in texts)
    return any(date is not None and "/" in date[0] and len(date["a"]) < 3 and date["a"] != date["b"] for date in dates)
