"""Declining: a person need not agree to what a project asks before its items; she goes on with the others then.

What was declined stands as the reason beside her participation, by what it was: a consent by its scope and text, so
that it is declined in every project of the scope; the fields of a profile by their names; a warning by its project and
text. A text that reads otherwise, or other fields, are asked for again. She may agree to it later all the same.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, select

from annotation.campaigns import stimulus
from annotation.errors import Stale
from annotation.store import journal
from annotation.store.models import Annotator, Participation
from annotation.vocabulary import DECLINED, Event, Hindrance, ParticipationStatus
from annotation.workflow import participations
from annotation.workflow.annotators import consents, profiles, withdrawal
from annotation.workflow.annotators.terms import Terms

HERS = {Hindrance.CONSENT, Hindrance.PROFILE, Hindrance.WARNING}
"""What a person can do something about at once, or decline."""


def decline(session: Session, *, annotator_id: int, terms: Terms, what: Hindrance, now: datetime) -> None:
    """Note that the person does not agree to what the project asks of her now; what she has in hand goes back.

    The same tap twice notes it once; whoever may not go on for another reason keeps that. Raises Stale where nothing of
    the kind is asked.
    """
    session.get(Annotator, annotator_id, with_for_update=True)
    standing = participations.enter(session, annotator_id=annotator_id, project=terms.project, now=now)
    words = _words(session, annotator_id=annotator_id, terms=terms, what=what)
    if words is None:
        raise Stale("That is not asked any more.")
    if standing.reason == words or standing.status is not ParticipationStatus.ACTIVE:
        return
    standing.reason = words
    session.add(standing)
    session.flush()
    withdrawal.take_back_live(session, annotator_id=annotator_id, project_id=terms.project.id, now=now)
    data = {"what": words.removeprefix(DECLINED)}
    journal.record(session, Event.DECLINED, now=now, project_id=terms.project.id, annotator_id=annotator_id, data=data)


def declined(session: Session, *, annotator_id: int, terms: Terms, what: Hindrance) -> bool:
    """Whether the person has declined what is asked of her, as it is asked now, or has taken her consent back."""
    if what not in HERS:
        return False
    if what is Hindrance.CONSENT and consents.taken_back(session, annotator_id=annotator_id, terms=terms):
        return True
    words = _words(session, annotator_id=annotator_id, terms=terms, what=what)
    hers = select(Participation.reason).where(Participation.annotator_id == annotator_id, Participation.reason == words)
    return words is not None and session.exec(hers.limit(1)).first() is not None


def refuses_consent(standing: Participation) -> bool:
    """Whether the person has declined the consent of this project, and answers nothing here."""
    return (standing.reason or "").startswith(f"{DECLINED}consent")


def forget(standing: Participation) -> None:
    """She has agreed: nothing stands in her way."""
    if (standing.reason or "").startswith(DECLINED):
        standing.reason = None


def _words(session: Session, *, annotator_id: int, terms: Terms, what: Hindrance) -> str | None:
    """What is asked of the person, as the reason names it; None where it is not asked."""
    if what is Hindrance.CONSENT:
        asked = consents.asked(session, annotator_id=annotator_id, terms=terms)
        return None if asked is None else f"{DECLINED}consent to {asked.agreement.scope} {asked.agreement.sha256[:12]}"
    if what is Hindrance.PROFILE:
        given = profiles.answers(session, annotator_id=annotator_id)
        names = [field.name for field in profiles.missing(terms.fields, given)]
        return f"{DECLINED}profile {', '.join(names)}" if names else None
    text = terms.definition.content_warning
    return None if text is None else f"{DECLINED}warning of {terms.project.name} {stimulus.text_digest(text)[:12]}"
