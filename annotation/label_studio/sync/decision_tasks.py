"""The tasks of a batch on which somebody decides: chosen, kept up to date, and taken away where they wait no more.

Requests can be repeated without harm. A task that has an annotation is never touched: the next pull reads it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotation.errors import NotFound
from annotation.label_studio.client import Client
from annotation.label_studio.sync import decision_work, task_upload
from annotation.label_studio.sync.decision_work import DecisionWork
from annotation.store.database import Database
from annotation.store.models import (
    AdjudicationCase,
    Annotator,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
)
from annotation.workflow.review.submissions import SubmissionSample


@dataclass(frozen=True, kw_only=True)
class TaskChanges:
    """What was done with the tasks of a batch before new ones are sent; see `DecisionPush`."""

    kept: int
    withdrawn: int
    updated: int
    answered: int
    elsewhere: int


def refresh_tasks(
    database: Database, client: Client, *, batch_id: int, number: int, sample: SubmissionSample
) -> TaskChanges:
    """Take tasks away that wait no more, update those that changed, and record new ones up to `number` in all."""
    with database.reading() as session:
        plan = _make_plan(session, session.get_one(LabelStudioBatch, batch_id), number=number, sample=sample)
    blocked = {row.id for row in plan.gone if not _withdraw_task(database, client, row)}
    withdrawn = [row for row in plan.gone if row.id not in blocked and row.id not in plan.outdated]
    answered = len(blocked)
    for row in plan.changed:
        if client.has_annotations(row.remote_id or 0):
            answered += 1
        else:
            _update_task(database, client, row.id or 0, sample)
    remaining = [row for row in plan.kept if row.id not in plan.outdated or row.id in blocked]
    fresh = [subject for subject in plan.fresh if subject not in plan.rows or plan.rows[subject].id not in blocked]
    with database.transaction() as session:
        for subject in fresh[: max(0, number - len(remaining))]:
            if subject in plan.rows:
                _forget_task(session, plan.rows[subject])
            task = LabelStudioReviewTask(id=1 + secrets.randbelow(2**31 - 1), batch_id=batch_id)
            setattr(task, plan.column, subject)
            session.add(task)
            session.flush()
    return TaskChanges(
        kept=sum(row.remote_id is not None for row in remaining),
        withdrawn=sum(row.remote_id is not None for row in withdrawn),
        updated=len(plan.changed) + len(blocked) - answered,
        answered=answered,
        elsewhere=plan.elsewhere,
    )


@dataclass(kw_only=True)
class _Plan:
    """What is to be done with the tasks of a batch; `column` names what they are about, `fresh` are its values to send.

    `kept` wait on, `gone` are to be taken away, `outdated` (by id) of both show what was changed in substance since,
    and `changed` what was changed otherwise.
    """

    column: str
    rows: dict[int, LabelStudioReviewTask]
    kept: list[LabelStudioReviewTask]
    gone: list[LabelStudioReviewTask]
    outdated: set[int | None]
    changed: list[LabelStudioReviewTask]
    fresh: list[int]
    elsewhere: int


def _make_plan(session: Session, batch: LabelStudioBatch, *, number: int, sample: SubmissionSample) -> _Plan:
    work = decision_work.load_work(session, batch, sample=sample)
    waiting, column = work.list_waiting(), work.subject
    rows = {getattr(row, column): row for row in _list_rows(session, batch.id or 0)}
    held = _list_held_elsewhere(session, batch, column)
    again = {subject for subject in waiting if subject in rows and _waits_again(session, work, rows[subject])}
    in_hand = [rows[subject] for subject in waiting if subject in rows and subject not in again]
    kept = in_hand[:number]
    outdated = {row.id for row in in_hand if work.is_outdated(row)}
    unanswered = [row for subject, row in rows.items() if row.seen is None and subject not in again]
    return _Plan(
        column=column,
        rows=rows,
        kept=kept,
        gone=[row for row in unanswered if row not in kept or row.id in outdated],
        outdated=outdated,
        changed=[
            row for row in kept if row.id not in outdated and row.remote_id is not None and _is_changed(work, row)
        ],
        fresh=[
            subject
            for subject in waiting
            if subject in again or (rows[subject].id in outdated if subject in rows else subject not in held)
        ],
        elsewhere=sum(subject in held and subject not in rows for subject in waiting),
    )


def record_content(session: Session, row: LabelStudioReviewTask, work: DecisionWork) -> dict[str, Any]:
    """The task of a row, whose content is stored with it; candidates of earlier contents stay known."""
    built = work.build_task(row)
    row.revision, row.content_sha256 = built.revision, _compute_content_digest(built.task)
    row.candidates = list(dict.fromkeys([*(row.candidates or ()), *built.candidates]))
    session.add(row)
    session.flush()
    return built.task


def select_unsent(batch_id: int) -> SelectOfScalar[Any]:
    """The numbers of tasks that are to be sent, cases in their random order, as many as one request carries."""
    query = select(LabelStudioReviewTask.id).outerjoin(
        AdjudicationCase, col(AdjudicationCase.id) == col(LabelStudioReviewTask.case_id)
    )
    unsent = query.where(
        LabelStudioReviewTask.batch_id == batch_id,
        col(LabelStudioReviewTask.remote_id).is_(None),
        col(LabelStudioReviewTask.sent_at).is_(None),
    )
    order = (col(AdjudicationCase.position), col(AdjudicationCase.id), col(LabelStudioReviewTask.assignment_id))
    return unsent.order_by(*order).limit(task_upload.TASKS_PER_REQUEST)


def _list_rows(session: Session, batch_id: int) -> Sequence[LabelStudioReviewTask]:
    return session.exec(select(LabelStudioReviewTask).where(LabelStudioReviewTask.batch_id == batch_id)).all()


def _list_held_elsewhere(session: Session, batch: LabelStudioBatch, subject: str) -> set[int]:
    """What waits in the projects of others, unanswered: nobody else is offered it there meanwhile.

    Those who are suspended or forgotten hold nothing.
    """
    column = getattr(LabelStudioReviewTask, subject)
    query = select(column).join(LabelStudioBatch, col(LabelStudioBatch.id) == col(LabelStudioReviewTask.batch_id))
    others = query.join(Annotator, col(Annotator.id) == col(LabelStudioBatch.annotator_id)).where(
        LabelStudioBatch.annotator_id != batch.annotator_id,
        col(Annotator.suspended_at).is_(None),
        col(Annotator.forgotten_at).is_(None),
        col(LabelStudioReviewTask.seen).is_(None),
        column.is_not(None),
    )
    return set(session.exec(others))


def _waits_again(session: Session, work: DecisionWork, row: LabelStudioReviewTask) -> bool:
    """Whether a task was answered and its subject waits once more: taken back here, fixed, or corrected since."""
    if row.seen is not None:
        return True
    refused = select(LabelStudioSetAside.annotation_id).where(
        LabelStudioSetAside.batch_id == row.batch_id, LabelStudioSetAside.remote_task_id == row.remote_id
    )
    return work.is_outdated(row) and session.exec(refused).first() is not None


def _is_changed(work: DecisionWork, row: LabelStudioReviewTask) -> bool:
    return _compute_content_digest(work.build_task(row).task) != row.content_sha256


def _compute_content_digest(task: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(task, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _withdraw_task(database: Database, client: Client, row: LabelStudioReviewTask) -> bool:
    """Delete a task there and its row here; False where it was answered meanwhile, which the next pull imports."""
    if row.remote_id is not None:
        if client.has_annotations(row.remote_id):
            return False
        with suppress(NotFound):
            client.delete_task(row.remote_id)
    with database.transaction() as session:
        _forget_task(session, row)
    return True


def _forget_task(session: Session, row: LabelStudioReviewTask) -> None:
    """Delete the row of a task; a task that was answered stays there as it is."""
    aside = (LabelStudioSetAside.batch_id == row.batch_id, LabelStudioSetAside.remote_task_id == row.remote_id)
    session.connection().execute(sa.delete(LabelStudioSetAside).where(*aside))  # type: ignore[arg-type]
    session.connection().execute(sa.delete(LabelStudioReviewTask).where(col(LabelStudioReviewTask.id) == row.id))
    session.expire_all()


def _update_task(database: Database, client: Client, number: int, sample: SubmissionSample) -> None:
    """Show what a task is about as it is now; what it showed before is still understood."""
    with database.transaction() as session:
        row = session.get_one(LabelStudioReviewTask, number)
        before, batch = row.content_sha256, session.get_one(LabelStudioBatch, row.batch_id)
        task = record_content(session, row, decision_work.load_work(session, batch, sample=sample))
        row.content_sha256, remote_id = before, row.remote_id or 0
    with suppress(NotFound):
        client.update_task(remote_id, task)
    with database.transaction() as session:
        session.get_one(LabelStudioReviewTask, number).content_sha256 = _compute_content_digest(task)
