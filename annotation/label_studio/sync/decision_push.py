"""Push of what somebody decides on: a project of their own, filled up to a number of cases or answers.

As in every push, rows are committed before they are sent and marked as sent before the request; after a request that
failed, the next push looks up by our own numbers what arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session, col

from annotation.errors import NotFound
from annotation.label_studio import configs, decision_controls
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject
from annotation.label_studio.sync import (
    accounts,
    batches,
    decision_tasks,
    decision_work,
    remote_projects,
    server_address,
    task_upload,
)
from annotation.label_studio.sync.batches import BatchHolder
from annotation.label_studio.texts import load_texts
from annotation.review_vocabulary import BatchWork
from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import Annotator, LabelStudioBatch, LabelStudioReviewTask, Project
from annotation.workflow import definitions
from annotation.workflow.review import cases, reviewers
from annotation.workflow.review.submissions import SubmissionSample


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
    `answered` were decided there and are not pulled yet. `elsewhere` wait in the projects of others. `is_new` says that
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
    settle: float = task_upload.SETTLE_SECONDS,
) -> DecisionPush:
    """Fill the project of an adjudicator or a reviewer. Raises Conflict while another push fills it, and for somebody
    who is suspended; NotFound for an unknown pseudonym; and the errors of the client: the next push then goes on.
    """
    server_address.adopt_server(database, client)
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
        return _DecisionPush(database, client, order, clock, holder, batch_id, project, person).run(settle=settle)
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

    def run(self, *, settle: float) -> DecisionPush:
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
                select_unsent=decision_tasks.select_unsent,
                build=self._build_tasks,
            ),
            clock=self.clock,
            extend_hold=self._extend_hold,
        )
        recovered = upload.recover(settle=settle)
        changes = decision_tasks.refresh_tasks(
            self.database, self.client, batch_id=self.batch_id, number=self.order.number, sample=self.order.sample
        )
        sent = upload.send()
        with self.database.reading() as session:
            known = accounts.map_accounts_to_annotators(session, server=self.client.server_id)
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
            is_new=is_new,
            linked=self.person.id in known.values(),
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
            empty_allowed=False,
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
        return [
            decision_tasks.record_content(session, session.get_one(LabelStudioReviewTask, number), work)
            for number in numbers
        ]

    def _extend_hold(self) -> None:
        """Hold the batch for longer; raises Conflict where another push took it meanwhile."""
        with self.database.transaction() as session:
            batches.hold_batch(session, self.batch_id, by=self.holder, now=self.clock())
