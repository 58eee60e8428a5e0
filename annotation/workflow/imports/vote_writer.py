"""Storage of imported votes as assignments and judgements, many rows in one statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import judgements
from annotation.store.models import Assignment, Judgement, Project, table_model
from annotation.vocabulary import AssignmentStatus, Pool, Surface
from annotation.workflow.imports import repeated_votes
from annotation.workflow.imports.repeated_votes import NumberedVote
from annotation.workflow.lifecycle.item_writer import ROWS_PER_STATEMENT, Progress


@dataclass(frozen=True, kw_only=True)
class VoteItem:
    """An item of the project that votes are imported into: its database id, revision and pool."""

    id: int
    revision: int
    pool: Pool


def insert_votes(
    session: Session,
    project: Project,
    votes: Sequence[NumberedVote],
    *,
    items: Mapping[int, VoteItem],
    progress: Progress | None,
) -> None:
    """Store votes as assignments and judgements, and add those that count to the counts of their items.

    `items` are all items of the project by database id.
    """
    report_progress = progress or (lambda _share: None)
    last_id = session.execute(sa.select(sa.func.max(col(Assignment.id)))).scalar_one() or 0
    for start in range(0, len(votes), ROWS_PER_STATEMENT):
        _insert_assignments(session, project, votes[start : start + ROWS_PER_STATEMENT], items)
        report_progress(0.5 * start / len(votes))
    assignment_ids = _read_assignment_ids(session, project, after=last_id)
    for start in range(0, len(votes), ROWS_PER_STATEMENT):
        _insert_judgements(session, votes[start : start + ROWS_PER_STATEMENT], assignment_ids)
        report_progress(0.5 + 0.5 * start / len(votes))
    repeated_votes.add_answer_counts(session, Counter(item for item, _, _, vote in votes if vote.exclusion is None))


def _insert_assignments(
    session: Session, project: Project, batch: Sequence[NumberedVote], items: Mapping[int, VoteItem]
) -> None:
    vote_items = [items[item] for item, _, _, _ in batch]
    table_model.insert_rows(
        session,
        Assignment,
        {
            "item_id": [item.id for item in vote_items],
            "item_revision": [item.revision for item in vote_items],
            "annotator_id": [annotator for _, annotator, _, _ in batch],
            "occasion": [occasion for _, _, occasion, _ in batch],
            "stage": [item.pool.stage for item in vote_items],
            "is_control": [vote.is_control for _, _, _, vote in batch],
            "holds_place": [vote.exclusion is None for _, _, _, vote in batch],
        },
        constants={
            "project_id": project.id,
            "surface": Surface.IMPORT,
            "status": AssignmentStatus.DONE,
            "is_repeat": False,  # not a repeat that a project asked for; the repeat policy excludes repeated votes
        },
    )


def _read_assignment_ids(session: Session, project: Project, *, after: int) -> dict[tuple[int, int, int], int]:
    """The ids of the project's assignments beyond the id `after`, by (item id, annotator id, occasion).

    They are read in one query, which is faster than an INSERT that returns the id of each row.
    """
    columns = (col(Assignment.item_id), col(Assignment.annotator_id), col(Assignment.occasion), col(Assignment.id))
    query = sa.select(*columns).where(col(Assignment.project_id) == project.id, col(Assignment.id) > after)
    rows = session.connection().execute(query).all()
    return {(item, annotator, occasion): number for item, annotator, occasion, number in rows if number is not None}


def _insert_judgements(
    session: Session, batch: Sequence[NumberedVote], assignment_ids: Mapping[tuple[int, int, int], int]
) -> None:
    votes = [vote for _, _, _, vote in batch]
    exclusions = [judgements.list_exclusion_values(vote.exclusion) for vote in votes]
    table_model.insert_rows(
        session,
        Judgement,
        {
            "assignment_id": [assignment_ids[item, annotator, occasion] for item, annotator, occasion, _ in batch],
            "response": [vote.response for vote in votes],
            "response_raw": [vote.raw for vote in votes],
            "answers": [vote.answers for vote in votes],
            "seconds": [vote.seconds for vote in votes],
            "seconds_unknown": [vote.seconds_unknown for vote in votes],
            "skip_reason": [vote.skip_reason for vote in votes],
            **{name: [exclusion[name] for exclusion in exclusions] for name in exclusions[0]},
        },
        constants={"revision": 0},
    )
