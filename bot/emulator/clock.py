"""The time of the emulator: the real one or a still one, and either can be moved on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Clock:
    """Seconds since 1970. `moved` is told of every move, so that whoever waits looks again."""

    source: Callable[[], float] = time.time
    ahead: float = 0.0
    moved: list[Callable[[], None]] = field(default_factory=list)

    def __call__(self) -> float:
        return self.source() + self.ahead

    def move(self, seconds: float) -> None:
        """Let so much time pass at once."""
        self.ahead += seconds
        for tell in tuple(self.moved):
            tell()


def still(at: float = 1_800_000_000.0) -> Clock:
    """A clock that only moves when it is moved."""
    return Clock(source=lambda: at)
