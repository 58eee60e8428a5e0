"""Reads votes from the files of HumanResponseBot: {name, instances: [the item's fields and `humanAnswer`, …]}.

That Telegram bot stored neither annotators nor times, and asked each item once. Unless a column is named, all votes are
of one annotator, named `pool`: with one annotator there is no agreement to compute.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.errors import BadInput
from annotation.loading.drafts import get_cell
from annotation.loading.items import formats
from annotation.loading.judgements.raw_votes import RawVote, get_annotator, get_item_key

ANSWER_FIELDS = ("humanAnswer", "human_answer", "human_title")
UNKNOWN_ANNOTATOR = "pool"


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per instance; an instance without an answer is a vote with an empty answer."""
    column = section.answer
    for number, row in enumerate(formats.read_json_objects(path, under="instances")):
        if number == 0:
            column = column or _find_answer_column(row)
            annotator = [section.annotator] if section.annotator else []
            needed = {"votes.item": _get_item_columns(section, row), "votes.annotator": annotator}
            input_files.require_columns(needed, row)
        _refuse_other_field(section, row, column or "")
        yield RawVote(
            key=get_item_key(row, section.item or ()),
            annotator=get_annotator(row, section.annotator) if section.annotator else UNKNOWN_ANNOTATOR,
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
