"""The one reader of tables: rows of items, votes and gold, whatever the file is that they are in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation.campaigns.sections.sources import TableKeys
from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.loading.tables import delimited, json_rows, parquet_rows, spreadsheet

DELIMITED = frozenset({".csv", ".tsv", ".txt"})
JSON_LINES = frozenset({".jsonl", ".ndjson"})
ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".json", ".parquet")
"""The endings that messages name."""
_SEPARATORS = {"tab": "\t"}
_KEYS = {
    "path": ("path", "a plain .json file", frozenset({".json"})),
    "sheet": ("sheet", "an .xlsx file", frozenset({".xlsx", ".xlsm"})),
    "separator": ("separator", "a .csv or .tsv file", DELIMITED),
    "encoding": ("encoding", "a file of text", DELIMITED | JSON_LINES | {".json"}),
}


def read_rows(path: Path, keys: TableKeys = TableKeys()) -> Iterator[FileRow]:  # noqa: B008  # it is frozen
    """Read the rows of a table by the ending of its file, in file order, each with its line.

    `keys` are the keys of the project file beside `file` that say how it is read. Cells are text in .csv and .tsv, else
    the values that JSON has; `drafts.get_cell` makes text of both. Raises BadInput with the place for a file that
    cannot be read, an unknown ending, and a key that this kind of file does not have.
    """
    ending = path.suffix.lower()
    refuse_other_keys(path, keys)
    if ending in DELIMITED:
        separator = _SEPARATORS.get(keys.separator or "", keys.separator)
        return delimited.read_delimited(path, encoding=keys.encoding, separator=separator)
    if ending in JSON_LINES:
        return json_rows.read_json_lines(path, encoding=keys.encoding)
    match ending:
        case ".json":
            return json_rows.read_json_objects(path, under=keys.path, encoding=keys.encoding)
        case ".parquet":
            return parquet_rows.read_parquet(path)
        case ".xlsx" | ".xlsm":
            return spreadsheet.read_spreadsheet(path, sheet=keys.sheet)
    *most, last = ENDINGS
    problem = f"Tables are read from {', '.join(most)} or {last}."
    raise BadInput(problem, where=Where(file=path), remedy="Convert the file.")


def refuse_other_keys(path: Path, keys: TableKeys) -> None:
    """Raise BadInput for a key about reading that the file's ending has no use for."""
    for key, (name, owner, endings) in _KEYS.items():
        if getattr(keys, key) is not None and path.suffix.lower() not in endings:
            raise BadInput(f"Only {owner} has a {name}.", where=Where(file=path), remedy=f"Take `{name}` out.")
