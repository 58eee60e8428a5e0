"""Decisions of reviewers and adjudicators that are given as options or in files, instead of on the screen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from annotation.errors import BadInput, HromadaError, Where
from annotation.input_files import FileRow, format_columns
from annotation.loading.tables.delimited import read_delimited

ACCEPT, REJECT = "accept", "reject"
REVOCABLE = "It has to be their own, or one of somebody suspended or forgotten; others take theirs back themselves."
"""Whose decisions somebody takes back."""


class AdjudicationRow(NamedTuple):
    """A decision on an item: right answers, the gold first, or none and what is wrong with the item.

    `revision` is that of the item as it was shown, None where nobody says; `where` is the place of the decision.
    """

    item: str
    labels: tuple[str, ...]
    comment: str
    revision: int | None = None
    where: Where | None = None


class ReviewRow(NamedTuple):
    """A decision on an answer; `reason` says why it is rejected, `revision` and `where` are as in AdjudicationRow."""

    answer_id: int
    is_accepted: bool
    reason: str
    revision: int | None = None
    where: Where | None = None


def build_adjudication(
    item: str, gold: str | None, accepted: Sequence[str] | None, broken: str | None
) -> AdjudicationRow:
    """The decision on an item; raises BadInput unless it has either a gold, or what is broken."""
    if bool(gold) == bool(broken) or (broken and accepted):
        raise BadInput(
            "A decision has a gold, or says what is broken.",
            where=Where(field=item),
            remedy="Give --gold (and --accepted), or --broken.",
        )
    return AdjudicationRow(item, (gold, *(accepted or ())) if gold else (), broken or "", where=Where(field=item))


def read_adjudications(file: Path) -> list[AdjudicationRow]:
    """The decisions of a file with the columns item_id, and gold (with accepted) or broken; raises BadInput.

    The column revision is that of `hromada adjudicate --json`, and may be left out.
    """
    rows = []
    for row in _read_rows(file, needed=("item_id",), others=("gold", "accepted", "broken", "revision")):
        item, gold, accepted, broken = _read_cells(row, "item_id", "gold", "accepted", "broken")
        others = _parse_list(accepted)
        wrong = {
            "item_id": not item,
            "accepted": others is None or bool(broken and others),
            "gold": bool(gold) == bool(broken),
        }
        _refuse_row(
            row, wrong, 'Write item_id with gold (and accepted, like ["so", "so"]), or with broken: what is wrong.'
        )
        decided = build_adjudication(item, gold or None, others, broken or None)
        rows.append(decided._replace(revision=_read_revision(row), where=row.where()))
    return rows


def read_reviews(file: Path) -> list[ReviewRow]:
    """The decisions of a file with the columns answer_id, decision (accept or reject) and reason; raises BadInput.

    The column revision is that of `hromada review --json`, and may be left out.
    """
    rows = []
    for row in _read_rows(file, needed=("answer_id", "decision"), others=("reason", "revision")):
        answer_id, decision, reason = _read_cells(row, "answer_id", "decision", "reason")
        wrong = {
            "answer_id": not answer_id.isdecimal(),
            "decision": decision not in {ACCEPT, REJECT},
            "reason": (decision == REJECT) != bool(reason),
        }
        _refuse_row(row, wrong, f"Write answer_id with {ACCEPT}, or with {REJECT} and a reason.")
        rows.append(ReviewRow(int(answer_id), decision == ACCEPT, reason, _read_revision(row), row.where()))
    return rows


@contextmanager
def name_decision(row: AdjudicationRow | ReviewRow) -> Iterator[None]:
    """Say of an error in which decision it is: the place in the file with the column, or the item; on a screen none."""
    try:
        yield
    except HromadaError as failure:
        if row.where is None:
            raise
        where = row.where if row.where.file is None else replace(row.where, field=_find_column(row, failure))
        raise type(failure)(failure.problem, remedy=failure.remedy, where=where) from failure


def _find_column(row: AdjudicationRow | ReviewRow, failure: HromadaError) -> str:
    """The column that an error of a decision is about: an answer or a reason that does not fit, else what it is on."""
    if isinstance(row, ReviewRow):
        return "reason" if isinstance(failure, BadInput) else "answer_id"
    if not isinstance(failure, BadInput):
        return "item_id"
    if not row.labels:
        return "broken"
    return "gold" if len(row.labels) == 1 else "gold and accepted"


def _read_rows(file: Path, *, needed: Sequence[str], others: Sequence[str]) -> list[FileRow]:
    """The rows of a file of decisions; raises BadInput for other columns, one that is missing, and no rows."""
    rows = list(read_delimited(file))
    allowed = (*needed, *others)
    if not rows:
        raise BadInput(
            "The file has no decisions.", where=Where(file=file), remedy=f"Columns: {format_columns(allowed)}."
        )
    columns = rows[0].values
    unknown = next((name for name in columns if name not in allowed), None)
    missing = next((name for name in needed if name not in columns), None)
    if unknown is not None or missing is not None:
        name = unknown if missing is None else missing
        raise BadInput(
            f"There is no column {missing!r}." if missing is not None else f"{unknown!r} is not a column of decisions.",
            where=Where(file=file, line=1, field=name),
            remedy=f"The columns are: {format_columns(allowed)}.",
        )
    return rows


def _refuse_row(row: FileRow, wrong: dict[str, bool], remedy: str) -> None:
    """Raise BadInput with the first column that is wrong, if any is."""
    column = next((name for name, is_wrong in wrong.items() if is_wrong), None)
    if column is not None:
        raise BadInput("This is not a decision.", where=row.where(column), remedy=remedy)


def _read_revision(row: FileRow) -> int | None:
    [text] = _read_cells(row, "revision")
    if text and not text.isdecimal():
        raise BadInput(
            f"{text!r} is not a revision.",
            where=row.where("revision"),
            remedy="Copy it from --json, or leave it empty.",
        )
    return int(text) if text else None


def _read_cells(row: FileRow, *columns: str) -> tuple[str, ...]:
    return tuple(str(row.values.get(name) or "").strip() for name in columns)


def _parse_list(text: str) -> list[str] | None:
    """A JSON list of texts; None for anything else."""
    try:
        parsed = json.loads(text or "[]")
    except ValueError:
        return None
    return parsed if isinstance(parsed, list) and all(isinstance(element, str) for element in parsed) else None
