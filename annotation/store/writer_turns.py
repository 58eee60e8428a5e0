"""Turns of the threads of one process, first come, first served."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from threading import Lock

LOOKS = 10
"""How often a thread that waits looks whether others get on: if the machine stood still, that is one look, not ten."""


@dataclass
class WriterTurns:
    """A lock that threads get in the order in which they asked for it, for as long as others get on.

    `threading.Lock` is free for a moment between two threads, and a busy thread that asks again gets it before those
    that wait: of twenty threads on a loaded machine, some waited six times as long as the others. Here it is never free
    while somebody waits.
    """

    waiting: deque[Lock] = field(default_factory=deque)
    """A closed lock for each thread that waits; `pass_on` opens the first."""
    _is_taken: bool = False
    _succeeded: int = 0
    _guard: Lock = field(default_factory=Lock)

    def take(self, *, patience: float) -> bool:
        """Wait for a turn; False where no turn of others succeeded for `patience` seconds.

        After True, `pass_on` must be called.
        """
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Lock()
            mine.acquire()
            self.waiting.append(mine)
        try:
            return self._wait(mine, patience) or not self._leave(mine)
        except BaseException:  # Ctrl+C
            if not self._leave(mine):
                self.pass_on(succeeded=False)
            raise

    def pass_on(self, *, succeeded: bool) -> None:
        """End a turn, and give it to the first who waits."""
        with self._guard:
            self._succeeded += succeeded
            if self.waiting:
                self.waiting.popleft().release()
            else:
                self._is_taken = False

    def _wait(self, mine: Lock, patience: float) -> bool:
        succeeded, looks = self._succeeded, 0
        while looks < LOOKS:
            if mine.acquire(timeout=patience / LOOKS):
                return True
            looks = looks + 1 if self._succeeded == succeeded else 0
            succeeded = self._succeeded
        return False

    def _leave(self, mine: Lock) -> bool:
        """Leave the queue; False where the turn came after all."""
        with self._guard:
            if mine not in self.waiting:
                return False
            self.waiting.remove(mine)
            return True
