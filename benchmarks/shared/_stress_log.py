"""The log of a stress test: what its threads got from the workflow."""

from __future__ import annotations

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
    """The results of threads: acknowledged answers, assigned items, withdrawn annotators, and the seconds of steps."""

    answers: list[AcknowledgedAnswer] = field(default_factory=list)
    shown: set[ShownItem] = field(default_factory=set)
    withdrawn: set[int] = field(default_factory=set)
    durations: list[float] = field(default_factory=list)

    def add(self, other: StressLog) -> None:
        """Add the results of another log."""
        self.answers += other.answers
        self.shown |= other.shown
        self.withdrawn |= other.withdrawn
        self.durations += other.durations
