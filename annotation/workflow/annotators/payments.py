"""Pay: what is owed under `reward.pay`, what was paid, and the rate that came of it per active hour."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from sqlmodel import Session, col, func, select

from annotation.campaigns.people import PaySection
from annotation.campaigns.project import definition_of
from annotation.errors import BadInput, Where
from annotation.store import journal
from annotation.store.models import Annotator, Payment, Project
from annotation.vocabulary import Event
from annotation.workflow.annotators.activity import Active

MOST = 1_000_000_00
"""The largest single payment, in hundredths: more is a slip of the keyboard."""


@dataclass(frozen=True, kw_only=True)
class Money:
    """An amount in hundredths of a currency."""

    hundredths: int
    currency: str

    def __str__(self) -> str:
        return f"{Decimal(self.hundredths) / 100:.2f} {self.currency}"


def owed(pay: PaySection, done: Active) -> Money:
    """What the work is worth under the section, rounded half up to the hundredth; pure.

    By the hour for every active hour, by the item for every item answered, whether or not the answer counts.
    """
    hours, items = Decimal(str(done.hours)), Decimal(done.items)
    worth = (pay.per_hour or Decimal(0)) * hours + (pay.per_item or Decimal(0)) * items
    hundredths = (worth * 100).quantize(Decimal(1), ROUND_HALF_UP)
    return Money(hundredths=int(hundredths), currency=pay.currency)


def amount(written: str) -> int:
    """An amount as people write it, in hundredths; a negative one takes a payment back. Raises BadInput."""
    try:
        found = Decimal(written.replace(",", "."))
        hundredths = int(found * 100)
    except (InvalidOperation, OverflowError, ValueError):
        raise _no_amount(written) from None
    if found * 100 != hundredths or not 0 < abs(hundredths) <= MOST:
        raise _no_amount(written)
    return hundredths


def pay(
    session: Session, *, person: Annotator, project: Project, money: Money, note: str = "", now: datetime
) -> Payment:
    """Note that a person was paid; raises BadInput for a currency that is none, or not that of the project."""
    section = definition_of(project.definition).reward
    promised = section.pay.currency if section and section.pay else money.currency
    where = Where(field="currency")
    if not re.fullmatch(r"[A-Z]{3}", money.currency):
        raise BadInput(f"{money.currency!r} is no currency.", where=where, remedy="Write it like EUR or UAH.")
    if promised != money.currency:
        raise BadInput(f"{project.name} pays in {promised}.", where=where, remedy=f"Give the amount in {promised}.")
    made = Payment(
        annotator_id=person.id or 0,
        project_id=project.id or 0,
        hundredths=money.hundredths,
        currency=money.currency,
        note=note.strip(),
        at=now,
    )
    session.add(made)
    session.flush()
    data = {"hundredths": made.hundredths, "currency": made.currency}
    journal.record(session, Event.PAID, now=now, project_id=project.id, annotator_id=person.id, data=data)
    return made


def paid(session: Session, *, project_id: int) -> dict[int, tuple[Money, ...]]:
    """By person, what was paid for the project, a sum a currency."""
    sums = select(Payment.annotator_id, Payment.currency, func.sum(Payment.hundredths))
    grouped = sums.where(Payment.project_id == project_id).group_by(col(Payment.annotator_id), col(Payment.currency))
    found: dict[int, tuple[Money, ...]] = defaultdict(tuple)
    for person, currency, total in session.exec(grouped.order_by(col(Payment.annotator_id), col(Payment.currency))):
        found[person] += (Money(hundredths=int(total), currency=currency),)
    return dict(found)


def realised(work: Mapping[int, Active], payments: Mapping[int, Iterable[Money]]) -> tuple[Money, ...]:
    """The median over those who were paid of what they got per active hour, a currency each; pure."""
    rates: dict[str, list[Decimal]] = defaultdict(list)
    for person, sums in payments.items():
        hours = Decimal(str(work.get(person, Active()).hours))
        for money in sums:
            if hours > 0 and money.hundredths > 0:
                rates[money.currency].append(money.hundredths / hours)
    return tuple(
        Money(hundredths=int(statistics.median(found).quantize(Decimal(1), ROUND_HALF_UP)), currency=currency)
        for currency, found in sorted(rates.items())
    )


def _no_amount(written: str) -> BadInput:
    return BadInput(f"{written!r} is no amount.", where=Where(field="amount"), remedy="Write it like 12.50.")
