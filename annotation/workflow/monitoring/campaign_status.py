"""The status of a project for `hromada status`: counts of items, answers, annotators and control items; precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project_file
from annotation.store import judgements, overlap_counts, parked, queries
from annotation.store.models import (
    Assignment,
    Inbox,
    Item,
    Judgement,
    Outbox,
    Participation,
    Project,
)
from annotation.store.parked import ParkedCounts
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import AssignmentStatus, ItemStatus, ParticipationStatus, Pool, Stage
from annotation.workflow.annotators import detachment
from annotation.workflow.monitoring import bot_waits, progress
from annotation.workflow.monitoring.bot_waits import BotWait
from annotation.workflow.monitoring.conduct import Funnel, compute_funnel
from annotation.workflow.monitoring.progress import ClosedItems
from annotation.workflow.panels import PanelCounts, count_panels

BACKLOG = timedelta(minutes=5)
"""What has waited for the bot for this long is a backlog."""


@dataclass(frozen=True, kw_only=True)
class WaitingDeliveries:
    """What waits for the bot: updates that are not handled, messages that are due and not sent, what is parked.

    The times are those since which the oldest of them has waited, None if nothing waits. `late` is how many have waited
    for BACKLOG or longer. `wait` says why the bot gets nothing from Telegram, None if it gets something, or is off.
    """

    updates: int
    oldest_update: datetime | None
    messages: int
    oldest_message: datetime | None
    late: int
    parked: ParkedCounts
    wait: BotWait | None


def count_waiting_deliveries(session: Session, *, now: datetime) -> WaitingDeliveries:
    """Count what waits for the bot at a time of the database's clock."""
    unhandled = col(Inbox.done_at).is_(None)
    unsent = sa.and_(col(Outbox.reason).is_(None), col(Outbox.paced).is_(False), col(Outbox.due_at) <= now)
    updates, oldest_update, late_updates = _count_waiting(session, col(Inbox.received_at), unhandled, now=now)
    messages, oldest_message, late_messages = _count_waiting(session, col(Outbox.created_at), unsent, now=now)
    return WaitingDeliveries(
        updates=updates,
        oldest_update=oldest_update,
        messages=messages,
        oldest_message=oldest_message,
        late=late_updates + late_messages,
        parked=parked.count_parked(session),
        wait=bot_waits.find_wait(session, now=now),
    )


def _count_waiting(
    session: Session, since: Any, condition: sa.ColumnElement[bool], *, now: datetime
) -> tuple[int, datetime | None, int]:
    """How many rows wait, since when the oldest does (a column), and how many have waited for BACKLOG or longer."""
    is_late = since <= now - BACKLOG
    counts = sa.select(sa.func.count(), sa.func.min(since, type_=UtcDateTime()), sa.func.count().filter(is_late))
    number, oldest, late = session.connection().execute(counts.where(condition)).one()
    return number, oldest, late


@dataclass(frozen=True, kw_only=True)
class MainItemCounts:
    """The main items: how many there are (`number`), how many have all their answers (`done`) or are paused.

    `in_hand` counts live assignments of all items of the project, `free` the free overlap places of main items.
    """

    number: int
    done: int
    paused: int
    in_hand: int
    free: int


@dataclass(frozen=True, kw_only=True)
class SampleCounts:
    """Both parts of the main items of a project whose overlap has a sample: how many there are, and how many are done.

    `sampled` items get `of` answers each, the `others` get `each`.
    """

    sampled: int
    sampled_done: int
    of: int
    others: int
    others_done: int
    each: int


@dataclass(frozen=True, kw_only=True)
class PilotCounts:
    """The pilot items: how many there are (`number`), how many have all their answers (`done`), their free places.

    `newcomers` is how many annotators are in the pilot now. Only they take free places of pilot items, since nobody
    returns to the pilot later.
    """

    number: int
    done: int
    free: int
    newcomers: int


@dataclass(frozen=True, kw_only=True)
class SecondPassCounts:
    """The second pass: how many main items there are, and on how many of them somebody has done it (`done`)."""

    items: int
    done: int


@dataclass(frozen=True, kw_only=True)
class ControlItemCounts:
    """The control items of a project.

    `number` is how many there are, `remaining` how many of them the annotator who met the most has not met yet.
    `annotators_without` is how many annotators have met all of them, `pages_without` how many pages have none.
    """

    number: int
    remaining: int
    annotators_without: int
    pages_without: int


@dataclass(frozen=True, kw_only=True)
class QualificationCounts:
    """How many annotators tried the qualification, passed it, and failed it for good."""

    tried: int
    passed: int
    failed: int


@dataclass(frozen=True, kw_only=True)
class CampaignStatus:
    """The status of a project.

    `answers` counts final answers, `excluded` those of them that do not count, by reason, also those that never count
    (control items, other stages, repeats). `annotators` is how many annotators have an assignment, `by_status` how many
    participations have each status. `pilot`, `second_pass` (of projects that ask in steps), `controls` and
    `qualification` are None where the project has none. `planned` is the frozen precision plan, or None before the
    start. `closed` is what is closed by exposure, None where nobody asked.
    `panels` says how far each panel is, by its name, `sample` how far the overlap sample is, None without one.
    `detach_by` is when its people are to be detached (`declared.retention`), None where nobody is, or it is open.
    """

    project: Project
    items: MainItemCounts
    answers: int
    excluded: Mapping[str, int]
    annotators: int
    by_status: Mapping[str, int]
    funnel: Funnel
    pilot: PilotCounts | None
    second_pass: SecondPassCounts | None
    controls: ControlItemCounts | None
    qualification: QualificationCounts | None
    planned: Mapping[str, Any] | None
    closed: tuple[ClosedItems, ...] | None = None
    panels: Mapping[str, PanelCounts] = field(default_factory=dict)
    sample: SampleCounts | None = None
    detach_by: datetime | None = None


def get_campaign_status(session: Session, project: Project, *, with_closed: bool = False) -> CampaignStatus:
    """The status of the project now; `with_closed` says also what is closed to whom, which reads all exposures."""
    definition = project_file.parse_definition(project.definition)
    reason_counts, n_annotators = _count_answers(session, project)
    items = _count_main_items(session, project)
    has_steps = definition.asks_in_steps
    statuses = select(Participation.status, func.count()).where(Participation.project_id == project.id)
    by_status = session.exec(statuses.group_by(col(Participation.status)).order_by(col(Participation.status))).all()
    return CampaignStatus(
        project=project,
        items=items,
        answers=sum(reason_counts.values()),
        excluded=dict(sorted((reason, count) for reason, count in reason_counts.items() if reason is not None)),
        annotators=n_annotators,
        by_status={ParticipationStatus(status).value: count for status, count in by_status},
        funnel=compute_funnel(session, project=project, definition=definition),
        pilot=_count_pilot_items(session, project) if definition.stages.pilot else None,
        second_pass=SecondPassCounts(items=items.number, done=queries.count_judged_items(session, project))
        if has_steps
        else None,
        controls=_count_control_items(session, project) if definition.controls else None,
        qualification=_count_qualification(session, project) if definition.stages.qualification else None,
        planned=(project.frozen or {}).get("plan"),
        closed=progress.list_closed_items(session, project) if with_closed else None,
        panels=count_panels(session, project, definition),
        sample=None if definition.sampled_overlap is None else _count_sample(session, project, items),
        detach_by=detachment.find_due(session, project),
    )


def _count_main_items(session: Session, project: Project) -> MainItemCounts:
    counts = select(
        func.count(),
        func.count().filter(_is_done(project)),
        func.count().filter(col(Item.status) == ItemStatus.PAUSED),
        func.coalesce(func.sum(col(Item.free)), 0),
    ).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    number, done, paused, free = session.exec(counts).one()
    live = select(func.count()).select_from(Item).join(Assignment, col(Assignment.item_id) == col(Item.id))
    in_hand = session.exec(live.where(Item.project_id == project.id, Assignment.status == AssignmentStatus.LIVE)).one()
    return MainItemCounts(number=number, done=done, paused=paused, in_hand=in_hand, free=free)


def _count_sample(session: Session, project: Project, items: MainItemCounts) -> SampleCounts:
    each, of = project.overlap or 0, project.overlap_max or 0
    counts = select(func.count(), func.count().filter(_is_done(project)))
    main = (Item.project_id == project.id, Item.pool == Pool.MAIN)
    sampled, done = session.exec(counts.where(*main, each < overlap_counts.N_PLACES)).one()
    others = {"others": items.number - sampled, "others_done": items.done - done, "each": each}
    return SampleCounts(sampled=sampled, sampled_done=done, of=of, **others)


def _is_done(project: Project) -> sa.ColumnElement[bool]:
    """The SQL condition that an item has all its answers."""
    return (
        (col(Item.n_done) >= (project.overlap or 1))
        & (col(Item.n_done) == col(Item.n_live))
        & (col(Item.free) + col(Item.held) == 0)
    )


def _count_pilot_items(session: Session, project: Project) -> PilotCounts:
    counts = select(
        func.count(), func.count().filter(_is_done(project)), func.coalesce(func.sum(col(Item.free)), 0)
    ).where(Item.project_id == project.id, Item.pool == Pool.PILOT)
    number, done, free = session.exec(counts).one()
    active = select(func.count()).where(
        Participation.project_id == project.id,
        Participation.stage == Stage.PILOT,
        Participation.status == ParticipationStatus.ACTIVE,
    )
    return PilotCounts(number=number, done=done, free=free, newcomers=session.exec(active).one())


def _count_answers(session: Session, project: Project) -> tuple[Counter[str | None], int]:
    """How many final answers have each exclusion reason (None: they count), and how many annotators an assignment."""
    _, reason = judgements.build_exclusion_columns()
    by_reason = sa.select(reason.label("reason"), func.count().label("number")).select_from(Item)
    by_reason = by_reason.join(Assignment, col(Assignment.item_id) == col(Item.id))
    by_reason = by_reason.join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
    by_reason = by_reason.where(col(Item.project_id) == project.id, judgements.build_final_revision_condition())
    # by its place, since PostgreSQL does not see that two expressions with parameters are the same
    rows = session.execute(by_reason.group_by(sa.text("1")))
    annotators = select(func.count(func.distinct(col(Assignment.annotator_id)))).select_from(Item)
    annotators = annotators.join(Assignment, col(Assignment.item_id) == col(Item.id)).where(
        Item.project_id == project.id
    )
    by_text: Counter[str | None] = Counter()  # an organiser may have written the words of a finding
    for text, number in rows:
        by_text[text] += number
    return by_text, session.exec(annotators).one()


def _count_control_items(session: Session, project: Project) -> ControlItemCounts:
    control_items = select(func.count()).where(Item.project_id == project.id, Item.pool == Pool.CONTROL)
    number = session.exec(control_items).one()
    main_assignments = sa.select(col(Assignment.annotator_id)).where(
        col(Assignment.project_id) == project.id, col(Assignment.stage) == Stage.MAIN
    )
    controls_met = main_assignments.add_columns(sa.func.count().label("times")).where(col(Assignment.is_control))
    per_annotator = controls_met.group_by(col(Assignment.annotator_id)).subquery()
    most_met, n_met_all = session.execute(
        sa.select(
            sa.func.coalesce(sa.func.max(per_annotator.c.times), 0),
            sa.func.count().filter(per_annotator.c.times >= number),
        )
    ).one()
    n_controls_on_page = sa.func.sum(sa.case((col(Assignment.is_control), 1), else_=0))
    page_assignments = main_assignments.where(col(Assignment.page).is_not(None), ~col(Assignment.is_repeat))
    pages_without_control = (
        page_assignments.group_by(col(Assignment.annotator_id), col(Assignment.page))
        .having(n_controls_on_page == 0)
        .subquery()
    )
    n_pages = session.execute(sa.select(sa.func.count()).select_from(pages_without_control)).scalar_one()
    return ControlItemCounts(
        number=number, remaining=max(0, number - most_met), annotators_without=n_met_all, pages_without=n_pages
    )


def _count_qualification(session: Session, project: Project) -> QualificationCounts:
    tried = select(func.count(func.distinct(col(Assignment.annotator_id)))).where(
        Assignment.project_id == project.id, Assignment.stage == Stage.QUALIFICATION
    )
    ended = select(
        func.count().filter(col(Participation.qualified_at).is_not(None)),
        func.count().filter(
            col(Participation.status) == ParticipationStatus.FAILED, col(Participation.stage) == Stage.QUALIFICATION
        ),
    ).where(Participation.project_id == project.id)
    passed, failed = session.exec(ended).one()
    return QualificationCounts(tried=session.exec(tried).one(), passed=passed, failed=failed)
