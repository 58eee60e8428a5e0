"""Pay: what is owed under `reward.pay`, what was paid, and the resulting rate per active hour."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import parse_definition
from annotation.campaigns.sections.annotators import PaySection
from annotation.errors import BadInput, Where
from annotation.store import journal
from annotation.store.models import Annotator, Payment, Project
from annotation.vocabulary import Event
from annotation.workflow.annotators.active_time import ActiveTime

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
        raise BadInput(f"{money.currency!r} is no currency.", where=where, remedy="Write it like EUR or UAH.")
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
    return BadInput(f"{text!r} is no amount.", where=Where(field="amount"), remedy="Write it like 12.50.")
