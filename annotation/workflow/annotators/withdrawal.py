"""Withdrawal of an annotator from a project with all their answers, and release of live assignments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation.findings import Finding
from annotation.errors import Conflict, NotFound, Where
from annotation.store import database, journal, judgements, models, notices, overlap_counts, table_base
from annotation.store.models import (
    Annotator,
    Assignment,
    AssignmentRow,
    Judgement,
    Participation,
    ParticipationRow,
    ProjectRow,
)
from annotation.vocabulary import (
    SAME_PERSON,
    AssignmentEnd,
    AssignmentStatus,
    Event,
    Exclusion,
    ExclusionKind,
    ParticipationStatus,
    Surface,
)
from annotation.workflow import participations

WITHDRAWN = Exclusion(ExclusionKind.WITHDRAWN, Finding("withdrawn"))
"""The exclusion of answers of annotators who withdrew."""
DETACHED = "These answers are detached: nobody can be found behind them, and nobody can ask for this."
"""Why nothing is done to answers of people who are detached."""
PRESENT = (ParticipationStatus.ACTIVE, ParticipationStatus.PAUSED)
"""Whoever has one of these standings in a project takes part in it."""


@dataclass(frozen=True, kw_only=True)
class WithdrawalCounts:
    """What a withdrawal changed: how many answers were excluded, how many places of items were released."""

    answers: int = 0
    places: int = 0


@dataclass(frozen=True, kw_only=True)
class ReleasedCounts:
    """How many live assignments were released: in Telegram, and in batches in Label Studio."""

    telegram: int = 0
    label_studio: int = 0


def release_live_assignments(
    session: Session,
    *,
    annotator_id: int,
    now: datetime,
    why: AssignmentEnd,
    surface: Surface | None = None,
    project_id: int | None = None,
    item_ids: Collection[int] | None = None,
) -> ReleasedCounts:
    """Expire the annotator's live assignments, in all projects or in one, of all items or of some; how many they were.

    With `surface` only those there are expired. Their ends are recorded, with `why`. Their leases end now. Those of
    `item_ids` have none from now on: the annotator gets such an item again only where somebody names both of them.
    """
    live = models.ASSIGNMENTS.select.where(
        col(Assignment.annotator_id) == annotator_id, col(Assignment.status) == AssignmentStatus.LIVE
    )
    if project_id is not None:
        live = live.where(col(Assignment.project_id) == project_id)
    if surface is not None:
        live = live.where(col(Assignment.surface) == surface)
    if item_ids is not None:
        live = live.where(col(Assignment.item_id).in_(item_ids))
    assignments = models.ASSIGNMENTS.list(session, live.order_by(col(Assignment.item_id)).with_for_update())
    journal.record_assignment_ends(session, assignments, why=why, now=now)
    for assignment in assignments:
        if assignment.holds_place:
            overlap_counts.release_place(session, item_id=assignment.item_id, done=False, now=now)
        ended = None if item_ids is not None else min(assignment.lease_until or now, now)
        models.ASSIGNMENTS.update(
            session, assignment, status=AssignmentStatus.EXPIRED, holds_place=False, lease_until=ended
        )
    in_batches = sum(assignment.surface is Surface.LABEL_STUDIO for assignment in assignments)
    session.expire_all()
    return ReleasedCounts(telegram=len(assignments) - in_batches, label_studio=in_batches)


def withdraw_annotator(session: Session, *, annotator_id: int, project: ProjectRow, now: datetime) -> WithdrawalCounts:
    """Withdraw an annotator from a project for good: their answers are excluded, their places released for others.

    An answer that was excluded for another reason keeps that. A second withdrawal changes nothing. Raises NotFound for
    an annotator who does not take part in the project.
    """
    locked = database.lock_annotator(session, annotator_id)
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if participation is None:
        raise NotFound(
            f"This annotator takes no part in {project.name}.", remedy="`hromada people PROJECT` lists who does."
        )
    if participation.status == ParticipationStatus.WITHDRAWN:
        return WithdrawalCounts()
    if locked.annotator.detached:
        raise Conflict(DETACHED, where=Where(field="pseudonym"))
    counts = end_participation(session, annotator_id=annotator_id, project_id=project.id or 0, now=now)
    data = {"answers": counts.answers, "places": counts.places}
    journal.record_event(
        session, Event.ANNOTATOR_WITHDREW, now=now, project_id=project.id, annotator_id=annotator_id, data=data
    )
    return counts


def explain_closing(assignment: AssignmentRow, participation: ParticipationRow | None) -> Exclusion | None:
    """Why the answer to an assignment that was closed for good does not count; None where the assignment says so.

    Its annotator withdrew, or two accounts of the same person were united (`united_accounts`).
    """
    if participation is not None and participation.status is ParticipationStatus.WITHDRAWN:
        return WITHDRAWN
    return None if assignment.exposed else SAME_PERSON


def end_participation(session: Session, *, annotator_id: int, project_id: int, now: datetime) -> WithdrawalCounts:
    """End the annotator's participation, assignments and answers in a project, without a journal entry."""
    session.flush()
    of_annotator = (col(Assignment.annotator_id) == annotator_id, col(Assignment.project_id) == project_id)
    holding = sa.select(col(Assignment.item_id), col(Assignment.status)).where(
        *of_annotator, col(Assignment.holds_place)
    )
    places = session.connection().execute(holding.order_by(col(Assignment.item_id)).with_for_update()).all()
    for item_id, status in places:
        overlap_counts.release_place(session, item_id=item_id, done=status == AssignmentStatus.DONE, now=now)
    answers = _exclude_answers(session, of_annotator)
    live = models.ASSIGNMENTS.select.where(*of_annotator, col(Assignment.status) == AssignmentStatus.LIVE)
    in_hand = models.ASSIGNMENTS.list(session, live)
    journal.record_assignment_ends(session, in_hand, why=AssignmentEnd.WITHDRAWN, now=now)
    unended = sa.update(Assignment).where(
        *of_annotator, col(Assignment.status).in_((AssignmentStatus.LIVE, AssignmentStatus.DONE))
    )
    withdrawn = unended.values(status=AssignmentStatus.WITHDRAWN, holds_place=False, open_revision=None)
    session.connection().execute(withdrawn)
    own_participation = sa.update(Participation).where(
        col(Participation.annotator_id) == annotator_id, col(Participation.project_id) == project_id
    )
    ended = own_participation.values(
        status=ParticipationStatus.WITHDRAWN, reason=WITHDRAWN.reason, since=now, retry_at=None
    )
    session.connection().execute(ended.values(declined=None, declined_scope=None, declined_version=None))
    take_back_notices(session, annotator_id=annotator_id, now=now)
    session.expire_all()
    return WithdrawalCounts(answers=answers, places=len(places))


def take_back_notices(session: Session, *, annotator_id: int, now: datetime) -> None:
    """Take back unsent messages that the annotator did not ask for now; those that are still right are stored anew.

    Nothing is to be sent any more to whoever was suspended or has left everything.
    """
    present = select(Participation.project_id).where(
        Participation.annotator_id == annotator_id, col(Participation.status).in_(PRESENT)
    )
    telegram_id, suspended_at, project_id = session.exec(
        select(Annotator.telegram_id, Annotator.suspended_at, present.limit(1).scalar_subquery()).where(
            Annotator.id == annotator_id
        )
    ).one()
    if telegram_id is None:
        return
    notices.take_back_notices(session, telegram_id=telegram_id, now=now)
    if suspended_at is not None or project_id is None:
        notices.end_wishes(session, telegram_id=telegram_id)


def _exclude_answers(session: Session, of_annotator: tuple[sa.ColumnElement[bool], ...]) -> int:
    """Exclude every revision that no other reason excludes, and return of how many assignments they were."""
    counting = judgements.build_stored_kind_condition(None, ExclusionKind.ABSTAINED)
    own_judgements = col(Judgement.assignment_id).in_(sa.select(col(Assignment.id)).where(*of_annotator))
    number: sa.Select[Any] = sa.select(sa.func.count(sa.distinct(col(Judgement.assignment_id)))).where(
        own_judgements, counting
    )
    count = session.connection().execute(number).scalar_one()
    withdrawn = sa.update(Judgement).where(own_judgements, counting)
    session.connection().execute(withdrawn.values(table_base.list_exclusion_values(WITHDRAWN)))
    return int(count)
