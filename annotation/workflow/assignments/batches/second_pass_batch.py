"""The second pass in Label Studio: items that an annotator answered are shown to them again with the gold.

The first answers were blind: given without seeing the gold. Answers of the second pass never count.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import Surface
from annotation.workflow.assignments import second_pass
from annotation.workflow.assignments.annotator_context import AnnotatorTransaction
from annotation.workflow.assignments.batches.batch_assignment import DEFAULT_BATCH_LEASE


def list_second_pass_candidates(
    session: Session, *, annotator_id: int, project_id: int, n_items: int
) -> Sequence[tuple[Assignment, Item, Judgement]]:
    """Up to `n_items` of the annotator's answers in Label Studio that wait for a second pass: see `list_candidates`."""
    return second_pass.list_candidates(
        session,
        annotator_id=annotator_id,
        project_id=project_id,
        surface=Surface.LABEL_STUDIO,
        n_items=n_items,
    )


def assign_second_pass(
    transaction: AnnotatorTransaction,
    *,
    project_id: int,
    n_items: int,
    now: datetime,
    lease: timedelta = DEFAULT_BATCH_LEASE,
) -> tuple[int, ...]:
    """Assign up to `n_items` items for the second pass; return the ids of the assignments, which hold no places."""
    session = transaction.session
    candidates = list_second_pass_candidates(
        session, annotator_id=transaction.annotator_id, project_id=project_id, n_items=n_items
    )
    assignments = [
        second_pass.build_second_assignment(
            first_assignment, item, surface=Surface.LABEL_STUDIO, now=now, lease_until=now + lease
        )
        for first_assignment, item, _ in candidates
    ]
    session.add_all(assignments)
    session.flush()
    return tuple(assignment.id or 0 for assignment in assignments)
