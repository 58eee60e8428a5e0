"""The base class of all errors of hromada, and positions in files; `annotation/errors.py` draws the whole tree.

It is in this package because every other package may import `aggregation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Where:
    """A position in a file, for error messages; parts that are unknown are None.

    `line` and `column` count from 1. `field` names what is wrong there: the key in a
    project file, the column in a table, or the id of an item. As text it reads "file:line:column, field", without the
    unknown parts.
    """

    file: Path | str | None = None
    line: int | None = None
    column: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        position = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return ", ".join(part for part in (position, self.field) if part)


class HromadaError(Exception):
    """An error that is shown to the user as it is.

    `problem` says in a sentence what went wrong, `remedy` what to do about it, `where` in which file and line. Raised
    itself for input of `aggregation` that is wrong or empty; the subclasses are named after what happened.
    """

    def __init__(self, problem: str, *, remedy: str = "", where: Where | None = None) -> None:
        self.problem = problem
        self.remedy = remedy
        self.where = where
        prefix = f"{where}: " if where is not None and str(where) else ""
        super().__init__(f"{prefix}{problem}" + (f" {remedy}" if remedy else ""))


class Refused(HromadaError):
    """A computation (a consensus method, a coefficient, a breakdown) was refused, because it does not fit the votes.

    The remedy says what can be computed instead.
    """
