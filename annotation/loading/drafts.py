"""Items and votes as read from files, before they are stored."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from aggregation import spelling
from annotation import input_files
from annotation.campaigns.questions import QuestionContent
from annotation.campaigns.sections.sources import EMPTY, NOT_EMPTY
from annotation.campaigns.stimulus import Piece
from annotation.errors import BadInput
from annotation.input_files import parse_printed_list
from annotation.loading import json_text
from annotation.vocabulary import Exclusion, Pool, UnknownDuration

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True)


class ItemDraft(NamedTuple):
    """An item before it is stored. `options` are its own, None where the question has fixed ones.

    `gold` is the right answer to the first question, `golds` those to all questions by name, as they are stored;
    `accepted` are further right answers to the first question. `pieces` are the shown fields, `shown` their texts, and
    `pictures` the files of those that are pictures, by the name of the picture.
    """

    external_id: str
    group: str
    data: dict[str, Any]
    shown: tuple[str, ...]
    options: tuple[str, ...] | None
    gold: str | None
    golds: Mapping[str, str]
    origin: input_files.FileRow
    pieces: tuple[Piece, ...] = ()
    accepted: tuple[str, ...] = ()
    explanation: str | None = None
    revision: int = 1
    stratum: str | None = None
    tags: tuple[str, ...] = ()
    lineage: dict[str, Any] | None = None
    pool: Pool = Pool.MAIN
    pictures: Mapping[str, Path] = MappingProxyType({})

    @property
    def content(self) -> QuestionContent:
        """The content of the item for its questions."""
        return QuestionContent(
            options=self.options, fields={name: format_value(value) for name, value in self.data.items()}
        )


class VoteDraft(NamedTuple):
    """A vote before it is stored. `exclusion` says why it does not count, None where it does.

    `answers` are the answers to all questions by name, where the project has several. `skip_reason` is set for a skip
    of one of our own tasks. `second_pass` are the regions of an annotation of the second pass, whose answers can be
    read with the first ones alone; None for all other votes. `option_order` are the indices of the options in the
    order shown, None if nobody knows it.
    """

    item: str
    annotator: str
    response: str
    raw: str
    exclusion: Exclusion | None
    is_control: bool
    origin: input_files.FileRow
    answers: dict[str, str] | None = None
    seconds: float | None = None
    seconds_unknown: UnknownDuration | None = None
    skip_reason: str | None = None
    second_pass: tuple[Mapping[str, Any], ...] | None = None
    option_order: list[int] | None = None


def name_group(written: str | None, *, project: str, item: str) -> str:
    """The group of an item: the one that its file names, which other projects may share, else one of the project's own.

    Groups are compared in the database, so they are stored in the one spelling of `spelling.build_key`.
    """
    shared = "" if written is None else spelling.build_key(written)
    return shared or f"{project}:{spelling.build_key(item)}"


def has_own_group(draft: ItemDraft, *, project: str) -> bool:
    """Whether no file names the item's group, so that it is a group of its own in its project."""
    return draft.group == name_group(None, project=project, item=draft.external_id)


def get_cell(row: input_files.FileRow, column: str) -> str:
    """Return a cell as text; other JSON values are written as JSON."""
    value = row.values.get(column)
    return value if isinstance(value, str) else format_value(value)


def format_value(value: object) -> str:
    """Format a value as text: None as an empty text, other JSON values as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else _ENCODER.encode(value)


def find_unmet(conditions: Mapping[str, frozenset[str]], values: Mapping[str, Any]) -> str | None:
    """Return the first column by which conditions leave a row out, or None if the row meets all of them.

    They are those of `where`, with the keys of the values (`index_conditions`).
    """
    for column, keys in conditions.items():
        key = spelling.build_key(format_value(values.get(column)))
        if key not in keys and (NOT_EMPTY if key else EMPTY) not in keys:
            return column
    return None


def parse_list(row: input_files.FileRow, column: str) -> tuple[str, ...]:
    """Parse a cell with one text or a list of texts (JSON, as Python prints it, or a list in JSONL); () where empty."""
    text = get_cell(row, column).strip()
    if not text.startswith("["):
        return (text,) if text else ()
    return _read_list(row, column)


def parse_options(row: input_files.FileRow, columns: Sequence[str]) -> tuple[str, ...]:
    """Parse an item's options from several columns, or from one column with a list. The lint checks them."""
    return _read_list(row, columns[0]) if len(columns) == 1 else _read_columns(row, columns)


def _read_columns(row: input_files.FileRow, columns: Sequence[str]) -> tuple[str, ...]:
    """Read options from columns; empty ones are allowed at the end, but a gap would move later positions."""
    texts = [get_cell(row, column).strip() for column in columns]
    filled = [index for index, text in enumerate(texts) if text]
    if filled and filled != list(range(len(filled))):
        gap = columns[texts.index("")]
        raise BadInput("An empty option comes before a filled one.", where=row.where(gap), remedy="Leave no gap.")
    return tuple(texts[: len(filled)])


def _read_list(row: input_files.FileRow, column: str) -> tuple[str, ...]:
    value = row.values.get(column)
    if isinstance(value, str):
        try:
            value = json_text.parse_json(value, path=row.file, line=row.line, remedy="")
        except BadInput:
            value = parse_printed_list(value.strip())
    if not isinstance(value, list):
        raise BadInput(
            "This is not a list of options.",
            where=row.where(column),
            remedy="""Write it as JSON, ["so", "so"], or as Python prints it, ['so', 'so'].""",
        )
    return tuple([format_value(element).strip() for element in value])


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector while many objects are created: it takes a quarter of the time of a large load."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
