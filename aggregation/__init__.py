"""Agreement, gold labels and scores of people's votes: what needs no campaign and no database."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aggregation.library import find_consensus

__all__ = ["find_consensus"]


def __getattr__(name: str) -> Any:
    """Load what a notebook imports when it is asked for: commands and the bot import this package without pandas."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from aggregation import library

    return getattr(library, name)
