"""The journey of an annotator through a programme: one number that only grows, and one countdown over all data sets.

As in `countdown`, the numbers tell no hidden item from a main one: hidden items count like any other, and what is left
of a data set follows from the items to be expected with them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from annotation.campaigns.project_file import ProjectFile
from annotation.store import item_queue, judgements
from annotation.store.models import Assignment, Exposure, Item, Judgement, Participation, ProgrammeProject, Project
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import (
    SECOND_PASS_OCCASION,
    AssignmentStatus,
    ItemStatus,
    ParticipationStatus,
    Pool,
    ProjectStatus,
    Stage,
)
from annotation.workflow import definitions
from annotation.workflow.assignments import countdown
from annotation.workflow.assignments.annotator_context import AnnotatorTransaction, OpenedAssignment
from annotation.workflow.assignments.assignment_policy import Journey


@dataclass(frozen=True, kw_only=True)
class _Pool:
    """A pool of a data set: the units that the annotator may get, those that they still may, and the answers."""

    units: int
    unmet: int
    answered: int
    wanted: int


def find_journey(opened: OpenedAssignment) -> Journey | None:
    """The journey up to this item; None outside programmes.

    What was counted for an answer holds for the new item that follows it, which is one of those that were left.
    """
    context, transaction = opened.context, opened.transaction
    if context.terms.programme is None:
        return None
    kept = transaction.journeys.pop(context.terms.programme.id or 0, None)
    if kept is not None and opened.assignment.status is AssignmentStatus.LIVE:
        counts_down = context.definition.has_countdown
        total = None if kept.total is None else max(kept.total, kept.number + 1)
        return replace(kept, number=kept.number + 1, total=total, counts_down=counts_down)
    journey = measure_programme(
        transaction,
        programme_id=context.terms.programme.id or 0,
        title=context.terms.programme.title,
        shown_at=opened.assignment.shown_at,
        assignment_id=opened.assignment_id,
    )
    journey = replace(journey, counts_down=context.definition.has_countdown)
    if opened.assignment.status is not AssignmentStatus.LIVE:
        transaction.journeys[context.terms.programme.id or 0] = journey
    return journey


def measure_programme(
    transaction: AnnotatorTransaction,
    *,
    programme_id: int,
    title: str,
    shown_at: datetime | None = None,
    assignment_id: int = 0,
) -> Journey:
    """The journey up to the item that was shown then, 0 items without it, in two statements.

    They count what was shown of each project of the programme, and the pools.
    """
    keys = {"annotator": transaction.annotator_id, "programme": programme_id, "at": shown_at}
    listed = transaction.session.connection().execute(
        _PROJECTS, keys | {"assignment": assignment_id}, execution_options=transaction.known_values
    )
    by_project: dict[int, list[sa.Row[Any]]] = defaultdict(list)
    for row in listed:
        by_project[row.id].append(row)
    rows = [own[0] for own in by_project.values()]
    files = {row.id: _read_definition(transaction, row) for row in rows}
    shown: dict[tuple[int, Stage], int] = defaultdict(int)
    number = hidden = 0
    for row in (row for own in by_project.values() for row in own if row.n is not None):
        number += int(row.before)
        hidden += int(row.hidden) if files[row.id].has_countdown else 0
        participation = transaction.find_participation(row.id)
        attempt = row.attempt if participation is None else participation.attempt
        if row.shown_attempt is None or row.shown_attempt == (attempt or 1):
            shown[row.id, row.shown_stage] += row.n
    pools = _count_pools(transaction, files)
    journey = Journey(title=title, number=number)
    left, seconds = 0, 0.0
    known_seconds = pools is not None
    is_told = hidden_expected = answered = wanted = 0
    for row in rows:
        participation = transaction.find_participation(row.id)
        is_told += bool(row.halfway_told if participation is None else participation.halfway_told)
        if pools is None:
            continue
        own = {pool: counts for (project, pool), counts in pools.items() if project == row.id}
        done = {stage: n for (project, stage), n in shown.items() if project == row.id}
        n = _count_left(transaction, row, files[row.id], own, done)
        left += n
        expected = files[row.id].expected
        known_seconds = known_seconds and (expected is not None or n == 0)
        seconds += 0.0 if expected is None else n * expected.seconds
        if not files[row.id].has_countdown:
            continue
        main = own.get(Pool.MAIN)
        if main is not None:
            factor = countdown.compute_hidden_factor(files[row.id])
            hidden_expected += math.ceil(main.units * factor) - main.units
        answered += sum(counts.answered for counts in own.values())
        wanted += sum(counts.wanted for counts in own.values())
    if pools is None:
        return replace(journey, is_halfway_told=bool(is_told))
    return replace(
        journey,
        total=number + left,
        seconds=seconds if known_seconds and seconds else None,
        answered=answered + hidden,
        wanted=wanted + max(hidden, hidden_expected),
        is_halfway_told=bool(is_told),
    )


def _read_definition(transaction: AnnotatorTransaction, row: sa.Row[Any]) -> ProjectFile:
    loaded = transaction.contexts.get(row.id)
    if loaded is not None:
        return loaded.definition
    return definitions.read_listed_definition(transaction.session, row)


def _count_left(
    transaction: AnnotatorTransaction,
    row: sa.Row[Any],
    definition: ProjectFile,
    pools: Mapping[Pool, _Pool],
    shown: Mapping[Stage, int],
) -> int:
    """How many items of a data set are still to come, of its stages from the annotator's own on; 0 where none may."""
    participation = transaction.find_participation(row.id)
    status = row.status if participation is None else participation.status
    if row.project_status is not ProjectStatus.RUNNING or status not in {None, ParticipationStatus.ACTIVE}:
        return 0
    stages = [*map(Stage, definition.stages.by_name), Stage.MAIN]
    stage = row.stage if participation is None else participation.stage
    own = stages[stages.index(stage) :] if stage in stages else stages
    return sum(_count_left_of_stage(row, definition, pools, one, behind=shown.get(one, 0)) for one in own)


def _count_left_of_stage(
    row: sa.Row[Any], definition: ProjectFile, pools: Mapping[Pool, _Pool], stage: Stage, *, behind: int
) -> int:
    pool = pools.get(Pool(stage.value))
    if pool is None:
        return 0
    if stage is not Stage.MAIN:
        section = definition.stages.by_name[stage.value]
        return max(0, min(pool.units, section.number or pool.units) - behind)
    caps = None if definition.caps is None else definition.caps.items
    expected = math.ceil(pool.units * countdown.compute_hidden_factor(definition))
    left = min(limit for limit in (caps, row.quota, expected) if limit is not None) - behind
    has_hidden = definition.controls is not None or definition.repeats is not None
    return max(0, left if has_hidden and pool.unmet else min(left, pool.unmet))


def _count_pools(
    transaction: AnnotatorTransaction, files: Mapping[int, ProjectFile]
) -> dict[tuple[int, Pool], _Pool] | None:
    """The pools of all data sets, by project; None where one has more than `item_queue.MOST_COUNTED` items."""
    selects = [_build_pool_select(project_id, definition) for project_id, definition in files.items()]
    keys = {"annotator": transaction.annotator_id}
    rows = transaction.session.connection().execute(sa.union_all(*selects), keys).all()
    numbers: dict[int, int] = defaultdict(int)
    for row in rows:
        numbers[row.project_id] += row.items
    if any(number > item_queue.MOST_COUNTED for number in numbers.values()):
        return None
    return {
        (row.project_id, Pool(row.pool)): _Pool(
            units=row.units, unmet=row.unmet, answered=int(row.answered), wanted=int(row.wanted)
        )
        for row in rows
    }


def _build_pool_select(project_id: int, definition: ProjectFile) -> sa.Select[Any]:
    """The counts of the pools of a project; a unit is a group in a baseline, whose groups are met once."""
    is_baseline = definition.kind == "baseline"
    items = (
        sa.select(col(Item.id), col(Item.project_id), col(Item.pool), col(Item.group_id), col(Item.free))
        .add_columns(col(Item.held), col(Item.n_live), col(Item.n_done))
        .where(col(Item.project_id) == project_id, col(Item.status) != ItemStatus.RETIRED)
        .limit(item_queue.MOST_COUNTED + 1)
        .subquery()
    )
    own: sa.BindParameter[int] = sa.bindparam("annotator")
    given = sa.select(col(Assignment.item_id)).where(
        col(Assignment.annotator_id) == own,
        col(Assignment.project_id) == project_id,
        col(Assignment.status) != AssignmentStatus.EXPIRED,
    )
    exposed = sa.select(col(Exposure.group_id)).where(col(Exposure.annotator_id) == own)
    elsewhere = exposed.where(col(Exposure.project_id) != project_id)
    is_met: sa.ColumnElement[bool] = items.c.id.in_(given)
    unit: sa.ColumnElement[Any] = items.c.id
    if is_baseline and definition.exposure is None:
        is_main = items.c.pool.in_([Pool.MAIN, Pool.PILOT])
        is_met = sa.or_(is_met, is_main & items.c.group_id.in_(exposed))
        is_left = is_main & ~items.c.group_id.in_(elsewhere)
        unit = sa.case((is_left, items.c.group_id), (~is_main, items.c.id))
    is_open = sa.or_(items.c.free > 0, items.c.n_live > items.c.n_done)
    has_answers = items.c.pool.in_([Pool.MAIN, Pool.PILOT])
    places = items.c.free + items.c.held + items.c.n_live
    return sa.select(
        items.c.project_id,
        items.c.pool,
        sa.func.count().label("items"),
        sa.func.count(sa.distinct(unit)).label("units"),
        sa.func.count(sa.distinct(sa.case((is_open & ~is_met, unit)))).label("unmet"),
        sa.func.coalesce(sa.func.sum(sa.case((has_answers, items.c.n_done), else_=0)), 0).label("answered"),
        sa.func.coalesce(sa.func.sum(sa.case((has_answers, places), else_=0)), 0).label("wanted"),
    ).group_by(items.c.project_id, items.c.pool)


_IS_SKIPPED = sa.exists().where(
    col(Judgement.assignment_id) == col(Assignment.id), col(Judgement.skip_reason).is_not(None)
)
_IS_HIDDEN = sa.and_(
    col(Assignment.stage) == Stage.MAIN,
    col(Assignment.status) == AssignmentStatus.DONE,
    sa.or_(judgements.IS_CONTROL, col(Assignment.is_repeat)),
    ~_IS_SKIPPED,
)
_AT = sa.bindparam("at", type_=UtcDateTime())
_IS_BEFORE = sa.or_(
    col(Assignment.shown_at) < _AT,
    sa.and_(col(Assignment.shown_at) == _AT, col(Assignment.id) <= sa.bindparam("assignment")),
)
_SHOWN = (
    sa.select(
        col(Assignment.project_id),
        col(Assignment.stage),
        col(Assignment.attempt),
        sa.func.count().label("n"),
        sa.func.sum(sa.case((_IS_BEFORE, 1), else_=0)).label("before"),
        sa.func.sum(sa.case((_IS_HIDDEN, 1), else_=0)).label("hidden"),
    )
    .where(
        col(Assignment.annotator_id) == sa.bindparam("annotator"),
        col(Assignment.project_id).in_(
            sa.select(col(ProgrammeProject.project_id)).where(
                col(ProgrammeProject.programme_id) == sa.bindparam("programme")
            )
        ),
        col(Assignment.occasion) != SECOND_PASS_OCCASION,
        col(Assignment.status).in_([AssignmentStatus.DONE, AssignmentStatus.SKIPPED, AssignmentStatus.LIVE]),
    )
    .group_by(col(Assignment.project_id), col(Assignment.stage), col(Assignment.attempt))
    .subquery()
)
"""The annotator's items by project, stage and attempt: how many there are, how many up to one, how many hidden ones."""
_PROJECTS: sa.Select[*tuple[Any, ...]] = (
    sa.select(
        col(Project.id),
        col(Project.definition_sha256),
        col(Project.overlap),
        col(Project.overlap_max),
        col(Project.status).label("project_status"),
        col(ProgrammeProject.quota),
        col(Participation.status),
        col(Participation.stage),
        col(Participation.attempt),
        col(Participation.halfway_told),
        _SHOWN.c.stage.label("shown_stage"),
        _SHOWN.c.attempt.label("shown_attempt"),
        _SHOWN.c.n,
        _SHOWN.c.before,
        _SHOWN.c.hidden,
    )
    .select_from(ProgrammeProject)
    .join(Project, col(Project.id) == col(ProgrammeProject.project_id))
    .outerjoin(
        Participation,
        (col(Participation.project_id) == col(Project.id))
        & (col(Participation.annotator_id) == sa.bindparam("annotator")),
    )
    .outerjoin(_SHOWN, _SHOWN.c.project_id == col(Project.id))
    .where(col(ProgrammeProject.programme_id) == sa.bindparam("programme"))
    .order_by(col(ProgrammeProject.position))
)
"""The projects of a programme, each as often as it has rows of `_SHOWN`, or once."""
