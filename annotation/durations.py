"""How long an answer took: the duration, or why it is not known. Pure."""

from __future__ import annotations

import math
from datetime import datetime

from annotation.vocabulary import UnknownDuration

Duration = tuple[float | None, UnknownDuration | None]
"""Seconds and why they are not known: one of both is None, or both where nobody measured."""


def check_duration(seconds: float | None) -> Duration:
    """Return a duration that was measured elsewhere; one below zero, or without end, is not known."""
    if seconds is None:
        return None, None
    return (seconds, None) if math.isfinite(seconds) and seconds >= 0 else (None, UnknownDuration.IMPOSSIBLE)


def measure_duration(shown_at: datetime, answered_at: datetime, *, clock_changed: bool) -> Duration:
    """Return the time from showing an item to its answer; `clock_changed` says that the clock was set in between.

    Both times are of one clock. Where it was set, their difference is no duration, even if it looks like one.
    """
    if clock_changed:
        return None, UnknownDuration.CLOCK_CHANGED
    seconds = (answered_at - shown_at).total_seconds()
    return (seconds, None) if seconds >= 0 else (None, UnknownDuration.BEFORE_SHOWN)
