"""The next item of an annotator: their live item, else a new one from the first open project that has an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import row_tables
from annotation.store.models import Assignment
from annotation.store.models.column_types import UtcDateTime
from annotation.vocabulary import AssignmentStatus, ProjectStatus, Stage, UnassignedReason
from annotation.workflow.allocation import open_projects
from annotation.workflow.allocation.open_projects import OpenProject
from annotation.workflow.annotators import access
from annotation.workflow.assignments import (
    annotator_context,
    assigned_items,
    assignment_policy,
    item_selection,
    leases,
    qualification,
    second_pass,
)
from annotation.workflow.assignments.annotator_context import AnnotatorContext, AnnotatorTransaction, OpenedAssignment
from annotation.workflow.assignments.assigned_items import AssignedItem
from annotation.workflow.assignments.assignment_policy import SelectedItem
from annotation.workflow.participations import NothingAssigned


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
        eligibility = read_eligibility(transaction, project_id=project_id, now=now)
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
    full_projects = open_projects.list_full_projects(eligibility.open_projects) if project_ids is None else ()
    return _choose_reason([*reasons, *full_projects])


def get_eligibility(transaction: AnnotatorTransaction, *, now: datetime) -> Eligibility:
    """The annotator's live assignment and open projects."""
    return read_eligibility(transaction, project_id=None, now=now)


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

    Returns the obstacle where the annotator has to agree to something first. Returns None where the assignment is not
    live any more, or where the annotator may not answer it now: then it expires.
    """
    opened = annotator_context.open_assignment(transaction, assignment_id=assignment_id, now=now)
    session, context, assignment, item = opened.session, opened.context, opened.assignment, opened.item
    if assignment.status is not AssignmentStatus.LIVE:
        return None
    obstacle = find_project_obstacle(session, context, now=now)
    if obstacle is not None and _is_resolvable(obstacle):
        return obstacle
    if obstacle is not None:
        leases.expire_lease(session, assignment, now=now)
        return None
    is_over = assignment.lease_until is not None and assignment.lease_until < now
    lease_until = assigned_items.compute_lease_end(context, now=now) if is_over else assignment.lease_until
    shown = {"item_revision": item.revision, "stimulus_sha256": item.stimulus_sha256, "lease_until": lease_until}
    row_tables.ASSIGNMENTS.update(session, assignment, **shown)
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
    """Why the annotator may not get items of the project now, apart from caps; None where they may."""
    if context.project.status is not ProjectStatus.RUNNING:
        return NothingAssigned(reason=UnassignedReason.NOT_RUNNING, project=context.project.name)
    return access.find_obstacle(
        session, annotator=context.annotator, terms=context.terms, participation=context.participation, now=now
    )


def find_cap(context: AnnotatorContext, *, now: datetime) -> NothingAssigned | None:
    """The cap of the project that the annotator has reached; None where there is none."""
    participation = context.participation
    progress = assignment_policy.AnnotatorProgress(
        answered=participation.answered,
        day=participation.day,
        answered_today=participation.answered_today,
        work_session_since=participation.work_session_since,
        last_at=participation.last_at,
    )
    cap = assignment_policy.find_reached_cap(
        context.definition.caps, progress, now=now, zone=context.annotator.time_zone
    )
    if cap is None:
        return None
    return NothingAssigned(reason=UnassignedReason.CAP, project=context.project.name, until=cap.until)


def select_item(session: Session, context: AnnotatorContext, *, now: datetime) -> SelectedItem | NothingAssigned:
    """The next item of the annotator's stage, or of the first later stage that has one.

    Moves the participation to later stages and decides attempts at training and qualification on the way. Returns
    NothingAssigned where no item is left, the queue has to be searched again, or a failed attempt stops the annotator.
    """
    participation = context.participation
    while participation.stage is not Stage.MAIN:
        selected = _select_stage_item(session, context, now=now)
        if selected is not None:
            return selected
        if item_selection.has_batch_items(session, context):
            break
        if participation.stage in qualification.MARKED_STAGES:
            if not qualification.is_attempt_complete(session, context):
                break
            if not qualification.decide_attempt(session, context, now=now).passed:
                return find_project_obstacle(session, context, now=now) or select_item(session, context, now=now)
            continue
        stage = assignment_policy.get_next_stage(context.definition, participation.stage)
        row_tables.PARTICIPATIONS.update(session, participation, stage=stage, since=now)
    else:
        selected = item_selection.select_main_item(session, context, now=now)
        if selected is not None:
            return selected
    return NothingAssigned(reason=UnassignedReason.NOTHING_LEFT, project=context.project.name)


def _select_stage_item(
    session: Session, context: AnnotatorContext, *, now: datetime
) -> SelectedItem | NothingAssigned | None:
    stage = context.participation.stage
    if stage is Stage.PILOT:
        return item_selection.select_pilot_item(session, context, now=now)
    return item_selection.select_attempt_item(session, context, stage)


def read_eligibility(transaction: AnnotatorTransaction, *, project_id: int | None, now: datetime) -> Eligibility:
    """Read the eligibility in one statement; the counts of loaded projects are taken from their participations."""
    statement = _LIVE_OVERDUE_AND_PROJECTS if project_id is None else _LIVE_AND_OVERDUE
    keys = {"annotator": transaction.annotator_id, "now": now}
    rows = transaction.session.connection().execute(statement, keys, execution_options=transaction.known_values).all()
    stored_projects = open_projects.sort_open_projects(
        row[2:] for row in rows if project_id is None and row[2] is not None
    )
    return Eligibility(
        live_assignment_id=rows[0][0],
        has_overdue_leases=bool(rows[0][1]),
        open_projects=tuple(_update_counts(transaction, open_project) for open_project in stored_projects),
    )


def _update_counts(transaction: AnnotatorTransaction, open_project: OpenProject) -> OpenProject:
    """The project with the counts of the loaded participation, whose changes may wait."""
    participation = transaction.find_participation(open_project.project)
    if participation is None:
        return open_project
    return replace(open_project, answered=participation.answered, shown=participation.shown)


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
