"""All exceptions of the project; only `bot/cli.py` and the bot's error handler turn them into messages.

HromadaError            aggregation/errors.py: problem, where, remedy
├── Refused             aggregation/errors.py: a method that the votes do not allow
├── BadInput            a file, a line or a field that cannot be used
│   └── SchemaMismatch  a database whose schema is older or newer than this program
├── NotFound            a project, an item or a file that is not there
├── Conflict            a request that contradicts what is stored already
├── Unavailable         a database or a server that does not answer
│   └── NotWritable     a database that answers but stores nothing: its disk is full or read-only
├── UnknownVersion      stored data of a form that this program does not know
└── Stale               a tap on a button that no longer applies

Every exception carries the problem, its place (`Where`: file, line, column, field) and the remedy, each as a sentence
for the user.
"""

from __future__ import annotations

from collections.abc import Sequence

from aggregation.errors import HromadaError, Refused, Where, explain_disk

__all__ = [
    "BadInput",
    "Conflict",
    "ErrorCollector",
    "HromadaError",
    "NotFound",
    "NotWritable",
    "Refused",
    "SchemaMismatch",
    "Stale",
    "Unavailable",
    "UnknownVersion",
    "Where",
    "combine_errors",
    "explain_disk",
]


class BadInput(HromadaError):
    """A file, a line or a field that cannot be used; nothing was changed."""


class ErrorCollector:
    """Collects what is wrong with an input, so that all of it can be told at once.

    Every part that can be read by itself is read in a `with` block of its own, which keeps a BadInput and goes on after
    it; `refuse` raises what was found in all of them. A block costs next to nothing, so that a row may have one.
    """

    def __init__(self) -> None:
        self.found: list[HromadaError] = []

    def __enter__(self) -> None:
        """Begin to read a part."""

    def __exit__(self, kind: object, failure: BaseException | None, trace: object) -> bool:
        """Keep a BadInput; whether it was one."""
        if not isinstance(failure, BadInput):
            return False
        self.found += failure.all_found
        return True

    def refuse(self) -> None:
        """Raise BadInput with all that was found; nothing where all is well."""
        if self.found:
            raise combine_errors(self.found)


def combine_errors(found: Sequence[HromadaError]) -> BadInput:
    """One error for all that was found, at least one, each once."""
    first, *others = {str(error): error for error in found}.values()
    return BadInput(first.problem, remedy=first.remedy, where=first.where, others=others)


class SchemaMismatch(BadInput):
    """A database whose schema is older or newer than this program; nothing was changed."""


class NotFound(HromadaError):
    """A project, an item or a file that is not there."""


class Conflict(HromadaError):
    """A request that contradicts what is stored already, such as a project name in use; nothing was changed."""


class Unavailable(HromadaError):
    """A database or a server that does not answer; try again later."""


class NotWritable(Unavailable):
    """A database that answers but stores nothing, because its disk is full, read-only or broken.

    What comes waits, as for a database that does not answer; but nobody is told to look after a server.
    """


class UnknownVersion(HromadaError):
    """Stored data of a form that this program does not know: another version of it has written them."""


class Stale(HromadaError):
    """A tap on a button that no longer applies; it changes nothing.

    Its assignment is not, or never was, live for this annotator, or the text, field or project that it names has
    changed or is gone.
    """
