"""Votes as other tools and earlier bots write them: rows of a table, told apart by their columns."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from aggregation import spelling
from aggregation.findings import Finding
from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.errors import BadInput
from annotation.loading import tables
from annotation.loading.drafts import get_cell
from annotation.loading.tables import json_rows
from annotation.vocabulary import CONTROL_ITEM, Exclusion, ExclusionKind

ANSWER_FIELDS = ("humanAnswer", "human_answer", "human_title")
UNKNOWN_ANNOTATOR = "pool"


def read_bot_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per instance; an instance without an answer is a vote with an empty answer."""
    column = section.answer
    for number, row in enumerate(json_rows.read_json_objects(path, under="instances", encoding=section.encoding)):
        if number == 0:
            column = column or _find_answer_column(row)
            annotator = [] if section.annotator is None else [section.annotator]
            needed = {"votes.item": _get_item_columns(section, row), "votes.annotator": annotator}
            input_files.require_columns(needed, row)
        _refuse_other_field(section, row, column or "")
        yield RawVote(
            key=get_item_key(row, section.item or ()),
            annotator=UNKNOWN_ANNOTATOR if section.annotator is None else get_annotator(row, section.annotator),
            answer=get_cell(row, column or ""),
            row=row,
        )


def _get_item_columns(section: VotesSection, row: input_files.FileRow) -> tuple[str, ...]:
    if section.item is None:
        raise BadInput(
            "Which fields make an item? HumanResponseBot's files have no common id.",
            where=row.where("votes.item"),
            remedy=f"Name them as `votes.item`. It has: {input_files.format_columns(row.values)}.",
        )
    return section.item


def _find_answer_column(row: input_files.FileRow) -> str:
    present = [name for name in ANSWER_FIELDS if name in row.values]
    if len(present) == 1:
        return present[0]
    raise BadInput(
        f"The instance has {len(present)} of the fields {', '.join(ANSWER_FIELDS)}.",
        where=row.where("votes.answer"),
        remedy="Name the one that holds the answer as `votes.answer`.",
    )


def _refuse_other_field(section: VotesSection, row: input_files.FileRow, column: str) -> None:
    """Refuse an answer in another field than in the first instance, which would be lost."""
    other = next((name for name in ANSWER_FIELDS if name in row.values), column)
    if section.answer is None and column not in row.values and other != column:
        raise BadInput(
            f"The instance is answered in {other!r}, those before it in {column!r}.",
            where=row.where(other),
            remedy="Give the field one name in all of them.",
        )


MAX_ID_CHARACTERS = 64


class Region(NamedTuple):
    """A marked part of an annotation in Label Studio, and the id under which it is there."""

    start: int
    end: int
    name: str


class Compared(NamedTuple):
    """The two systems that a vote compares, in the order to which its answer belongs.

    `is_swapped` says that they were shown in the other order; `question` is what both answered.
    """

    systems: tuple[str, str]
    is_swapped: bool
    question: str


class RawVote(NamedTuple):
    """A raw vote. `key` are the values that identify the item, `exclusion` says why it does not count.

    `golden` are right answers that come with the vote, by the column of the answer. `result` are the regions of an
    annotation of one of our own tasks in Label Studio, None for any other vote; `second_pass` says that the right
    answers were shown, and `is_flat` that fields of the task are among the regions. `column` is the column of the
    answer where the section does not name it; `regions` are marked parts with their ids. `compared` are the systems of
    a file in which each row compares two. `objects` are the names of the two texts that a control of Label Studio
    compares, the left one first, by control.
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
    column: str | None = None
    is_flat: bool = False
    regions: tuple[Region, ...] = ()
    compared: Compared | None = None
    objects: Mapping[str, tuple[str, ...]] = MappingProxyType({})


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


TASK_COLUMN = "ASSIGNMENT:task_id"
SUITE_COLUMN = "ASSIGNMENT:task_suite_id"
PAGE_COLUMN = "ASSIGNMENT:assignment_id"
WORKER_COLUMN = "ASSIGNMENT:worker_id"
STATUS_COLUMN = "ASSIGNMENT:status"
COUNTED_STATUSES = {"", "APPROVED"}


def read_toloka_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per row; rejected pages and control tasks have an exclusion."""
    seen: Counter[str] = Counter()
    columns: tuple[str, ...] = ()
    answer = annotator = ""
    for number, row in enumerate(tables.read_rows(path, section)):
        if number == 0:
            annotator = section.annotator or WORKER_COLUMN
            answer = section.answer or next(iter(section.answers.values()), None) or _get_only_output(row)
            answers = [answer, *section.answers.values()]
            input_files.require_columns({"votes.annotator": [annotator], "votes.answer": answers}, row)
            columns = _get_key_columns(row, section)
        page = get_cell(row, PAGE_COLUMN)
        key = (
            (get_cell(row, SUITE_COLUMN), str(seen[page])) if columns == (SUITE_COLUMN,) else get_item_key(row, columns)
        )
        seen[page] += 1
        golden = _get_golden(row, section.answers.values() or [answer])
        yield RawVote(
            key=key,
            annotator=get_annotator(row, annotator),
            answer=get_cell(row, answer),
            row=row,
            is_control=bool(golden),
            exclusion=_find_exclusion(row, control=bool(golden)),
            golden=golden,
        )


def _get_golden(row: input_files.FileRow, columns: Iterable[str]) -> dict[str, str]:
    """The right answers of a control task by the column of the answer; empty for other tasks."""
    golds = ((column, get_cell(row, "GOLDEN:" + column.removeprefix("OUTPUT:"))) for column in columns)
    return {column: text for column, text in golds if text.strip()}


def _find_exclusion(row: input_files.FileRow, *, control: bool) -> Exclusion | None:
    """Why a vote does not count: the requester rejected the page, or never approved it, or it is a control task."""
    status = get_cell(row, STATUS_COLUMN).strip()
    if status not in COUNTED_STATUSES:
        return judge_status(status)
    return CONTROL_ITEM if control else None


def judge_status(status: str) -> Exclusion:
    """Return the exclusion of a vote whose state in another tool does not count: rejected, or not approved yet."""
    is_rejected = status.casefold().startswith("reject")
    kind = ExclusionKind.REJECTED if is_rejected else ExclusionKind.NOT_ACCEPTED
    return Exclusion(kind, Finding("status", status=status))


def _get_only_output(row: input_files.FileRow) -> str:
    outputs = [column for column in row.values if column.startswith("OUTPUT:")]
    if len(outputs) == 1:
        return outputs[0]
    raise BadInput(
        f"The file has {len(outputs)} columns that begin with OUTPUT:.",
        where=input_files.FileRow(row.file, 1, row.values).where("votes.answer"),
        remedy="Name the one that counts as `votes.answer`.",
    )


def _get_key_columns(row: input_files.FileRow, section: VotesSection) -> tuple[str, ...]:
    """The columns of the item's key; (SUITE,) stands for suite and position."""
    named: Sequence[str] = section.item or ()
    if tuple(named) == ("task id",) or (not named and TASK_COLUMN in row.values):
        input_files.require_columns({"votes.item": [TASK_COLUMN]}, row)
        return (TASK_COLUMN,)
    if tuple(named) == ("suite and position",) or (not named and {SUITE_COLUMN, PAGE_COLUMN} <= set(row.values)):
        input_files.require_columns({"votes.item": [SUITE_COLUMN, PAGE_COLUMN]}, row)
        return (SUITE_COLUMN,)
    if not named:
        raise BadInput(
            "Which columns make an item? The file has neither task ids nor suites.",
            where=input_files.FileRow(row.file, 1, row.values).where("votes.item"),
            remedy="Name them as `votes.item`.",
        )
    input_files.require_columns({"votes.item": named}, row)
    return tuple(named)
