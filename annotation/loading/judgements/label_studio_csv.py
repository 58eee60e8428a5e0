"""Votes as Label Studio's CSV: one row an annotation, with the task's fields, the controls by name, its own columns.

Label Studio leaves skipped tasks out of this file; its JSON has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from annotation import files
from annotation.campaigns.project import VotesSection
from annotation.errors import BadInput
from annotation.loading.judgements.label_studio_values import OWN, answer, excluded, need_one, seconds, with_answers
from annotation.loading.judgements.raw import RawVote, annotator_of, key_of


def read(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """One vote a row."""
    return flat(files.delimited(path), section)


def flat(rows: Iterable[files.Row], section: VotesSection) -> Iterator[RawVote]:
    """One vote a flat row, of CSV or of JSON_MIN; columns that the section does not name are Label Studio's own."""
    columns, annotator = section.item or ("id",), section.annotator or "annotator"
    for number, row in enumerate(rows):
        if number == 0:
            files.need(columns, row, key="votes.item")
            files.need([annotator], row, key="votes.annotator")
            if section.answers and row.file.suffix.lower() != ".json":
                need_one(tuple(section.answers.values()), tuple(row.values), row=row)
        controls = _controls(section, row)
        fields = [value for name, value in row.values.items() if name not in (*OWN, *controls)]
        said = {name: answer(row.values.get(name), originals=fields, path=row.file) for name in controls}
        yield RawVote(
            key=key_of(row, columns),
            annotator=annotator_of(row, annotator),
            answer=said[controls[0]].text,
            row=with_answers(row, said) if section.answers else row,
            excluded=excluded(said.values()),
            seconds=seconds(row.values.get("lead_time"), row=row),
        )


def _controls(section: VotesSection, first: files.Row) -> tuple[str, ...]:
    """The columns of the answers; the file does not say which columns are controls and which are fields."""
    if section.answers:
        return tuple(section.answers.values())
    if section.answer is None:
        raise BadInput(
            "Which control holds the answer?",
            where=first.where("votes.answer"),
            remedy=f"Name it as `votes.answer`. The file has: {files.named(first.values)}.",
        )
    if first.file.suffix.lower() != ".json":
        files.need([section.answer], first, key="votes.answer")
    return (section.answer,)
