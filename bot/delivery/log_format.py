"""Lines of the log: as text or as JSON, without the token, and with the number of the update that they belong to.

The number is Telegram's, as `hromada delivery list` shows it; it names nobody. It follows the handling of an update
through threads, and the messages that answer it until they are sent.
"""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

LogFormat = Literal["text", "json"]


@dataclass
class _FollowedUpdate:
    """The number of the update that a task works on, None before it is known."""

    number: int | None = None


_followed: ContextVar[_FollowedUpdate | None] = ContextVar("followed", default=None)


def follow_update(number: int | None = None) -> None:
    """From now on this task and what it calls work on this update, or on one that `name_update` will name."""
    _followed.set(_FollowedUpdate(number))


def name_update(number: int) -> None:
    """Say which update is worked on; the task that follows it learns it too, from any thread."""
    followed = _followed.get()
    if followed is not None:
        followed.number = number


def get_update() -> int | None:
    """The number of the update that is worked on here, None where there is none."""
    followed = _followed.get()
    return None if followed is None else followed.number


class LineFormatter(logging.Formatter):
    """Formats lines as text, with the token masked, which libraries may write."""

    def __init__(self, token: str) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        """The line with its traceback, and without the token, where there is one."""
        line = self.build_line(record, update=get_update())
        return line.replace(self._token, "(token)") if self._token else line

    def build_line(self, record: logging.LogRecord, *, update: int | None) -> str:
        """The line before the token is masked."""
        if update is not None:
            record = logging.makeLogRecord(
                {**vars(record), "msg": f"{record.getMessage()} [update {update}]", "args": ()}
            )
        return super().format(record)


class JsonFormatter(LineFormatter):
    """Formats each record as one line of JSON: `at`, `level`, `logger`, `message`; `update` and `trace` if any."""

    def build_line(self, record: logging.LogRecord, *, update: int | None) -> str:
        """The object on one line."""
        values: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if update is not None:
            values["update"] = update
        if record.exc_info:
            values["trace"] = self.formatException(record.exc_info)
        return json.dumps(values, ensure_ascii=False)


def make_formatter(log_format: LogFormat, *, token: str) -> LineFormatter:
    """The formatter of the setting HROMADA_LOG_FORMAT."""
    return JsonFormatter(token) if log_format == "json" else LineFormatter(token)
