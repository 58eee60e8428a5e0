"""Where two versions of a file differ first: the cell of a table, the place in a JSON file, the line of a text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

SHOWN = 60
"""How many characters of a value are shown."""
KEY_CELLS = 3
"""How many cells of a row are shown to name it."""


def describe_difference(path: str, found: bytes, expected: bytes) -> str:
    """A sentence on the first difference between what stands in a file and what follows from the raw files.

    Tables are compared by row and column, JSON by the path of the value, other texts by line.
    """
    try:
        if path.endswith(".csv"):
            return _compare_tables(found.decode(), expected.decode())
        if path.endswith(".json"):
            return _compare_json(json.loads(found), json.loads(expected))
        if path.endswith(".parquet"):
            return _compare_parquet(found, expected)
        return _compare_lines(found.decode(), expected.decode())
    except (ValueError, csv.Error, OSError):
        return "its content is of another form than follows"


def _compare_tables(found: str, expected: str) -> str:
    rows, others = (list(csv.reader(io.StringIO(text, newline=""), strict=True)) for text in (found, expected))
    if rows[:1] != others[:1]:
        return f"the columns are {_show(rows[:1])}, and {_show(others[:1])} follow"
    for number, (row, other) in enumerate(zip_longest(rows[1:], others[1:]), start=1):
        if row is None or other is None:
            return f"{len(rows) - 1} rows stand there, {len(others) - 1} follow"
        for name, cell, right in zip_longest(rows[0], row, other):
            if cell != right:
                return f"row {number} ({', '.join(other[:KEY_CELLS])}), column {name}: {_contrast(cell, right)}"
    return _compare_lines(found, expected)


def _compare_json(found: Any, expected: Any) -> str:
    for place, value, right in _walk_differences(found, expected, ""):
        return f"{place or 'the whole'}: {_contrast(value, right)}"
    return "only its layout differs"


def _walk_differences(found: Any, expected: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted({*found, *expected}):
            yield from _walk_differences(found.get(key), expected.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(found, list) and isinstance(expected, list):
        for number, (one, other) in enumerate(zip_longest(found, expected)):
            yield from _walk_differences(one, other, f"{place}[{number}]")
    elif found != expected or type(found) is not type(expected):
        yield place, found, expected


def _compare_parquet(found: bytes, expected: bytes) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table, other = (pq.read_table(io.BytesIO(content)) for content in (found, expected))
    except pa.ArrowException:
        return "it cannot be read as a Parquet file"
    if table.schema != other.schema or table.num_rows != other.num_rows:
        return f"{table.num_rows} rows of {table.num_columns} columns stand there, other ones follow"
    for name in table.column_names:
        for number, (cell, right) in enumerate(zip(table[name].to_pylist(), other[name].to_pylist(), strict=True)):
            if cell != right:
                return f"row {number + 1}, column {name}: {_contrast(cell, right)}"
    return "only its layout differs"


def _compare_lines(found: str, expected: str) -> str:
    lines, others = found.split("\n"), expected.split("\n")
    for number, (line, other) in enumerate(zip_longest(lines, others), start=1):
        if line != other:
            return f"line {number}: {_contrast(line, other)}"
    return "only its layout differs"


def _contrast(found: object, expected: object) -> str:
    if isinstance(found, str) and isinstance(expected, str):
        start = next((place for place, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), 0)
        begin = max(0, start - SHOWN // 2)
        if max(len(found), len(expected)) > SHOWN:
            found, expected = ("…" * bool(begin) + text[begin : begin + SHOWN] for text in (found, expected))
    return f"{_show(found)} stands there, {_show(expected)} follows"


def _show(value: object) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"“{text if len(text) <= SHOWN + 1 else text[:SHOWN] + '…'}”"
