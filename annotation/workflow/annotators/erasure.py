"""Erasure of an annotator: the contents of their rows are emptied, counts stay, and nothing identifies them any more.

Judgements and the journal are append-only except for this. Earlier exports and backups are not changed, but a backup
that is restored is erased again (`erase_restored_annotators`), by the mark that is left (`store/pseudonyms.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation.findings import Finding, read_plain, write_plain
from annotation import vocabulary
from annotation.errors import Conflict, Where
from annotation.store import database, journal, models, pseudonyms, table_base
from annotation.store.pseudonyms import Standing
from annotation.workflow.annotators import detachment, pending_messages, withdrawal

ERASED = vocabulary.Exclusion(vocabulary.ExclusionKind.ERASED, Finding("erased"))
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

    Answers, messages, reports, attestations and notes lose their content; profile and cohorts are deleted, batches and
    accounts in Label Studio once the copies there are (`label_studio/sync/server_erasure.py`); consents are withdrawn;
    places of items are released. Counts, times and hashes of texts stay, so that every number can be explained.
    Consensus and scores change, since empty answers do not count. A mark that holds no identity keeps that they were
    erased, and what must hold if they return. Raises Conflict where the annotator is erased already.
    """
    annotator = database.lock_annotator(session, annotator_id).annotator
    if annotator.forgotten_at is not None:
        raise Conflict("This annotator is forgotten already.")
    if annotator.detached:
        raise Conflict(withdrawal.DETACHED, where=Where(field="pseudonym"))
    database.request_checkpoint(session)
    _record_marks(session, annotator, _get_standing(session, annotator), now=now)
    return _erase_rows(session, annotator, now=now, pseudonym=pseudonym)


def erase_restored_annotators(session: Session, *, now: datetime) -> int:
    """Erase, or detach, whom a restored backup has brought back; their number. What the marks say stays as it is."""
    done, detached_ids = 0, list[int]()
    for revived in pseudonyms.list_revived_annotators(session):
        annotator = database.lock_annotator(session, revived.annotator.id or 0).annotator
        if annotator.is_gone:  # another process was quicker
            continue
        done += 1
        database.request_checkpoint(session)
        if revived.is_detached:
            detached_ids.append(annotator.id or 0)
        else:
            _erase_rows(session, annotator, now=now)
    detachment.remove_identity(session, detached_ids, now=now)
    return done


def erase_strangers(session: Session, *, now: datetime, organisers: Collection[int] = ()) -> int:
    """Erase who wrote to the bot and agreed to nothing for `STRANGER_DAYS`; their number, at most `STRANGERS_AT_ONCE`.

    They leave a mark only where they are suspended. Who was assigned an item, wrote to the organisers, reviews, or
    entered a project that asks for no consent is none of them, nor are the `organisers`, by Telegram ids.
    """
    strangers = _select_strangers(now - timedelta(days=STRANGER_DAYS))
    strangers = strangers.where(col(models.Annotator.telegram_id).not_in(organisers))
    erased = 0
    for annotator_id in session.connection().execute(strangers.limit(STRANGERS_AT_ONCE)).scalars().all():
        annotator = database.lock_annotator(session, annotator_id).annotator
        found = session.connection().execute(strangers.where(col(models.Annotator.id) == annotator_id))
        if found.first() is None:
            continue  # they came back meanwhile
        erased += 1
        database.request_checkpoint(session)
        standing = _get_standing(session, annotator)
        if standing.as_json():
            _record_marks(session, annotator, standing, now=now)
        _erase_rows(session, annotator, now=now)
    return erased


def _record_marks(session: Session, annotator: models.AnnotatorRow, standing: Standing, *, now: datetime) -> None:
    """Store the mark of an annotator, and those of the accounts that were united with theirs."""
    for name in (annotator.pseudonym, *pseudonyms.list_former_pseudonyms(session, annotator.id or 0)):
        pseudonyms.record_erasure(session, pseudonym=name, standing=standing, now=now)


STRANGER_DAYS, STRANGERS_AT_ONCE = 30, 20
"""After how many days strangers are erased, and how many in one transaction."""


def _select_strangers(before: datetime) -> sa.Select[Any]:
    """Annotators with Telegram who came, and did something last, before a time, and never agreed to anything."""
    own_id = col(models.Annotator.id)
    done: tuple[Any, ...] = (
        col(models.Consent.annotator_id),
        col(models.Assignment.annotator_id),
        col(models.SupportMessage.annotator_id),
        col(models.Adjudicator.annotator_id),
        col(models.SubmissionReview.annotator_id),
        col(models.Adjudication.annotator_id),
        col(models.Payment.annotator_id),
        col(models.LabelStudioAccount.annotator_id),
        col(models.Announcement.author_id),
    )
    asks_consent = sa.or_(
        *(
            col(table.definition)[("consent", "version")].as_string().is_not(None)
            for table in (models.Project, models.Programme)
        )
    )
    entered = (
        sa.select(col(models.Participation.annotator_id))
        .join(models.Project, col(models.Project.id) == col(models.Participation.project_id))
        .outerjoin(models.ProgrammeProject, col(models.ProgrammeProject.project_id) == col(models.Project.id))
        .outerjoin(models.Programme, col(models.Programme.id) == col(models.ProgrammeProject.programme_id))
        .where(col(models.Participation.annotator_id) == own_id)
    )
    recent = sa.or_(
        ~asks_consent, col(models.Participation.last_at) >= before, col(models.Participation.since) >= before
    )
    spoke = sa.select(col(models.Conversation.annotator_id)).where(
        col(models.Conversation.annotator_id) == own_id, col(models.Conversation.at) >= before
    )
    return (
        sa.select(own_id)
        .where(
            col(models.Annotator.telegram_id).is_not(None),
            models.IS_KNOWN,
            col(models.Annotator.created_at) < before,
            *(~sa.select(column).where(column == own_id).exists() for column in done),
            ~entered.where(recent).exists(),
            ~spoke.exists(),
        )
        .order_by(own_id)
    )


def _get_standing(session: Session, annotator: models.AnnotatorRow) -> Standing:
    """What must hold if the annotator returns: their present standing, and an earlier one in other projects."""
    joined = (
        select(models.Project.name, models.Participation)
        .join(models.Project)
        .where(models.Participation.annotator_id == annotator.id)
    )
    participations = dict(session.exec(joined).all())
    earlier = pseudonyms.get_standing(session, annotator.pseudonym).projects
    projects = {name: values for name, values in earlier.items() if name not in participations}
    for name, participation in participations.items():
        unlimited = participation.stage is vocabulary.Stage.MAIN or participation.attempt == 1
        if participation.status is not vocabulary.ParticipationStatus.ACTIVE or not unlimited:
            projects[name] = participation.model_dump(mode="json", include={"status", "stage", "attempt", "retry_at"})
    return Standing(suspended=annotator.suspended_at is not None, projects=projects)


def _erase_rows(
    session: Session, annotator: models.AnnotatorRow, *, now: datetime, pseudonym: str | None = None
) -> ErasureCounts:
    annotator_id = annotator.id or 0
    joined = select(models.Participation.project_id).where(models.Participation.annotator_id == annotator_id)
    worked = select(models.Assignment.project_id).where(models.Assignment.annotator_id == annotator_id)
    projects = sorted({*session.exec(joined), *session.exec(worked)})
    for project_id in projects:
        withdrawal.end_participation(session, annotator_id=annotator_id, project_id=project_id, now=now)
    tombstone = _empty_rows(session, annotator_id, projects=len(projects), now=now)
    _blank_journal(session, annotator_id)
    telegram_ids = [] if annotator.telegram_id is None else [annotator.telegram_id]
    pending_messages.delete_pending_messages(session, [annotator_id], telegram_ids=telegram_ids, now=now)
    emptied = ("telegram_id", "bot_id", "language", "time_zone", "suspended_at", "suspended_reason", "unreachable_at")
    models.ANNOTATORS.update(
        session,
        annotator,
        pseudonym=pseudonym or pseudonyms.make_random_pseudonym(simulated=annotator.simulated),
        insider=False,
        forgotten_at=now,
        **dict.fromkeys(emptied),
    )
    journal.record_event(session, vocabulary.Event.ANNOTATOR_FORGOTTEN, now=now, data=asdict(tombstone))
    session.expire_all()
    return tombstone


def _empty_rows(session: Session, annotator_id: int, *, projects: int, now: datetime) -> ErasureCounts:
    """Empty what the annotator wrote; the link that they gave to friends expires."""
    execute = session.connection().execute
    assignment_ids = sa.select(col(models.Assignment.id)).where(col(models.Assignment.annotator_id) == annotator_id)
    answers = sa.update(models.Judgement).where(col(models.Judgement.assignment_id).in_(assignment_ids))
    empty_values: dict[str, Any] = {"answers": sa.null(), "flags": sa.null(), "skip_reason": None, "seconds": None}
    empty_values["seconds_unknown"] = None
    erased = answers.values(response="", response_raw="", **empty_values, **table_base.list_exclusion_values(ERASED))
    n_judgements = execute(erased).rowcount
    messages = sa.update(models.SupportMessage).where(col(models.SupportMessage.annotator_id) == annotator_id)
    answered = sa.case((col(models.SupportMessage.answer).is_(None), None), else_="")
    consents = sa.update(models.Consent).where(
        col(models.Consent.annotator_id) == annotator_id, col(models.Consent.withdrawn_at).is_(None)
    )
    execute(consents.values(withdrawn_at=now))
    _blank_rejections(session, annotator_id)
    texts: dict[Any, dict[str, str]] = {models.Participation: {"reason": ERASED.reason}, models.Payment: {"note": ""}}
    texts |= {models.SubmissionReview: {"reason": ""}, models.Adjudication: {"comment": ""}}
    for table, values in texts.items():
        execute(sa.update(table).where(col(table.annotator_id) == annotator_id).values(**values))
    reviews = sa.update(models.SubmissionReview).where(col(models.SubmissionReview.assignment_id).in_(assignment_ids))
    execute(reviews.values(reason=""))
    reports = sa.update(models.Report).where(col(models.Report.annotator_id) == annotator_id).values(reason="", text="")
    attestations = (
        sa.update(models.Attestation).where(col(models.Attestation.annotator_id) == annotator_id).values(used="")
    )
    given = sa.update(models.Invitation).where(col(models.Invitation.invited_by) == annotator_id)
    execute(given.values(expires_at=sa.func.coalesce(col(models.Invitation.expires_at), now)))
    for role in (models.Cohort, models.Adjudicator):
        execute(sa.delete(role).where(col(role.annotator_id) == annotator_id))
    profile = sa.delete(models.ProfileAnswer).where(col(models.ProfileAnswer.annotator_id) == annotator_id)
    return ErasureCounts(
        projects=projects,
        judgements=n_judgements,
        messages=execute(messages.values(text="", answer=answered)).rowcount,
        reports=execute(reports).rowcount,
        attestations=execute(attestations).rowcount,
        profile=execute(profile).rowcount,
    )


def _blank_rejections(session: Session, reviewer_id: int) -> None:
    """Remove the reviewer's words from the answers that they rejected, and from the journal."""
    rejected = select(models.SubmissionReview.assignment_id, models.SubmissionReview.reason).where(
        models.SubmissionReview.annotator_id == reviewer_id,
        models.SubmissionReview.decision == vocabulary.ReviewDecision.REJECTED,
    )
    written = {
        (assignment_id, vocabulary.build_rejection(words).reason) for assignment_id, words in session.exec(rejected)
    }
    wordless = vocabulary.build_rejection("").reason
    for assignment_id, reason in written:
        answers = sa.update(models.Judgement).where(
            col(models.Judgement.assignment_id) == assignment_id,
            col(models.Judgement.excluded_kind) == vocabulary.ExclusionKind.REJECTED,
            col(models.Judgement.excluded_reason) == reason,
        )
        session.connection().execute(answers.values(excluded_reason=wordless))
    changes = select(models.Journal).where(
        col(models.Journal.event).in_((vocabulary.Event.ANSWERS_EXCLUDED, vocabulary.Event.ANSWERS_REINSTATED))
    )
    for entry in session.exec(changes) if written else ():
        reason = read_plain(entry.data["reason"]) if "reason" in entry.data else ""
        if any((assignment_id, reason) in written for assignment_id in entry.data.get("assignments", ())):
            entry.data = entry.data | {"reason": write_plain(wordless)}
            session.add(entry)
    session.flush()


def _blank_journal(session: Session, annotator_id: int) -> None:
    """Remove free-text reasons and former pseudonyms from the annotator's events, which stay with their numbers."""
    for entry in session.exec(select(models.Journal).where(models.Journal.annotator_id == annotator_id)):
        kept = {key: value for key, value in entry.data.items() if key not in {"reason", "pseudonym"}}
        if kept != entry.data:
            entry.data = kept
            session.add(entry)
    session.flush()
