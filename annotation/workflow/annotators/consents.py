"""Consent: the text that a person agrees to before anything else, with its version and hash.

She is asked again where the text differs from every one that she agreed to, for this project or programme, and has not
taken back: a version that only has another name asks nobody, nor does the return to an earlier text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Stale
from annotation.store import journal
from annotation.store.models import Annotator, Consent, Participation, Wording
from annotation.vocabulary import DECLINED, Event, WordingKind
from annotation.workflow.annotators import withdrawal
from annotation.workflow.annotators.terms import Agreement, Terms


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
    """Whether the person has yet to agree to the text that holds now."""
    agreement = terms.agreement
    if agreement is None:
        return False
    found = _given(session, annotator_id=annotator_id, agreement=agreement)
    return found is None or found.withdrawn_at is not None


def taken_back(session: Session, *, annotator_id: int, terms: Terms) -> bool:
    """Whether the person had agreed to the text that holds now, and does no more."""
    agreement = terms.agreement
    found = None if agreement is None else _given(session, annotator_id=annotator_id, agreement=agreement)
    return found is not None and found.withdrawn_at is not None


def agree(
    session: Session, *, annotator_id: int, terms: Terms, sha256: str, now: datetime, how: str | None = None
) -> Consent:
    """Note that the person agreed to the text with this hash; the same tap twice notes it once.

    `how` is told to the journal where she agreed elsewhere than here.
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
    _no_more_declined(session, annotator_id=annotator_id, scope=agreement.scope)
    data = {"scope": agreement.scope, "version": agreement.version, "sha256": agreement.sha256}
    data |= {} if how is None else {"how": how}
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
    withdrawal.take_back_live(session, annotator_id=annotator_id, now=now)
    journal.record(session, Event.CONSENT_WITHDRAWN, now=now, annotator_id=annotator_id, data={"scope": scope})
    return True


def _no_more_declined(session: Session, *, annotator_id: int, scope: str) -> None:
    mine = sa.update(Participation).where(
        col(Participation.annotator_id) == annotator_id,
        col(Participation.reason).startswith(f"{DECLINED}consent to {scope} ", autoescape=True),
    )
    session.connection().execute(mine.values(reason=None))
    session.expire_all()


def _given(session: Session, *, annotator_id: int, agreement: Agreement) -> Consent | None:
    """Her agreement to this very text, whatever its version is called; one that stands before one taken back."""
    hers = select(Consent).where(
        Consent.annotator_id == annotator_id, Consent.scope == agreement.scope, Consent.sha256 == agreement.sha256
    )
    return session.exec(hers.order_by(col(Consent.withdrawn_at).is_not(None), col(Consent.id).desc()).limit(1)).first()
