"""What annotators are told of their own work in a project or programme: today, in all, days in a row, and pay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Assignment, Judgement
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus
from annotation.workflow import definitions
from annotation.workflow.allocation.open_projects import PREPARING_STAGES
from annotation.workflow.annotators import payments
from annotation.workflow.annotators.payments import Money


@dataclass(frozen=True, kw_only=True)
class OwnWork:
    """How many items somebody has answered or skipped today and in all, and on how many days in a row.

    `training` of all were those of training and qualification, which no line of progress counts.
    """

    today: int
    total: int
    days: int
    training: int = 0


def summarise_work(
    session: Session, *, annotator_id: int, project_ids: Collection[int], today: date, zone: ZoneInfo
) -> OwnWork:
    """Sum up what the annotator did in these projects, in all their stages; days begin at midnight in `zone`.

    The two passes of an item count once, and an item that is changed counts on the day of its first answer.
    """
    first_answer = (
        sa.select(sa.func.min(col(Judgement.answered_at)), sa.func.min(col(Assignment.stage)))
        .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
        .where(
            col(Assignment.annotator_id) == annotator_id,
            col(Assignment.project_id).in_(project_ids),
            col(Assignment.occasion) != SECOND_PASS_OCCASION,
            col(Assignment.status).in_([AssignmentStatus.DONE, AssignmentStatus.SKIPPED]),
        )
        .group_by(col(Assignment.id))
    )
    rows = session.connection().execute(first_answer).all()
    by_day = Counter(None if at is None else at.astimezone(zone).date() for at, _ in rows)
    return OwnWork(
        today=by_day[today],
        total=by_day.total(),
        training=sum(stage in PREPARING_STAGES for _, stage in rows),
        days=count_days_in_row({day for day in by_day if day is not None}, today=today),
    )


def count_days_in_row(days: Collection[date], *, today: date) -> int:
    """How many of these days follow one another up to today; a day that is not over yet breaks no row. Pure."""
    day = today if today in days else today - timedelta(days=1)
    number = 0
    while day in days:
        day -= timedelta(days=1)
        number += 1
    return number


def sum_earned(session: Session, *, annotator_id: int, project_ids: Collection[int]) -> tuple[Money, ...]:
    """What the annotator has earned in those of these projects that pay, one sum for each currency.

    A currency in which they have earned nothing yet has 0.
    """
    earned: Counter[str] = Counter()
    for project_id in sorted(project_ids):
        found = definitions.find_project(session, project_id=project_id)
        reward = None if found is None else found[1].reward
        if found is None or reward is None or reward.pay is None:
            continue
        project, definition = found
        times = payments.list_active_times(session, project=project, definition=definition, annotator_id=annotator_id)
        owed = payments.compute_owed(reward.pay, times.get(annotator_id, payments.ActiveTime()))
        earned[owed.currency] += owed.hundredths
    return tuple(Money(hundredths=sum_, currency=currency) for currency, sum_ in sorted(earned.items()))
