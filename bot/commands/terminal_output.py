"""The output of commands: tables and sentences, JSON for `--json`, progress on the error stream."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from bot.commands import terminal_text

LONG_TEXT = 40
"""Cells with more characters, in a table of more than two columns, are long texts."""
READABLE_WIDTH = 28
"""Characters a line that a long text needs to be read in its column."""
GAP = 2
NO_BREAK = "\u00a0"
_COMMAND_PART = r"(?:'[^']*'|[^\s'`();]*[^\s'`();.,:])"
COMMAND = re.compile(
    rf"(?:(?<=^)|(?<=: )|(?<=; )|(?<=`)|(?<= by ))hromada(?: {_COMMAND_PART}(?=[\s.,:;)`]|$))+", re.MULTILINE
)
"""A command in a sentence, to be copied in one piece."""


@dataclass(frozen=True)
class TableColumn:
    """A column as text: its header, a cell for each row, and whether they are numbers, which stand to the right."""

    header: str
    cells: tuple[str, ...]
    numeric: bool = False

    @property
    def full_width(self) -> int:
        """The width in which no line wraps."""
        return max(map(cell_len, (self.header, *self.cells)))

    @property
    def least_width(self) -> int:
        """The width in which no word is broken."""
        return max(cell_len(word) for text in (self.header, *self.cells) for word in _join_words(text).split(" "))

    @property
    def is_long(self) -> bool:
        """Whether it holds a long text."""
        return any(cell_len(cell) > LONG_TEXT and " " in cell for cell in self.cells)


def lay_out_table(columns: Sequence[TableColumn], *, width: int) -> Iterator[RenderableType]:
    """The parts of a table in a terminal of that width, in the first of the four forms that fits."""
    long = {index for index, column in enumerate(columns) if column.is_long and index > 0 and len(columns) > 2}
    widths = _find_widths(columns, width=width)
    if widths is not None and all(widths[index] >= min(columns[index].full_width, READABLE_WIDTH) for index in long):
        yield _build_grid(columns, widths)
        return
    short = [column for index, column in enumerate(columns) if index not in long]
    widths, widths_of_rest = _find_widths(short, width=width), _find_widths(short[1:], width=width)
    if widths is not None:
        yield _build_grid(short, widths)
    elif widths_of_rest is not None and len(short) > 2:
        yield from _build_rows_under_names(short, widths_of_rest)
    else:
        yield from _build_blocks(columns)
        return
    if long:
        yield from _build_texts(short, [columns[index] for index in sorted(long)])


def _join_words(text: str) -> str:
    """The text with no-break spaces where a line must not end: in a cell without letters (an interval), before %.

    Nor may what is to be copied in one piece be broken: `/start CODE`.
    """
    if not any(letter.isalpha() for letter in text):
        return text.replace(" ", NO_BREAK)
    return re.sub(r" (?=%)|(?<=\bof) (?=\d)|(?<=/start) ", NO_BREAK, text)


def _wrap_text(text: str, width: int) -> Text:
    # rich would end lines at no-break spaces too, and print "0.8000 –" above "0.9200"
    lines = textwrap.wrap(_join_words(text), width, break_long_words=False, break_on_hyphens=False)
    return Text("\n".join(lines).replace(NO_BREAK, " "))


def wrap_sentence(sentence: str, width: int) -> str:
    """The sentence in lines of the width; a command is never broken, so that it can be copied, even if it is longer."""
    joined = COMMAND.sub(lambda found: found[0].replace(" ", NO_BREAK), sentence)
    lines = [
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False, replace_whitespace=False)
        for line in joined.split("\n")
    ]
    return "\n".join(lines).replace(NO_BREAK, " ")


def _find_widths(columns: Sequence[TableColumn], *, width: int) -> list[int] | None:
    """The widths of the columns of a grid; None where their longest words do not fit beside each other."""
    # rich shrinks the widest column first, below its longest word: numbers are broken, or min_width pushes the last
    # column out of the terminal
    least = [column.least_width for column in columns]
    wanted = [column.full_width - narrow for column, narrow in zip(columns, least, strict=True)]
    left = width - GAP * (len(columns) - 1) - sum(least)
    if left < 0:
        return None
    share = min(1.0, left / max(1, sum(wanted)))
    return [narrow + int(share * more) for narrow, more in zip(least, wanted, strict=True)]


def _build_grid(columns: Sequence[TableColumn], widths: Sequence[int], *, headers: bool = True) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0), show_header=headers)
    for column, width in zip(columns, widths, strict=True):
        grid.add_column(_wrap_text(column.header, width), justify="right" if column.numeric else "left", width=width)
    for row in zip(*(column.cells for column in columns), strict=True):
        grid.add_row(*map(_wrap_text, row, widths))
    return grid


def _build_rows_under_names(columns: Sequence[TableColumn], widths: Sequence[int]) -> Iterator[RenderableType]:
    """A grid in which the first cell of each row has a line of its own; `widths` are those of the other columns."""
    first, rest = columns[0], columns[1:]
    yield Text(first.header, style="bold")
    yield _build_grid([replace(column, cells=()) for column in rest], widths)
    for number, name in enumerate(first.cells):
        yield Text(name, style="bold")
        yield _build_grid([replace(column, cells=(column.cells[number],)) for column in rest], widths, headers=False)


def _build_texts(short: Sequence[TableColumn], long: Sequence[TableColumn]) -> Iterator[Text]:
    """The long texts of the rows, equal ones once, each after the names of the rows to which they belong."""
    names_by_texts: dict[tuple[str, ...], list[str]] = {}
    for name, texts in zip(_name_rows(short), zip(*(column.cells for column in long), strict=True), strict=True):
        names_by_texts.setdefault(texts, []).append(name)
    yield Text("")
    for texts, names in names_by_texts.items():
        told = [(column.header, text) for column, text in zip(long, texts, strict=True) if text.strip("–")]
        if told:
            more = "".join(f"\n  {header}: {text}" for header, text in told[1:])
            yield Text(f"{', '.join(dict.fromkeys(names))}: {told[0][1]}{more}")


def _name_rows(columns: Sequence[TableColumn]) -> list[str]:
    """The first cells of each row, as many as tell the rows apart; the first one where none do."""
    rows: Mapping[int, list[str]] = {
        number: [" ".join(cells) for cells in zip(*(column.cells for column in columns[:number]), strict=True)]
        for number in range(1, len(columns) + 1)
    }
    return next((names for names in rows.values() if len(set(names)) == len(names)), rows[1])


def _build_blocks(columns: Sequence[TableColumn]) -> Iterator[Table]:
    """A block for each row, with a line for each column."""
    for cells in zip(*(column.cells for column in columns), strict=True):
        block = Table.grid(padding=(0, GAP, 0, 0))
        block.add_column(no_wrap=True)
        block.add_column(overflow="fold")
        for column, cell in zip(columns, cells, strict=True):
            block.add_row(Text(column.header, style="dim"), Text(cell))
        block.add_row("", "")
        yield block


Cell = str | int | float | None


class SafeConsole(Console):
    """A console whose terminal obeys our styles, and no character of an item or an answer."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of a renderable, as rich gives them, with their text cleaned."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else terminal_text.clean_text(text), style, control)


def get_console() -> Console:
    """The console for tables and sentences, as wide as the terminal."""
    return SafeConsole(soft_wrap=False, highlight=False)


@contextmanager
def allow_closed_pipe() -> Iterator[None]:
    """End the command without an error where the reader of a pipe stops early (`| head`)."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


def print_sentence(sentence: str) -> None:
    """Print one sentence, in lines as wide as the terminal."""
    print_line(wrap_sentence(sentence, get_console().width))


def print_line(text: str) -> None:
    """Print a path or an address in one piece, even where it is longer than the line."""
    with allow_closed_pipe():
        get_console().print(text, markup=False, soft_wrap=True)


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 item, 3 items; the plural has an s unless it is given."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def print_json(value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print one JSON document, keys in the order given."""
    with allow_closed_pipe():
        print(terminal_text.escape_json(json.dumps(value, ensure_ascii=False, indent=2)))


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, notes: Sequence[str] = ()
) -> None:
    """Print a table with numbers aligned to the right, and notes below it."""
    out = get_console()
    with allow_closed_pipe():
        for part in build_table(title, columns, rows, notes=notes):
            out.print(part, crop=False)


def build_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, notes: Sequence[str] = ()
) -> tuple[RenderableType, ...]:
    """The title, table and notes that `print_table` prints, and an empty line after them."""
    table_columns = [
        TableColumn(
            header,
            tuple(format_cell(row[index]) for row in rows),
            numeric=bool(rows) and all(isinstance(row[index], int | float) or row[index] is None for row in rows),
        )
        for index, header in enumerate(columns)
    ]
    width = get_console().width
    parts = lay_out_table(table_columns, width=width)
    wrapped = [Text(wrap_sentence(note, width), no_wrap=True, overflow="ignore") for note in notes]
    below = (*wrapped, Text("")) if notes else ()
    return Text(title, style="bold"), Text(""), *parts, Text(""), *below


def format_cell(cell: Cell) -> str:
    """The text of a cell: four decimals for fractions, a dash for None."""
    if cell is None:
        return "–"
    return f"{cell:z.4f}" if isinstance(cell, float) else str(cell)


def shorten_p(p_value: float | None) -> Cell:
    """A p value as a cell: that it is below .0001 where four decimals would say 0."""
    return "<.0001" if p_value is not None and p_value < 0.0001 else p_value


def format_interval(low: float | None, high: float | None) -> str:
    """An interval as text, a dash where there is none."""
    return "–" if low is None or high is None else f"{low:z.4f} – {high:z.4f}"


def format_ends(low: float | None, high: float | None) -> str:
    """The interval of a difference as text, with signs; a dash where there is none."""
    return "–" if low is None or high is None else f"{low:+z.3f} to {high:+z.3f}"


@contextmanager
def show_progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A progress bar on the error stream, called with the share done (0 to 1); hidden if `quiet`."""
    err = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=err, transient=True,
        disable=quiet or not err.is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
