"""A table of a paper, and how it is written in Markdown; its footnotes have one mark for equal words."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKDOWN = re.compile(r"([\\|*_`<>\[\]#~])")
MARKS = ("*", "†", "‡", "§", "¶")
"""The marks of footnotes in Markdown, in their order; after them they are doubled."""
FIRST_MARK, LAST_MARK = "\ue000", "\uf8ff"
"""In a cell a footnote is a private letter, the first one for the first footnote, which each format writes its way."""
_MARKED = re.compile(f"[{FIRST_MARK}-{LAST_MARK}]+")
NO_VALUE = "—"


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table: its file name, whose it is (`of`, an id), a caption that says how its numbers were made, heads and rows.

    The first column is text, the others are numbers. `notes` are the footnotes in the order of their marks, which stand
    in the cells.

    LaTeX has one column of a paper for it, so names and counts go to lines above their rows: `titles` name them by
    their places ("{0}: {2}"), each within the one before. `wide` is the place of a column of words, which are wrapped.
    """

    name: str
    of: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    titles: tuple[str, ...] = ("{0}",)
    wide: int | None = None


class Footnotes:
    """Footnotes as they come up: equal words have one mark."""

    def __init__(self) -> None:
        self._words: list[str] = []

    def mark(self, words: str) -> str:
        """The mark of a footnote with these words."""
        if words not in self._words:
            self._words.append(words)
        return chr(ord(FIRST_MARK) + self._words.index(words))

    def explain(self, cell: str, reason: str) -> str:
        """A cell with the mark of its reason where it has no value."""
        return f"{NO_VALUE}{self.mark(reason)}" if cell == NO_VALUE and reason else cell

    @property
    def notes(self) -> tuple[str, ...]:
        """All words in the order of their marks."""
        return tuple(self._words)


def split_marks(cell: str) -> list[tuple[str, list[int]]]:
    """The texts of a cell, each with the numbers of the footnotes after it, counted from 0."""
    marks = [[ord(mark) - ord(FIRST_MARK) for mark in found] for found in _MARKED.findall(cell)]
    return list(zip(_MARKED.split(cell), [*marks, []], strict=True))


def escape_markdown(text: str) -> str:
    """A text in which nothing is markup, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def format_markdown(table: PaperTable) -> str:
    """The table in Markdown, with its caption above and its footnotes below."""
    rule = "|".join(["---", *["---:"] * (len(table.heads) - 1)])
    rows = "".join(f"| {' | '.join(map(_format_cell, row))} |\n" for row in table.rows)
    heads = " | ".join(map(escape_markdown, table.heads))
    notes = "".join(
        f"\n{escape_markdown(_get_mark(number))} {escape_markdown(note)}\n" for number, note in enumerate(table.notes)
    )
    return f"{escape_markdown(table.caption)}\n\n| {heads} |\n|{rule}|\n{rows}{notes}"


def _format_cell(cell: str) -> str:
    return escape_markdown("".join(text + " ".join(map(_get_mark, marks)) for text, marks in split_marks(cell)))


def _get_mark(number: int) -> str:
    return MARKS[number % len(MARKS)] * (1 + number // len(MARKS))
