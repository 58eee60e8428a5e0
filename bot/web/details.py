"""The slower numbers of a project, measured by a process of their own: its people, what does not count, agreement."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import time
from collections.abc import Collection, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from time import monotonic

import sqlalchemy as sa
from sqlmodel import Session, col

from aggregation.agreement.table import Coefficient
from aggregation.errors import HromadaError
from annotation.label_studio.sync.people import PeopleStatus, read_people_status
from annotation.store import database, judgements, processes, queries
from annotation.store.models import Annotator, Assignment, Judgement, Project
from annotation.workflow.annotators import roster
from annotation.workflow.monitoring import blindness, campaign_status
from bot.web.snapshots import Signature
from exports.pages.localization import mark_text

log = logging.getLogger(__name__)
LEAST_SECONDS = 15.0
"""Seconds at least from one measurement of a project to the next."""
COST = 20
"""A measurement is repeated after so many times what it took: it takes a twentieth of one core at most."""
MOST_SECONDS = 600.0
"""Seconds after which a measurement is given up and its process ended."""
RETRY_SECONDS = 15.0


@dataclass
class _Measured:
    """The newest details of a project, of which state of the database, and when they may be measured again."""

    details: ProjectDetails | None
    signature: Signature
    due: float


@dataclass(kw_only=True)
class DetailMeter:
    """Measures the details of the projects that somebody looks at, one at a time."""

    url: str
    unblind: bool
    answer_seconds: float
    _measured: dict[str, _Measured] = field(default_factory=dict)
    _pool: ProcessPoolExecutor | None = None

    def get(self, name: str) -> ProjectDetails | None:
        """The newest details of a project, None until they were measured once."""
        measured = self._measured.get(name)
        return None if measured is None else measured.details

    async def measure_next(self, names: Collection[str], signature: Signature) -> bool:
        """Measure one of the projects whose details are due, and say whether there was one.

        They are due where the database has changed since, as `signature` tells, and enough time has passed.
        """
        for name in names:
            last = self._measured.get(name)
            if last is None or (monotonic() >= last.due and (last.signature != signature or last.details is None)):
                await self._measure(name, signature)
                return True
        return False

    async def _measure(self, name: str, signature: Signature) -> None:
        started = monotonic()
        details = self.get(name)
        measure = partial(measure_details, unblind=self.unblind, answer_seconds=self.answer_seconds)
        try:
            async with asyncio.timeout(MOST_SECONDS):
                details = await asyncio.get_running_loop().run_in_executor(self._get_pool(), measure, self.url, name)
        except (HromadaError, BrokenProcessPool, TimeoutError) as failure:
            log.warning("The details of %s cannot be measured now: %s", name, type(failure).__name__)
            if not isinstance(failure, HromadaError):
                self.close()
            due = monotonic() + RETRY_SECONDS
        else:
            due = monotonic() + max(LEAST_SECONDS, COST * (monotonic() - started))
        self._measured[name] = _Measured(details=details, signature=signature, due=due)

    def _get_pool(self) -> ProcessPoolExecutor:
        """The process, started at the first use: by spawn, as the threads of this one cannot be forked."""
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=stand_back)
        return self._pool

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())  # noqa: SLF001  # 3.11 cannot end them otherwise
        for process in processes:
            with suppress(ProcessLookupError, OSError):
                process.kill()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = None


NICENESS = 19
"""How far the process stands back behind the bot for the processor, in steps of the system."""
NO_STUDIO = PeopleStatus(people=())
NOBODY = mark_text("Agreement appears once two people have answered an item.")


@dataclass(frozen=True, kw_only=True)
class PersonState:
    """An annotator in a project: items done, items in an active hour, control items answered (and right), flags.

    `controls_right` is None while the project is blind; `flagged` counts final answers that a quality rule flagged,
    `excluded` those that do not count by a rule or a decision. `until` is when the status ends.
    """

    pseudonym: str
    status: str
    reason: str
    stage: str
    items: int
    per_hour: float | None
    controls: int
    controls_right: int | None
    flagged: int
    excluded: int
    until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ProjectDetails:
    """The slower numbers of a project at the time `at`, which took so many `seconds`.

    `agreement` has the coefficients to report, the headline one first. It is empty for the reason in `no_agreement`: a
    blind project, too few answers, or a computation that was refused. `excluded` counts final answers that do not
    count, by reason. `funnel` has the number of people at each step, None where it is not known. `studio` is the work
    in Label Studio, as `hromada label-studio status` shows it.
    """

    at: datetime
    seconds: float
    people: tuple[PersonState, ...]
    excluded: Mapping[str, int]
    funnel: Mapping[str, int | None]
    is_blind: bool
    agreement: tuple[Coefficient, ...] = ()
    no_agreement: str = ""
    studio: PeopleStatus = NO_STUDIO


def stand_back() -> None:
    """Let other processes, the bot above all, have the processor first."""
    os.nice(NICENESS)


def measure_details(url: str, name: str, *, unblind: bool, answer_seconds: float) -> ProjectDetails:
    """Measure the details of a project; raises HromadaError where it is not there or the database does not answer."""
    started = time.monotonic()
    with database.open_database(url, answer_seconds=answer_seconds) as opened, opened.reading() as view:
        project = queries.get_project(view, name)
        blind = not unblind and blindness.is_blind(view, project)
        status = campaign_status.get_campaign_status(view, project)
        now = processes.get_database_time(view)
        people = _list_people(view, project, now=now, blind=blind)
        agreement, reason = ((), "") if blind else _measure_agreement(view, project)
        studio = read_people_status(view, now=now, project_id=project.id)
    return ProjectDetails(
        at=now,
        people=people,
        excluded=status.excluded,
        funnel=vars(status.funnel),
        is_blind=blind,
        agreement=agreement,
        no_agreement=reason,
        studio=studio,
        seconds=time.monotonic() - started,
    )


def _list_people(view: Session, project: Project, *, now: datetime, blind: bool) -> tuple[PersonState, ...]:
    """The annotators of a project, those who answered most first."""
    counts = _count_marks(view, project)
    people = []
    for entry in roster.get_roster(view, project=project, now=now).annotators:
        flagged, excluded = counts.get(entry.pseudonym, (0, 0))
        people.append(
            PersonState(
                pseudonym=entry.pseudonym,
                status=entry.status,
                reason=entry.explanation or "",
                stage=entry.stage or "",
                items=entry.work.items,
                per_hour=entry.work.per_hour,
                controls=entry.control_accuracy.of,
                controls_right=None if blind else entry.control_accuracy.right,
                flagged=flagged,
                excluded=excluded,
                until=entry.until,
            )
        )
    return tuple(sorted(people, key=lambda person: (-person.items, person.pseudonym)))


def _count_marks(view: Session, project: Project) -> dict[str, tuple[int, int]]:
    """By pseudonym how many final answers quality rules flagged, and how many are excluded."""
    counts = (
        sa.select(
            col(Annotator.pseudonym),
            sa.func.count().filter(col(Judgement.flags).is_not(None)),
            sa.func.count().filter(col(Judgement.excluded_kind).is_not(None)),
        )
        .select_from(Assignment)
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(col(Assignment.project_id) == project.id, judgements.build_final_revision_condition())
        .group_by(col(Annotator.pseudonym))
    )
    return {name: (flagged, excluded) for name, flagged, excluded in view.connection().execute(counts)}


def _measure_agreement(view: Session, project: Project) -> tuple[tuple[Coefficient, ...], str]:
    """The coefficients to report of the first question with their intervals, or why there are none."""
    from bot.release import ProjectInputs  # slow to import
    from exports.results import DataSetResult

    data = ProjectInputs(view=view, project=project).read_data_set()
    try:
        agreement = DataSetResult(data=data).agreement
    except HromadaError as refusal:
        return (), refusal.problem
    rows = (row for row in (agreement.headline if agreement else ()) if row.value is not None and not row.of)
    return tuple(sorted(rows, key=lambda row: row.name != data.headline_coefficient)), NOBODY
