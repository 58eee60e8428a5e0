"""Frozen dataclasses as files from which they are read again: plain values as JSON, data frames as JSON Lines.

The inputs of a release and the answers in a build are such files.
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
from aggregation.findings import Finding, read_plain, write_plain

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
    for field in _list_published_fields(record):
        value = getattr(record, field.name)
        if field.name in without:
            continue
        if isinstance(value, pd.DataFrame):
            files[f"{folder}/{field.name}{ROWS}"] = write_frame(value)
        else:
            lines.append(f"{format_line(field.name)}: {format_line(to_plain(value))}")
    files[f"{folder}/{RECORD}"] = "{\n" + ",\n".join(lines) + "\n}\n"
    return files


def read_record(kind: type[Record], files: Mapping[str, str], folder: str, **given: Any) -> Record:
    """Read a record of that dataclass from its files; `given` are the fields that were left out of them.

    Raises HromadaError with the file for a missing or contradictory one.
    """
    from pydantic import TypeAdapter, ValidationError

    hints = typing.get_type_hints(kind, include_extras=True)
    names = [field.name for field in _list_published_fields(kind)]
    plain = read_json(files, f"{folder}/{RECORD}")
    values = dict(given)
    for name in names:
        if hints[name] is pd.DataFrame and name not in given:
            values[name] = read_frame(files, f"{folder}/{name}{ROWS}")
        elif name not in given:
            try:
                values[name] = TypeAdapter(hints[name]).validate_python(plain[name])
            except (KeyError, TypeError, ValidationError) as failure:
                raise _refuse(f"{folder}/{RECORD}", field=name) from failure
    return kind(**values)


def _list_published_fields(record: Any) -> list[dataclasses.Field[Any]]:
    return [field for field in dataclasses.fields(record) if field.metadata.get("published", True)]


def write_frame(frame: pd.DataFrame) -> str:
    """A data frame as JSON Lines: its columns and their types, then its rows; its index is not kept."""
    head = {"columns": [str(name) for name in frame.columns], "types": [str(kind) for kind in frame.dtypes]}
    columns = [
        [write_plain(cell) if type(cell) is Finding else cell for cell in frame[name].tolist()]
        for name in frame.columns
    ]
    rows = zip(*columns, strict=True) if columns else ()
    return "".join(f"{format_line(line)}\n" for line in (head, *rows))


def read_frame(files: Mapping[str, str], path: str) -> pd.DataFrame:
    """Read a data frame as `write_frame` wrote it."""
    lines = _get(files, path).splitlines()
    try:
        head = json.loads(lines[0])
        rows = [json.loads(line, object_hook=read_finding) for line in lines[1:]]
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
        return json.loads(_get(files, path), object_hook=read_finding)
    except (KeyError, ValueError) as failure:
        raise _refuse(path) from failure


def to_plain(value: Any) -> Any:
    """A value as JSON has it: records, mappings and findings as objects, sets sorted, of paths the last part alone."""
    if isinstance(value, Finding):
        return write_plain(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: to_plain(own) for key, own in value.items()}
    if isinstance(value, (frozenset, set)):
        return sorted(to_plain(own) for own in value)
    if isinstance(value, (list, tuple)):
        return [to_plain(own) for own in value]
    return value.name if isinstance(value, PurePath) else value


def read_finding(value: dict[str, Any]) -> Any:
    """A finding from its code and arguments; any other object as it is."""
    return read_plain(value) if value.keys() == {"code", "arguments"} else value


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
        raise HromadaError("A raw file is missing.", remedy=REMEDY, where=Where(file=path))
    return files[path]


def _refuse(path: str, field: str | None = None) -> HromadaError:
    return HromadaError("A raw file cannot be read.", remedy=REMEDY, where=Where(file=path, field=field))
