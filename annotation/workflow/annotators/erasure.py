"""Erasure of an annotator: the contents of their rows are emptied, counts stay, and nothing identifies them any more.

Judgements and the journal are append-only except for this. Earlier exports and backups are not changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict
from annotation.store import annotator_locks, journal, judgements, pseudonyms
from annotation.store.models import (
    Assignment,
    Attestation,
    ChatPause,
    Cohort,
    Consent,
    Conversation,
    Inbox,
    ItemMessage,
    Journal,
    Judgement,
    LabelStudioAccount,
    Outbox,
    Participation,
    Payment,
    ProfileAnswer,
    Report,
    SupportMessage,
)
from annotation.vocabulary import Event, Exclusion, ExclusionKind
from annotation.workflow.annotators import withdrawal

ERASED = Exclusion(ExclusionKind.ERASED, "erased at the annotator's request")
"""The exclusion of erased answers."""


@dataclass(frozen=True, kw_only=True)
class ErasureCounts:
    """How many rows were emptied or removed."""

    projects: int
    judgements: int
    messages: int
    reports: int
    attestations: int
    profile: int


def erase_annotator(
    session: Session, *, annotator_id: int, now: datetime, pseudonym: str | None = None
) -> ErasureCounts:
    """Empty everything that the annotator wrote, answered or is known by, and give them a new pseudonym, a random one.

    Answers, messages, reports, attestations and notes lose their content; profile, cohorts and Label Studio accounts
    are deleted; consents are withdrawn; places of items are released. Counts, times and hashes of texts stay, so that
    every number can be explained. Consensus and scores change, since empty answers do not count. Raises Conflict where
    the annotator is erased already.
    """
    annotator = annotator_locks.lock_annotator(session, annotator_id).annotator
    if annotator.forgotten_at is not None:
        raise Conflict("This annotator is forgotten already.")
    _enable_secure_delete(session)
    projects = _list_projects(session, annotator_id)
    for project_id in projects:
        withdrawal.end_participation(session, annotator_id=annotator_id, project_id=project_id, now=now)
    tombstone = _empty_rows(session, annotator_id, projects=len(projects), now=now)
    _blank_journal(session, annotator_id)
    _delete_pending_messages(session, annotator_id, telegram_id=annotator.telegram_id, now=now)
    annotator.pseudonym = pseudonym or pseudonyms.make_random_pseudonym(simulated=annotator.simulated)
    annotator.telegram_id = annotator.language = annotator.time_zone = None
    annotator.suspended_at = annotator.suspended_reason = annotator.unreachable_at = None
    annotator.insider, annotator.forgotten_at = False, now
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_FORGOTTEN, now=now, data=asdict(tombstone))
    session.expire_all()
    return tombstone


def _enable_secure_delete(session: Session) -> None:
    """Make SQLite overwrite deleted content; by default it stays readable in the file until the space is reused."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def _list_projects(session: Session, annotator_id: int) -> Sequence[int]:
    joined = select(Participation.project_id).where(Participation.annotator_id == annotator_id)
    worked = select(Assignment.project_id).where(Assignment.annotator_id == annotator_id)
    return sorted({*session.exec(joined), *session.exec(worked)})


def _empty_rows(session: Session, annotator_id: int, *, projects: int, now: datetime) -> ErasureCounts:
    execute = session.connection().execute
    assignment_ids = sa.select(col(Assignment.id)).where(col(Assignment.annotator_id) == annotator_id)
    answers = sa.update(Judgement).where(col(Judgement.assignment_id).in_(assignment_ids))
    empty_values: dict[str, Any] = {"answers": sa.null(), "flags": sa.null(), "skip_reason": None, "seconds": None}
    erased = answers.values(response="", response_raw="", **empty_values, **judgements.list_exclusion_values(ERASED))
    n_judgements = execute(erased).rowcount
    messages = sa.update(SupportMessage).where(col(SupportMessage.annotator_id) == annotator_id)
    answered = sa.case((col(SupportMessage.answer).is_(None), None), else_="")
    consents = sa.update(Consent).where(col(Consent.annotator_id) == annotator_id, col(Consent.withdrawn_at).is_(None))
    execute(consents.values(withdrawn_at=now))
    for table, values in ((Participation, {"reason": ERASED.reason}), (Payment, {"note": ""})):
        execute(sa.update(table).where(col(table.annotator_id) == annotator_id).values(**values))
    reports = sa.update(Report).where(col(Report.annotator_id) == annotator_id).values(reason="", text="")
    attestations = sa.update(Attestation).where(col(Attestation.annotator_id) == annotator_id).values(used="")
    for removed_table in (Cohort, LabelStudioAccount):
        execute(sa.delete(removed_table).where(col(removed_table.annotator_id) == annotator_id))
    profile = sa.delete(ProfileAnswer).where(col(ProfileAnswer.annotator_id) == annotator_id)
    return ErasureCounts(
        projects=projects,
        judgements=n_judgements,
        messages=execute(messages.values(text="", answer=answered)).rowcount,
        reports=execute(reports).rowcount,
        attestations=execute(attestations).rowcount,
        profile=execute(profile).rowcount,
    )


def _delete_pending_messages(session: Session, annotator_id: int, *, telegram_id: int | None, now: datetime) -> None:
    """Delete unhandled updates, unsent messages, the record of item messages and the state of the conversation."""
    execute = session.connection().execute
    assignment_ids = sa.select(col(Assignment.id)).where(col(Assignment.annotator_id) == annotator_id)
    execute(sa.delete(ItemMessage).where(col(ItemMessage.assignment_id).in_(assignment_ids)))
    execute(sa.delete(Conversation).where(col(Conversation.annotator_id) == annotator_id))
    if telegram_id is None:
        return
    for table in (Outbox, ChatPause):
        execute(sa.delete(table).where(col(table.chat_id) == telegram_id))
    unhandled = sa.update(Inbox).where(col(Inbox.telegram_id) == telegram_id)
    execute(unhandled.values(telegram_id=None, payload=sa.null(), done_at=now, reason=None, trace=None))


def _blank_journal(session: Session, annotator_id: int) -> None:
    """Remove free-text reasons from the annotator's events; the events and their numbers stay."""
    for entry in session.exec(select(Journal).where(Journal.annotator_id == annotator_id)):
        if "reason" in entry.data:
            entry.data = {key: value for key, value in entry.data.items() if key != "reason"}
            session.add(entry)
    session.flush()
