"""All exceptions of the project; only `bot/cli.py` and the bot's error handler turn them into messages.

HromadaError            aggregation/errors.py: problem, where, remedy
├── Refused             aggregation/errors.py: a method that the votes do not allow
├── BadInput            a file, a line or a field that cannot be used
│   └── SchemaMismatch  a database whose schema is older or newer than this program
├── NotFound            a project, an item or a file that is not there
├── Conflict            a request that contradicts what is stored already
├── Unavailable         a database or a server that does not answer
├── UnknownVersion      stored data of a form that this program does not know
└── Stale               a tap on a button that no longer applies

Every exception carries the problem, its place (`Where`: file, line, column, field) and the remedy, each as a sentence
for the user.
"""

from __future__ import annotations

from aggregation.errors import HromadaError, Refused, Where

__all__ = [
    "BadInput",
    "Conflict",
    "HromadaError",
    "NotFound",
    "Refused",
    "SchemaMismatch",
    "Stale",
    "Unavailable",
    "UnknownVersion",
    "Where",
]


class BadInput(HromadaError):
    """A file, a line or a field that cannot be used; nothing was changed."""


class SchemaMismatch(BadInput):
    """A database whose schema is older or newer than this program; nothing was changed."""


class NotFound(HromadaError):
    """A project, an item or a file that is not there."""


class Conflict(HromadaError):
    """A request that contradicts what is stored already, such as a project name in use; nothing was changed."""


class Unavailable(HromadaError):
    """A database or a server that does not answer; try again later."""


class UnknownVersion(HromadaError):
    """Stored data of a form that this program does not know: another version of it has written them."""


class Stale(HromadaError):
    """A tap on a button that no longer applies; it changes nothing.

    Its assignment is not, or never was, live for this annotator, or the text, field or project that it names has
    changed or is gone.
    """
