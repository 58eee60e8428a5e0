"""Push: fill the batch of an annotator up to a number of items; repeated, or after a failure, it adds nothing twice.

Assignments are committed before they are sent, and marked as sent before the request. After a request that failed, the
next push looks up by our own ids which tasks arrived before it sends anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, select

from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.label_studio import configs
from annotation.label_studio.client import Client
from annotation.label_studio.sync import batches, queues, remote_projects, task_upload
from annotation.label_studio.sync.batches import BatchHolder
from annotation.label_studio.sync.queues import QueueChanges
from annotation.label_studio.texts import load_texts
from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import Annotator, Item, LabelStudioBatch, Participation, Project
from annotation.vocabulary import BatchWork, ProjectStatus, Stage, UnassignedReason
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import roster
from annotation.workflow.assignments import AnnotatorTransaction, NotAssigned
from annotation.workflow.participations import NothingAssigned

ITEMS_PER_TRANSACTION = 50
"""How many items are assigned in one transaction: other writers get their turn in between."""


@dataclass(frozen=True, kw_only=True)
class PushOrder:
    """Whose batch is filled, and up to how many items.

    `items` (ids) and `where` (conditions) name what is sent, whatever the number. `second` asks for the second pass,
    `handed_over` for items that were moved out of Telegram, `anew` for a new project where the old one is gone.
    """

    project: str
    annotator: str
    number: int
    items: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    second: bool = False
    handed_over: bool = False
    anew: bool = False
    lease: timedelta = assignments.DEFAULT_BATCH_LEASE


@dataclass(frozen=True, kw_only=True)
class PushResult:
    """The batch after a push: items in hand, of them newly assigned; tasks sent, and tasks found on the server again.

    `address` is where the annotator finds them; without a project, as nothing was assigned, it is empty, the id 0.
    `nothing_assigned` is why fewer are in hand than were asked for, `left_out` why named items were not assigned, by
    their ids. `linked` is whether the annotator has an account, `before_main` whether other items come after a training
    or test that has not ended.
    `sent_again` are items that were assigned before and missing on the server. `queues` are the changes of the queues
    of the project, by annotator: items that are assigned to them no more leave the queue.
    """

    project: str
    annotator: str
    remote_id: int
    address: str
    in_hand: int
    assigned: int
    sent: int
    recovered: int
    nothing_assigned: NothingAssigned | None
    linked: bool
    before_main: bool
    left_out: Mapping[str, NotAssigned] = field(default_factory=dict)
    sent_again: tuple[str, ...] = ()
    queues: Mapping[str, QueueChanges] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The result with the keys of `--json`."""
        return {
            "project": self.project,
            "annotator": self.annotator,
            "remote_id": self.remote_id or None,
            "address": self.address,
            "in_hand": self.in_hand,
            "handed": self.assigned,
            "sent": self.sent,
            "recovered": self.recovered,
            "waiting": None if self.nothing_assigned is None else self.nothing_assigned.reason.value,
            "linked": self.linked,
            "left_out": {item: reason.value for item, reason in self.left_out.items()},
            "sent_again": list(self.sent_again),
            "removed": {person: list(changes.removed) for person, changes in self.queues.items() if changes.removed},
            "begun": {person: list(changes.begun) for person, changes in self.queues.items() if changes.begun},
        }


def push_batch(
    database: Database,
    client: Client,
    order: PushOrder,
    *,
    clock: Callable[[], datetime],
    progress: Callable[[float], None] = lambda share: None,  # noqa: ARG005
) -> PushResult:
    """Fill a batch. Raises Conflict while another push fills it, and the errors of the client; what was done until then
    is kept, and the next push goes on.
    """
    remote_projects.adopt_server(database, client)
    holder = batches.create_holder()
    with database.transaction() as session:
        project = queries.get_project(session, order.project)
        annotator = roster.get_annotator(session, order.annotator)
        named = None
        if order.items or order.where:
            named = assignments.find_named_items(session, project=project, ids=order.items, where=order.where)
        batch_id = _hold_batch(session, order, project, annotator, server=client.server_id, holder=holder, now=clock())
    try:
        push = _Push(database, client, order, clock, progress, holder, batch_id, project, annotator, named)
        return push.run()
    finally:
        with database.transaction() as session:
            batches.release_batch(session, batch_id, by=holder)


def _hold_batch(
    session: Session,
    order: PushOrder,
    project: Project,
    annotator: Annotator,
    *,
    server: str,
    holder: BatchHolder,
    now: datetime,
) -> int:
    """The id of the batch, held by this push."""
    if project.status is ProjectStatus.LOADED:
        remedy = f"Start it: hromada start {project.name}."
        raise BadInput(f"{project.name} has not started.", where=Where(field="project"), remedy=remedy)
    batch = batches.ensure_batch(
        session, project=project, annotator=annotator, second=order.second, server=server, now=now
    )
    batch_id = batch.id or 0
    batches.hold_batch(session, batch_id, by=holder, now=now)
    if order.anew:
        batches.reset_batch(session, batch_id)
    return batch_id


@dataclass
class _Push:
    """One push at work."""

    database: Database
    client: Client
    order: PushOrder
    clock: Callable[[], datetime]
    progress: Callable[[float], None]
    holder: BatchHolder
    batch_id: int
    project: Project
    annotator: Annotator
    named: list[int] | None
    """The named items that were not tried yet; None where none are named."""
    assigned_count: int = 0
    nothing_assigned: NothingAssigned | None = None
    left_out: dict[int, NotAssigned] = field(default_factory=dict)

    def run(self) -> PushResult:
        """Ensure the project, recover a failed request, update fixed tasks, assign items, send tasks.

        Where the batch is new and nothing is assigned, no project is made.
        """
        if self._is_new_and_empty():
            with self.database.transaction() as session:
                batches.delete_unused_batch(session, self.batch_id)
            return self._describe()
        definition = definitions.get_project_definition(self.project)
        settings = remote_projects.RemoteSettings(
            title=self.project.title,
            work=load_texts(definition.language)("second-pass") if self.order.second else "",
            pseudonym=self.annotator.pseudonym,
            config=configs.render_label_config(definition, second_pass=self.order.second),
            instructions=configs.render_instructions(
                definition, text=self.project.instructions, second_pass=self.order.second
            ),
        )
        remote = remote_projects.ensure_remote_project(self.database, self.client, settings, batch_id=self.batch_id)
        upload = task_upload.TaskUpload(
            self.database,
            self.client,
            batch_id=self.batch_id,
            remote_id=remote.id,
            kind=task_upload.build_answer_kind(definition),
            clock=self.clock,
            holder=self.holder,
        )
        recovered = upload.recover()
        with self.database.reading() as session:
            batch = session.get_one(LabelStudioBatch, self.batch_id)
        queues.detach_deleted_tasks(self.database, self.client, batch, clock=self.clock)
        with self.database.reading() as session:
            sent_again = () if self.assigned_count else queues.list_unsent_items(session, self.batch_id)
        queues.update_fixed_tasks(self.database, self.client, definition, batch_id=self.batch_id)
        queues.expire_overdue_items(self.database, batch, clock=self.clock)
        sent = self._assign_and_send(upload)
        queues.reopen_tasks(self.database, self.client, batch)
        changes = self._clear_queues(batch)
        return self._describe(
            remote_id=remote.id, sent=sent, recovered=recovered, sent_again=sent_again, queues=changes
        )

    def _is_new_and_empty(self) -> bool:
        """Assign the first items of a batch that has no project there yet; whether there are none."""
        with self.database.transaction() as session:
            batch = session.get_one(LabelStudioBatch, self.batch_id)
            if batch.remote_id is not None or self._count_in_hand(session):
                return False
            n_items = self.order.number if self.named is None else len(self.named)
            assignment_ids = self._assign_items(session, min(ITEMS_PER_TRANSACTION, n_items))
            task_upload.record_tasks(session, assignment_ids, batch_id=self.batch_id)
        self.assigned_count += len(assignment_ids)
        searching = self.nothing_assigned is not None and self.nothing_assigned.reason is UnassignedReason.SEARCHING
        return not assignment_ids and not searching and not self.named

    def _describe(self, *, remote_id: int = 0, sent: int = 0, recovered: int = 0, **told: Any) -> PushResult:
        with self.database.reading() as session:
            in_hand = self._count_in_hand(session)
            left_out = {session.get_one(Item, item_id).external_id: why for item_id, why in self.left_out.items()}
            linked = (
                self.annotator.id
                in remote_projects.map_accounts_to_annotators(session, server=self.client.server_id).values()
            )
            stage = session.exec(
                select(Participation.stage).where(
                    Participation.project_id == self.project.id, Participation.annotator_id == self.annotator.id
                )
            ).first()
        return PushResult(
            project=self.project.name,
            annotator=self.annotator.pseudonym,
            remote_id=remote_id,
            address=self.client.build_work_address(remote_id) if remote_id else "",
            in_hand=in_hand,
            assigned=self.assigned_count,
            sent=sent,
            recovered=recovered,
            nothing_assigned=self.nothing_assigned,
            linked=linked,
            before_main=stage not in {None, Stage.MAIN},
            left_out=left_out,
            **told,
        )

    def _clear_queues(self, batch: LabelStudioBatch) -> dict[str, QueueChanges]:
        """Have items that ended leave this queue, and those of others in the project, who may have them from now on."""
        changes = {
            self.annotator.pseudonym: queues.remove_ended_tasks(self.database, self.client, batch, clock=self.clock)
        }
        with self.database.reading() as session:
            rows = batches.list_batches(session, server=self.client.server_id, project_id=self.project.id)
        for other, _, annotator in rows:
            if other.id != batch.id and other.work is BatchWork.ANSWERS and other.remote_id is not None:
                with suppress(BadInput, Conflict, NotFound):  # a pull of that batch says what is wrong with it
                    found = queues.remove_ended_tasks(self.database, self.client, other, clock=self.clock)
                    earlier = changes.get(annotator.pseudonym, QueueChanges())
                    changes[annotator.pseudonym] = QueueChanges(
                        removed=earlier.removed + found.removed, begun=earlier.begun + found.begun
                    )
        return changes

    def _assign_and_send(self, upload: task_upload.TaskUpload) -> int:
        """Assign items and send them meanwhile; the number of tasks sent. A failure of sending ends both."""
        with ThreadPoolExecutor(1) as sender:
            transfers: list[Future[int]] = []
            for _ in self._fill_batch(upload):
                if transfers and transfers[-1].done():
                    transfers[-1].result()
                transfers.append(sender.submit(upload.send, minimum=task_upload.TASKS_PER_REQUEST))
            transfers.append(sender.submit(upload.send))
            return sum(transfer.result() for transfer in transfers)

    def _fill_batch(self, upload: task_upload.TaskUpload) -> Iterator[None]:
        """Assign items in small transactions, with their rows in the task list; yields when a request can be sent."""
        last_yield = 0
        while True:
            with self.database.transaction() as session:
                in_hand = self._count_in_hand(session)
                missing = self.order.number - in_hand if self.named is None else len(self.named)
                assignment_ids = self._assign_items(session, min(ITEMS_PER_TRANSACTION, missing))
                task_upload.record_tasks(session, assignment_ids, batch_id=self.batch_id)
            self.assigned_count += len(assignment_ids)
            searching = self.nothing_assigned is not None and self.nothing_assigned.reason is UnassignedReason.SEARCHING
            if not assignment_ids and not searching and not self.named:
                return
            upload.extend_hold()
            self.progress(min(1.0, len(assignment_ids) / max(1, missing)))
            if self.assigned_count - last_yield >= task_upload.TASKS_PER_REQUEST:
                last_yield = self.assigned_count
                yield

    def _assign_items(self, session: Session, number: int) -> tuple[int, ...]:
        self.nothing_assigned = None
        if number <= 0:
            return ()
        transaction = assignments.lock_annotator(session, self.annotator.id or 0)
        project_id = self.project.id or 0
        if self.named is not None:
            return self._assign_named_items(transaction, self.named[:number])
        if self.order.second:
            return assignments.assign_second_pass(
                transaction, project_id=project_id, n_items=number, now=self.clock(), lease=self.order.lease
            )
        assigned = assignments.assign_batch(
            transaction,
            project_id=project_id,
            n_items=number,
            now=self.clock(),
            lease=self.order.lease,
            moved_only=self.order.handed_over,
        )
        self.nothing_assigned = assigned.shortfall
        return assigned.assignment_ids

    def _assign_named_items(self, transaction: AnnotatorTransaction, item_ids: list[int]) -> tuple[int, ...]:
        assigned = assignments.assign_named_items(
            transaction,
            project_id=self.project.id or 0,
            item_ids=item_ids,
            now=self.clock(),
            lease=self.order.lease,
        )
        shortfall = assigned.shortfall
        is_over = shortfall is None or shortfall.reason is UnassignedReason.NOTHING_LEFT  # of these few
        self.named = (self.named or [])[len(item_ids) :] if is_over else []
        self.nothing_assigned = None if is_over else shortfall
        self.left_out.update(assigned.left_out)
        return assigned.assignment_ids

    def _count_in_hand(self, session: Session) -> int:
        count = assignments.count_second_pass_items if self.order.second else assignments.count_batch_items
        return count(session, annotator_id=self.annotator.id or 0, project_id=self.project.id or 0)
