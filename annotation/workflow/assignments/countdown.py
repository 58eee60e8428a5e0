"""The countdown above an item: how many items the annotator gets in the stage, and how many answers all of them give.

The numbers must not tell hidden items (control items and repeats) from main ones. So the annotator's own number counts
whatever they are shown, the totals are those that are to be expected with hidden items, and an answer to a hidden item
moves the shared number as any other does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.base import multiply_share
from annotation.store import item_queue, judgements
from annotation.store.models import Assignment, Exposure, Item, Judgement
from annotation.vocabulary import AssignmentStatus, ItemStatus, Pool, Stage
from annotation.workflow.allocation import group_allocation
from annotation.workflow.assignments import assignment_policy
from annotation.workflow.assignments.annotator_context import (
    AnnotatorContext,
    AnnotatorTransaction,
    OpenedAssignment,
)
from annotation.workflow.assignments.assignment_policy import PoolCounts


@dataclass(frozen=True, kw_only=True)
class Countdown:
    """What is left of a stage.

    `total` is how many items the annotator gets in the stage at the most, or in this attempt at training or
    qualification. `answered` of `wanted` answers of all annotators are given; both are None in training and
    qualification, and where the pool has more than `item_queue.MOST_COUNTED` items.
    """

    total: int
    answered: int | None = None
    wanted: int | None = None


def get_stage_number(opened: OpenedAssignment) -> int:
    """The number of the item among those that the annotator was shown in its stage and attempt, from 1."""
    assignment = opened.assignment
    position = assignment.position or 0
    earlier = (
        select(col(Assignment.position))
        .where(Assignment.annotator_id == assignment.annotator_id, Assignment.project_id == assignment.project_id)
        .where(Assignment.stage == assignment.stage, col(Assignment.attempt).is_not_distinct_from(assignment.attempt))
    )
    first = opened.session.exec(earlier.order_by(col(Assignment.id)).limit(1)).first()
    return position if first is None else max(1, position - first + 1)


def count_down(opened: OpenedAssignment, *, number: int) -> Countdown | None:
    """The countdown of an item, which has this number in its stage; None as in `count_stage`."""
    stage = opened.assignment.stage
    if stage in {Stage.TRAINING, Stage.QUALIFICATION}:
        return Countdown(total=max(number, _count_attempt_items(opened)))
    before = _count_shown(opened, number=number) - 1
    return count_stage(opened.transaction, opened.context, stage, before=before, least=number)


def count_stage(
    transaction: AnnotatorTransaction, context: AnnotatorContext, stage: Stage, *, before: int, least: int
) -> Countdown | None:
    """The countdown of the pilot or the main stage, of which the annotator has `before` items behind them.

    The total is `least` or more. Where the pool has more than `item_queue.MOST_COUNTED` items, there is the total
    alone, and nothing where only the pool limits that.
    """
    counts = _count_pool(transaction, context, Pool(stage.value))
    total = _limit_total(context, counts, stage, before=before)
    if total is None:
        return None
    total = max(least, total)
    if not counts.whole:
        return Countdown(total=total)
    hidden = hidden_expected = 0
    if stage is Stage.MAIN and has_hidden_items(context.definition):
        hidden = _count_hidden_answers(transaction.session, context)
        hidden_expected = max(hidden, _count_expected(context, counts) - counts.items)
    return Countdown(total=total, answered=counts.answered + hidden, wanted=counts.wanted + hidden_expected)


def reach_half(opened: OpenedAssignment, *, number: int) -> bool:
    """Whether the item that was just answered, with this number in the main stage, makes half of all: true once.

    The total is that of the countdown above the next item, for which the counts are kept. Without a countdown only caps
    and quotas are known.
    """
    total = _find_total(opened, number=number)
    if total is None or number * 2 < total:
        return False
    opened.transaction.update_participation(opened.context.participation, halfway_told=True)
    return assignment_policy.is_halfway(number, total)


def _find_total(opened: OpenedAssignment, *, number: int) -> int | None:
    context = opened.context
    if not context.definition.has_countdown:
        return min(list_own_limits(context, Stage.MAIN), default=None)
    counts = _count_pool(opened.transaction, context, Pool.MAIN)
    opened.transaction.pool_counts[context.project_id, Pool.MAIN] = counts
    return _limit_total(context, counts, Stage.MAIN, before=_count_shown(opened, number=number))


def _count_shown(opened: OpenedAssignment, *, number: int) -> int:
    """How many items of the stage the annotator was shown, of which an item has this number."""
    return opened.context.participation.shown - (opened.assignment.position or 0) + number


def list_own_limits(context: AnnotatorContext, stage: Stage) -> list[int]:
    """How many items an annotator gets in the pilot or the main stage at the most, whatever the pool has."""
    definition = context.definition
    if stage is Stage.PILOT:
        limits = [definition.stages.pilot.number if definition.stages.pilot is not None else None]
    else:
        limits = [definition.caps.items if definition.caps is not None else None, context.quota]
    return [limit for limit in limits if limit is not None]


def _limit_total(context: AnnotatorContext, counts: PoolCounts, stage: Stage, *, before: int) -> int | None:
    """How many items the annotator gets in the stage; None where only the pool limits them and is not counted whole."""
    limits = list_own_limits(context, stage)
    if not counts.whole:
        limit = min(limits, default=None)
        return None if limit is None or limit > counts.items else limit
    if stage is Stage.PILOT:
        return min([*limits, counts.items])
    limits.append(_count_expected(context, counts))
    return min(limits if has_hidden_items(context.definition) else [*limits, before + counts.unfinished])


def has_hidden_items(definition: ProjectFile) -> bool:
    """Whether annotators get items that they do not know to be control items or repeats."""
    return definition.controls is not None or definition.repeats is not None


def _count_expected(context: AnnotatorContext, counts: PoolCounts) -> int:
    """How many items are to be expected, with hidden ones, where nothing but the pool limits them."""
    return math.ceil(counts.items * compute_hidden_factor(context.definition))


def compute_hidden_factor(definition: ProjectFile) -> Fraction:
    """How many items an annotator is shown for each main item, with the control items and repeats to be expected.

    Shares count as they are written: in floats 50 items with 10 % of repeats are more than 55.
    """
    controls, pages, repeats = definition.controls, definition.pages, definition.repeats
    factor = 1 + multiply_share(0.0 if repeats is None else repeats.share, 1)
    if controls is None:
        return factor
    share = multiply_share(controls.rate or 0.0, 1)
    if controls.per_page is not None and pages is not None:
        share = min(Fraction(controls.per_page, pages.items), Fraction(1))
    return factor / (1 - share) if share < 1 else factor


def _count_pool(transaction: AnnotatorTransaction, context: AnnotatorContext, pool: Pool) -> PoolCounts:
    """Count a pool with overlap, or the first `item_queue.MOST_COUNTED` items of a larger one.

    What was counted for an answer holds for the item that follows: an assignment changes none of it.
    """
    kept = transaction.pool_counts.pop((context.project_id, pool), None)
    if kept is not None:
        return kept
    session = transaction.session
    rows = (
        sa.select(col(Item.id), col(Item.group_id), col(Item.bin), col(Item.free), col(Item.held))
        .add_columns(col(Item.n_live), col(Item.n_done))
        .where(col(Item.project_id) == context.project_id, col(Item.pool) == pool)
        .where(col(Item.status) != ItemStatus.RETIRED)
        .limit(item_queue.MOST_COUNTED + 1)
        .subquery()
    )
    unit: sa.ColumnElement[int] = rows.c.group_id if context.is_baseline else rows.c.id
    if context.is_allocated:
        bins = group_allocation.assign_allowed_bins(
            session, annotator_id=context.annotator_id, project_id=context.project_id
        )
        unit = sa.case((rows.c.bin.in_(bins), unit)) if bins is not None else unit
    is_unfinished = sa.and_(
        sa.or_(rows.c.free > 0, rows.c.n_live > rows.c.n_done), *_list_met_conditions(context, rows)
    )
    statement = sa.select(
        sa.func.count(),
        sa.func.count(sa.distinct(unit)),
        sa.func.count(sa.distinct(sa.case((is_unfinished, unit)))),
        sa.func.coalesce(sa.func.sum(rows.c.n_done), 0),
        sa.func.coalesce(sa.func.sum(rows.c.free + rows.c.held + rows.c.n_live), 0),
    ).select_from(rows)
    n_items, own, unfinished, answered, wanted = session.connection().execute(statement).one()
    return PoolCounts(
        whole=n_items <= item_queue.MOST_COUNTED,
        items=own,
        unfinished=unfinished,
        answered=int(answered),
        wanted=int(wanted),
    )


def _list_met_conditions(context: AnnotatorContext, rows: sa.Subquery) -> Sequence[sa.ColumnElement[bool]]:
    """That the annotator had not answered or skipped the item; in a baseline, that they have not met its group."""
    ended = (
        sa.select(col(Item.group_id) if context.is_baseline else col(Assignment.item_id))
        .select_from(Assignment)
        .where(
            col(Assignment.annotator_id) == context.annotator_id,
            col(Assignment.project_id) == context.project_id,
            col(Assignment.status).in_([AssignmentStatus.DONE, AssignmentStatus.SKIPPED]),
        )
    )
    if not context.is_baseline:
        return [rows.c.id.not_in(ended)]
    met_elsewhere = sa.select(col(Exposure.group_id)).where(
        col(Exposure.annotator_id) == context.annotator_id,
        col(Exposure.project_id).not_in([context.project_id, *context.exposure_exceptions]),
    )
    ended = ended.join(Item, col(Item.id) == col(Assignment.item_id))
    return [rows.c.group_id.not_in(ended), rows.c.group_id.not_in(met_elsewhere)]


def _count_attempt_items(opened: OpenedAssignment) -> int:
    """How many items the annotator gets in an attempt at training or qualification."""
    context, stage = opened.context, opened.assignment.stage
    section = context.definition.stages.by_name.get(stage.value)
    items = select(func.count()).where(
        Item.project_id == context.project_id,
        Item.pool == Pool(stage.value),
        Item.status == ItemStatus.OPEN,
        sa.text("pool <> 'main'"),
    )
    n_items = opened.session.exec(items).one()
    return n_items if section is None or section.number is None else min(section.number, n_items)


def _count_hidden_answers(session: Session, context: AnnotatorContext) -> int:
    """How many hidden items the annotator has answered; skipped ones where a skipped main item counts as answered."""
    hidden = (
        select(func.count())
        .where(Assignment.annotator_id == context.annotator_id, Assignment.project_id == context.project_id)
        .where(Assignment.status == AssignmentStatus.DONE, Assignment.stage == Stage.MAIN)
        .where(sa.or_(judgements.IS_CONTROL, col(Assignment.is_repeat)))
    )
    if not context.is_baseline:
        skipped = sa.select(sa.literal(1)).where(
            col(Judgement.assignment_id) == col(Assignment.id), col(Judgement.skip_reason).is_not(None)
        )
        hidden = hidden.where(~skipped.exists())
    return session.exec(hidden).one()
