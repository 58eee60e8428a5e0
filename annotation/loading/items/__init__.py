"""Items as they come from files: one format a file, chosen by name or else by the ending."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from annotation import files
from annotation.errors import BadInput, Where
from annotation.loading.items import jsonl, label_studio, lmes, nested, parquet, ua_cbt

Reader = Callable[[Path], Iterator[files.Row]]

BY_ENDING: Mapping[str, Reader] = {
    ".csv": files.delimited,
    ".tsv": files.delimited,
    ".jsonl": jsonl.rows,
    ".ndjson": jsonl.rows,
    ".json": nested.rows,
    ".parquet": parquet.rows,
}
NAMED: Mapping[str, Mapping[str, Reader]] = {
    "lmes": {".json": lmes.rows},
    "ua-cbt": {".json": ua_cbt.stories, ".jsonl": jsonl.rows, ".csv": ua_cbt.printed},
    "label-studio": {".json": label_studio.rows},
}


def rows(path: Path, *, form: str | None = None, under: str | None = None) -> Iterator[files.Row]:
    """Rows of a file of items; raises BadInput for an ending that no reader knows.

    `form` and `under` are the project file's `format` and `path` of the items, or of the truth.
    """
    if under is not None and (form is not None or path.suffix.lower() != ".json"):
        raise BadInput("Only a plain .json file has a path.", where=Where(file=path), remedy="Take `path` out.")
    if under is not None:
        return nested.rows(path, under=under)
    readers = NAMED[form] if form is not None else BY_ENDING
    reader = readers.get(path.suffix.lower())
    if reader is None:
        *most, last = readers
        known = f"{', '.join(most)} or {last}" if most else last
        raise BadInput(f"Items are read from {known}.", where=Where(file=path), remedy="Convert the file.")
    return reader(path)
