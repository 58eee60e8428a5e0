"""Consents and content warnings as the annotator accepts them: each is stored with its version or its hash."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns import project_file, stimulus
from annotation.errors import Stale
from annotation.store import annotator_locks, journal
from annotation.store.models import Consent, Participation, Project, TextVersion
from annotation.vocabulary import Event, ParticipationStatus, Requirement, TextKind
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import withdrawal
from annotation.workflow.annotators.terms import (
    RequiredConsent,
    Terms,
    get_consent,
    get_project_scope,
    is_consent_missing,
)
from annotation.workflow.annotators.withdrawal import WithdrawalCounts


@dataclass(frozen=True, kw_only=True)
class ConsentRequest:
    """A consent that the annotator is asked for, with its full text."""

    required: RequiredConsent
    text: str


def get_consent_request(session: Session, *, annotator_id: int, terms: Terms) -> ConsentRequest | None:
    """The consent that the annotator has yet to give; None where none is asked for, or it is given."""
    if terms.consent is None or not is_consent_missing(session, annotator_id=annotator_id, terms=terms):
        return None
    version = session.get_one(TextVersion, (terms.consent.sha256, TextKind.CONSENT))
    return ConsentRequest(required=terms.consent, text=version.text)


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
    annotator_locks.lock_annotator(session, annotator_id)  # two taps at once come one after the other
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
    withdrawal.release_live_assignments(session, annotator_id=annotator_id, now=now)
    withdrawal.take_back_notices(session, annotator_id=annotator_id, now=now)
    journal.record_event(session, Event.CONSENT_WITHDRAWN, now=now, annotator_id=annotator_id, data={"scope": scope})
    return True


def withdraw_from_project(session: Session, *, annotator_id: int, project: Project, now: datetime) -> WithdrawalCounts:
    """Withdraw an annotator from a project for good, and their consent to it where it asks for one of its own."""
    counts = withdrawal.withdraw_annotator(session, annotator_id=annotator_id, project=project, now=now)
    if definitions.get_project_definition(project).consent is not None:
        withdraw_consent(session, annotator_id=annotator_id, scope=get_project_scope(project), now=now)
    return counts


def accept_warning(
    session: Session, *, annotator_id: int, project: Project, sha256: str, now: datetime, how: str | None = None
) -> Participation:
    """Record that the annotator accepted the content warning with this hash; doing it twice records it once.

    `how` goes to the journal, for warnings accepted outside Telegram. Raises Stale where the project's warning has
    another hash, or there is none.
    """
    text = project_file.parse_definition(project.definition).content_warning
    if text is None or stimulus.compute_text_digest(text) != sha256:
        raise Stale("This warning is out of date; read the new one.")
    locked = annotator_locks.lock_annotator(session, annotator_id)  # two taps at once come one after the other
    participation = participations.get_or_create_participation(locked, project=project, now=now)
    if participation.warning_sha256 == sha256:
        return participation
    participation.warned_at, participation.warning_sha256 = now, sha256
    session.add(participation)
    session.flush()
    data = {"sha256": sha256} | ({} if how is None else {"how": how})
    journal.record_event(
        session, Event.WARNING_ACCEPTED, now=now, project_id=project.id, annotator_id=annotator_id, data=data
    )
    return participation


def withdraw_warning(session: Session, *, annotator_id: int, project: Project) -> None:
    """Forget that the annotator accepted the content warning of a project, so that they can decline it."""
    locked = annotator_locks.lock_annotator(session, annotator_id)
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if participation is not None:
        participation.warned_at = participation.warning_sha256 = None
        session.add(participation)
        session.flush()


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
