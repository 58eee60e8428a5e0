"""What the log says of the database: when it falls silent or stores nothing, and when that is over; each once.

A full disk refuses some writes and takes others, for which it has room by chance. So it counts as well again only after
a time without any failure, and not at the next success.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from annotation.errors import NotWritable, Unavailable

log = logging.getLogger(__name__)
RECOVERY_SECONDS = 60.0
"""Seconds without a failure after which the database stores again: no update waits longer for another attempt."""


@dataclass
class DatabaseState:
    """Whether the database answers one process, and stores what it is given.

    `write_problem` says in a sentence why it does not store; it is empty where it does.
    """

    clock: Callable[[], float] = monotonic
    write_problem: str = ""
    _is_silent: bool = False
    _failed_at: float = 0.0

    def note_failure(self, failure: BaseException) -> None:
        """A transaction failed; other failures than those of the database change nothing."""
        if isinstance(failure, NotWritable):
            self._failed_at = self.clock()
            if not self.write_problem:
                log.warning("Nothing is stored, and what comes waits: %s", failure)
            self.write_problem = failure.problem
        elif isinstance(failure, Unavailable):
            if not self._is_silent:
                log.warning("The database does not answer; what comes waits: %s", failure)
            self._is_silent = True

    def note_success(self) -> None:
        """A transaction was committed."""
        if self._is_silent:
            log.warning("The database answers again.")
        self._is_silent = False
        if self.write_problem and self.clock() - self._failed_at >= RECOVERY_SECONDS:
            log.warning("The database stores again.")
            self.write_problem = ""
