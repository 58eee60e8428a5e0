"""Assignment of items to Label Studio batches: many at once, selected by the rules for items in Telegram, or by name.

A place of an item is *held* while the item is paused. Items that are moved from Telegram to Label Studio are paused, so
that only batches take their places. An assignment's *occasion* is 0 for the first time that an annotator gets the item,
higher for repeats and further attempts, and negative for the second pass.
"""

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
from annotation.store import item_queue, journal, models, overlap_counts, queries, table_base
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
"""The names that a condition on items can use: facts known before anybody answers."""
MOST_NAMED = 5
"""An error message lists at most this many ids, or values of a fact."""


class NotAssigned(StrEnum):
    """Why an item that the organiser named is not assigned to the annotator."""

    ASSIGNED = "they have it already, or had it"
    GROUP = "they judged it, or met another item of its group"
    STAGE = "it is not of the stage where they are"
    RETIRED = "it is retired"
    FULL = "it has all the annotators that it needs"


def find_named_items(session: Session, *, project: Project, ids: Sequence[str], where: Sequence[str]) -> list[int]:
    """Return the database ids of the items with these external ids, then of those that meet all conditions in `where`.

    The first are in the order of `ids`, the others in the order of the item file. No item is there twice. Raises
    BadInput for an invalid condition, and NotFound if the project lacks one of the ids or no item meets the conditions.
    """
    items = session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))).all()
    by_key = {spelling.build_key(item.external_id): item.id or 0 for item in items}
    ids = [queries.resolve_item_id(session, project_id=project.id or 0, written=name) for name in ids]
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
    """Return a sentence with some values that items have of these facts."""
    parts = []
    for name in dict.fromkeys(names):
        values = sorted({value for item in items for value in build_item_facts(item).facts[name] if value})
        more = ", …" if len(values) > MOST_NAMED else ""
        parts.append(f"{name}: {', '.join(values[:MOST_NAMED]) or 'none'}{more}")
    return f"The items have {'; '.join(parts)}."


def build_item_facts(item: ItemRow) -> ConditionFacts:
    """Return the facts about an item that a condition can test (FACT_NAMES)."""
    facts = {
        "id": (item.external_id,), "group": (item.group_id,), "pool": (item.pool.value,), "gold": (item.gold or "",),
        "stratum": (item.stratum or "",), "tag": tuple(item.tags or ()),
    }  # fmt: skip
    return ConditionFacts(facts=facts)


def take_named_item(session: Session, context: AnnotatorContext, *, item_id: int) -> NotAssigned | None:
    """Take a place of a named item for the annotator. Return None if that succeeded, else why it did not.

    If the item is paused, a held place is taken.
    """
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
    """Return the conditions for assignments after which the annotator does not get the item again.

    These are the annotator's assignments, without first ones (occasion 0) that expired.
    """
    return (
        col(Assignment.annotator_id) == context.annotator_id,
        sa.or_(col(Assignment.status) != vocabulary.AssignmentStatus.EXPIRED, col(Assignment.occasion) != 0),
    )


MAX_MESSAGE_UNITS = 4000
"""The longest text of an item, in UTF-16 units, that fits into a Telegram message with the bot's own words.

Telegram counts the length of messages in these units.
"""

MAX_CANDIDATES = 200
"""To assign a moved item, only this many of those that the annotator never had are looked at."""


def move_items(session: Session, *, project: ProjectRow, item_ids: Collection[int], now: datetime) -> int:
    """Move those of the items that are open to Label Studio, and return their number.

    They are paused, so that Telegram assigns them no more. Annotators can still answer those that they already have.
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
    """Take the live item away from the annotator and move it to Label Studio; raise Stale if it is not live.

    The lease ends. The place that the assignment took is then held for a batch.
    """
    if opened.assignment.status is not vocabulary.AssignmentStatus.LIVE:
        raise Stale("This item is closed.")
    item_id = opened.assignment.item_id
    leases.expire_lease(opened.session, opened.assignment, now=now, why=vocabulary.AssignmentEnd.MOVED)
    move_items(opened.session, project=opened.context.project, item_ids={item_id}, now=now)


def find_remote_batch(session: Session, *, annotator_id: int, project_id: int) -> int | None:
    """Return the server's id of the annotator's newest batch of answers for a project, or None if there is none.

    Batches for the second pass do not count.
    """
    batches = select(LabelStudioBatch.remote_id).where(
        LabelStudioBatch.annotator_id == annotator_id,
        LabelStudioBatch.project_id == project_id,
        LabelStudioBatch.work == vocabulary.BatchWork.ANSWERS,
        col(LabelStudioBatch.second).is_(False),
        col(LabelStudioBatch.remote_id).is_not(None),
    )
    return session.exec(batches.order_by(col(LabelStudioBatch.id).desc()).limit(1)).first()


def list_reported_items(session: Session, *, project_id: int) -> set[int]:
    """Return the ids of the project's items that have an unresolved report."""
    unresolved = select(Report.item_id).join(Item, col(Item.id) == col(Report.item_id))
    return set(session.exec(unresolved.where(Item.project_id == project_id, col(Report.resolved_at).is_(None))))


def list_long_items(session: Session, *, project_id: int) -> set[int]:
    """Return the ids of the project's open items whose text, with their own options, exceeds MAX_MESSAGE_UNITS."""
    open_items = select(Item.id, Item.stimulus, Item.options).where(
        Item.project_id == project_id,
        Item.status == vocabulary.ItemStatus.OPEN,
        sa.or_(sa.func.length(Item.stimulus) * 2 > MAX_MESSAGE_UNITS, col(Item.options).is_not(None)),
    )
    return {
        item_id
        for item_id, text, options in session.exec(open_items)
        if item_id is not None and sum(map(count_units, (text, *(options or ())))) > MAX_MESSAGE_UNITS
    }


def take_moved_item(session: Session, context: AnnotatorContext) -> int | None:
    """Take a held place of the first moved item that the annotator may get, and return the item's id.

    Goes in the order of the item file through the items of the annotator's stage that they never had. Returns None if
    the annotator may get none of the first MAX_CANDIDATES of these, even if there are more.
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
"""How long the lease of a batch lasts, unless the caller sets another time."""


@dataclass(frozen=True, kw_only=True)
class AssignedBatch:
    """The ids of the new assignments, in order, and why they are fewer than asked for.

    `shortfall` is None if all were assigned. Its reason SEARCHING means that the search of the queue is not finished.
    The caller must commit, which stores how far the search came and releases the annotator's lock, and call again.

    `left_out` says why a named item was not assigned, by its database id. If a cap or an obstacle stops the assignment,
    the items after it are not in `left_out`; only `shortfall` says why they were not assigned.
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
    """Assign up to `n_items` more items to the annotator's Label Studio batch.

    With `moved_only`, assigns only items that were moved from Telegram to Label Studio. An item that the annotator has
    in Telegram stays there.
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
    """Assign those of these items that the annotator may get to their Label Studio batch, in this order.

    Stops at a cap: see `AssignedBatch` for the items after it.
    """
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
    """Assign the items that `select_next` returns, one after another.

    Stops after `n_items`, at a cap or quota, or if `select_next` has no more. Assigns nothing if the annotator may not
    work in the project.
    """
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
    """Open an assignment in Label Studio; raise Stale if it is another annotator's or is in Telegram."""
    return annotator_context.open_assignment(
        transaction, assignment_id=assignment_id, now=now, surface=vocabulary.Surface.LABEL_STUDIO
    )


def expire_batch_items(transaction: AnnotatorTransaction, *, project_id: int, now: datetime) -> None:
    """End the annotator's assignments of a project in Label Studio whose lease is over, and free their places."""
    overdue = models.ASSIGNMENTS.select.where(
        col(Assignment.annotator_id) == transaction.annotator_id,
        col(Assignment.project_id) == project_id,
        col(Assignment.status) == vocabulary.AssignmentStatus.LIVE,
        col(Assignment.surface) == vocabulary.Surface.LABEL_STUDIO,
        col(Assignment.lease_until) < now,
    )
    session = transaction.session
    for assignment in models.ASSIGNMENTS.list(session, overdue.order_by(col(Assignment.item_id)).with_for_update()):
        leases.expire_lease(session, assignment, now=now)


def count_batch_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """Return how many live items of the project the annotator's batch has, without those of the second pass."""
    return _count_live(session, annotator_id, project_id, col(Assignment.occasion) >= 0)


def count_second_pass_items(session: Session, *, annotator_id: int, project_id: int) -> int:
    """Return how many live items of the project the annotator's batch for the second pass has."""
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
    """Return the id of the assignment to store an answer to, if an annotator answered an item of another's batch.

    This is the annotator's first assignment of the item in Label Studio. If they have none, an expired one is created:
    the answer then counts as late, and takes a place if one is free. Raises Stale if the annotator may not work in the
    project, or had the item first in Telegram.
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
    """Record which revision of the item a live assignment of a batch shows; do nothing if it has ended."""
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
    """Return the programme's quota or the cap that the annotator has reached, or None if they can get more items.

    Live items of the batch count as answered today. The cap on the length of a work session does not apply.
    """
    if quota is not None and context.participation.answered + n_in_batch >= quota:
        return NothingAssigned(reason=vocabulary.UnassignedReason.QUOTA, project=context.project.name)
    participation, today = context.participation, assignment_policy.get_local_date(now, context.zone)
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
        zone=context.zone,
    )
