"""A vote as its file has it, before its label and its item are looked up."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation import files
from annotation.errors import BadInput
from annotation.loading.drafts import cell

LONGEST_ID = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class RawVote:
    """`key` holds the values that make the item's identity; `excluded` says why the vote does not count, if so.

    `golden` are right answers that came with the vote, by the column of the answer.
    """

    key: tuple[str, ...]
    annotator: str
    answer: str
    row: files.Row
    is_control: bool = False
    excluded: str | None = None
    seconds: float | None = None
    golden: Mapping[str, str] = field(default_factory=dict)


def item_id(key: Sequence[str]) -> str:
    """The external id of an item known by some columns: the value itself where it is one short one, else a digest.

    The digest is the first 16 hexadecimal digits of sha256 over the values in UTF-8, joined by the character U+001F.
    """
    if len(key) == 1 and len(key[0]) <= LONGEST_ID and "\n" not in key[0]:
        return key[0]
    return hashlib.sha256("\x1f".join(key).encode()).hexdigest()[:16]


def key_of(row: files.Row, columns: Sequence[str]) -> tuple[str, ...]:
    """The values of the key columns; raises BadInput where all are empty."""
    key = tuple(cell(row, column).strip() for column in columns)
    if not any(key):
        raise BadInput(
            "The row names no item.", where=row.where(columns[0]), remedy="Fill the cell, or take the row out."
        )
    return key


def annotator_of(row: files.Row, column: str) -> str:
    """Who answered; raises BadInput where the cell is empty."""
    name = cell(row, column).strip()
    if not name:
        raise BadInput(
            "The row names no annotator.", where=row.where(column), remedy="Fill the cell, or take the row out."
        )
    return name
