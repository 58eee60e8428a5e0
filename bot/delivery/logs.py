"""The bot's log: no token, no id, no text of a library that could hold one."""

from __future__ import annotations

import logging

from telegram.error import InvalidToken

LIBRARIES = ("telegram", "aiohttp", "sqlalchemy", "asyncio")


class Nameless(logging.Formatter):
    """Log lines without the token, wherever a library writes it."""

    def __init__(self, token: str) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        """The line, traceback included, less the token."""
        return super().format(record).replace(self._token, "(token)")


def log(level: str, *, token: str) -> None:
    """Log to the error stream; what libraries say below WARNING holds ids and texts, and is left out."""
    handler = logging.StreamHandler()
    handler.setFormatter(Nameless(token))
    handler.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], InvalidToken)))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for library in LIBRARIES:
        logging.getLogger(library).setLevel(logging.WARNING)
