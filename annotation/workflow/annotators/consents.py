"""Consents and content warnings as the annotator accepts them: each is stored with its version or its hash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.campaigns import stimulus
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.annotators import AttestationSection
from annotation.errors import BadInput, Conflict, Stale, Where
from annotation.store import database, journal, models
from annotation.store.database import LockedAnnotator
from annotation.store.models import (
    Annotator,
    Assignment,
    Attestation,
    Consent,
    Judgement,
    Participation,
    ParticipationRow,
    Project,
    ProjectRow,
    TextVersion,
)
from annotation.vocabulary import (
    AssignmentEnd,
    AssignmentStatus,
    Event,
    ParticipationStatus,
    ProjectStatus,
    Requirement,
    TextKind,
)
from annotation.workflow import definitions, participations
from annotation.workflow import definitions as terms
from annotation.workflow.annotators import invitations, registration, withdrawal
from annotation.workflow.annotators.payments import PAUSE_SECONDS
from annotation.workflow.annotators.withdrawal import WithdrawalCounts
from annotation.workflow.definitions import RequiredConsent, Terms, get_consent, get_project_scope, is_consent_missing


@dataclass(frozen=True, kw_only=True)
class ConsentRequest:
    """A consent that the annotator is asked for, with its full text.

    `retention_days` is how many days after the end the answers are detached at the latest (`declared.retention`).
    """

    required: RequiredConsent
    text: str
    retention_days: int | None = None


def get_consent_request(session: Session, *, annotator_id: int, terms: Terms) -> ConsentRequest | None:
    """The consent that the annotator has yet to give; None where none is asked for, or it is given."""
    if terms.consent is None or not is_consent_missing(session, annotator_id=annotator_id, terms=terms):
        return None
    version = session.get_one(TextVersion, (terms.consent.sha256, TextKind.CONSENT))
    days = terms.definition.declared.retention_days
    return ConsentRequest(required=terms.consent, text=version.text, retention_days=days)


def give_consent(
    session: Session, *, annotator_id: int, terms: Terms, sha256: str, now: datetime, how: str | None = None
) -> Consent:
    """Record that the annotator agreed to the text with this hash; doing it twice records it once.

    `how` goes to the journal, for consents given outside Telegram. Raises Stale where the current text has another
    hash.
    """
    required = terms.consent
    if required is None or required.sha256 != sha256:
        raise Stale("This text is out of date; read the new one.")
    database.lock_annotator(session, annotator_id)  # two taps at once come one after the other
    consent = get_consent(session, annotator_id=annotator_id, required=required)
    if consent is not None and consent.withdrawn_at is None:
        return consent
    if consent is None:
        consent = Consent(
            annotator_id=annotator_id, scope=required.scope, version=required.version, sha256=required.sha256, at=now
        )
    consent.at, consent.withdrawn_at = now, None
    session.add(consent)
    session.flush()
    _clear_declined_consent(session, annotator_id=annotator_id, scope=required.scope)
    data = {"scope": required.scope, "version": required.version, "sha256": required.sha256}
    data |= {} if how is None else {"how": how}
    journal.record_event(session, Event.CONSENT_GIVEN, now=now, annotator_id=annotator_id, data=data)
    return consent


def withdraw_consent(session: Session, *, annotator_id: int, scope: str, now: datetime) -> bool:
    """Withdraw every consent of a scope and release the annotator's live items; False where there was none to withdraw.

    The annotator gets no item of the scope until they agree again. Their answers stay:
    `withdrawal.withdraw_annotator` excludes them.
    """
    in_force = sa.update(Consent).where(
        col(Consent.annotator_id) == annotator_id, col(Consent.scope) == scope, col(Consent.withdrawn_at).is_(None)
    )
    if session.connection().execute(in_force.values(withdrawn_at=now)).rowcount == 0:
        return False
    session.expire_all()
    withdrawal.release_live_assignments(session, annotator_id=annotator_id, now=now, why=AssignmentEnd.BARRED)
    withdrawal.take_back_notices(session, annotator_id=annotator_id, now=now)
    journal.record_event(session, Event.CONSENT_WITHDRAWN, now=now, annotator_id=annotator_id, data={"scope": scope})
    return True


def withdraw_from_project(
    session: Session, *, annotator_id: int, project: ProjectRow, now: datetime
) -> WithdrawalCounts:
    """Withdraw an annotator from a project for good, and their consent to it where it asks for one of its own."""
    counts = withdrawal.withdraw_annotator(session, annotator_id=annotator_id, project=project, now=now)
    if definitions.read_project_definition(session, project).consent is not None:
        withdraw_consent(session, annotator_id=annotator_id, scope=get_project_scope(project), now=now)
    return counts


def accept_warning(
    session: Session, *, annotator_id: int, project: ProjectRow, sha256: str, now: datetime, how: str | None = None
) -> ParticipationRow:
    """Record that the annotator accepted the content warning with this hash; doing it twice records it once.

    `how` goes to the journal, for warnings accepted outside Telegram. Raises Stale where the project's warning has
    another hash, or there is none.
    """
    text = definitions.read_project_definition(session, project).content_warning
    if text is None or stimulus.compute_text_digest(text) != sha256:
        raise Stale("This warning is out of date; read the new one.")
    locked = database.lock_annotator(session, annotator_id)  # two taps at once come one after the other
    participation = participations.get_or_create_participation(locked, project=project, now=now)
    if participation.warning_sha256 == sha256:
        return participation
    models.PARTICIPATIONS.update(session, participation, warned_at=now, warning_sha256=sha256)
    data = {"sha256": sha256} | ({} if how is None else {"how": how})
    journal.record_event(
        session, Event.WARNING_ACCEPTED, now=now, project_id=project.id, annotator_id=annotator_id, data=data
    )
    return participation


def withdraw_warning(session: Session, *, annotator_id: int, project: ProjectRow) -> None:
    """Forget that the annotator accepted the content warning of a project, so that they can decline it."""
    locked = database.lock_annotator(session, annotator_id)
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if participation is not None:
        models.PARTICIPATIONS.update(session, participation, warned_at=None, warning_sha256=None)


def _clear_declined_consent(session: Session, *, annotator_id: int, scope: str) -> None:
    """Remove the record that the annotator declined a consent of this scope, in all its projects."""
    declined = sa.update(Participation).where(
        col(Participation.annotator_id) == annotator_id,
        col(Participation.declined) == Requirement.CONSENT,
        col(Participation.declined_scope) == scope,
    )
    is_active = col(Participation.status) == ParticipationStatus.ACTIVE
    reason = sa.case((is_active, None), else_=col(Participation.reason))
    session.connection().execute(
        declined.values(declined=None, declined_scope=None, declined_version=None, reason=reason)
    )
    session.expire_all()


@dataclass(frozen=True, kw_only=True)
class DueAttestation:
    """A work session of an annotator in a project that is over and not attested; `section` is what is asked."""

    project_id: int
    work_session: int
    section: AttestationSection


def list_due(session: Session, *, annotator_id: int, now: datetime, at_end: bool) -> Iterator[DueAttestation]:
    """The attestations that are due of an annotator, in the order of the projects, of those that are not closed."""
    query = (
        select(Participation, Project)
        .join(Project, col(Project.id) == col(Participation.project_id))
        .where(
            Participation.annotator_id == annotator_id,
            Participation.status == ParticipationStatus.ACTIVE,
            Project.status != ProjectStatus.CLOSED,
            Participation.work_session > 0,
        )
    )
    for participation, project in session.exec(query.order_by(col(Project.id))).all():
        definition = definitions.get_project_definition(project)
        due = get_due_work_session(session, definition=definition, participation=participation, now=now, at_end=at_end)
        if definition.attestation is not None and due is not None:
            yield DueAttestation(project_id=project.id or 0, work_session=due, section=definition.attestation)


def get_due_work_session(
    session: Session,
    *,
    definition: ProjectFile,
    participation: ParticipationRow | None,
    now: datetime,
    at_end: bool = False,
) -> int | None:
    """The number of the last work session that is over, where answers have come since the last attestation; else None.

    A work session is over after half an hour without an answer, when the next one has begun, or `at_end`: the annotator
    pauses, or there is nothing to answer any more. Nothing is asked of one in which they only looked at an item.
    """
    if definition.attestation is None or participation is None:
        return None
    last_at = participation.last_at
    paused = last_at is not None and now - last_at >= timedelta(seconds=PAUSE_SECONDS)
    last_over = participation.work_session if paused or at_end else participation.work_session - 1
    if last_over < 1:
        return None
    if last_over == participation.work_session:
        return last_over if _has_unattested(session, participation) else None
    if session.get(Attestation, (participation.annotator_id, participation.project_id, last_over)) is not None:
        return None
    return last_over if _has_unattested(session, participation, until=participation.work_session_since) else None


def _has_unattested(session: Session, participation: ParticipationRow, *, until: datetime | None = None) -> bool:
    """Whether there are answers after the annotator's latest attestation in the project, and before `until`."""
    latest = (
        sa.select(sa.func.max(col(Attestation.at)))
        .where(
            col(Attestation.annotator_id) == participation.annotator_id,
            col(Attestation.project_id) == participation.project_id,
        )
        .scalar_subquery()
    )
    answers = (
        select(Judgement.id)
        .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
        .where(
            col(Assignment.annotator_id) == participation.annotator_id,
            col(Assignment.project_id) == participation.project_id,
            col(Assignment.status) == AssignmentStatus.DONE,
            sa.or_(latest.is_(None), col(Judgement.answered_at) > latest),
        )
    )
    if until is not None:
        answers = answers.where(col(Judgement.answered_at) < until)
    return session.exec(answers.limit(1)).first() is not None


def save_attestation(
    session: Session,
    *,
    annotator_id: int,
    project: ProjectRow,
    work_session: int,
    used: str,
    now: datetime,
    at_end: bool = False,
) -> Attestation:
    """Store an attestation of a work session, the current one included; a second one replaces the first.

    It holds for other projects that ask the same, where it is due, too; `at_end` counts current work sessions as over.
    `used` is one of the project's options. Raises Stale for a work session that the annotator has not had, BadInput
    for an unknown option.
    """
    section = definitions.read_project_definition(session, project).attestation
    locked = database.lock_annotator(session, annotator_id)  # two taps at once come one after the other
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if section is None or participation is None or not 1 <= work_session <= participation.work_session:
        raise Stale("Nothing is asked of that work session.")
    if used not in section.options:
        listed = spelling.join_first(repr(option) for option in section.options)
        raise BadInput(
            f"{used!r} is not among the options.", where=Where(field="attestation"), remedy=f"There are: {listed}."
        )
    attestation = session.get(Attestation, (annotator_id, project.id or 0, work_session))
    if attestation is None:
        attestation = Attestation(
            annotator_id=annotator_id, project_id=project.id or 0, work_session=work_session, used=used, at=now
        )
    attestation.used, attestation.at = used, now
    session.add(attestation)
    session.flush()
    for due in [*list_due(session, annotator_id=annotator_id, now=now, at_end=at_end)]:
        if due.section == section and due.project_id != project.id:
            key = {"annotator_id": annotator_id, "project_id": due.project_id, "work_session": due.work_session}
            session.merge(Attestation(**key, used=used, at=now))
    session.flush()
    return attestation


@dataclass(frozen=True, kw_only=True)
class OfflineAgreement:
    """What was recorded: the consent, None where none was missing; profile fields; whether a warning was accepted."""

    consent: RequiredConsent | None
    fields: tuple[str, ...]
    warned: bool


def record_agreement(
    session: Session,
    *,
    annotator: Annotator,
    project: ProjectRow,
    how: str,
    profile: Mapping[str, str],
    now: datetime,
    code: str | None = None,
) -> OfflineAgreement:
    """Record that the annotator agreed to everything that the project asks now, with version and hash.

    `how` says where the agreement can be looked up, `profile` holds answers by field name (an empty one is "I would
    rather not say"), `code` is an invitation to redeem first. Raises Conflict for an annotator who has Telegram,
    BadInput for an empty `how`, a code that cannot be redeemed, and profile fields that are missing, unknown or do not
    allow their answer.
    """
    annotator_id, definition = annotator.id or 0, definitions.read_project_definition(session, project)
    required = terms.get_terms(session, project=project, definition=definition)
    if not how.strip():
        raise BadInput(
            "It is unclear how they agreed.",
            where=Where(field="how"),
            remedy="Write, for example, --how 'signed, folder 3'.",
        )
    if annotator.telegram_id is not None:
        raise Conflict(f"{annotator.pseudonym} has Telegram.", remedy="They agree to it there themselves.")
    if code is not None:
        _redeem_code(session, annotator=annotator, code=code, now=now)
    answers = terms.get_profile_answers(session, annotator_id=annotator_id)
    fields = {field.name: field for field in required.fields}
    unknown = sorted(profile.keys() - fields.keys())
    missing = [field.name for field in terms.list_missing_fields(required.fields, answers) if field.name not in profile]
    if unknown or missing:
        raise BadInput(
            f"The project asks for no {', '.join(unknown)}." if unknown else f"Not said yet: {', '.join(missing)}.",
            where=Where(field="profile"),
            remedy="Say what it asks: " + (" ".join(f"--profile {name}=…" for name in fields) or "nothing") + ".",
        )
    locked = database.lock_annotator(session, annotator_id)
    participations.get_or_create_participation(locked, project=project, now=now)
    request = get_consent_request(session, annotator_id=annotator_id, terms=required)
    if request is not None:
        sha256 = request.required.sha256
        give_consent(session, annotator_id=annotator_id, terms=required, sha256=sha256, now=now, how=how.strip())
    for name, value in profile.items():
        registration.save_profile_answer(session, annotator_id=annotator_id, field=fields[name], value=value, now=now)
    return OfflineAgreement(
        consent=None if request is None else request.required,
        fields=tuple(sorted(profile)),
        warned=_record_warning(locked, project=project, how=how.strip(), now=now),
    )


def _redeem_code(session: Session, *, annotator: Annotator, code: str, now: datetime) -> None:
    result = invitations.redeem_invitation(session, annotator_id=annotator.id or 0, code=code, now=now)
    if isinstance(result, invitations.InvitationRefusal):
        remedy = "`hromada invite PROJECT` makes a code."
        raise BadInput(f"The code lets nobody in: {result.value}.", where=Where(field="code"), remedy=remedy)


def _record_warning(locked: LockedAnnotator, *, project: ProjectRow, how: str, now: datetime) -> bool:
    definition = definitions.read_project_definition(locked.session, project)
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if definition.content_warning is None or not terms.is_warning_missing(definition, participation):
        return False
    sha256 = stimulus.compute_text_digest(definition.content_warning)
    accept_warning(locked.session, annotator_id=locked.annotator_id, project=project, sha256=sha256, now=now, how=how)
    return True
