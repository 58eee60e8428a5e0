"""Import of a task's annotations as answers: the answers of each account are replaced as a whole.

All of a task is imported in one transaction that first locks its rows, so that of two pulls at once the second finds
nothing left to do. A state of the task that is older than the imported one is ignored.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import BadInput, Stale
from annotation.label_studio import payloads
from annotation.label_studio.server_models import RemoteAnnotation, RemoteTask
from annotation.loading.judgements import label_studio_json, label_studio_values
from annotation.store.models import Assignment, Judgement, LabelStudioBatch, LabelStudioSetAside, LabelStudioTask
from annotation.vocabulary import SECOND_PASS_OCCASION
from annotation.workflow import assignments
from annotation.workflow.assignments import AnnotatorTransaction

UNLINKED_REASON = "nobody is linked to this account"


class AnswerChange(StrEnum):
    """How the stored answer of one annotator changed."""

    ANSWERED = "answered"
    CHANGED = "changed"
    DELETED = "deleted"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class SetAsideAnnotation:
    """An annotation that cannot be stored as an answer, and the reason."""

    annotation_id: int
    remote_task_id: int
    user_id: int | None
    reason: str


@dataclass
class TaskImport:
    """The changes of a task, and its annotations that were set aside."""

    changes: list[AnswerChange] = field(default_factory=list)
    set_aside: list[SetAsideAnnotation] = field(default_factory=list)
    unknown_task: bool = False
    """Whether the task was not sent by us, or is there twice."""


def import_task(
    session: Session,
    batch: LabelStudioBatch,
    definition: ProjectFile,
    task: RemoteTask,
    *,
    annotators: Mapping[int, int],
    now: datetime,
) -> TaskImport:
    """Store what changed in a task on the server; `annotators` are their ids by account."""
    rows = _lock_rows(session, batch, task)
    if not rows:
        return TaskImport(unknown_task=True)
    owner = next(row for row in rows if row[1].annotator_id == batch.annotator_id)
    version = get_last_change(task)
    if owner[0].seen_at is not None and version < owner[0].seen_at:
        return TaskImport()
    annotations: dict[int, list[RemoteAnnotation]] = defaultdict(list)
    result = TaskImport()
    for annotation in task.annotations:
        annotator_id = annotators.get(annotation.completed_by or 0)
        if annotator_id is None:
            result.set_aside.append(set_annotation_aside(task, annotation, UNLINKED_REASON))
        else:
            annotations[annotator_id].append(annotation)
    pairs = {assignment.annotator_id: (row, assignment) for row, assignment in rows}
    for annotator_id in sorted({*annotations, *pairs}, key=lambda number: (number != batch.annotator_id, number)):
        _import_annotator(
            session,
            batch,
            definition,
            task,
            annotator_id,
            annotations[annotator_id],
            pairs.get(annotator_id),
            owner[1],
            result=result,
            now=now,
        )
    store_set_aside(session, batch, task, result.set_aside, now=now)
    owner[0].seen_at = version
    session.add(owner[0])
    session.flush()
    return result


def get_last_change(task: RemoteTask) -> datetime:
    """When the task last changed; the server writes an annotation first, then the time of the task."""
    return max([task.updated_at, *(annotation.updated_at for annotation in task.annotations)])


def select_changed_tasks(
    session: Session, batch: LabelStudioBatch, tasks: Sequence[RemoteTask], *, annotators: Mapping[int, int]
) -> list[RemoteTask]:
    """The tasks that differ from what was imported last, found with two queries for all of them."""
    ids = [task.id for task in tasks]
    query = select(LabelStudioTask.remote_id, Assignment.annotator_id, LabelStudioTask.seen).join(
        Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id)
    )
    seen: dict[int, dict[int, str | None]] = defaultdict(dict)
    rows = query.where(LabelStudioTask.batch_id == batch.id, col(LabelStudioTask.remote_id).in_(ids))
    for remote_id, annotator_id, digest in session.exec(rows):
        seen[remote_id or 0][annotator_id] = digest
    set_aside_query = select(LabelStudioSetAside.remote_task_id).where(
        LabelStudioSetAside.batch_id == batch.id, col(LabelStudioSetAside.remote_task_id).in_(ids)
    )
    set_aside = set(session.exec(set_aside_query))
    return [task for task in tasks if task.id in set_aside or not _is_known(task, seen.get(task.id), annotators)]


def _is_known(task: RemoteTask, seen: Mapping[int, str | None] | None, annotators: Mapping[int, int]) -> bool:
    """Whether the annotations of every annotator are those imported last; `seen` are their hashes by annotator."""
    annotations: dict[int | None, list[RemoteAnnotation]] = defaultdict(list)
    for annotation in task.annotations:
        annotations[annotators.get(annotation.completed_by or 0)].append(annotation)
    if seen is None or not annotations.keys() <= seen.keys():
        return False
    return all(is_same(digest, annotations.get(annotator_id, [])) for annotator_id, digest in seen.items())


def is_same(seen: str | None, annotations: Sequence[RemoteAnnotation]) -> bool:
    """Whether the annotations of an account are those with this hash; None is the hash of none."""
    return not annotations if seen is None else seen == compute_digest(annotations)


def _lock_rows(
    session: Session, batch: LabelStudioBatch, task: RemoteTask
) -> Sequence[tuple[LabelStudioTask, Assignment]]:
    """The rows of the task, locked; a task that was sent and has no id yet is found by our own id."""
    query = (
        select(LabelStudioTask, Assignment)
        .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
        .where(LabelStudioTask.batch_id == batch.id)
        .order_by(col(LabelStudioTask.assignment_id))
        .with_for_update(of=LabelStudioTask)
        .execution_options(populate_existing=True)
    )
    rows = session.exec(query.where(LabelStudioTask.remote_id == task.id)).all()
    assignment_id = task.data.get(label_studio_values.ASSIGNMENT_KEY)
    if rows or not isinstance(assignment_id, int):
        return rows
    sent = query.where(LabelStudioTask.assignment_id == assignment_id, col(LabelStudioTask.remote_id).is_(None))
    rows = session.exec(sent.where(col(LabelStudioTask.sent_at).is_not(None))).all()
    for row, _ in rows:
        row.remote_id = task.id
        session.add(row)
    return rows


def _import_annotator(
    session: Session,
    batch: LabelStudioBatch,
    definition: ProjectFile,
    task: RemoteTask,
    annotator_id: int,
    annotations: Sequence[RemoteAnnotation],
    known: tuple[LabelStudioTask, Assignment] | None,
    batch_assignment: Assignment,
    *,
    result: TaskImport,
    now: datetime,
) -> None:
    if known is not None and is_same(known[0].seen, annotations):
        return
    digest = compute_digest(annotations)
    current = get_current_annotation(annotations)
    try:
        with session.begin_nested():
            transaction = assignments.lock_annotator(session, annotator_id)
            row = known or _borrow_task(transaction, batch, task, batch_assignment, now=now)
            change = _store_answer(transaction, definition, row[1], current, now=now)
            row[0].seen = digest
            session.add(row[0])
            session.flush()
    except (BadInput, Stale) as failure:
        session.expire_all()
        if current is not None:
            result.set_aside.append(set_annotation_aside(task, current, str(failure)))
        return
    if change is not None:
        result.changes.append(change)


def _borrow_task(
    transaction: AnnotatorTransaction,
    batch: LabelStudioBatch,
    task: RemoteTask,
    batch_assignment: Assignment,
    *,
    now: datetime,
) -> tuple[LabelStudioTask, Assignment]:
    """A row for an annotator who answered in the batch of another one."""
    if batch_assignment.occasion == SECOND_PASS_OCCASION:
        raise Stale("This second pass is another annotator's.")
    session = transaction.session
    assignment_id = assignments.assign_outside_batch(transaction, item_id=batch_assignment.item_id, now=now)
    row = session.get(LabelStudioTask, assignment_id)
    if row is not None:
        raise Stale("The annotator has this item in a batch of their own.")
    row = LabelStudioTask(assignment_id=assignment_id, batch_id=batch.id or 0, remote_id=task.id, sent_at=now)
    return row, session.get_one(Assignment, assignment_id)


def _store_answer(
    transaction: AnnotatorTransaction,
    definition: ProjectFile,
    assignment: Assignment,
    current: RemoteAnnotation | None,
    *,
    now: datetime,
) -> AnswerChange | None:
    """Store the present annotation; None where nothing changed."""
    session = transaction.session
    opened = assignments.open_batch_assignment(transaction, assignment_id=assignment.id or 0, now=now)
    before = session.exec(select(Judgement.id).where(Judgement.assignment_id == assignment.id).limit(1)).first()
    if current is not None and current.problem is not None:
        raise BadInput(f"{current.problem}.", remedy="Correct it in Label Studio.")
    if current is None:
        withdrawn = assignments.withdraw_batch_answer(opened, now=now)
        return AnswerChange.DELETED if withdrawn else None
    times: dict[str, Any] = {"seconds": current.lead_time, "at": min(current.updated_at, now)}
    if current.was_cancelled:
        skipped = assignments.skip_batch_item(opened, reason=label_studio_json.SKIP_REASON, **times, now=now)
        return AnswerChange.SKIPPED if skipped else None
    second = assignment.occasion == SECOND_PASS_OCCASION
    first = assignments.get_blind_answers(session, assignment, definition.all_questions[0].name) if second else None
    answers = payloads.read_answers(definition, opened.item, current.result, first=first)
    if not assignments.submit_batch_answer(opened, answers=answers, **times, now=now):
        return None
    return AnswerChange.ANSWERED if before is None else AnswerChange.CHANGED


def get_current_annotation(annotations: Sequence[RemoteAnnotation]) -> RemoteAnnotation | None:
    """The annotation that counts: the latest answer, else the latest skip."""
    ordered = sorted(
        annotations, key=lambda annotation: (not annotation.was_cancelled, annotation.updated_at, annotation.id)
    )
    return ordered[-1] if ordered else None


def compute_digest(annotations: Sequence[RemoteAnnotation]) -> str:
    """The SHA-256 of the annotations of one account."""
    ordered = sorted(annotations, key=lambda annotation: annotation.id)
    content = [
        [annotation.id, annotation.was_cancelled, annotation.problem or annotation.result] for annotation in ordered
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def set_annotation_aside(task: RemoteTask, annotation: RemoteAnnotation, reason: str) -> SetAsideAnnotation:
    """An annotation with the reason why it is not stored."""
    return SetAsideAnnotation(
        annotation_id=annotation.id, remote_task_id=task.id, user_id=annotation.completed_by, reason=reason
    )


def store_set_aside(
    session: Session,
    batch: LabelStudioBatch,
    task: RemoteTask,
    set_aside: Sequence[SetAsideAnnotation],
    *,
    now: datetime,
) -> None:
    """Replace the stored annotations of this task that were set aside."""
    mine = (col(LabelStudioSetAside.batch_id) == batch.id, col(LabelStudioSetAside.remote_task_id) == task.id)
    since = dict(session.exec(select(LabelStudioSetAside.annotation_id, LabelStudioSetAside.since).where(*mine)).all())
    if since:
        session.connection().execute(sa.delete(LabelStudioSetAside).where(*mine))
    rows = [
        {**asdict(entry), "batch_id": batch.id, "since": since.get(entry.annotation_id, now)} for entry in set_aside
    ]
    if rows:
        session.connection().execute(sa.insert(LabelStudioSetAside), rows)
