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
    return votes(path, item=section.item or (), annotator=section.annotator or "", answer=section.answer or "")


def votes(path: Path, *, item: Sequence[str], annotator: str, answer: str) -> Iterator[RawVote]:
    """One vote a row, by these columns."""
    for number, row in enumerate(files.delimited(path)):
        if number == 0:
            files.need(item, row, key="votes.item")
            files.need([annotator], row, key="votes.annotator")
            files.need([answer], row, key="votes.answer")
        yield RawVote(key=key_of(row, item), annotator=annotator_of(row, annotator), answer=cell(row, answer), row=row)
