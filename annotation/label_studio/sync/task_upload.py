"""Upload of tasks: recorded with their assignments, marked before the request, numbered after it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.stimulus import list_images
from annotation.errors import HromadaError, Unavailable
from annotation.label_studio import passes, payloads
from annotation.label_studio.client import Client
from annotation.label_studio.sync import batches
from annotation.label_studio.sync.batches import BatchHolder
from annotation.loading.judgements import label_studio_values
from annotation.store import pictures
from annotation.store.database import Database
from annotation.store.models import Assignment, Item, LabelStudioReviewTask, LabelStudioTask
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus, Surface
from annotation.workflow import assignments

TASKS_PER_REQUEST = 1000
"""How many tasks without pictures one request carries."""
PICTURES_PER_REQUEST = 16
"""How many pictures one request carries."""
SETTLE_SECONDS = 30.0
"""How many seconds a failed request may still be at work on the server."""
PAUSE_SECONDS = 1.0


def record_tasks(session: Session, assignment_ids: Collection[int], *, batch_id: int) -> None:
    """Record assignments as tasks of a batch; an assignment that was a task before keeps its task on the server."""
    there = set(
        session.exec(
            select(LabelStudioTask.assignment_id).where(col(LabelStudioTask.assignment_id).in_(assignment_ids))
        )
    )
    session.add_all(
        [LabelStudioTask(assignment_id=number, batch_id=batch_id) for number in assignment_ids if number not in there]
    )
    session.flush()


@dataclass(frozen=True, kw_only=True)
class TaskKind:
    """How tasks of one kind are stored and built: the table, its column with our number, the data key that holds it.

    `select_unsent` selects the numbers of a batch's tasks that are to be sent, as many as one request carries; `build`
    makes their tasks, in the order of the numbers. One request carries `most` of them.
    """

    table: type[LabelStudioTask | LabelStudioReviewTask]
    number: Any
    key: str
    select_unsent: Callable[[int], SelectOfScalar[Any]]
    build: Callable[[Session, Sequence[int]], list[dict[str, Any]]]
    most: int = TASKS_PER_REQUEST


def build_answer_kind(definition: ProjectFile) -> TaskKind:
    """Tasks that are answered: those of live assignments are sent."""
    return TaskKind(
        table=LabelStudioTask,
        number=col(LabelStudioTask.assignment_id),
        key=label_studio_values.ASSIGNMENT_KEY,
        select_unsent=_select_unsent_assignments,
        build=lambda session, ids: build_tasks(session, definition, ids),
        most=count_tasks_per_request(definition),
    )


def count_tasks_per_request(definition: ProjectFile) -> int:
    """How many tasks one request carries: the server takes 250 MB, and a picture may have 13 MB in a task."""
    n_pictures = len(passes.list_pictures(definition, second_pass=True))
    return max(1, PICTURES_PER_REQUEST // n_pictures) if n_pictures else TASKS_PER_REQUEST


@dataclass(frozen=True)
class TaskUpload:
    """Sends the tasks of one batch to its project on the server."""

    database: Database
    client: Client
    batch_id: int
    remote_id: int
    kind: TaskKind
    clock: Callable[[], datetime]
    holder: BatchHolder

    def extend_hold(self) -> None:
        """Hold the batch for longer; raises Conflict where another push took it meanwhile."""
        with self.database.transaction() as session:
            batches.hold_batch(session, self.batch_id, by=self.holder, now=self.clock())

    def recover(self) -> int:
        """Look up which tasks of a failed request arrived; their number. The others are marked as unsent once that
        request cannot be at work any more, which takes SETTLE_SECONDS.
        """
        arrived = 0
        while unconfirmed := self._list_unconfirmed():
            arrived += self._confirm_arrived(unconfirmed)
            remaining = self._list_unconfirmed()
            if not remaining:
                break
            waited = (self.clock() - max(remaining.values())).total_seconds()
            if waited >= SETTLE_SECONDS:
                self._clear_sent_at(remaining)
                break
            self.extend_hold()
            time.sleep(min(PAUSE_SECONDS, SETTLE_SECONDS - waited))
        return arrived

    def send(self, *, minimum: int = 1) -> int:
        """Send unsent tasks as long as there are at least `minimum` of them; their number."""
        sent = 0
        while True:
            self.extend_hold()
            with self.database.transaction() as session:
                ids = list(session.exec(self.kind.select_unsent(self.batch_id)))
                if len(ids) < minimum:
                    return sent
                ids = ids[: self.kind.most]
                tasks = self.kind.build(session, ids)
                self._set_sent_at(session, ids, sent_at=self.clock())
            self._store_remote_ids(ids, self._send_request(ids, tasks))
            sent += len(ids)

    def _send_request(self, ids: Sequence[int], tasks: Sequence[dict[str, Any]]) -> list[int]:
        """Send one request; tasks that the server refused are marked as unsent again."""
        try:
            remote_ids = self.client.import_tasks(self.remote_id, tasks)
        except Unavailable:
            raise
        except HromadaError:
            self._clear_sent_at(ids)
            raise
        return remote_ids

    def _store_remote_ids(self, ids: Sequence[int], remote_ids: Sequence[int]) -> None:
        with self.database.transaction() as session:
            session.connection().execute(
                sa.update(self.kind.table)
                .where(self.kind.number == sa.bindparam("our_number"))
                .values(remote_id=sa.bindparam("new_remote_id")),
                [
                    {"our_number": number, "new_remote_id": remote_id}
                    for number, remote_id in zip(ids, remote_ids, strict=True)
                ],
            )

    def _confirm_arrived(self, unconfirmed: Mapping[int, datetime]) -> int:
        """Store the ids of unconfirmed tasks that arrived; the server gave them ids above those that are known."""
        with self.database.reading() as session:
            highest = session.exec(
                select(func.max(self.kind.table.remote_id)).where(self.kind.table.batch_id == self.batch_id)
            ).one()
        arrived: dict[int, int] = {}
        for page in self.client.list_task_pages(self.remote_id, after=highest or 0):
            for task in page:
                number = task.data.get(self.kind.key)
                if isinstance(number, int) and number in unconfirmed:
                    arrived.setdefault(number, task.id)
        if arrived:
            self._store_remote_ids(list(arrived), list(arrived.values()))
        return len(arrived)

    def _list_unconfirmed(self) -> dict[int, datetime]:
        """Our numbers of tasks that were sent and have no id of the server yet, with the time of sending."""
        table = self.kind.table
        query = select(self.kind.number, table.sent_at).where(
            table.batch_id == self.batch_id, col(table.remote_id).is_(None), col(table.sent_at).is_not(None)
        )
        with self.database.reading() as session:
            return {number: sent_at for number, sent_at in session.exec(query) if sent_at is not None}

    def _clear_sent_at(self, ids: Collection[int]) -> None:
        with self.database.transaction() as session:
            self._set_sent_at(session, ids, sent_at=None)

    def _set_sent_at(self, session: Session, ids: Collection[int], *, sent_at: datetime | None) -> None:
        update = sa.update(self.kind.table).where(self.kind.number == sa.bindparam("our_number"))
        if ids:
            session.connection().execute(update.values(sent_at=sent_at), [{"our_number": number} for number in ids])


def _select_unsent_assignments(batch_id: int) -> SelectOfScalar[Any]:
    query = select(LabelStudioTask.assignment_id).join(Assignment, col(Assignment.id) == LabelStudioTask.assignment_id)
    unsent = query.where(
        LabelStudioTask.batch_id == batch_id,
        col(LabelStudioTask.remote_id).is_(None),
        col(LabelStudioTask.sent_at).is_(None),
        Assignment.status == AssignmentStatus.LIVE,
        Assignment.surface == Surface.LABEL_STUDIO,
    )
    return unsent.order_by(col(LabelStudioTask.assignment_id)).limit(TASKS_PER_REQUEST)


def build_tasks(session: Session, definition: ProjectFile, ids: Collection[int]) -> list[dict[str, Any]]:
    """The tasks of these assignments, in the order of their ids; gold is only in tasks of the second pass."""
    query = select(Assignment, Item).join(Item, col(Item.id) == col(Assignment.item_id))
    rows = session.exec(query.where(col(Assignment.id).in_(ids)).order_by(col(Assignment.id))).all()
    name = definition.all_questions[0].name
    tasks = []
    uris = pictures.build_data_uris(session, [name for _, item in rows for name in list_images(item.pieces or ())])
    for assignment, item in rows:
        orders = assignment.option_orders
        if orders is None and assignment.option_order is not None:
            orders = {name: assignment.option_order}
        second_pass: dict[str, Any] = {}
        if assignment.occasion == SECOND_PASS_OCCASION:
            golds = item.golds or ({} if item.gold is None else {name: item.gold})
            second_pass = {"first": assignments.get_blind_answers(session, assignment, name), "gold": golds or None}
        tasks.append(
            payloads.build_task(
                definition,
                item,
                assignment_id=assignment.id or 0,
                option_order=orders,
                pictures=uris,
                **second_pass,
            )
        )
    return tasks
