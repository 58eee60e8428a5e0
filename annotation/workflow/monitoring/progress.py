"""How a project gets on: answers done and needed, how many came lately, who is there now, and when it would be done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store.models import Assignment, Item, Judgement, Participation, Project
from annotation.store.models.table_model import UtcDateTime
from annotation.vocabulary import ItemStatus, Pool, ProjectStatus, Stage, Surface

HOURS = 24
"""How many hours the pace looks back."""
HERE = timedelta(minutes=15)
"""Whoever did anything so recently is counted as being there now."""
STALL = timedelta(hours=24)
"""A running project with work left that got no answer for so long has stalled."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far the main items of a project are.

    `items` and `items_done` count items (retired ones left out), `needed` and `done` the answers that they are to get
    and have. `hourly` has the number of new answers in each of the last HOURS hours, the oldest first; corrected
    answers count once, and imported ones do not. `last_answer_at` is the time of the newest of them, None without one.
    `people_now` is how many annotators did anything within the last quarter of an hour; `since` is when the project
    first started, `active_since` when it last began to ask (again).
    """

    items: int
    items_done: int
    needed: int
    done: int
    hourly: tuple[int, ...]
    last_answer_at: datetime | None
    people_now: int
    since: datetime | None
    active_since: datetime | None

    @property
    def last_day(self) -> int:
        """The answers of the last 24 hours."""
        return sum(self.hourly)

    def estimate_end(self, *, now: datetime) -> datetime | None:
        """When the last answer would come at the pace of the last 24 hours, nights among them.

        A project that began later is measured from its start, but over an hour at least. None where nothing is left or
        nothing came.
        """
        left = self.needed - self.done
        if left <= 0 or not self.last_day:
            return None
        began = now - timedelta(hours=HOURS) if self.since is None else max(self.since, now - timedelta(hours=HOURS))
        hours = max(1.0, (now - began) / timedelta(hours=1))
        return now + timedelta(hours=left * hours / self.last_day)

    def find_stall(self, status: ProjectStatus, *, now: datetime) -> datetime | None:
        """The time since which a running project with answers left has got none, if that is STALL ago or longer."""
        since = max((at for at in (self.last_answer_at, self.active_since) if at is not None), default=None)
        if status is not ProjectStatus.RUNNING or self.done >= self.needed or since is None:
            return None
        return since if now - since >= STALL else None


def measure_progress(session: Session, project: Project, *, now: datetime) -> Progress:
    """Measure the progress of a project at a time."""
    places = col(Item.free) + col(Item.held) + col(Item.n_live)
    items, items_done, needed, done = session.exec(
        select(
            func.count(),
            func.count().filter((col(Item.n_done) >= places) & (places > 0)),
            func.coalesce(func.sum(places), 0),
            func.coalesce(func.sum(col(Item.n_done)), 0),
        ).where(Item.project_id == project.id, Item.pool == Pool.MAIN, Item.status != ItemStatus.RETIRED)
    ).one()
    hourly, last = _count_hourly(session, project, now=now)
    here = select(func.count()).where(Participation.project_id == project.id, col(Participation.last_at) >= now - HERE)
    return Progress(
        items=items,
        items_done=items_done,
        needed=needed,
        done=done,
        hourly=hourly,
        last_answer_at=last,
        people_now=session.exec(here).one(),
        since=project.started_at,
        active_since=project.active_since,
    )


def _count_hourly(session: Session, project: Project, *, now: datetime) -> tuple[tuple[int, ...], datetime | None]:
    """The new main answers of each of the last hours, the oldest first, and the time of the newest of all."""
    at = col(Judgement.answered_at)
    ends = [now - timedelta(hours=hour) for hour in range(HOURS, -1, -1)]
    counts = [sa.func.count().filter((at > begin) & (at <= end)) for begin, end in pairwise(ends)]
    row = session.execute(
        sa.select(sa.func.max(at, type_=UtcDateTime()), *counts)
        .select_from(Assignment)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.project_id) == project.id,
            col(Assignment.stage) == Stage.MAIN,
            col(Assignment.surface) != Surface.IMPORT,
            col(Judgement.revision) == 0,
        )
    ).one()
    return tuple(row[1:]), row[0]
