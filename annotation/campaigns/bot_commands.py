"""The commands of the bot, and a check that texts for annotators name no other."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace

from annotation.errors import BadInput, ErrorCollector, Where

COMMANDS = (
    *("start", "projects", "progress", "session", "task", "skip", "problem", "ask", "pause"),
    *("reminders", "language", "mydata", "withdraw", "forget", "help"),
)
"""The commands in Telegram's command menu, in this order."""
ADJUDICATE, ADMIN, PAGE = "adjudicate", "admin", "page"
"""The commands that adjudicators have besides, and organisers, and all where there is an answer page."""
_KNOWN = frozenset({*COMMANDS, ADJUDICATE, ADMIN, PAGE})
_MEANT = {
    **dict.fromkeys(("leave", "quit", "exit", "unsubscribe", "optout"), "withdraw"),
    **dict.fromkeys(("delete", "erase", "remove"), "forget"),
    **dict.fromkeys(("stop", "break"), "pause"),
    **dict.fromkeys(("begin", "resume", "continue", "menu"), "start"),
    **dict.fromkeys(("report", "error"), "problem"),
    **dict.fromkeys(("question", "contact", "support"), "ask"),
    **dict.fromkeys(("instructions", "rules"), "task"),
    **dict.fromkeys(("data", "export", "privacy"), "mydata"),
}
"""What is meant by names of commands that other bots have."""
_COMMAND = re.compile(r"(?<![\w/<>.:@#&?=%~+-])/([A-Za-z0-9_]{2,32})(?:@\w+)?(?![\w/<>.-]*[/<>]|\w|[.-]\w)")
"""A word that Telegram shows as a command: at the start of a word, outside addresses and paths."""


def list_unknown_commands(text: str) -> tuple[str, ...]:
    """The commands in a text that the bot does not have, each once, as they are written without the slash."""
    return tuple(_find_unknown_commands(text))


def is_known_command(text: str) -> bool:
    """Whether a text begins with a command that the bot has."""
    words = text.split(maxsplit=1)
    return bool(words) and words[0].startswith("/") and words[0][1:].split("@")[0].lower() in _KNOWN


def refuse_unknown_commands(text: str, *, where: Where, has_lines: bool = False) -> None:
    """Raise BadInput for all commands in a text that the bot does not have.

    With `has_lines` the text is a whole file, and the place has the line.
    """
    errors = ErrorCollector()
    for name, start in _find_unknown_commands(text).items():
        line = text.count("\n", 0, start) + 1 if has_lines else where.line
        with errors:
            raise BadInput(
                f"The bot has no command /{name}.",
                where=replace(where, line=line),
                remedy=_suggest_command(name),
            )
    errors.refuse()


def refuse_in_texts(texts: Iterable[tuple[str | None, Where]]) -> None:
    """Raise BadInput for all commands in these texts that the bot does not have; each comes with its place."""
    errors = ErrorCollector()
    for text, where in texts:
        with errors:
            refuse_unknown_commands(text or "", where=where)
    errors.refuse()


def _find_unknown_commands(text: str) -> dict[str, int]:
    """The commands in a text that the bot does not have, with where each is first."""
    positions: dict[str, int] = {}
    for match in _COMMAND.finditer(text):
        name = match[1]
        if not name.isdecimal() and name.lower() not in _KNOWN:
            positions.setdefault(name, match.start())
    return positions


def _suggest_command(name: str) -> str:
    meant = _MEANT.get(name.lower()) or next(iter(difflib.get_close_matches(name.lower(), COMMANDS, n=1)), None)
    commands = ", ".join(f"/{command}" for command in COMMANDS)
    return f"Use one of {commands}." if meant is None else f"Did you mean /{meant}?"
