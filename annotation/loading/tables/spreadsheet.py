"""Reads a sheet of an .xlsx file: the values of its cells, not their formulas."""

from __future__ import annotations

import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

from aggregation import spelling
from annotation import input_files
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading.tables import header
from annotation.loading.tables.header import Cells
from annotation.loading.tables.values import convert_value

MAX_CELLS = 20_000_000
"""The size of a sheet from its first to its last cell, above which it is refused: the reader keeps every cell."""
MAX_SHEET_BYTES = 2_000_000_000
REMEDY = "Save it again as .xlsx, or as CSV UTF-8."
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, lzma.LZMAError, ElementTree.ParseError, OSError, ValueError, KeyError,
    NotImplementedError, RuntimeError, EOFError,
)  # fmt: skip
"""What a damaged archive, or XML in it, raises in the standard library."""
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
_CELL = re.compile(rb"<(?:\w+:)?c[ />]")
_COLUMN = re.compile(rb'<(?:\w+:)?c [^>]*?\br="([A-Z]{1,3})\d{1,7}"')
_ROW = re.compile(rb'<(?:\w+:)?c [^>]*?\br="[A-Z]{1,3}(\d{1,7})"')
_ERROR = re.compile(
    rb'<(?:\w+:)?c (?=[^>]*\bt="e")[^>]*\br="([A-Z]{1,3})(\d{1,7})"[^>]*>.*?<(?:\w+:)?v>([^<]{0,20})<', re.DOTALL
)
_EMPTY_FORMULA = re.compile(
    rb'<(?:\w+:)?c [^>]*?\br="([A-Z]{1,3}\d{1,7})"[^>]*>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*</'
)


def read_spreadsheet(path: Path, *, sheet: str | None = None) -> Iterator[FileRow]:
    """Yield the rows of a sheet, by default the only one with cells; hidden sheets are read by their name only.

    Whole numbers are integers, times ISO 8601, and errors the text that the cell shows (`#N/A`). Raises BadInput for a
    formula without its value, and for a workbook that cannot be read.
    """
    input_files.require_file(path)
    return header.build_rows(_read_cells(path, sheet), path=path)


def _read_cells(path: Path, sheet: str | None) -> Iterator[Cells]:
    import python_calamine

    try:
        with zipfile.ZipFile(path) as archive:
            parts = _list_sheets(archive)
            name, content = _choose_sheet(archive, parts, sheet, path)
        errors = _check_content(content, path, name)
        del content  # the rows need the memory
        with python_calamine.CalamineWorkbook.from_path(path) as workbook:
            rows = workbook.get_sheet_by_name(name)
            first = 0 if rows.start is None else rows.start[1]
            table = rows.iter_rows()
    except (*_BROKEN, python_calamine.CalamineError) as failure:
        raise _build_refusal(path, failure) from None
    for number, cells in enumerate(table, start=1):
        yield (
            number,
            [
                _convert_cell(errors.get((number, first + place), cell), path=path, row=number)
                for place, cell in enumerate(cells)
            ],
        )


def _build_refusal(path: Path, failure: Exception) -> BadInput:
    with path.open("rb") as source:
        is_old = source.read(4) == _OLD_WORKBOOK
    if is_old:
        problem = "This is a workbook of the old form .xls, or one with a password."
        return BadInput(problem, where=Where(file=path), remedy="Save it as .xlsx without a password.")
    reason = str(failure).splitlines()[0].rstrip(".")[:200] if str(failure) else type(failure).__name__
    return BadInput(f"The .xlsx file cannot be read: {reason}.", where=Where(file=path), remedy=REMEDY)


def _list_sheets(archive: zipfile.ZipFile) -> Mapping[str, tuple[str, bool]]:
    """The part of the archive that holds each sheet, by the sheet's name, and whether the sheet is visible."""
    workbook = ElementTree.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314  # expat limits entities
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    targets = {relation.get("Id"): relation.get("Target") or "" for relation in relations}
    found: dict[str, tuple[str, bool]] = {}
    for node in workbook.iter():
        if node.tag.rpartition("}")[2] == "sheet":
            relation = next((value for name, value in node.items() if name.endswith("}id")), None)
            target = targets.get(relation, "")
            part = target.removeprefix("/") if target.startswith("/") else str(PurePosixPath("xl") / target)
            found[node.get("name") or ""] = part, node.get("state", "visible") == "visible"
    return found


def _choose_sheet(
    archive: zipfile.ZipFile, parts: Mapping[str, tuple[str, bool]], sheet: str | None, path: Path
) -> tuple[str, bytes]:
    """The name and the content of the named sheet, or of the only visible one with cells."""
    if sheet is not None:
        if sheet not in parts:
            remedy = f"{input_files.suggest_name(sheet, parts)}There are: {spelling.join_first(parts)}."
            raise BadInput(f"There is no sheet {sheet!r}.", where=Where(file=path, field="sheet"), remedy=remedy)
        return sheet, _read_part(archive, parts[sheet][0], path)
    visible = {name: _read_part(archive, part, path) for name, (part, is_visible) in parts.items() if is_visible}
    filled = {name: content for name, content in visible.items() if _CELL.search(content) is not None}
    if len(filled) > 1:
        place = Where(file=path, field="sheet")
        problem = f"The file has {len(filled)} sheets: {spelling.join_first(filled)}."
        raise BadInput(problem, where=place, remedy="Name the one to read: `sheet: NAME` beside `file`.")
    if not filled:
        raise BadInput("The file is empty.", where=Where(file=path), remedy="Is it the right one?")
    return next(iter(filled.items()))


def _read_part(archive: zipfile.ZipFile, part: str, path: Path) -> bytes:
    if archive.getinfo(part).file_size > MAX_SHEET_BYTES:
        raise BadInput("A sheet is larger than 2 GB.", where=Where(file=path), remedy="Save it as CSV UTF-8.")
    return archive.read(part)


def _check_content(content: bytes, path: Path, sheet: str) -> dict[tuple[int, int], str]:
    """The texts of cells with errors by row from 1 and column from 0; refuses what would be lost or is too large."""
    empty = _EMPTY_FORMULA.search(content) if b"<f" in content or b":f" in content else None
    if empty is not None:
        raise BadInput(
            f"The cell {empty[1].decode()} of the sheet {sheet!r} has a formula, and not its value.",
            where=Where(file=path, field=f"cell {empty[1].decode()}"),
            remedy="Open the file in a spreadsheet program, and save it.",
        )
    rows, columns = {*map(int, _ROW.findall(content))}, {*map(_number_column, {*_COLUMN.findall(content)})}
    if rows and (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) > MAX_CELLS:
        raise BadInput(
            f"The sheet {sheet!r} reaches to row {max(rows)} and column {max(columns) + 1}.",
            where=Where(file=path, field=sheet),
            remedy="Remove what is far from the table, or save it as CSV UTF-8.",
        )
    found = _ERROR.findall(content) if b't="e"' in content else []
    return {(int(row), _number_column(name)): text.decode("utf-8", "replace") for name, row, text in found}


def _number_column(letters: bytes) -> int:
    """The number of a column from 0: A is 0, AA is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def _convert_cell(value: Any, *, path: Path, row: int) -> Any:
    if isinstance(value, str) and "\0" not in value:
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    try:
        return convert_value(value)
    except BadInput as refusal:
        raise BadInput(refusal.problem, where=Where(file=path, line=row), remedy=refusal.remedy) from None
