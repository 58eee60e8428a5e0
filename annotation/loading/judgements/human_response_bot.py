"""Votes as HumanResponseBot's file: {name, instances: [the item's fields and `humanAnswer`, …]}.

That bot kept neither who answered nor when, and each item was answered once by whoever drew it: unless a column is
named, all votes are those of one annotator, `pool`, so that nothing about single people can be computed from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import files
from annotation.campaigns.project import VotesSection
from annotation.errors import BadInput
from annotation.loading.drafts import cell
from annotation.loading.items import nested
from annotation.loading.judgements.raw import RawVote, annotator_of, key_of

ANSWERS = ("humanAnswer", "human_answer", "human_title")
POOL = "pool"


def read(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """One vote an instance; an instance without an answer is a vote without one."""
    column = section.answer
    for number, row in enumerate(nested.rows(path, under="instances")):
        if number == 0:
            column = column or _answer_column(row)
            files.need(_item(section, row), row, key="votes.item")
            files.need([section.annotator] if section.annotator else [], row, key="votes.annotator")
        _refuse_another(section, row, column or "")
        yield RawVote(
            key=key_of(row, section.item or ()),
            annotator=annotator_of(row, section.annotator) if section.annotator else POOL,
            answer=cell(row, column or ""),
            row=row,
        )


def _item(section: VotesSection, row: files.Row) -> tuple[str, ...]:
    if section.item is None:
        raise BadInput(
            "Which fields make an item? HumanResponseBot's files have no common id.",
            where=row.where("votes.item"),
            remedy=f"Name them as `votes.item`. It has: {files.named(row.values)}.",
        )
    return section.item


def _answer_column(row: files.Row) -> str:
    found = [name for name in ANSWERS if name in row.values]
    if len(found) == 1:
        return found[0]
    raise BadInput(
        f"The instance has {len(found)} of the fields {', '.join(ANSWERS)}.",
        where=row.where("votes.answer"),
        remedy="Name the one that holds the answer as `votes.answer`.",
    )


def _refuse_another(section: VotesSection, row: files.Row, column: str) -> None:
    """An answer in another field than the first instance's would be lost."""
    other = next((name for name in ANSWERS if name in row.values), column)
    if section.answer is None and column not in row.values and other != column:
        raise BadInput(
            f"The instance is answered in {other!r}, those before it in {column!r}.",
            where=row.where(other),
            remedy="Give the field one name in all of them.",
        )
