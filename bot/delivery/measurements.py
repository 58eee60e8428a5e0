"""What one process counts of its own work, as plain numbers; `metrics` reports them where somebody asks."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

SAVED_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the histogram of the time from receiving an answer to storing it, in seconds."""


@dataclass
class Measurements:
    """The counters of one process, from its start on.

    `updates` are stored updates by kind, `dropped` those beyond the flood limit; `errors` are failures by where they
    happened and of what kind. `answers` are stored answers, and `saved_within` counts the updates that brought them, by
    the index of the first bound in SAVED_SECONDS that their time does not exceed. `leases` says of each lease whether
    this process holds it, and `answered_at` is when Telegram last answered a call, on the monotonic clock.
    """

    updates: Counter[str] = field(default_factory=Counter)
    dropped: int = 0
    answers: int = 0
    sent: int = 0
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    saved_within: list[int] = field(default_factory=lambda: [0] * (len(SAVED_SECONDS) + 1))
    saved_seconds: float = 0.0
    leases: dict[str, Callable[[], bool]] = field(default_factory=dict)
    answered_at: float | None = None

    def count_answers(self, answers: int, *, seconds: float) -> None:
        """Count the answers that one update brought, stored so many seconds after it was received."""
        if answers:
            self.answers += answers
            self.saved_within[bisect_left(SAVED_SECONDS, seconds)] += 1
            self.saved_seconds += seconds

    def count_error(self, source: str, kind: str) -> None:
        """Count a failure; `kind` is a name from the program or a number of HTTP, never words that somebody wrote."""
        self.errors[source, kind] += 1

    def note_response(self, status: int) -> None:
        """Telegram has responded with this status. A failing server or proxy on the way is no answer of Telegram."""
        if status >= 400:
            self.count_error("telegram", str(status))
        if status < 500:
            self.answered_at = monotonic()
