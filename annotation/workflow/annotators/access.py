"""Whether an annotator may work in a project now: the first obstacle, and what they declined.

An annotator need not agree to what a project asks before its items, and can work in other projects instead. What they
declined is kept in the participation: a consent by its scope and text, so that it is declined in every project of the
scope; profile fields by their names; a content warning by its project and text. A changed text, or other fields, are
asked for again. What was declined can be agreed to later.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, select

from aggregation.findings import Finding
from annotation.campaigns import stimulus
from annotation.errors import Stale
from annotation.store import database, journal, models
from annotation.store.models import AnnotatorRow, Participation, ParticipationRow
from annotation.vocabulary import AssignmentEnd, Event, ParticipationStatus, Requirement, UnassignedReason
from annotation.workflow import panels, participations
from annotation.workflow.annotators import invitations, registration, withdrawal
from annotation.workflow.definitions import (
    Terms,
    get_profile_answers,
    is_consent_missing,
    is_consent_withdrawn,
    is_warning_missing,
    list_missing_fields,
)
from annotation.workflow.participations import NothingAssigned

RESOLVABLE_REASONS = {UnassignedReason.CONSENT, UnassignedReason.PROFILE, UnassignedReason.WARNING}
"""What the annotator can resolve at once, or decline."""

_STATUS = {
    ParticipationStatus.PAUSED: UnassignedReason.PAUSED,
    ParticipationStatus.EXCLUDED: UnassignedReason.EXCLUDED,
    ParticipationStatus.FAILED: UnassignedReason.FAILED,
}


def find_obstacle(
    session: Session, *, annotator: AnnotatorRow, terms: Terms, participation: ParticipationRow | None, now: datetime
) -> NothingAssigned | None:
    """The first reason why the annotator gets no item of the project now; None where there is none.

    In this order: suspended; withdrawn; not invited; consent; profile; not admitted, or in no panel or in several;
    paused, excluded or failed; cooling down; content warning. `participation` is None where the annotator has not
    entered the project yet.
    Invitation and admission are checked until the first item is assigned, and never after it. `declined` of the result
    says that the annotator declined what is asked, or could not work here even after agreeing to it.
    """
    project = terms.project.name
    if annotator.suspended_at is not None:
        return NothingAssigned(reason=UnassignedReason.SUSPENDED)
    withdrawn = participation is not None and participation.status == ParticipationStatus.WITHDRAWN
    if withdrawn or annotator.forgotten_at is not None or annotator.detached:
        return NothingAssigned(reason=UnassignedReason.WITHDRAWN, project=project)
    before_first_item = participation is None or participation.shown == 0
    reason = _check_terms(session, annotator=annotator, terms=terms, before_first_item=before_first_item)
    if reason is None and terms.definition.panels and (participation is None or participation.panel is None):
        refusal = panels.explain_refusal(
            session, terms.definition, annotator_id=annotator.id or 0, participation=participation
        )
        reason = None if refusal is None else UnassignedReason.NOT_ADMITTED
    if reason is None and participation is not None:
        reason = _STATUS.get(participation.status)
    retry_at = participation.retry_at if participation else None
    if reason is None and retry_at is not None and retry_at > now:
        return NothingAssigned(reason=UnassignedReason.COOL_DOWN, project=project, until=retry_at)
    if reason is None and is_warning_missing(terms.definition, participation):
        reason = UnassignedReason.WARNING
    if reason is None:
        return None
    declined = has_declined(session, annotator_id=annotator.id or 0, terms=terms, reason=reason)
    barred = participation is not None and participation.status in _STATUS
    return NothingAssigned(
        reason=reason, project=project, declined=reason in RESOLVABLE_REASONS and (declined or barred)
    )


def _check_terms(
    session: Session, *, annotator: AnnotatorRow, terms: Terms, before_first_item: bool
) -> UnassignedReason | None:
    annotator_id = annotator.id or 0
    if before_first_item and not invitations.is_invited(session, annotator_id=annotator_id, terms=terms):
        return UnassignedReason.NOT_ADMITTED
    if is_consent_missing(session, annotator_id=annotator_id, terms=terms):
        return UnassignedReason.CONSENT
    asks_profile = terms.fields or terms.admissions
    profile = get_profile_answers(session, annotator_id=annotator_id) if asks_profile else {}
    if list_missing_fields(terms.fields, profile):
        return UnassignedReason.PROFILE
    if not before_first_item:
        return None
    refusal = registration.explain_refusal_for_profile(session, annotator=annotator, terms=terms, profile=profile)
    return None if refusal is None else UnassignedReason.NOT_ADMITTED


def has_refused_consent(session: Session, *, participation: ParticipationRow, terms: Terms) -> bool:
    """Whether the annotator declined the project's consent or withdrew it, so that no answer of theirs is accepted."""
    if participation.declined is Requirement.CONSENT:
        return True
    return is_consent_withdrawn(session, annotator_id=participation.annotator_id, terms=terms)


def decline_terms(
    session: Session, *, annotator_id: int, terms: Terms, reason: UnassignedReason, now: datetime
) -> None:
    """Record that the annotator declines what the project asks now, and release their live item there.

    `reason` is one of `RESOLVABLE_REASONS`. Doing it twice records it once; a participation that is paused, excluded or
    failed keeps its reason. Raises Stale where the project asks nothing of this kind any more.
    """
    locked = database.lock_annotator(session, annotator_id)
    participation = participations.get_or_create_participation(locked, project=terms.project, now=now)
    request = _find_request(session, annotator_id=annotator_id, terms=terms, reason=reason)
    if request is None:
        raise Stale("That is not asked any more.")
    before = (participation.declined, participation.declined_scope, participation.declined_version)
    if before == (request.requirement, request.scope, request.version):
        return
    if participation.status is not ParticipationStatus.ACTIVE:
        return
    models.PARTICIPATIONS.update(
        session,
        participation,
        declined=request.requirement,
        declined_scope=request.scope,
        declined_version=request.version,
        reason=Finding("declined", what=request.description),
    )
    withdrawal.release_live_assignments(
        session, annotator_id=annotator_id, project_id=terms.project.id, now=now, why=AssignmentEnd.BARRED
    )
    withdrawal.take_back_notices(session, annotator_id=annotator_id, now=now)
    data = {"what": request.description}
    journal.record_event(
        session, Event.DECLINED, now=now, project_id=terms.project.id, annotator_id=annotator_id, data=data
    )


def clear_declined(session: Session, participation: ParticipationRow) -> None:
    """Remove the record that the annotator declined something: they have agreed since."""
    if participation.declined is not None:
        reason = None if participation.status is ParticipationStatus.ACTIVE else participation.reason
        cleared = {"declined": None, "declined_scope": None, "declined_version": None, "reason": reason}
        models.PARTICIPATIONS.update(session, participation, **cleared)


def has_declined(session: Session, *, annotator_id: int, terms: Terms, reason: UnassignedReason) -> bool:
    """Whether the annotator declined what is asked in its current form, or withdrew their consent."""
    if reason not in RESOLVABLE_REASONS:
        return False
    if reason is UnassignedReason.CONSENT and is_consent_withdrawn(session, annotator_id=annotator_id, terms=terms):
        return True
    request = _find_request(session, annotator_id=annotator_id, terms=terms, reason=reason)
    if request is None:
        return False
    declined = select(Participation.project_id).where(
        Participation.annotator_id == annotator_id,
        Participation.declined == request.requirement,
        Participation.declined_scope == request.scope,
        Participation.declined_version == request.version,
    )
    return session.exec(declined.limit(1)).first() is not None


@dataclass(frozen=True, kw_only=True)
class _Request:
    """What is asked of the annotator, as it is stored when they decline it; `description` is the same in words."""

    requirement: Requirement
    scope: str
    version: str
    description: str


def _find_request(session: Session, *, annotator_id: int, terms: Terms, reason: UnassignedReason) -> _Request | None:
    """What is asked of the annotator now; None where nothing is asked."""
    if reason is UnassignedReason.CONSENT:
        consent = terms.consent
        if consent is None or not is_consent_missing(session, annotator_id=annotator_id, terms=terms):
            return None
        return _Request(
            requirement=Requirement.CONSENT,
            scope=consent.scope,
            version=consent.sha256,
            description=f"consent to {consent.scope} {consent.sha256[:12]}",
        )
    if reason is UnassignedReason.PROFILE:
        profile = get_profile_answers(session, annotator_id=annotator_id)
        names = ", ".join(field.name for field in list_missing_fields(terms.fields, profile))
        return (
            _Request(requirement=Requirement.PROFILE, scope="", version=names, description=f"profile {names}")
            if names
            else None
        )
    text, project = terms.definition.content_warning, terms.project.name
    if text is None:
        return None
    digest = stimulus.compute_text_digest(text)
    return _Request(
        requirement=Requirement.WARNING,
        scope=project,
        version=digest,
        description=f"warning of {project} {digest[:12]}",
    )
