"""Pull: import what changed in Label Studio since the last pull, task by task.

An interrupted pull is completed by the next one.

The time up to which a batch was read is the server's own time less a margin: what is written at this moment is read
again next time, and what was imported already is known by its hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.label_studio import server_errors
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject, RemoteTask
from annotation.label_studio.sync import accounts, annotation_import, batches, decision_import, server_address
from annotation.label_studio.sync.annotation_import import AnswerChange, TaskImport
from annotation.review_vocabulary import BatchWork
from annotation.store.database import Database
from annotation.store.models import Annotator, LabelStudioBatch, LabelStudioSetAside, Project
from annotation.workflow import definitions

MARGIN = timedelta(seconds=10)
"""How long after the time that the server writes on it a change may become visible."""


@dataclass(frozen=True, kw_only=True)
class PullResult:
    """The changes of one batch. `problem` is why it could not be read as a whole; nothing is lost by it.

    `set_aside` counts the annotations that are no answers, by reason; `missing` the tasks that were deleted on the
    server, `unknown_tasks` those that were not sent by us.
    """

    project: str
    annotator: str
    work: BatchWork
    second: bool
    remote_id: int | None
    read: int = 0
    answered: int = 0
    changed: int = 0
    deleted: int = 0
    skipped: int = 0
    unknown_tasks: int = 0
    missing: int = 0
    set_aside: tuple[tuple[str, int], ...] = ()
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
            "person": self.annotator,
            "work": self.work.value,
            "second": self.second,
            "remote_id": self.remote_id,
            "read": self.read,
            "answered": self.answered,
            "changed": self.changed,
            "deleted": self.deleted,
            "skipped": self.skipped,
            "strange": self.unknown_tasks,
            "missing": self.missing,
            "aside": dict(self.set_aside),
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
    progress: Callable[[float], None] = lambda share: None,  # noqa: ARG005
) -> tuple[PullResult, ...]:
    """Pull the batches of a project, of an annotator, or all on this server; with `everything` from the beginning.

    A batch that cannot be read has a `problem`, and the others are read. Raises Unavailable where the server does not
    answer at all, and BadInput for a token that it does not know.
    """
    server_address.adopt_server(database, client)
    with database.reading() as session:
        rows = batches.list_batches(session, server=client.server_id, project_id=project_id, annotator_id=annotator_id)
    results = []
    for number, (batch, project, annotator) in enumerate(rows):
        results.append(_pull_batch(database, client, batch, project, annotator, clock=clock, everything=everything))
        progress((number + 1) / len(rows))
    return tuple(results)


def _pull_batch(
    database: Database,
    client: Client,
    batch: LabelStudioBatch,
    project: Project,
    annotator: Annotator,
    *,
    clock: Callable[[], datetime],
    everything: bool,
) -> PullResult:
    key = {
        "project": project.name,
        "annotator": annotator.pseudonym,
        "work": batch.work,
        "second": batch.second,
        "remote_id": batch.remote_id,
    }
    if batch.remote_id is None:
        return PullResult(**key)  # type: ignore[arg-type]
    counts: Counter[str] = Counter()
    problem = None
    try:
        remote = client.get_project(batch.remote_id)
        _refuse_changed_config(batch, remote, url=client.url)
        read_until = (client.server_time or estimate_server_time(batch, clock)) - MARGIN
        since = None if everything else batch.watermark
        definition = definitions.get_project_definition(project)
        for page in client.list_task_pages(remote.id, since=since):
            with database.reading() as session:
                annotators = accounts.map_accounts_to_annotators(session, server=client.server_id)
                changed_tasks = _select_changed_tasks(session, batch, page, annotators)
            counts["read"] += len(page)
            for task in changed_tasks:
                with database.transaction() as session:
                    task_import = _import_task(session, batch, definition, task, annotators, clock())
                _count_changes(counts, task_import)
        with database.transaction() as session:
            batches.advance_watermark(session, batch.id or 0, read_until)
            counts["missing"] = _count_missing_tasks(session, batch, remote)
    except (BadInput, Conflict, NotFound) as failure:
        client.get_own_account()  # raises where it is the server or the token, and not this batch
        problem = str(failure)
    with database.reading() as session:
        set_aside = _count_set_aside(session, batch)
    return PullResult(**key, **counts, set_aside=set_aside, problem=problem)  # type: ignore[arg-type]


def _select_changed_tasks(
    session: Session, batch: LabelStudioBatch, tasks: Sequence[RemoteTask], annotators: Mapping[int, int]
) -> list[RemoteTask]:
    if batch.work is BatchWork.ANSWERS:
        return annotation_import.select_changed_tasks(session, batch, tasks, annotators=annotators)
    return decision_import.select_changed_decisions(session, batch, tasks, annotators=annotators)


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
    return decision_import.import_decision(session, batch, task, annotators=annotators, now=now)


def estimate_server_time(batch: LabelStudioBatch, clock: Callable[[], datetime]) -> datetime:
    """The server's time where a proxy removed it from the answer: our own clock, an hour back."""
    return max(batch.watermark or batch.created_at, clock() - timedelta(hours=1))


def _refuse_changed_config(batch: LabelStudioBatch, remote: RemoteProject, *, url: str) -> None:
    if batch.config_sha256 not in {None, batches.compute_config_digest(remote.label_config)}:
        raise Conflict(
            "The questions of this batch were changed in Label Studio, so that its answers could mean something else.",
            where=Where(file=server_errors.strip_credentials(url), field=f"project {remote.id}"),
            remedy="Push it again, which restores them; the next pull reads all that came meanwhile.",
        )


def _count_changes(counts: Counter[str], task_import: TaskImport) -> None:
    counts["unknown_tasks"] += task_import.unknown_task
    fields = {
        AnswerChange.ANSWERED: "answered",
        AnswerChange.CHANGED: "changed",
        AnswerChange.DELETED: "deleted",
        AnswerChange.SKIPPED: "skipped",
    }
    counts.update(fields[change] for change in task_import.changes)


def _count_missing_tasks(session: Session, batch: LabelStudioBatch, remote: RemoteProject) -> int:
    """How many of the tasks that were sent are not on the server any more."""
    sent = batches.count_tasks(session, batch)
    return max(0, sent - (remote.task_number or 0)) if remote.task_number is not None else 0


def _count_set_aside(session: Session, batch: LabelStudioBatch) -> tuple[tuple[str, int], ...]:
    query = select(LabelStudioSetAside.reason, LabelStudioSetAside.user_id, func.count()).where(
        LabelStudioSetAside.batch_id == batch.id
    )
    rows = session.exec(query.group_by(col(LabelStudioSetAside.reason), col(LabelStudioSetAside.user_id))).all()
    reasons: Counter[str] = Counter()
    for reason, account, number in rows:
        reasons[f"{reason} (account {account})" if reason == annotation_import.UNLINKED_REASON else reason] += number
    return tuple(sorted(reasons.items()))
