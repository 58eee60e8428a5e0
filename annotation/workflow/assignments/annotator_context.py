"""The context of an annotator in a project: what every decision on an assignment needs, read in one statement.

The annotator is locked first. What was locked and loaded is an `AnnotatorTransaction`, an assignment with its item an
`OpenedAssignment`: values that the caller of the use-cases passes from one to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation import vocabulary
from annotation.campaigns.project_file import ProjectFile
from annotation.errors import NotFound, Stale
from annotation.store import database, item_queue, models, table_base
from annotation.store.database import LockedAnnotator
from annotation.store.models import (
    AllocatedProject,
    AnnotatorRow,
    Assignment,
    AssignmentRow,
    Exposure,
    Item,
    ItemRow,
    Participation,
    ParticipationRow,
    Programme,
    ProgrammeProject,
    ProgrammeRow,
    Project,
    ProjectRow,
    QueueCursor,
)
from annotation.store.table_base import UtcDateTime, WaitingUpdates
from annotation.vocabulary import POOLS_WITH_OVERLAP, ExposureCause, Pool, ProjectStatus, Surface, UnassignedReason
from annotation.workflow import definitions, participations
from annotation.workflow.assignments.assignment_policy import Journey, PoolCounts
from annotation.workflow.definitions import Terms, build_terms
from annotation.workflow.participations import NothingAssigned

EXPOSURE_CAUSES = {
    Pool.MAIN: ExposureCause.ANSWERED,
    Pool.PILOT: ExposureCause.PILOT,
    Pool.TRAINING: ExposureCause.TRAINING,
    Pool.QUALIFICATION: ExposureCause.QUALIFICATION,
    Pool.CONTROL: ExposureCause.CONTROL,
}
"""The cause that is recorded with an exposure, by the pool of the shown item (main: `answered`)."""


@dataclass(frozen=True, kw_only=True)
class AnnotatorContext:
    """An annotator, a project with its definition, and the annotator's participation in it.

    `terms` are what the project and its programme ask of the annotator. `exposure_exceptions` are ids of projects: a
    baseline shows an annotator groups that they met in these projects, and no other groups that they met before.
    `is_allocated` says that a group allocation divides groups between this project and others. `quota` is the most
    items that the programme lets one annotator answer here, None without a limit. In `zone` the annotator's day begins.
    `queue_states` has the state of the
    main queue (`item_queue.STATE_COLUMNS`) where it was read with the context, until the next search takes it.
    """

    annotator: AnnotatorRow
    project: ProjectRow
    definition: ProjectFile
    participation: ParticipationRow
    terms: Terms
    zone: str
    exposure_exceptions: tuple[int, ...] = ()
    is_allocated: bool = False
    quota: int | None = None
    queue_states: list[Sequence[Any]] = field(default_factory=list, compare=False, repr=False)

    @property
    def annotator_id(self) -> int:
        """The annotator's id."""
        return table_base.require_id(self.annotator.id)

    @property
    def project_id(self) -> int:
        """The project's id."""
        return table_base.require_id(self.project.id)

    @property
    def seed_key(self) -> str:
        """The beginning of every text that is hashed into a pseudo-random number for this annotator in this project."""
        return f"{self.definition.seed}\x1f{self.project.name}\x1f{self.annotator.pseudonym}"

    @property
    def is_baseline(self) -> bool:
        """Whether the project measures people's scores: its annotators must not have met an item's group before."""
        return self.definition.kind == "baseline"


@dataclass(frozen=True, kw_only=True)
class AnnotatorTransaction:
    """What a transaction has locked and loaded of an annotator at work; it ends with that transaction.

    `contexts` are the contexts that were loaded, by project id: each is read once, and a use-case sees in it what the
    one before it changed. `pool_counts`, by project id and pool, and `journeys`, by programme id, wait for the item
    that follows an answer, and so do changes of participations in a block of `collect_changes`. `on_page` says that the
    annotator works on the answer page in it.
    """

    locked: LockedAnnotator
    contexts: dict[int, AnnotatorContext] = field(default_factory=dict)
    pool_counts: dict[tuple[int, Pool], PoolCounts] = field(default_factory=dict)
    journeys: dict[int, Journey] = field(default_factory=dict)
    on_page: bool = False
    _updates: WaitingUpdates[ParticipationRow] = field(
        default_factory=lambda: WaitingUpdates(models.PARTICIPATIONS), repr=False
    )

    @property
    def session(self) -> Session:
        """The session of the transaction; raises LookupError once it has ended."""
        return self.locked.session

    @property
    def annotator(self) -> AnnotatorRow:
        """The annotator, whose row is locked."""
        return self.locked.annotator

    @property
    def annotator_id(self) -> int:
        """The annotator's id."""
        return self.locked.annotator_id

    def collect_changes(self) -> AbstractContextManager[None]:
        """A block in which changes of participations wait, so that an answer and its next item send one UPDATE."""
        return self._updates.collect()

    def update_participation(self, participation: ParticipationRow, **changes: Any) -> None:
        """Change columns of a participation; inside `collect_changes` the change is sent later (`WaitingUpdates`)."""
        self._updates.update(self.session, participation, **changes)

    @property
    def known_values(self) -> Mapping[str, Any]:
        """Execution options of a statement after which the changed columns are taken from the loaded contexts."""
        return self._updates.known

    def find_participation(self, project_id: int) -> ParticipationRow | None:
        """The annotator's participation in a project whose context was loaded; None for any other project."""
        context = self.contexts.get(project_id)
        return None if context is None else context.participation


@dataclass(frozen=True, kw_only=True)
class OpenedAssignment:
    """An assignment with its item and the context of its annotator, from its opening to what is done with it."""

    transaction: AnnotatorTransaction
    context: AnnotatorContext
    assignment: AssignmentRow
    item: ItemRow

    @property
    def session(self) -> Session:
        """The session of the transaction; raises LookupError once it has ended."""
        return self.transaction.session

    @property
    def is_second_pass(self) -> bool:
        """Whether the annotator answered the item blind before, and is shown it with the gold now."""
        return self.assignment.occasion == vocabulary.SECOND_PASS_OCCASION

    @property
    def assignment_id(self) -> int:
        """The assignment's id."""
        return table_base.require_id(self.assignment.id)


def lock_annotator(session: Session, annotator_id: int) -> AnnotatorTransaction:
    """Lock the annotator's row until the transaction ends: the first step of every use-case of an annotator at work.

    Where the database locks rows, other updates of the same annotator wait. Raises Stale for an unknown annotator.
    """
    try:
        return AnnotatorTransaction(locked=database.lock_annotator(session, annotator_id))
    except NotFound:
        raise Stale("This person is not known.") from None


def load_context(
    transaction: AnnotatorTransaction, *, project_id: int, now: datetime
) -> AnnotatorContext | NothingAssigned:
    """The annotator's context in a running project, read where this transaction has not loaded it yet.

    Returns NothingAssigned where the project is not running. Creates the participation where the annotator has none in
    the project yet.
    """
    if project_id in transaction.contexts:
        return transaction.contexts[project_id]
    keys = {"annotator": transaction.annotator_id, "project": project_id}
    options = transaction.known_values  # of this project none is loaded, and so none waits
    rows = table_base.find_first(transaction.session, _CONTEXT, keys, *_CONTEXT_TABLES, options=options)
    if rows is None:
        raise LookupError("there is no such project")
    if rows[0].status is not ProjectStatus.RUNNING:
        return NothingAssigned(reason=UnassignedReason.NOT_RUNNING, project=rows[0].name)
    n_columns = len(item_queue.STATE_COLUMNS)
    context = _build_context(transaction, *rows[:-n_columns], now=now)
    context.queue_states.append(rows[-n_columns:])
    return context


def open_assignment(
    transaction: AnnotatorTransaction, *, assignment_id: int, now: datetime, surface: Surface = Surface.TELEGRAM
) -> OpenedAssignment:
    """Open an assignment on a surface: read it with its item and the annotator's context.

    Raises Stale where the assignment does not belong to the annotator, or to this surface.
    """
    keys = {"annotator": transaction.annotator_id, "assignment": assignment_id}
    rows = table_base.find_first(transaction.session, _ASSIGNMENT, keys, *_ASSIGNMENT_TABLES, *_CONTEXT_TABLES)
    if rows is None:
        raise Stale("This item is not yours.")
    assignment, item, *context_parts = rows
    if assignment.annotator_id != transaction.annotator_id or assignment.surface != surface:
        raise Stale("This item is not yours.")
    context = transaction.contexts.get(item.project_id) or _build_context(transaction, *context_parts, now=now)
    return OpenedAssignment(transaction=transaction, context=context, assignment=assignment, item=item)


def find_assignment(session: Session, *, item_id: int, annotator_id: int, occasion: int) -> AssignmentRow | None:
    """The annotator's assignment of an item on this occasion; None where there is none."""
    keys = {"item": item_id, "annotator": annotator_id, "occasion": occasion}
    return models.ASSIGNMENTS.find(session, _OCCASION, keys)


def _build_context(
    transaction: AnnotatorTransaction,
    project: ProjectRow,
    participation: ParticipationRow | None,
    programme: ProgrammeRow | None,
    is_allocated: bool,
    quota: int | None,
    *,
    now: datetime,
) -> AnnotatorContext:
    """The context made of its columns, noted in the transaction; creates the participation where there is none."""
    definition = definitions.read_project_definition(transaction.session, project)
    if participation is None:
        participation = participations.create_participation(
            transaction.locked, project=project, definition=definition, now=now
        )
    context = AnnotatorContext(
        annotator=transaction.annotator,
        project=project,
        definition=definition,
        participation=participation,
        terms=build_terms(programme, project=project, definition=definition),
        zone=transaction.locked.time_zone,
        exposure_exceptions=_list_exception_projects(transaction.session, definition),
        is_allocated=is_allocated,
        quota=quota,
    )
    transaction.contexts[context.project_id] = context
    return context


def _list_exception_projects(session: Session, definition: ProjectFile) -> tuple[int, ...]:
    if definition.exposure is None:
        return ()
    exceptions = select(Project.id).where(col(Project.name).in_(definition.exposure.exceptions))
    return tuple(
        project_id for project_id in session.exec(exceptions.order_by(col(Project.id))) if project_id is not None
    )


def is_exposed_by_exception(session: Session, context: AnnotatorContext, item: ItemRow) -> bool:
    """Whether a baseline shows this item only because an exception allows a group that the annotator has met before."""
    if not (context.is_baseline and context.exposure_exceptions and item.pool in POOLS_WITH_OVERLAP):
        return False
    met_in_exception = sa.select(sa.literal(1)).where(
        col(Exposure.annotator_id) == context.annotator_id,
        col(Exposure.group_id) == item.group_id,
        col(Exposure.project_id).in_(context.exposure_exceptions),
    )
    return session.connection().execute(met_in_exception.limit(1)).first() is not None


def record_exposure(session: Session, context: AnnotatorContext, item: ItemRow, *, now: datetime) -> None:
    """Record that the annotator has met the item's group."""
    exposure = {
        "annotator": context.annotator_id,
        "group": item.group_id,
        "project": context.project_id,
        "cause": EXPOSURE_CAUSES[item.pool].value,
        "at": now,
    }
    session.connection().execute(_INSERT_EXPOSURE, exposure)


_ASSIGNMENT_TABLES = (models.ASSIGNMENTS, models.ITEMS)
_CONTEXT_TABLES = (models.PROJECTS, models.PARTICIPATIONS, models.PROGRAMMES)


def _build_context_select(source: sa.FromClause, *tables: table_base.RowTable[Any]) -> sa.Select[*tuple[Any, ...]]:
    """A SELECT of rows of these tables and of those of a context, whether the project is allocated, and its quota.

    `source` joins the tables with the project.
    """
    is_allocated = sa.exists().where(col(AllocatedProject.project_id) == col(Project.id)).correlate(Project)
    is_own_participation = (col(Participation.project_id) == col(Project.id)) & (
        col(Participation.annotator_id) == sa.bindparam("annotator")
    )
    columns = (column for table in (*tables, *_CONTEXT_TABLES) for column in table.columns)
    return (
        sa.select(*columns, is_allocated, col(ProgrammeProject.quota))
        .select_from(source)
        .outerjoin(Participation, is_own_participation)
        .outerjoin(ProgrammeProject, col(ProgrammeProject.project_id) == col(Project.id))
        .outerjoin(Programme, col(Programme.id) == col(ProgrammeProject.programme_id))
    )


_PROJECT_TABLE: sa.FromClause = sa.inspect(Project).local_table
_IS_OWN_CURSOR = sa.and_(
    col(QueueCursor.project_id) == col(Project.id),
    col(QueueCursor.annotator_id) == sa.bindparam("annotator"),
    col(QueueCursor.pool) == Pool.MAIN,
)
_CONTEXT = (
    _build_context_select(_PROJECT_TABLE)
    .outerjoin(QueueCursor, _IS_OWN_CURSOR)
    .add_columns(*item_queue.STATE_COLUMNS)
    .where(col(Project.id) == sa.bindparam("project"))
)
_ASSIGNMENT = _build_context_select(
    sa.inspect(Assignment)
    .local_table.join(Item, col(Item.id) == col(Assignment.item_id))
    .join(_PROJECT_TABLE, col(Project.id) == col(Item.project_id)),
    *_ASSIGNMENT_TABLES,
).where(col(Assignment.id) == sa.bindparam("assignment"))
_OCCASION = models.ASSIGNMENTS.select.where(
    col(Assignment.item_id) == sa.bindparam("item"),
    col(Assignment.annotator_id) == sa.bindparam("annotator"),
    col(Assignment.occasion) == sa.bindparam("occasion"),
)
_INSERT_EXPOSURE = sa.text("""
INSERT INTO exposure (annotator_id, group_id, project_id, cause, at) VALUES (:annotator, :group, :project, :cause, :at)
ON CONFLICT DO NOTHING""").bindparams(sa.bindparam("at", type_=UtcDateTime()))
