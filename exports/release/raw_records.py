"""Records as files and back: the fields of a frozen dataclass as JSON, and its data frames as rows of JSON beside them.

What is written can be read by any program: `record.json` has a field a line, `FIELD.jsonl` the columns of a frame with
their types in its first line and a row in each further one. Reading gives an equal record, field by field, whatever
fields it has: none is named here, so that none can be forgotten.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, TypeVar

import pandas as pd

from aggregation.errors import HromadaError, Where

Files = dict[str, str]
Record = TypeVar("Record")

RECORD = "record.json"
ROWS = ".jsonl"
REMEDY = "Take the folder as it was written; this file was changed since, or by another version of hromada."


def write_record(record: Any, folder: str, *, without: tuple[str, ...] = ()) -> Files:
    """The files of a frozen dataclass by path: `folder`/record.json, and one for each data frame among its fields.

    Fields in `without` are left out, to be given again to `read_record`.
    """
    files: Files = {}
    lines = []
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if isinstance(value, pd.DataFrame):
            files[f"{folder}/{field.name}{ROWS}"] = write_frame(value)
        elif field.name not in without:
            lines.append(f"{format_line(field.name)}: {format_line(to_plain(value))}")
    files[f"{folder}/{RECORD}"] = "{\n" + ",\n".join(lines) + "\n}\n"
    return files


def read_record(kind: type[Record], files: Mapping[str, str], folder: str, **given: Any) -> Record:
    """Read a record of that dataclass from its files; `given` are the fields that were left out of them.

    Raises HromadaError with the file for a missing or contradictory one.
    """
    from pydantic import TypeAdapter, ValidationError

    hints = typing.get_type_hints(kind, include_extras=True)
    names = [field.name for field in dataclasses.fields(typing.cast(Any, kind))]
    plain = read_json(files, f"{folder}/{RECORD}")
    values = dict(given)
    for name in names:
        if hints[name] is pd.DataFrame:
            values[name] = read_frame(files, f"{folder}/{name}{ROWS}")
        elif name not in given:
            try:
                values[name] = TypeAdapter(hints[name]).validate_python(plain[name])
            except (KeyError, TypeError, ValidationError) as failure:
                raise _refuse(f"{folder}/{RECORD}", field=name) from failure
    return kind(**values)


def write_frame(frame: pd.DataFrame) -> str:
    """A data frame as JSON Lines: its columns and their types, then its rows; its index is not kept."""
    head = {"columns": [str(name) for name in frame.columns], "types": [str(kind) for kind in frame.dtypes]}
    columns = [frame[name].tolist() for name in frame.columns]
    rows = zip(*columns, strict=True) if columns else ()
    return "".join(f"{format_line(line)}\n" for line in (head, *rows))


def read_frame(files: Mapping[str, str], path: str) -> pd.DataFrame:
    """Read a data frame as `write_frame` wrote it."""
    lines = _get(files, path).splitlines()
    try:
        head = json.loads(lines[0])
        rows = [json.loads(line) for line in lines[1:]]
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(head["columns"])
        series = {
            name: pd.Series(list(cells), dtype=kind)
            for name, kind, cells in zip(head["columns"], head["types"], columns, strict=True)
        }
    except (IndexError, KeyError, TypeError, ValueError) as failure:
        raise _refuse(path) from failure
    return pd.DataFrame(series, columns=head["columns"])


def read_json(files: Mapping[str, str], path: str) -> Any:
    """Read a JSON file; raises HromadaError with its name where it is missing or no JSON."""
    try:
        return json.loads(_get(files, path))
    except ValueError as failure:
        raise _refuse(path) from failure


def to_plain(value: Any) -> Any:
    """A value as JSON has it: records and mappings as objects, sets sorted, of paths the last part alone."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: to_plain(own) for key, own in value.items()}
    if isinstance(value, (frozenset, set)):
        return sorted(to_plain(own) for own in value)
    if isinstance(value, (list, tuple)):
        return [to_plain(own) for own in value]
    return value.name if isinstance(value, PurePath) else value


def format_line(value: Any) -> str:
    """A plain value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, default=_get_number)


def _get_number(value: Any) -> Any:
    """A number of numpy's as Python's own."""
    item: Callable[[], Any] | None = getattr(value, "item", None)
    if item is None:
        raise TypeError(f"no form in JSON for {type(value).__name__}")
    return item()


def _get(files: Mapping[str, str], path: str) -> str:
    if path not in files:
        raise HromadaError("A raw file of the release is missing.", remedy=REMEDY, where=Where(file=path))
    return files[path]


def _refuse(path: str, field: str | None = None) -> HromadaError:
    return HromadaError("A raw file of the release cannot be read.", remedy=REMEDY, where=Where(file=path, field=field))
