"""Storage of imported votes as assignments and judgements, many rows in one statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.store import judgements
from annotation.store.models import Assignment, Item, Judgement, Project
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
    connection = session.connection()
    report_progress = progress or (lambda _share: None)
    for start in range(0, len(votes), ROWS_PER_STATEMENT):
        connection.execute(
            sa.insert(Assignment), list(_build_assignments(project, votes[start : start + ROWS_PER_STATEMENT], items))
        )
        report_progress(0.5 * start / len(votes))
    assignment_ids = _read_assignment_ids(session, project)
    for start in range(0, len(votes), ROWS_PER_STATEMENT):
        connection.execute(
            sa.insert(Judgement), list(_build_judgements(assignment_ids, votes[start : start + ROWS_PER_STATEMENT]))
        )
        report_progress(0.5 + 0.5 * start / len(votes))
    repeated_votes.add_answer_counts(session, Counter(item for item, _, _, vote in votes if vote.exclusion is None))


def _build_assignments(
    project: Project, batch: Sequence[NumberedVote], items: Mapping[int, VoteItem]
) -> Iterator[dict[str, object]]:
    for item, annotator, occasion, vote in batch:
        yield {
            "project_id": project.id,
            "item_id": item,
            "item_revision": items[item].revision,
            "annotator_id": annotator,
            "occasion": occasion,
            "surface": Surface.IMPORT,
            "status": AssignmentStatus.DONE,
            "stage": items[item].pool.stage,
            "is_control": vote.is_control,
            "is_repeat": False,  # not a repeat that a project asked for; the repeat policy excludes repeated votes
            "holds_place": vote.exclusion is None,
        }


def _read_assignment_ids(session: Session, project: Project) -> dict[tuple[int, int, int], int | None]:
    """The assignment ids of the project by (item id, annotator id, occasion).

    They are read in one query, which is faster than an INSERT that returns the id of each row.
    """
    columns = select(Assignment.item_id, Assignment.annotator_id, Assignment.occasion, Assignment.id)
    rows = session.exec(columns.join(Item).where(Item.project_id == project.id))
    return {(item, annotator, occasion): assignment_id for item, annotator, occasion, assignment_id in rows}


def _build_judgements(
    assignment_ids: Mapping[tuple[int, int, int], int | None], batch: Sequence[NumberedVote]
) -> Iterator[dict[str, object]]:
    for item, annotator, occasion, vote in batch:
        yield {
            "assignment_id": assignment_ids[item, annotator, occasion],
            "revision": 0,
            "response": vote.response,
            "response_raw": vote.raw,
            "answers": vote.answers,
            "seconds": vote.seconds,
            "skip_reason": vote.skip_reason,
            **judgements.list_exclusion_values(vote.exclusion),
        }
