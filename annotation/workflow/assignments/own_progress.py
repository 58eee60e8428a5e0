"""An annotator's own progress: a line for each project that they joined, and for each of a programme that they joined.

The numbers are those of the countdown, so that they tell no hidden item (a control item or a repeat) from a main one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store.models import Assignment, Participation, Programme, ProgrammeProject, Project
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus, ParticipationStatus, ProjectStatus, Stage
from annotation.workflow.assignments import annotator_context, countdown, journey, next_item
from annotation.workflow.assignments.annotator_context import AnnotatorContext, AnnotatorTransaction


class ProgressState(StrEnum):
    """How far an annotator is in a project: STOPPED and FAILED are participations, PAUSED and CLOSED projects."""

    WAITING = "waiting"
    BEGUN = "begun"
    DONE = "done"
    PAUSED = "paused"
    CLOSED = "closed"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class OwnProgress:
    """An annotator's progress in a project.

    `key` is the `ProjectChoice.key` of its menu entry, `programme` the title of its programme, `in_sequence` whether
    that takes its projects one after the other, and `status` that of the participation. `done` of `total` items of the
    pilot and the main stage are answered or skipped; the total is None where it is not known. `preparing`
    is the stage before, where there is one. `answers` counts the answers of all stages, `given` those of the pilot and
    the main stage. `answered` of `wanted` answers of all annotators are given; None where the project does not show
    them. `shared` are the same two numbers for the whole programme, as they stand above its items.
    """

    project_id: int
    title: str
    key: int
    programme: str | None
    in_sequence: bool
    state: ProgressState
    status: ParticipationStatus | None = None
    done: int = 0
    total: int | None = None
    preparing: Stage | None = None
    answers: int = 0
    given: int = 0
    answered: int | None = None
    wanted: int | None = None
    shared: tuple[int, int] | None = None

    @property
    def as_done(self) -> OwnProgress:
        """The progress where no item is left for the annotator."""
        is_open = self.state in {ProgressState.WAITING, ProgressState.BEGUN}
        return replace(self, state=ProgressState.DONE, total=self.done) if is_open else self


def count_left(listed: Sequence[OwnProgress]) -> int | None:
    """How many items the annotator has yet to do in these projects; None where that is not known for one of them."""
    begun = [one for one in listed if one.state in {ProgressState.WAITING, ProgressState.BEGUN}]
    if any(one.total is None or one.preparing is not None for one in begun):
        return None
    return sum((one.total or 0) - one.done for one in begun)


def list_own_progress(
    transaction: AnnotatorTransaction, *, now: datetime, exhausted: Collection[int] = ()
) -> tuple[OwnProgress, ...]:
    """The progress in each project, programmes together, in the order of loading and of the programme.

    `exhausted` are the keys of menu entries that have no item for the annotator now.
    """
    transaction.session.flush()
    open_projects = next_item.get_eligibility(transaction, now=now).open_projects
    parameters = {"annotator": transaction.annotator_id, "open": [project.project for project in open_projects] or [0]}
    rows = transaction.session.connection().execute(_PROJECTS, parameters).all()
    done, answers = _count_ended(transaction.session, transaction.annotator_id)
    listed = []
    for row in _sort_rows(rows):
        stage = Stage.PILOT if row.stage is Stage.PILOT else Stage.MAIN
        progress = OwnProgress(
            project_id=row.id,
            title=row.title,
            key=-row.programme_id if row.programme_id else row.id,
            programme=row.programme,
            in_sequence=row.programme_id is not None and row.definition["order"] == "sequence",
            state=_find_state(row),
            status=row.status,
            done=sum(done.get((row.id, counted), 0) for counted in (Stage.PILOT, Stage.MAIN)),
            answers=sum(number for (project_id, _), number in answers.items() if project_id == row.id),
            given=sum(answers.get((row.id, stage), 0) for stage in (Stage.PILOT, Stage.MAIN)),
        )
        if row.status is not None and progress.state in {ProgressState.WAITING, ProgressState.BEGUN}:
            progress = _count_down(transaction, progress, stage, done=done.get((row.id, stage), 0), now=now)
        is_over = progress.key in exhausted and not _comes_again(transaction, progress, now=now)
        listed.append(progress.as_done if is_over else progress)
    return _add_shared(transaction, listed)


def _add_shared(transaction: AnnotatorTransaction, listed: Sequence[OwnProgress]) -> tuple[OwnProgress, ...]:
    """The progress with the answers of all in its programme, where one of the projects shows those of its own."""
    shared: dict[int, tuple[int, int]] = {}
    for progress in listed:
        if progress.programme is not None and progress.answered is not None and progress.key not in shared:
            way = journey.measure_programme(transaction, programme_id=-progress.key, title=progress.programme)
            if way.answered is not None and way.wanted is not None:
                shared[progress.key] = way.answered, way.wanted
    return tuple(replace(progress, shared=shared.get(progress.key)) for progress in listed)


def find_finished_before(transaction: AnnotatorTransaction, *, project_id: int, now: datetime) -> OwnProgress | None:
    """The project that the annotator has finished before this one, where a programme takes them one after the other.

    None where they get items of it again without anybody's action.
    """
    listed = list_own_progress(transaction, now=now)
    index = next((index for index, progress in enumerate(listed) if progress.project_id == project_id), 0)
    if index == 0 or not listed[index].in_sequence or listed[index - 1].key != listed[index].key:
        return None
    before = listed[index - 1]
    is_left = before.state is ProgressState.BEGUN and not _comes_again(transaction, before, now=now)
    return before.as_done if is_left or before.state is ProgressState.DONE else None


def _comes_again(transaction: AnnotatorTransaction, progress: OwnProgress, *, now: datetime) -> bool:
    """Whether the annotator gets more items later without anybody's action, or is still before the main stage."""
    context = transaction.contexts.get(progress.project_id)
    cap = None if context is None else next_item.find_cap(context, now=now)
    return progress.preparing is not None or (cap is not None and cap.until is not None)


def _find_state(row: sa.Row[Any]) -> ProgressState:
    """The state as far as project and participation tell it."""
    if row.project_status is not ProjectStatus.RUNNING:
        return ProgressState.CLOSED if row.project_status is ProjectStatus.CLOSED else ProgressState.PAUSED
    if row.status is ParticipationStatus.FAILED:
        return ProgressState.FAILED
    if row.status not in {None, ParticipationStatus.ACTIVE}:
        return ProgressState.STOPPED
    return ProgressState.BEGUN if row.shown else ProgressState.WAITING


def _count_down(
    transaction: AnnotatorTransaction, progress: OwnProgress, stage: Stage, *, done: int, now: datetime
) -> OwnProgress:
    """The progress with the totals of the countdown, and the state that follows from them.

    `done` are items of the stage; the totals are those of the pilot and the main stage together.
    """
    context = annotator_context.load_context(transaction, project_id=progress.project_id, now=now)
    if not isinstance(context, AnnotatorContext):
        return progress
    counted = countdown.count_stage(transaction, context, stage, before=done, least=done)
    to_come = None
    if stage is Stage.PILOT:
        to_come = countdown.count_stage(transaction, context, Stage.MAIN, before=0, least=0)
    own_stage, cap = context.participation.stage, next_item.find_cap(context, now=now)
    is_full = cap is not None and cap.until is None
    if context.quota is not None:
        is_full = is_full or context.participation.answered >= context.quota
    is_over = counted is not None and done >= counted.total and own_stage is Stage.MAIN
    total = None if counted is None else counted.total + progress.done - done
    if stage is Stage.PILOT:
        total = None if total is None or to_come is None else total + to_come.total
    progress = replace(
        progress,
        total=total,
        preparing=own_stage if own_stage in {Stage.TRAINING, Stage.QUALIFICATION} else None,
        answered=counted.answered if counted is not None and context.definition.has_countdown else None,
        wanted=counted.wanted if counted is not None and context.definition.has_countdown else None,
    )
    return progress.as_done if is_over or is_full else progress


def _sort_rows(rows: Sequence[sa.Row[Any]]) -> list[sa.Row[Any]]:
    """The rows of projects that the annotator joined, or whose programme they joined."""
    left = ParticipationStatus.WITHDRAWN
    joined = {row.programme_id for row in rows if row.status not in {None, left}} - {None}
    kept = [row for row in rows if row.status != left and (row.status is not None or row.programme_id in joined)]
    first: dict[int, int] = {}
    for row in kept:
        key = row.programme_id or -row.id
        first[key] = min(first.get(key, row.id), row.id)
    return sorted(kept, key=lambda row: (first[row.programme_id or -row.id], row.position or 0))


def _count_ended(
    session: Session, annotator_id: int
) -> tuple[dict[tuple[int, Stage], int], dict[tuple[int, Stage], int]]:
    """How many items the annotator has answered or skipped, and how many answered, by project and stage."""
    done: dict[tuple[int, Stage], int] = {}
    answers: dict[tuple[int, Stage], int] = {}
    for project_id, stage, status, number in session.connection().execute(_ENDED, {"annotator": annotator_id}):
        done[project_id, stage] = done.get((project_id, stage), 0) + number
        if status is AssignmentStatus.DONE:
            answers[project_id, stage] = answers.get((project_id, stage), 0) + number
    return done, answers


_PROJECTS = (
    sa.select(
        col(Project.id),
        col(Project.title),
        col(Project.status).label("project_status"),
        col(ProgrammeProject.programme_id),
        col(ProgrammeProject.position),
        col(Programme.title).label("programme"),
        col(Programme.definition),
        col(Participation.status),
        col(Participation.stage),
        col(Participation.shown),
    )
    .select_from(Project)
    .outerjoin(ProgrammeProject, col(ProgrammeProject.project_id) == col(Project.id))
    .outerjoin(Programme, col(Programme.id) == col(ProgrammeProject.programme_id))
    .outerjoin(
        Participation,
        (col(Participation.project_id) == col(Project.id))
        & (col(Participation.annotator_id) == sa.bindparam("annotator")),
    )
    .where(
        col(Participation.annotator_id).is_not(None) | col(Project.id).in_(sa.bindparam("open", expanding=True)),
    )
)
_ENDED = (
    sa.select(col(Assignment.project_id), col(Assignment.stage), col(Assignment.status), sa.func.count())
    .where(
        col(Assignment.annotator_id) == sa.bindparam("annotator"),
        col(Assignment.occasion) != SECOND_PASS_OCCASION,
        col(Assignment.status).in_([AssignmentStatus.DONE, AssignmentStatus.SKIPPED]),
    )
    .group_by(col(Assignment.project_id), col(Assignment.stage), col(Assignment.status))
)
