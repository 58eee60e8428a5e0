"""Reads items from Parquet files, as on the Hugging Face hub. The line of a row is its number, from 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.errors import BadInput, Where

BATCH_ROWS = 4_096
REMEDY = "Save the file again, or convert it to .jsonl."


def read_parquet(path: Path) -> Iterator[input_files.FileRow]:
    """Read the rows; raises BadInput for other files, and for values other than text, numbers and lists."""
    import pyarrow
    from pyarrow import parquet

    input_files.require_file(path)
    number = 0
    try:
        with parquet.ParquetFile(path) as source:
            _check_names(source.schema_arrow.names, path)
            for batch in source.iter_batches(batch_size=BATCH_ROWS):
                for values in batch.to_pylist():
                    number += 1
                    yield input_files.FileRow(path, number, _convert_row(values, path=path, number=number))
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as failure:
        reason = str(failure).splitlines()[0] if str(failure) else type(failure).__name__
        raise BadInput(
            f"The Parquet file cannot be read: {reason.rstrip('.')[:200]}.",
            where=Where(file=path, line=number or None),
            remedy=REMEDY,
        ) from None


def _check_names(names: list[str], path: Path) -> None:
    for name in names:
        if "\0" in name:
            raise BadInput(
                "The name of a column has the character U+0000, which cannot be stored.",
                where=Where(file=path, field=name.replace("\0", "\\0")),
                remedy="Take it out.",
            )
        if names.count(name) > 1:
            raise BadInput(
                "Two columns have the same name.",
                where=Where(file=path, field=name or "(no name)"),
                remedy="Rename one.",
            )


def _convert_row(values: Mapping[str, Any], *, path: Path, number: int) -> dict[str, Any]:
    converted = {}
    for name, value in values.items():
        try:
            converted[name] = _convert_value(value)
        except BadInput as refusal:
            where = Where(file=path, line=number, field=name)
            raise BadInput(refusal.problem, where=where, remedy=refusal.remedy) from None
    return converted


def _check_storable(text: str) -> str:
    if "\0" in text:
        raise BadInput("The character U+0000 cannot be stored.", remedy="Take it out.")
    return text


def _convert_value(value: Any) -> Any:  # noqa: PLR0911  # one return for each type
    """Convert a value to JSON: times as ISO 8601, decimals as text, NaN and infinity as null.

    Raises BadInput, without the place, for a value that cannot be stored.
    """
    match value:
        case None | bool() | int():
            return value
        case str():
            return _check_storable(value)
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple():
            return [_convert_value(element) for element in value]
        case dict():
            return {_check_storable(str(key)): _convert_value(element) for key, element in value.items()}
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | timedelta():
            return str(value)
    raise BadInput("This column holds neither text nor numbers.", remedy="Leave pictures and other bytes out.")
