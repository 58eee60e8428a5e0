"""People: who joins, and in which language they are spoken to."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, select

from annotation.store import journal, pseudonyms, queries
from annotation.store.models import Annotator
from annotation.vocabulary import Event

TELEGRAM = "telegram"
LABEL_STUDIO = "label studio"


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


def join_desk(session: Session, *, account: str, known: int | None, key: bytes, now: datetime) -> Annotator:
    """The person behind an account in Label Studio; whoever is not `known` yet is new, and works at desks only.

    `account` is the server with the account's number; it is not stored.
    """
    if known is not None:
        return session.get_one(Annotator, known)
    name = pseudonyms.pseudonym(key, namespace=LABEL_STUDIO, name=account)
    found = session.exec(select(Annotator).where(Annotator.pseudonym == name)).first()
    if found is not None:
        return found
    made = Annotator(pseudonym=name, created_at=now)
    session.add(made)
    session.flush()
    journal.record(session, Event.ANNOTATOR_JOINED, now=now, annotator_id=made.id)
    return made
