"""How long to wait before something that failed is tried again: twice as long after each failure, up to a limit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(kw_only=True)
class Backoff:
    """The pauses of one thing that is tried until it succeeds, in seconds; `failures` is how often it failed so far."""

    first: float
    longest: float
    failures: int = 0

    @property
    def pause(self) -> float:
        """The pause after the next failure."""
        return min(self.longest, self.first * 2.0**self.failures)

    def take_pause(self) -> float:
        """Count a failure; the pause after it."""
        pause = self.pause
        self.failures += 1
        return pause

    def reset(self) -> None:
        """It succeeded: the next failure is the first again."""
        self.failures = 0
