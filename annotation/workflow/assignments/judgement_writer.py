"""Answers as they are stored, and as people are told that they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from annotation.store import row_writer
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import EXTRA, AssignmentStatus, Stage
from annotation.workflow.assignments import annotator_context, assigned_items, training_feedback
from annotation.workflow.assignments.annotator_context import Seat
from annotation.workflow.assignments.assigned_items import Asked
from annotation.workflow.assignments.qualification import Decision
from annotation.workflow.assignments.training_feedback import Feedback


@dataclass(frozen=True, kw_only=True)
class Saved:
    """An answer that is stored; `repeated` says that this very tap had come before and nothing was stored now.

    `answers` are in the words that people read, by question, `stored` as they are kept; empty for a skip. `extra` says
    that the item had its answers already, `changeable` that an undo may be tried. `feedback` is for training,
    `decision` for the last answer of a qualification.
    """

    assignment_id: int
    revision: int
    number: int
    project_id: int
    language: str
    stage: Stage
    stimulus: str
    pieces: tuple[Mapping[str, Any], ...]
    questions: tuple[Asked, ...]
    stored: Mapping[str, str]
    answers: Mapping[str, str]
    repeated: bool
    changeable: bool = False
    extra: bool = False
    feedback: Feedback | None = None
    decision: Decision | None = None

    @property
    def question(self) -> str:
        """The words of the first question."""
        return self.questions[0].text

    @property
    def answer(self) -> str:
        """The answers in one line."""
        return "; ".join(self.answers.values())


@dataclass(frozen=True, kw_only=True)
class Given:
    """An answer on its way into the database: by question as stored, as it came, or a skip with its reason.

    `at` is when it was given at a desk, and `seconds` how long it took there, where that is known.
    """

    answers: Mapping[str, str]
    raw: str
    skip_reason: str | None = None
    excluded: str | None = None
    at: datetime | None = None
    seconds: float | None = None


def store(
    session: Session,
    seat: Seat,
    assignment: Assignment,
    given: Given,
    *,
    revision: int,
    excluded: str | None,
    now: datetime,
) -> Judgement:
    """Write one revision of an answer, with its own seconds, or those since the item was shown."""
    asked = seat.definition.asked
    shown_at = assignment.shown_at or assignment.assigned_at or now
    made = Judgement(
        assignment_id=annotator_context.known(assignment.id),
        revision=revision,
        response=given.answers.get(asked[0].name, ""),
        response_raw=given.raw,
        answers=dict(given.answers) if len(asked) > 1 and given.skip_reason is None else None,
        seconds=(now - shown_at).total_seconds() if given.at is None else given.seconds,
        answered_at=given.at or now,
        skip_reason=given.skip_reason,
        excluded_reason=excluded,
    )
    row_writer.write(session, made)
    return made


def standing(session: Session, assignment: Assignment) -> Judgement | None:
    """The answer as it stands now."""
    chosen = select(Judgement).where(Judgement.assignment_id == assignment.id)
    return session.exec(chosen.order_by(col(Judgement.revision).desc()).limit(1)).first()


def stored(session: Session, assignment_id: int, revision: int) -> Judgement | None:
    """That revision of an answer."""
    chosen = select(Judgement).where(Judgement.assignment_id == assignment_id, Judgement.revision == revision)
    return session.exec(chosen).first()


def answers_of(seat: Seat, judgement: Judgement) -> dict[str, str]:
    """An answer by question, as it is stored."""
    if judgement.answers is not None:
        return dict(judgement.answers)
    return {seat.definition.asked[0].name: judgement.response} if judgement.response else {}


def saved(
    seat: Seat,
    assignment: Assignment,
    item: Item,
    judgement: Judgement,
    *,
    repeated: bool = False,
    decision: Decision | None = None,
) -> Saved:
    """What a person is told of a stored answer."""
    asked = assigned_items.questions(seat, item)
    given = answers_of(seat, judgement)
    return Saved(
        assignment_id=annotator_context.known(assignment.id),
        revision=judgement.revision,
        number=assignment.position or 0,
        project_id=seat.project_id,
        language=seat.project.language,
        stage=assignment.stage,
        stimulus=item.stimulus,
        pieces=tuple(item.pieces or ()),
        questions=assigned_items.shown(seat, assignment, item),
        stored=given,
        answers={name: training_feedback.worded(asked, item, name, label) for name, label in given.items()},
        repeated=repeated,
        changeable=_changeable(assignment, judgement, decision),
        extra=judgement.excluded_reason == EXTRA,
        feedback=training_feedback.after(seat, item, assignment.stage, given),
        decision=decision,
    )


def _changeable(assignment: Assignment, judgement: Judgement, decision: Decision | None) -> bool:
    """Whether an undo can be offered; whether another item of the group came since is seen when it is asked for."""
    closed = assignment.stage is Stage.TRAINING or decision is not None or judgement.excluded_reason == EXTRA
    return assignment.status is AssignmentStatus.DONE and not closed
