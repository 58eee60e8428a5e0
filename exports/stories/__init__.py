"""Corrections as a data set: pairs of texts with their differences, the numbers over them, and a page to read."""

from __future__ import annotations

from collections.abc import Sequence

from exports import rows, writers
from exports.sheets import Sheets
from exports.stories.corrections import STORIES
from exports.stories.page import page
from exports.stories.summary import corrected, told

__all__ = ["STORIES", "files"]


def files(every: Sequence[Sheets], *, seed: int = 0) -> dict[str, str | bytes]:
    """stories.csv, .jsonl, .parquet, .json and .html by name; nothing where no question asks for a corrected text."""
    found = corrected(every, seed=seed)
    if not found:
        return {}
    told_of: dict[str, dict[str, object]] = {}
    for one in found:
        told_of.setdefault(one.sheets.data.name, {})[one.question.name] = told(one)
    return {
        **rows.files("stories", [answer.row for one in found for answer in one.answers], STORIES),
        "stories.json": writers.json_text(told_of),
        "stories.html": page(found, seed=seed),
    }
