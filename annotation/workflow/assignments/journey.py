"""The journey of an annotator through a programme: one number that only grows, and one countdown over all data sets.

As in `countdown`, the numbers tell no hidden item from a main one: hidden items count like any other, and what is left
of a data set follows from the items to be expected with them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from annotation.campaigns.project_file import ProjectFile
from annotation.store import judgements
from annotation.store.models import (
    AllocatedProject,
    Assignment,
    Exposure,
    Item,
    Judgement,
    Participation,
    ParticipationRow,
    ProgrammeProject,
    Project,
)
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
from annotation.workflow.allocation import group_allocation
from annotation.workflow.assignments import countdown
from annotation.workflow.assignments.annotator_context import AnnotatorTransaction, OpenedAssignment
from annotation.workflow.assignments.assignment_policy import Journey

MOST_COUNTED = 2000
"""Main items of a data set are counted up to this number: of a larger one only caps and quotas tell what is left."""
_STORED = ("number", "total", "seconds", "answered", "wanted", "is_halfway_told")
"""What is kept of a journey with the item that was shown last."""


@dataclass(frozen=True, kw_only=True)
class _Pool:
    """A pool of a data set: the units that the annotator may get, those that they still may, and the answers.

    A pool that is not `whole` has more than MOST_COUNTED items, of which the first are counted.
    """

    whole: bool
    units: int
    unmet: int
    answered: int
    wanted: int


@dataclass(frozen=True, kw_only=True)
class _DataSet:
    """A data set of the programme: its row of `_PROJECTS`, and how many items of each stage the annotator was shown."""

    row: sa.Row[Any]
    definition: ProjectFile
    participation: ParticipationRow | None
    shown: Mapping[Stage, int]
    hidden: int
    pools: Mapping[Pool, _Pool]

    @property
    def is_halfway_told(self) -> bool:
        """Whether half of the programme was announced after an item of this data set."""
        return bool(self.row.halfway_told if self.participation is None else self.participation.halfway_told)

    @property
    def is_whole(self) -> bool:
        """Whether all its items are counted."""
        return all(pool.whole for pool in self.pools.values())

    def count_left(self) -> int | None:
        """How many items are still to come, of the stages from the annotator's own on; None where that is not known."""
        own = self.participation or self.row
        if self.row.project_status is not ProjectStatus.RUNNING or own.status not in {None, ParticipationStatus.ACTIVE}:
            return 0
        stages = [*map(Stage, self.definition.stages.by_name), Stage.MAIN]
        later = stages[stages.index(own.stage) :] if own.stage in stages else stages
        left = [self._count_left_of_stage(stage) for stage in later]
        known = [number for number in left if number is not None]
        return sum(known) if len(known) == len(left) else None

    def _count_left_of_stage(self, stage: Stage) -> int | None:
        pool, behind = self.pools.get(Pool(stage.value)), self.shown.get(stage, 0)
        if pool is None:
            return 0
        if stage is not Stage.MAIN:
            section = self.definition.stages.by_name[stage.value]
            return max(0, min(pool.units, section.number or pool.units) - behind)
        caps = None if self.definition.caps is None else self.definition.caps.items
        limits = [limit for limit in (caps, self.row.quota) if limit is not None]
        if not pool.whole:
            limit = min(limits, default=None)
            return None if limit is None or limit > pool.units else max(0, limit - behind)
        left = min([*limits, math.ceil(pool.units * countdown.compute_hidden_factor(self.definition))]) - behind
        has_hidden = self.definition.controls is not None or self.definition.repeats is not None
        return max(0, left if has_hidden and pool.unmet else min(left, pool.unmet))

    def count_answers(self) -> tuple[int, int]:
        """How many answers of all annotators are given, and how many are wanted, with the annotator's hidden items."""
        main, expected = self.pools.get(Pool.MAIN), 0
        if main is not None:
            expected = math.ceil(main.units * countdown.compute_hidden_factor(self.definition)) - main.units
        answered = sum(pool.answered for pool in self.pools.values())
        wanted = sum(pool.wanted for pool in self.pools.values())
        return answered + self.hidden, wanted + max(self.hidden, expected)


def find_journey(opened: OpenedAssignment) -> Journey | None:
    """The journey up to this item; None outside programmes.

    It is counted where the annotator comes back, begins a data set or finds one at its end. From item to item it is
    passed on in the participation of the last item: so its number grows by one, and its total stays.
    """
    context, transaction = opened.context, opened.transaction
    programme = context.terms.programme
    if programme is None:
        return None
    key, is_live = programme.id or 0, opened.assignment.status is AssignmentStatus.LIVE
    journey = _read_stored(opened, title=programme.title)
    if journey is None and is_live and context.participation.shown > 1:
        journey = _pass_on(transaction, transaction.journeys.pop(key, None))
    if journey is None:
        shown_at, assignment_id = opened.assignment.shown_at, opened.assignment_id
        journey = measure_programme(
            transaction, programme_id=key, title=programme.title, shown_at=shown_at, assignment_id=assignment_id
        )
    elif not is_live:
        journey = _add_own_answer(opened, journey)
    if is_live:
        _store(opened, journey)
    elif not _is_after_break(context.participation):
        transaction.journeys[key] = journey
    return replace(journey, counts_down=context.definition.has_countdown)


def _is_after_break(participation: ParticipationRow) -> bool:
    """Whether a work session began since the last item was shown: then what is left is counted again."""
    return participation.journey is not None and participation.journey["session"] != participation.work_session


def _read_stored(opened: OpenedAssignment, *, title: str) -> Journey | None:
    """The journey that was stored with this item; None where there is none, or another item was shown since."""
    stored = opened.context.participation.journey
    if stored is None or stored["assignment"] != opened.assignment_id:
        return None
    return Journey(title=title, **{name: stored[name] for name in _STORED})


def _store(opened: OpenedAssignment, journey: Journey) -> None:
    participation = opened.context.participation
    stored = {"assignment": opened.assignment_id, "session": participation.work_session}
    stored |= {name: getattr(journey, name) for name in _STORED}
    opened.transaction.update_participation(participation, journey=stored)


def _pass_on(transaction: AnnotatorTransaction, before: Journey | None) -> Journey | None:
    """The journey up to the new item that follows the one just answered, which is one of those that were left."""
    if before is None:
        return None
    is_told = any(context.participation.halfway_told for context in transaction.contexts.values())
    number = before.number + 1
    total = None if before.total is None else max(before.total, number)
    return replace(before, number=number, total=total, is_halfway_told=before.is_halfway_told or is_told)


def _add_own_answer(opened: OpenedAssignment, journey: Journey) -> Journey:
    """The journey with the answer to this item among those of all annotators, where it counts."""
    assignment = opened.assignment
    is_hidden = assignment.is_repeat or opened.item.pool is Pool.CONTROL
    counts = assignment.status is AssignmentStatus.DONE and (assignment.holds_place or is_hidden)
    if journey.answered is None or journey.wanted is None or not (counts and opened.context.definition.has_countdown):
        return journey
    return replace(journey, answered=min(journey.wanted, journey.answered + 1))


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
    number = sum(int(row.before or 0) for rows in by_project.values() for row in rows)
    data_sets = _build_data_sets(transaction, [*by_project.values()])
    left = [data_set.count_left() for data_set in data_sets]
    journey = Journey(title=title, number=number, is_halfway_told=any(one.is_halfway_told for one in data_sets))
    told = [data_set for data_set in data_sets if data_set.definition.has_countdown]
    if all(data_set.is_whole for data_set in told):
        counts = [data_set.count_answers() for data_set in told]
        journey = replace(journey, answered=sum(one for one, _ in counts), wanted=sum(one for _, one in counts))
    known = [number for number in left if number is not None]
    if len(known) < len(left):
        return journey
    seconds = [
        0.0 if n == 0 else None if data_set.definition.expected is None else n * data_set.definition.expected.seconds
        for n, data_set in zip(known, data_sets, strict=True)
    ]
    whole = None if None in seconds else sum(one or 0.0 for one in seconds)
    return replace(journey, total=number + sum(known), seconds=whole or None)


def _build_data_sets(transaction: AnnotatorTransaction, listed: Sequence[Sequence[sa.Row[Any]]]) -> list[_DataSet]:
    files = {rows[0].id: _read_definition(transaction, rows[0]) for rows in listed}
    allocated = {rows[0].id for rows in listed if rows[0].is_allocated}
    pools = _count_pools(transaction, files, allocated=allocated)
    data_sets = []
    for rows in listed:
        participation = transaction.find_participation(rows[0].id)
        own_attempt = (rows[0].attempt if participation is None else participation.attempt) or 1
        counted = [row for row in rows if row.n is not None]
        shown: dict[Stage, int] = defaultdict(int)
        for row in counted:
            if row.shown_attempt in {None, own_attempt}:
                shown[row.shown_stage] += row.n
        data_sets.append(
            _DataSet(
                row=rows[0],
                definition=files[rows[0].id],
                participation=participation,
                shown=shown,
                hidden=sum(int(row.hidden) for row in counted),
                pools=pools.get(rows[0].id, {}),
            )
        )
    return data_sets


def _read_definition(transaction: AnnotatorTransaction, row: sa.Row[Any]) -> ProjectFile:
    loaded = transaction.contexts.get(row.id)
    if loaded is not None:
        return loaded.definition
    return definitions.read_listed_definition(transaction.session, row)


def _count_pools(
    transaction: AnnotatorTransaction, files: Mapping[int, ProjectFile], *, allocated: Container[int]
) -> dict[int, dict[Pool, _Pool]]:
    """The pools of all data sets, by project; in an allocation only the groups that the annotator may meet."""
    selects = []
    for project_id, definition in files.items():
        bins = None
        if project_id in allocated:
            bins = group_allocation.assign_allowed_bins(
                transaction.session, annotator_id=transaction.annotator_id, project_id=project_id
            )
        selects.append(_build_pool_select(project_id, definition, bins))
    pools: dict[int, dict[Pool, _Pool]] = defaultdict(dict)
    keys = {"annotator": transaction.annotator_id}
    for row in transaction.session.connection().execute(sa.union_all(*selects), keys):
        pools[row.project_id][Pool(row.pool)] = _Pool(
            whole=row.pool != Pool.MAIN or row.items <= MOST_COUNTED,
            units=row.units,
            unmet=row.unmet,
            answered=int(row.answered),
            wanted=int(row.wanted),
        )
    return pools


def _select_items(project_id: int) -> sa.Subquery:
    """The items of all pools of a project, of the main pool MOST_COUNTED and one more."""
    columns = (Item.id, Item.project_id, Item.pool, Item.group_id, Item.bin, Item.free, Item.held, Item.n_live)
    every = sa.select(*map(col, columns), col(Item.n_done)).where(
        col(Item.project_id) == project_id, col(Item.status) != ItemStatus.RETIRED
    )
    main = every.where(col(Item.pool) == Pool.MAIN).limit(MOST_COUNTED + 1).subquery()
    return sa.union_all(every.where(sa.text("pool <> 'main'")), sa.select(main)).subquery()


def _build_pool_select(project_id: int, definition: ProjectFile, bins: tuple[int, ...] | None) -> sa.Select[Any]:
    """The counts of the pools of a project; a unit is a group in a baseline, whose groups are met once."""
    items = _select_items(project_id)
    own: sa.BindParameter[int] = sa.bindparam("annotator")
    given = sa.select(col(Assignment.item_id)).where(
        col(Assignment.annotator_id) == own,
        col(Assignment.project_id) == project_id,
        col(Assignment.status) != AssignmentStatus.EXPIRED,
    )
    exposed = sa.select(col(Exposure.group_id)).where(col(Exposure.annotator_id) == own)
    elsewhere = exposed.where(col(Exposure.project_id) != project_id)
    is_met: sa.ColumnElement[bool] = items.c.id.in_(given)
    has_answers = items.c.pool.in_([Pool.MAIN, Pool.PILOT])
    may_get: sa.ColumnElement[bool] = sa.true() if bins is None else ~has_answers | items.c.bin.in_(bins)
    unit: sa.ColumnElement[Any] = sa.case((may_get, items.c.id))
    if definition.kind == "baseline" and definition.exposure is None:
        is_met = sa.or_(is_met, has_answers & items.c.group_id.in_(exposed))
        is_left = has_answers & ~items.c.group_id.in_(elsewhere) & may_get
        unit = sa.case((is_left, items.c.group_id), (~has_answers, sa.cast(items.c.id, sa.String)))
    is_open = sa.or_(items.c.free > 0, items.c.n_live > items.c.n_done)
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
        sa.exists().where(col(AllocatedProject.project_id) == col(Project.id)).correlate(Project).label("is_allocated"),
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
