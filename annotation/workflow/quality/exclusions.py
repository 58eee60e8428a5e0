"""Exclusion and reinstatement of answers: stores the exclusion, moves the overlap places and writes the journal.

It is the final revision of an answer that is excluded; a later revision is judged by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from aggregation.findings import write_plain
from annotation.store import item_queue, journal, judgements, models, overlap_counts, table_base
from annotation.store.models import Assignment, AssignmentRow, Judgement
from annotation.vocabulary import (
    EXTRA,
    AssignmentEnd,
    AssignmentStatus,
    Event,
    Exclusion,
    ExclusionKind,
    Stage,
    Surface,
)
from annotation.workflow import panels

MAX_IDS_PER_STATEMENT = 500
MAX_JOURNALED = 100
"""How many assignments one journal entry names at most."""


def exclude_answers(
    session: Session, *, assignment_ids: Collection[int], exclusion: Exclusion, post_hoc: bool, now: datetime
) -> int:
    """Exclude the final answers of these assignments and release their places; how many of them counted until now.

    An answer that is already excluded keeps its first exclusion; its place is released all the same. Live assignments
    are ended.
    """
    excluded: list[AssignmentRow] = []
    concerned: list[AssignmentRow] = []
    for batch in _split_batches(assignment_ids):
        counting = sa.select(col(Judgement.assignment_id)).where(
            col(Judgement.assignment_id).in_(batch),
            judgements.build_final_revision_condition(),
            judgements.build_stored_kind_condition(None),
        )
        counted = set(session.execute(counting).scalars())
        _set_exclusion(session, counted, exclusion=exclusion, post_hoc=post_hoc)
        assignments = judgements.list_assignments(session, batch)
        concerned += assignments
        excluded += [assignment for assignment in assignments if assignment.id in counted]
    live = [assignment for assignment in concerned if assignment.status == AssignmentStatus.LIVE]
    for assignment in _sort_by_item(concerned):
        _release_place(session, assignment, now=now)
    session.flush()
    why = AssignmentEnd.ITEM_CHANGED if exclusion.kind is ExclusionKind.ITEM_CHANGED else AssignmentEnd.BARRED
    journal.record_assignment_ends(session, live, why=why, now=now)
    _record_change(session, Event.ANSWERS_EXCLUDED, excluded, reason=exclusion.reason, post_hoc=post_hoc, now=now)
    return len(excluded)


def reinstate_answers(session: Session, *, assignment_ids: Collection[int], exclusion: Exclusion, now: datetime) -> int:
    """Count the answers again that were excluded by exactly this exclusion; how many count now.

    An answer whose item was filled by others meanwhile is kept as extra; one whose assignment was closed for good, as
    by a withdrawal, stays excluded.
    """
    reinstated: list[AssignmentRow] = []
    for batch in _split_batches(assignment_ids):
        excluded = (
            sa.select(col(Judgement.assignment_id))
            .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
            .where(
                col(Judgement.assignment_id).in_(batch),
                col(Assignment.status) != AssignmentStatus.WITHDRAWN,
                judgements.build_final_revision_condition(),
                judgements.build_exclusion_condition(exclusion),
            )
        )
        ids = set(session.execute(excluded).scalars())
        _set_exclusion(session, ids, exclusion=None, post_hoc=False)
        reinstated += [row for row in judgements.list_assignments(session, batch) if row.id in ids]
    counting = [assignment for assignment in _sort_by_item(reinstated) if restore_place(session, assignment)]
    session.flush()
    _record_change(session, Event.ANSWERS_REINSTATED, counting, reason=exclusion.reason, post_hoc=False, now=now)
    return len(counting)


def replace_exclusion(
    session: Session, assignment_ids: Collection[int], *, exclusion: Exclusion, by: Exclusion | None, post_hoc: bool
) -> None:
    """Give answers that were excluded by exactly this exclusion another one; their places are left as they are."""
    found = sa.select(col(Judgement.assignment_id)).where(
        col(Judgement.assignment_id).in_(assignment_ids),
        judgements.build_final_revision_condition(),
        judgements.build_exclusion_condition(exclusion),
    )
    _set_exclusion(session, set(session.execute(found).scalars()), exclusion=by, post_hoc=post_hoc)


def restore_place(session: Session, assignment: AssignmentRow) -> bool:
    """Count a counting answer in its item's overlap if it is not counted there.

    An answer from Telegram or Label Studio takes a free place, or is marked extra where none is free: then False is
    returned. An imported answer is counted beyond the places.
    """
    if assignment.holds_place or not _needs_place(assignment):
        return True
    if assignment.surface == Surface.IMPORT:
        overlap_counts.add_imported_answer(session, item_id=assignment.item_id)
    elif _take_place(session, assignment):
        overlap_counts.fill_place(session, item_id=assignment.item_id)
    else:
        _set_exclusion(session, {assignment.id or 0}, exclusion=EXTRA, post_hoc=False)
        return False
    models.ASSIGNMENTS.update(session, assignment, holds_place=True)
    return True


def _take_place(session: Session, assignment: AssignmentRow) -> bool:
    """Take a free place of the item again, where the annotator's panel has one left."""
    if not overlap_counts.take_place(session, item_id=assignment.item_id):
        return False
    quota = panels.read_quota(session, annotator_id=assignment.annotator_id, project_id=assignment.project_id)
    if item_queue.has_place_of_panel(session, quota, item_id=assignment.item_id):
        return True
    overlap_counts.return_place(session, item_id=assignment.item_id)
    return False


def _needs_place(assignment: AssignmentRow) -> bool:
    """Whether the overlap counts the assignment; control items and repeats are beside it."""
    can_hold = not assignment.is_control and not assignment.is_repeat
    return can_hold and assignment.stage in {Stage.PILOT, Stage.MAIN} and assignment.status == AssignmentStatus.DONE


def _set_exclusion(session: Session, ids: Collection[int], *, exclusion: Exclusion | None, post_hoc: bool) -> None:
    if ids:
        final = sa.update(Judgement).where(
            col(Judgement.assignment_id).in_(ids), judgements.build_final_revision_condition()
        )
        session.execute(final.values(**table_base.list_exclusion_values(exclusion), post_hoc=post_hoc))


def _release_place(session: Session, assignment: AssignmentRow, *, now: datetime) -> None:
    """Release the place of an assignment, and end the assignment where it is still live."""
    live = assignment.status == AssignmentStatus.LIVE
    status = AssignmentStatus.EXPIRED if live else assignment.status
    if assignment.holds_place:
        if assignment.surface == Surface.IMPORT:
            overlap_counts.remove_imported_answer(session, item_id=assignment.item_id)
        else:
            overlap_counts.release_place(session, item_id=assignment.item_id, done=not live, now=now)
    models.ASSIGNMENTS.update(session, assignment, status=status, holds_place=False)


def _record_change(
    session: Session, event: Event, changed: Sequence[AssignmentRow], *, reason: str, post_hoc: bool, now: datetime
) -> None:
    """Write one journal entry for each project; it names the annotator where all answers are of one annotator."""
    for project_id in sorted({assignment.project_id for assignment in changed}):
        assignments = [assignment for assignment in changed if assignment.project_id == project_id]
        annotators = {assignment.annotator_id for assignment in assignments}
        data: dict[str, Any] = {"reason": write_plain(reason), "post_hoc": post_hoc}
        data |= {"answers": len(assignments), "people": len(annotators)}
        journal.record_event(
            session,
            event,
            now=now,
            project_id=project_id,
            annotator_id=min(annotators) if len(annotators) == 1 else None,
            data=data | {"assignments": [assignment.id for assignment in assignments[:MAX_JOURNALED]]},
        )


def _sort_by_item(assignments: Collection[AssignmentRow]) -> list[AssignmentRow]:
    """Sorted in the order in which items are locked everywhere, so that two exclusions cannot deadlock."""
    return sorted(assignments, key=lambda assignment: (assignment.item_id, assignment.id or 0))


def _split_batches(ids: Collection[int]) -> Iterator[list[int]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), MAX_IDS_PER_STATEMENT):
        yield ordered[start : start + MAX_IDS_PER_STATEMENT]
