"""Writes the same rows as every kind of table that hromada reads."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa
from pyarrow import parquet


class RawCell(str):
    """A cell of a workbook as it is in the file, without its place."""

    __slots__ = ()


Row = Mapping[str, object]
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HIDDEN = ' state="hidden"'
SEPARATORS = {".csv": ",", ".tsv": "\t"}


def write_table(path: Path, rows: Sequence[Row], *, separator: str | None = None, encoding: str = "utf-8") -> Path:
    """Write the rows, all with the same columns, as the ending of the file says; returns its path."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    match path.suffix:
        case ".jsonl":
            path.write_text("\n".join(lines) + "\n", encoding)
        case ".json":
            path.write_text("[" + ",\n".join(lines) + "]\n", encoding)
        case ".parquet":
            parquet.write_table(pa.Table.from_pylist([*map(dict, rows)]), path)
        case ".xlsx":
            path.write_bytes(build_workbook({"Votes": [[*rows[0]], *([*row.values()] for row in rows)]}))
        case _:
            out = io.StringIO(newline="")
            writer = csv.DictWriter(out, [*rows[0]], delimiter=separator or SEPARATORS[path.suffix])
            writer.writeheader()
            writer.writerows(rows)
            path.write_bytes(out.getvalue().encode(encoding))
    return path


def build_workbook(sheets: Mapping[str, Sequence[Sequence[object]]], *, hidden: Sequence[str] = ()) -> bytes:
    """An .xlsx file as Excel's own form has it: texts in the cells, numbers as numbers, None as no cell."""
    numbers = range(1, len(sheets) + 1)
    parts = {f"xl/worksheets/sheet{number}.xml": _build_sheet(rows) for number, rows in zip(numbers, sheets.values())}  # noqa: B905
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"{HIDDEN * (name in hidden)}/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    parts["xl/workbook.xml"] = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'
    targets = [("worksheet", f"worksheets/sheet{number}.xml") for number in numbers]
    parts["xl/_rels/workbook.xml.rels"] = _build_relations(targets)
    parts["_rels/.rels"] = _build_relations([("officeDocument", "xl/workbook.xml")])
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{_SHEET_TYPE}.{kind}+xml"/>'
        for name, kind in [
            ("xl/workbook.xml", "sheet.main"),
            *((f"xl/worksheets/sheet{number}.xml", "worksheet") for number in numbers),
        ]
    )
    relations = f'<Default Extension="rels" ContentType="{_RELATIONS_TYPE}"/>'
    parts["[Content_Types].xml"] = f'<Types xmlns="{_PACKAGE}/content-types">{relations}{overrides}</Types>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>\n' + text)
    return buffer.getvalue()


_RELATIONS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"


def _build_relations(targets: Sequence[tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _build_sheet(rows: Sequence[Sequence[object]]) -> str:
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = "".join(
            _build_cell(f"{name_column(place)}{number}", value) for place, value in enumerate(row) if value is not None
        )
        lines.append(f'<row r="{number}">{cells}</row>')
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _build_cell(name: str, value: object) -> str:
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{name}"><v>{value!r}</v></c>'
    if isinstance(value, RawCell):
        return value.replace("<c", f'<c r="{name}"', 1)
    text = str(value)
    return f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def name_column(place: int) -> str:
    """The letters of a column from 0: A, Z, AA."""
    letters = ""
    while place >= 0:
        place, letter = divmod(place, 26)
        letters, place = chr(65 + letter) + letters, place - 1
    return letters
