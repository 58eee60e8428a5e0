"""The log of a stress test: what its threads got from the workflow."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class AcknowledgedAnswer:
    """An acknowledged answer, or a skip where `label` is None."""

    assignment: int
    revision: int
    annotator: int
    label: str | None


@dataclass(frozen=True, kw_only=True)
class ShownItem:
    """An item that was assigned to an annotator."""

    assignment: int
    annotator: int
    project: str
    item: str


@dataclass(kw_only=True)
class StressLog:
    """The results of threads: acknowledged answers, assigned items, withdrawn annotators, and the seconds of steps.

    `done` counts, by kind, the steps that did what their name says: a skip with no item in hand is a step that did not.
    """

    answers: list[AcknowledgedAnswer] = field(default_factory=list)
    shown: set[ShownItem] = field(default_factory=set)
    withdrawn: set[int] = field(default_factory=set)
    durations: list[float] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    def add(self, other: StressLog) -> None:
        """Add the results of another log."""
        self.answers += other.answers
        self.shown |= other.shown
        self.withdrawn |= other.withdrawn
        self.durations += other.durations
        self.done += other.done
