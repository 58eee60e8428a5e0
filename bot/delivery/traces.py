"""What the log may hold of a failure: what led to what, and in which lines, without a name, an id or a text."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from telegram.error import NetworkError

from annotation.errors import HromadaError


def trace(failure: BaseException) -> str:
    """Only errors of ours and of Telegram's network speak for themselves.

    The words of any other, a database driver's above all, could hold what it was doing: somebody's Telegram id.
    """
    return "".join(_chain(failure))


def _chain(failure: BaseException | None) -> Iterator[str]:
    while failure is not None:
        words = f": {failure}" if isinstance(failure, (HromadaError, NetworkError)) else ""
        yield f"{type(failure).__name__}{words}\n{''.join(traceback.format_tb(failure.__traceback__))}"
        failure = failure.__cause__ or failure.__context__
