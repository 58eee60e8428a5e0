"""Pay: what is owed under `reward.pay`, what was paid, and the resulting rate per active hour."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile, parse_definition
from annotation.campaigns.sections.annotators import PaySection
from annotation.errors import BadInput, Where
from annotation.store import journal, judgements
from annotation.store.models import Annotator, Assignment, Judgement, Payment, Project
from annotation.vocabulary import Event, ExclusionKind, Surface

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

    `rejected_items` and `rejected_seconds` are the part of both whose answers were rejected. `timed_items` are the
    items whose time is known and counts, which the pace rests on.
    """

    items: int = 0
    seconds: float = 0.0
    rejected_items: int = 0
    rejected_seconds: float = 0.0
    timed_items: int = field(default=0, compare=False)

    @property
    def hours(self) -> float:
        """The active hours."""
        return self.seconds / 3600

    @property
    def per_hour(self) -> float | None:
        """Items in an active hour; None for fewer than two whose time is known: one answer has no pace."""
        return self.timed_items / self.hours if self.timed_items > 1 else None


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
        timed_items=sum(limited[item] > 0 for item, is_skipped in skipped.items() if not is_skipped),
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


def list_active_times(
    session: Session,
    *,
    project: Project,
    definition: ProjectFile,
    surface: Surface | None = None,
    annotator_id: int | None = None,
) -> dict[int, ActiveTime]:
    """The active time in a project by annotator id, of everybody who answered there.

    On one `surface`, or of one annotator, where these are named.
    """
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
        .where(
            col(Assignment.project_id) == project.id,
            sa.true() if surface is None else col(Assignment.surface) == surface,
        )
        .order_by(col(Assignment.annotator_id), col(Judgement.answered_at), col(Judgement.id))
    )
    if annotator_id is not None:
        answers_in_order = answers_in_order.where(col(Assignment.annotator_id) == annotator_id)
    by_annotator: dict[int, list[TimedAnswer]] = defaultdict(list)
    names = ("item", "shown_at", "answered_at", "seconds", "is_unknown", "skipped", "rejected")
    for worker_id, *values in session.connection().execute(answers_in_order):
        by_annotator[worker_id].append(TimedAnswer(**dict(zip(names, values, strict=True))))
    item_limit = get_item_limit(definition)
    return {worker_id: sum_active_time(answers, item_limit=item_limit) for worker_id, answers in by_annotator.items()}


@dataclass(frozen=True, kw_only=True)
class RecentWork:
    """An annotator's work since a moment: the active seconds, and the median of the seconds of an item.

    The median is None for fewer than two items.
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
    return RecentWork(seconds=total, median=statistics.median(first_seconds) if len(first_seconds) > 1 else None)


MAX_HUNDREDTHS = 1_000_000_00
"""The largest single payment, in hundredths: more is taken for a typing error."""


@dataclass(frozen=True, kw_only=True)
class Money:
    """An amount in hundredths of a currency."""

    hundredths: int
    currency: str

    def __str__(self) -> str:
        return f"{Decimal(self.hundredths) / 100:.2f} {self.currency}"


def compute_owed(pay: PaySection, work: ActiveTime) -> Money:
    """What is owed for the work under the section, rounded half up to the hundredth. Pure.

    `per_hour` is paid for active time, `per_item` for every item answered, whether or not the answer counts; without
    `rejected` answers that were rejected in a review are not paid.
    """
    seconds, items = work.seconds, Decimal(work.items)
    if not pay.rejected:
        seconds, items = seconds - work.rejected_seconds, items - work.rejected_items
    hours = Decimal(str(seconds / 3600))
    worth = (pay.per_hour or Decimal(0)) * hours + (pay.per_item or Decimal(0)) * items
    hundredths = (worth * 100).quantize(Decimal(1), ROUND_HALF_UP)
    return Money(hundredths=int(hundredths), currency=pay.currency)


def parse_amount(text: str) -> int:
    """An amount like 12.50 or 12,50 in hundredths; a negative one cancels a payment. Raises BadInput for other text."""
    try:
        number = Decimal(text.replace(",", "."))
        hundredths = int(number * 100)
    except (InvalidOperation, OverflowError, ValueError):
        raise _refuse_amount(text) from None
    if number * 100 != hundredths or not 0 < abs(hundredths) <= MAX_HUNDREDTHS:
        raise _refuse_amount(text)
    return hundredths


def record_payment(
    session: Session, *, annotator: Annotator, project: Project, money: Money, note: str = "", now: datetime
) -> Payment:
    """Record a payment; raises BadInput for a currency that is not valid, or not that of the project."""
    section = parse_definition(project.definition).reward
    promised = section.pay.currency if section and section.pay else money.currency
    where = Where(field="currency")
    if not re.fullmatch(r"[A-Z]{3}", money.currency):
        raise BadInput(f"{money.currency!r} is not a currency.", where=where, remedy="Write it like EUR or UAH.")
    if promised != money.currency:
        raise BadInput(f"{project.name} pays in {promised}.", where=where, remedy=f"Give the amount in {promised}.")
    payment = Payment(
        annotator_id=annotator.id or 0,
        project_id=project.id or 0,
        hundredths=money.hundredths,
        currency=money.currency,
        note=note.strip(),
        at=now,
    )
    session.add(payment)
    session.flush()
    data = {"hundredths": payment.hundredths, "currency": payment.currency}
    journal.record_event(session, Event.PAID, now=now, project_id=project.id, annotator_id=annotator.id, data=data)
    return payment


def sum_payments(session: Session, *, project_id: int) -> dict[int, tuple[Money, ...]]:
    """What was paid for the project by annotator id, one sum for each currency."""
    sums = select(Payment.annotator_id, Payment.currency, func.sum(Payment.hundredths))
    grouped = sums.where(Payment.project_id == project_id).group_by(col(Payment.annotator_id), col(Payment.currency))
    payments: dict[int, tuple[Money, ...]] = defaultdict(tuple)
    for annotator_id, currency, total in session.exec(
        grouped.order_by(col(Payment.annotator_id), col(Payment.currency))
    ):
        payments[annotator_id] += (Money(hundredths=int(total), currency=currency),)
    return dict(payments)


def compute_hourly_rates(work: Mapping[int, ActiveTime], payments: Mapping[int, Iterable[Money]]) -> tuple[Money, ...]:
    """The median pay per active hour over annotators who were paid, one rate for each currency. Pure."""
    rates: dict[str, list[Decimal]] = defaultdict(list)
    for annotator_id, sums in payments.items():
        hours = Decimal(str(work.get(annotator_id, ActiveTime()).hours))
        for money in sums:
            if hours > 0 and money.hundredths > 0:
                rates[money.currency].append(money.hundredths / hours)
    return tuple(
        Money(hundredths=int(statistics.median(hourly).quantize(Decimal(1), ROUND_HALF_UP)), currency=currency)
        for currency, hourly in sorted(rates.items())
    )


def _refuse_amount(text: str) -> BadInput:
    return BadInput(f"{text!r} is not an amount.", where=Where(field="amount"), remedy="Write it like 12.50.")
