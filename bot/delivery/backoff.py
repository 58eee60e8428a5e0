"""Pauses before a failed operation is tried again: twice as long after each failure, up to a limit."""

from __future__ import annotations

from dataclasses import dataclass

MAX_DOUBLINGS = 60
"""Far beyond any limit; a power of the number of failures would overflow after a thousand of them."""


@dataclass(kw_only=True)
class Backoff:
    """The pauses between attempts at one operation, in seconds; `failures` is how often it failed in a row."""

    first: float
    longest: float
    failures: int = 0

    @property
    def pause(self) -> float:
        """The pause after the next failure."""
        return min(self.longest, self.first * 2.0 ** min(self.failures, MAX_DOUBLINGS))

    def take_pause(self) -> float:
        """Count a failure and return the pause after it."""
        pause = self.pause
        self.failures += 1
        return pause

    def reset(self) -> None:
        """The operation succeeded; the next failure is the first again."""
        self.failures = 0
