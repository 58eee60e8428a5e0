"""The base class of all errors of hromada, and positions in files; `annotation/errors.py` draws the whole tree.

It is in this package because every other package may import `aggregation`.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

MOST_TOLD = 20
"""The most errors of one input that are told at once."""
DISK_PROBLEMS: Mapping[int, tuple[str, str]] = {
    errno.ENOSPC: ("The disk is full.", "Make room on it, then try again."),
    errno.EDQUOT: ("Your share of the disk is used up.", "Delete files of yours, then try again."),
    errno.EROFS: ("The disk is read-only.", "Make it writable, or name a folder on another disk."),
}
"""Problem and remedy of a disk that takes nothing more, by the number of the system's error."""


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
    itself for input of `aggregation` that is wrong or empty; the subclasses are named after what happened. `others` are
    further errors that were found with it; as text each stands on a line of its own, the first MOST_TOLD of all.
    """

    def __init__(
        self,
        problem: str,
        *,
        remedy: str = "",
        where: Where | None = None,
        others: Iterable[HromadaError] = (),
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.where = where
        self.others = tuple(others)
        prefix = f"{where}: " if where is not None and str(where) else ""
        sentence = f"{prefix}{problem}" + (f" {remedy}" if remedy else "")
        told = [sentence, *map(str, self.others[: MOST_TOLD - 1])]
        n_more = len(self.others) - MOST_TOLD + 1
        more = [f"{n_more} more {'error' if n_more == 1 else 'errors'}."] if n_more > 0 else []
        super().__init__("\n".join(told + more))

    def replace_words(self, words: Mapping[str, str]) -> HromadaError:
        """Return the error with words replaced, such as pseudonyms by what people were called in a command."""
        told = [self.problem, self.remedy]
        if words:
            pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
            told = [pattern.sub(lambda found: words[found[0]], text) for text in told]
        others = [other.replace_words(words) for other in self.others]
        return type(self)(told[0], remedy=told[1], where=self.where, others=others)

    @property
    def all_found(self) -> tuple[HromadaError, ...]:
        """This error by itself, and the others."""
        return (type(self)(self.problem, remedy=self.remedy, where=self.where), *self.others)


def explain_disk(failure: OSError, *, where: Where | None = None) -> HromadaError | None:
    """Return the error of a disk that is full or read-only, or None if the failure is another one.

    Without `where` it names the file that the system names.
    """
    if failure.errno is None or failure.errno not in DISK_PROBLEMS:
        return None
    problem, remedy = DISK_PROBLEMS[failure.errno]
    return HromadaError(problem, remedy=remedy, where=where or Where(file=failure.filename))


class Refused(HromadaError):
    """A computation (a consensus method, a coefficient, a breakdown) was refused, because it does not fit the votes.

    The remedy says what can be computed instead.
    """
