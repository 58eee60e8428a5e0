"""Tasks of items that were fixed since: what still counts is shown as it reads now, what would not count is taken away.

Only tasks that nobody answered are touched; both requests may be sent again without harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.project import ProjectFile
from annotation.errors import NotFound
from annotation.label_studio.client import Client
from annotation.label_studio.sync import task_upload
from annotation.store.database import Database
from annotation.store.models import Assignment, DeskTask, Item, Judgement
from annotation.vocabulary import AssignmentStatus


def renew(database: Database, client: Client, definition: ProjectFile, *, desk_id: int) -> int:
    """Bring the unanswered tasks of a desk up to their items; how many were changed or taken away there."""
    with database.reading() as session:
        found = _outdated(session, desk_id)
    for assignment_id, remote_id, status in found:
        if status is AssignmentStatus.LIVE:
            _show_anew(database, client, definition, assignment_id, remote_id)
        else:
            _take_away(database, client, assignment_id, remote_id)
    return len(found)


def _outdated(session: Session, desk_id: int) -> Sequence[tuple[int, int, AssignmentStatus]]:
    """Assignment, task and status: live ones after a cosmetic fix, and those that a substantive one ended."""
    answered = select(Judgement.id).where(col(Judgement.assignment_id) == col(Assignment.id)).exists()
    live = sa.and_(col(Assignment.status) == AssignmentStatus.LIVE, col(Assignment.item_revision) != col(Item.revision))
    chosen = (
        select(DeskTask.assignment_id, DeskTask.remote_id, Assignment.status)
        .join(Assignment, col(Assignment.id) == col(DeskTask.assignment_id))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(DeskTask.desk_id == desk_id, col(DeskTask.remote_id).is_not(None), ~answered)
        .where(sa.or_(live, col(Assignment.status) == AssignmentStatus.SKIPPED))
    )
    return [
        (one, there, AssignmentStatus(status))
        for one, there, status in session.exec(chosen.order_by(col(DeskTask.assignment_id)))
        if there is not None
    ]


def _show_anew(database: Database, client: Client, definition: ProjectFile, assignment_id: int, remote_id: int) -> None:
    """What she sees becomes the item's present form; then her answer will be to that one."""
    with database.reading() as session:
        (task,) = task_upload.built(session, definition, [assignment_id])
        item = session.exec(select(Item).join(Assignment).where(Assignment.id == assignment_id)).one()
        seen = {"item_revision": item.revision, "stimulus_sha256": item.stimulus_sha256}
    try:
        client.change_task(remote_id, task)
    except NotFound:
        return
    with database.transaction() as session:
        mine = sa.update(Assignment).where(
            col(Assignment.id) == assignment_id, col(Assignment.status) == AssignmentStatus.LIVE
        )
        session.connection().execute(mine.values(**seen))


def _take_away(database: Database, client: Client, assignment_id: int, remote_id: int) -> None:
    """Nobody works in vain; what was answered there meanwhile is left for the pull."""
    if client.answered(remote_id):
        return
    with suppress(NotFound):
        client.remove_task(remote_id)
    with database.transaction() as session:
        session.connection().execute(sa.delete(DeskTask).where(col(DeskTask.assignment_id) == assignment_id))
