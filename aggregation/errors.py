"""The root of the exception tree; `annotation/errors.py` draws the whole of it.

It lives here because the bottom package is the only one that every other may import.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Where:
    """A place in a file: lines and columns count from 1; `field` is a key, a column or an item id.

    As text: "file:line:column, field", without what is not known.
    """

    file: Path | str | None = None
    line: int | None = None
    column: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return ", ".join(part for part in (place, self.field) if part)


class HromadaError(Exception):
    """What went wrong, where, and what to do next: one sentence each, fit to be shown as it is."""

    def __init__(self, problem: str, *, remedy: str = "", where: Where | None = None) -> None:
        self.problem = problem
        self.remedy = remedy
        self.where = where
        place = f"{where}: " if where is not None and str(where) else ""
        super().__init__(f"{place}{problem}" + (f" {remedy}" if remedy else ""))


class Refused(HromadaError):  # reads as what happened, as every leaf of the tree does
    """A method that these votes do not allow; the remedy names one that fits."""
