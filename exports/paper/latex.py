"""Tables for LaTeX: each fits one column of an 11 pt article, and a page, with any names and numbers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import Formatter

from exports.paper.formats import PaperTable, split_marks

_LETTERS = {
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
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "√": r"$\surd$",
    "→": r"$\to$",
    "ʼ": "’",
    "\u00a0": "~",
    "₴": "UAH",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "κ": r"$\kappa$",
    "μ": r"$\mu$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
}
"""Letters by what LaTeX needs: a quote is a command of babel, a bracket is read as an option after a row's end, and
the last ones are in no text font of pdflatex.
"""
_CYRILLIC = re.compile("[\u0400-\u052f]")
_LONG_WORD = re.compile(r"\S{40,}")
_BREAKABLE = re.compile(r"(?<=[_/.:,])(?=.)")
_CYRILLIC_COMMAND = r"""\providecommand{\hromadaCyrillic}[1]{%
  {\ifcsname T@T2A\endcsname\fontencoding{T2A}\selectfont\fi #1}}
"""
_TITLE_COMMAND = r"""\providecommand{\hromadaTitle}[2]{% over all columns, in a box without a width: it makes none wider
  \multicolumn{#1}{@{}l@{}}{\makebox[0pt][l]{\parbox[t]{\linewidth}{\raggedright\strut #2\strut}}}}
"""
HEAD_LETTERS, WIDE_LETTERS, LINE_LETTERS, CAPTION_LETTERS = 8, 18, 75, 65
"""How many letters a line of a head, of a wide column, of the table and of a caption has room for, at the least."""
LINES = 50
"""How many lines of a page a table takes, with its caption and its notes; a longer one is parted."""


@dataclass(frozen=True, kw_only=True)
class _Line:
    """The cells of a row, or a title above some rows, of a level that is counted from 0."""

    cells: tuple[str, ...]
    level: int | None = None


def escape_latex(text: str) -> str:
    """A text in which nothing is a command of LaTeX, on one line: an empty line would end a cell.

    A word too long for a line can be broken after its punctuation.
    """
    line = " ".join(text.split()).replace(" %", "\u00a0%")
    plain = _LONG_WORD.sub(lambda word: _BREAKABLE.sub("\0", word[0]), line)
    escaped = "".join(_LETTERS.get(letter, letter) for letter in plain).replace("\0", r"\allowbreak{}")
    return rf"\hromadaCyrillic{{{escaped}}}" if _CYRILLIC.search(text) else escaped


def format_latex(table: PaperTable) -> str:
    """The table as one float of LaTeX, or as several where it is longer than a page."""
    parts = list(_part(table))
    floats = []
    for number, rows in enumerate(parts, start=1):
        part = f" Part {number} of {len(parts)}." if len(parts) > 1 else ""
        short = "".join(table.caption.partition(table.of)[:2])
        label = f"tab:{re.sub(r'[^A-Za-z0-9.-]', '-', table.of)}:{table.name}" + (f":{number}" if number > 1 else "")
        head = [
            rf"  \caption[{{{escape_latex(short + part)}}}]{{{escape_latex(table.caption + part)}}}",
            rf"  \label{{{label}}}",
        ]
        floats.append(_format_float(table, rows, head))
    text = "".join(floats)
    return "".join(_explain_needs(text)) + text


def _explain_needs(text: str) -> Iterator[str]:
    """Comments on what the document has to load, and the commands that set titles and Cyrillic letters."""
    yield "% Packages: booktabs, tabularx. Fits a column of an 11 pt article; for two columns write table*.\n"
    if r"\hromadaCyrillic" in text:
        yield "% It has Cyrillic letters: \\usepackage[T2A,T1]{fontenc}, or T2A alone.\n"
        yield _CYRILLIC_COMMAND
    yield _TITLE_COMMAND


def _part(table: PaperTable) -> Iterator[Sequence[tuple[str, ...]]]:
    """The rows of each float."""
    part: list[tuple[str, ...]] = []
    for row in table.rows:
        if part and _count_lines(table, [*part, row]) > LINES:
            yield part
            part = []
        part.append(row)
    yield part


def _list_lines(table: PaperTable, rows: Sequence[tuple[str, ...]]) -> Iterator[_Line]:
    """The rows without the columns of their titles, and each title above the first row that it belongs to."""
    shown = _list_columns(table)
    above: list[str] = []
    for row in rows:
        titles = [title.format(*row) for title in table.titles]
        first = next((level for level, title in enumerate(titles) if above[level : level + 1] != [title]), len(titles))
        above = titles
        yield from (_Line(cells=(titles[level],), level=level) for level in range(first, len(titles)))
        yield _Line(cells=tuple(row[place] for place in shown))


def _list_columns(table: PaperTable) -> list[int]:
    """The places of the columns that are in no title; the wide one is the first."""
    named = {int(name) for title in table.titles for _, name, _, _ in Formatter().parse(title) if name}
    shown = [place for place in range(len(table.heads)) if place not in named]
    return sorted(shown, key=lambda place: place != table.wide)


def _count_lines(table: PaperTable, rows: Sequence[tuple[str, ...]]) -> float:
    """About how many lines of the table's size a float with these rows is high."""
    lines = 5 + 1.3 * _count_wrapped(table.caption, CAPTION_LETTERS)
    for line in _list_lines(table, rows):
        if line.level is not None:
            lines += 0.5 + _count_wrapped(line.cells[0], LINE_LETTERS)
        else:
            lines += 1 if table.wide is None else _count_wrapped(line.cells[0], WIDE_LETTERS)
    return lines + sum(_count_wrapped(table.notes[number], LINE_LETTERS) for number in _list_marks(rows))


def _count_wrapped(text: str, width: int) -> int:
    return 1 + len(text) // width


def _list_marks(rows: Sequence[tuple[str, ...]]) -> list[int]:
    """The numbers of the footnotes of these rows."""
    return sorted({number for row in rows for cell in row for _, marks in split_marks(cell) for number in marks})


def _format_float(table: PaperTable, rows: Sequence[tuple[str, ...]], head: Sequence[str]) -> str:
    columns = _list_columns(table)
    lines = [
        r"\begin{table}",
        r"  \centering",
        *head,
        r"  \smallskip\footnotesize",
        r"  \setlength{\tabcolsep}{3pt}",
        f"  {_begin(table, len(columns))}",
        r"    \toprule",
        f"    {' & '.join(_format_head(table, place) for place in columns)} " + r"\\",
        r"    \midrule",
    ]
    for number, line in enumerate(_list_lines(table, rows)):
        if number and line.level == 0:
            lines.append(r"    \addlinespace")
        cells = map(_format_cell, line.cells)
        if line.level is None:
            lines.append(f"    {' & '.join(cells)} " + r"\\")
        else:
            style = "emph" if line.level else "textbf"
            lines.append(rf"    \hromadaTitle{{{len(columns)}}}{{\{style}{{{''.join(cells)}}}}} \\")
    lines += [r"    \bottomrule", rf"  \end{{{_get_environment(table)}}}"]
    marks = _list_marks(rows)
    if marks:
        notes = [rf"{_format_marks([number])} {escape_latex(table.notes[number])}\par" for number in marks]
        lines += [r"  {\raggedright\smallskip", *(f"  {note}" for note in notes), "  }"]
    return "\n".join([*lines, r"\end{table}", ""])


def _get_environment(table: PaperTable) -> str:
    return "tabular*" if table.wide is None else "tabularx"


def _begin(table: PaperTable, n_columns: int) -> str:
    """The beginning of a table as wide as the column: its wide column has what the others leave, or space is shared."""
    if table.wide is None:
        return rf"\begin{{tabular*}}{{\linewidth}}{{@{{\extracolsep{{\fill}}}}{'r' * n_columns}@{{}}}}"
    return rf"\begin{{tabularx}}{{\linewidth}}{{@{{}}>{{\raggedright\arraybackslash}}X{'r' * (n_columns - 1)}@{{}}}}"


def _format_head(table: PaperTable, place: int) -> str:
    """A head; those of numbers on lines that are hardly longer than the numbers."""
    if place == table.wide:
        return escape_latex(table.heads[place])
    width = max([HEAD_LETTERS, *(len(row[place]) for row in table.rows)])
    words = textwrap.wrap(table.heads[place], width, break_long_words=False)
    return r"\shortstack[r]{" + r" \\ ".join(map(escape_latex, words)) + "}"


def _format_cell(cell: str) -> str:
    return "".join(escape_latex(text) + _format_marks(marks) for text, marks in split_marks(cell))


def _format_marks(marks: Sequence[int]) -> str:
    return rf"\textsuperscript{{{','.join(map(_name_mark, marks))}}}" if marks else ""


def _name_mark(number: int) -> str:
    """a to z, then aa, ab, …"""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
