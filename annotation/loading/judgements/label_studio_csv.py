"""Reads votes from Label Studio's CSV: one row per annotation, with task fields, controls by name, and its own columns.

Skipped tasks are missing in this format; Label Studio's JSON has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.errors import BadInput
from annotation.loading.judgements.label_studio_values import (
    ADDED_COLUMNS,
    add_answers,
    find_exclusion,
    parse_control,
    parse_lead_time,
    require_control,
)
from annotation.loading.judgements.raw_votes import RawVote, get_annotator, get_item_key


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per row."""
    return read_flat_rows(input_files.read_delimited(path), section)


def read_flat_rows(rows: Iterable[input_files.FileRow], section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per flat row of CSV or JSON_MIN; columns that the section does not name are Label Studio's."""
    columns, annotator = section.item or ("id",), section.annotator or "annotator"
    for number, row in enumerate(rows):
        if number == 0:
            input_files.require_columns({"votes.item": columns, "votes.annotator": [annotator]}, row)
            if section.answers and row.file.suffix.lower() != ".json":
                require_control(tuple(section.answers.values()), tuple(row.values), row=row)
        controls = _list_controls(section, row)
        fields = [value for name, value in row.values.items() if name not in (*ADDED_COLUMNS, *controls)]
        answers = {name: parse_control(row.values.get(name), originals=fields, path=row.file) for name in controls}
        yield RawVote(
            key=get_item_key(row, columns),
            annotator=get_annotator(row, annotator),
            answer=answers[controls[0]].text,
            row=add_answers(row, answers) if section.answers else row,
            exclusion=find_exclusion(answers.values()),
            seconds=parse_lead_time(row.values.get("lead_time"), row=row),
        )


def _list_controls(section: VotesSection, first: input_files.FileRow) -> tuple[str, ...]:
    """The columns of the answers; the file itself does not tell controls from fields."""
    if section.answers:
        return tuple(section.answers.values())
    if section.answer is None:
        raise BadInput(
            "Which control holds the answer?",
            where=first.where("votes.answer"),
            remedy=f"Name it as `votes.answer`. The file has: {input_files.format_columns(first.values)}.",
        )
    if first.file.suffix.lower() != ".json":
        input_files.require_columns({"votes.answer": [section.answer]}, first)
    return (section.answer,)
