"""Decisions of reviewers and adjudicators that are given as options or in files, instead of on the screen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from annotation.errors import BadInput, Where
from annotation.input_files import FileRow, read_delimited

ACCEPT, REJECT = "accept", "reject"


class AdjudicationRow(NamedTuple):
    """A decision on an item: right answers, the gold first, or none and what is wrong with the item."""

    item: str
    labels: tuple[str, ...]
    comment: str


class ReviewRow(NamedTuple):
    """A decision on an answer; `reason` says why it is rejected."""

    answer_id: int
    is_accepted: bool
    reason: str


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
    return AdjudicationRow(item, (gold, *(accepted or ())) if gold else (), broken or "")


def read_adjudications(file: Path) -> list[AdjudicationRow]:
    """The decisions of a file with the columns item_id, and gold (with accepted) or broken; raises BadInput."""
    rows = []
    for row in read_delimited(file):
        item, gold, accepted, broken = _read_cells(row, "item_id", "gold", "accepted", "broken")
        others = _parse_list(accepted)
        if not item or others is None or bool(gold) == bool(broken) or (broken and others):
            raise BadInput(
                "This is no decision.",
                where=row.where(),
                remedy='Write item_id with gold (and accepted, like ["so", "so"]), or with broken: what is wrong.',
            )
        rows.append(build_adjudication(item, gold or None, others, broken or None))
    return rows


def read_reviews(file: Path) -> list[ReviewRow]:
    """The decisions of a file with the columns answer_id, decision (accept or reject) and reason; raises BadInput."""
    rows = []
    for row in read_delimited(file):
        answer_id, decision, reason = _read_cells(row, "answer_id", "decision", "reason")
        if not answer_id.isdecimal() or decision not in {ACCEPT, REJECT} or (decision == REJECT) != bool(reason):
            raise BadInput(
                "This is no decision.",
                where=row.where(),
                remedy=f"Write answer_id with {ACCEPT}, or with {REJECT} and a reason.",
            )
        rows.append(ReviewRow(int(answer_id), decision == ACCEPT, reason))
    return rows


def _read_cells(row: FileRow, *columns: str) -> tuple[str, ...]:
    return tuple(str(row.values.get(name) or "").strip() for name in columns)


def _parse_list(text: str) -> list[str] | None:
    """A JSON list of texts; None for anything else."""
    try:
        parsed = json.loads(text or "[]")
    except ValueError:
        return None
    return parsed if isinstance(parsed, list) and all(isinstance(one, str) for one in parsed) else None
