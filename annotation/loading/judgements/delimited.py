"""Votes in any delimited file, by the columns that the project file names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotation import files
from annotation.campaigns.project import VotesSection
from annotation.loading.drafts import cell
from annotation.loading.judgements.raw import RawVote, annotator_of, key_of


def read(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """One vote a row; the section names item, annotator and answer."""
    columns = (section.answer,) if section.answer else tuple(section.answers.values())
    return votes(path, item=section.item or (), annotator=section.annotator or "", answers=columns)


def votes(path: Path, *, item: Sequence[str], annotator: str, answers: Sequence[str]) -> Iterator[RawVote]:
    """One vote a row, by these columns; the first of `answers` is the vote's own."""
    for number, row in enumerate(files.delimited(path)):
        if number == 0:
            files.need(item, row, key="votes.item")
            files.need([annotator], row, key="votes.annotator")
            files.need(answers, row, key="votes.answer")
        raw = cell(row, answers[0])
        yield RawVote(key=key_of(row, item), annotator=annotator_of(row, annotator), answer=raw, row=row)
