"""Leaving: places in hand given back, and a person's withdrawal from a project, with all her answers there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import NotFound
from annotation.store import journal, overlap_counts
from annotation.store.models import Annotator, Assignment, Judgement, Participation, Project
from annotation.vocabulary import ABSTAINED, AssignmentStatus, Event, ParticipationStatus
from annotation.workflow import participations

WITHDRAWN = "withdrawn by the annotator"
"""Why the answers of whoever withdrew do not count."""


@dataclass(frozen=True, kw_only=True)
class Left:
    """What a withdrawal changed: answers that count no more, places that are free again."""

    answers: int = 0
    places: int = 0


def take_back_live(session: Session, *, annotator_id: int, now: datetime, project_id: int | None = None) -> int:
    """End what the person has in hand, of that project if one is named, as if its lease were over; how many items."""
    chosen = select(Assignment).where(
        Assignment.annotator_id == annotator_id, Assignment.status == AssignmentStatus.LIVE
    )
    if project_id is not None:
        chosen = chosen.where(Assignment.project_id == project_id)
    found = session.exec(chosen.order_by(col(Assignment.item_id)).with_for_update()).all()
    for assignment in found:
        if assignment.holds:
            overlap_counts.give_back(session, item_id=assignment.item_id, done=False, now=now)
        assignment.status, assignment.holds = AssignmentStatus.EXPIRED, False
    session.add_all(found)
    session.flush()
    session.expire_all()
    return len(found)


def withdraw(session: Session, *, annotator_id: int, project: Project, now: datetime) -> Left:
    """Take a person out of a project for good: none of her answers counts, her places are free for others.

    An answer that was excluded for another reason keeps that. A second withdrawal changes nothing. Raises NotFound for
    whoever takes no part in the project.
    """
    session.get(Annotator, annotator_id, with_for_update=True)
    participation = participations.of(session, annotator_id=annotator_id, project_id=project.id or 0)
    if participation is None:
        raise NotFound(
            f"This person takes no part in {project.name}.", remedy="`hromada people PROJECT` lists who does."
        )
    if participation.status == ParticipationStatus.WITHDRAWN:
        return Left()
    left = take_out(session, annotator_id=annotator_id, project_id=project.id or 0, now=now)
    data = {"answers": left.answers, "places": left.places}
    journal.record(session, Event.PERSON_WITHDREW, now=now, project_id=project.id, annotator_id=annotator_id, data=data)
    return left


def take_out(session: Session, *, annotator_id: int, project_id: int, now: datetime) -> Left:
    """End the person's participation, assignments and answers in a project, without a word in the journal."""
    session.flush()
    hers = (col(Assignment.annotator_id) == annotator_id, col(Assignment.project_id) == project_id)
    holding = sa.select(col(Assignment.item_id), col(Assignment.status)).where(*hers, col(Assignment.holds))
    places = session.connection().execute(holding.order_by(col(Assignment.item_id)).with_for_update()).all()
    for item_id, status in places:
        overlap_counts.give_back(session, item_id=item_id, done=status == AssignmentStatus.DONE, now=now)
    answers = _exclude(session, hers)
    ending = sa.update(Assignment).where(
        *hers, col(Assignment.status).in_((AssignmentStatus.LIVE, AssignmentStatus.DONE))
    )
    ended = ending.values(status=AssignmentStatus.WITHDRAWN, holds=False, open_revision=None)
    session.connection().execute(ended)
    ended_row = sa.update(Participation).where(
        col(Participation.annotator_id) == annotator_id, col(Participation.project_id) == project_id
    )
    session.connection().execute(
        ended_row.values(status=ParticipationStatus.WITHDRAWN, reason=WITHDRAWN, since=now, retry_at=None)
    )
    session.expire_all()
    return Left(answers=answers, places=len(places))


def _exclude(session: Session, hers: tuple[sa.ColumnElement[bool], ...]) -> int:
    """Give every revision that no other reason excluded this one; how many answers that were."""
    counting = sa.or_(col(Judgement.excluded_reason).is_(None), col(Judgement.excluded_reason) == ABSTAINED)
    of_her = col(Judgement.assignment_id).in_(sa.select(col(Assignment.id)).where(*hers))
    number: sa.Select[Any] = sa.select(sa.func.count(sa.distinct(col(Judgement.assignment_id)))).where(of_her, counting)
    found = session.connection().execute(number).scalar_one()
    session.connection().execute(sa.update(Judgement).where(of_her, counting).values(excluded_reason=WITHDRAWN))
    return int(found)
