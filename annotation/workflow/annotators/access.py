"""What hinders a person in a project before any item is looked for."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.campaigns.project import ProjectFile
from annotation.store.models import Annotator, Participation, Project
from annotation.vocabulary import Hindrance, ParticipationStatus
from annotation.workflow.annotators import (
    admission,
    consents,
    content_warnings,
    declining,
    invitations,
    profiles,
    terms,
)
from annotation.workflow.annotators.terms import Terms
from annotation.workflow.waiting import Waiting

_STATUS = {
    ParticipationStatus.PAUSED: Hindrance.PAUSED,
    ParticipationStatus.EXCLUDED: Hindrance.EXCLUDED,
    ParticipationStatus.FAILED: Hindrance.FAILED,
}


def hindrance(
    session: Session,
    *,
    person: Annotator,
    project: Project,
    definition: ProjectFile,
    participation: Participation | None,
    now: datetime,
    known: Terms | None = None,
) -> Waiting | None:
    """What keeps the person from the project's items now, the first of these; None where nothing does.

    Suspended; withdrawn; not invited; consent; profile; not admitted; paused, excluded or failed; cooling down; content
    warning. `participation` is None before her first step into the project. Invitation and admission are decided
    before her first item and not asked again after it. What she can do something about is `declined` where she does not
    want to, or may not go on all the same. `known` are the terms, where they were read already.
    """
    if person.suspended_at is not None:
        return Waiting(reason=Hindrance.SUSPENDED)
    left = participation is not None and participation.status == ParticipationStatus.WITHDRAWN
    if left or person.forgotten_at is not None:
        return Waiting(reason=Hindrance.WITHDRAWN, project=project.name)
    fresh = participation is None or participation.shown == 0
    found = known or terms.of(session, project=project, definition=definition)
    reason = _of_terms(session, person=person, terms=found, fresh=fresh)
    if reason is None and participation is not None:
        reason = _STATUS.get(participation.status)
    retry_at = participation.retry_at if participation else None
    if reason is None and retry_at is not None and retry_at > now:
        return Waiting(reason=Hindrance.COOL_DOWN, project=project.name, until=retry_at)
    if reason is None and content_warnings.missing(definition, participation):
        reason = Hindrance.WARNING
    if reason is None:
        return None
    refuses = declining.declined(session, annotator_id=person.id or 0, terms=found, what=reason)
    barred = participation is not None and participation.status in _STATUS
    return Waiting(reason=reason, project=project.name, declined=reason in declining.HERS and (refuses or barred))


def _of_terms(session: Session, *, person: Annotator, terms: Terms, fresh: bool) -> Hindrance | None:
    annotator_id = person.id or 0
    if fresh and not invitations.lets_in(session, annotator_id=annotator_id, terms=terms):
        return Hindrance.NOT_ADMITTED
    if consents.missing(session, annotator_id=annotator_id, terms=terms):
        return Hindrance.CONSENT
    given = profiles.answers(session, annotator_id=annotator_id) if terms.fields or terms.admissions else {}
    if profiles.missing(terms.fields, given):
        return Hindrance.PROFILE
    if fresh and admission.refused(session, person=person, terms=terms, profile=given) is not None:
        return Hindrance.NOT_ADMITTED
    return None
