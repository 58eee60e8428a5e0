"""How commands speak: tables for people, JSON for machines, progress on the error stream."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

Cell = str | int | float | None


def console() -> Console:
    """The output for people; never narrower than a phone's terminal, as wide as it is."""
    return Console(soft_wrap=False, highlight=False)


@contextmanager
def pipe() -> Iterator[None]:
    """Printing into a pipe whose reader has enough (`| head`) ends the command well."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


def said(sentence: str) -> None:
    """One sentence for people."""
    with pipe():
        console().print(sentence, markup=False)


def show_json(value: Mapping[str, Any] | Sequence[Any]) -> None:
    """One JSON document, keys in the order given."""
    with pipe():
        print(json.dumps(value, ensure_ascii=False, indent=2))


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, notes: Sequence[str] = ()) -> None:
    """Print one table; numbers stand to the right, notes below it."""
    out = console()
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = all(isinstance(row[index], int | float) or row[index] is None for row in rows)
        grid.add_column(column, justify="right" if rows and numeric else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(shown(cell) for cell in row))
    with pipe():
        out.print(title, style="bold", markup=False)
        out.print(grid)
        for note in notes:
            out.print(note, markup=False)


def shown(cell: Cell) -> str:
    """A cell as people read it: four decimals for fractions, a dash for what is unknown."""
    from rich.markup import escape

    if cell is None:
        return "–"
    return f"{cell:.4f}" if isinstance(cell, float) else escape(str(cell))


def interval(low: float | None, high: float | None) -> str:
    """An interval as text, a dash where there is none."""
    return "–" if low is None or high is None else f"{low:.4f} – {high:.4f}"


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A bar on the error stream that is told the share done, from 0 to 1; silent with --json or without a terminal."""
    err = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=err, transient=True,
        disable=quiet or not err.is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
