"""Reads rows of JSON: a list of objects, at the top of a file or under a path of keys, or one object on each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.errors import BadInput, Where
from annotation.loading import json_text

MAX_DEPTH = 4
"""How many keys deep a list of rows is looked for."""
JSON_REMEDY = "Write a list of objects: [{…}, {…}]."


def read_json_objects(
    path: Path, *, under: str | None = None, encoding: str | None = None
) -> Iterator[input_files.FileRow]:
    """Read a JSON list of objects, one row per object; `under` is its path, keys joined by dots."""
    for number, (line, values) in enumerate(read_json_elements(path, under=under, encoding=encoding), start=1):
        if not isinstance(values, dict):
            place = Where(file=path, line=line, field=f"element {number}")
            raise BadInput("This item is not a JSON object.", where=place, remedy=JSON_REMEDY)
        yield input_files.FileRow(path, line, values)


def read_json_elements(
    path: Path, *, under: str | None = None, encoding: str | None = None
) -> Iterator[tuple[int, Any]]:
    """Read the elements of a JSON list of any values, with the line on which each begins."""
    text = input_files.read_table_text(path, encoding=encoding)
    if under is None and (elements := json_text.parse_list(text)) is not None:
        yield from elements
        return
    keys = under.split(".") if under else []
    value = json_text.parse_json(text, path=path, remedy=JSON_REMEDY)
    for number, key in enumerate(keys):
        if not isinstance(value, dict) or key not in value:
            raise BadInput(
                f"There is no {'.'.join(keys[: number + 1])!r} in the file.",
                where=Where(file=path, line=1, field=under),
                remedy=f"It has: {input_files.format_columns(value)}."
                if isinstance(value, dict) and value
                else JSON_REMEDY,
            )
        value = value[key]
    if (rows := _read_frame(value)) is not None:
        yield from ((1, row) for row in rows)
        return
    if not isinstance(value, list):
        place = Where(file=path, line=1, column=None if under else 1, field=under)
        raise BadInput("The rows are not a list.", where=place, remedy=_suggest_path(value) or JSON_REMEDY)
    yield from zip(json_text.find_element_lines(text, keys), value, strict=True)


def _suggest_path(value: Any) -> str | None:
    lists = [key for key, element in value.items() if isinstance(element, list)] if isinstance(value, dict) else []
    found = [*list_paths(value), *lists]
    return f"Write `path: {found[0]}`." if found else None


def list_paths(value: Any, above: Sequence[str] = ()) -> list[str]:
    """Return the paths of the lists of objects in nested objects, keys joined by dots."""
    if isinstance(value, list):
        is_rows = bool(above and value) and all(isinstance(element, dict) for element in value)
        return [".".join(above)] if is_rows else []
    if not isinstance(value, dict) or len(above) == MAX_DEPTH:
        return []
    return [path for key, one in value.items() if "." not in key for path in list_paths(one, (*above, key))]


def _read_frame(value: Any) -> list[dict[str, Any]] | None:
    """The rows of a table as pandas writes it by columns, by rows or split, numbered from 0; None for other values.

    An index of anything else would be lost, so that such a table is none.
    """
    if not isinstance(value, dict) or not value:
        return None
    if value.keys() == {"columns", "index", "data"}:
        return _read_split(**value)
    parts = [*value.values()]
    if all(isinstance(part, list) for part in parts):
        is_table = len(parts) > 1 and len({len(part) for part in parts}) == 1
        is_table = is_table and not any(isinstance(cell, dict | list) for part in parts for cell in part)
        return [dict(zip(value, cells, strict=True)) for cells in zip(*parts, strict=True)] if is_table else None
    if not all(isinstance(part, dict) and part.keys() == parts[0].keys() for part in parts):
        return None
    if _are_numbers([*value]):
        return parts
    numbers = [*parts[0]]
    return [{name: part[key] for name, part in value.items()} for key in numbers] if _are_numbers(numbers) else None


def _read_split(columns: Any, index: Any, data: Any) -> list[dict[str, Any]] | None:
    if not (isinstance(columns, list) and isinstance(data, list) and index == [*range(len(data))]):
        return None
    names = [*map(str, columns)]
    is_table = len({*names}) == len(names) and all(isinstance(row, list) and len(row) == len(names) for row in data)
    return [dict(zip(names, row, strict=True)) for row in data] if is_table else None


def _are_numbers(keys: Sequence[str]) -> bool:
    """Whether keys are the numbers of rows from 0."""
    return bool(keys) and {*keys} == {*map(str, range(len(keys)))}


def flatten_object(values: Mapping[str, Any], *, row: input_files.FileRow) -> dict[str, Any]:
    """Flatten nested objects into columns, keys joined by `_`; raises BadInput for two columns of one name."""
    columns: dict[str, Any] = {}
    for name, value in _list_columns(values, ()):
        if name in columns:
            raise BadInput(
                f"Two fields of the item would be the column {name!r}.",
                where=row.where(name),
                remedy="Rename one of them.",
            )
        columns[name] = value
    return columns


def _list_columns(values: Mapping[str, Any], above: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _list_columns(value, (*above, key))
        else:
            yield "_".join((*above, key)), value


def read_json_lines(path: Path, *, encoding: str | None = None) -> Iterator[input_files.FileRow]:
    """Read JSON Lines, one row per object; empty lines and commas at their ends are skipped.

    Raises BadInput with the line.
    """
    for line, text in enumerate(input_files.read_table_text(path, encoding=encoding).split("\n"), start=1):
        if text.strip():
            yield input_files.FileRow(path, line, _parse_object(_cut_comma(text), path=path, line=line))


def _cut_comma(text: str) -> str:
    cut = text.rstrip()
    return cut[:-1] if cut.endswith("},") else text


def _parse_object(text: str, *, path: Path, line: int) -> dict[str, object]:
    values = json_text.parse_json(text, path=path, line=line, remedy="One object a line.")
    if not isinstance(values, dict):
        raise BadInput(
            "The line is not a JSON object.",
            where=Where(file=path, line=line, column=1),
            remedy="Write {…} on every line.",
        )
    return values
