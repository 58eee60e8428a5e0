"""Registration of annotators at first contact, and whether Telegram can reach them."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, select

from annotation.store import annotator_locks, chats, erasure_marks, journal, notices, pseudonyms, queries
from annotation.store.models import Annotator
from annotation.vocabulary import Event
from annotation.workflow.annotators import support_messages, withdrawal

TELEGRAM_NAMESPACE = "telegram"
LABEL_STUDIO_NAMESPACE = "label studio"


def register_telegram_annotator(
    session: Session, *, telegram_id: int, language: str, key: bytes, now: datetime, simulated: bool = False
) -> Annotator:
    """The annotator with this Telegram id, created at first contact.

    Somebody who was suspended when they were erased is suspended again.
    """
    known = queries.find_annotator(session, telegram_id)
    if known is not None:
        return known
    annotator = Annotator(
        pseudonym=pseudonyms.make_pseudonym(
            key, namespace=TELEGRAM_NAMESPACE, name=str(telegram_id), simulated=simulated
        ),
        telegram_id=telegram_id,
        language=language,
        simulated=simulated,
        created_at=now,
    )
    _restore_suspension(session, annotator, now=now)
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_JOINED, now=now, annotator_id=annotator.id)
    return annotator


def register_label_studio_annotator(
    session: Session, *, account: str, annotator_id: int | None, key: bytes, now: datetime
) -> Annotator:
    """The annotator of a Label Studio account: the one with `annotator_id`, else created as one without Telegram.

    `account` is the server with the account's number; only a pseudonym made from it is stored.
    """
    if annotator_id is not None:
        return session.get_one(Annotator, annotator_id)
    pseudonym = pseudonyms.make_pseudonym(key, namespace=LABEL_STUDIO_NAMESPACE, name=account)
    known = session.exec(select(Annotator).where(Annotator.pseudonym == pseudonym)).first()
    if known is not None:
        return known
    annotator = Annotator(pseudonym=pseudonym, created_at=now)
    _restore_suspension(session, annotator, now=now)
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_JOINED, now=now, annotator_id=annotator.id)
    return annotator


def _restore_suspension(session: Session, annotator: Annotator, *, now: datetime) -> None:
    """Suspend a new annotator who was suspended when they were erased."""
    if erasure_marks.get_standing(session, annotator.pseudonym).suspended:
        annotator.suspended_at, annotator.suspended_reason = now, erasure_marks.KEPT_REASON


def mark_unreachable(session: Session, *, telegram_id: int, now: datetime) -> None:
    """Record that the annotator blocked the bot or deleted the account: release live items, delete unsent messages.

    Answers of the organisers that were not sent stay undelivered until the annotator is reachable again. Reminders and
    news are not wished for any more.
    """
    annotator = queries.find_annotator(session, telegram_id)
    if annotator is not None:
        annotator_locks.lock_annotator(session, annotator.id or 0)  # no announcement is being stored for them
    notices.take_back_notices(session, telegram_id=telegram_id, now=now)
    notices.forget_alerts(session, telegram_id=telegram_id)
    notices.end_wishes(session, telegram_id=telegram_id)
    support_messages.mark_undelivered(session, chats.delete_chat_messages(session, chat_id=telegram_id))
    if annotator is None or annotator.unreachable_at is not None:
        return
    annotator.unreachable_at = now
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_UNREACHABLE, now=now, annotator_id=annotator.id)
    withdrawal.release_live_assignments(session, annotator_id=annotator.id or 0, now=now)


def mark_reachable(session: Session, *, annotator: Annotator) -> None:
    """Record that the annotator is reachable again."""
    annotator.unreachable_at = None
    session.add(annotator)
    session.flush()
