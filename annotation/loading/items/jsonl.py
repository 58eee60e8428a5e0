"""Items as JSON Lines: one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import files
from annotation.errors import BadInput, Where
from annotation.loading import json_text


def rows(path: Path) -> Iterator[files.Row]:
    """One row an object; empty lines are passed over. Raises BadInput naming the line."""
    for line, text in enumerate(files.read_text(path).split("\n"), start=1):
        if text.strip():
            yield files.Row(path, line, _object(text, path=path, line=line))


def _object(text: str, *, path: Path, line: int) -> dict[str, object]:
    values = json_text.parse(text, path=path, line=line, remedy="One object a line.")
    if not isinstance(values, dict):
        raise BadInput(
            "The line is not a JSON object.", where=Where(file=path, line=line), remedy="Write {…} on every line."
        )
    return values
