"""One exception tree; exceptions become words in two places only, `bot/cli.py` and the bot's error handler.

HromadaError            aggregation/errors.py: problem, where, remedy
├── Refused             aggregation/errors.py: a method that the votes do not allow
├── BadInput            a file, a line or a field that cannot be used
├── NotFound            a project, an item or a file that is not there
├── Conflict            what is asked contradicts what is stored already
├── Unavailable         a database or a server that does not answer now
└── Stale               a tap that no longer belongs to a live assignment
"""

from __future__ import annotations

from aggregation.errors import HromadaError, Refused, Where

__all__ = ["BadInput", "Conflict", "HromadaError", "NotFound", "Refused", "Stale", "Unavailable", "Where"]


class BadInput(HromadaError):
    """A file, a line or a field that cannot be used; nothing was changed."""


class NotFound(HromadaError):
    """A project, an item or a file that is not there."""


class Conflict(HromadaError):
    """What is asked contradicts what is stored already; nothing was changed."""


class Unavailable(HromadaError):
    """A database or a server that does not answer now; try again later."""


class Stale(HromadaError):
    """A tap that no longer belongs to a live assignment of this person; it changes nothing."""
