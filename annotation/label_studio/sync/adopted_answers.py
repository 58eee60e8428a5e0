"""Import of annotations of an adopted project, which somebody made in Label Studio, as imported answers.

The annotations of each account on a task are one assignment; a changed annotation is another revision of its answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sqlmodel import Session, col, select

from annotation.campaigns.project_file import ProjectFile, VotesSection
from annotation.errors import BadInput, Conflict
from annotation.input_files import FileRow
from annotation.label_studio.server_models import RemoteAnnotation, RemoteTask
from annotation.label_studio.sync import annotation_import
from annotation.label_studio.sync.annotation_import import AnswerChange, SetAsideAnnotation
from annotation.label_studio.sync.remote_projects import register_account
from annotation.loading.drafts import VoteDraft
from annotation.loading.judgements import label_studio_json
from annotation.loading.vote_parser import LabelNormaliser, SpanClassReader, VoteParser
from annotation.store import judgements, models, overlap_counts, table_base
from annotation.store.models import Assignment, AssignmentRow, Item, LabelStudioBatch, LabelStudioTask
from annotation.vocabulary import (
    DELETED_IN_LABEL_STUDIO,
    SKIPPED,
    AssignmentStatus,
    Exclusion,
    ExclusionKind,
    Pool,
    Surface,
)
from annotation.workflow.imports import vote_import
from annotation.workflow.quality import exclusions
from annotation.workflow.review.cases import build_content

NO_AUTHOR_REASON = "it has no author"
FORGOTTEN_REASON = "its author was forgotten here: the next pull deletes it there"
_LASTING = {ExclusionKind.RULE, ExclusionKind.ORGANISER, ExclusionKind.WITHDRAWN, ExclusionKind.ERASED}
"""Exclusions that stay when the annotation changes."""


@dataclass
class PageImport:
    """The changes of one page of tasks; `unknown` are those without an item."""

    changes: list[AnswerChange] = field(default_factory=list)
    unknown: list[RemoteTask] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class AdoptedProject:
    """An adopted project: its batch, its definition with the section that says how answers are read, and its server.

    `key` is that of the pseudonyms.
    """

    batch: LabelStudioBatch
    definition: ProjectFile
    section: VotesSection
    server: str
    key: bytes


def import_page(session: Session, adopted: AdoptedProject, tasks: Sequence[RemoteTask], *, now: datetime) -> PageImport:
    """Store what changed in a page of tasks, whose batch is locked until the transaction ends."""
    session.exec(select(LabelStudioBatch).where(LabelStudioBatch.id == adopted.batch.id).with_for_update()).one()
    items = _find_items(session, adopted.batch, tasks)
    known = _find_rows(session, adopted.batch, tasks)
    accounts: dict[int, int | None] = {}
    result = PageImport()
    for task in tasks:
        item = items.get(str(task.id))
        if item is None:
            result.unknown.append(task)
            continue
        by_annotator: dict[int, list[RemoteAnnotation]] = defaultdict(list)
        set_aside: list[SetAsideAnnotation] = []
        for annotation in task.annotations:
            account = annotation.completed_by
            if account is None:
                set_aside.append(annotation_import.set_annotation_aside(task, annotation, NO_AUTHOR_REASON))
                continue
            if account not in accounts:
                accounts[account] = _register_account(session, adopted, account, now=now)
            if accounts[account] is None:
                set_aside.append(annotation_import.set_annotation_aside(task, annotation, FORGOTTEN_REASON))
                continue
            by_annotator[accounts[account] or 0].append(annotation)
        for annotator_id in sorted({*by_annotator, *known.get(task.id, {})}):
            row = known.get(task.id, {}).get(annotator_id)
            annotations = by_annotator.get(annotator_id, [])
            change = _import_annotator(session, adopted, item, task, annotator_id, annotations, row, set_aside, now=now)
            result.changes += [] if change is None else [change]
        annotation_import.store_set_aside(session, adopted.batch, task, set_aside, now=now)
    return result


def _register_account(session: Session, adopted: AdoptedProject, account: int, *, now: datetime) -> int | None:
    """The annotator of an account, new where it is nobody's; None where it was that of a forgotten one."""
    try:
        with session.begin_nested():
            annotator, _ = register_account(session, server=adopted.server, user_id=account, key=adopted.key, now=now)
    except Conflict:
        return None
    return annotator.id


def _find_items(session: Session, batch: LabelStudioBatch, tasks: Sequence[RemoteTask]) -> Mapping[str, Item]:
    ids = [str(task.id) for task in tasks]
    query = select(Item).where(Item.project_id == batch.project_id, col(Item.external_id).in_(ids))
    return {item.external_id: item for item in session.exec(query)}


def _find_rows(
    session: Session, batch: LabelStudioBatch, tasks: Sequence[RemoteTask]
) -> Mapping[int, Mapping[int, LabelStudioTask]]:
    """What was imported of the tasks, by task and annotator."""
    query = select(LabelStudioTask, Assignment.annotator_id).join(
        Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id)
    )
    ids = [task.id for task in tasks]
    rows: dict[int, dict[int, LabelStudioTask]] = defaultdict(dict)
    of_batch = query.where(LabelStudioTask.batch_id == batch.id, col(LabelStudioTask.remote_id).in_(ids))
    for row, annotator_id in session.exec(of_batch):
        rows[row.remote_id or 0][annotator_id] = row
    return rows


def _import_annotator(
    session: Session,
    adopted: AdoptedProject,
    item: Item,
    task: RemoteTask,
    annotator_id: int,
    annotations: Sequence[RemoteAnnotation],
    row: LabelStudioTask | None,
    set_aside: list[SetAsideAnnotation],
    *,
    now: datetime,
) -> AnswerChange | None:
    """Store the present annotation of one annotator, the latest answer or else the latest skip."""
    version = annotation_import.get_last_change(task)
    if row is not None and row.seen_at is not None and version < row.seen_at:
        return None
    if row is not None and annotation_import.is_same(row.seen, annotations):
        return None
    current = annotation_import.get_current_annotation(annotations)
    try:
        vote = None if current is None else read_answer(adopted, item, task, current)
    except BadInput as failure:
        if current is not None:
            set_aside.append(annotation_import.set_annotation_aside(task, current, str(failure)))
        return None
    if row is None:
        if vote is None:
            return None
        assignment = _add_assignment(session, item, annotator_id)
        row = LabelStudioTask(
            assignment_id=assignment.id or 0, batch_id=adopted.batch.id or 0, remote_id=task.id, sent_at=now
        )
    assignment = models.ASSIGNMENTS.get_one(session, row.assignment_id)
    change = _store_answer(session, assignment, vote, at=current.updated_at if current else now, now=now)
    row.seen, row.seen_at = annotation_import.compute_digest(annotations) if annotations else None, version
    session.add(row)
    session.flush()
    return change


def read_answer(adopted: AdoptedProject, item: Item, task: RemoteTask, annotation: RemoteAnnotation) -> VoteDraft:
    """Read an annotation as an answer to the questions; raises BadInput for what is none, with the reason."""
    if annotation.problem is not None:
        raise BadInput(f"{annotation.problem}.", remedy="Correct it in Label Studio.")
    written = {
        "id": annotation.id,
        "completed_by": annotation.completed_by,
        "result": annotation.result,
        "was_cancelled": annotation.was_cancelled,
        "lead_time": annotation.lead_time,
    }
    values = {"id": task.id, "data": task.data, "annotations": [written]}
    place = FileRow(file=Path("Label Studio"), line=1, values=values)
    raw = label_studio_json.read_task_votes(place, adopted.section)[0]
    questions, section = adopted.definition.all_questions, adopted.section
    parser = VoteParser(questions=questions, section=section, span_classes=SpanClassReader(section=section))
    normalise = LabelNormaliser(section.labels)
    vote = parser.parse_vote(raw, item=item.external_id, content=build_content(item), normalise=normalise)
    parser.refuse_unknown_labels()
    if raw.exclusion == SKIPPED:
        vote = vote._replace(skip_reason=label_studio_json.SKIP_REASON)
    if adopted.definition.kind == "baseline":
        vote = vote_import.count_skip(vote)
    return vote_import.exclude_by_pool(vote, Pool(item.pool))


def _add_assignment(session: Session, item: Item, annotator_id: int) -> AssignmentRow:
    had = select(Assignment.occasion).where(Assignment.item_id == item.id, Assignment.annotator_id == annotator_id)
    return models.ASSIGNMENTS.insert(
        session,
        project_id=item.project_id,
        item_id=item.id,
        item_revision=item.revision,
        annotator_id=annotator_id,
        occasion=max((occasion + 1 for occasion in session.exec(had)), default=0),
        surface=Surface.IMPORT,
        status=AssignmentStatus.DONE,
        stage=item.stage,
        is_control=item.pool is Pool.CONTROL,
    )


def _store_answer(
    session: Session, assignment: AssignmentRow, vote: VoteDraft | None, *, at: datetime, now: datetime
) -> AnswerChange | None:
    """Store an answer as another revision, or exclude the stored one where its annotation was deleted."""
    final = judgements.get_final_judgement(session, assignment.id)
    if vote is None:
        exclude = exclusions.exclude_answers
        ids = [assignment.id or 0]
        deleted = exclude(session, assignment_ids=ids, exclusion=DELETED_IN_LABEL_STUDIO, post_hoc=False, now=now)
        return AnswerChange.DELETED if deleted else None
    exclusion: Exclusion | None = vote.exclusion
    if final is not None and final.excluded_kind in _LASTING:
        exclusion = final.exclusion
    models.JUDGEMENTS.insert(
        session,
        assignment_id=assignment.id or 0,
        revision=0 if final is None else final.revision + 1,
        response=vote.response,
        response_raw=vote.raw,
        answers=vote.answers,
        seconds=vote.seconds,
        seconds_unknown=vote.seconds_unknown,
        answered_at=min(at, now),
        skip_reason=vote.skip_reason,
        **table_base.list_exclusion_values(exclusion),
    )
    if exclusion is None:
        exclusions.restore_place(session, assignment)
    elif assignment.holds_place:
        overlap_counts.remove_imported_answer(session, item_id=assignment.item_id)
        models.ASSIGNMENTS.update(session, assignment, holds_place=False)
    if vote.skip_reason is not None:
        return AnswerChange.SKIPPED
    return AnswerChange.ANSWERED if final is None else AnswerChange.CHANGED
