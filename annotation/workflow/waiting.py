"""That a person gets no item now: why, in which project, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.vocabulary import Hindrance


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """What hinders a person. `project` is its name, None where it is not about one; `until` is when time lifts it.

    `declined` says that she could do something about it and does not want to: other projects come first.
    SEARCHING says that the search for her next item goes on in a transaction of its own: commit, and ask again at once.
    """

    reason: Hindrance
    project: str | None = None
    until: datetime | None = None
    declined: bool = False
