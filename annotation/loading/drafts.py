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
from annotation.vocabulary import Pool


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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


def cell(row: files.Row, column: str) -> str:
    """A cell as text; numbers and switches of JSON become what JSON writes for them."""
    return as_text(row.values.get(column))


def as_text(value: object) -> str:
    """A value of a file as text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def listed(row: files.Row, column: str) -> tuple[str, ...]:
    """A cell that holds one text or a list of them (JSON, or a list in JSONL); empty for an empty cell."""
    text = cell(row, column).strip()
    if not text.startswith("["):
        return (text,) if text else ()
    return _listed(row, column)


def options(row: files.Row, columns: Sequence[str]) -> tuple[str, ...]:
    """An item's own options, from several columns or from one that holds a list (JSON, or a list in JSONL)."""
    if len(columns) == 1:
        found = _listed(row, columns[0])
    else:
        found = tuple(text for column in columns if (text := cell(row, column).strip()))
    if len(found) < 2:
        raise BadInput("The item has fewer than two options.", where=row.where(columns[0]), remedy="Add the others.")
    for option in found:
        if found.count(option) > 1:
            raise BadInput(
                f"The option {option!r} stands twice.", where=row.where(columns[0]), remedy="Change one of them."
            )
    return found


def _listed(row: files.Row, column: str) -> tuple[str, ...]:
    value = row.values.get(column)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, list):
        raise BadInput("This is not a list of options.", where=row.where(column), remedy='Write it like ["so", "so"].')
    texts = tuple((one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)).strip() for one in value)
    if "" in texts:
        raise BadInput("An option is empty.", where=row.where(column), remedy="Take it out, or write it.")
    return texts
