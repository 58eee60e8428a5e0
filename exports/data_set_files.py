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

ColumnType = Literal["text", "whole", "number", "truth", "texts", "pairs", "object"]
ColumnTypes = Mapping[str, ColumnType]
DataRow = Mapping[str, Any]

NESTED_TYPES = ("texts", "pairs", "object")


def build_files(name: str, rows: Sequence[DataRow], columns: ColumnTypes) -> dict[str, str | bytes]:
    """Build `name`.csv, .jsonl and .parquet with these columns in their order: file name → content.

    Every row has every column; None is an unknown value. `texts` are lists of text, `pairs` lists of two texts, an
    `object` is any JSON value. CSV holds all three as JSON text, Parquet the object alone. Numbers have the
    decimals of `exports.number_formats.round_number`.
    """
    rounded = _round_numbers(rows, columns)
    return {
        f"{name}.csv": build_csv(rounded, columns),
        f"{name}.jsonl": "".join(f"{_format_cell_json(row)}\n" for row in rounded),
        f"{name}.parquet": _build_parquet(rounded, columns, name=f"{name}.parquet"),
    }


def build_csv(rows: Sequence[DataRow], columns: ColumnTypes) -> str:
    """Build the CSV of the rows alone."""
    rounded = _round_numbers(rows, columns)
    cells = [[_flatten_cell(row[column], kind) for column, kind in columns.items()] for row in rounded]
    return writers.format_csv(pd.DataFrame(cells, columns=list(columns), dtype=object))


def _round_numbers(rows: Sequence[DataRow], columns: ColumnTypes) -> list[DataRow]:
    return [
        {column: round_number(row[column]) if kind == "number" else row[column] for column, kind in columns.items()}
        for row in rows
    ]


def _flatten_cell(value: Any, kind: ColumnType) -> Any:
    return _format_cell_json(value) if kind in NESTED_TYPES and value is not None else value


def _format_cell_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _build_parquet(rows: Sequence[DataRow], columns: ColumnTypes, *, name: str) -> bytes:
    import pyarrow as pa  # slow to import
    from pyarrow import parquet

    types = MappingProxyType(
        {
            "text": pa.string(), "whole": pa.int64(), "number": pa.float64(), "truth": pa.bool_(),
            "texts": pa.list_(pa.string()), "pairs": pa.list_(pa.list_(pa.string())), "object": pa.string(),
        }
    )  # fmt: skip
    schema = pa.schema([(column, types[kind]) for column, kind in columns.items()])
    try:
        arrays = [
            pa.array(
                [_flatten_cell(row[column], kind) if kind == "object" else row[column] for row in rows], types[kind]
            )
            for column, kind in columns.items()
        ]
    except UnicodeEncodeError as error:
        raise HromadaError(
            f"Half a character (a lone surrogate) stands in a text for {name}.",
            remedy="Correct that item or answer in its source, then export again.",
        ) from error
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=schema), buffer)
    return buffer.getvalue()
