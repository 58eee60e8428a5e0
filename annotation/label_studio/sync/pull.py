"""Pull: import what changed in Label Studio since the last pull, task by task.

An interrupted pull is completed by the next one.

The time up to which a batch was read is the server's own time less a margin: what is written at this moment is read
again next time, and what was imported already is known by its hash.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import BadInput, Conflict, NotFound, Refused, Stale, Where
from annotation.label_studio import server_models
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteAnnotation, RemoteProject, RemoteTask
from annotation.label_studio.sync import adoption, annotation_import, batches, decision_work, queues, remote_projects
from annotation.label_studio.sync.annotation_import import AnswerChange, TaskImport
from annotation.label_studio.sync.queues import QueueChanges
from annotation.label_studio_controls import decision_controls
from annotation.store.database import Database
from annotation.store.models import (
    Annotator,
    Assignment,
    Item,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    LabelStudioTask,
    Project,
)
from annotation.vocabulary import BatchWork
from annotation.workflow import definitions

OTHER_PERSON_REASON = "this project is another person's, who decides here alone"


def select_changed_decisions(
    session: Session, batch: LabelStudioBatch, tasks: Sequence[RemoteTask], *, annotators: Mapping[int, int]
) -> list[RemoteTask]:
    """The tasks that differ from what was imported last, or of which an annotation is set aside."""
    ids = [task.id for task in tasks]
    query = select(LabelStudioReviewTask.remote_id, LabelStudioReviewTask.seen).where(
        LabelStudioReviewTask.batch_id == batch.id, col(LabelStudioReviewTask.remote_id).in_(ids)
    )
    seen = dict(session.exec(query).all())
    set_aside = set(
        session.exec(
            select(LabelStudioSetAside.remote_task_id).where(
                LabelStudioSetAside.batch_id == batch.id, col(LabelStudioSetAside.remote_task_id).in_(ids)
            )
        )
    )
    return [
        task
        for task in tasks
        if task.id in set_aside
        or task.id not in seen
        or compute_decision_digest(_list_own(batch, task, annotators)) != seen[task.id]
        or len(_list_own(batch, task, annotators)) != len(task.annotations)
    ]


def import_decision(
    session: Session,
    batch: LabelStudioBatch,
    task: RemoteTask,
    *,
    annotators: Mapping[int, int],
    now: datetime,
) -> TaskImport:
    """Store what was decided in a task; `annotators` are their ids by account."""
    row = _lock_row(session, batch, task)
    if row is None:
        return TaskImport(unknown_task=True)
    version = annotation_import.get_last_change(task)
    if row.seen_at is not None and version < row.seen_at:
        return TaskImport()
    own, result = _list_own(batch, task, annotators), TaskImport()
    result.set_aside += [
        annotation_import.set_annotation_aside(
            task,
            annotation,
            OTHER_PERSON_REASON if (annotation.completed_by or 0) in annotators else annotation_import.UNLINKED_REASON,
        )
        for annotation in task.annotations
        if annotation not in own
    ]
    digest = compute_decision_digest(own)
    if digest != row.seen:
        _import_own(session, batch, row, task, own, digest, result=result, now=now)
    annotation_import.store_set_aside(session, batch, task, result.set_aside, now=now)
    row.seen_at = version
    session.add(row)
    session.flush()
    return result


def compute_decision_digest(annotations: Sequence[RemoteAnnotation]) -> str | None:
    """The SHA-256 of one person's annotations with their times, None where there are none."""
    content = [
        [made.id, made.was_cancelled, made.problem or made.result, made.updated_at.isoformat()]
        for made in sorted(annotations, key=lambda annotation: annotation.id)
    ]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest() if content else None


def _list_own(batch: LabelStudioBatch, task: RemoteTask, annotators: Mapping[int, int]) -> list[RemoteAnnotation]:
    """The annotations by the person whose batch it is."""
    return [made for made in task.annotations if annotators.get(made.completed_by or 0) == batch.annotator_id]


def _lock_row(session: Session, batch: LabelStudioBatch, task: RemoteTask) -> LabelStudioReviewTask | None:
    """The row of the task, locked; a task that was sent and has no id yet is found by our own number."""
    query = (
        select(LabelStudioReviewTask)
        .where(LabelStudioReviewTask.batch_id == batch.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    row = session.exec(query.where(LabelStudioReviewTask.remote_id == task.id)).first()
    number = task.data.get(decision_controls.TASK_KEY)
    if row is not None or not isinstance(number, int):
        return row
    sent = query.where(LabelStudioReviewTask.id == number, col(LabelStudioReviewTask.remote_id).is_(None))
    row = session.exec(sent.where(col(LabelStudioReviewTask.sent_at).is_not(None))).first()
    if row is not None:
        row.remote_id = task.id
    return row


def _import_own(
    session: Session,
    batch: LabelStudioBatch,
    row: LabelStudioReviewTask,
    task: RemoteTask,
    own: Sequence[RemoteAnnotation],
    digest: str | None,
    *,
    result: TaskImport,
    now: datetime,
) -> None:
    current = annotation_import.get_current_annotation(own)
    try:
        with session.begin_nested():
            change = _store_decision(session, batch, row, current, now=now)
            row.seen = digest
            session.add(row)
            session.flush()
    except (BadInput, Conflict, NotFound, Refused, Stale) as failure:
        session.expire_all()
        if current is not None:
            item = task.data.get("item", task.id)
            result.set_aside.append(annotation_import.set_annotation_aside(task, current, f"{item}: {failure}"))
        return
    if change is not None:
        result.changes.append(change)


def _store_decision(
    session: Session,
    batch: LabelStudioBatch,
    row: LabelStudioReviewTask,
    current: RemoteAnnotation | None,
    *,
    now: datetime,
) -> AnswerChange | None:
    """Store the present decision; None where nothing changed."""
    work = decision_work.load_work(session, batch)
    if current is None:
        return AnswerChange.DELETED if work.take_back(row, now) else None
    if current.problem is not None:
        raise BadInput(f"{current.problem}.", remedy="Correct it in Label Studio.")
    if current.was_cancelled:
        work.take_back(row, now)
        return AnswerChange.SKIPPED
    had_decision = row.decision_number is not None
    number = work.store_decision(row, current.result, min(current.updated_at, now))
    if number is None:
        return None
    row.decision_number = number
    return AnswerChange.CHANGED if had_decision else AnswerChange.ANSWERED


EVERYBODY = "everybody"
"""Whose answers come from an adopted project."""
MARGIN = timedelta(seconds=10)
"""How long after the time that the server writes on it a change may become visible."""


@dataclass(frozen=True, kw_only=True)
class PullResult:
    """The changes of one batch. `problem` is why it could not be read as a whole; nothing is lost by it.

    `set_aside` counts the annotations that are no answers, by reason, and `set_aside_items` are the ids of their items,
    where they are known. `most_dropped` are the items with a new correction that drops most of the text.
    `unknown_tasks` counts the tasks that were not sent by us. `queue` is how the annotator's queue was brought in line
    with what is assigned to them. `missing` counts the tasks of an adopted project that were deleted there.
    """

    project: str
    annotator: str
    work: BatchWork
    question: str
    second: bool
    remote_id: int | None
    read: int = 0
    answered: int = 0
    changed: int = 0
    deleted: int = 0
    skipped: int = 0
    unknown_tasks: int = 0
    missing: int = 0
    queue: QueueChanges = field(default_factory=QueueChanges)
    set_aside: tuple[tuple[str, int], ...] = ()
    set_aside_items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most_dropped: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def described_work(self) -> int | str:
        """The pass that was answered, or what was decided."""
        return batches.describe_work(self.work, second=self.second)

    @property
    def changes(self) -> int:
        """The number of answers that changed."""
        return self.answered + self.changed + self.deleted + self.skipped

    def as_json(self) -> dict[str, object]:
        """The result with the keys of `--json`."""
        return {
            "project": self.project,
            "annotator": self.annotator,
            "work": self.work.value,
            "second": self.second,
            "remote_id": self.remote_id,
            "read": self.read,
            "answered": self.answered,
            "changed": self.changed,
            "deleted": self.deleted,
            "skipped": self.skipped,
            "unknown_tasks": self.unknown_tasks,
            "missing": self.missing or len(self.queue.missing),
            **self.queue.as_json(),
            "set_aside": dict(self.set_aside),
            "set_aside_items": {reason: list(items) for reason, items in self.set_aside_items.items()},
            "most_dropped": list(self.most_dropped),
            "problem": self.problem,
        }


def pull_batches(
    database: Database,
    client: Client,
    *,
    clock: Callable[[], datetime],
    project_id: int | None = None,
    annotator_id: int | None = None,
    everything: bool = False,
    drop_drafts: bool = False,
    progress: Callable[[float], None] = lambda share: None,  # noqa: ARG005
) -> tuple[PullResult, ...]:
    """Pull the batches of a project, of an annotator, or all on this server; with `everything` from the beginning.

    With `drop_drafts` items leave a queue also if somebody began them there and they are assigned to them no more.
    A batch that cannot be read has a `problem`, and the others are read. Raises Unavailable where the server does not
    answer at all, and BadInput for a token that it does not know.
    """
    remote_projects.adopt_server(database, client)
    with database.reading() as session:
        rows = batches.list_batches(session, server=client.server_id, project_id=project_id, annotator_id=annotator_id)
        adopted = adoption.list_adopted(session, server=client.server_id, project_id=project_id)
    found: list[tuple[LabelStudioBatch, Project, Annotator | None]] = [*rows]
    found += [(batch, project, None) for batch, project in adopted if annotator_id is None]
    results = []
    for number, (batch, project, annotator) in enumerate(found):
        results.append(
            _pull_batch(
                database, client, batch, project, annotator, clock=clock, everything=everything, drop_drafts=drop_drafts
            )
        )
        progress((number + 1) / len(found))
    return tuple(results)


COUNTED_AS = {
    AnswerChange.ANSWERED: "answered",
    AnswerChange.CHANGED: "changed",
    AnswerChange.DELETED: "deleted",
    AnswerChange.SKIPPED: "skipped",
}
"""The field of a result in which each change of an answer is counted."""


def _pull_batch(
    database: Database,
    client: Client,
    batch: LabelStudioBatch,
    project: Project,
    annotator: Annotator | None,
    *,
    clock: Callable[[], datetime],
    everything: bool,
    drop_drafts: bool,
) -> PullResult:
    key = {
        "project": project.name,
        "annotator": EVERYBODY if annotator is None else annotator.pseudonym,
        "work": batch.work,
        "question": batch.question,
        "second": batch.second,
        "remote_id": batch.remote_id,
    }
    if batch.remote_id is None:
        return PullResult(**key)  # type: ignore[arg-type]
    counts: Counter[str] = Counter()
    queue, problem, most_dropped = QueueChanges(), None, list[str]()
    try:
        remote = client.get_project(batch.remote_id)
        _refuse_changed_config(batch, remote, url=client.url)
        read_until = (client.server_time or estimate_server_time(batch, clock)) - MARGIN
        since = None if everything else batch.watermark
        definition = definitions.get_project_definition(project)
        if batch.work is BatchWork.ADOPTED:
            adoption.pull_adopted(database, client, batch, project, since=since, clock=clock, counts=counts)
        for page in [] if batch.work is BatchWork.ADOPTED else client.list_task_pages(remote.id, since=since):
            with database.reading() as session:
                annotators = remote_projects.map_accounts_to_annotators(session, server=client.server_id)
                changed_tasks = _select_changed_tasks(session, batch, page, annotators)
            counts["read"] += len(page)
            for task in changed_tasks:
                with database.transaction() as session:
                    task_import = _import_task(session, batch, definition, task, annotators, clock())
                counts["unknown_tasks"] += task_import.unknown_task
                most_dropped += task_import.most_dropped
                counts.update(COUNTED_AS[change] for change in task_import.changes)
        with database.transaction() as session:
            batches.advance_watermark(session, batch.id or 0, read_until)
            counts["missing"] = _count_deleted_tasks(session, batch, remote)
        if batch.work is not BatchWork.ADOPTED:
            queue = queues.follow_assignments(
                database, client, batch, n_tasks=remote.task_number, clock=clock, drop_drafts=drop_drafts
            )
    except (BadInput, Conflict, NotFound) as failure:
        client.get_own_account()  # raises where it is the server or the token, and not this batch
        problem = str(failure)
    with database.reading() as session:
        set_aside, items = _count_set_aside(session, batch), _list_set_aside_items(session, batch)
    told = {"set_aside": set_aside, "set_aside_items": items, "most_dropped": tuple(most_dropped)}
    return PullResult(**key, **counts, **told, queue=queue, problem=problem)  # type: ignore[arg-type]


def _select_changed_tasks(
    session: Session, batch: LabelStudioBatch, tasks: Sequence[RemoteTask], annotators: Mapping[int, int]
) -> list[RemoteTask]:
    if batch.work is BatchWork.ANSWERS:
        return annotation_import.select_changed_tasks(session, batch, tasks, annotators=annotators)
    return select_changed_decisions(session, batch, tasks, annotators=annotators)


def _import_task(
    session: Session,
    batch: LabelStudioBatch,
    definition: ProjectFile,
    task: RemoteTask,
    annotators: Mapping[int, int],
    now: datetime,
) -> TaskImport:
    if batch.work is BatchWork.ANSWERS:
        return annotation_import.import_task(session, batch, definition, task, annotators=annotators, now=now)
    return import_decision(session, batch, task, annotators=annotators, now=now)


def estimate_server_time(batch: LabelStudioBatch, clock: Callable[[], datetime]) -> datetime:
    """The server's time where a proxy removed it from the answer: our own clock, an hour back."""
    return max(batch.watermark or batch.created_at, clock() - timedelta(hours=1))


def _refuse_changed_config(batch: LabelStudioBatch, remote: RemoteProject, *, url: str) -> None:
    if batch.config_sha256 not in {None, batches.compute_config_digest(remote.label_config)}:
        is_adopted = batch.work is BatchWork.ADOPTED
        raise Conflict(
            "The questions of this batch were changed in Label Studio, so that its answers could mean something else.",
            where=Where(file=server_models.strip_credentials(url), field=f"project {remote.id}"),
            remedy="Correct the project file to match, load it, then adopt the project again: nothing is lost."
            if is_adopted
            else "Push it again, which restores them; the next pull reads all that came meanwhile.",
        )


def _count_deleted_tasks(session: Session, batch: LabelStudioBatch, remote: RemoteProject) -> int:
    """How many tasks of an adopted project are not on the server any more; 0 of any other one."""
    if batch.work is not BatchWork.ADOPTED:
        return 0
    n_items = adoption.count_items(session, batch)
    return max(0, n_items - (remote.task_number or 0)) if remote.task_number is not None else 0


def _count_set_aside(session: Session, batch: LabelStudioBatch) -> tuple[tuple[str, int], ...]:
    query = select(LabelStudioSetAside.reason, LabelStudioSetAside.user_id, func.count()).where(
        LabelStudioSetAside.batch_id == batch.id
    )
    rows = session.exec(query.group_by(col(LabelStudioSetAside.reason), col(LabelStudioSetAside.user_id))).all()
    reasons: Counter[str] = Counter()
    for reason, account, number in rows:
        reasons[_name_reason(reason, account)] += number
    return tuple(sorted(reasons.items()))


def _name_reason(reason: str, account: int | None) -> str:
    return f"{reason} (account {account})" if reason == annotation_import.UNLINKED_REASON else reason


def _list_set_aside_items(session: Session, batch: LabelStudioBatch) -> dict[str, tuple[str, ...]]:
    """The ids of the items whose annotations are set aside, by reason; of an adopted project the numbers of tasks."""
    rows = session.exec(
        select(LabelStudioSetAside, Item.external_id)
        .join(
            LabelStudioTask,
            sa.and_(
                col(LabelStudioTask.batch_id) == col(LabelStudioSetAside.batch_id),
                col(LabelStudioTask.remote_id) == col(LabelStudioSetAside.remote_task_id),
            ),
            isouter=True,
        )
        .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id), isouter=True)
        .join(Item, col(Item.id) == col(Assignment.item_id), isouter=True)
        .where(LabelStudioSetAside.batch_id == batch.id)
        .order_by(col(LabelStudioSetAside.annotation_id))
    ).all()
    items: dict[str, dict[str, None]] = defaultdict(dict)
    for row, item in rows:
        known = str(row.remote_task_id) if batch.work is BatchWork.ADOPTED else item
        if known is not None:
            items[_name_reason(row.reason, row.user_id)][known] = None
    return {reason: tuple(names) for reason, names in items.items()}
