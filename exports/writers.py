"""The only module that writes published files: none changes unless all could be written; same content, same bytes.

A spreadsheet runs a cell that begins with = + - @ (some also their full-width forms) or with a tab or a line break.
Text cells that begin so get one apostrophe (') in front. So that a program can undo it without guessing, text that
begins with apostrophes and then one of those characters gets one more apostrophe too. Readers need one rule: where a
cell matches ^'+[=+\\-@＝＋－＠\\t\\r\\n], remove its first apostrophe. Plain numbers (-0.5) stay as they are, also in a
column of text.
"""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from aggregation.errors import HromadaError, Where, explain_disk
from exports.rounding import round_number

FILE_MODE = 0o644  # published files may be read by all; tempfile makes them 0600
MAX_EXACT = 1e15  # whole numbers are exact below it, and pandas turns whole numbers with gaps into floats
_RISKY = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


def escape_cell(text: str) -> str:
    """Escape a text so that no spreadsheet runs it as a formula; plain numbers (-0.5, +3, -1e-3) stay as they are."""
    return f"'{text}" if _RISKY.match(text) and not _NUMBER.fullmatch(text) else text


def format_csv(frame: pd.DataFrame) -> str:
    """Format a frame as CSV: its rows and columns in order, a header, "\\n" between lines, quotes where needed.

    None and nan are empty cells, truth values `true` and `false`, whole numbers below `MAX_EXACT` have no decimal
    point, other numbers the shortest form that reads back as the same number. Text is escaped (`escape_cell`). A column
    that needs fixed decimals has to be text already.
    """
    columns = [frame[name].tolist() for name in frame.columns]
    rows = [list(frame.columns), *zip(*columns, strict=True)]
    return "".join(",".join(_quote_cell(_format_cell(value)) for value in row) + "\n" for row in rows)


def format_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Format rows as CSV with these columns; see `format_csv`."""
    return format_csv(pd.DataFrame(rows, columns=list(columns), dtype=object))


def format_json(content: object) -> str:
    """Format content as JSON: keys sorted, letters as they are, two spaces a level, a newline at the end.

    Raises ValueError for nan and infinity, which JSON does not have.
    """
    return json.dumps(content, sort_keys=True, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> tuple[Path, ...]:
    """Write files (path → text as UTF-8, or bytes) into a folder, which is created if needed; returns the sorted paths.

    First all contents are written to temporary files beside their targets and flushed to the disk; then each is renamed
    to its target. So a failure while writing (no space, no permission) changes no published file, and a reader never
    sees half a file. Raises HromadaError with the file and the remedy.
    """
    contents = {folder / name: files[name] for name in sorted(files)}
    targets = list(contents)
    folders = sorted({folder, *(target.parent for target in targets)})
    for parent in folders:
        _make_folder(parent)
    for target in targets:
        _refuse_folder(target)
    written: list[tuple[Path, Path]] = []
    target = folder
    try:
        for target in targets:
            written.append((_write_temporary(target, contents[target]), target))  # noqa: PERF401  # the list must survive a failure
        for temporary, target in written:  # `target` names the file in the message
            temporary.replace(target)
        for parent in folders:
            _flush_folder(parent)
    except OSError as error:
        raise _describe_os_error(error, target) from error
    except UnicodeEncodeError as error:
        raise describe_encoding_error(error, target) from error
    finally:
        _delete_files(temporary for temporary, _ in written)
    return tuple(targets)


def remove_files(folder: Path, names: Iterable[str]) -> None:
    """Remove files of an earlier run, by their paths in the folder, and the folders in it that are empty then.

    A path that leads outside is passed over. Raises HromadaError with the file and the remedy.
    """
    for name in sorted(names):
        target = folder / name
        if folder not in target.parents or ".." in Path(name).parts:
            continue
        try:
            target.unlink(missing_ok=True)
            for parent in target.parents:
                if parent == folder or not parent.is_dir() or any(parent.iterdir()):
                    break
                parent.rmdir()
        except OSError as error:
            raise _describe_os_error(error, target) from error


def _format_cell(value: object) -> str:
    if isinstance(value, str):
        return escape_cell(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if value is None or value is pd.NA or value is pd.NaT or value != value:  # noqa: PLR0124  # only nan differs from itself
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < MAX_EXACT:
        return str(int(value))
    if isinstance(value, (int, float, np.integer, np.floating)):
        return str(value.item() if isinstance(value, np.generic) else value)
    return escape_cell(str(value))


def _quote_cell(cell: str) -> str:
    """Python's csv leaves a lone carriage return without quotes before 3.13, and readers take it for a line break."""
    return f'"{cell.replace(chr(34), chr(34) * 2)}"' if any(mark in cell for mark in ',"\r\n') else cell


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _describe_os_error(error, folder) from error


def _refuse_folder(target: Path) -> None:
    if target.is_dir():
        raise HromadaError(
            "There is a folder where this file has to go.",
            remedy="Move it away, or choose another folder to export to.",
            where=Where(file=target),
        )


def _write_temporary(target: Path, content: str | bytes) -> Path:
    """Write the content to a new file beside the target and flush it to the disk; delete the file after a failure."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    with ExitStack() as undo:
        undo.callback(_delete_files, [temporary])
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(FILE_MODE)
        undo.pop_all()
    return temporary


def _flush_folder(folder: Path) -> None:
    """Flush the new names to the disk; not needed where folders cannot be opened (Windows)."""
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _delete_files(temporaries: Iterable[Path]) -> None:
    for temporary in temporaries:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _describe_os_error(error: OSError, path: Path) -> HromadaError:
    if explained := explain_disk(error, where=Where(file=path)):
        return explained
    remedies: tuple[tuple[type[OSError], str], ...] = (
        (PermissionError, "Allow writing there, or choose another folder to export to."),
        (FileExistsError, "A file has that name: move it away, or choose another folder to export to."),
        (NotADirectoryError, "Part of that path is a file: choose another folder to export to."),
    )
    matching = [remedy for kind, remedy in remedies if isinstance(error, kind)]
    remedy = matching[0] if matching else "Check that the disk has space and can be written to, then export again."
    reason = error.strerror or "the system gave no reason"
    return HromadaError(f"The file could not be written ({reason}).", remedy=remedy, where=Where(file=path))


def describe_encoding_error(error: UnicodeEncodeError, path: Path) -> HromadaError:
    """The error of a text with half a character, which no file can hold: where it stands, and what to do."""
    around = error.object[max(0, error.start - 20) : error.start]
    return HromadaError(
        f"Half a character (a lone surrogate) is in a text after {around!r}.",
        remedy="Correct that item or answer in its source, then export again.",
        where=Where(file=path),
    )


ColumnType = Literal["text", "integer", "number", "boolean", "texts", "pairs", "object"]
ColumnTypes = Mapping[str, ColumnType]
DataRow = Mapping[str, Any]

NESTED_TYPES = ("texts", "pairs", "object")


def build_files(name: str, rows: Sequence[DataRow], columns: ColumnTypes) -> dict[str, str | bytes]:
    """Build `name`.csv, .jsonl and .parquet with these columns in their order: file name → content.

    Every row has every column; None is an unknown value. Of the column types, `texts` is a list of texts, `pairs` a
    list of [text, text], `object` any JSON value. CSV holds these three as JSON text, Parquet the object alone. Numbers
    are rounded by `exports.rounding.round_number`. Raises HromadaError for a text with half a character (a lone
    surrogate).
    """
    rounded = _round_numbers(rows, columns)
    return {
        f"{name}.csv": build_csv(rounded, columns),
        f"{name}.jsonl": "".join(f"{_format_json(row)}\n" for row in rounded),
        f"{name}.parquet": _build_parquet(rounded, columns, name=f"{name}.parquet"),
    }


def build_csv(rows: Sequence[DataRow], columns: ColumnTypes) -> str:
    """Build the CSV of the rows alone."""
    rounded = _round_numbers(rows, columns)
    cells = [[_encode_nested(row[column], column_type) for column, column_type in columns.items()] for row in rounded]
    return format_csv(pd.DataFrame(cells, columns=list(columns), dtype=object))


def _round_numbers(rows: Sequence[DataRow], columns: ColumnTypes) -> list[DataRow]:
    return [
        {
            column: round_number(row[column]) if column_type == "number" else row[column]
            for column, column_type in columns.items()
        }
        for row in rows
    ]


def _encode_nested(value: Any, column_type: ColumnType) -> Any:
    return _format_json(value) if column_type in NESTED_TYPES and value is not None else value


def _format_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _build_parquet(rows: Sequence[DataRow], columns: ColumnTypes, *, name: str) -> bytes:
    import pyarrow as pa  # slow to import
    from pyarrow import parquet

    arrow_types = MappingProxyType(
        {
            "text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_(),
            "texts": pa.list_(pa.string()), "pairs": pa.list_(pa.list_(pa.string())), "object": pa.string(),
        }
    )  # fmt: skip
    schema = pa.schema([(column, arrow_types[column_type]) for column, column_type in columns.items()])
    try:
        arrays = [
            pa.array(
                [_encode_nested(row[column], column_type) if column_type == "object" else row[column] for row in rows],
                arrow_types[column_type],
            )
            for column, column_type in columns.items()
        ]
    except UnicodeEncodeError as error:
        raise HromadaError(
            f"Half a character (a lone surrogate) is in a text for {name}.",
            remedy="Correct that item or answer in its source, then export again.",
        ) from error
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=schema), buffer)
    return buffer.getvalue()
