"""The log of a process: without tokens and ids, and without messages of libraries, which could hold them."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator

from telegram.error import InvalidToken, NetworkError

from annotation.errors import HromadaError

QUIET_LIBRARIES = ("telegram", "aiohttp", "sqlalchemy", "asyncio")
"""The libraries of which only warnings and errors are logged."""


class TokenMaskingFormatter(logging.Formatter):
    """Formats log lines with the token masked, which libraries may write."""

    def __init__(self, token: str) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        """The line with its traceback, without the token, where there is one."""
        line = super().format(record)
        return line.replace(self._token, "(token)") if self._token else line


def configure_logging(level: str, *, token: str) -> None:
    """Log to the error stream. What libraries log below WARNING is left out, because it has ids and texts of people.

    Records of InvalidToken are left out too: `run_application` explains it in its own words.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(TokenMaskingFormatter(token))
    handler.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], InvalidToken)))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for library in QUIET_LIBRARIES:
        logging.getLogger(library).setLevel(logging.WARNING)


def format_trace(failure: BaseException) -> str:
    """The traceback of a failure and its causes, without names, ids or texts.

    Only messages of our own errors and of network errors are included: those of any other library, such as a database
    driver, could hold a Telegram id.
    """
    return "".join(_list_causes(failure))


def _list_causes(failure: BaseException | None) -> Iterator[str]:
    while failure is not None:
        message = f": {failure}" if isinstance(failure, (HromadaError, NetworkError)) else ""
        yield f"{type(failure).__name__}{message}\n{''.join(traceback.format_tb(failure.__traceback__))}"
        failure = failure.__cause__ or failure.__context__
