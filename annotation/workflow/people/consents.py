"""Consent: the text that a person agrees to before anything else, with its version and hash; a new one asks again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Stale
from annotation.store import journal
from annotation.store.models import Annotator, Consent, Wording
from annotation.vocabulary import Event, WordingKind
from annotation.workflow.people import leaving
from annotation.workflow.people.terms import Agreement, Terms


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a person is asked to agree to."""

    agreement: Agreement
    text: str


def asked(session: Session, *, annotator_id: int, terms: Terms) -> Asked | None:
    """The text that this person has yet to agree to; None where nothing is asked, or she has."""
    if not missing(session, annotator_id=annotator_id, terms=terms) or terms.agreement is None:
        return None
    wording = session.get_one(Wording, (terms.agreement.sha256, WordingKind.CONSENT))
    return Asked(agreement=terms.agreement, text=wording.text)


def missing(session: Session, *, annotator_id: int, terms: Terms) -> bool:
    """Whether the person has yet to agree to the version that holds now."""
    agreement = terms.agreement
    if agreement is None:
        return False
    found = _given(session, annotator_id=annotator_id, agreement=agreement)
    return found is None or found.withdrawn_at is not None


def taken_back(session: Session, *, annotator_id: int, terms: Terms) -> bool:
    """Whether the person had agreed to the version that holds now, and does no more."""
    agreement = terms.agreement
    found = None if agreement is None else _given(session, annotator_id=annotator_id, agreement=agreement)
    return found is not None and found.withdrawn_at is not None


def agree(session: Session, *, annotator_id: int, terms: Terms, sha256: str, now: datetime) -> Consent:
    """Note that the person agreed to the text with this hash; the same tap twice notes it once.

    Raises Stale where that is not the text that holds now.
    """
    agreement = terms.agreement
    if agreement is None or agreement.sha256 != sha256:
        raise Stale("This text is out of date; read the new one.")
    session.get(Annotator, annotator_id, with_for_update=True)  # two taps at once come one after the other
    found = _given(session, annotator_id=annotator_id, agreement=agreement)
    if found is not None and found.withdrawn_at is None:
        return found
    if found is None:
        found = Consent(
            annotator_id=annotator_id,
            scope=agreement.scope,
            version=agreement.version,
            sha256=agreement.sha256,
            at=now,
        )
    found.at, found.withdrawn_at = now, None
    session.add(found)
    session.flush()
    data = {"scope": agreement.scope, "version": agreement.version, "sha256": agreement.sha256}
    journal.record(session, Event.CONSENT_GIVEN, now=now, annotator_id=annotator_id, data=data)
    return found


def withdraw(session: Session, *, annotator_id: int, scope: str, now: datetime) -> bool:
    """Take back every consent of a scope: nothing more is asked of the person there until she agrees again.

    What she has in hand goes back.
    What she answered under it stays; `leaving.withdraw` takes the answers out. False where there was no consent.
    """
    standing = sa.update(Consent).where(
        col(Consent.annotator_id) == annotator_id, col(Consent.scope) == scope, col(Consent.withdrawn_at).is_(None)
    )
    if session.connection().execute(standing.values(withdrawn_at=now)).rowcount == 0:
        return False
    session.expire_all()
    leaving.take_back_live(session, annotator_id=annotator_id, now=now)
    journal.record(session, Event.CONSENT_WITHDRAWN, now=now, annotator_id=annotator_id, data={"scope": scope})
    return True


def _given(session: Session, *, annotator_id: int, agreement: Agreement) -> Consent | None:
    return session.exec(
        select(Consent).where(
            Consent.annotator_id == annotator_id,
            Consent.scope == agreement.scope,
            Consent.version == agreement.version,
            Consent.sha256 == agreement.sha256,
        )
    ).first()
