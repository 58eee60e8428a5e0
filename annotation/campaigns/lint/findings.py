"""What the lint says: a rule, the items that break it, and the first of them in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """An error refuses the load, a warning asks for a decision, a note only tells."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One thing that can be wrong with items, and what to do about it."""

    name: str
    severity: Severity
    finds: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A rule and all items that break it, in the order of the file.

    `message` speaks of the whole set, `first` of the first item; `field` is the shown field or the question.
    """

    rule: Rule
    ids: tuple[str, ...]
    message: str
    first: str = ""
    field: str | None = None
