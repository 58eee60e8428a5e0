"""The queue of a batch on the server: its tasks follow the assignments.

A task whose assignment ended is closed at once, so that it is not offered any more, and deleted days later: who has it
on the screen can still submit it until then, and nothing typed is lost. A task that has an annotation is never deleted.

That a task is being closed is stored before the request, and that it is deleted after it. What a killed process left
undone is done by the next one, to which a task that is gone counts as deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import NotFound
from annotation.label_studio.client import Client
from annotation.label_studio.sync import batches, task_upload
from annotation.store import journal
from annotation.store.database import Database
from annotation.store.models import (
    AdjudicationCase,
    Assignment,
    Item,
    Judgement,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    LabelStudioTask,
)
from annotation.vocabulary import AssignmentStatus, BatchWork, Event, Surface
from annotation.workflow import assignments

CLOSED_BEFORE_DELETED = timedelta(days=3)
"""How long a closed task is kept for people who have it on the screen."""
CLOSING = datetime(1970, 1, 1, tzinfo=UTC)
"""The `seen_at` of a task that is being closed."""
_IS_LIVE = sa.and_(col(Assignment.status) == AssignmentStatus.LIVE, col(Assignment.surface) == Surface.LABEL_STUDIO)
_HAS_JUDGEMENT = select(Judgement.id).where(col(Judgement.assignment_id) == col(Assignment.id)).exists()


@dataclass(frozen=True, kw_only=True)
class QueueChanges:
    """How a queue differed from the assignments: the ids of items.

    `removed` left the queue: they are assigned to the annotator no more. `begun` are not assigned either and stay,
    as a draft of an answer is there. `missing` are assigned and not in the queue: somebody deleted their tasks on the
    server, or they were never sent. The next push sends them. `waiting` is how many items wait for the annotator in
    all, where any is missing.
    """

    removed: tuple[str, ...] = ()
    begun: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    waiting: int = 0

    def as_json(self) -> dict[str, object]:
        """The changes with the keys of `--json`."""
        return {"removed": list(self.removed), "begun": list(self.begun), "missing_items": list(self.missing)}


def follow_assignments(
    database: Database,
    client: Client,
    batch: LabelStudioBatch,
    *,
    n_tasks: int | None,
    clock: Callable[[], datetime],
    drop_drafts: bool = False,
) -> QueueChanges:
    """Bring the queue of a batch in line with its assignments, after its annotations were imported.

    `n_tasks` is how many tasks the server has, if it is known: if they are fewer than were sent, the deleted ones are
    found. With `drop_drafts` items that somebody began leave the queue as well.
    """
    batch_id = batch.id or 0
    with database.reading() as session:
        n_sent = batches.count_tasks(session, batch)
    deleted = () if n_tasks is None or n_tasks >= n_sent else detach_deleted_tasks(database, client, batch, clock=clock)
    if batch.work is not BatchWork.ANSWERS:
        return QueueChanges(missing=deleted)
    expire_overdue_items(database, batch, clock=clock)
    changes = remove_ended_tasks(database, client, batch, clock=clock, drop_drafts=drop_drafts)
    reopen_tasks(database, client, batch)
    with database.reading() as session:
        is_held = batches.is_held(session, batch_id, now=clock())
        missing = () if is_held else list_unsent_items(session, batch_id)
        waiting = _count_waiting(session, batch_id) if missing else 0
    return QueueChanges(removed=changes.removed, begun=changes.begun, missing=missing, waiting=waiting)


def _count_waiting(session: Session, batch_id: int) -> int:
    waiting = select(func.count()).select_from(LabelStudioTask)
    waiting = waiting.join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
    return session.exec(waiting.where(LabelStudioTask.batch_id == batch_id, _IS_LIVE)).one()


def expire_overdue_items(database: Database, batch: LabelStudioBatch, *, clock: Callable[[], datetime]) -> None:
    """End the assignments of a batch's annotator in Label Studio whose lease is over."""
    now = clock()
    overdue = select(Assignment.id).where(
        Assignment.annotator_id == batch.annotator_id,
        Assignment.project_id == batch.project_id,
        _IS_LIVE,
        col(Assignment.lease_until) < now,
    )
    with database.reading() as session:
        found = session.exec(overdue.limit(1)).first()
    if found is not None:
        with database.transaction() as session:
            transaction = assignments.lock_annotator(session, batch.annotator_id or 0)
            assignments.expire_batch_items(transaction, project_id=batch.project_id, now=now)


def remove_ended_tasks(
    database: Database,
    client: Client,
    batch: LabelStudioBatch,
    *,
    clock: Callable[[], datetime],
    drop_drafts: bool = False,
) -> QueueChanges:
    """Close the unanswered tasks of a batch of answers whose assignments ended: released, expired, withdrawn, moved.

    Those that were closed long ago are deleted. A task that was answered since the last pull stays, and the next pull
    imports the answer. So does one with a draft, which is deleted at once with `drop_drafts`.
    """
    with database.reading() as session:
        ended = _list_ended_tasks(session, batch.id or 0)
    removed, begun = [], []
    for remote_id, item, closed_at in ended:
        is_closed = closed_at is not None and closed_at > CLOSING
        is_kept = closed_at is not None and is_closed and clock() - closed_at < CLOSED_BEFORE_DELETED
        if is_kept and not drop_drafts:
            continue
        task = client.find_task(remote_id)
        if task is not None and task.annotations:
            continue
        has_draft = task is not None and task.draft_exists
        if has_draft and not drop_drafts:
            begun.append(item)
        elif task is None or has_draft or (is_closed and not is_kept):
            _delete_task(database, client, batch, remote_id, now=clock())
        elif not is_closed:
            _close_task(database, client, batch, remote_id)
        if drop_drafts if has_draft else not is_closed:
            removed.append(item)
    return QueueChanges(removed=tuple(removed), begun=tuple(begun))


def _delete_task(database: Database, client: Client, batch: LabelStudioBatch, remote_id: int, *, now: datetime) -> None:
    with suppress(NotFound):
        client.delete_task(remote_id)
    with database.transaction() as session:
        _detach_tasks(session, batch, [remote_id], now=now)


def _close_task(database: Database, client: Client, batch: LabelStudioBatch, remote_id: int) -> None:
    _set_closed_at(database, batch, remote_id, closed_at=CLOSING)
    with suppress(NotFound):
        _set_closed_at(database, batch, remote_id, closed_at=client.close_task(remote_id))


def reopen_tasks(database: Database, client: Client, batch: LabelStudioBatch) -> None:
    """Have the closed tasks of a batch offered again whose assignments are live again."""
    closed = (
        select(LabelStudioTask.remote_id)
        .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
        .where(LabelStudioTask.batch_id == batch.id, col(LabelStudioTask.remote_id).is_not(None), _IS_LIVE)
        .where(col(LabelStudioTask.seen_at).is_not(None), *_build_unanswered_conditions(batch.id or 0))
    )
    with database.reading() as session:
        found = session.exec(closed.order_by(col(LabelStudioTask.assignment_id))).all()
    for remote_id in found:
        with suppress(NotFound):  # the next push finds that it was deleted
            client.close_task(remote_id or 0, closed=False)
            _set_closed_at(database, batch, remote_id or 0, closed_at=None)


def _set_closed_at(database: Database, batch: LabelStudioBatch, remote_id: int, *, closed_at: datetime | None) -> None:
    """Store when a task was closed, unless an annotation of it was imported meanwhile."""
    task = (LabelStudioTask.batch_id == batch.id, LabelStudioTask.remote_id == remote_id)
    with database.transaction() as session:
        for row in session.exec(select(LabelStudioTask).where(*task, col(LabelStudioTask.seen).is_(None))):
            row.seen_at = closed_at
            session.add(row)


def _list_ended_tasks(session: Session, batch_id: int) -> Sequence[tuple[int, str, datetime | None]]:
    """Numbers on the server, items and times of closing of tasks without an annotation whose assignment ended.

    An assignment that was moved to Telegram and answered there ended as well.
    """
    is_ended = sa.or_(
        col(Assignment.surface) != Surface.LABEL_STUDIO,
        sa.and_(col(Assignment.status) != AssignmentStatus.LIVE, ~_HAS_JUDGEMENT),
    )
    query = (
        select(LabelStudioTask.remote_id, Item.external_id, LabelStudioTask.seen_at)
        .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(LabelStudioTask.batch_id == batch_id, col(LabelStudioTask.remote_id).is_not(None), is_ended)
        .where(*_build_unanswered_conditions(batch_id))
        .order_by(col(LabelStudioTask.assignment_id))
    )
    rows = session.exec(query)
    return [(remote_id, item, closed_at) for remote_id, item, closed_at in rows if remote_id is not None]


def _build_unanswered_conditions(batch_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    """The conditions for tasks of a batch of which no annotation is known, by nobody."""
    answered = select(LabelStudioTask.remote_id).where(
        LabelStudioTask.batch_id == batch_id,
        col(LabelStudioTask.seen).is_not(None),
        col(LabelStudioTask.remote_id).is_not(None),
    )
    set_aside = select(LabelStudioSetAside.remote_task_id).where(LabelStudioSetAside.batch_id == batch_id)
    number = col(LabelStudioTask.remote_id)
    return number.not_in(answered), number.not_in(set_aside)


def detach_deleted_tasks(
    database: Database, client: Client, batch: LabelStudioBatch, *, clock: Callable[[], datetime]
) -> tuple[str, ...]:
    """Find the tasks of a batch that somebody deleted on the server, and have those sent again that were unanswered.

    Returns the items of the latter. A task whose answer or decision is here is forgotten, and its answer stays.
    """
    if batch.remote_id is None:
        return ()
    table = LabelStudioTask if batch.work is BatchWork.ANSWERS else LabelStudioReviewTask
    numbers = select(table.remote_id).where(table.batch_id == batch.id, col(table.remote_id).is_not(None))
    with database.reading() as session:
        known = {number for number in session.exec(numbers) if number is not None}
    if not known:
        return ()
    deleted = known - set(client.list_task_ids(batch.remote_id))
    if not deleted:
        return ()
    with database.transaction() as session:
        items = _list_unanswered_items(session, batch, deleted)
        _detach_tasks(session, batch, deleted, now=clock())
    return items


def _list_unanswered_items(session: Session, batch: LabelStudioBatch, remote_ids: Collection[int]) -> tuple[str, ...]:
    """The items of those tasks that still wait for an answer or a decision."""
    if batch.work is BatchWork.ANSWERS:
        query = select(Item.external_id).join(Assignment, col(Assignment.item_id) == col(Item.id))
        query = query.join(LabelStudioTask, col(LabelStudioTask.assignment_id) == col(Assignment.id)).where(
            LabelStudioTask.batch_id == batch.id, col(LabelStudioTask.remote_id).in_(remote_ids), _IS_LIVE
        )
        return tuple(session.exec(query.order_by(col(LabelStudioTask.assignment_id))).all())
    subject = func.coalesce(col(AdjudicationCase.item_id), col(Assignment.item_id))
    task = LabelStudioReviewTask
    decisions = (
        select(Item.external_id)
        .select_from(task)
        .outerjoin(AdjudicationCase, col(AdjudicationCase.id) == col(task.case_id))
        .outerjoin(Assignment, col(Assignment.id) == col(task.assignment_id))
        .join(Item, col(Item.id) == subject)
        .where(task.batch_id == batch.id, col(task.remote_id).in_(remote_ids), col(task.seen).is_(None))
    )
    return tuple(session.exec(decisions.order_by(col(task.id))).all())


def _detach_tasks(session: Session, batch: LabelStudioBatch, remote_ids: Collection[int], *, now: datetime) -> None:
    """Forget tasks that are not on the server any more; those of live assignments count as not sent yet.

    An assignment may have become live again since it was found to have ended.
    """
    execute = session.connection().execute
    aside = (col(LabelStudioSetAside.batch_id) == batch.id, col(LabelStudioSetAside.remote_task_id).in_(remote_ids))
    execute(sa.delete(LabelStudioSetAside).where(*aside))
    if batch.work is not BatchWork.ANSWERS:
        decided = col(LabelStudioReviewTask.batch_id) == batch.id
        execute(sa.delete(LabelStudioReviewTask).where(decided, col(LabelStudioReviewTask.remote_id).in_(remote_ids)))
        return
    gone = (col(LabelStudioTask.batch_id) == batch.id, col(LabelStudioTask.remote_id).in_(remote_ids))
    for task in session.exec(select(LabelStudioTask).where(*gone).order_by(col(LabelStudioTask.assignment_id))):
        sent_at = None if task.sent_at is None else task.sent_at.isoformat()
        data = {"assignments": [task.assignment_id], "task": task.remote_id, "sent_at": sent_at}
        journal.record_event(session, Event.TASK_DELETED, now=now, project_id=batch.project_id, data=data)
    live = sa.select(col(Assignment.id)).where(_IS_LIVE)
    unsent: dict[str, Any] = {"remote_id": None, "sent_at": None, "seen": None, "seen_at": None}
    execute(sa.update(LabelStudioTask).where(*gone, col(LabelStudioTask.assignment_id).in_(live)).values(unsent))
    execute(sa.delete(LabelStudioTask).where(*gone))


def list_unsent_items(session: Session, batch_id: int) -> tuple[str, ...]:
    """The items that are assigned and not on the server: never sent, or deleted there."""
    query = (
        select(Item.external_id)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(LabelStudioTask, col(LabelStudioTask.assignment_id) == col(Assignment.id))
        .where(
            LabelStudioTask.batch_id == batch_id,
            col(LabelStudioTask.remote_id).is_(None),
            col(LabelStudioTask.sent_at).is_(None),
            _IS_LIVE,
        )
    )
    return tuple(session.exec(query.order_by(col(LabelStudioTask.assignment_id))).all())


def update_fixed_tasks(database: Database, client: Client, definition: ProjectFile, *, batch_id: int) -> None:
    """Show the items of live tasks as they are now that were fixed since: cosmetic fixes keep the assignment."""
    fixed = (
        select(LabelStudioTask.assignment_id, LabelStudioTask.remote_id)
        .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(LabelStudioTask.batch_id == batch_id, col(LabelStudioTask.remote_id).is_not(None), ~_HAS_JUDGEMENT)
        .where(_IS_LIVE, col(Assignment.item_revision) != col(Item.revision))
        .order_by(col(LabelStudioTask.assignment_id))
    )
    with database.reading() as session:
        outdated = session.exec(fixed).all()
    for assignment_id, remote_id in outdated:
        _update_task(database, client, definition, assignment_id, remote_id or 0)


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
