"""Refuses rows of tables that are no votes: data in place of the header, and totals below the last vote."""

from __future__ import annotations

from annotation.errors import BadInput
from annotation.loading.project_drafts.source_files import SourceFile

_TOTALS = frozenset(
    {
        "total", "totals", "sum", "mean", "average", "median", "всього", "усього", "разом", "сума", "середнє",
        "медіана", "итого", "всего", "сумма", "среднее", "медиана",
    }
)  # fmt: skip
MIN_REPEATED = 2
"""How many cells of the first row must be values of their columns, too, to be taken for data."""


def refuse_odd_rows(source: SourceFile) -> None:
    """Raise BadInput for a table without a header, and for one whose last row is a total."""
    repeated = [name for name, column in source.columns.items() if name and name in column.counts]
    if len(repeated) >= MIN_REPEATED:
        raise BadInput(
            f"The first row looks like data, not like a header: {repeated[-1]!r} is also a value in its column.",
            where=source.where(repeated[-1]),
            remedy="Write a row with the names of the columns above it.",
        )
    if (word := _find_total(source)) is not None:
        raise BadInput(
            f"The last row looks like a total: it begins with {word!r}.",
            where=source.rows[-1].where(),
            remedy="Take the row out, or name its item otherwise.",
        )


def _find_total(source: SourceFile) -> str | None:
    """The word that names a total in the last row, whose other cells are numbers, some of which no row above has."""
    last = {name: column.cells[-1] for name, column in source.columns.items() if column.cells and column.cells[-1]}
    words = {name: cell for name, cell in last.items() if cell.casefold().split()[0].rstrip(":") in _TOTALS}
    numbers = {name: cell for name, cell in last.items() if name not in words}
    if len(words) != 1 or not all(
        cell.replace(".", "", 1).replace(",", "", 1).isdecimal() for cell in numbers.values()
    ):
        return None
    are_new = any(source.columns[name].counts[cell] == 1 for name, cell in numbers.items())
    return next(iter(words.values())) if are_new else None
