"""Answers taken out and put back: the reason is kept, the place goes to others, and the journal says so.

An answer is excluded as it finally stands: a later revision is judged by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import journal, judgements, overlap_counts
from annotation.store.models import Assignment, Judgement
from annotation.vocabulary import EXTRA, AssignmentStatus, Event, Stage, Surface

BATCH = 500
NAMED = 100
"""So many assignments are named in the journal."""


def exclude(session: Session, *, assignment_ids: Collection[int], reason: str, post_hoc: bool, now: datetime) -> int:
    """Exclude the final answers of these assignments, and give their places to others; how many counted until now.

    An answer that does not count already keeps its first reason; its place is given back all the same. What is still in
    somebody's hands is taken back.
    """
    excluded: list[Assignment] = []
    concerned: list[Assignment] = []
    for batch in _batches(assignment_ids):
        standing = sa.select(col(Judgement.assignment_id)).where(
            col(Judgement.assignment_id).in_(batch),
            judgements.final_revision(),
            col(Judgement.excluded_reason).is_(None),
        )
        counted = set(session.execute(standing).scalars())
        _mark(session, counted, reason=reason, post_hoc=post_hoc)
        found = judgements.assignments(session, batch)
        concerned += found
        excluded += [one for one in found if one.id in counted]
    for assignment in _by_item(concerned):
        _free(session, assignment, now=now)
    session.flush()
    _record(session, Event.ANSWERS_EXCLUDED, excluded, reason=reason, post_hoc=post_hoc, now=now)
    return len(excluded)


def reinstate(session: Session, *, assignment_ids: Collection[int], reason: str, now: datetime) -> int:
    """Count again what was excluded for this very reason, where its item still has a place; how many count.

    What comes back when others have filled the item is kept as extra.
    """
    chosen: list[Assignment] = []
    for batch in _batches(assignment_ids):
        fallen = sa.select(col(Judgement.assignment_id)).where(
            col(Judgement.assignment_id).in_(batch),
            judgements.final_revision(),
            col(Judgement.excluded_reason) == reason,
        )
        back = set(session.execute(fallen).scalars())
        _mark(session, back, reason=None, post_hoc=False)
        chosen += [one for one in judgements.assignments(session, batch) if one.id in back]
    counting = [one for one in _by_item(chosen) if settle(session, one)]
    session.flush()
    _record(session, Event.ANSWERS_REINSTATED, counting, reason=reason, post_hoc=False, now=now)
    return len(counting)


def settle(session: Session, assignment: Assignment) -> bool:
    """Give a counting answer the place that it lacks; where there is none left it is extra, and False."""
    if assignment.holds or not _wants_place(assignment):
        return True
    if assignment.surface == Surface.IMPORT:
        overlap_counts.enter(session, item_id=assignment.item_id)
    elif overlap_counts.take(session, item_id=assignment.item_id):
        overlap_counts.fill(session, item_id=assignment.item_id)
    else:
        _mark(session, {assignment.id or 0}, reason=EXTRA, post_hoc=False)
        return False
    assignment.holds = True
    session.add(assignment)
    session.flush()
    return True


def _wants_place(assignment: Assignment) -> bool:
    plain = not assignment.is_control and (assignment.surface == Surface.IMPORT or not assignment.is_repeat)
    return plain and assignment.stage in {Stage.PILOT, Stage.MAIN} and assignment.status == AssignmentStatus.DONE


def _mark(session: Session, ids: Collection[int], *, reason: str | None, post_hoc: bool) -> None:
    if ids:
        chosen = sa.update(Judgement).where(col(Judgement.assignment_id).in_(ids), judgements.final_revision())
        session.execute(chosen.values(excluded_reason=reason, post_hoc=post_hoc))


def _free(session: Session, assignment: Assignment, *, now: datetime) -> None:
    """Take the place of an assignment back, and the item itself where it is not answered yet."""
    live = assignment.status == AssignmentStatus.LIVE
    if live:
        assignment.status = AssignmentStatus.EXPIRED
    if assignment.holds:
        if assignment.surface == Surface.IMPORT:
            overlap_counts.leave(session, item_id=assignment.item_id)
        else:
            overlap_counts.give_back(session, item_id=assignment.item_id, done=not live, now=now)
        assignment.holds = False
    session.add(assignment)


def _record(
    session: Session, event: Event, changed: Sequence[Assignment], *, reason: str, post_hoc: bool, now: datetime
) -> None:
    """One entry a project; a person is named where all are hers."""
    for project_id in sorted({one.project_id for one in changed}):
        mine = [one for one in changed if one.project_id == project_id]
        people = {one.annotator_id for one in mine}
        data = {"reason": reason, "answers": len(mine), "people": len(people), "post_hoc": post_hoc}
        journal.record(
            session,
            event,
            now=now,
            project_id=project_id,
            annotator_id=min(people) if len(people) == 1 else None,
            data=data | {"assignments": [one.id for one in mine[:NAMED]]},
        )


def _by_item(found: Collection[Assignment]) -> list[Assignment]:
    """In the order in which everybody locks items, so that two exclusions never wait for each other."""
    return sorted(found, key=lambda one: (one.item_id, one.id or 0))


def _batches(ids: Collection[int]) -> Iterator[list[int]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), BATCH):
        yield ordered[start : start + BATCH]
