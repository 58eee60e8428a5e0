"""What organisers know and decide of a person as such: who she is to them, suspension, insiders, cohorts."""

from __future__ import annotations

import difflib
from datetime import datetime

from sqlmodel import Session, select

from annotation.errors import BadInput, NotFound, Where
from annotation.store import journal
from annotation.store.models import Annotator, Cohort
from annotation.vocabulary import Event
from annotation.workflow.annotators import invitations, withdrawal


def known_as(session: Session, pseudonym: str) -> Annotator:
    """The person with this pseudonym; raises NotFound naming the nearest."""
    found = session.exec(select(Annotator).where(Annotator.pseudonym == pseudonym)).first()
    if found is None:
        close = difflib.get_close_matches(pseudonym, session.exec(select(Annotator.pseudonym)).all(), n=1)
        remedy = f"Did you mean {close[0]}?" if close else "`hromada people PROJECT` lists them."
        raise NotFound(f"Nobody has the pseudonym {pseudonym!r}.", remedy=remedy)
    return found


def suspend(session: Session, *, person: Annotator, reason: str, now: datetime) -> bool:
    """Hand out nothing more to the person, in no project; what she has in hand goes back, what she answered stays.

    False where she is suspended already; the reason is then the new one. Raises BadInput without a reason.
    """
    if not reason.strip():
        raise BadInput("Why? Somebody will ask.", where=Where(field="reason"), remedy="Give a reason.")
    fresh = person.suspended_at is None
    person.suspended_at, person.suspended_reason = person.suspended_at or now, reason.strip()
    session.add(person)
    session.flush()
    data = {"reason": person.suspended_reason}
    journal.record(session, Event.SUSPENDED, now=now, annotator_id=person.id, data=data)
    withdrawal.take_back_live(session, annotator_id=person.id or 0, now=now)
    return fresh


def unsuspend(session: Session, *, person: Annotator, now: datetime) -> bool:
    """Let a suspended person go on; False where she is not suspended."""
    if person.suspended_at is None:
        return False
    person.suspended_at = person.suspended_reason = None
    session.add(person)
    session.flush()
    journal.record(session, Event.UNSUSPENDED, now=now, annotator_id=person.id)
    return True


def set_insider(session: Session, *, person: Annotator, insider: bool, now: datetime) -> bool:
    """Mark an author of the campaign or a colleague, or take the mark away; False where it is so already."""
    if person.insider == insider:
        return False
    person.insider = insider
    session.add(person)
    session.flush()
    journal.record(session, Event.INSIDER_CHANGED, now=now, annotator_id=person.id, data={"insider": insider})
    return True


def join_cohort(session: Session, *, person: Annotator, name: str) -> bool:
    """Put a person into a cohort; False where she is in it. Raises BadInput for a name that cannot be one."""
    cohort = invitations.checked_cohort(name)
    if session.get(Cohort, (person.id, cohort)) is not None:
        return False
    session.add(Cohort(annotator_id=person.id or 0, name=cohort))
    session.flush()
    return True


def leave_cohort(session: Session, *, person: Annotator, name: str) -> bool:
    """Take a person out of a cohort; False where she is not in it."""
    found = session.get(Cohort, (person.id, name.strip()))
    if found is None:
        return False
    session.delete(found)
    session.flush()
    return True
