"""Durations that were measured elsewhere: how long an answer took, or why that is not known. Pure."""

from __future__ import annotations

import math

from annotation.vocabulary import UnknownDuration

Duration = tuple[float | None, UnknownDuration | None]
"""Seconds and why they are not known: one of both is None, or both where nobody measured."""


def check_duration(seconds: float | None) -> Duration:
    """Return a duration in seconds; one below zero, or without end, is not known."""
    if seconds is None:
        return None, None
    return (seconds, None) if math.isfinite(seconds) and seconds >= 0 else (None, UnknownDuration.IMPOSSIBLE)
