"""Items as they come from files: one format a file, chosen by the ending."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import files
from annotation.errors import BadInput, Where
from annotation.loading.items import jsonl


def rows(path: Path) -> Iterator[files.Row]:
    """Rows of a file of items; raises BadInput for an ending that no reader knows."""
    match path.suffix.lower():
        case ".csv" | ".tsv":
            return files.delimited(path)
        case ".jsonl" | ".ndjson":
            return jsonl.rows(path)
    raise BadInput("Items are read from .csv, .tsv or .jsonl.", where=Where(file=path), remedy="Convert the file.")
