"""Items as Label Studio imports and exports them: a list of tasks, of which each holds its fields under `data`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import files
from annotation.errors import BadInput
from annotation.loading.items import nested


def rows(path: Path) -> Iterator[files.Row]:
    """One row a task: the fields of its data. Annotations and predictions are passed over."""
    for row in nested.rows(path):
        data = row.values.get("data")
        if not isinstance(data, dict) or not data:
            raise BadInput(
                "The task has no `data`.", where=row.where("data"), remedy='Write every task as {"data": {…}}.'
            )
        yield files.Row(path, row.line, data)
