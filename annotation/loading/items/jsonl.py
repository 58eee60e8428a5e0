"""Items as JSON Lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from annotation import files
from annotation.errors import BadInput, Where


def rows(path: Path) -> Iterator[files.Row]:
    """One row an object; empty lines are passed over. Raises BadInput naming the line."""
    for line, text in enumerate(files.read_text(path).split("\n"), start=1):
        if text.strip():
            yield files.Row(path, line, _object(text, path=path, line=line))


def _object(text: str, *, path: Path, line: int) -> dict[str, object]:
    place = Where(file=path, line=line)
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as failure:
        column = getattr(failure, "colno", None)
        reason = getattr(failure, "msg", "nested too deeply")
        raise BadInput(
            f"The line is not JSON: {reason}.",
            where=Where(file=path, line=line, column=column),
            remedy="One object a line.",
        ) from None
    if not isinstance(values, dict):
        raise BadInput("The line is not a JSON object.", where=place, remedy="Write {…} on every line.")
    return values
