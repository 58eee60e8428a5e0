"""Votes as Toloka's assignments: columns INPUT: OUTPUT: GOLDEN: HINT: ASSIGNMENT:.

The item is what `votes.item` names: some columns, or `task id`, or `suite and position`. Left out, it is the task id
where the file has one, else suite and position; it is never silently the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from annotation import files
from annotation.campaigns.project import VotesSection
from annotation.errors import BadInput
from annotation.loading.drafts import cell
from annotation.loading.judgements.raw import RawVote, annotator_of, key_of
from annotation.vocabulary import CONTROL_ITEM

TASK = "ASSIGNMENT:task_id"
SUITE = "ASSIGNMENT:task_suite_id"
PAGE = "ASSIGNMENT:assignment_id"
WORKER = "ASSIGNMENT:worker_id"
STATUS = "ASSIGNMENT:status"
ACCEPTED = {"", "APPROVED"}


def read(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """One vote a row; rejected pages and empty answers come with the reason why they do not count."""
    seen: Counter[str] = Counter()
    columns: tuple[str, ...] = ()
    answer = annotator = ""
    for number, row in enumerate(files.delimited(path)):
        if number == 0:
            annotator = section.annotator or WORKER
            files.need([annotator], row, key="votes.annotator")
            answer = section.answer or next(iter(section.answers.values()), None) or _only_output(row)
            files.need([answer, *section.answers.values()], row, key="votes.answer")
            columns = _key_columns(row, section)
        page = cell(row, PAGE)
        key = (cell(row, SUITE), str(seen[page])) if columns == (SUITE,) else key_of(row, columns)
        seen[page] += 1
        golden = _golden(row, section.answers.values() or [answer])
        yield RawVote(
            key=key,
            annotator=annotator_of(row, annotator),
            answer=cell(row, answer),
            row=row,
            is_control=bool(golden),
            excluded=_reason(row, control=bool(golden)),
            golden=golden,
        )


def _golden(row: files.Row, columns: Iterable[str]) -> dict[str, str]:
    """What Toloka knew to be right, by the column of the answer; nothing where the task is no control task."""
    known = ((column, cell(row, "GOLDEN:" + column.removeprefix("OUTPUT:"))) for column in columns)
    return {column: text for column, text in known if text.strip()}


def _reason(row: files.Row, *, control: bool) -> str | None:
    status = cell(row, STATUS).strip()
    if status not in ACCEPTED:
        return f"status {status}"
    return CONTROL_ITEM if control else None


def _only_output(row: files.Row) -> str:
    outputs = [column for column in row.values if column.startswith("OUTPUT:")]
    if len(outputs) == 1:
        return outputs[0]
    raise BadInput(
        f"The file has {len(outputs)} columns that begin with OUTPUT:.",
        where=files.Row(row.file, 1, row.values).where(),
        remedy="Name the one that counts as `votes.answer`.",
    )


def _key_columns(row: files.Row, section: VotesSection) -> tuple[str, ...]:
    """The columns of the item's key; (SUITE,) alone stands for suite and position."""
    named: Sequence[str] = section.item or ()
    if tuple(named) == ("task id",) or (not named and TASK in row.values):
        files.need([TASK], row, key="votes.item")
        return (TASK,)
    if tuple(named) == ("suite and position",) or (not named and {SUITE, PAGE} <= set(row.values)):
        files.need([SUITE, PAGE], row, key="votes.item")
        return (SUITE,)
    if not named:
        raise BadInput(
            "Which columns make an item? The file has neither task ids nor suites.",
            where=files.Row(row.file, 1, row.values).where(),
            remedy="Name them as `votes.item`.",
        )
    files.need(named, row, key="votes.item")
    return tuple(named)
