"""What the readers of annotation tools make of a file: one row per vote, and what became of it in the tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from annotation.errors import BadInput, Where
from annotation.input_files import FileRow
from annotation.vocabulary import Exclusion

UNKNOWN_PERSON = "unknown"
"""The annotator of all votes of a file that names none."""


class ToolRow(NamedTuple):
    """A row with one vote; `answers` are the columns that hold answers, the same in all rows of a file.

    `exclusion` says why the vote does not count. One that `is_vote` denies, such as a draft or a model's prediction, is
    nobody's answer: it is only counted. `golden` are right answers that come with the vote, by column.
    """

    row: FileRow
    answers: tuple[str, ...] = ()
    exclusion: Exclusion | None = None
    seconds: float | None = None
    is_vote: bool = True
    golden: Mapping[str, str] = MappingProxyType({})


def format_answer(value: object) -> str:
    """Return an answer as one text: a list of one as its element, marked parts as {start, end, text, label}."""
    if isinstance(value, str):
        return value
    if value is None or value == []:
        return ""
    parts = list_parts(value)
    if parts is not None:
        return json.dumps(parts, ensure_ascii=False)
    if isinstance(value, list) and len(value) == 1:
        return format_answer(value[0])
    return json.dumps(value, ensure_ascii=False)


_START = ("start", "start_offset", "begin")
_END = ("end", "end_offset")
_CLASS = ("label", "labels", "name")


def list_parts(value: object) -> list[dict[str, object]] | None:
    """Return marked parts in the form of a span question, as all tools write them; None for any other answer.

    A part is an object whose keys have one of several names, or a list of start, end and class.
    """
    if not isinstance(value, list) or not value:
        return None
    parts = [_read_part(part) for part in value]
    return None if any(part is None for part in parts) else [part for part in parts if part is not None]


def _read_part(part: Any) -> dict[str, object] | None:
    if isinstance(part, list) and len(part) == 3:
        part = dict(zip(("start", "end", "label"), part, strict=True))
    if not isinstance(part, Mapping):
        return None
    start, end, label = (_find(part, names) for names in (_START, _END, _CLASS))
    if type(start) is not int or type(end) is not int:
        return None
    read: dict[str, object] = {"start": start, "end": end}
    if isinstance(part.get("text"), str):
        read["text"] = part["text"]
    if isinstance(label, str) and label:
        read["label"] = label
    return read


def _find(values: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((values[name] for name in names if values.get(name) is not None), None)


def list_files(folder: Path, *endings: str) -> list[Path]:
    """Return the files in a folder and the folders in it that have one of these endings, sorted by path.

    Hidden ones are left out. Raises BadInput where there is none, and for a link that leads out of the folder.
    """
    found = sorted(path for path in folder.rglob("*") if path.is_file() and path.name.lower().endswith(endings))
    found = [path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    root = folder.resolve()
    for path in found:
        if not path.resolve().is_relative_to(root):
            raise BadInput(
                "This link leads out of the folder of votes.", where=Where(file=path), remedy="Copy the file."
            )
    if not found:
        raise BadInput(
            f"The folder has no file that ends in {' or '.join(endings)}.",
            where=Where(file=folder),
            remedy="Name the folder that the tool wrote.",
        )
    return found


def refuse_archive(path: Path) -> None:
    """Raise BadInput for a packed export."""
    if path.suffix.lower() in {".zip", ".gz", ".tar"}:
        raise BadInput("This is an archive.", where=Where(file=path), remedy="Unpack it and name the folder.")


def require_mapping(value: Any, row: FileRow, column: str) -> Mapping[str, Any]:
    """Return a value that must be an object; raises BadInput for any other."""
    if not isinstance(value, Mapping):
        raise BadInput(f"{column!r} is not an object.", where=row.where(column), remedy="Is `format` right?")
    return value


def list_objects(value: Any, row: FileRow, column: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; raises BadInput for any other value."""
    if not isinstance(value, list):
        raise BadInput(f"{column!r} is not a list.", where=row.where(column), remedy="Is `format` right?")
    for element in value:
        yield require_mapping(element, row, column)


def to_code_points(text: str, units: int) -> int | None:
    """Return the number of characters in the first `units` of UTF-16, in which Java counts; None for half of one."""
    if text.isascii():
        return units
    encoded = text.encode("utf-16-le")[: 2 * units]
    try:
        return len(encoded.decode("utf-16-le")) + max(0, units - len(encoded) // 2)
    except UnicodeDecodeError:
        return None
