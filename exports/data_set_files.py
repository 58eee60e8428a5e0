"""Data-set files: the same rows with typed columns as CSV, as JSON Lines and as Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd

from aggregation.errors import HromadaError
from exports import writers
from exports.number_formats import round_number

ColumnType = Literal["text", "integer", "number", "boolean", "texts", "pairs", "object"]
ColumnTypes = Mapping[str, ColumnType]
DataRow = Mapping[str, Any]

NESTED_TYPES = ("texts", "pairs", "object")


def build_files(name: str, rows: Sequence[DataRow], columns: ColumnTypes) -> dict[str, str | bytes]:
    """Build `name`.csv, .jsonl and .parquet with these columns in their order: file name → content.

    Every row has every column; None is an unknown value. Of the column types, `texts` is a list of texts, `pairs` a
    list of [text, text], `object` any JSON value. CSV holds these three as JSON text, Parquet the object alone. Numbers
    are rounded by `exports.number_formats.round_number`. Raises HromadaError for a text with half a character (a lone
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
    return writers.format_csv(pd.DataFrame(cells, columns=list(columns), dtype=object))


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
            f"Half a character (a lone surrogate) stands in a text for {name}.",
            remedy="Correct that item or answer in its source, then export again.",
        ) from error
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=schema), buffer)
    return buffer.getvalue()
