"""The people of a project as organisers see them in the chat: how much they answered, when, and what they have in hand.

Nothing here tells how well anybody answers: a baseline is blind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Stale
from annotation.store import judgements
from annotation.store.models import Annotator, Assignment, Item, Judgement, Participation
from annotation.vocabulary import AssignmentStatus, ParticipationStatus, Surface

PAGE = 8
"""How many people stand on one card."""
MOST_TIMED = 500
"""From how many of the last answers the median time is taken."""


@dataclass(frozen=True, kw_only=True)
class ListedAnnotator:
    """A line of the list: the annotator, how many items they finished in the project, and when they were last there."""

    annotator_id: int
    pseudonym: str
    finished: int
    last_at: datetime | None
    status: ParticipationStatus
    is_suspended: bool


@dataclass(frozen=True, kw_only=True)
class AnnotatorDetails:
    """An annotator in a project: also the items skipped, the median seconds of an answer, and the items in hand.

    `in_hand` are external ids of items in Telegram, `in_batch` is how many wait in Label Studio. `suspended_reason` is
    set while they are suspended.
    """

    listed: ListedAnnotator
    skipped: int
    median_seconds: float | None
    in_hand: tuple[str, ...]
    in_batch: int
    suspended_reason: str | None
    is_gone: bool


def list_people(session: Session, *, project_id: int, page: int) -> tuple[Sequence[ListedAnnotator], int]:
    """A page of the project's people, from 0, those who were there last first; and how many people there are."""
    total = session.exec(select(func.count()).where(Participation.project_id == project_id)).one()
    rows = session.execute(
        _select_people(project_id)
        .order_by(col(Participation.last_at).desc().nulls_last(), col(Annotator.id))
        .offset(page * PAGE)
        .limit(PAGE)
    )
    return [_describe_row(row) for row in rows], total


def get_person(session: Session, *, project_id: int, annotator_id: int) -> AnnotatorDetails:
    """One annotator of the project; raises Stale where they do not take part in it."""
    row = session.execute(_select_people(project_id).where(col(Annotator.id) == annotator_id)).one_or_none()
    if row is None:
        raise Stale("There is nobody like that.")
    of_person = (col(Assignment.project_id) == project_id, col(Assignment.annotator_id) == annotator_id)
    answers = (
        sa.select(judgements.build_known_seconds(), col(Judgement.skip_reason))
        .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
        .where(*of_person, col(Judgement.revision) == 0)
    )
    given = session.execute(answers.order_by(col(Judgement.id).desc()).limit(MOST_TIMED)).all()
    times = [seconds for seconds, skip_reason in given if seconds is not None and skip_reason is None]
    live = (*of_person, Assignment.status == AssignmentStatus.LIVE)
    in_hand = select(Item.external_id).join(Assignment, col(Assignment.item_id) == col(Item.id))
    in_hand = in_hand.where(*live, Assignment.surface != Surface.LABEL_STUDIO)
    in_batch = select(func.count()).select_from(Assignment).where(*live, Assignment.surface == Surface.LABEL_STUDIO)
    skipped = answers.where(col(Judgement.skip_reason).is_not(None)).subquery()
    annotator = session.get_one(Annotator, annotator_id)
    return AnnotatorDetails(
        listed=_describe_row(row),
        skipped=session.exec(select(func.count()).select_from(skipped)).one(),
        median_seconds=median(times) if times else None,
        in_hand=tuple(session.exec(in_hand.order_by(col(Item.external_id))).all()),
        in_batch=session.exec(in_batch).one(),
        suspended_reason=annotator.suspended_reason,
        is_gone=annotator.forgotten_at is not None,
    )


def _select_people(project_id: int) -> sa.Select[tuple[object, ...]]:
    finished = (
        sa.select(sa.func.count())
        .where(
            col(Assignment.project_id) == project_id,
            col(Assignment.annotator_id) == col(Annotator.id),
            col(Assignment.status) == AssignmentStatus.DONE,
        )
        .scalar_subquery()
    )
    return (
        sa.select(
            col(Annotator.id),
            col(Annotator.pseudonym),
            finished.label("finished"),
            col(Participation.last_at),
            col(Participation.status),
            col(Annotator.suspended_at),
        )
        .select_from(Annotator)
        .join(Participation, col(Participation.annotator_id) == col(Annotator.id))
        .where(col(Participation.project_id) == project_id)
    )


def _describe_row(row: sa.Row[tuple[object, ...]]) -> ListedAnnotator:
    return ListedAnnotator(
        annotator_id=row.id,
        pseudonym=row.pseudonym,
        finished=row.finished,
        last_at=row.last_at,
        status=ParticipationStatus(row.status),
        is_suspended=row.suspended_at is not None,
    )
