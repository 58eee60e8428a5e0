"""Control accuracy of annotators: of the control items they answered, how many final answers are right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotation.campaigns import project_file
from annotation.store import judgements
from annotation.store.judgements import FinalAnswer
from annotation.store.models import Project
from annotation.workflow.quality import rules


@dataclass(frozen=True, kw_only=True)
class ControlAccuracy:
    """How many control items were answered right, of how many."""

    right: int = 0
    of: int = 0

    @property
    def share(self) -> float | None:
        """The accuracy; None where nothing was answered."""
        return self.right / self.of if self.of else None


def compute_control_accuracy(
    session: Session, *, project_ids: Collection[int], annotator_id: int | None = None
) -> dict[int, ControlAccuracy]:
    """The control accuracy of each annotator (by id) over these projects together, marked as the quality rules do it.

    Every control item that was answered counts once, whether or not the answer was excluded later. Skipped, withdrawn
    and erased answers and abstentions do not count.
    """
    totals: dict[int, list[bool]] = defaultdict(list)
    for project in session.exec(select(Project).where(col(Project.id).in_(project_ids)).order_by(col(Project.id))):
        definition = project_file.parse_definition(project.definition)
        by_annotator: dict[int, list[FinalAnswer]] = defaultdict(list)
        for answer in judgements.list_control_answers(session, project_id=project.id or 0, annotator_id=annotator_id):
            by_annotator[answer.annotator_id].append(answer)
        for annotator, answers in by_annotator.items():
            totals[annotator] += rules.mark_control_answers(definition, answers)
    return {annotator: ControlAccuracy(right=sum(marks), of=len(marks)) for annotator, marks in totals.items()}
