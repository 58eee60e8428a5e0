"""Lines of the log: as text or as JSON, without tokens, and with the number of the update that they belong to.

The number is Telegram's, as `hromada delivery list` shows it; it names nobody. It follows the handling of an update
through threads, and the messages that answer it until they are sent.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Literal

from bot.delivery.transaction_runner import get_update

LogFormat = Literal["text", "json"]


class LineFormatter(logging.Formatter):
    """Formats lines as text, with the tokens masked, which libraries may write."""

    def __init__(self, *tokens: str) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._tokens = tokens

    def format(self, record: logging.LogRecord) -> str:
        """The line with its traceback, without the tokens, where there are some."""
        line = self.build_line(record, update=get_update())
        for token in filter(None, self._tokens):
            line = line.replace(token, "(token)")
        return line

    def build_line(self, record: logging.LogRecord, *, update: int | None) -> str:
        """The line before the tokens are masked."""
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


def make_formatter(log_format: LogFormat, *tokens: str) -> LineFormatter:
    """The formatter of the setting HROMADA_LOG_FORMAT."""
    return JsonFormatter(*tokens) if log_format == "json" else LineFormatter(*tokens)
