"""What the dashboard shows of the database at one moment: every project, and what waits for the bot."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import models, processes, queries
from annotation.store.database import Database
from annotation.workflow import definitions, panels
from annotation.workflow.monitoring import blindness, campaign_status, decisions, needs, progress
from annotation.workflow.monitoring.campaign_status import WaitingDeliveries
from annotation.workflow.monitoring.decisions import Dispute, OpenQuestion
from annotation.workflow.monitoring.machine import MachineFacts
from annotation.workflow.monitoring.needs import Need
from annotation.workflow.monitoring.progress import ItemTally, Progress, list_item_progress, list_reported_items
from annotation.workflow.panels import PanelCounts
from annotation.workflow.review import cases
from annotation.workflow.review.cases import OpenReport
from exports.pages.localization import mark_text

Signature = tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class ProjectState:
    """A project as the dashboard shows it; with `is_blind` scores, votes and agreement are hidden from who reads it.

    `is_simulated` says that simulated annotators take part; `panels` how far each panel is, by name.
    """

    name: str
    title: str
    language: str
    kind: str
    status: str
    is_blind: bool
    is_simulated: bool
    progress: Progress
    end: datetime | None
    panels: Mapping[str, PanelCounts]


@dataclass(frozen=True, kw_only=True)
class WaitingRows:
    """What waits in a project, row by row: questions, reports, items to adjudicate, and the items reported most.

    `no_disputes` says why items to adjudicate are not looked for, empty if they are.
    """

    questions: Sequence[OpenQuestion] = ()
    reports: Sequence[OpenReport] = ()
    disputes: Sequence[Dispute] = ()
    no_disputes: str = ""
    reported: Sequence[ItemTally] = ()


BLIND_DISPUTES = mark_text("Disputes are not looked for until the baseline is closed.")
FREE_DISPUTES = mark_text("Disputes are looked for in questions with one option per answer; there is none here.")


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """All projects and waiting deliveries at the time `at` of the database's clock; reading took `seconds`.

    `needs` is what needs the organisers, the most urgent first, and the projects are in that order. `is_bot_working`
    says whether a bot works on the database.
    """

    at: datetime
    seconds: float
    projects: tuple[ProjectState, ...]
    deliveries: WaitingDeliveries
    needs: tuple[Need, ...]
    is_bot_working: bool

    def find_project(self, name: str) -> ProjectState | None:
        """The project of that name, if there is one."""
        return next((project for project in self.projects if project.name == name), None)


@dataclass(kw_only=True)
class SnapshotReader:
    """Reads the database for the dashboard.

    With `unblind` it shows results of blind projects too, and writes into the journal that it did, once for each
    project and process: this is all that it writes. `time_zone` is that of people who have not told theirs,
    `look_at_machine` says how the disk and the backups are, None if that is not looked at.
    """

    database: Database
    unblind: bool = False
    time_zone: str = "UTC"
    look_at_machine: Callable[[], MachineFacts] | None = None
    _recorded: set[int] = field(default_factory=set)
    _recording: threading.Lock = field(default_factory=threading.Lock)

    def read_signature(self) -> Signature:
        """Values that change with most events, cheap to read however large the database is.

        What they miss is seen when the snapshot is next read by time."""
        with self.database.reading() as view:
            newest = sa.select(
                *(
                    sa.select(sa.func.max(key)).scalar_subquery()
                    for key in (
                        models.Judgement.id,
                        models.Journal.id,
                        models.SupportMessage.id,
                        models.Report.id,
                        models.Adjudication.id,
                    )
                ),
                *(
                    sa.select(sa.func.count()).select_from(table).where(condition).scalar_subquery()
                    for table, condition in (
                        (models.Inbox, col(models.Inbox.done_at).is_(None)),
                        (models.Outbox, col(models.Outbox.reason).is_(None)),
                        (models.SupportMessage, col(models.SupportMessage.answered_at).is_not(None)),
                    )
                ),
                sa.select(sa.func.count()).select_from(models.Project).scalar_subquery(),
            )
            return tuple(view.connection().execute(newest).one())

    def read_snapshot(self) -> Snapshot:
        """Read all projects, and record what `unblind` shows; raises HromadaError if the database does not answer."""
        started = time.monotonic()
        self._record_unblinding()
        with self.database.reading() as view:
            now = processes.get_database_time(view)
            loaded = queries.list_projects(view)
            measured = {project.id or 0: progress.measure_progress(view, project, now=now) for project in loaded}
            machine = None if self.look_at_machine is None else self.look_at_machine()
            found = needs.list_needs(view, now=now, default_zone=self.time_zone, machine=machine, measured=measured)
            return Snapshot(
                at=now,
                projects=tuple(
                    self._read_project(view, project, measured[project.id or 0], now)
                    for project in needs.rank_projects(found, loaded)
                ),
                deliveries=campaign_status.count_waiting_deliveries(view, now=now),
                needs=found,
                is_bot_working=needs.is_bot_working(view, now=now),
                seconds=time.monotonic() - started,
            )

    def read_items(self, name: str, *, after: str) -> list[ItemTally]:
        """One screenful of a project's items, those after `after`, with votes that may be seen; raises NotFound."""
        with self.database.reading() as view:
            project = queries.get_project(view, name)
            return list_item_progress(view, project, after=after, with_votes=not self._is_blind(view, project))

    def read_waiting_rows(self, name: str) -> WaitingRows:
        """What waits in a project, row by row; raises NotFound."""
        with self.database.reading() as view:
            project = queries.get_project(view, name)
            return WaitingRows(
                questions=decisions.list_open_questions(view, project),
                reports=cases.list_open_reports(view, project_id=project.id),
                no_disputes=_explain_no_disputes(view, project),
                disputes=decisions.list_disputes(view, project, now=processes.get_database_time(view)),
                reported=list_reported_items(view, project, with_votes=not self._is_blind(view, project)),
            )

    def _is_blind(self, view: Session, project: models.Project) -> bool:
        return not self.unblind and blindness.is_blind(view, project)

    def _read_project(self, view: Session, project: models.Project, measured: Progress, now: datetime) -> ProjectState:
        simulated = (
            select(models.Participation.annotator_id)
            .join(models.Annotator, col(models.Annotator.id) == col(models.Participation.annotator_id))
            .where(models.Participation.project_id == project.id, col(models.Annotator.simulated))
        )
        return ProjectState(
            name=project.name,
            title=project.title,
            language=project.language,
            kind=str(project.definition.get("kind", "annotation")),
            status=project.status.value,
            is_blind=self._is_blind(view, project),
            is_simulated=(view.exec(simulated.limit(1)).first() is not None),
            progress=measured,
            end=measured.estimate_end(project.status, now=now),
            panels=panels.count_panels(view, project, definitions.get_project_definition(project)),
        )

    def _record_unblinding(self) -> None:
        """Record, once for each project and process, that results of a blind project are shown."""
        if not self.unblind:
            return
        with self._recording:
            with self.database.reading() as view:
                loaded = [project for project in queries.list_projects(view) if project.id not in self._recorded]
                blind = [project.name for project in blindness.list_blind_projects(view, loaded)]
            if not blind:
                return
            with self.database.transaction() as transaction:
                projects = [queries.get_project(transaction, name) for name in blind]
                now = processes.get_database_time(transaction)
                blindness.record_unblinding(transaction, projects, by="dashboard --unblind", now=now)
                self._recorded |= {project.id or 0 for project in projects}


def _explain_no_disputes(view: Session, project: models.Project) -> str:
    """Why items to adjudicate are not looked for in a project, a text to translate; empty if they are."""
    if blindness.is_blind(view, project):
        return BLIND_DISPUTES
    questions = definitions.get_project_definition(project).all_questions
    return "" if any(question.takes_one_option for question in questions) else FREE_DISPUTES
