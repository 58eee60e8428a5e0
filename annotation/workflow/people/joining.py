"""People: who joins, and in which language they are spoken to."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.store import journal, pseudonyms, queries
from annotation.store.models import Annotator
from annotation.vocabulary import Event

TELEGRAM = "telegram"


def join(
    session: Session, *, telegram_id: int, language: str, key: bytes, now: datetime, simulated: bool = False
) -> Annotator:
    """The person with this Telegram id, made at the first meeting."""
    found = queries.annotator_by_telegram(session, telegram_id)
    if found is not None:
        return found
    made = Annotator(
        pseudonym=pseudonyms.pseudonym(key, namespace=TELEGRAM, name=str(telegram_id), simulated=simulated),
        telegram_id=telegram_id,
        language=language,
        simulated=simulated,
        created_at=now,
    )
    session.add(made)
    session.flush()
    journal.record(session, Event.ANNOTATOR_JOINED, now=now, annotator_id=made.id)
    return made
