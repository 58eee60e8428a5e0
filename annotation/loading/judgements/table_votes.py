"""Votes in tables: one vote in each row, or a wide table with a column for each annotator or for each item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from annotation import input_files
from annotation.campaigns.sections.sources import REST, VotesSection
from annotation.errors import BadInput
from annotation.input_files import FileRow
from annotation.loading import tables
from annotation.loading.drafts import get_cell
from annotation.loading.judgements import counted_rows
from annotation.loading.judgements.other_tools import RawVote, get_annotator, get_item_key
from annotation.loading.tables.header import is_blank

CROWD_KIT = {"item": ("task",), "annotator": "worker", "answer": "label"}
"""The columns of crowd-kit's tables by the keys that would name others."""


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read the votes of a table in file order; raises BadInput with the place of the row."""
    if section.vote_columns is not None:
        return _read_wide(path, section)
    if section.format == "crowd-kit":
        usual = {key: column for key, column in CROWD_KIT.items() if getattr(section, key) is None}
        if section.answers:
            del usual["answer"]
        section = section.model_copy(update=usual)
    return _read_long(path, section)


def _read_long(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """One vote in each row; one that does not count, and names no item or annotator, has an empty key."""
    answers = tuple(section.answers.values()) if section.answer is None else (section.answer,)
    needed = section.required_columns | {"votes.answer": answers}
    item, annotator = section.item or (), section.annotator or ""
    for row in _require_columns(tables.read_rows(path, section), needed):
        exclusion = counted_rows.find_exclusion(row, section)
        if exclusion is not None and not _names_vote(row, item, annotator):
            yield RawVote(key=(), annotator="", answer="", row=row, exclusion=exclusion)
            continue
        yield RawVote(
            key=get_item_key(row, item),
            annotator=get_annotator(row, annotator),
            answer=get_cell(row, answers[0]),
            row=row,
            exclusion=exclusion,
        )


def _names_vote(row: FileRow, item: Sequence[str], annotator: str) -> bool:
    return bool(get_cell(row, annotator).strip()) and any(get_cell(row, column).strip() for column in item)


def _require_columns(rows: Iterable[FileRow], needed: Mapping[str, Sequence[str]]) -> Iterator[FileRow]:
    """The rows, each of which has the needed columns."""
    checked: Iterable[str] = ()
    for row in rows:
        if row.values.keys() != checked:  # most files have the same columns in every row
            input_files.require_columns(needed, row)
            checked = row.values.keys()
        yield row


class _VoteColumn(NamedTuple):
    """A column of votes: the name of its annotator or item, and the word for its question, empty where one is asked."""

    column: str
    name: str
    word: str


def _read_wide(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """A vote for every filled cell of the columns of votes; of several questions one for every annotator and item."""
    checked: Iterable[str] = ()
    by_name: dict[str, list[_VoteColumn]] = {}
    other: list[str] = []
    for row in _require_columns(tables.read_rows(path, section), section.required_columns):
        if row.values.keys() != checked:
            checked = row.values.keys()
            by_name = _group_columns(section, row)
            taken = {found.column for columns in by_name.values() for found in columns}
            other = [column for column in row.values if column not in taken]
        base = FileRow(row.file, row.line, {column: row.values[column] for column in other})
        for name, columns in by_name.items():
            filled = [found for found in columns if not is_blank(row.values[found.column])]
            if filled:
                yield _build_vote(section, row, base, name=name, columns=columns, first=filled[0].column)


def _build_vote(
    section: VotesSection, row: FileRow, base: FileRow, *, name: str, columns: Sequence[_VoteColumn], first: str
) -> RawVote:
    key = get_item_key(base, section.item) if section.item is not None else (name,)
    annotator = name if section.annotator is None else get_annotator(base, section.annotator)
    if section.answers:
        words: dict[str, Any] = dict.fromkeys(section.answers.values(), "")
        words |= {found.word: row.values[found.column] for found in columns}
        base = FileRow(row.file, row.line, {**base.values, **words})
    return RawVote(key=key, annotator=annotator, answer=get_cell(row, first), row=base, column=first)


def _group_columns(section: VotesSection, row: FileRow) -> dict[str, list[_VoteColumn]]:
    """The columns of votes by the name of their annotator or item, in the order of the table."""
    grouped: dict[str, list[_VoteColumn]] = {}
    for found in _find_columns(section, row):
        grouped.setdefault(found.name, []).append(found)
    if not grouped:
        raise BadInput(
            "No column holds votes.",
            where=FileRow(row.file, 1, {}).where("votes.annotators" if section.annotators else "votes.wide"),
            remedy=f"It has: {input_files.format_columns(row.values)}.",
        )
    return grouped


def _find_columns(section: VotesSection, row: FileRow) -> list[_VoteColumn]:
    columns = section.vote_columns or ()
    if columns == (REST,):
        named = {column for some in section.required_columns.values() for column in some} | {*section.ignore}
        return [_VoteColumn(column, column, "") for column in row.values if column and column not in named]
    pattern = _compile_pattern(columns[0], section.answers.values()) if len(columns) == 1 else None
    if pattern is None:
        key = "votes.annotators" if section.annotators else "votes.wide"
        input_files.require_columns({key: columns}, row)
        return [_VoteColumn(column, column, "") for column in columns]
    matches = ((column, pattern.fullmatch(column)) for column in row.values)
    return [
        _VoteColumn(column, found["name"].strip(), found.groupdict().get("question", ""))
        for column, found in matches
        if found is not None and found["name"].strip()
    ]


def _compile_pattern(written: str, words: Iterable[str]) -> re.Pattern[str] | None:
    """The pattern of the names of columns; None for the name of one column, in which nothing is in braces."""
    if not re.search(r"\{(item|annotator)\}", written):
        return None
    named = {"{item}": "(?P<name>.+)", "{annotator}": "(?P<name>.+)"}
    named["{question}"] = f"(?P<question>{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"
    parts = re.split(r"(\{(?:item|annotator|question)\})", written)
    return re.compile("".join(named.get(part, re.escape(part)) for part in parts), re.DOTALL)
