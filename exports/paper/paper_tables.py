"""A table of a paper, and how it is written in LaTeX (booktabs) and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\symbol{34}",
    "[": "{[}",
    "]": "{]}",
    "−": "$-$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
}
"""Letters by what LaTeX needs: a quote is a command of babel, a bracket is read as an option after a row's end, and the
last three are in no text font of pdflatex.
"""
_MARKDOWN = re.compile(r"([\\|*_`<>\[\]#])")
MARKS = ("*", "†", "‡", "§", "¶")
"""The marks of footnotes, in their order; after them they are doubled."""
NO_VALUE = "—"


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table: its file name, a caption that says how its numbers were made, heads, rows of cells, and footnotes.

    The first column is text, the others are numbers. `notes` are the footnotes in the order of their marks, which stand
    in the cells (`get_mark`).
    """

    name: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


class Footnotes:
    """Footnotes as they come up: equal words have one mark."""

    def __init__(self) -> None:
        self._words: list[str] = []

    def mark(self, words: str) -> str:
        """The mark of a footnote with these words."""
        if words not in self._words:
            self._words.append(words)
        return get_mark(self._words.index(words))

    def explain(self, cell: str, reason: str) -> str:
        """A cell with the mark of its reason where it has no value."""
        return f"{NO_VALUE}{self.mark(reason)}" if cell == NO_VALUE and reason else cell

    @property
    def notes(self) -> tuple[str, ...]:
        """All words in the order of their marks."""
        return tuple(self._words)


def get_mark(number: int) -> str:
    """The mark of a footnote, counted from 0."""
    return MARKS[number % len(MARKS)] * (1 + number // len(MARKS))


def escape_latex(text: str) -> str:
    """A text in which nothing is a command of LaTeX, on one line: an empty line would end a cell."""
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))


def escape_markdown(text: str) -> str:
    """A text in which nothing is markup, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def format_latex(table: PaperTable) -> str:
    """The table as a float of LaTeX; its document needs the package booktabs."""
    columns = "l" + "r" * (len(table.heads) - 1)
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape_latex(table.caption)}}}",
        rf"  \label{{tab:{table.name}}}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {_join_latex(table.heads)}",
        r"    \midrule",
        *(f"    {_join_latex(row)}" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
    ]
    for number, note in enumerate(table.notes):
        lines.append(rf"  \par\footnotesize {escape_latex(get_mark(number))} {escape_latex(note)}")
    return "\n".join([*lines, r"\end{table}", ""])


def _join_latex(cells: Sequence[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"


def format_markdown(table: PaperTable) -> str:
    """The table in Markdown, with its caption above and its footnotes below."""
    rule = "|".join(["---", *["---:"] * (len(table.heads) - 1)])
    rows = "".join(f"| {' | '.join(map(escape_markdown, row))} |\n" for row in (table.rows))
    heads = " | ".join(map(escape_markdown, table.heads))
    notes = "".join(
        f"\n{escape_markdown(get_mark(number))} {escape_markdown(note)}\n" for number, note in enumerate(table.notes)
    )
    return f"{escape_markdown(table.caption)}\n\n| {heads} |\n|{rule}|\n{rows}{notes}"
