"""The next item of an annotator: their live item, else a new one from the first open project that has an item.

Which new item it is depends on the stage: an item of the stage's pool, a control item, a repeat, or one of the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.campaigns.sections.stages import SampledOverlap
from annotation.store import item_queue, judgements, models
from annotation.store.item_queue import QueueQuery
from annotation.store.models import Assignment, Exposure, Item
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import (
    AssignmentEnd,
    AssignmentStatus,
    ExposureCause,
    ItemStatus,
    Pool,
    ProjectStatus,
    Stage,
    Surface,
    UnassignedReason,
)
from annotation.workflow import panels
from annotation.workflow.allocation import group_allocation, open_projects
from annotation.workflow.allocation.open_projects import OpenProject
from annotation.workflow.annotators import access
from annotation.workflow.assignments import (
    annotator_context,
    assigned_items,
    assignment_policy,
    leases,
    qualification,
    second_pass,
)
from annotation.workflow.assignments.annotator_context import (
    EXPOSURE_CAUSES,
    AnnotatorContext,
    AnnotatorTransaction,
    OpenedAssignment,
)
from annotation.workflow.assignments.assigned_items import AssignedItem
from annotation.workflow.assignments.assignment_policy import SelectedItem
from annotation.workflow.participations import NothingAssigned

_IS_IN_BATCH = sa.and_(col(Assignment.status) == AssignmentStatus.LIVE, col(Assignment.surface) == Surface.LABEL_STUDIO)
"""The condition that an assignment is live in a Label Studio batch: an annotator can have many such at once."""


@dataclass(frozen=True, kw_only=True)
class Eligibility:
    """What is read before an item is assigned.

    `live_assignment_id` is the annotator's live assignment in Telegram, None where there is none. `has_overdue_leases`
    says that leases of other annotators are over and have to expire. `open_projects` are the running projects that are
    open to the annotator; it is empty where the caller asked for one project.
    """

    live_assignment_id: int | None
    has_overdue_leases: bool
    open_projects: tuple[OpenProject, ...]


def assign_next_item(
    transaction: AnnotatorTransaction,
    *,
    now: datetime,
    project_id: int | None = None,
    project_ids: Sequence[int] | None = None,
    eligibility: Eligibility | None = None,
) -> AssignedItem | NothingAssigned:
    """The annotator's live item, else a newly assigned item, else the reason why there is none.

    `project_id` asks for an item of one project. `project_ids` are the projects to try, in this order, instead of all
    open projects; where it is empty, only a live item is returned. `eligibility` is what `get_eligibility` read in this
    transaction, with nothing assigned since; it is read here where it is None. The reason SEARCHING asks the caller to
    commit and to call again at once.
    """
    if eligibility is None:
        eligibility = get_eligibility(transaction, project_id=project_id, now=now)
    if eligibility.has_overdue_leases:
        leases.expire_leases(transaction.session, now=now, except_annotator_id=transaction.annotator_id)
    if eligibility.live_assignment_id is not None:
        live_item = _get_live_item(transaction, assignment_id=eligibility.live_assignment_id, now=now)
        if live_item is not None:
            return live_item
    reasons: list[NothingAssigned] = []
    ordered_project_ids = (
        open_projects.order_projects(eligibility.open_projects) if project_id is None else (project_id,)
    )
    for tried_project_id in ordered_project_ids if project_ids is None else project_ids:
        result = _assign_project_item(transaction, project_id=tried_project_id, now=now)
        if isinstance(result, AssignedItem) or _is_resolvable(result) or result.reason is UnassignedReason.SEARCHING:
            return result
        reasons.append(result)
        transaction.journeys.clear()  # less is left than was counted
    full_projects = open_projects.list_full_projects(eligibility.open_projects) if project_ids is None else ()
    return _choose_reason([*reasons, *full_projects])


def _choose_reason(reasons: list[NothingAssigned]) -> NothingAssigned:
    """The reason to show when no project has an item: the one that ends soonest, else the first but NOTHING_LEFT."""
    temporary = sorted(
        (reason for reason in reasons if reason.until is not None),
        key=lambda reason: reason.until.timestamp(),  # type: ignore[union-attr]
    )
    specific = [reason for reason in reasons if reason.reason is not UnassignedReason.NOTHING_LEFT]
    candidates = [*temporary, *specific, *reasons]
    return candidates[0] if candidates else NothingAssigned(reason=UnassignedReason.NOTHING_LEFT)


def _is_resolvable(obstacle: NothingAssigned) -> bool:
    """Whether the annotator can remove the obstacle at once and has not declined to: then no later project is tried."""
    return obstacle.reason in access.RESOLVABLE_REASONS and not obstacle.declined


def _get_live_item(
    transaction: AnnotatorTransaction, *, assignment_id: int, now: datetime
) -> AssignedItem | NothingAssigned | None:
    """The annotator's live item, with its lease renewed where it was over.

    Returns the obstacle if they must agree to something first, and None if it ended, or ends as they may not answer.
    """
    opened = annotator_context.open_assignment(transaction, assignment_id=assignment_id, now=now)
    session, context, assignment, item = opened.session, opened.context, opened.assignment, opened.item
    if assignment.status is not AssignmentStatus.LIVE:
        return None
    obstacle = find_project_obstacle(session, context, now=now)
    if obstacle is not None:
        if not _is_resolvable(obstacle):
            leases.expire_lease(session, assignment, now=now, why=AssignmentEnd.BARRED)
            return None
        return obstacle
    is_over = assignment.lease_until is not None and assignment.lease_until < now
    if is_over and context.participation.journey is not None:
        transaction.update_participation(context.participation, journey=None)  # counted again after a break
    until = assigned_items.compute_lease_end(context, now=now) if is_over else assignment.lease_until
    shown = {"item_revision": item.revision, "stimulus_sha256": item.stimulus_sha256}
    models.ASSIGNMENTS.update(session, assignment, **shown, lease_until=until)
    return assigned_items.build_assigned_item(opened)


def _assign_project_item(
    transaction: AnnotatorTransaction, *, project_id: int, now: datetime
) -> AssignedItem | NothingAssigned:
    session, context = transaction.session, annotator_context.load_context(transaction, project_id=project_id, now=now)
    if isinstance(context, NothingAssigned):
        return context
    obstacle = find_project_obstacle(session, context, now=now)
    if obstacle is None and context.definition.asks_in_steps:
        resumed = second_pass.resume_second_pass(session, context, now=now)
        if resumed is not None:
            assignment, item = resumed
            opened = OpenedAssignment(transaction=transaction, context=context, assignment=assignment, item=item)
            return assigned_items.build_assigned_item(opened)
    obstacle = obstacle or find_cap(context, now=now)
    if obstacle is not None:
        return obstacle
    access.clear_declined(session, context.participation)
    selected = select_item(session, context, now=now)
    if isinstance(selected, NothingAssigned):
        return selected
    opened = assigned_items.assign_item(transaction, context, selected, now=now)
    return assigned_items.build_assigned_item(opened, is_new=selected.item is not None)


def find_project_obstacle(session: Session, context: AnnotatorContext, *, now: datetime) -> NothingAssigned | None:
    """Why the annotator may not get items of the project now, apart from caps; None where they may, in their panel."""
    if context.project.status is not ProjectStatus.RUNNING:
        return NothingAssigned(reason=UnassignedReason.NOT_RUNNING, project=context.project.name)
    obstacle = access.find_obstacle(
        session, annotator=context.annotator, terms=context.terms, participation=context.participation, now=now
    )
    if obstacle is None and context.definition.panels:
        panels.settle_panel(session, context.definition, context.participation)
    return obstacle


def find_cap(context: AnnotatorContext, *, now: datetime) -> NothingAssigned | None:
    """The cap of the project that the annotator has reached; None where there is none."""
    caps, name = context.definition.caps, context.project.name
    return assignment_policy.find_reached_cap(caps, context.participation, project=name, now=now, zone=context.zone)


def select_item(session: Session, context: AnnotatorContext, *, now: datetime) -> SelectedItem | NothingAssigned:
    """The next item of the annotator's stage, or of the first later stage that has one.

    Moves the participation to later stages and decides attempts at training and qualification on the way. Returns
    NothingAssigned where no item is left, the queue has to be searched again, or a failed attempt stops the annotator.
    """
    participation = context.participation
    while participation.stage is not Stage.MAIN:
        if participation.stage is Stage.PILOT:
            selected = _select_pilot_item(session, context, now=now)
        else:
            selected = select_attempt_item(session, context, participation.stage)
        if selected is not None:
            return selected
        if has_batch_items(session, context):
            break
        if participation.stage in qualification.MARKED_STAGES:
            if not qualification.is_attempt_complete(session, context):
                break
            if not qualification.decide_attempt(session, context, now=now).passed:
                return find_project_obstacle(session, context, now=now) or select_item(session, context, now=now)
            continue
        stage = assignment_policy.get_next_stage(context.definition, participation.stage)
        models.PARTICIPATIONS.update(session, participation, stage=stage, since=now)
    else:
        selected = _select_main_item(session, context, now=now)
        if selected is not None:
            return selected
    return NothingAssigned(reason=UnassignedReason.NOTHING_LEFT, project=context.project.name)


def get_eligibility(transaction: AnnotatorTransaction, *, now: datetime, project_id: int | None = None) -> Eligibility:
    """Read in one statement what is known before an item is assigned, in all open projects or in one.

    The counts of loaded projects are taken from their participations.
    """
    statement = _LIVE_OVERDUE_AND_PROJECTS if project_id is None else _LIVE_AND_OVERDUE
    keys = {"annotator": transaction.annotator_id, "now": now}
    rows = transaction.session.connection().execute(statement, keys, execution_options=transaction.known_values).all()
    stored_projects = open_projects.sort_open_projects(
        row[2:] for row in rows if project_id is None and row[2] is not None
    )
    counted_projects = tuple(
        open_projects.count_anew(stored, participation)
        if (participation := transaction.find_participation(stored.project)) is not None
        else stored
        for stored in stored_projects
    )
    return Eligibility(
        live_assignment_id=rows[0][0], has_overdue_leases=bool(rows[0][1]), open_projects=counted_projects
    )


def _select_pilot_item(
    session: Session, context: AnnotatorContext, *, now: datetime
) -> SelectedItem | NothingAssigned | None:
    """The next pilot item; None when the annotator has had the pilot's `number` of items, or no item is left."""
    section = context.definition.stages.pilot
    if section is not None and section.number is not None:
        ended = col(Assignment.status).in_((AssignmentStatus.DONE, AssignmentStatus.SKIPPED)) | _IS_IN_BATCH
        in_stage = _build_stage_conditions(context, Stage.PILOT)
        if session.exec(select(func.count()).select_from(Assignment).where(*in_stage, ended)).one() >= section.number:
            return None
    return _take_from_queue(session, context, Pool.PILOT, now=now)


def select_attempt_item(session: Session, context: AnnotatorContext, stage: Stage) -> SelectedItem | None:
    """The next item of the annotator's attempt at training or qualification; None when the attempt has all its answers.

    An item whose lease expired in this attempt comes first, then the items with the fewest earlier assignments to this
    annotator, in an order seeded for each attempt. An answer to an item as it was before a substantive fix does not
    count: the fixed item, or another one, is assigned instead.
    """
    attempt, section = context.participation.attempt, context.definition.stages.by_name.get(stage.value)
    assignments = models.ASSIGNMENTS.list(
        session, models.ASSIGNMENTS.select.where(*_build_stage_conditions(context, stage))
    )
    attempt_assignments = [assignment for assignment in assignments if (assignment.attempt or 1) == attempt]
    done = [assignment for assignment in attempt_assignments if assignment.status is AssignmentStatus.DONE]
    superseded_ids = qualification.find_superseded_assignments(session, [assignment.id for assignment in done])
    in_batch = [
        assignment
        for assignment in attempt_assignments
        if assignment.status is AssignmentStatus.LIVE and assignment.surface is Surface.LABEL_STUDIO
    ]
    settled_item_ids = {settled.item_id for settled in [*done, *in_batch] if settled.id not in superseded_ids}
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
    expired = next((expired_by_item[item_id] for item_id in sorted(candidate_ids) if item_id in expired_by_item), None)
    if expired is not None:
        return SelectedItem(item_id=expired.item_id, occasion=expired.occasion, attempt=expired.attempt)
    if not candidate_ids:
        return None
    item_id_to_assign = min(candidate_ids, key=lambda item_id: next_occasions.get(item_id, 0))
    return SelectedItem(item_id=item_id_to_assign, occasion=next_occasions.get(item_id_to_assign, 0), attempt=attempt)


def has_batch_items(session: Session, context: AnnotatorContext) -> bool:
    """Whether items of the current stage are live in a Label Studio batch; until they are answered, the stage lasts."""
    live = select(Assignment.id).where(*_build_stage_conditions(context, context.participation.stage), _IS_IN_BATCH)
    return session.exec(live.limit(1)).first() is not None


def _select_main_item(
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
    repeat_item_id = find_due_repeat(session, context, now=now)
    if (
        repeat_item_id is not None
        and assignment_policy.generate_seeded_number(context.seed_key, "repeat", item_number)
        < assignment_policy.REPEAT_PROBABILITY
    ):
        return SelectedItem(item_id=repeat_item_id, occasion=1, is_repeat=True, page_position=page_position)
    selected = _take_from_queue(session, context, Pool.MAIN, now=now, page_position=page_position)
    if isinstance(selected, SelectedItem) and is_control_due:
        models.PARTICIPATIONS.update(session, participation, missed_controls=participation.missed_controls + 1)
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
    state = context.queue_states.pop() if pool is Pool.MAIN and context.queue_states else None
    queued = item_queue.take_next_item(session, build_queue_query(session, context, pool), now=now, state=state)
    if queued.search_again:
        return NothingAssigned(reason=UnassignedReason.SEARCHING, project=context.project.name)
    if queued.item_id is None:
        return None
    return SelectedItem(item_id=queued.item_id, item=queued.item, page_position=page_position)


def build_queue_query(session: Session, context: AnnotatorContext, pool: Pool) -> QueueQuery:
    """The query for an item of the pool; in a group allocation it names the bins that the annotator may get."""
    who, definition = {"annotator_id": context.annotator_id, "project_id": context.project_id}, context.definition
    return QueueQuery(
        **who,
        pool=pool,
        cause=EXPOSURE_CAUSES[pool],
        cursor_start=assignment_policy.generate_seeded_number(context.seed_key, "ring", pool.value),
        window_start=assignment_policy.generate_seeded_number(
            context.seed_key, "started", context.participation.shown + 1
        ),
        blind=context.is_baseline,
        exceptions=context.exposure_exceptions,
        bins=group_allocation.assign_allowed_bins(session, **who) if context.is_allocated else None,
        quota=panels.get_quota(definition, context.participation.panel) if definition.panels else None,
        mixed=pool is Pool.MAIN and isinstance(definition.overlap, SampledOverlap),
    )


def _find_expired_control(session: Session, context: AnnotatorContext) -> int | None:
    """The id of the annotator's oldest control item whose lease expired, None where there is none.

    Such an item comes before others and keeps its old position. In a baseline it is left out where the annotator has
    met its group in another project, or otherwise than as a control item.
    """
    if context.definition.controls is None:
        return None
    keys: dict[str, object] = {"annotator": context.annotator_id, "project": context.project_id}
    if not context.is_baseline:
        return session.connection().execute(_EXPIRED_CONTROL, keys).scalar()
    keys["exceptions"] = context.exposure_exceptions
    return session.connection().execute(_EXPIRED_BASELINE_CONTROL, keys).scalar()


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
        keys = {"annotator": context.annotator_id, "exceptions": context.exposure_exceptions}
        exposed_item_ids = set(session.connection().execute(_EXPOSED_ITEMS, keys | {"items": candidate_ids}).scalars())
        candidate_ids = [item_id for item_id in candidate_ids if item_id not in exposed_item_ids]
    return candidate_ids[0] if candidate_ids else None


def find_due_repeat(session: Session, context: AnnotatorContext, *, now: datetime) -> int | None:
    """The id of the item whose repeat has been due longest; None where no repeat is due."""
    if context.definition.repeats is None:
        return None
    due = (
        select(Assignment.item_id)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .where(Assignment.annotator_id == context.annotator_id, Assignment.project_id == context.project_id)
        .where(Item.status == ItemStatus.OPEN)
        .where(col(Assignment.repeat_at).is_not(None), col(Assignment.repeat_at) <= now)
    )
    repeat = aliased(Assignment)
    in_batch = select(repeat.id).where(
        repeat.item_id == Assignment.item_id,
        repeat.annotator_id == context.annotator_id,
        repeat.occasion == 1,
        repeat.status == AssignmentStatus.LIVE,
        repeat.surface == Surface.LABEL_STUDIO,
    )
    return session.exec(
        due.where(~in_batch.exists()).order_by(col(Assignment.repeat_at), col(Assignment.id)).limit(1)
    ).first()


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


_LIVE = (
    sa.select(col(Assignment.id))
    .where(
        col(Assignment.annotator_id) == sa.bindparam("annotator"),
        sa.text("assignment.status = 'live'"),
        sa.text("assignment.surface = 'telegram'"),
    )
    .limit(1)
    .scalar_subquery()
)
_OVERDUE = (
    sa.select(sa.literal_column("1"))
    .where(
        sa.text("assignment.status = 'live'"),
        col(Assignment.lease_until) < sa.bindparam("now", type_=UtcDateTime()),
        col(Assignment.annotator_id) != sa.bindparam("annotator"),
    )
    .select_from(Assignment)
    .limit(1)
    .scalar_subquery()
)
_LIVE_AND_OVERDUE = sa.select(_LIVE.label("live"), _OVERDUE.is_not(None).label("overdue"))
_LIVE_AND_OVERDUE_TABLE = _LIVE_AND_OVERDUE.subquery()
_PROJECTS = open_projects.OPEN_PROJECTS.subquery()
_LIVE_OVERDUE_AND_PROJECTS = sa.select(_LIVE_AND_OVERDUE_TABLE, _PROJECTS).select_from(
    _LIVE_AND_OVERDUE_TABLE.outerjoin(_PROJECTS, sa.true())
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
    .where(col(Assignment.annotator_id) == sa.bindparam("annotator"), sa.text("assignment.status = 'expired'"))
    .where(col(Assignment.project_id) == sa.bindparam("project"), judgements.IS_CONTROL)
    .where(col(Item.status) == ItemStatus.OPEN)
    .order_by(col(Assignment.id))
    .limit(1)
)
_IS_OWN_CONTROL = (col(Exposure.project_id) == sa.bindparam("project")) & (col(Exposure.cause) == ExposureCause.CONTROL)
_EXPIRED_BASELINE_CONTROL = _EXPIRED_CONTROL.where(~_EXPOSURES.where(~_IS_OWN_CONTROL).exists())
