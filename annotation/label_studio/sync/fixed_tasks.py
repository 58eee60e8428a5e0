"""Tasks of items that were fixed: the text of a valid task is updated, a task whose answer would not count is deleted.

Only tasks that nobody answered are touched; both requests can be repeated without harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import NotFound
from annotation.label_studio.client import Client
from annotation.label_studio.sync import task_upload
from annotation.store.database import Database
from annotation.store.models import Assignment, Item, Judgement, LabelStudioTask
from annotation.vocabulary import AssignmentStatus
from annotation.workflow import assignments


def refresh_fixed_tasks(database: Database, client: Client, definition: ProjectFile, *, batch_id: int) -> int:
    """Update or delete the unanswered tasks of a batch whose items were fixed; their number."""
    with database.reading() as session:
        outdated = _list_outdated_tasks(session, batch_id)
    for assignment_id, remote_id, status in outdated:
        if status is AssignmentStatus.LIVE:
            _update_task(database, client, definition, assignment_id, remote_id)
        else:
            _delete_task(database, client, assignment_id, remote_id)
    return len(outdated)


def _list_outdated_tasks(session: Session, batch_id: int) -> Sequence[tuple[int, int, AssignmentStatus]]:
    """Assignment, task and status: live ones after a cosmetic fix, and those that a substantive fix ended."""
    answered = select(Judgement.id).where(col(Judgement.assignment_id) == col(Assignment.id)).exists()
    live = sa.and_(col(Assignment.status) == AssignmentStatus.LIVE, col(Assignment.item_revision) != col(Item.revision))
    query = (
        select(LabelStudioTask.assignment_id, LabelStudioTask.remote_id, Assignment.status)
        .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(LabelStudioTask.batch_id == batch_id, col(LabelStudioTask.remote_id).is_not(None), ~answered)
        .where(sa.or_(live, col(Assignment.status) == AssignmentStatus.SKIPPED))
    )
    return [
        (assignment_id, remote_id, AssignmentStatus(status))
        for assignment_id, remote_id, status in session.exec(query.order_by(col(LabelStudioTask.assignment_id)))
        if remote_id is not None
    ]


def _update_task(
    database: Database, client: Client, definition: ProjectFile, assignment_id: int, remote_id: int
) -> None:
    """Show the present form of the item; the assignment then refers to that revision."""
    with database.reading() as session:
        (task,) = task_upload.build_tasks(session, definition, [assignment_id])
        columns = select(Assignment.annotator_id, Item.revision, Item.stimulus_sha256).join(Item)
        annotator_id, revision, stimulus_sha256 = session.exec(columns.where(Assignment.id == assignment_id)).one()
    try:
        client.update_task(remote_id, task)
    except NotFound:
        return
    with database.transaction() as session:
        assignments.record_shown_revision(
            assignments.lock_annotator(session, annotator_id),
            assignment_id=assignment_id,
            item_revision=revision,
            stimulus_sha256=stimulus_sha256,
        )


def _delete_task(database: Database, client: Client, assignment_id: int, remote_id: int) -> None:
    """Delete a task, unless it was answered meanwhile, which the next pull imports."""
    if client.has_annotations(remote_id):
        return
    with suppress(NotFound):
        client.delete_task(remote_id)
    with database.transaction() as session:
        session.connection().execute(
            sa.delete(LabelStudioTask).where(col(LabelStudioTask.assignment_id) == assignment_id)
        )
