"""Who does what in Label Studio: each person's items in a project, how long they take, and what they do to texts.

All of it is what the database knows, so the answers are those of the last pull. Drafts and e-mails, which only the
server knows, are in `annotation/label_studio/sync/people.py`.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from aggregation.text_difference import drops_most, normalize_text
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question
from annotation.store import judgements
from annotation.store.models import (
    IS_KNOWN,
    Annotator,
    Assignment,
    Item,
    Judgement,
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    LabelStudioTask,
    Project,
)
from annotation.vocabulary import SECOND_PASS_OCCASION, AssignmentStatus, BatchWork, ExclusionKind, Surface
from annotation.workflow import definitions
from annotation.workflow.annotators import payments
from annotation.workflow.annotators.payments import ActiveTime
from annotation.workflow.monitoring import blindness


class PersonKey(NamedTuple):
    """Whose work, of which project, and of which kind; both passes are one."""

    project_id: int
    annotator_id: int
    work: BatchWork


@dataclass(frozen=True, kw_only=True)
class StudioQueue:
    """A person's project on a server: its id there, and the ids of the tasks in it that wait for them.

    `aside` are those of the waiting tasks whose answer by them was no answer: Label Studio does not offer them again.
    """

    server: str
    remote_id: int
    second: bool
    waiting: frozenset[int]
    aside: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class CorrectionCounts:
    """The corrections of a person: how many, in how many nothing was changed, and in how many most was dropped."""

    number: int = 0
    unchanged: int = 0
    most_dropped: int = 0

    @property
    def unchanged_share(self) -> float | None:
        """The share without any change; None without corrections."""
        return self.unchanged / self.number if self.number else None

    @property
    def dropped_share(self) -> float | None:
        """The share that dropped most of the text; None without corrections."""
        return self.most_dropped / self.number if self.number else None


@dataclass(frozen=True, kw_only=True)
class PersonWork:
    """The work of one person in a project in Label Studio, answers as they were last pulled.

    `waiting` counts items (or decisions) that are theirs and not answered in a pass, `answered` and `skipped` those
    that they ended. `second_answered` counts those of them that they also answered in the second pass. `due_at` is the
    first date by which a waiting item is to be answered, `late` counts waiting items whose date is over. `returned`
    counts items that ended without an answer, by their date or as they were released. `seconds` is the median time of
    an answer, `per_hour` items in an active hour, None for fewer than two. `accounts` are the person's accounts by
    server. `in_telegram` says that the bot can write to them. `pulled_at` is the time up to which their queues were
    read, None before the first pull; a queue that is newer than the last pull does not count.
    """

    project: str
    title: str
    language: str
    annotator: str
    annotator_id: int
    work: BatchWork
    accounts: frozenset[tuple[str, int]]
    in_telegram: bool
    queues: tuple[StudioQueue, ...]
    waiting: int
    answered: int
    second_answered: int = 0
    skipped: int = 0
    late: int = 0
    returned: int = 0
    due_at: datetime | None = None
    seconds: float | None = None
    per_hour: float | None = None
    corrections: CorrectionCounts = field(default_factory=CorrectionCounts)
    pulled_at: datetime | None = None


def list_person_work(session: Session, *, now: datetime, project_id: int | None = None) -> tuple[PersonWork, ...]:
    """The work of everybody with a batch in Label Studio, in one project or in all, by project and pseudonym.

    In an adopted project it is the work of everybody who answered there.
    """
    rows = _list_people(session, project_id)
    batches: dict[PersonKey, list[LabelStudioBatch]] = defaultdict(list)
    for batch, _, annotator in rows:
        batches[PersonKey(batch.project_id, annotator.id or 0, batch.work)].append(batch)
    projects = {project.id or 0: project for _, project, _ in rows}
    annotators = {annotator.id or 0: annotator for _, _, annotator in rows}
    counted = {
        (number, surface): _measure_project(session, projects[number], surface, now=now)
        for number, surface in {(batch.project_id, _get_surface(batch.work)) for batch, _, _ in rows}
    }
    waiting = _list_waiting_tasks(session, [batch for batch, _, _ in rows])
    aside = _list_set_aside_tasks(session, [batch for batch, _, _ in rows])
    accounts = _list_accounts(session)
    return tuple(
        PersonWork(
            project=projects[key.project_id].name,
            title=projects[key.project_id].title,
            language=projects[key.project_id].language,
            annotator=annotators[key.annotator_id].pseudonym,
            annotator_id=key.annotator_id,
            work=key.work,
            accounts=frozenset(accounts[key.annotator_id]),
            in_telegram=_can_write_to(annotators[key.annotator_id]),
            queues=tuple(_build_queue(batch, waiting, aside) for batch in own if batch.remote_id is not None),
            pulled_at=_find_oldest([batch.watermark for batch in own if batch.remote_id is not None]),
            **(
                counted[key.project_id, _get_surface(key.work)].get(key.annotator_id, _NOTHING)
                if key.work in {BatchWork.ANSWERS, BatchWork.ADOPTED}
                else _count_decisions(session, own)
            ),
        )
        for key, own in batches.items()
    )


def _list_people(session: Session, project_id: int | None) -> list[tuple[LabelStudioBatch, Project, Annotator]]:
    """The batches with their projects and people; an adopted project has a row for each person who answered there."""
    answered = select(sa.literal(1)).where(
        col(Assignment.project_id) == col(Project.id),
        col(Assignment.annotator_id) == col(Annotator.id),
        Assignment.surface == Surface.IMPORT,
    )
    is_theirs = sa.or_(
        col(LabelStudioBatch.annotator_id) == col(Annotator.id),
        sa.and_(col(LabelStudioBatch.work) == BatchWork.ADOPTED, answered.exists()),
    )
    chosen = select(LabelStudioBatch, Project, Annotator).join(
        Project, col(Project.id) == col(LabelStudioBatch.project_id)
    )
    rows = session.exec(
        chosen.join(Annotator, is_theirs)
        .where(
            sa.true() if project_id is None else col(LabelStudioBatch.project_id) == project_id,
            IS_KNOWN,
        )
        .order_by(col(Project.name), col(Annotator.pseudonym), col(LabelStudioBatch.work), col(LabelStudioBatch.id))
    )
    return list(rows)


def _get_surface(work: BatchWork) -> Surface:
    """Where the answers of a batch are stored: those of an adopted project are imported ones."""
    return Surface.IMPORT if work is BatchWork.ADOPTED else Surface.LABEL_STUDIO


_NOTHING: Mapping[str, Any] = {"waiting": 0, "answered": 0}


def _can_write_to(annotator: Annotator) -> bool:
    return annotator.telegram_id is not None and annotator.unreachable_at is None and annotator.suspended_at is None


def _build_queue(
    batch: LabelStudioBatch, waiting: Mapping[int, set[int]], aside: Mapping[int, set[int]]
) -> StudioQueue:
    own = waiting.get(batch.id or 0, set())
    return StudioQueue(
        server=batch.server,
        remote_id=batch.remote_id or 0,
        second=batch.second,
        waiting=frozenset(own),
        aside=frozenset(own & aside.get(batch.id or 0, set())),
    )


def _find_oldest(moments: Sequence[datetime | None]) -> datetime | None:
    """The earliest moment; None without any."""
    return min((moment for moment in moments if moment is not None), default=None)


def _list_accounts(session: Session) -> dict[int, set[tuple[str, int]]]:
    accounts: dict[int, set[tuple[str, int]]] = defaultdict(set)
    for account in session.exec(select(LabelStudioAccount)):
        accounts[account.annotator_id].add((account.server, account.user_id))
    return accounts


def _list_waiting_tasks(session: Session, batches: Sequence[LabelStudioBatch]) -> dict[int, set[int]]:
    """The ids on the server of the tasks that wait, by batch."""
    ids = [batch.id for batch in batches]
    tasks = (
        select(LabelStudioTask.batch_id, LabelStudioTask.remote_id)
        .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
        .where(col(LabelStudioTask.batch_id).in_(ids), Assignment.status == AssignmentStatus.LIVE)
    )
    waiting: dict[int, set[int]] = defaultdict(set)
    for batch_id, remote_id in session.exec(tasks):
        if remote_id is not None:
            waiting[batch_id].add(remote_id)
    return waiting


def _list_set_aside_tasks(session: Session, batches: Sequence[LabelStudioBatch]) -> dict[int, set[int]]:
    """The ids on the server of the tasks with an annotation by the batch's own person that is set aside, by batch."""
    own = (
        select(LabelStudioSetAside.batch_id, LabelStudioSetAside.remote_task_id)
        .join(LabelStudioBatch, col(LabelStudioBatch.id) == col(LabelStudioSetAside.batch_id))
        .join(
            LabelStudioAccount,
            sa.and_(
                col(LabelStudioAccount.server) == col(LabelStudioBatch.server),
                col(LabelStudioAccount.user_id) == col(LabelStudioSetAside.user_id),
                col(LabelStudioAccount.annotator_id) == col(LabelStudioBatch.annotator_id),
            ),
        )
        .where(col(LabelStudioSetAside.batch_id).in_([batch.id for batch in batches]))
    )
    aside: dict[int, set[int]] = defaultdict(set)
    for batch_id, remote_id in session.exec(own):
        aside[batch_id].add(remote_id)
    return aside


def _count_decisions(session: Session, batches: Sequence[LabelStudioBatch]) -> dict[str, Any]:
    """The decisions that wait, and those that were made."""
    is_made = col(LabelStudioReviewTask.decision_number).is_not(None)
    counts = select(func.count().filter(sa.not_(is_made)), func.count().filter(is_made)).where(
        col(LabelStudioReviewTask.batch_id).in_([batch.id for batch in batches]),
        col(LabelStudioReviewTask.sent_at).is_not(None),
    )
    waiting, answered = session.exec(counts).one()
    return {"waiting": waiting, "answered": answered}


def _measure_project(
    session: Session, project: Project, surface: Surface, *, now: datetime
) -> dict[int, dict[str, Any]]:
    """The counts of a project by annotator id, as fields of `PersonWork`."""
    definition = definitions.get_project_definition(project)
    counted: dict[int, dict[str, Any]] = defaultdict(lambda: dict(_NOTHING))
    for annotator_id, fields in _count_open_items(session, project, surface, now=now):
        counted[annotator_id] |= fields
    for annotator_id, answers in _read_answers(session, project, definition, surface).items():
        counted[annotator_id] |= _summarize_answers(answers)
    paces = payments.list_active_times(session, project=project, definition=definition, surface=surface)
    for annotator_id, fields in counted.items():
        fields["per_hour"] = paces.get(annotator_id, ActiveTime()).per_hour
    return counted


def _is_in(project: Project, surface: Surface) -> tuple[sa.ColumnElement[bool], ...]:
    return col(Assignment.project_id) == project.id, col(Assignment.surface) == surface


def _count_open_items(
    session: Session, project: Project, surface: Surface, *, now: datetime
) -> Iterator[tuple[int, dict[str, Any]]]:
    """What waits for each annotator, by when, and what ended without an answer."""
    is_live = col(Assignment.status) == AssignmentStatus.LIVE
    is_late = sa.and_(is_live, col(Assignment.lease_until) < now)
    is_returned = col(Assignment.status) == AssignmentStatus.EXPIRED
    due = func.min(sa.case((is_live, col(Assignment.lease_until))), type_=Assignment.lease_until.type)  # type: ignore[union-attr]
    columns: list[Any] = [
        col(Assignment.annotator_id), func.count().filter(is_live), func.count().filter(is_late),
        func.count().filter(is_returned), due,
    ]  # fmt: skip
    counts = sa.select(*columns).where(*_is_in(project, surface)).group_by(col(Assignment.annotator_id))
    for annotator_id, waiting, late, returned, due_at in session.connection().execute(counts):
        yield annotator_id, {"waiting": waiting, "late": late, "returned": returned, "due_at": due_at}


class _Answer(NamedTuple):
    """A final answer: its pass, whether it is a skip, its known seconds, and the texts that it corrects with their
    originals.
    """

    is_second: bool
    is_skip: bool
    seconds: float | None
    texts: tuple[tuple[str, str], ...]


def _read_answers(
    session: Session, project: Project, definition: ProjectFile, surface: Surface
) -> dict[int, list[_Answer]]:
    """The final answers in Label Studio by annotator id, without those that were deleted there.

    While the project is blind, no texts are looked at.
    """
    is_shown = not blindness.is_blind(session, project)
    edits = [question for question in definition.all_questions if question.corrects_text and is_shown]
    first = definition.all_questions[0].name
    data = col(Item.data) if edits else sa.null()
    columns: list[Any] = [
        col(Assignment.annotator_id),
        col(Assignment.occasion) == SECOND_PASS_OCCASION,
        col(Judgement.skip_reason).is_not(None),
        judgements.build_known_seconds(),
        col(Assignment.item_revision) == col(Item.revision),
        col(Judgement.response),
        col(Judgement.answers),
        data,
    ]
    query = (
        sa.select(*columns)
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            *_is_in(project, surface),
            judgements.build_final_revision_condition(),
            sa.or_(col(Judgement.excluded_kind).is_(None), col(Judgement.excluded_kind) != ExclusionKind.DELETED),
        )
        .order_by(col(Assignment.id))
    )
    by_annotator: dict[int, list[_Answer]] = defaultdict(list)
    for annotator_id, is_second, is_skip, seconds, is_current, response, answers, shown in session.connection().execute(
        query
    ):
        given = {first: response} if answers is None else answers
        is_comparable = is_current and not is_second and not is_skip
        texts = _pair_texts(edits, shown=shown or {}, given=given) if is_comparable else ()
        by_annotator[annotator_id].append(_Answer(is_second, is_skip, seconds, texts))
    return by_annotator


def is_most_dropped(session: Session, definition: ProjectFile, assignment: Assignment) -> bool:
    """Whether the present answer is a correction that drops most of a text; False while the project is blind."""
    edits = [question for question in definition.all_questions if question.corrects_text]
    project = session.get_one(Project, assignment.project_id)
    if not edits or assignment.occasion == SECOND_PASS_OCCASION or blindness.is_blind(session, project):
        return False
    final = judgements.get_final_judgement(session, assignment.id)
    if final is None or final.skip_reason is not None:
        return False
    given = {definition.all_questions[0].name: final.response} if final.answers is None else final.answers
    shown = session.get_one(Item, assignment.item_id).data
    return any(drops_most(original, corrected) for original, corrected in _pair_texts(edits, shown=shown, given=given))


def _pair_texts(
    edits: Sequence[Question], *, shown: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """The originals and the corrected texts of an answer, both normalized."""
    return tuple(
        (normalize_text(str(shown.get(question.text_column or "", ""))), normalize_text(given[question.name]))
        for question in edits
        if given.get(question.name)
    )


def _summarize_answers(answers: Sequence[_Answer]) -> dict[str, Any]:
    given = [answer for answer in answers if not answer.is_skip]
    seconds = [answer.seconds for answer in given if answer.seconds is not None]
    pairs = [pair for answer in given for pair in answer.texts]
    return {
        "answered": sum(not answer.is_second for answer in given),
        "second_answered": sum(answer.is_second for answer in given),
        "skipped": sum(answer.is_skip for answer in answers),
        "seconds": statistics.median(seconds) if seconds else None,
        "corrections": CorrectionCounts(
            number=len(pairs),
            unchanged=sum(original == corrected for original, corrected in pairs),
            most_dropped=sum(drops_most(original, corrected) for original, corrected in pairs),
        ),
    }
