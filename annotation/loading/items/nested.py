"""Items as one JSON document: a list of objects, at the top or under a path of keys such as `tasks`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation import files
from annotation.errors import BadInput, Where
from annotation.loading import json_text

REMEDY = "Write a list of objects: [{…}, {…}]."


def rows(path: Path, *, under: str | None = None) -> Iterator[files.Row]:
    """One row an object of the list, with the line on which it begins; `under` is the path, its keys joined by dots."""
    for line, values in elements(path, under=under):
        if not isinstance(values, dict):
            raise BadInput("This item is not a JSON object.", where=Where(file=path, line=line), remedy=REMEDY)
        yield files.Row(path, line, values)


def elements(path: Path, *, under: str | None = None) -> Iterator[tuple[int, Any]]:
    """What the list holds, whatever it is, with lines."""
    text = files.read_text(path)
    keys = under.split(".") if under else []
    found = json_text.parse(text, path=path, remedy=REMEDY)
    for number, key in enumerate(keys):
        if not isinstance(found, dict) or key not in found:
            raise BadInput(
                f"There is no {'.'.join(keys[: number + 1])!r} in the file.",
                where=Where(file=path, line=1, field=under),
                remedy=_has(found),
            )
        found = found[key]
    if not isinstance(found, list):
        place = Where(file=path, line=1, field=under)
        raise BadInput("The items are not a list.", where=place, remedy=_path_of_a_list(found) or REMEDY)
    yield from zip(json_text.lines(text, keys), found, strict=True)


def _has(found: Any) -> str:
    return f"It has: {', '.join(found)}." if isinstance(found, dict) and found else REMEDY


def _path_of_a_list(found: Any) -> str | None:
    lists = [key for key, value in found.items() if isinstance(value, list)] if isinstance(found, dict) else []
    return f"Write `path: {lists[0]}`." if lists else None


def flat(values: Mapping[str, Any], *, row: files.Row) -> dict[str, Any]:
    """Nested objects as columns, their keys joined by `_`; raises BadInput where two columns would be one."""
    found: dict[str, Any] = {}
    for name, value in _columns(values, ()):
        if name in found:
            raise BadInput(
                f"Two fields of the item would be the column {name!r}.",
                where=row.where(name),
                remedy="Rename one of them.",
            )
        found[name] = value
    return found


def _columns(values: Mapping[str, Any], above: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _columns(value, (*above, key))
        else:
            yield "_".join((*above, key)), value
