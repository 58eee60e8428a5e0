"""Times in a person's own zone and language."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.conversation.texts import Texts


def told(at: datetime, say: Texts, *, zone: str | None) -> str:
    """A date and a time, and of which zone they are where the person has not said hers."""
    try:
        there = at.astimezone(ZoneInfo(zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        return told(at, say, zone=None)
    time = f"{there:%H:%M}" + ("" if zone else " UTC")
    return say("moment", day=there.day, month=there.month, time=time)
