"""Chapters that a release adds to its report: pictures and tables, each with a sentence that says how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from exports.pages.scaffold import TableRow


class ChapterTable(NamedTuple):
    """A table of a chapter: its caption, its heads, and its rows."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]


class VerbatimText(NamedTuple):
    """A text as people read it: its heading, its language, and its words."""

    heading: str
    language: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter: `id` is unique on the page, `how` says how its numbers were made, `panels` are SVG elements."""

    id: str
    title: str
    how: str
    panels: tuple[str, ...] = ()
    tables: tuple[ChapterTable, ...] = ()
    texts: tuple[VerbatimText, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.panels or self.tables or self.texts)
