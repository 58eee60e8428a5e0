"""Raw votes, as read from files before their labels and items are resolved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from aggregation import spelling
from annotation import input_files
from annotation.errors import BadInput
from annotation.loading.drafts import get_cell
from annotation.vocabulary import Exclusion

MAX_ID_CHARACTERS = 64


class RawVote(NamedTuple):
    """A raw vote. `key` are the values that identify the item, `exclusion` says why it does not count.

    `golden` are right answers that come with the vote, by the column of the answer. `result` are the regions of an
    annotation of one of our own tasks in Label Studio, None for any other vote; `second_pass` says that the right
    answers were shown.
    """

    key: tuple[str, ...]
    annotator: str
    answer: str
    row: input_files.FileRow
    is_control: bool = False
    exclusion: Exclusion | None = None
    seconds: float | None = None
    golden: Mapping[str, str] = MappingProxyType({})
    result: tuple[Mapping[str, Any], ...] | None = None
    second_pass: bool = False


def build_item_id(key: Sequence[str]) -> str:
    """Build the external id of an item from its key: a single short value itself, else a digest.

    The digest is the first 16 hexadecimal digits of sha256 over the keys of the values (`spelling.build_key`) in UTF-8,
    joined by the character U+001F.
    """
    keys = tuple(map(spelling.build_key, key))
    if len(keys) == 1 and len(keys[0]) <= MAX_ID_CHARACTERS and "\n" not in keys[0]:
        return key[0]
    return hashlib.sha256("\x1f".join(keys).encode()).hexdigest()[:16]


def get_item_key(row: input_files.FileRow, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the values of the key columns; raises BadInput where all are empty."""
    key = tuple([get_cell(row, column).strip() for column in columns])
    if not any(key):
        raise BadInput(
            "The row names no item.", where=row.where(columns[0]), remedy="Fill the cell, or take the row out."
        )
    return key


def get_annotator(row: input_files.FileRow, column: str) -> str:
    """Return the annotator of a row; raises BadInput where the cell is empty."""
    name = get_cell(row, column).strip()
    if not name:
        raise BadInput(
            "The row names no annotator.", where=row.where(column), remedy="Fill the cell, or take the row out."
        )
    return name
