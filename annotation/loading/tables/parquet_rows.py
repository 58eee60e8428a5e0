"""Reads rows of Parquet, with their values as JSON would have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.errors import BadInput, Where
from annotation.loading.tables.values import convert_value

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
        raise _explain(failure, path, number, kind="Parquet") from None


def read_arrow(path: Path) -> Iterator[input_files.FileRow]:
    """Read the rows of a file of Arrow batches, as data sets of Hugging Face have them; raises BadInput alike."""
    import pyarrow

    input_files.require_file(path)
    number = 0
    try:
        with pyarrow.memory_map(str(path)) as source, pyarrow.ipc.open_stream(source) as batches:
            _check_names(batches.schema.names, path)
            for batch in batches:
                batch.validate(full=True)  # a damaged file would be read beyond its end
                for values in batch.to_pylist():
                    number += 1
                    yield input_files.FileRow(path, number, _convert_row(values, path=path, number=number))
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as failure:
        raise _explain(failure, path, number, kind="Arrow") from None


def _explain(failure: Exception, path: Path, number: int, *, kind: str) -> BadInput:
    reason = str(failure).splitlines()[0] if str(failure) else type(failure).__name__
    problem = f"The {kind} file cannot be read: {reason.rstrip('.')[:200]}."
    return BadInput(problem, where=Where(file=path, line=number or None), remedy=REMEDY)


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
            converted[name] = convert_value(value)
        except BadInput as refusal:
            where = Where(file=path, line=number, field=name)
            raise BadInput(refusal.problem, where=where, remedy=refusal.remedy) from None
    return converted
