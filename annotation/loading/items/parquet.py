"""Items as Parquet, as the Hugging Face hub keeps them. A row's place is its number, from 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from annotation import files
from annotation.errors import BadInput, Where

BATCH = 4_096
REMEDY = "Save the file again, or convert it to .jsonl."


def rows(path: Path) -> Iterator[files.Row]:
    """One row a row; raises BadInput for a file that is not Parquet and for values that are no text, number or list."""
    import pyarrow
    from pyarrow import parquet

    files.need_file(path)
    number = 0
    try:
        with parquet.ParquetFile(path) as source:
            _need_names(source.schema_arrow.names, path)
            for batch in source.iter_batches(batch_size=BATCH):
                for values in batch.to_pylist():
                    number += 1
                    yield files.Row(path, number, _row(values, path=path, number=number))
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as failure:
        reason = str(failure).splitlines()[0] if str(failure) else type(failure).__name__
        raise BadInput(
            f"The Parquet file cannot be read: {reason.rstrip('.')[:200]}.",
            where=Where(file=path, line=number or None),
            remedy=REMEDY,
        ) from None


def _need_names(names: list[str], path: Path) -> None:
    for name in names:
        _storable(name, Where(file=path))
        if names.count(name) > 1:
            raise BadInput(
                "Two columns have the same name.",
                where=Where(file=path, field=name or "(no name)"),
                remedy="Rename one.",
            )


def _row(values: Mapping[str, Any], *, path: Path, number: int) -> dict[str, Any]:
    return {name: _plain(value, Where(file=path, line=number, field=name)) for name, value in values.items()}


def _storable(text: str, where: Where) -> str:
    if "\0" in text:
        raise BadInput("The character U+0000 cannot be stored.", where=where, remedy="Take it out.")
    return text


def _plain(value: Any, where: Where) -> Any:  # noqa: PLR0911  # one line a kind of value
    """A value as JSON has it: times as ISO 8601, decimals as text, what is no number as nothing."""
    match value:
        case None | bool() | int():
            return value
        case str():
            return _storable(value, where)
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple():
            return [_plain(one, where) for one in value]
        case dict():
            return {_storable(str(key), where): _plain(one, where) for key, one in value.items()}
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | timedelta():
            return str(value)
    raise BadInput(
        "This column holds neither text nor numbers.", where=where, remedy="Leave pictures and other bytes out."
    )
