"""Reach: who cannot be written to has nothing in hand, and is reachable again when she writes."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.store import journal, outbox, queries
from annotation.store.models import Annotator
from annotation.vocabulary import Event
from annotation.workflow.annotators import messages, withdrawal


def lost(session: Session, *, telegram_id: int, now: datetime) -> None:
    """The person has blocked the bot, or her account is gone: her items go back, and what waits for her is dropped, but
    for the organisers' answers, which wait until she is back.
    """
    messages.lost(session, outbox.drop(session, chat_id=telegram_id))
    person = queries.annotator_by_telegram(session, telegram_id)
    if person is None or person.unreachable_at is not None:
        return
    person.unreachable_at = now
    session.add(person)
    session.flush()
    journal.record(session, Event.PERSON_UNREACHABLE, now=now, annotator_id=person.id)
    withdrawal.take_back_live(session, annotator_id=person.id or 0, now=now)


def back(session: Session, *, person: Annotator) -> None:
    """She is there again."""
    if person.unreachable_at is not None:
        person.unreachable_at = None
        session.add(person)
        session.flush()
