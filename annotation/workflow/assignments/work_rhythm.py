"""Remarks after an answer that keep people going: a milestone, a break, the night; never how well they do.

All of it follows from stored times and the number that the annotator sees, so that nothing has to be kept for it: a
remark is made after the first answer past its moment, and therefore once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

FIRST_MILESTONES = (10, 25)
MILESTONE_STEP = 50
"""Every so many items are a milestone, after the first ones."""
BREAK_AFTER = timedelta(minutes=25)
"""How long somebody works until a break is suggested, and how long after it until the next."""
NIGHT_BEGINS, NIGHT_ENDS = time(23), time(6)
NIGHT_AFTER = timedelta(minutes=10)
"""How long somebody who began at night works until it is said that it is late."""


class RemarkKind(StrEnum):
    """What is remarked."""

    MILESTONE = "milestone"
    BREAK = "break"
    NIGHT = "night"


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A remark; `number` is the number of items of a milestone, and the minutes of a break."""

    kind: RemarkKind
    number: int


def list_remarks(
    *, number: int, began: datetime | None, previous: datetime, now: datetime, zone: ZoneInfo | None
) -> tuple[Remark, ...]:
    """The remarks after the answer to the item with this number in the main stage, which was assigned at `previous`.

    The work session began at `began`. Nothing is said of the night where the annotator's time zone is not known.
    """
    remarks = []
    if number in FIRST_MILESTONES or (number > 0 and number % MILESTONE_STEP == 0):
        remarks.append(Remark(kind=RemarkKind.MILESTONE, number=number))
    if began is None:
        return tuple(remarks)
    before = max(previous, began)
    needs_break = (now - began) // BREAK_AFTER > (before - began) // BREAK_AFTER
    night = None if zone is None else _find_night(now.astimezone(zone))
    minutes = int((now - began).total_seconds() // 60)
    if night is not None and (needs_break or before < (night if began < night else began + NIGHT_AFTER) <= now):
        remarks.append(Remark(kind=RemarkKind.NIGHT, number=minutes))
    elif needs_break:
        remarks.append(Remark(kind=RemarkKind.BREAK, number=minutes))
    return tuple(remarks)


def _find_night(local: datetime) -> datetime | None:
    """When the night began in which this local time is, None by day."""
    if local.time() >= NIGHT_BEGINS:
        return local.replace(hour=NIGHT_BEGINS.hour, minute=0, second=0, microsecond=0)
    if local.time() < NIGHT_ENDS:
        evening = local - timedelta(days=1)
        return evening.replace(hour=NIGHT_BEGINS.hour, minute=0, second=0, microsecond=0)
    return None
