"""Whether there is an item for an annotator now, by the rules of assignment, without one being assigned.

Most of those who wait for items are told apart by two queries. For the others an item is assigned in a savepoint, which
is rolled back at once: with it goes all that follows from an assignment, and the lock on the annotator.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Assignment, Item, Participation
from annotation.store.models.table_model import UtcDateTime
from annotation.vocabulary import ParticipationStatus, Stage, UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.allocation import open_projects
from annotation.workflow.assignments import AssignedItem

MAX_SEARCHES = 5
"""How many times one look searches on for an item; where it has not ended then, it counts as not found."""


def find_available_title(session: Session, *, annotator_id: int, now: datetime) -> str | None:
    """The title of the project or programme in which there is an item for the annotator now; None where there is none.

    Nothing is changed. What the annotator would have to agree to first counts as no item.
    """
    open_now = open_projects.list_open_projects(session, annotator_id=annotator_id)
    wanted = [one.project for one in open_now if not one.is_full]
    possible = _list_possible_projects(session, wanted, annotator_id=annotator_id, now=now) if wanted else ()
    found = _try_to_assign(session, possible, annotator_id=annotator_id, now=now) if possible else None
    return next((one.title for one in open_now if one.project == found), None)


def _list_possible_projects(
    session: Session, project_ids: Sequence[int], *, annotator_id: int, now: datetime
) -> Sequence[int]:
    """Those of the projects that may have an item for the annotator; all others have none."""
    values = {"projects": list(project_ids), "annotator": annotator_id, "now": now}
    found = set(session.connection().execute(_POSSIBLE, values).scalars())
    return [project_id for project_id in project_ids if project_id in found]


def _try_to_assign(session: Session, project_ids: Sequence[int], *, annotator_id: int, now: datetime) -> int | None:
    """The project of the item that would be assigned; what was done to find it is undone."""
    savepoint = session.begin_nested()
    try:
        transaction = assignments.lock_annotator(session, annotator_id)
        for project_id in project_ids:
            for _ in range(MAX_SEARCHES):
                result = assignments.assign_next_item(transaction, now=now, project_id=project_id)
                if isinstance(result, AssignedItem):
                    return result.project_id
                if result.reason is not UnassignedReason.SEARCHING:
                    break
        return None
    finally:
        savepoint.rollback()
        session.expire_all()


_PROJECT = sa.column("id", sa.Integer)
_IS_OWN = sa.and_(
    col(Participation.annotator_id) == sa.bindparam("annotator"), col(Participation.project_id) == _PROJECT
)
_IS_OWN_ASSIGNMENT = sa.and_(
    col(Assignment.annotator_id) == sa.bindparam("annotator"), col(Assignment.project_id) == _PROJECT
)
_MAY_WORK = sa.and_(
    col(Participation.status) == ParticipationStatus.ACTIVE,
    sa.or_(
        col(Participation.retry_at).is_(None),
        col(Participation.retry_at) <= sa.bindparam("now", type_=UtcDateTime()),
    ),
)
_POSSIBLE = (
    sa.select(_PROJECT)
    .select_from(sa.table("project", _PROJECT))
    .where(
        _PROJECT.in_(sa.bindparam("projects", expanding=True)),
        ~sa.exists().where(_IS_OWN, sa.not_(_MAY_WORK)),
        sa.or_(
            sa.exists().where(col(Item.project_id) == _PROJECT, sa.text("item.free > 0")),
            sa.exists().where(_IS_OWN, col(Participation.stage) != Stage.MAIN),
            sa.exists().where(_IS_OWN_ASSIGNMENT, sa.text("assignment.status IN ('live', 'expired')")),
            sa.exists().where(_IS_OWN_ASSIGNMENT, sa.text("assignment.repeat_at IS NOT NULL")),
            sa.exists().where(
                col(Assignment.project_id) == _PROJECT,
                sa.text("assignment.status = 'live'"),
                col(Assignment.lease_until) < sa.bindparam("now", type_=UtcDateTime()),
            ),
        ),
    )
)
"""The query for the projects that may have an item for the annotator.

They take part there or can, and there is a free place, a lease that is over, an item that they had before, or a stage
before the main one, whose items have no places.
"""
