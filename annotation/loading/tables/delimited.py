"""Reads tables of text: cells separated by a comma, semicolon, tab or bar, with a header."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from annotation import input_files
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading.tables import header
from annotation.loading.tables.header import Cells

SEPARATORS = ",;\t|"
MAX_CELL_CHARACTERS = 10_000_000
SAMPLE_CHARACTERS = 100_000
SAMPLE_ROWS = 100
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
"""The first line that Excel takes for the separator."""


def read_delimited(path: Path, *, encoding: str | None = None, separator: str | None = None) -> Iterator[FileRow]:
    """Yield the rows of a file with a header.

    The separator is the stated one, that of a first line `sep=;`, or the one by which the rows are as wide as the
    header. Quoted cells may hold line breaks; empty lines are skipped. Raises BadInput with the line.
    """
    text = input_files.read_table_text(path, encoding=encoding)
    csv.field_size_limit(MAX_CELL_CHARACTERS)  # the limit is global in the csv module, and stories are long
    stated = _SEPARATOR_LINE.match(text)
    if stated is not None:
        text = "\n" + text[stated.end() :]  # an empty line keeps the numbers of the others
        separator = separator or stated[1]
    return header.build_rows(_read_cells(text, separator or _find_separator(text), path), path=path)


def _read_cells(text: str, separator: str, path: Path) -> Iterator[Cells]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line, names = 1, list[str]()
    try:
        for cells in reader:
            names = names or [cell.strip() for cell in cells]
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as failure:
        if not names:
            place = Where(file=path, line=line, column=1)
            problem = f"The header cannot be read: {failure}."
            raise BadInput(problem, where=place, remedy="Is it the right file?") from None
        cell = _count_sound_cells(text, line=line, separator=separator)
        place = Where(file=path, line=line, field=header.name_cell(names, cell))
        raise BadInput(f"The row cannot be read: {failure}.", where=place, remedy="Check its quotes.") from None


def _count_sound_cells(text: str, *, line: int, separator: str) -> int:
    """The number of cells before the first one with a broken quote, in the row that begins on a line."""
    rows = "".join(io.StringIO(text, newline="").readlines()[line - 1 :])
    sign = re.escape(separator)
    cell = re.compile(rf'(?:"(?:[^"]|"")*"|[^"{sign}\r\n][^{sign}\r\n]*)?{sign}')
    count = position = 0
    while match := cell.match(rows, position):
        count, position = count + 1, match.end()
    return count


def _find_separator(text: str) -> str:
    """The separator by which most of the first rows are as wide as the header, and of several the one of most cells.

    A text without any separator has one column.
    """
    sample = text[:SAMPLE_CHARACTERS]
    found: dict[str, tuple[float, int]] = {}
    for separator in SEPARATORS:
        rows = _read_sample(sample, separator)
        if len(text) > len(sample):
            rows = rows[:-1] or rows  # the last one is cut
        if rows and len(rows[0]) > 1:
            widths = [_count_cells(cells, len(rows[0])) for cells in rows[1:]]
            share = sum(width == len(rows[0]) for width in widths) / len(widths) if widths else 1.0
            found[separator] = share, len(rows[0])
    return max(found, key=lambda separator: found[separator]) if found else ","


def _read_sample(text: str, separator: str) -> list[list[str]]:
    """The first rows that are not empty; by a wrong separator quotes may make no sense, which ends them."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    with contextlib.suppress(csv.Error):
        rows.extend(cells for cells in islice(reader, SAMPLE_ROWS) if any(map(str.strip, cells)))
    return rows


def _count_cells(cells: Sequence[str], width: int) -> int:
    """The number of cells without empty ones beyond the header."""
    return width if len(cells) > width and not any(map(str.strip, cells[width:])) else len(cells)
