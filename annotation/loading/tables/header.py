"""Turns the cells of a table into rows by the names in its header; empty rows and columns are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from aggregation import spelling
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading.drafts import format_value

Cells = tuple[int, Sequence[Any]]
"""A row of a table: its line or row number from 1, and its cells."""


def build_rows(table: Iterable[Cells], *, path: Path) -> Iterator[FileRow]:
    """Yield the rows below the first one that is not empty, which is the header; titles above it are left out.

    Columns without a name and without any cell are left out, and so are empty rows. Raises BadInput for two columns of
    one name, and for a row with more or fewer cells than the header.
    """
    filled: Iterator[Cells] = (row for row in table if not all(map(is_blank, row[1])))
    first = next(filled, None)
    if first is None:
        return
    names = _format_names(first)
    places = [*range(len(names))]
    if "" in names:  # whether the column has cells is known at the end only
        rows = list(filled)
        while rows and _is_title(names, rows):
            first, *rows = rows
            names = _format_names(first)
        filled = iter(rows)
        places = [place for place, name in enumerate(names) if name or _has_cells(rows, place)]
    width = len(names)
    _refuse_duplicates([names[place] for place in places], line=first[0], path=path)
    least = max(places, default=-1) + 1
    header = [names[place] for place in places]
    is_whole = len(header) == width
    for line, cells in filled:
        if not least <= len(cells) <= width and not (len(cells) > width and all(map(is_blank, cells[width:]))):
            raise _build_width_error(cells, names, path=path, line=line)
        kept = cells[:width] if is_whole else [cells[place] for place in places]
        yield FileRow(path, line, dict(zip(header, kept, strict=True)))


def _format_names(row: Cells) -> list[str]:
    return [spelling.build_key(format_value(cell)) for cell in row[1]]


def _is_title(names: Sequence[str], rows: Sequence[Cells]) -> bool:
    """Whether a row is no header but a title above it: its first cell alone, and several columns below without one."""
    return not any(names[1:]) and sum(_has_cells(rows, place) for place in range(1, len(names))) > 1


def is_blank(cell: object) -> bool:
    """Return whether a cell is empty, or holds blanks only."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def name_cell(names: Sequence[str], index: int) -> str:
    """Return the name of the column of a cell; its number where the header has none."""
    return (names[index] if index < len(names) else "") or f"cell {index + 1}"


def _has_cells(rows: Iterable[Cells], place: int) -> bool:
    return any(len(cells) > place and not is_blank(cells[place]) for _, cells in rows)


def _refuse_duplicates(names: Sequence[str], *, line: int, path: Path) -> None:
    met = set[str]()
    for name in names:
        if name in met:
            problem = "Two columns have the same name." if name else "Two columns have no name."
            place = Where(file=path, line=line, field=name or "(no name)")
            raise BadInput(problem, where=place, remedy="Rename one." if name else "Name them.")
        met.add(name)


def _build_width_error(cells: Sequence[Any], names: Sequence[str], *, path: Path, line: int) -> BadInput:
    return BadInput(
        f"The row has {len(cells)} cells, the header {len(names)}.",
        where=Where(file=path, line=line, field=name_cell(names, min(len(cells), len(names)))),
        remedy="Quote cells that hold a separator or a line break.",
    )
