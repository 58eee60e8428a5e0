"""Rows with typed columns as CSV, as JSON Lines and as Parquet: the same rows three times."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd

from aggregation.errors import HromadaError
from exports import writers
from exports.cells import rounded

Kind = Literal["text", "whole", "number", "truth", "texts", "pairs", "object"]
Columns = Mapping[str, Kind]
Row = Mapping[str, Any]

NESTED = ("texts", "pairs", "object")


def files(name: str, rows: Sequence[Row], columns: Columns) -> dict[str, str | bytes]:
    """`name`.csv, .jsonl and .parquet with these columns in their order; a row lacks no column, None is unknown.

    `texts` are lists of text, `pairs` lists of two texts, an `object` anything that JSON has. CSV holds all three as
    JSON, Parquet the object alone. Numbers have the decimals of `exports.cells.rounded`.
    """
    clean = _clean(rows, columns)
    return {
        f"{name}.csv": csv(clean, columns),
        f"{name}.jsonl": "".join(f"{_json(row)}\n" for row in clean),
        f"{name}.parquet": _parquet(clean, columns, name=f"{name}.parquet"),
    }


def csv(rows: Sequence[Row], columns: Columns) -> str:
    """The rows as CSV alone."""
    clean = _clean(rows, columns)
    flat = [[_flat(row[column], kind) for column, kind in columns.items()] for row in clean]
    return writers.csv_text(pd.DataFrame(flat, columns=list(columns), dtype=object))


def _clean(rows: Sequence[Row], columns: Columns) -> list[Row]:
    return [
        {column: rounded(row[column]) if kind == "number" else row[column] for column, kind in columns.items()}
        for row in rows
    ]


def _flat(value: Any, kind: Kind) -> Any:
    return _json(value) if kind in NESTED and value is not None else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _parquet(rows: Sequence[Row], columns: Columns, *, name: str) -> bytes:
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
            pa.array([_flat(row[column], kind) if kind == "object" else row[column] for row in rows], types[kind])
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
