"""The output of commands: tables and sentences, JSON for `--json`, progress on the error stream."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from bot.commands.table_layout import TableColumn, lay_out_table

Cell = str | int | float | None


def get_console() -> Console:
    """The console for tables and sentences, as wide as the terminal."""
    return Console(soft_wrap=False, highlight=False)


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
    """Print one sentence."""
    with allow_closed_pipe():
        get_console().print(sentence, markup=False)


def print_line(text: str) -> None:
    """Print a path or an address in one piece, even where it is longer than the line."""
    with allow_closed_pipe():
        get_console().print(text, markup=False, soft_wrap=True)


def print_json(value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print one JSON document, keys in the order given."""
    with allow_closed_pipe():
        print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, notes: Sequence[str] = ()
) -> None:
    """Print a table with numbers aligned to the right, and notes below it."""
    out = get_console()
    with allow_closed_pipe():
        for part in build_table(title, columns, rows, notes=notes):
            out.print(part)


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
    parts = lay_out_table(table_columns, width=get_console().width)
    below = (*map(Text, notes), Text("")) if notes else ()
    return Text(title, style="bold"), Text(""), *parts, Text(""), *below


def format_cell(cell: Cell) -> str:
    """The text of a cell: four decimals for fractions, a dash for None."""
    if cell is None:
        return "–"
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def format_interval(low: float | None, high: float | None) -> str:
    """An interval as text, a dash where there is none."""
    return "–" if low is None or high is None else f"{low:.4f} – {high:.4f}"


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
