"""The words that are stored: each enumeration is a text column with a named check."""

from __future__ import annotations

from enum import StrEnum

ABSTAINED = "abstained"
"""The reason why an answer fills the overlap and does not count: the question's `abstain`."""


class Stage(StrEnum):
    """Where in a campaign an item belongs."""

    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"
    MAIN = "main"


class Pool(StrEnum):
    """What an item is there for: the pool of a stage, or the control items hidden in the main one."""

    PILOT = "pilot"
    TRAINING = "training"
    QUALIFICATION = "qualification"
    CONTROL = "control"
    MAIN = "main"

    @property
    def stage(self) -> Stage:
        """The stage in which its items come."""
        return Stage.MAIN if self is Pool.CONTROL else Stage(self.value)

    @property
    def excludes(self) -> str:
        """The reason why an imported answer to one of its items does not count."""
        return f"{self.value} item"


class Surface(StrEnum):
    """Where an assignment was answered."""

    TELEGRAM = "telegram"
    IMPORT = "import"


class AssignmentStatus(StrEnum):
    """An assignment is live until its answer is saved."""

    LIVE = "live"
    DONE = "done"


class Event(StrEnum):
    """What the journal records."""

    KEY_MADE = "key made"
    PROJECT_LOADED = "project loaded"
    PROJECT_CHANGED = "project changed"
    VOTES_IMPORTED = "votes imported"
    ANNOTATOR_JOINED = "annotator joined"


class Repeats(StrEnum):
    """Which of several imported votes of one person on one item count."""

    FIRST = "first"
    LAST = "last"
    ALL = "all"


class GoldOrigin(StrEnum):
    """Where a gold label comes from."""

    CONSTRUCTION = "construction"
    EXPERT = "expert"
    VOTES = "votes"
    ADJUDICATION = "adjudication"
    DECLARED = "declared"
