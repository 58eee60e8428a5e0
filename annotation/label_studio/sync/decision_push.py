"""Push of what somebody decides on: a project of their own, filled up to a number of cases or answers.

As in every push, rows are committed before they are sent and marked as sent before the request; after a request that
failed, the next push looks up by our own numbers what arrived.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotation.errors import NotFound
from annotation.label_studio import configs
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject
from annotation.label_studio.sync import batches, decision_work, queues, remote_projects, task_upload
from annotation.label_studio.sync.batches import BatchHolder
from annotation.label_studio.sync.decision_work import DecisionWork
from annotation.label_studio.texts import load_texts
from annotation.label_studio_controls import decision_controls
from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import (
    IS_KNOWN,
    AdjudicationCase,
    Annotator,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    Project,
)
from annotation.vocabulary import BatchWork
from annotation.workflow import definitions
from annotation.workflow.review import cases, reviewers
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
        IS_KNOWN,
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


@dataclass(frozen=True, kw_only=True)
class DecisionOrder:
    """Who is to decide on what, and how many tasks are to wait for them in all: with fewer, unanswered ones go again.

    `question` is the adjudicated one, empty for reviews; `sample` says which answers are reviewed.
    """

    project: str
    person: str
    work: BatchWork
    number: int
    question: str = ""
    sample: SubmissionSample = field(default_factory=SubmissionSample)


@dataclass(frozen=True, kw_only=True)
class DecisionPush:
    """A batch after its push: tasks that wait; of them sent, and found there again.

    `withdrawn` were taken away because they were decided elsewhere, or wait no more; `updated` show what changed since.
    `answered` were decided there and are not pulled yet. `elsewhere` wait in the projects of others.
    `sent_again` are the items of tasks that somebody deleted there: they wait on, and go again. `is_new` says that
    the project had been deleted there and was made anew, `linked` that the person has an account.
    """

    project: str
    person: str
    work: str
    question: str
    remote_id: int
    address: str
    waiting: int
    sent: int
    recovered: int
    withdrawn: int
    updated: int
    answered: int
    elsewhere: int
    sent_again: tuple[str, ...]
    is_new: bool
    linked: bool

    def as_json(self) -> dict[str, object]:
        """The result with the keys of `--json`."""
        return asdict(self)


def push_decisions(
    database: Database,
    client: Client,
    order: DecisionOrder,
    *,
    clock: Callable[[], datetime],
) -> DecisionPush:
    """Fill the project of an adjudicator or a reviewer. Raises Conflict while another push fills it, and for somebody
    who is suspended; NotFound for an unknown pseudonym; and the errors of the client: the next push then goes on.
    """
    remote_projects.adopt_server(database, client)
    holder = batches.create_holder()
    with database.transaction() as session:
        project = queries.get_project(session, order.project)
        person = reviewers.get_reviewer(session, order.person)
        batch = batches.ensure_batch(
            session,
            project=project,
            annotator=person,
            server=client.server_id,
            work=order.work,
            question=order.question,
            now=clock(),
        )
        batch_id = batch.id or 0
        batches.hold_batch(session, batch_id, by=holder, now=clock())
    try:
        return _DecisionPush(database, client, order, clock, holder, batch_id, project, person).run()
    finally:
        with database.transaction() as session:
            batches.release_batch(session, batch_id, by=holder)


@dataclass
class _DecisionPush:
    """One push at work."""

    database: Database
    client: Client
    order: DecisionOrder
    clock: Callable[[], datetime]
    holder: BatchHolder
    batch_id: int
    project: Project
    person: Annotator

    def run(self) -> DecisionPush:
        """Ensure the project, recover a failed request, bring its tasks up to date, send new ones."""
        remote, is_new = self._ensure_remote_project()
        upload = task_upload.TaskUpload(
            self.database,
            self.client,
            batch_id=self.batch_id,
            remote_id=remote.id,
            kind=task_upload.TaskKind(
                table=LabelStudioReviewTask,
                number=col(LabelStudioReviewTask.id),
                key=decision_controls.TASK_KEY,
                select_unsent=select_unsent,
                build=self._build_tasks,
                most=task_upload.count_tasks_per_request(definitions.get_project_definition(self.project)),
            ),
            clock=self.clock,
            holder=self.holder,
        )
        recovered = upload.recover()
        with self.database.reading() as session:
            batch = session.get_one(LabelStudioBatch, self.batch_id)
        sent_again = queues.detach_deleted_tasks(self.database, self.client, batch, clock=self.clock)
        changes = refresh_tasks(
            self.database, self.client, batch_id=self.batch_id, number=self.order.number, sample=self.order.sample
        )
        sent = upload.send()
        with self.database.reading() as session:
            annotator_ids = remote_projects.map_accounts_to_annotators(session, server=self.client.server_id)
        return DecisionPush(
            project=self.project.name,
            person=self.person.pseudonym,
            work=self.order.work.value,
            question=self.order.question,
            remote_id=remote.id,
            address=self.client.build_work_address(remote.id),
            waiting=changes.kept + sent,
            sent=sent,
            recovered=recovered,
            withdrawn=changes.withdrawn,
            updated=changes.updated,
            answered=changes.answered,
            elsewhere=changes.elsewhere,
            sent_again=sent_again,
            is_new=is_new,
            linked=self.person.id in annotator_ids.values(),
        )

    def _ensure_remote_project(self) -> tuple[RemoteProject, bool]:
        """The project on the server, and whether it was made anew because the old one had been deleted there."""
        definition = definitions.get_project_definition(self.project)
        is_review = self.order.work is BatchWork.REVIEW
        config = (
            configs.render_review_config(definition)
            if is_review
            else configs.render_adjudication_config(definition, cases.get_question(self.project, self.order.question))
        )
        instructions = configs.render_instructions(definition, text=self.project.instructions)
        settings = remote_projects.RemoteSettings(
            title=self.project.title,
            work=load_texts(definition.language)(self.order.work.value.replace(" ", "-")),
            pseudonym=self.person.pseudonym,
            config=config,
            instructions=configs.render_decision_instructions(definition, review=is_review, instructions=instructions),
        )
        try:
            return remote_projects.ensure_remote_project(
                self.database, self.client, settings, batch_id=self.batch_id
            ), False
        except NotFound:
            with self.database.transaction() as session:
                batches.reset_batch(session, self.batch_id)
            return remote_projects.ensure_remote_project(
                self.database, self.client, settings, batch_id=self.batch_id
            ), True

    def _build_tasks(self, session: Session, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """The tasks with these numbers, in their order; what each of them shows is stored with it."""
        work = decision_work.load_work(
            session, session.get_one(LabelStudioBatch, self.batch_id), sample=self.order.sample
        )
        return [record_content(session, session.get_one(LabelStudioReviewTask, number), work) for number in numbers]
