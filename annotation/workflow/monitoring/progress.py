"""How a project gets on: answers done and needed, how many came lately, who is there now, and when it would be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store.models import Item, Judgement, Participation, Project, ProjectTally
from annotation.store.models.column_types import UtcDateTime
from annotation.vocabulary import ItemStatus, Pool, ProjectStatus

HOURS = 24
"""How many hours the pace looks back."""
HERE = timedelta(minutes=15)
"""Whoever did anything so recently is counted as being there now."""
STALL = timedelta(hours=24)
"""A running project with work left that got no answer for so long has stalled."""


FRESH = timedelta(minutes=3)
"""For so long the counts of a project's items are gone by; they are counted each minute."""


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
    """Measure the progress of a project at a time; this counts all its items."""
    places = col(Item.free) + col(Item.held) + col(Item.n_live)
    items, items_done, needed, done = session.exec(
        select(
            func.count(),
            func.count().filter((col(Item.n_done) >= places) & (places > 0)),
            func.coalesce(func.sum(places), 0),
            func.coalesce(func.sum(col(Item.n_done)), 0),
        ).where(Item.project_id == project.id, Item.pool == Pool.MAIN, Item.status != ItemStatus.RETIRED)
    ).one()
    tally = ProjectTally(
        project_id=project.id or 0, at=now, items=items, items_done=items_done, needed=needed, done=done
    )
    return _complete_tally(session, project, tally, now=now)


def recall_progress(session: Session, project: Project, *, now: datetime) -> Progress:
    """The progress of a project with its items as they were counted lately; they are counted where they were not."""
    tally = find_tally(session, project, now=now)
    if tally is None:
        return measure_progress(session, project, now=now)
    return _complete_tally(session, project, tally, now=now)


def find_tally(session: Session, project: Project, *, now: datetime) -> ProjectTally | None:
    """The counts of a project's items that can be gone by; None where there are none.

    They are those of the last FRESH, or those since a project was closed.
    """
    tally = session.get(ProjectTally, project.id)
    if tally is None:
        return None
    changed_at = max((at for at in (project.closed_at, project.active_since) if at is not None), default=None)
    is_final = project.status is ProjectStatus.CLOSED and changed_at is not None and tally.at >= changed_at
    return tally if is_final or tally.at > now - FRESH else None


def store_tallies(session: Session, measured: Mapping[int, Progress], *, at: datetime) -> None:
    """Keep the counts of the items of projects, by the ids of these, for `recall_progress`."""
    for project_id, one in sorted(measured.items()):
        tally = ProjectTally(
            project_id=project_id, at=at, items=one.items, items_done=one.items_done, needed=one.needed, done=one.done
        )
        session.merge(tally)
    session.flush()


def _complete_tally(session: Session, project: Project, tally: ProjectTally, *, now: datetime) -> Progress:
    hourly, last = _count_hourly(session, project, now=now)
    here = select(func.count()).where(Participation.project_id == project.id, col(Participation.last_at) >= now - HERE)
    return Progress(
        items=tally.items,
        items_done=tally.items_done,
        needed=tally.needed,
        done=tally.done,
        hourly=hourly,
        last_answer_at=last,
        people_now=session.exec(here).one(),
        since=project.started_at,
        active_since=project.active_since,
    )


def _count_hourly(session: Session, project: Project, *, now: datetime) -> tuple[tuple[int, ...], datetime | None]:
    """The new main answers of each of the last hours, the oldest first, and the time of the newest of all.

    Each is a range of one index, which holds nothing else.
    """
    at, of_project = col(Judgement.answered_at), col(Judgement.main_project_id) == project.id
    ends = [now - timedelta(hours=hour) for hour in range(HOURS, -1, -1)]
    counts = [
        sa.select(sa.func.count()).where(of_project, at > begin, at <= end).scalar_subquery()
        for begin, end in pairwise(ends)
    ]
    newest = sa.select(sa.func.max(at, type_=UtcDateTime())).where(of_project).scalar_subquery()
    row = session.execute(sa.select(newest, *counts)).one()
    return tuple(row[1:]), row[0]
