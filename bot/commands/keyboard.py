"""Keys and lines that people type while a command shows them one screen after another.

Without a terminal the same keys are read from standard input, one character each, so that scripts can do it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bot.commands.terminal_output import get_console

ENTER = "\n"
QUIT = "q"
CYRILLIC_KEYS = str.maketrans("йіыгиефкФК", "qssubtarAR")
"""The letters on the keys that commands know, of Ukrainian and Russian keyboards, and the Latin ones."""
ESCAPE, ESCAPE_SECONDS = b"\x1b", 0.02
"""The beginning of what a key without a character sends, and how long the rest of it may take."""
EDITORS = ("nano", "vi")
"""Programs for longer texts, where neither $VISUAL nor $EDITOR names one."""


def is_terminal() -> bool:
    """Whether somebody sits at a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def clear_screen() -> None:
    """Empty the screen, where there is one."""
    if is_terminal():
        get_console().clear()


def read_key() -> str:
    """The next key, ENTER for the key of that name; at the end of the input it is QUIT.

    A letter of a Ukrainian or Russian keyboard is the Latin one on the same key. Arrows and the like are no key.
    """
    key = _read_terminal_key() if is_terminal() else sys.stdin.read(1)
    return ENTER if key == "\r" else key.translate(CYRILLIC_KEYS) if key else QUIT


def _read_terminal_key() -> str:
    """A character as it is typed, without waiting for Enter; what was typed before is not lost.

    Typer's own function would throw away what was typed before it is called.
    """
    import select
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        raw = os.read(terminal, 1)
        if raw == ESCAPE and select.select([terminal], [], [], ESCAPE_SECONDS)[0] and os.read(terminal, 1) in b"[O":
            while not b"@" <= os.read(terminal, 1) <= b"~":  # parameters, until the letter that ends them
                pass
        while raw and raw[0] >= 0b11000000 and len(raw) < _count_bytes(raw[0]):
            raw += os.read(terminal, 1)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return raw.decode("utf-8", errors="replace")


def _count_bytes(first: int) -> int:
    """How many bytes a character has in UTF-8, by its first one."""
    return 2 + (first >= 0b11100000) + (first >= 0b11110000)


def read_line(prompt: str) -> str:
    """A line of text without blanks around it; empty at the end of the input."""
    print(prompt, end=" ", flush=True)
    return sys.stdin.readline().strip()


def edit_text(prompt: str, text: str) -> str:
    """A text that may have several lines: written in the editor ($EDITOR) from `text`, without a terminal in a line."""
    if not is_terminal():
        return read_line(prompt)
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR") or next(filter(shutil.which, EDITORS), None)
    if chosen is None:
        return read_line(prompt)
    with tempfile.NamedTemporaryFile("w+", encoding="utf-8", prefix="hromada-", suffix=".txt") as file:
        file.write(text)
        file.flush()
        ended = subprocess.run([*shlex.split(chosen), file.name], check=False)  # noqa: S603  # the user's own editor
        return Path(file.name).read_text("utf-8").strip() if ended.returncode == 0 else ""


class NumberPad:
    """Digits that choose from so many entries: one digit where there are at most nine, else two or more and a blank."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._digits = ""

    def press_key(self, key: str) -> int | None:
        """The index of the entry that is complete with this key; None while it is not, or there is no such entry."""
        if key.isdecimal():
            self._digits += key
            if len(self._digits) < len(str(self._entries)):
                return None
        number, self._digits = self._digits, ""
        return int(number) - 1 if number and 1 <= int(number) <= self._entries else None

    @property
    def is_open(self) -> bool:
        """Whether a number was begun and is not complete."""
        return bool(self._digits)
