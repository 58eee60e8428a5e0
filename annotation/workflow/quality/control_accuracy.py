"""How people did on control items: of those they answered, how many are right as they finally stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotation.campaigns import project as project_files
from annotation.store import judgements
from annotation.store.judgements import Answered
from annotation.store.models import Project
from annotation.workflow.quality import rule_evaluation


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
    """By person, her control items of these projects together, judged as the quality rules judge them.

    Every control item that was answered counts once, whether or not the answer was excluded later; one that was passed
    over, withdrawn or erased says nothing, and so does an abstention.
    """
    totals: dict[int, list[bool]] = defaultdict(list)
    for project in session.exec(select(Project).where(col(Project.id).in_(project_ids)).order_by(col(Project.id))):
        definition = project_files.definition_of(project.definition)
        answered: dict[int, list[Answered]] = defaultdict(list)
        for one in judgements.controls(session, project_id=project.id or 0, annotator_id=annotator_id):
            answered[one.annotator_id].append(one)
        for person, mine in answered.items():
            totals[person] += rule_evaluation.results(definition, mine)
    return {person: Counted(right=sum(found), of=len(found)) for person, found in totals.items()}
