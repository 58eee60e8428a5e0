"""Erasure: a person is forgotten; of what she said and answered a counted tombstone is left, and nobody knows whose.

Judgements and the journal are append-only but for this. What was exported or backed up before is out of reach here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict
from annotation.store import journal
from annotation.store.models import (
    Annotator,
    Assignment,
    Attestation,
    Cohort,
    Consent,
    DeskUser,
    Inbox,
    Journal,
    Judgement,
    Message,
    Outbox,
    Participation,
    Payment,
    ProfileAnswer,
    Report,
    Screen,
    Talk,
)
from annotation.vocabulary import Event
from annotation.workflow.annotators import withdrawal

ERASED = "erased at the annotator's request"
"""Why an answer is empty and does not count."""


@dataclass(frozen=True, kw_only=True)
class Tombstone:
    """How much was emptied or removed."""

    projects: int
    judgements: int
    messages: int
    reports: int
    attestations: int
    profile: int


def forget(session: Session, *, annotator_id: int, pseudonym: str, now: datetime) -> Tombstone:
    """Empty all that a person said, answered and is known by; `pseudonym` is the fresh one of a stranger.

    Answers, messages, reports, attestations and notes lose their content, profile, cohorts and accounts at desks are
    removed, consents are withdrawn; places are given back. Counts, times and hashes of texts stay, so that every number
    can be explained. Consensus and scores are other ones from now on, since what is empty does not count. Raises
    Conflict for whoever is forgotten already.
    """
    person = session.get_one(Annotator, annotator_id, with_for_update=True)
    if person.forgotten_at is not None:
        raise Conflict("This person is forgotten already.")
    _overwrite(session)
    projects = _projects(session, annotator_id)
    for project_id in projects:
        withdrawal.take_out(session, annotator_id=annotator_id, project_id=project_id, now=now)
    tombstone = _emptied(session, annotator_id, projects=len(projects), now=now)
    _blank_journal(session, annotator_id)
    _drop_post(session, annotator_id, telegram_id=person.telegram_id, now=now)
    person.pseudonym, person.telegram_id, person.language, person.time_zone = pseudonym, None, None, None
    person.suspended_at, person.suspended_reason, person.insider, person.forgotten_at = None, None, False, now
    person.unreachable_at = None
    session.add(person)
    session.flush()
    journal.record(session, Event.PERSON_FORGOTTEN, now=now, data=asdict(tombstone))
    session.expire_all()
    return tombstone


def _overwrite(session: Session) -> None:
    """SQLite alone would leave what is emptied readable in the file until the space is used again."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def _projects(session: Session, annotator_id: int) -> Sequence[int]:
    joined = select(Participation.project_id).where(Participation.annotator_id == annotator_id)
    worked = select(Assignment.project_id).where(Assignment.annotator_id == annotator_id)
    return sorted({*session.exec(joined), *session.exec(worked)})


def _emptied(session: Session, annotator_id: int, *, projects: int, now: datetime) -> Tombstone:
    execute = session.connection().execute
    hers = sa.select(col(Assignment.id)).where(col(Assignment.annotator_id) == annotator_id)
    answers = sa.update(Judgement).where(col(Judgement.assignment_id).in_(hers))
    nothing: dict[str, Any] = {"answers": sa.null(), "flags": sa.null(), "skip_reason": None, "seconds": None}
    judgements = execute(answers.values(response="", response_raw="", excluded_reason=ERASED, **nothing)).rowcount
    messages = sa.update(Message).where(col(Message.annotator_id) == annotator_id)
    answered = sa.case((col(Message.answer).is_(None), None), else_="")
    consents = sa.update(Consent).where(col(Consent.annotator_id) == annotator_id, col(Consent.withdrawn_at).is_(None))
    execute(consents.values(withdrawn_at=now))
    for table, emptied in ((Participation, {"reason": ERASED}), (Payment, {"note": ""})):
        execute(sa.update(table).where(col(table.annotator_id) == annotator_id).values(**emptied))
    reports = sa.update(Report).where(col(Report.annotator_id) == annotator_id).values(reason="", text="")
    attestations = sa.update(Attestation).where(col(Attestation.annotator_id) == annotator_id).values(used="")
    for known in (Cohort, DeskUser):
        execute(sa.delete(known).where(col(known.annotator_id) == annotator_id))
    profile = sa.delete(ProfileAnswer).where(col(ProfileAnswer.annotator_id) == annotator_id)
    return Tombstone(
        projects=projects,
        judgements=judgements,
        messages=execute(messages.values(text="", answer=answered)).rowcount,
        reports=execute(reports).rowcount,
        attestations=execute(attestations).rowcount,
        profile=execute(profile).rowcount,
    )


def _drop_post(session: Session, annotator_id: int, *, telegram_id: int | None, now: datetime) -> None:
    """What she sent and nobody handled, what waits for her, where her items stand, what she is being asked."""
    execute = session.connection().execute
    hers = sa.select(col(Assignment.id)).where(col(Assignment.annotator_id) == annotator_id)
    execute(sa.delete(Screen).where(col(Screen.assignment_id).in_(hers)))
    execute(sa.delete(Talk).where(col(Talk.annotator_id) == annotator_id))
    if telegram_id is None:
        return
    execute(sa.delete(Outbox).where(col(Outbox.chat_id) == telegram_id))
    came = sa.update(Inbox).where(col(Inbox.telegram_id) == telegram_id, col(Inbox.done_at).is_(None))
    execute(came.values(telegram_id=None, payload=sa.null(), done_at=now))


def _blank_journal(session: Session, annotator_id: int) -> None:
    """Events about the person stay, with their numbers; the words that somebody wrote about her do not."""
    for entry in session.exec(select(Journal).where(Journal.annotator_id == annotator_id)):
        if "reason" in entry.data:
            entry.data = {key: value for key, value in entry.data.items() if key != "reason"}
            session.add(entry)
    session.flush()
