"""How long people worked: the hours that pay and rates are reckoned by.

The time of an answer runs from when its item was shown, or from the person's answer before it in the project where that
came later (so that an undo counts from the answer that it replaced), until the answer. A time over 30 minutes was a
pause and counts as nothing. The times of one item together count at most ten times what the project expects an item to
take (`expected.seconds`), and without that 30 minutes. Answers without times, as imports have them, count the seconds
that came with them, under the same two limits. The sum over items is the active time.

Every answer is work: skipped, excluded and withdrawn ones, revisions, and those of training, qualification and control.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns.project import ProjectFile
from annotation.store.models import Assignment, Judgement, Project

PAUSE = 1800.0
"""A longer time between two answers was a pause, in seconds."""
MOST_TIMES = 10
"""How many times the expected length an item counts at most."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer to an item: when it was shown, when it was answered, and the seconds that came with it."""

    item: int
    shown_at: datetime | None
    answered_at: datetime | None
    seconds: float | None = None
    skipped: bool = False


@dataclass(frozen=True, kw_only=True)
class Active:
    """How much a person did in a project: items answered (skipped ones are none), and the active seconds."""

    items: int = 0
    seconds: float = 0.0

    @property
    def hours(self) -> float:
        """The active hours."""
        return self.seconds / 3600


def most_seconds(definition: ProjectFile) -> float:
    """How long one item counts at most."""
    return PAUSE if definition.expected is None else min(PAUSE, MOST_TIMES * definition.expected.seconds)


def active(answers: Iterable[Answered], *, most: float) -> Active:
    """What a person's answers in one project, in the order in which they came, sum up to; pure."""
    by_item: dict[int, float] = defaultdict(float)
    skipped: dict[int, bool] = {}
    before: datetime | None = None
    for one in answers:
        by_item[one.item] += _seconds(one, before)
        skipped[one.item] = one.skipped
        before = one.answered_at or before
    total = sum(min(seconds, most) for seconds in by_item.values())
    return Active(items=sum(not was for was in skipped.values()), seconds=total)


def _seconds(one: Answered, before: datetime | None) -> float:
    if one.shown_at is None or one.answered_at is None:
        found = one.seconds or 0.0
    else:
        since = one.shown_at if before is None else max(one.shown_at, before)
        found = max(0.0, (one.answered_at - since).total_seconds())
    return 0.0 if found > PAUSE else found


def of_project(session: Session, *, project: Project, definition: ProjectFile) -> dict[int, Active]:
    """By person, what everybody who answered in the project did there."""
    columns: list[Any] = [
        col(Assignment.annotator_id),
        col(Assignment.id),
        sa.func.coalesce(col(Assignment.shown_at), col(Assignment.assigned_at), type_=Assignment.shown_at.type),  # type: ignore[union-attr]
        col(Judgement.answered_at),
        col(Judgement.seconds),
        col(Judgement.skip_reason).is_not(None),
    ]
    chosen = (
        sa.select(*columns)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(col(Assignment.project_id) == project.id)
        .order_by(col(Assignment.annotator_id), col(Judgement.answered_at), col(Judgement.id))
    )
    by_person: dict[int, list[Answered]] = defaultdict(list)
    for person, item, shown_at, answered_at, seconds, skipped in session.connection().execute(chosen):
        by_person[person].append(
            Answered(item=item, shown_at=shown_at, answered_at=answered_at, seconds=seconds, skipped=skipped)
        )
    most = most_seconds(definition)
    return {person: active(answers, most=most) for person, answers in by_person.items()}
