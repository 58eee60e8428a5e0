"""The second pass as stored: whose answers still wait for it, and on how many items it was done.

In a project that asks in steps, the first pass asks the questions of step 1, and the second pass, with the gold beside
them, the others. Until somebody did it, nobody has judged the item.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from annotation.store import judgements
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.vocabulary import ExclusionKind, Pool, Surface


def list_missing_passes(session: Session, project: Project) -> frozenset[tuple[str, str]]:
    """Items (external ids) and pseudonyms of the first passes without a second one; one that was skipped is missing."""
    first_passes = _select_answers(project, col(Item.external_id), col(Annotator.pseudonym))
    first_passes = first_passes.join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
    missing = first_passes.where(_IS_ASKED_TWICE, ~_build_done_condition())
    return frozenset((item, annotator) for item, annotator in session.execute(missing))


def count_judged_items(session: Session, project: Project) -> int:
    """The number of main items with an answer that counts and whose annotator did the second pass, or was asked all the
    questions at once.
    """
    judged = _select_answers(project, sa.func.count(sa.distinct(col(Item.id))))
    judged = judged.where(
        col(Item.pool) == Pool.MAIN,
        judgements.build_counting_condition(),
        ~_IS_ASKED_TWICE | _build_done_condition(),
    )
    return int(session.execute(judged).scalar_one())


_IS_ASKED_TWICE = col(Assignment.surface) != Surface.IMPORT
"""The condition that an answer came from Telegram or Label Studio; imported ones may have been asked all at once."""


def _select_answers(project: Project, *columns: Any) -> sa.Select[Any]:
    """Columns of the final answers of a project that are no skips."""
    query = sa.select(*columns).select_from(Item).join(Assignment, col(Assignment.item_id) == col(Item.id))
    query = query.join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
    is_final = judgements.build_final_revision_condition()
    return query.where(col(Item.project_id) == project.id, is_final, col(Judgement.skip_reason).is_(None))


def _build_done_condition() -> sa.ColumnElement[bool]:
    """The condition that the annotator of `Assignment` answered the second pass on its item."""
    second, answer = aliased(Assignment), aliased(Judgement)
    passes = sa.select(col(second.id)).join(answer, col(answer.assignment_id) == col(second.id))
    passes = passes.where(
        col(second.item_id) == col(Assignment.item_id),
        col(second.annotator_id) == col(Assignment.annotator_id),
        col(answer.revision) == judgements.build_last_revision(col(second.id)),
        col(answer.excluded_kind) == ExclusionKind.SECOND_PASS,
        col(answer.skip_reason).is_(None),
    )
    done: sa.ColumnElement[bool] = passes.correlate(Assignment).exists()
    return done
