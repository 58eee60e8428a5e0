"""Selection of the next item in each stage: from the stage's pool, control items, repeats and the item queue."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.store import item_queue, judgements
from annotation.store.item_queue import QueueQuery
from annotation.store.models import Assignment, Exposure, Item
from annotation.vocabulary import AssignmentStatus, ExposureCause, ItemStatus, Pool, Stage, Surface, UnassignedReason
from annotation.workflow.allocation import group_allocation
from annotation.workflow.assignments import assignment_policy as policy
from annotation.workflow.assignments import qualification
from annotation.workflow.assignments.annotator_context import EXPOSURE_CAUSES, AnnotatorContext
from annotation.workflow.assignments.assigned_items import SelectedItem
from annotation.workflow.participations import NothingAssigned

ENDED = (AssignmentStatus.DONE, AssignmentStatus.SKIPPED)
EXPIRED = sa.text("assignment.status = 'expired'")
IN_BATCH = sa.and_(col(Assignment.status) == AssignmentStatus.LIVE, col(Assignment.surface) == Surface.LABEL_STUDIO)
"""Live items of a Label Studio batch: an annotator can have many at once."""


def select_pilot_item(
    session: Session, context: AnnotatorContext, *, now: datetime
) -> SelectedItem | NothingAssigned | None:
    """The next pilot item, at most `number` for each annotator; None when the annotator has finished the pilot."""
    section = context.definition.stages.pilot
    if section is not None and section.number is not None:
        ended = select(func.count()).select_from(Assignment).where(*_in_stage(context, Stage.PILOT))
        if session.exec(ended.where(col(Assignment.status).in_(ENDED) | IN_BATCH)).one() >= section.number:
            return None
    return _take_from_queue(session, context, Pool.PILOT, now=now)


def select_attempt_item(session: Session, context: AnnotatorContext, stage: Stage) -> SelectedItem | None:
    """The next item of the annotator's attempt at training or qualification; None when the attempt has all its answers.

    Each attempt has its own order, in which items that the annotator has not met come first. An answer to an item as it
    was before a substantive fix does not count: another item, or the fixed one, takes its turn.
    """
    attempt, section = context.participation.attempt, context.definition.stages.by_name.get(stage.value)
    rows = session.exec(select(Assignment).where(*_in_stage(context, stage))).all()
    current = [row for row in rows if (row.attempt or 1) == attempt]
    done = [row.id for row in current if row.status is AssignmentStatus.DONE]
    superseded = qualification.find_superseded(session, done)
    settled = {row.item_id for row in current if _is_settled(row) and row.id not in superseded}
    if section is None or (section.number is not None and len(settled) >= section.number):
        return None
    occasions = {row.item_id: row.occasion + 1 for row in sorted(rows, key=lambda row: row.occasion)}
    shuffled = _list_shuffled_items(session, context, Pool(stage.value), attempt)
    candidates = [item_id for item_id in shuffled if item_id not in settled]
    expired = {row.item_id: row for row in current if row.status is AssignmentStatus.EXPIRED}
    begun = [expired[item_id] for item_id in sorted(candidates) if item_id in expired]
    if begun:
        return SelectedItem(item_id=begun[0].item_id, occasion=begun[0].occasion, attempt=begun[0].attempt)
    if not candidates:
        return None
    first = min(candidates, key=lambda item_id: occasions.get(item_id, 0))
    return SelectedItem(item_id=first, occasion=occasions.get(first, 0), attempt=attempt)


def has_batch_items(session: Session, context: AnnotatorContext) -> bool:
    """Whether items of the current stage are live in a Label Studio batch; the next stage begins when none is."""
    live = select(Assignment.id).where(*_in_stage(context, context.participation.stage), IN_BATCH)
    return session.exec(live.limit(1)).first() is not None


def _is_settled(row: Assignment) -> bool:
    """Whether the item of an assignment need not be assigned again in this attempt."""
    in_batch = row.status is AssignmentStatus.LIVE and row.surface is Surface.LABEL_STUDIO
    return in_batch or row.status is AssignmentStatus.DONE


def select_main_item(
    session: Session, context: AnnotatorContext, *, now: datetime
) -> SelectedItem | NothingAssigned | None:
    """The next item of the main stage: a control item where one is planned, a due repeat, or the next of the queue."""
    participation, definition = context.participation, context.definition
    page_position = policy.get_next_position(definition.pages, page=participation.page, on_page=participation.on_page)
    number = participation.shown + 1
    needs_control = policy.needs_control(
        definition.controls, definition.pages, page_position, number=number, key=context.seed_key
    )
    control = _find_expired_control(session, context) or (_select_control(session, context) if needs_control else None)
    if control is not None:
        return SelectedItem(item_id=control, page_position=page_position)
    repeat = _find_due_repeat(session, context, now=now)
    if repeat is not None and policy.draw_number(context.seed_key, "repeat", number) < policy.REPEAT_PROBABILITY:
        return SelectedItem(item_id=repeat, occasion=1, is_repeat=True, page_position=page_position)
    selected = _take_from_queue(session, context, Pool.MAIN, now=now, page_position=page_position)
    if isinstance(selected, SelectedItem):
        participation.missed_controls += needs_control
    elif selected is None and repeat is not None:
        return SelectedItem(item_id=repeat, occasion=1, is_repeat=True, page_position=page_position)
    return selected


def _take_from_queue(
    session: Session,
    context: AnnotatorContext,
    pool: Pool,
    *,
    now: datetime,
    page_position: policy.PagePosition | None = None,
) -> SelectedItem | NothingAssigned | None:
    queued = item_queue.take_next_item(session, build_queue_query(session, context, pool), now=now)
    if queued.search_again:
        return NothingAssigned(reason=UnassignedReason.SEARCHING, project=context.project.name)
    if queued.item_id is None:
        return None
    return SelectedItem(
        item_id=queued.item_id, item=queued.item, open_items=queued.open_items, page_position=page_position
    )


def build_queue_query(session: Session, context: AnnotatorContext, pool: Pool) -> QueueQuery:
    """The query for an item of the pool; where groups are shared between projects it names those of this project."""
    return QueueQuery(
        annotator_id=context.annotator_id,
        project_id=context.project_id,
        pool=pool,
        cause=EXPOSURE_CAUSES[pool],
        cursor_start=policy.draw_number(context.seed_key, "ring", pool.value),
        window_start=policy.draw_number(context.seed_key, "started", context.participation.shown + 1),
        blind=context.is_baseline,
        exceptions=context.exposure_exceptions,
        bins=group_allocation.get_allowed_bins(
            session, annotator_id=context.annotator_id, project_id=context.project_id
        )
        if context.is_allocated
        else None,
    )


def _find_expired_control(session: Session, context: AnnotatorContext) -> int | None:
    """The annotator's control item whose lease expired; it comes first and keeps its old position.

    In a baseline not where the annotator has met its group elsewhere since.
    """
    if context.definition.controls is None:
        return None
    expired = (
        select(Assignment.item_id)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(Assignment.annotator_id == context.annotator_id, Assignment.project_id == context.project_id, EXPIRED)
        .where(judgements.CONTROL, Item.status == ItemStatus.OPEN)
    )
    if context.is_baseline:
        own = (col(Exposure.project_id) == context.project_id) & (col(Exposure.cause) == ExposureCause.CONTROL)
        expired = expired.where(~_exposures(context).where(~own).exists())
    return session.exec(expired.order_by(col(Assignment.id)).limit(1)).first()


def _select_control(session: Session, context: AnnotatorContext) -> int | None:
    """A control item that the annotator has not met; in a baseline one whose group they have not met either."""
    met = set(session.exec(select(Assignment.item_id).where(*_in_stage(context, Stage.MAIN), judgements.CONTROL)))
    shuffled = _list_shuffled_items(session, context, Pool.CONTROL, "controls")
    candidates = [item_id for item_id in shuffled if item_id not in met]
    if context.is_baseline:
        exposed = _find_exposed_items(session, context, candidates)
        candidates = [item_id for item_id in candidates if item_id not in exposed]
    return candidates[0] if candidates else None


def _exposures(context: AnnotatorContext) -> sa.Select[int]:
    """The annotator's exposures to the item's group in all projects but the exceptions."""
    return (
        sa.select(sa.literal(1))
        .where(col(Exposure.annotator_id) == context.annotator_id, col(Exposure.group_id) == Item.group_id)
        .where(col(Exposure.project_id).not_in(context.exposure_exceptions))
    )


def _find_exposed_items(session: Session, context: AnnotatorContext, items: Collection[int]) -> set[int]:
    """Those of the items whose group the annotator has met in any project but the exceptions."""
    met = _exposures(context).limit(1).scalar_subquery()
    exposed = select(Item.id).where(col(Item.id).in_(items), met.is_not(None))
    return {item_id for item_id in session.exec(exposed) if item_id is not None}


def _find_due_repeat(session: Session, context: AnnotatorContext, *, now: datetime) -> int | None:
    """The item whose repeat has been due longest."""
    if context.definition.repeats is None:
        return None
    due = (
        select(Assignment.item_id)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(Assignment.annotator_id == context.annotator_id, Assignment.project_id == context.project_id)
        .where(Item.status == ItemStatus.OPEN)
    )
    due = due.where(col(Assignment.repeat_at).is_not(None), col(Assignment.repeat_at) <= now)
    repeat = aliased(Assignment)
    in_batch = select(repeat.id).where(
        repeat.item_id == Assignment.item_id,
        repeat.annotator_id == context.annotator_id,
        repeat.occasion == 1,
        repeat.status == AssignmentStatus.LIVE,
        repeat.surface == Surface.LABEL_STUDIO,
    )
    due = due.where(~in_batch.exists())
    return session.exec(due.order_by(col(Assignment.repeat_at), col(Assignment.id)).limit(1)).first()


def _list_shuffled_items(session: Session, context: AnnotatorContext, pool: Pool, *key: object) -> Sequence[int]:
    """The open items of a pool without overlap, in the annotator's own seeded order."""
    open_items = select(Item.external_id, Item.id).where(
        Item.project_id == context.project_id,
        Item.pool == pool,
        Item.status == ItemStatus.OPEN,
        sa.text("pool <> 'main'"),
    )
    ids = dict(session.exec(open_items).all())
    names = policy.shuffle_names(list(ids), context.seed_key, *key)
    return [item_id for name in names if (item_id := ids[name]) is not None]


def _in_stage(context: AnnotatorContext, stage: Stage) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        col(Assignment.annotator_id) == context.annotator_id,
        col(Assignment.project_id) == context.project_id,
        col(Assignment.stage) == stage,
    )
