"""How a project gets on: answers done and needed, how many came lately, who is there now, and when it would be done."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project_file
from annotation.store import judgements
from annotation.store.models import (
    Annotator,
    Assignment,
    Exposure,
    Item,
    Judgement,
    Participation,
    Project,
    ProjectTally,
    Report,
)
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import POOLS_WITH_OVERLAP, ExposureCause, ItemStatus, Pool, ProjectStatus

PEOPLE_NAMED = 10
"""How many annotators are named; of the others it is told how many they are."""

CAUSES = {
    ExposureCause.ANSWERED: "met in {project}",
    ExposureCause.CONTROL: "control items in {project}",
    ExposureCause.PILOT: "pilot of {project}",
    ExposureCause.TRAINING: "training in {project}",
    ExposureCause.QUALIFICATION: "qualification in {project}",
}


@dataclass(frozen=True, kw_only=True)
class ClosedItems:
    """How many items are closed to an annotator (a pseudonym), and by which reasons; an item may have several."""

    annotator: str
    number: int
    reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The number with its reasons."""
        named = ", ".join(f"{reason}: {number}" for reason, number in self.reasons.items())
        return f"{self.number} {'item' if self.number == 1 else 'items'} ({named})"


def list_closed_items(session: Session, project: Project) -> tuple[ClosedItems, ...]:
    """What is closed in a stored baseline, to the annotator with most such items first; nothing in another project.

    Only items that are to be answered count, those of the main and pilot pool.
    """
    definition = project_file.parse_definition(project.definition)
    if definition.kind != "baseline":
        return ()
    query = (
        select(Annotator.pseudonym, Project.name, Exposure.cause, Item.id)
        .select_from(Exposure)
        .join(Item, col(Item.group_id) == col(Exposure.group_id))
        .join(Annotator, col(Annotator.id) == col(Exposure.annotator_id))
        .join(Project, col(Project.id) == col(Exposure.project_id))
        .where(Item.project_id == project.id, col(Item.pool).in_(POOLS_WITH_OVERLAP))
        .where(_is_elsewhere(definition))
    )
    return _count(session.exec(query).all())


def list_items_to_close(
    session: Session, definition: project_file.ProjectFile, groups: Iterable[str]
) -> tuple[ClosedItems, ...]:
    """What would be closed in a project file that need not be loaded; `groups` are those of its items, one for each."""
    if definition.kind != "baseline":
        return ()
    items_by_group: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        items_by_group[group].append(number)
    query = (
        select(Annotator.pseudonym, Project.name, Exposure.cause, Exposure.group_id)
        .select_from(Exposure)
        .join(Annotator, col(Annotator.id) == col(Exposure.annotator_id))
        .join(Project, col(Project.id) == col(Exposure.project_id))
        .where(_is_elsewhere(definition))
    )
    return _count(
        (who, name, cause, item)
        for who, name, cause, group in session.exec(query)
        for item in items_by_group.get(group, ())
    )


def describe_closed_items(closed: tuple[ClosedItems, ...]) -> list[tuple[str, str]]:
    """Pairs of an annotator and what is closed to them, and how many annotators more there are."""
    lines = [(person.annotator, person.words) for person in closed[:PEOPLE_NAMED]]
    more = len(closed) - PEOPLE_NAMED
    return [*lines, ("others", f"{more} more people")] if more > 0 else lines


def _is_elsewhere(definition: project_file.ProjectFile) -> sa.ColumnElement[bool]:
    """The condition that an exposure is of another project, which the file does not except."""
    exceptions = definition.exposure.exceptions if definition.exposure else ()
    return col(Project.name).not_in((definition.project, *exceptions))


def _count(rows: Iterable[tuple[str, str, str, int | None]]) -> tuple[ClosedItems, ...]:
    items: dict[str, set[int]] = defaultdict(set)
    reasons: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for who, name, cause, item in rows:
        items[who].add(item or 0)
        reasons[who][CAUSES[ExposureCause(cause)].format(project=name)].add(item or 0)
    closed = (
        ClosedItems(
            annotator=who,
            number=len(found),
            reasons={reason: len(of_reason) for reason, of_reason in sorted(reasons[who].items())},
        )
        for who, found in items.items()
    )
    return tuple(sorted(closed, key=lambda person: (-person.number, person.annotator)))


PAGE_SIZE = 50
"""How many items a page lists."""


@dataclass(frozen=True, kw_only=True)
class ItemTally:
    """One main item: `done` of its `needed` answers are there; `seconds` is the median time of an answer.

    `reports` counts open reports, `skips` skipped answers, `votes` the answers that count by their text; they are empty
    where they are not to be seen.
    """

    item_id: str
    status: str
    done: int
    needed: int
    seconds: float | None
    skips: int
    reports: int
    votes: Mapping[str, int] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """The status, "done" for an open item that has all its answers."""
        return "done" if self.status == "open" and 0 < self.needed <= self.done else self.status


def list_item_progress(
    session: Session, project: Project, *, after: str = "", with_votes: bool, size: int = PAGE_SIZE
) -> list[ItemTally]:
    """The main items whose ids come after `after`, in the order of their ids, at most `size`."""
    page = session.exec(
        select(Item)
        .where(Item.project_id == project.id, Item.pool == Pool.MAIN, col(Item.external_id) > after)
        .order_by(col(Item.external_id))
        .limit(size)
    ).all()
    return measure_items(session, page, with_votes=with_votes)


def list_reported_items(session: Session, project: Project, *, with_votes: bool) -> list[ItemTally]:
    """The main items with open reports, those with the most first, at most PAGE_SIZE."""
    number = func.count()
    reported = (
        select(Item.id)
        .join(Report, col(Report.item_id) == col(Item.id))
        .where(Item.project_id == project.id, Item.pool == Pool.MAIN, col(Report.resolved_at).is_(None))
        .group_by(col(Item.id), col(Item.external_id))
        .order_by(number.desc(), col(Item.external_id))
        .limit(PAGE_SIZE)
    )
    ids = list(session.exec(reported).all())
    items = {item.id: item for item in session.exec(select(Item).where(col(Item.id).in_(ids)))}
    return measure_items(session, [items[item_id] for item_id in ids], with_votes=with_votes)


def measure_items(session: Session, items: Sequence[Item], *, with_votes: bool) -> list[ItemTally]:
    """The counts of these items, in their order."""
    ids = [item.id for item in items]
    seconds: dict[int, list[float]] = defaultdict(list)
    skips: Counter[int] = Counter()
    votes: dict[int, Counter[str]] = defaultdict(Counter)
    answers = (
        select(Assignment.item_id, judgements.build_known_seconds(), Judgement.skip_reason, Judgement.response)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.item_id).in_(ids),
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(),
        )
    )
    for item_id, taken, skip_reason, response in session.exec(answers):
        if skip_reason is not None:
            skips[item_id] += 1
            continue
        if taken is not None:
            seconds[item_id].append(taken)
        if with_votes:
            votes[item_id][response] += 1
    reports = dict(
        session.exec(
            select(Report.item_id, func.count())
            .where(col(Report.item_id).in_(ids), col(Report.resolved_at).is_(None))
            .group_by(col(Report.item_id))
        ).all()
    )
    return [
        ItemTally(
            item_id=item.external_id,
            status=item.status.value,
            done=item.n_done,
            needed=item.free + item.held + item.n_live,
            seconds=statistics.median(seconds[item.id or 0]) if seconds[item.id or 0] else None,
            skips=skips[item.id or 0],
            reports=reports.get(item.id or 0, 0),
            votes=dict(sorted(votes[item.id or 0].items(), key=lambda vote: (-vote[1], vote[0]))),
        )
        for item in items
    ]


HOURS = 24
"""How many hours the pace looks back."""
HERE = timedelta(minutes=15)
"""Whoever did anything so recently is counted as being there now."""
STALL = timedelta(hours=24)
"""A running project with work left that got no answer for so long has stalled."""


Doubt = tuple[str, str, list[str]]
"""An item in doubt: its external id, the question, and why (values of `CaseReason`)."""
FRESH = timedelta(minutes=3)
"""For so long the counts of a project's items are gone by; they are counted each minute."""


def compute_share(done: int, needed: int) -> int:
    """The whole per cent that are done; 100 only where all are."""
    return 0 if not needed else min(99 if done < needed else 100, 100 * done // needed)


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

    def estimate_end(self, status: ProjectStatus, *, now: datetime) -> datetime | None:
        """When the last answer would come at the pace of the last 24 hours, nights among them.

        A project that began later is measured from its start, but over at least an hour. None if it is not running,
        nothing is left, or fewer than two answers came: one has no pace.
        """
        left = self.needed - self.done
        if status is not ProjectStatus.RUNNING or left <= 0 or self.last_day < 2:
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
        project_id=project.id or 0, at=now, items=items, items_done=items_done, needed=needed, done=done, doubts=[]
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


def store_tallies(
    session: Session, measured: Mapping[int, Progress], doubts: Mapping[int, Sequence[Doubt]], *, at: datetime
) -> None:
    """Keep the counts of the items of projects, and those in doubt, by project id, for `find_tally`."""
    for project_id, progress in sorted(measured.items()):
        tally = ProjectTally(
            project_id=project_id,
            at=at,
            items=progress.items,
            items_done=progress.items_done,
            needed=progress.needed,
            done=progress.done,
            doubts=[*doubts.get(project_id, ())],
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
