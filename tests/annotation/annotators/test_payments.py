"""Active hours, what is owed for them, and what was paid."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, select

from annotation.campaigns import project_file as project_files
from annotation.campaigns.sections.annotators import PaySection
from annotation.errors import BadInput
from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus, Surface
from annotation.workflow.annotators import payments, registration, roster
from annotation.workflow.annotators.payments import ActiveTime, Money, TimedAnswer
from annotation.workflow.lifecycle import projects

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32


def at(seconds: float) -> datetime:
    """So many seconds after the beginning."""
    return NOW + timedelta(seconds=seconds)


def took(item: int, shown: float, answered: float, *, skipped: bool = False) -> TimedAnswer:
    """An answer by when its item was shown and when it came."""
    return TimedAnswer(item=item, shown_at=at(shown), answered_at=at(answered), skipped=skipped)


@pytest.mark.parametrize(
    ("answers", "most", "expected"),
    [
        ([], 1800, ActiveTime()),
        ([took(1, 0, 10), took(2, 10, 25)], 1800, ActiveTime(items=2, seconds=25)),
        ([took(1, 0, 10), took(2, 4000, 4015)], 1800, ActiveTime(items=2, seconds=25)),
        ([took(1, 0, 10), took(2, 10, 1810)], 1800, ActiveTime(items=2, seconds=1810)),
        ([took(1, 0, 10), took(2, 10, 1811)], 1800, ActiveTime(items=2, seconds=10)),
        ([took(1, 0, 10), took(2, 10, 500)], 60, ActiveTime(items=2, seconds=70)),
        ([took(1, 0, 40), took(1, 0, 90)], 60, ActiveTime(items=1, seconds=60)),
        ([took(1, 0, 10), took(1, 0, 15)], 60, ActiveTime(items=1, seconds=15)),
        ([took(1, 0, 60), took(2, 0, 70), took(3, 0, 80)], 60, ActiveTime(items=3, seconds=80)),
        ([took(1, 0, 10, skipped=True), took(2, 10, 20)], 60, ActiveTime(items=1, seconds=20)),
        ([took(1, 10, 0)], 60, ActiveTime(items=1)),
        ([TimedAnswer(item=1, shown_at=None, answered_at=None, seconds=12)], 60, ActiveTime(items=1, seconds=12)),
        ([TimedAnswer(item=1, shown_at=None, answered_at=at(0), seconds=1900)], 60, ActiveTime(items=1)),
        ([TimedAnswer(item=1, shown_at=None, answered_at=None)], 60, ActiveTime(items=1)),
    ],
)
def test_active_time_leaves_pauses_out(answers: list[TimedAnswer], most: float, expected: ActiveTime) -> None:
    """Gaps over half an hour are nothing, an item counts so long at most, no second counts twice."""
    assert payments.sum_active_time(answers, item_limit=most) == expected


@pytest.mark.parametrize(
    ("pay", "done", "owed"),
    [
        ({"per_hour": "3.50", "currency": "EUR"}, ActiveTime(items=9, seconds=3600), "3.50 EUR"),
        ({"per_hour": "3.50", "currency": "EUR"}, ActiveTime(items=9, seconds=1234), "1.20 EUR"),
        ({"per_hour": "1", "currency": "EUR"}, ActiveTime(items=1, seconds=18), "0.01 EUR"),
        ({"per_item": "0.015", "currency": "UAH"}, ActiveTime(items=3, seconds=1), "0.05 UAH"),
        ({"per_item": "2", "currency": "UAH"}, ActiveTime(), "0.00 UAH"),
    ],
)
def test_what_is_owed_follows_the_rate(pay: dict[str, str], done: ActiveTime, owed: str) -> None:
    """By the hour or by the item, half up to the hundredth."""
    assert str(payments.compute_owed(PaySection.model_validate(pay), done)) == owed


@pytest.mark.parametrize(
    "wrong",
    [
        {"currency": "EUR"},
        {"per_hour": "1", "per_item": "1", "currency": "EUR"},
        {"per_hour": "1"},
        {"per_hour": "1", "currency": "euro"},
        {"per_hour": "0", "currency": "EUR"},
        {"per_hour": "NaN", "currency": "EUR"},
    ],
)
def test_pay_is_one_rate_in_one_currency(wrong: dict[str, str]) -> None:
    """Anything else is a mistake in the file."""
    with pytest.raises(ValueError, match="PaySection"):
        PaySection.model_validate(wrong)


@pytest.mark.parametrize(
    ("written", "hundredths"),
    [("12.50", 1250), ("12,5", 1250), ("-3", -300), ("0", None), ("1.005", None), ("багато", None), ("inf", None),
     ("1e99", None), ("nan", None)],
)  # fmt: skip
def test_amounts_are_read_to_the_hundredth(written: str, hundredths: int | None) -> None:
    """No fractions of a hundredth, nothing that is no number, no slips of the keyboard."""
    if hundredths is None:
        with pytest.raises(BadInput):
            payments.parse_amount(written)
    else:
        assert payments.parse_amount(written) == hundredths


def test_the_realised_rate_is_the_median_over_the_paid() -> None:
    """Who was not paid, or did nothing, has no rate; each currency has its own."""
    work = {
        1: ActiveTime(seconds=3600),
        2: ActiveTime(seconds=1800),
        3: ActiveTime(seconds=7200),
        4: ActiveTime(seconds=60),
    }
    euros = {person: (Money(hundredths=400, currency="EUR"),) for person in (1, 2, 3, 5)}
    assert payments.compute_hourly_rates(work, euros) == (Money(hundredths=400, currency="EUR"),)
    more = euros | {3: (Money(hundredths=400, currency="EUR"), Money(hundredths=10, currency="UAH"))}
    assert [str(one) for one in payments.compute_hourly_rates(work, more)] == ["4.00 EUR", "0.05 UAH"]
    assert payments.compute_hourly_rates({}, {}) == ()


def answered(session: Session, person: int, item: str, *, after: float, took: float) -> None:
    """An answer that took so many seconds."""
    found = session.exec(select(Item).where(Item.external_id == item)).one()
    made = Assignment(
        project_id=found.project_id,
        item_id=found.id or 0,
        annotator_id=person,
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.DONE,
        assigned_at=at(after - 600),
        shown_at=at(after),
    )
    session.add(made)
    session.flush()
    judgement = Judgement(
        assignment_id=made.id or 0, response="кіт", response_raw="кіт", answered_at=at(after + took), seconds=took
    )
    session.add(judgement)
    session.flush()


def test_the_roster_says_what_is_owed_and_paid(db: Database, load: Callable[..., None], tmp_path: Path) -> None:
    """By pseudonym, with hours, owed under the project's rate, paid in sum; a payment in other money is refused."""
    load("words", n=2)
    file = tmp_path / "words.yaml"
    file.write_text(
        file.read_text("utf-8") + "reward: {pay: {per_hour: 3.60, currency: EUR}}\nexpected: {seconds: 100}\n", "utf-8"
    )
    with db.transaction() as session:
        projects.load_project_file(session, file, now=NOW, confirmed=True)
        project = queries.get_project(session, "words")
        assert payments.get_item_limit(project_files.parse_definition(project.definition)) == 1000
        person = registration.register_telegram_annotator(session, telegram_id=1, language="uk", key=KEY, now=NOW)
        answered(session, person.id or 0, "words-1", after=0, took=500)
        answered(session, person.id or 0, "words-2", after=500, took=1500)
        for hundredths in (100, 25):
            money = Money(hundredths=hundredths, currency="EUR")
            payments.record_payment(session, annotator=person, project=project, money=money, note="переказ", now=NOW)
        for currency in ("UAH", "euro"):
            money = Money(hundredths=1, currency=currency)
            with pytest.raises(BadInput):
                payments.record_payment(session, annotator=person, project=project, money=money, now=NOW)
        roster.join_cohort(session, annotator=person, name="students")
        found = roster.get_roster(session, project=project, now=NOW)
        assert found.annotators[0].pseudonym == person.pseudonym
        assert (found.annotators[0].work, str(found.annotators[0].owed)) == (
            ActiveTime(items=2, seconds=1500),
            "1.50 EUR",
        )
        assert [str(one) for one in (*found.annotators[0].paid, *found.hourly_rates)] == ["1.25 EUR", "3.00 EUR"]
        assert (found.annotators[0].cohorts, found.annotators[0].status) == (("students",), "active")
