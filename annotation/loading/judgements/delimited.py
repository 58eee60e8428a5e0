"""Reads votes from delimited files, by the columns that the project file names.

Files in the format of crowd-kit have the columns task, worker and label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.loading.drafts import get_cell
from annotation.loading.judgements.raw_votes import RawVote, get_annotator, get_item_key


def read_csv_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per row; the section names the columns of item, annotator and answer."""
    columns = (section.answer,) if section.answer else tuple(section.answers.values())
    return read_columns(path, item=section.item or (), annotator=section.annotator or "", answers=columns)


def read_columns(path: Path, *, item: Sequence[str], annotator: str, answers: Sequence[str]) -> Iterator[RawVote]:
    """Read one vote per row from these columns; the first of `answers` is the answer of the vote."""
    for number, row in enumerate(input_files.read_delimited(path)):
        if number == 0:
            needed = {"votes.item": item, "votes.annotator": [annotator], "votes.answer": answers}
            input_files.require_columns(needed, row)
        raw = get_cell(row, answers[0])
        yield RawVote(key=get_item_key(row, item), annotator=get_annotator(row, annotator), answer=raw, row=row)


def read_crowd_kit_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per row; columns that the section does not name are task, worker and label."""
    return read_columns(
        path,
        item=section.item or ("task",),
        annotator=section.annotator or "worker",
        answers=(section.answer,) if section.answer else tuple(section.answers.values()) or ("label",),
    )
