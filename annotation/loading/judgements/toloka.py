"""Reads votes from Toloka's assignments: columns INPUT: OUTPUT: GOLDEN: HINT: ASSIGNMENT:.

`votes.item` names the columns that identify an item, or `task id`, or `suite and position`. By default it is the task
id where the file has one, else suite and position; it is never the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from aggregation.findings import Finding
from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.errors import BadInput
from annotation.loading.drafts import get_cell
from annotation.loading.judgements.raw_votes import RawVote, get_annotator, get_item_key
from annotation.vocabulary import CONTROL_ITEM, Exclusion, ExclusionKind

TASK_COLUMN = "ASSIGNMENT:task_id"
SUITE_COLUMN = "ASSIGNMENT:task_suite_id"
PAGE_COLUMN = "ASSIGNMENT:assignment_id"
WORKER_COLUMN = "ASSIGNMENT:worker_id"
STATUS_COLUMN = "ASSIGNMENT:status"
COUNTED_STATUSES = {"", "APPROVED"}
REJECTED_STATUS = "REJECTED"


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per row; rejected pages and control tasks have an exclusion."""
    seen: Counter[str] = Counter()
    columns: tuple[str, ...] = ()
    answer = annotator = ""
    for number, row in enumerate(input_files.read_delimited(path)):
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
    known = ((column, get_cell(row, "GOLDEN:" + column.removeprefix("OUTPUT:"))) for column in columns)
    return {column: text for column, text in known if text.strip()}


def _find_exclusion(row: input_files.FileRow, *, control: bool) -> Exclusion | None:
    """Why a vote does not count: the requester rejected the page, or never approved it, or it is a control task."""
    status = get_cell(row, STATUS_COLUMN).strip()
    if status not in COUNTED_STATUSES:
        kind = ExclusionKind.REJECTED if status == REJECTED_STATUS else ExclusionKind.NOT_ACCEPTED
        return Exclusion(kind, Finding("status", status=status))
    return CONTROL_ITEM if control else None


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
