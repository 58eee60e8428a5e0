"""Votes as crowd-kit keeps them: task, worker, label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation.campaigns.project import VotesSection
from annotation.loading.judgements import delimited
from annotation.loading.judgements.raw import RawVote


def read(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """One vote a row; columns that the section does not name are task, worker and label."""
    return delimited.votes(
        path,
        item=section.item or ("task",),
        annotator=section.annotator or "worker",
        answers=(section.answer,) if section.answer else tuple(section.answers.values()) or ("label",),
    )
