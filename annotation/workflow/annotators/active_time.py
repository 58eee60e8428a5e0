"""How long annotators worked: the hours from which pay and rates are computed.

The time of an answer runs from when its item was shown, or from the annotator's previous answer in the project if that
is later (so that an undo counts from the answer that it replaced), until the answer. A time over 30 minutes was a pause
and counts as 0. The times of one item together count at most ten times what the project expects an item to take
(`expected.seconds`), and without that 30 minutes. Answers without times, as imports have them, count the seconds that
came with them, under the same two limits. The sum over items is the active time.

Every answer is work: skipped, excluded and withdrawn ones, revisions, and those of training, qualification and control.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns.project_file import ProjectFile
from annotation.store import judgements
from annotation.store.models import Assignment, Judgement, Project
from annotation.vocabulary import ExclusionKind

PAUSE_SECONDS = 1800.0
"""A longer time between two answers counts as a pause, in seconds."""
MAX_EXPECTED_TIMES = 10
"""An item counts at most this many times its expected length."""


@dataclass(frozen=True, kw_only=True)
class TimedAnswer:
    """An answer to an item: when it was shown, when it was answered, and the seconds that came with it."""

    item: int
    shown_at: datetime | None
    answered_at: datetime | None
    seconds: float | None = None
    is_unknown: bool = False
    skipped: bool = False
    rejected: bool = False


@dataclass(frozen=True, kw_only=True)
class ActiveTime:
    """An annotator's work in a project: the number of items answered, without skipped ones, and the active seconds.

    `rejected_items` and `rejected_seconds` are the part of both whose answers were rejected.
    """

    items: int = 0
    seconds: float = 0.0
    rejected_items: int = 0
    rejected_seconds: float = 0.0

    @property
    def hours(self) -> float:
        """The active hours."""
        return self.seconds / 3600


def get_item_limit(definition: ProjectFile) -> float:
    """The most seconds that one item of the project counts."""
    if definition.expected is None:
        return PAUSE_SECONDS
    return min(PAUSE_SECONDS, MAX_EXPECTED_TIMES * definition.expected.seconds)


def sum_active_time(answers: Iterable[TimedAnswer], *, item_limit: float) -> ActiveTime:
    """The active time of one annotator's answers in one project, in the order of answering. Pure."""
    by_item: dict[int, float] = defaultdict(float)
    skipped: dict[int, bool] = {}
    rejected: dict[int, bool] = {}
    previous_at: datetime | None = None
    for answer in answers:
        by_item[answer.item] += _compute_seconds(answer, previous_at)
        skipped[answer.item], rejected[answer.item] = answer.skipped, answer.rejected
        previous_at = answer.answered_at or previous_at
    limited = {item: min(seconds, item_limit) for item, seconds in by_item.items()}
    return ActiveTime(
        items=sum(not is_skipped for is_skipped in skipped.values()),
        seconds=sum(limited.values()),
        rejected_items=sum(rejected.values()),
        rejected_seconds=sum(limited[item] for item, is_rejected in rejected.items() if is_rejected),
    )


def _compute_seconds(answer: TimedAnswer, previous_at: datetime | None) -> float:
    if answer.is_unknown:
        return 0.0
    if answer.shown_at is None or answer.answered_at is None:
        seconds = answer.seconds or 0.0
    else:
        started_at = answer.shown_at if previous_at is None else max(answer.shown_at, previous_at)
        seconds = max(0.0, (answer.answered_at - started_at).total_seconds())
    return 0.0 if seconds > PAUSE_SECONDS else seconds


def list_active_times(session: Session, *, project: Project, definition: ProjectFile) -> dict[int, ActiveTime]:
    """The active time in a project by annotator id, of everybody who answered there."""
    columns: list[Any] = [
        col(Assignment.annotator_id),
        col(Assignment.id),
        sa.func.coalesce(col(Assignment.shown_at), col(Assignment.assigned_at), type_=Assignment.shown_at.type),  # type: ignore[union-attr]
        col(Judgement.answered_at),
        judgements.build_known_seconds().label("seconds"),
        col(Judgement.seconds_unknown).is_not(None),
        col(Judgement.skip_reason).is_not(None),
        sa.func.coalesce(col(Judgement.excluded_kind) == ExclusionKind.REJECTED, sa.false()),
    ]
    answers_in_order = (
        sa.select(*columns)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(col(Assignment.project_id) == project.id)
        .order_by(col(Assignment.annotator_id), col(Judgement.answered_at), col(Judgement.id))
    )
    by_annotator: dict[int, list[TimedAnswer]] = defaultdict(list)
    names = ("item", "shown_at", "answered_at", "seconds", "is_unknown", "skipped", "rejected")
    for annotator_id, *values in session.connection().execute(answers_in_order):
        by_annotator[annotator_id].append(TimedAnswer(**dict(zip(names, values, strict=True))))
    item_limit = get_item_limit(definition)
    return {
        annotator_id: sum_active_time(answers, item_limit=item_limit) for annotator_id, answers in by_annotator.items()
    }


@dataclass(frozen=True, kw_only=True)
class RecentWork:
    """An annotator's work since a moment: the active seconds, and the median of the seconds of an item.

    The median is None where nothing was answered.
    """

    seconds: float
    median: float | None


def summarise_recent_work(session: Session, *, annotator_id: int, since: datetime) -> RecentWork:
    """Sum up what the annotator answered and skipped since a moment, in all projects."""
    rows = session.connection().execute(
        sa.select(
            col(Assignment.id),
            sa.func.coalesce(col(Assignment.shown_at), col(Assignment.assigned_at), type_=Assignment.shown_at.type),  # type: ignore[union-attr]
            col(Judgement.answered_at),
            judgements.build_known_seconds().label("seconds"),
            col(Judgement.seconds_unknown).is_not(None),
            col(Judgement.revision),
        )
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(col(Assignment.annotator_id) == annotator_id, col(Judgement.answered_at) >= since)
        .order_by(col(Judgement.answered_at), col(Judgement.id))
    )
    answers: list[TimedAnswer] = []
    first_seconds: list[float] = []
    for assignment_id, shown_at, answered_at, seconds, is_unknown, revision in rows:
        times: dict[str, Any] = {"shown_at": shown_at, "answered_at": answered_at, "seconds": seconds}
        answers.append(TimedAnswer(item=assignment_id or 0, is_unknown=is_unknown, **times))
        first_seconds += [seconds] if revision == 0 and seconds is not None else []
    total = sum_active_time(answers, item_limit=PAUSE_SECONDS).seconds
    return RecentWork(seconds=total, median=statistics.median(first_seconds) if first_seconds else None)
