"""Selection of the next item in each stage: from the stage's pool, control items, repeats and the item queue."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.store import item_queue, judgements, row_tables
from annotation.store.item_queue import QueueQuery
from annotation.store.models import Assignment, AssignmentRow, Exposure, Item
from annotation.vocabulary import AssignmentStatus, ExposureCause, ItemStatus, Pool, Stage, Surface, UnassignedReason
from annotation.workflow.allocation import group_allocation
from annotation.workflow.assignments import assignment_policy, qualification
from annotation.workflow.assignments.annotator_context import EXPOSURE_CAUSES, AnnotatorContext
from annotation.workflow.assignments.assignment_policy import SelectedItem
from annotation.workflow.participations import NothingAssigned

ENDED_STATUSES = (AssignmentStatus.DONE, AssignmentStatus.SKIPPED)
IS_EXPIRED = sa.text("assignment.status = 'expired'")
"""The condition that an assignment's lease expired, written as in the partial index that finds such assignments."""
IS_IN_BATCH = sa.and_(col(Assignment.status) == AssignmentStatus.LIVE, col(Assignment.surface) == Surface.LABEL_STUDIO)
"""The condition that an assignment is live in a Label Studio batch: an annotator can have many such at once."""


def select_pilot_item(
    session: Session, context: AnnotatorContext, *, now: datetime
) -> SelectedItem | NothingAssigned | None:
    """The next pilot item; None when the annotator has had the pilot's `number` of items, or no item is left."""
    section = context.definition.stages.pilot
    if section is not None and section.number is not None:
        ended_count_query = (
            select(func.count()).select_from(Assignment).where(*_build_stage_conditions(context, Stage.PILOT))
        )
        if (
            session.exec(ended_count_query.where(col(Assignment.status).in_(ENDED_STATUSES) | IS_IN_BATCH)).one()
            >= section.number
        ):
            return None
    return _take_from_queue(session, context, Pool.PILOT, now=now)


def select_attempt_item(session: Session, context: AnnotatorContext, stage: Stage) -> SelectedItem | None:
    """The next item of the annotator's attempt at training or qualification; None when the attempt has all its answers.

    An item whose lease expired in this attempt comes first, then the items with the fewest earlier assignments to this
    annotator, in an order seeded for each attempt. An answer to an item as it was before a substantive fix does not
    count: the fixed item, or another one, is assigned instead.
    """
    attempt, section = context.participation.attempt, context.definition.stages.by_name.get(stage.value)
    assignments = row_tables.ASSIGNMENTS.list(
        session, row_tables.ASSIGNMENTS.select.where(*_build_stage_conditions(context, stage))
    )
    attempt_assignments = [assignment for assignment in assignments if (assignment.attempt or 1) == attempt]
    done_ids = [assignment.id for assignment in attempt_assignments if assignment.status is AssignmentStatus.DONE]
    superseded_ids = qualification.find_superseded_assignments(session, done_ids)
    settled_item_ids = {
        assignment.item_id
        for assignment in attempt_assignments
        if _is_settled(assignment) and assignment.id not in superseded_ids
    }
    if section is None or (section.number is not None and len(settled_item_ids) >= section.number):
        return None
    next_occasions = {
        assignment.item_id: assignment.occasion + 1
        for assignment in sorted(assignments, key=lambda assignment: assignment.occasion)
    }
    shuffled_ids = _list_shuffled_items(session, context, Pool(stage.value), attempt)
    candidate_ids = [item_id for item_id in shuffled_ids if item_id not in settled_item_ids]
    expired_by_item = {
        assignment.item_id: assignment
        for assignment in attempt_assignments
        if assignment.status is AssignmentStatus.EXPIRED
    }
    expired_assignments = [expired_by_item[item_id] for item_id in sorted(candidate_ids) if item_id in expired_by_item]
    if expired_assignments:
        return SelectedItem(
            item_id=expired_assignments[0].item_id,
            occasion=expired_assignments[0].occasion,
            attempt=expired_assignments[0].attempt,
        )
    if not candidate_ids:
        return None
    item_id_to_assign = min(candidate_ids, key=lambda item_id: next_occasions.get(item_id, 0))
    return SelectedItem(item_id=item_id_to_assign, occasion=next_occasions.get(item_id_to_assign, 0), attempt=attempt)


def has_batch_items(session: Session, context: AnnotatorContext) -> bool:
    """Whether items of the current stage are live in a Label Studio batch; until they are answered, the stage lasts."""
    live = select(Assignment.id).where(*_build_stage_conditions(context, context.participation.stage), IS_IN_BATCH)
    return session.exec(live.limit(1)).first() is not None


def _is_settled(assignment: AssignmentRow) -> bool:
    """Whether the item of this assignment is answered or in a batch, so that the attempt does not assign it again."""
    in_batch = assignment.status is AssignmentStatus.LIVE and assignment.surface is Surface.LABEL_STUDIO
    return in_batch or assignment.status is AssignmentStatus.DONE


def select_main_item(
    session: Session, context: AnnotatorContext, *, now: datetime
) -> SelectedItem | NothingAssigned | None:
    """The next item of the main stage: a control item where one is due, a due repeat, or the next of the queue."""
    participation, definition = context.participation, context.definition
    page_position = assignment_policy.get_next_page_position(
        definition.pages, page=participation.page, on_page=participation.on_page
    )
    item_number = participation.shown + 1
    is_control_due = assignment_policy.needs_control(
        definition.controls, definition.pages, page_position, item_number=item_number, key=context.seed_key
    )
    control_item_id = _find_expired_control(session, context) or (
        _select_control(session, context) if is_control_due else None
    )
    if control_item_id is not None:
        return SelectedItem(item_id=control_item_id, page_position=page_position)
    repeat_item_id = _find_due_repeat(session, context, now=now)
    if (
        repeat_item_id is not None
        and assignment_policy.generate_seeded_number(context.seed_key, "repeat", item_number)
        < assignment_policy.REPEAT_PROBABILITY
    ):
        return SelectedItem(item_id=repeat_item_id, occasion=1, is_repeat=True, page_position=page_position)
    selected = _take_from_queue(session, context, Pool.MAIN, now=now, page_position=page_position)
    if isinstance(selected, SelectedItem) and is_control_due:
        row_tables.PARTICIPATIONS.update(session, participation, missed_controls=participation.missed_controls + 1)
    elif selected is None and repeat_item_id is not None:
        return SelectedItem(item_id=repeat_item_id, occasion=1, is_repeat=True, page_position=page_position)
    return selected


def _take_from_queue(
    session: Session,
    context: AnnotatorContext,
    pool: Pool,
    *,
    now: datetime,
    page_position: assignment_policy.PagePosition | None = None,
) -> SelectedItem | NothingAssigned | None:
    queued = item_queue.take_next_item(session, build_queue_query(session, context, pool), now=now)
    if queued.search_again:
        return NothingAssigned(reason=UnassignedReason.SEARCHING, project=context.project.name)
    if queued.item_id is None:
        return None
    return SelectedItem(item_id=queued.item_id, item=queued.item, page_position=page_position)


def build_queue_query(session: Session, context: AnnotatorContext, pool: Pool) -> QueueQuery:
    """The query for an item of the pool; in a group allocation it names the bins that the annotator may get."""
    return QueueQuery(
        annotator_id=context.annotator_id,
        project_id=context.project_id,
        pool=pool,
        cause=EXPOSURE_CAUSES[pool],
        cursor_start=assignment_policy.generate_seeded_number(context.seed_key, "ring", pool.value),
        window_start=assignment_policy.generate_seeded_number(
            context.seed_key, "started", context.participation.shown + 1
        ),
        blind=context.is_baseline,
        exceptions=context.exposure_exceptions,
        bins=group_allocation.get_allowed_bins(
            session, annotator_id=context.annotator_id, project_id=context.project_id
        )
        if context.is_allocated
        else None,
    )


def _find_expired_control(session: Session, context: AnnotatorContext) -> int | None:
    """The id of the annotator's oldest control item whose lease expired, None where there is none.

    Such an item comes before others and keeps its old position. In a baseline it is left out where the annotator has
    met its group in another project, or otherwise than as a control item.
    """
    if context.definition.controls is None:
        return None
    keys = {"annotator": context.annotator_id, "project": context.project_id}
    if not context.is_baseline:
        return session.connection().execute(_EXPIRED_CONTROL, keys).scalar()
    keys_and_exceptions = {**keys, "exceptions": context.exposure_exceptions}
    return session.connection().execute(_EXPIRED_BASELINE_CONTROL, keys_and_exceptions).scalar()


def _select_control(session: Session, context: AnnotatorContext) -> int | None:
    """The id of a control item that is new to the annotator, in a baseline with its group; None where none is left."""
    met_item_ids = set(
        session.exec(
            select(Assignment.item_id).where(*_build_stage_conditions(context, Stage.MAIN), judgements.IS_CONTROL)
        )
    )
    shuffled_ids = _list_shuffled_items(session, context, Pool.CONTROL, "controls")
    candidate_ids = [item_id for item_id in shuffled_ids if item_id not in met_item_ids]
    if context.is_baseline:
        exposed_item_ids = _find_exposed_items(session, context, candidate_ids)
        candidate_ids = [item_id for item_id in candidate_ids if item_id not in exposed_item_ids]
    return candidate_ids[0] if candidate_ids else None


def _find_exposed_items(session: Session, context: AnnotatorContext, item_ids: Collection[int]) -> set[int]:
    """The ids of the items whose group the annotator has met in any project but the exceptions."""
    keys = {"items": item_ids, "annotator": context.annotator_id, "exceptions": context.exposure_exceptions}
    return {item_id or 0 for item_id in session.connection().execute(_EXPOSED_ITEMS, keys).scalars()}


def _find_due_repeat(session: Session, context: AnnotatorContext, *, now: datetime) -> int | None:
    """The id of the item whose repeat has been due longest; None where no repeat is due."""
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
    """The ids of the open items of a pool without overlap, in an order seeded by the annotator and the key."""
    open_items = select(Item.external_id, Item.id).where(
        Item.project_id == context.project_id,
        Item.pool == pool,
        Item.status == ItemStatus.OPEN,
        sa.text("pool <> 'main'"),
    )
    ids_by_name = dict(session.exec(open_items).all())
    names = assignment_policy.shuffle_names(list(ids_by_name), context.seed_key, *key)
    return [item_id for name in names if (item_id := ids_by_name[name]) is not None]


def _build_stage_conditions(context: AnnotatorContext, stage: Stage) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        col(Assignment.annotator_id) == context.annotator_id,
        col(Assignment.project_id) == context.project_id,
        col(Assignment.stage) == stage,
    )


_EXPOSURES = sa.select(sa.literal(1)).where(
    col(Exposure.annotator_id) == sa.bindparam("annotator"),
    col(Exposure.group_id) == col(Item.group_id),
    col(Exposure.project_id).not_in(sa.bindparam("exceptions", expanding=True)),
)
"""The annotator's exposures to the group of `Item`, in all projects but the exceptions."""
_EXPOSED_ITEMS = sa.select(col(Item.id)).where(
    col(Item.id).in_(sa.bindparam("items", expanding=True)),
    _EXPOSURES.limit(1).scalar_subquery().is_not(None),
)
_EXPIRED_CONTROL = (
    sa.select(col(Assignment.item_id))
    .join(Item, col(Item.id) == col(Assignment.item_id))
    .where(col(Assignment.annotator_id) == sa.bindparam("annotator"), IS_EXPIRED)
    .where(col(Assignment.project_id) == sa.bindparam("project"), judgements.IS_CONTROL)
    .where(col(Item.status) == ItemStatus.OPEN)
    .order_by(col(Assignment.id))
    .limit(1)
)
_IS_OWN_CONTROL = (col(Exposure.project_id) == sa.bindparam("project")) & (col(Exposure.cause) == ExposureCause.CONTROL)
_EXPIRED_BASELINE_CONTROL = _EXPIRED_CONTROL.where(~_EXPOSURES.where(~_IS_OWN_CONTROL).exists())
