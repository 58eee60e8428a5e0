"""Items and votes as read from files and checked, before anything is stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation import files
from annotation.campaigns.questions import Material
from annotation.campaigns.stimulus import Piece
from annotation.errors import BadInput
from annotation.loading import json_text
from annotation.vocabulary import Pool


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemDraft:
    """An item before it is stored. `options` are its own, None where the question's are fixed.

    `gold` is the right answer to the first question, `golds` those to all by their names, as they are stored;
    `accepted` are further right answers to the first. `pieces` are what is shown, `shown` their texts.
    """

    external_id: str
    group: str
    data: dict[str, Any]
    shown: tuple[str, ...]
    options: tuple[str, ...] | None
    gold: str | None
    origin: files.Row
    pieces: tuple[Piece, ...] = ()
    golds: dict[str, str] = field(default_factory=dict)
    accepted: tuple[str, ...] = ()
    explanation: str | None = None
    revision: int = 1
    stratum: str | None = None
    tags: tuple[str, ...] = ()
    lineage: dict[str, Any] | None = None
    pool: Pool = Pool.MAIN

    @property
    def material(self) -> Material:
        """What the questions need to know of it."""
        return Material(options=self.options, fields={name: as_text(value) for name, value in self.data.items()})


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteDraft:
    """A vote before it is stored. `excluded` is the reason why it does not count, None where it does.

    `answers` are those to all questions by their names, where the project asks several.
    """

    item: str
    annotator: str
    response: str
    raw: str
    excluded: str | None
    is_control: bool
    origin: files.Row
    answers: dict[str, str] | None = None
    seconds: float | None = None


def cell(row: files.Row, column: str) -> str:
    """A cell as text; numbers and switches of JSON become what JSON writes for them."""
    return as_text(row.values.get(column))


def as_text(value: object) -> str:
    """A value of a file as text."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def listed(row: files.Row, column: str) -> tuple[str, ...]:
    """A cell that holds one text or a list of them (JSON, or a list in JSONL); empty for an empty cell."""
    text = cell(row, column).strip()
    if not text.startswith("["):
        return (text,) if text else ()
    return _listed(row, column)


def options(row: files.Row, columns: Sequence[str]) -> tuple[str, ...]:
    """An item's own options, from several columns or from one that holds a list. The lint checks them."""
    return _listed(row, columns[0]) if len(columns) == 1 else _columns(row, columns)


def _columns(row: files.Row, columns: Sequence[str]) -> tuple[str, ...]:
    """Items may have fewer options than there are columns, but a gap would move the places of those behind it."""
    texts = [cell(row, column).strip() for column in columns]
    filled = [index for index, text in enumerate(texts) if text]
    if filled and filled != list(range(len(filled))):
        gap = columns[texts.index("")]
        raise BadInput("An option is empty, and one behind it is not.", where=row.where(gap), remedy="Close the gap.")
    return tuple(texts[: len(filled)])


def _listed(row: files.Row, column: str) -> tuple[str, ...]:
    value = row.values.get(column)
    if isinstance(value, str):
        try:
            value = json_text.parse(value, path=row.file, line=row.line, remedy="")
        except BadInput:
            value = None
    if not isinstance(value, list):
        raise BadInput("This is not a list of options.", where=row.where(column), remedy='Write it like ["so", "so"].')
    return tuple(as_text(one).strip() for one in value)
