"""The second pass over an item: it was answered blind, and is shown once more with the gold and with more questions.

In a project that asks in steps, the first pass asks the questions of step 1, blind. In Telegram the second pass follows
each answer at once: its assignment is made in the transaction that stores the answer, and from then on the answer can
be changed no more. In Label Studio the second pass is a batch of its own. Its assignments hold no places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from aggregation.scoring import is_right_answer
from annotation.campaigns.questions import Question
from annotation.campaigns.questions.question_base import is_asked
from annotation.store import judgements, models
from annotation.store.models import Assignment, AssignmentRow, Item, ItemRow, Judgement, JudgementRow
from annotation.vocabulary import (
    SECOND_PASS_OCCASION,
    AssignmentStatus,
    ExclusionKind,
    ParticipationStatus,
    Stage,
    Surface,
)
from annotation.workflow.assignments import annotator_context
from annotation.workflow.assignments.annotator_context import AnnotatorContext, OpenedAssignment

PASSED_KINDS = (ExclusionKind.PILOT, ExclusionKind.EXPOSED)
"""Answers that do not count for these kinds have a second pass all the same."""


@dataclass(frozen=True, kw_only=True)
class ComparedAnswer:
    """A question with the annotator's first answer and the gold as readers see them, None where there is none.

    `options` are the item's own options in the order shown; empty if all items have the same. `right` says whether the
    answers agree, None where one of them is missing.
    """

    question: str
    options: tuple[str, ...]
    first: str | None
    gold: str | None
    right: bool | None


@dataclass(frozen=True, kw_only=True)
class SecondPass:
    """What the second pass shows beside the item: the first answers with the gold, and why the gold is right."""

    compared: tuple[ComparedAnswer, ...]
    explanation: str | None


def get_blind_answers(session: Session, second: AssignmentRow, name: str) -> Mapping[str, str]:
    """The first-pass answers of an assignment of the second pass, by question; `name` is that of the first question."""
    judgement = judgements.get_final_judgement(session, get_first_assignment(session, second).id)
    if judgement is None:
        raise LookupError(f"assignment {second.id} of the second pass has no first answer")
    return judgement.answers or {name: judgement.response}


def add_blind_answers(opened: OpenedAssignment, answers: Mapping[str, object]) -> dict[str, object]:
    """Raw answers of the second pass together with the blind answers, by question name.

    No ticked box is no answer where the question is optional, as in Label Studio.
    """
    questions = opened.context.definition.all_questions
    optional = {question.name for question in questions if not question.required}
    given = {name: answer for name, answer in answers.items() if answer != [] or name not in optional}
    return {**_select_blind_answers(opened, questions), **given}


def select_questions(opened: OpenedAssignment, questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions of the later steps that the blind answers leave to be asked, with the conditions of later steps."""
    blind = _select_blind_answers(opened, questions)
    first_names = {question.name for question in questions if question.step == 1}
    selected = []
    for question in questions:
        conditions = question.show_if or {}
        of_first = {name: values for name, values in conditions.items() if name in first_names}
        of_later = {name: values for name, values in conditions.items() if name not in first_names}
        if question.step > 1 and is_asked(question.model_copy(update={"show_if": of_first}), blind):
            selected.append(question.model_copy(update={"show_if": of_later or None}))
    return tuple(selected)


def _select_blind_answers(opened: OpenedAssignment, questions: Sequence[Question]) -> dict[str, str]:
    """The stored answers to the questions of step 1, in the order of the questions."""
    answers = get_blind_answers(opened.session, opened.assignment, questions[0].name)
    return {
        question.name: answers[question.name]
        for question in questions
        if question.step == 1 and question.name in answers
    }


def get_number(opened: OpenedAssignment) -> int:
    """The number of the item among the annotator's items in the project, which is that of the first pass."""
    return get_first_assignment(opened.session, opened.assignment).position or 0


def get_first_assignment(session: Session, second: AssignmentRow) -> AssignmentRow:
    """The assignment of the first pass that goes with one of the second."""
    first = annotator_context.find_assignment(
        session, item_id=second.item_id, annotator_id=second.annotator_id, occasion=0
    )
    if first is None:
        raise LookupError(f"assignment {second.id} of the second pass has no first one")
    return first


def build_second_pass(
    opened: OpenedAssignment, questions: Sequence[Question], *, orders: Mapping[str, Sequence[int]]
) -> SecondPass:
    """What an assignment of the second pass shows beside the item; `questions` are those of both passes.

    `orders` are the orders in which the options were shown, by question.
    """
    item, first_question = opened.item, questions[0].name
    blind = _select_blind_answers(opened, questions)
    golds = item.golds or ({} if item.gold is None else {first_question: item.gold})
    compared = [
        _compare_answers(
            question, item, blind.get(question.name), golds.get(question.name),
            accepted=tuple(item.accepted or ()) if number == 0 else (), order=orders.get(question.name),
        )
        for number, question in enumerate(questions)
        if question.name in blind or question.name in golds
    ]  # fmt: skip
    return SecondPass(
        compared=tuple(compared),
        explanation=item.explanation,
    )


def list_candidates(
    session: Session, *, annotator_id: int, project_id: int, surface: Surface, n_items: int
) -> Sequence[tuple[Assignment, Item, Judgement]]:
    """Up to `n_items` answers of the annotator that wait for a second pass: those that count, here or in the pilot or
    apart, and in Telegram those to control items too, which must look like any other.

    Each is returned as its assignment, item and judgement, in the order of assignment. In Telegram a second pass that
    has expired is missing again.
    """
    is_telegram = surface is Surface.TELEGRAM
    second = aliased(Assignment)
    second_passes = select(second.id).where(
        second.item_id == Assignment.item_id,
        second.annotator_id == annotator_id,
        second.occasion == SECOND_PASS_OCCASION,
    )
    if is_telegram:
        second_passes = second_passes.where(second.status != AssignmentStatus.EXPIRED)
    ignored = (*PASSED_KINDS, *((ExclusionKind.CONTROL,) if is_telegram else ()))
    candidates = (
        select(Assignment, Item, Judgement)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(Assignment.annotator_id == annotator_id, Assignment.project_id == project_id)
        .where(Assignment.occasion == 0, Assignment.status == AssignmentStatus.DONE, Assignment.surface == surface)
        .where(
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(ignoring=ignored),
            col(Judgement.skip_reason).is_(None),
        )
        .where(~second_passes.exists())
    )
    return session.exec(candidates.order_by(col(Assignment.id)).limit(n_items)).all()


def is_followed_at_once(opened: OpenedAssignment, judgement: JudgementRow) -> bool:
    """Whether a second pass follows an answer of the first in a project that asks in steps.

    In Telegram it does, but not in training and qualification, nor after a skip or an abstention.
    """
    assignment = opened.assignment
    is_first_answer = assignment.occasion == 0 and assignment.surface is Surface.TELEGRAM
    counts = judgement.skip_reason is None and judgement.excluded_kind is None
    in_stage = assignment.stage in {Stage.MAIN, Stage.PILOT}
    return is_first_answer and counts and in_stage


def begin_second_pass(opened: OpenedAssignment, *, now: datetime) -> None:
    """Assign the second pass of an item that was answered in Telegram just now; there is no other live item there.

    An annotator who may not go on, as a quality rule has decided just now, gets none.
    """
    judgement = judgements.get_final_judgement(opened.session, opened.assignment_id)
    is_active = opened.context.participation.status is ParticipationStatus.ACTIVE
    if judgement is not None and is_active and is_followed_at_once(opened, judgement):
        insert_second_assignment(opened.session, opened.assignment, opened.item, surface=Surface.TELEGRAM, now=now)


def resume_second_pass(
    session: Session, context: AnnotatorContext, *, now: datetime
) -> tuple[AssignmentRow, ItemRow] | None:
    """Assign the oldest second pass in Telegram that is missing, as after a pause of the project; None for none."""
    waiting = list_candidates(
        session,
        annotator_id=context.annotator_id,
        project_id=context.project_id,
        surface=Surface.TELEGRAM,
        n_items=1,
    )
    if not waiting:
        return None
    [(first, item, _)] = waiting
    assignment = annotator_context.find_assignment(
        session, item_id=first.item_id, annotator_id=context.annotator_id, occasion=SECOND_PASS_OCCASION
    )
    if assignment is None:
        assignment = insert_second_assignment(session, first, item, surface=Surface.TELEGRAM, now=now)
    models.ASSIGNMENTS.update(session, assignment, status=AssignmentStatus.LIVE, shown_at=now, clock_changed=False)
    return assignment, item


def insert_second_assignment(
    session: Session,
    first: AssignmentRow,
    item: ItemRow,
    *,
    surface: Surface,
    now: datetime,
    lease_until: datetime | None = None,
) -> AssignmentRow:
    """Insert the assignment of the second pass that goes with one of the first; no lease, no end."""
    return models.ASSIGNMENTS.insert(
        session,
        project_id=first.project_id,
        item_id=first.item_id,
        item_revision=item.revision,
        annotator_id=first.annotator_id,
        occasion=SECOND_PASS_OCCASION,
        surface=surface,
        status=AssignmentStatus.LIVE,
        stage=first.stage,
        option_order=first.option_order,
        option_orders=first.option_orders,
        instructions_sha256=first.instructions_sha256,
        stimulus_sha256=item.stimulus_sha256,
        assigned_at=now,
        shown_at=now,
        lease_until=lease_until,
    )


def _compare_answers(
    question: Question,
    item: ItemRow,
    first: str | None,
    gold: str | None,
    *,
    accepted: Sequence[str],
    order: Sequence[int] | None,
) -> ComparedAnswer:
    right = None
    if first is not None and gold is not None:
        right = is_right_answer(question.normalisation, first, (gold, *accepted))
    has_own_options = question.takes_item_options and question.fixed_options is None and not question.option_columns
    options = question.get_options(item.options) if has_own_options else ()
    return ComparedAnswer(
        question=question.text,
        options=options if order is None or not options else tuple(options[index] for index in order),
        first=_describe_answer(question, item, first),
        gold=_describe_answer(question, item, gold),
        right=right,
    )


def _describe_answer(question: Question, item: ItemRow, stored: str | None) -> str | None:
    """A stored answer as it is read: the option's text, ticked boxes and spans in one line."""
    if stored is None:
        return None
    return ", ".join(question.list_parts(stored, item.options)) or "—"
