"""Assignment of Label Studio batches: many items at once, selected by the same rules as items in Telegram."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from aggregation import spelling
from annotation import vocabulary
from annotation.campaigns import conditions
from annotation.campaigns.conditions import ConditionFacts
from annotation.campaigns.questions.question_base import count_units
from annotation.errors import NotFound, Stale, Where
from annotation.store import item_queue, journal, models, overlap_counts, table_base
from annotation.store.models import (
    Assignment,
    Item,
    ItemRow,
    LabelStudioBatch,
    ProgrammeProject,
    Project,
    ProjectRow,
    Report,
)
from annotation.workflow.assignments import annotator_context, assigned_items, assignment_policy, leases, next_item
from annotation.workflow.assignments.annotator_context import AnnotatorContext, AnnotatorTransaction, OpenedAssignment
from annotation.workflow.assignments.assignment_policy import SelectedItem
from annotation.workflow.participations import NothingAssigned

FACT_NAMES = ("id", "group", "pool", "stratum", "tag", "gold")
"""The names in a condition on named items: what is known of an item before anybody answers."""
MOST_NAMED = 5


class NotAssigned(StrEnum):
    """Why a named item is not assigned to the annotator."""

    ASSIGNED = "they have it already, or had it"
    GROUP = "they met another item of its group"
    STAGE = "it is not of the stage where they are"
    RETIRED = "it is retired"
    FULL = "it has all the annotators that it needs"


def find_named_items(session: Session, *, project: Project, ids: Sequence[str], where: Sequence[str]) -> list[int]:
    """The items with these external ids, in this order, and those that meet every condition, in the file's order.

    Raises BadInput for a condition that is not valid, NotFound for ids that the project has not, or where nothing is
    found.
    """
    items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))).all()
    by_key = {spelling.build_key(item.external_id): item.id or 0 for item in items}
    missing = [name for name in ids if spelling.build_key(name) not in by_key]
    if missing:
        more = f" and {len(missing) - MOST_NAMED} others" if len(missing) > MOST_NAMED else ""
        raise NotFound(
            f"{project.name} has no item {', '.join(spelling.quote_words(missing[:MOST_NAMED]))}{more}.",
            where=Where(field="--item"),
            remedy=f"Its ids are like {items[0].external_id!r}." if items else "Load its items first.",
        )
    parsed = [conditions.parse_condition(text, (), names=FACT_NAMES) for text in where]
    met = [
        item.id or 0
        for item in items
        if parsed and all(condition.is_met(build_item_facts(item), ()) for condition in parsed)
    ]
    if where and not met:
        raise NotFound(
            f"None of the {len(items)} items of {project.name} meets the conditions.",
            where=Where(field="--where"),
            remedy=_list_known_values(items, [condition.name for condition in parsed]),
        )
    return list(dict.fromkeys([*(by_key[spelling.build_key(name)] for name in ids), *met]))


def _list_known_values(items: Sequence[Item], names: Sequence[str]) -> str:
    """What the items have of these facts, as a sentence."""
    parts = []
    for name in dict.fromkeys(names):
        values = sorted({value for item in items for value in build_item_facts(item).facts[name] if value})
        more = ", …" if len(values) > MOST_NAMED else ""
        parts.append(f"{name}: {', '.join(values[:MOST_NAMED]) or 'none'}{more}")
    return f"The items have {'; '.join(parts)}."


def build_item_facts(item: ItemRow) -> ConditionFacts:
    """What conditions can test of an item before anybody answers."""
    facts = {
        "id": (item.external_id,), "group": (item.group_id,), "pool": (item.pool.value,), "gold": (item.gold or "",),
        "stratum": (item.stratum or "",), "tag": tuple(item.tags or ()),
    }  # fmt: skip
    return ConditionFacts(facts=facts)


def take_named_item(session: Session, context: AnnotatorContext, *, item_id: int) -> NotAssigned | None:
    """Take a place of a named item for the annotator; None where it was taken, else why not."""
    item = models.ITEMS.get_one(session, item_id)
    query = next_item.build_queue_query(session, context, item.pool)
    if item.status is vocabulary.ItemStatus.RETIRED:
        return NotAssigned.RETIRED
    if item.pool not in vocabulary.POOLS_WITH_OVERLAP or item.stage is not context.participation.stage:
        return NotAssigned.STAGE
    if session.exec(select(Assignment.id).where(Assignment.item_id == item_id, *build_had_conditions(context))).first():
        return NotAssigned.ASSIGNED
    if item_queue.is_barred_item(session, replace(query, quota=None), item_id=item_id):
        return NotAssigned.GROUP
    is_held = item.status is vocabulary.ItemStatus.PAUSED
    taken = item_queue.take_named_place(session, query, item_id=item_id, held=is_held)
    return None if taken else NotAssigned.FULL


def build_had_conditions(context: AnnotatorContext) -> tuple[sa.ColumnElement[bool], ...]:
    """The conditions that an assignment gave the annotator its item, and did not only expire."""
    return (
        col(Assignment.annotator_id) == context.annotator_id,
        sa.or_(col(Assignment.status) != vocabulary.AssignmentStatus.EXPIRED, col(Assignment.occasion) != 0),
    )


MAX_MESSAGE_UNITS = 4000
"""The number of UTF-16 units of an item's text that fit into a Telegram message with the bot's own words.

Telegram counts the length of messages in these units.
"""

MAX_CANDIDATES = 200
"""The largest number of moved items that are looked at to assign one."""


def move_items(session: Session, *, project: ProjectRow, item_ids: Collection[int], now: datetime) -> int:
    """Move those of the items that are open to Label Studio; return how many were moved.

    Live assignments of moved items in Telegram can still be answered.
    """
    open_items = select(Item).where(col(Item.id).in_(item_ids), Item.project_id == project.id, overlap_counts.IS_OPEN)
    items = session.exec(open_items.order_by(col(Item.id)).with_for_update()).all()
    for item in items:
        overlap_counts.pause_item(session, item_id=item.id or 0)
    session.expire_all()
    if items:
        data = {"items": sorted(item.external_id for item in items)}
        journal.record_event(session, vocabulary.Event.ITEMS_MOVED, now=now, project_id=project.id, data=data)
    return len(items)


def move_live_item(opened: OpenedAssignment, *, now: datetime) -> None:
    """Return the annotator's live item and move it to Label Studio; raises Stale where it is not live."""
    if opened.assignment.status is not vocabulary.AssignmentStatus.LIVE:
        raise Stale("This item is closed.")
    item_id = opened.assignment.item_id
    leases.expire_lease(opened.session, opened.assignment, now=now)
    move_items(opened.session, project=opened.context.project, item_ids={item_id}, now=now)


def find_remote_batch(session: Session, *, annotator_id: int, project_id: int) -> int | None:
    """The number of the annotator's batch of a project on the Label Studio server; None where there is none."""
    batches = select(LabelStudioBatch.remote_id).where(
        LabelStudioBatch.annotator_id == annotator_id,
        LabelStudioBatch.project_id == project_id,
        LabelStudioBatch.work == vocabulary.BatchWork.ANSWERS,
        col(LabelStudioBatch.second).is_(False),
        col(LabelStudioBatch.remote_id).is_not(None),
    )
    return session.exec(batches.order_by(col(LabelStudioBatch.id).desc()).limit(1)).first()


def list_reported_items(session: Session, *, project_id: int) -> set[int]:
    """The ids of the items with a report that is not resolved."""
    unresolved = select(Report.item_id).join(Item, col(Item.id) == col(Report.item_id))
    return set(session.exec(unresolved.where(Item.project_id == project_id, col(Report.resolved_at).is_(None))))


def list_long_items(session: Session, *, project_id: int) -> set[int]:
    """The ids of the open items whose shown text has more than MAX_MESSAGE_UNITS UTF-16 units."""
    open_items = select(Item.id, Item.stimulus).where(
        Item.project_id == project_id,
        Item.status == vocabulary.ItemStatus.OPEN,
        sa.func.length(Item.stimulus) * 2 > MAX_MESSAGE_UNITS,
    )
    long_items = session.exec(open_items)
    return {item_id for item_id, text in long_items if item_id is not None and count_units(text) > MAX_MESSAGE_UNITS}


def take_moved_item(session: Session, context: AnnotatorContext) -> int | None:
    """Take a held place of the first moved item that the annotator may get, in the order of the item file.

    Returns the item's id, None where there is no such item.
    """
    was_assigned = (
        sa.select(sa.literal(1)).where(col(Assignment.item_id) == col(Item.id), *build_had_conditions(context)).exists()
    )
    paused_items = select(Item).where(
        Item.project_id == context.project_id,
        Item.status == vocabulary.ItemStatus.PAUSED,
        Item.held > 0,
        col(Item.pool).in_(vocabulary.POOLS_WITH_OVERLAP),
        Item.stage == context.participation.stage,
        ~was_assigned,
    )
    for item in session.exec(paused_items.order_by(col(Item.rank)).limit(MAX_CANDIDATES)):
        item_id, query = item.id or 0, next_item.build_queue_query(session, context, item.pool)
        if item_queue.is_barred_item(session, query, item_id=item_id):
            continue
        if item_queue.take_named_place(session, query, item_id=item_id, held=True):
            return item_id
    return None


DEFAULT_BATCH_LEASE = timedelta(days=14)
"""How long the lease of a batch lasts, where the caller sets nothing else."""


@dataclass(frozen=True, kw_only=True)
class AssignedBatch:
    """The ids of the new assignments in their order; `shortfall` says why they are fewer than asked for, if they are.

    The reason SEARCHING asks the caller to commit and to call again. `left_out` has the reason for each named item that
    was not assigned, by its database id.
    """

    assignment_ids: tuple[int, ...]
    shortfall: NothingAssigned | None = None
    left_out: Mapping[int, NotAssigned] = field(default_factory=dict)


def assign_batch(
    transaction: AnnotatorTransaction,
    *,
    project_id: int,
    n_items: int,
    now: datetime,
    lease: timedelta = DEFAULT_BATCH_LEASE,
    moved_only: bool = False,
) -> AssignedBatch:
    """Assign up to `n_items` more items of the annotator's stage to their Label Studio batch.

    With `moved_only` only items that were moved from Telegram to Label Studio are assigned. A live item in Telegram is
    left as it is.
    """
    session = transaction.session

    def select_next(context: AnnotatorContext) -> SelectedItem | NothingAssigned:
        return _select_next(session, context, moved_only, now=now)

    return _assign_items(transaction, select_next, project_id=project_id, n_items=n_items, now=now, lease=lease)


def assign_named_items(
    transaction: AnnotatorTransaction,
    *,
    project_id: int,
    item_ids: Sequence[int],
    now: datetime,
    lease: timedelta = DEFAULT_BATCH_LEASE,
) -> AssignedBatch:
    """Assign these items, in their order, to the annotator's Label Studio batch, as far as they may get them."""
    remaining = iter(item_ids)
    left_out: dict[int, NotAssigned] = {}

    def select_next(context: AnnotatorContext) -> SelectedItem | NothingAssigned:
        for item_id in remaining:
            problem = take_named_item(transaction.session, context, item_id=item_id)
            if problem is None:
                return SelectedItem(item_id=item_id)
            left_out[item_id] = problem
        return NothingAssigned(reason=vocabulary.UnassignedReason.NOTHING_LEFT, project=context.project.name)

    assigned = _assign_items(
        transaction, select_next, project_id=project_id, n_items=len(item_ids), now=now, lease=lease
    )
    return replace(assigned, left_out=left_out)


def _assign_items(
    transaction: AnnotatorTransaction,
    select_next: Callable[[AnnotatorContext], SelectedItem | NothingAssigned],
    *,
    project_id: int,
    n_items: int,
    now: datetime,
    lease: timedelta,
) -> AssignedBatch:
    """Assign what is selected, until there are `n_items`, or a cap or the annotator's standing allows no more."""
    session = transaction.session
    leases.expire_leases(session, now=now)
    context = annotator_context.load_context(transaction, project_id=project_id, now=now)
    if isinstance(context, NothingAssigned):
        return AssignedBatch(assignment_ids=(), shortfall=context)
    shortfall = next_item.find_project_obstacle(session, context, now=now)
    assignment_ids: list[int] = []
    n_in_batch = count_batch_items(session, annotator_id=transaction.annotator_id, project_id=project_id)
    quota = session.exec(select(ProgrammeProject.quota).where(ProgrammeProject.project_id == project_id)).first()
    while shortfall is None and len(assignment_ids) < n_items:
        limit = _find_limit(context, quota=quota, n_in_batch=n_in_batch + len(assignment_ids), now=now)
        selected = limit or select_next(context)
        if isinstance(selected, NothingAssigned):
            shortfall = selected
            break
        opened = assigned_items.assign_item(transaction, context, selected, now=now, batch_until=now + lease)
        assignment_ids.append(opened.assignment_id)
    return AssignedBatch(assignment_ids=tuple(assignment_ids), shortfall=shortfall)


def open_batch_assignment(transaction: AnnotatorTransaction, *, assignment_id: int, now: datetime) -> OpenedAssignment:
    """Open an assignment in Label Studio; raises Stale where it does not belong to the annotator, or is in Telegram."""
    return annotator_context.open_assignment(
        transaction, assignment_id=assignment_id, now=now, surface=vocabulary.Surface.LABEL_STUDIO
    )


def count_batch_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project are live in the annotator's batch, without those of the second pass."""
    return _count_live(session, annotator_id, project_id, col(Assignment.occasion) >= 0)


def count_second_pass_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """How many items of the project are live in the annotator's batch for their second pass."""
    return _count_live(session, annotator_id, project_id, col(Assignment.occasion) == vocabulary.SECOND_PASS_OCCASION)


def _count_live(session: Session, annotator_id: int, project_id: int, condition: sa.ColumnElement[bool]) -> int:
    count_query = select(func.count()).select_from(Assignment)
    count_query = count_query.where(
        Assignment.annotator_id == annotator_id, Assignment.project_id == project_id, condition
    )
    count_query = count_query.where(
        Assignment.status == vocabulary.AssignmentStatus.LIVE, Assignment.surface == vocabulary.Surface.LABEL_STUDIO
    )
    return int(session.exec(count_query).one())


def assign_outside_batch(transaction: AnnotatorTransaction, *, item_id: int, now: datetime) -> int:
    """The id of the assignment for an annotator who answered an item of another annotator's batch.

    Where the annotator has no assignment of the item, an expired one is created: its answer is treated as late and
    takes a place if one is free. Raises Stale where the annotator may not work in the project, or has the item in
    Telegram.
    """
    session = transaction.session
    item = models.ITEMS.get_one(session, item_id)
    context = annotator_context.load_context(transaction, project_id=item.project_id, now=now)
    if isinstance(context, NothingAssigned):
        raise Stale(f"The annotator may not work in the project: {context.reason.value}.")
    existing = annotator_context.find_assignment(
        session, item_id=item_id, annotator_id=transaction.annotator_id, occasion=0
    )
    if existing is not None:
        if existing.surface is not vocabulary.Surface.LABEL_STUDIO:
            raise Stale("The annotator has this item in Telegram.")
        return table_base.require_id(existing.id)
    obstacle = next_item.find_project_obstacle(session, context, now=now)
    if obstacle is not None:
        raise Stale(f"The annotator may not work in the project: {obstacle.reason.value}.")
    selected = SelectedItem(item_id=item_id)
    assignment = assigned_items.assign_item(transaction, context, selected, now=now, batch_until=now).assignment
    models.ASSIGNMENTS.update(session, assignment, status=vocabulary.AssignmentStatus.EXPIRED, holds_place=False)
    return table_base.require_id(assignment.id)


def record_shown_revision(
    transaction: AnnotatorTransaction, *, assignment_id: int, item_revision: int, stimulus_sha256: str
) -> None:
    """Record that a live assignment of a batch shows this revision of its item; does nothing for one that has ended."""
    assignment = models.ASSIGNMENTS.get_one(transaction.session, assignment_id)
    if assignment.status is vocabulary.AssignmentStatus.LIVE:
        shown = {"item_revision": item_revision, "stimulus_sha256": stimulus_sha256}
        models.ASSIGNMENTS.update(transaction.session, assignment, **shown)


def _select_next(
    session: Session, context: AnnotatorContext, moved_only: bool, *, now: datetime
) -> SelectedItem | NothingAssigned:
    if not moved_only:
        return next_item.select_item(session, context, now=now)
    item_id = take_moved_item(session, context)
    if item_id is None:
        return NothingAssigned(reason=vocabulary.UnassignedReason.NOTHING_LEFT, project=context.project.name)
    return SelectedItem(item_id=item_id)


def _find_limit(
    context: AnnotatorContext, *, quota: int | None, n_in_batch: int, now: datetime
) -> NothingAssigned | None:
    """The quota of the programme or the cap that allows the annotator no more items; None where none is reached.

    Live items of the batch count as answered today. The cap on the length of a work session does not apply.
    """
    if quota is not None and context.participation.answered + n_in_batch >= quota:
        return NothingAssigned(reason=vocabulary.UnassignedReason.QUOTA, project=context.project.name)
    participation, today = context.participation, assignment_policy.get_local_date(now, context.annotator.time_zone)
    counted = {
        "answered": participation.answered + n_in_batch,
        "day": today,
        "answered_today": (participation.answered_today if participation.day == today else 0) + n_in_batch,
        "last_at": None,
    }
    return assignment_policy.find_reached_cap(
        context.definition.caps,
        participation.model_copy(update=counted),
        project=context.project.name,
        now=now,
        zone=context.annotator.time_zone,
    )
