"""Items as Eval-UA-tion's UA-CBT: .json ({tasks: [[item, …], …]}), .jsonl, or .csv with lists as Python wrote.

All three give the same columns: the metadata that .json nests under `md` are `md_…`, as in the others. A
.jsonl is read as any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import files
from annotation.errors import BadInput
from annotation.loading.items import literals, nested


def stories(path: Path) -> Iterator[files.Row]:
    """The items of every story of a .json; an item's line is that of its story."""
    for line, story in nested.elements(path, under="tasks"):
        for item in story if isinstance(story, list) else [story]:
            row = files.Row(path, line, item if isinstance(item, dict) else {})
            if not row.values:
                raise BadInput("This item is not a JSON object.", where=row.where(), remedy="Write [[{…}, …], …].")
            yield files.Row(path, line, nested.flat(row.values, row=row))


def printed(path: Path) -> Iterator[files.Row]:
    """The items of a .csv."""
    for row in files.delimited(path):
        values = {name: literals.listed(text) for name, text in row.values.items()}
        yield files.Row(path, row.line, values)
