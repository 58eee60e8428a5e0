"""How people did on control items: of those they answered, how many are right as they finally stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.campaigns import project as project_files
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.vocabulary import AssignmentStatus


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Right answers of so many control items."""

    right: int = 0
    of: int = 0

    @property
    def share(self) -> float | None:
        """The accuracy; None where nothing was answered."""
        return self.right / self.of if self.of else None


def of_controls(
    session: Session, *, project_ids: Collection[int], annotator_id: int | None = None
) -> dict[int, Counted]:
    """By person, her control items of these projects together.

    Every control item that was answered counts once, whether or not the answer was excluded later; one that was passed
    over is not right, one that was withdrawn or erased does not count. An answer to several questions is right where
    all those are that the project's `controls` name, or, where it names none, all that have gold.
    """
    definitions = session.exec(select(Project.id, Project.definition).where(col(Project.id).in_(project_ids))).all()
    named = {known: _questions(stored) for known, stored in definitions}
    totals: dict[int, list[bool]] = defaultdict(list)
    for row in session.connection().execute(_answered(project_ids, annotator_id)).mappings():
        totals[row["annotator_id"]].append(_right(row, named[row["project_id"]]))
    return {person: Counted(right=sum(found), of=len(found)) for person, found in totals.items()}


def _answered(project_ids: Collection[int], annotator_id: int | None) -> sa.Select[Any]:
    later = sa.orm.aliased(Judgement)
    last = select(func.max(later.revision)).where(later.assignment_id == Judgement.assignment_id).scalar_subquery()
    columns: list[Any] = [
        col(Assignment.annotator_id),
        col(Assignment.project_id),
        col(Judgement.response),
        col(Judgement.answers),
        col(Item.gold),
        col(Item.golds),
        col(Item.accepted),
    ]
    chosen = (
        sa.select(*columns)
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.is_control),
            ~col(Assignment.is_repeat),
            col(Assignment.project_id).in_(project_ids),
            col(Assignment.status) == AssignmentStatus.DONE,
            col(Judgement.revision) == last,
        )
    )
    return chosen if annotator_id is None else chosen.where(col(Assignment.annotator_id) == annotator_id)


def _questions(stored: Mapping[Any, Any]) -> tuple[str, tuple[str, ...]]:
    """The first question, and those that control."""
    definition = project_files.definition_of(dict(stored))
    return definition.asked[0].name, definition.controls.questions if definition.controls else ()


def _right(row: sa.RowMapping, questions: tuple[str, tuple[str, ...]]) -> bool:
    first, controlling = questions
    accepted = {row["gold"], *(row["accepted"] or ())}
    golds, answers = row["golds"], row["answers"]
    if not golds or answers is None:
        return bool(row["response"]) and row["response"] in accepted
    asked = [name for name in golds if not controlling or name in controlling]
    return bool(asked) and all(
        answers.get(name) == golds[name] or (name == first and answers.get(name) in accepted) for name in asked
    )
