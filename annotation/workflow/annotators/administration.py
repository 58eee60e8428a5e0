"""What organisers do with annotators in all projects at once: look up, suspend, mark as team member, cohorts."""

from __future__ import annotations

import difflib
from datetime import datetime

from sqlmodel import Session, select

from aggregation import spelling
from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.store import journal
from annotation.store.models import Annotator, Cohort, Project
from annotation.vocabulary import Event
from annotation.workflow.annotators import invitations, withdrawal
from annotation.workflow.annotators.withdrawal import ReleasedCounts


def get_annotator(session: Session, pseudonym: str) -> Annotator:
    """The annotator with this pseudonym; raises NotFound naming the most similar one."""
    annotator = session.exec(select(Annotator).where(Annotator.pseudonym == spelling.build_key(pseudonym))).first()
    if annotator is None:
        similar = difflib.get_close_matches(pseudonym, session.exec(select(Annotator.pseudonym)).all(), n=1)
        remedy = f"Did you mean {similar[0]}?" if similar else "`hromada people PROJECT` lists them."
        raise NotFound(f"Nobody has the pseudonym {spelling.quote_word(pseudonym)}.", remedy=remedy)
    return annotator


def suspend_annotator(session: Session, *, annotator: Annotator, reason: str, now: datetime) -> bool:
    """Assign nothing more to the annotator in any project and end their live assignments; their answers stay.

    False where they were suspended already; the new reason replaces the old one. Raises BadInput for an empty reason.
    """
    if not reason.strip():
        raise BadInput("Why? Somebody will ask.", where=Where(field="reason"), remedy="Give a reason.")
    newly_suspended = annotator.suspended_at is None
    annotator.suspended_at, annotator.suspended_reason = annotator.suspended_at or now, reason.strip()
    session.add(annotator)
    session.flush()
    data = {"reason": annotator.suspended_reason}
    journal.record_event(session, Event.SUSPENDED, now=now, annotator_id=annotator.id, data=data)
    withdrawal.release_live_assignments(session, annotator_id=annotator.id or 0, now=now)
    withdrawal.take_back_notices(session, annotator_id=annotator.id or 0, now=now)
    return newly_suspended


def unsuspend_annotator(session: Session, *, annotator: Annotator, now: datetime) -> bool:
    """End a suspension; False where the annotator is not suspended."""
    if annotator.suspended_at is None:
        return False
    annotator.suspended_at = annotator.suspended_reason = None
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.UNSUSPENDED, now=now, annotator_id=annotator.id)
    return True


def release_items(session: Session, *, annotator: Annotator, project: Project, now: datetime) -> ReleasedCounts:
    """Take back what an annotator has in hand in a project, in Telegram and in Label Studio, so that others get it.

    Raises Conflict where that is nothing.
    """
    released = withdrawal.release_live_assignments(
        session, annotator_id=annotator.id or 0, project_id=project.id, now=now
    )
    if not (released.telegram or released.label_studio):
        raise Conflict(
            f"{annotator.pseudonym} has nothing in hand in {project.name}.", remedy="There is nothing to do."
        )
    return released


def set_team_member(session: Session, *, annotator: Annotator, team_member: bool, now: datetime) -> bool:
    """Mark an annotator as a member of the organisers' team, or remove the mark; False where nothing changes.

    Everything is also scored without the answers of team members.
    """
    if annotator.insider == team_member:
        return False
    annotator.insider = team_member
    session.add(annotator)
    session.flush()
    journal.record_event(
        session, Event.TEAM_MEMBER_CHANGED, now=now, annotator_id=annotator.id, data={"insider": team_member}
    )
    return True


def join_cohort(session: Session, *, annotator: Annotator, name: str) -> bool:
    """Add an annotator to a cohort; False where they are in it. Raises BadInput for an empty or too long name."""
    cohort_name = invitations.parse_cohort_name(name)
    if session.get(Cohort, (annotator.id, cohort_name)) is not None:
        return False
    session.add(Cohort(annotator_id=annotator.id or 0, name=cohort_name))
    session.flush()
    return True


def leave_cohort(session: Session, *, annotator: Annotator, name: str) -> bool:
    """Remove an annotator from a cohort; False where they are not in it."""
    membership = session.get(Cohort, (annotator.id, name.strip()))
    if membership is None:
        return False
    session.delete(membership)
    session.flush()
    return True
