"""Import of decisions: what an adjudicator or a reviewer submitted in Label Studio, one task in one transaction.

An annotation that was changed takes the decision back that it made and decides anew; one that was deleted takes it
back. What cannot be decided any more is set aside with the reason, and tried again while it is there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.errors import BadInput, Conflict, NotFound, Refused, Stale
from annotation.label_studio import decision_controls
from annotation.label_studio.server_models import RemoteAnnotation, RemoteTask
from annotation.label_studio.sync import annotation_import, decision_work
from annotation.label_studio.sync.annotation_import import AnswerChange, SetAsideAnnotation, TaskImport
from annotation.store.models import LabelStudioBatch, LabelStudioReviewTask, LabelStudioSetAside

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
        [one.id, one.was_cancelled, one.problem or one.result, one.updated_at.isoformat()]
        for one in sorted(annotations, key=lambda annotation: annotation.id)
    ]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest() if content else None


def _list_own(batch: LabelStudioBatch, task: RemoteTask, annotators: Mapping[int, int]) -> list[RemoteAnnotation]:
    """The annotations by the person whose batch it is."""
    return [one for one in task.annotations if annotators.get(one.completed_by or 0) == batch.annotator_id]


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
            result.set_aside.append(_set_aside_decision(task, current, failure))
        return
    if change is not None:
        result.changes.append(change)


def _set_aside_decision(task: RemoteTask, annotation: RemoteAnnotation, failure: Exception) -> SetAsideAnnotation:
    """The annotation with its item and the reason: of decisions each is told of by itself."""
    item = task.data.get("item", task.id)
    return annotation_import.set_annotation_aside(task, annotation, f"{item}: {failure}")


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
