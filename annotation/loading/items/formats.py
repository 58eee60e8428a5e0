"""The formats of item files, chosen by name or else by the file ending."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from annotation import input_files
from annotation.errors import BadInput, Where
from annotation.loading.items import eval_ua_tion, json_files, parquet

Reader = Callable[[Path], Iterator[input_files.FileRow]]

READERS_BY_ENDING: Mapping[str, Reader] = {
    ".csv": input_files.read_delimited,
    ".tsv": input_files.read_delimited,
    ".jsonl": json_files.read_json_lines,
    ".ndjson": json_files.read_json_lines,
    ".json": json_files.read_json_objects,
    ".parquet": parquet.read_parquet,
}
READERS_BY_FORMAT: Mapping[str, Mapping[str, Reader]] = {
    "lmes": {".json": eval_ua_tion.read_lmes},
    "ua-cbt": {
        ".json": eval_ua_tion.read_ua_cbt_json,
        ".jsonl": json_files.read_json_lines,
        ".csv": eval_ua_tion.read_ua_cbt_csv,
    },
    "label-studio": {".json": json_files.read_label_studio_tasks},
}


def read_rows(path: Path, *, form: str | None = None, under: str | None = None) -> Iterator[input_files.FileRow]:
    """Read the rows of a file of items; raises BadInput for an unknown ending.

    `form` and `under` are `format` and `path` of the section `items` or `truth` in the project file.
    """
    if under is not None and (form is not None or path.suffix.lower() != ".json"):
        raise BadInput("Only a plain .json file has a path.", where=Where(file=path), remedy="Take `path` out.")
    if under is not None:
        return json_files.read_json_objects(path, under=under)
    readers = READERS_BY_FORMAT[form] if form is not None else READERS_BY_ENDING
    reader = readers.get(path.suffix.lower())
    if reader is None:
        *most, last = readers
        known = f"{', '.join(most)} or {last}" if most else last
        raise BadInput(f"Items are read from {known}.", where=Where(file=path), remedy="Convert the file.")
    return reader(path)
