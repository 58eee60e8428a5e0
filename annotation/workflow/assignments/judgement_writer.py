"""Judgements: writes each revision of an answer, finds stored ones, and builds what the annotator is shown of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import select

from annotation import vocabulary
from annotation.campaigns.questions import Question, QuestionContent, question_base
from annotation.store import models, table_base
from annotation.store.models import AssignmentRow, ItemRow, Judgement, JudgementRow
from annotation.vocabulary import ABSTAINED, AssignmentStatus, Exclusion, ExclusionKind, Stage, UnknownDuration
from annotation.workflow.assignments import assigned_items, second_pass
from annotation.workflow.assignments.annotator_context import AnnotatorContext, OpenedAssignment
from annotation.workflow.assignments.assigned_items import ShownQuestion
from annotation.workflow.assignments.assignment_policy import Journey, Remark
from annotation.workflow.assignments.qualification import QualificationDecision
from annotation.workflow.quality import gold_answers


@dataclass(frozen=True, kw_only=True)
class SavedJudgement:
    """A stored answer as the annotator is shown it.

    `repeated` says that the same submission was stored before and nothing is stored now. `answers` are the texts of the
    answers by question name as the annotator saw them, `stored_answers` the same answers as they are stored; both are
    empty for a skip, which `skipped` tells from an answer without any. `number` is as in `AssignedItem`. `extra` says
    that the item had all its answers already, `changeable` that an undo may be tried, `reopened` that one has opened
    the item for another answer. `feedback` is set in training only, `decision` only with the last answer of a
    qualification. `remarks` are made after a first answer of the main stage. The other fields are as in `AssignedItem`.
    """

    assignment_id: int
    revision: int
    number: int
    project_id: int
    language: str
    stage: Stage
    stimulus: str
    pieces: tuple[Mapping[str, Any], ...]
    questions: tuple[ShownQuestion, ...]
    stored_answers: Mapping[str, str]
    answers: Mapping[str, str]
    repeated: bool
    changeable: bool = False
    reopened: bool = False
    extra: bool = False
    skipped: bool = False
    is_second_pass: bool = False
    feedback: TrainingFeedback | None = None
    decision: QualificationDecision | None = None
    remarks: tuple[Remark, ...] = ()
    journey: Journey | None = None

    @property
    def question(self) -> str:
        """The text of the first question."""
        return self.questions[0].text

    @property
    def answer(self) -> str:
        """The texts of all answers in one line."""
        return "; ".join(self.answers.values())

    @property
    def has_verdicts(self) -> bool:
        """Whether each answer gets a verdict on its own line: in training, of an item with several questions."""
        return len(self.questions) > 1 and self.feedback is not None and bool(self.feedback.marks)


@dataclass(frozen=True, kw_only=True)
class NewAnswer:
    """An answer that is going to be stored, or a skip.

    `answers` are the answers by question name as they are stored, empty for a skip; `raw` is what was received.
    `skip_reason` is set for a skip only. `exclusion` says why the answer does not count, None where it counts. `at` is
    the time of an answer given in Label Studio, None in Telegram, and `seconds` how long it took there, None where that
    is not known.
    """

    answers: Mapping[str, str]
    raw: str
    skip_reason: str | None = None
    exclusion: Exclusion | None = None
    at: datetime | None = None
    seconds: float | None = None


def parse_answers(
    context: AnnotatorContext, item: ItemRow, raw_answers: Mapping[str, object], *, steps: int | None = None
) -> NewAnswer:
    """Parse raw answers by question name, to the questions of the first `steps` steps or, without it, of all steps.

    An abstention on the first question is marked as excluded. Raises BadInput for answers that are not valid.
    """
    questions = tuple(
        question for question in assigned_items.list_questions(context, item) if steps is None or question.step <= steps
    )
    question_content = QuestionContent(
        options=None if item.options is None else tuple(item.options),
        fields={name: value if isinstance(value, str) else str(value) for name, value in item.data.items()},
    )
    parsed_answers = question_base.parse_answers(questions, raw_answers, question_content)
    first_question = questions[0]
    first_answer = parsed_answers.get(first_question.name)
    answer_text = first_answer or ""
    if not first_question.option_columns:  # a compared text is too long to be kept with every answer
        answer_text = get_answer_text(questions, item, first_question.name, answer_text)
    raw_text = answer_text if len(questions) == 1 else json.dumps(dict(raw_answers), ensure_ascii=False, default=str)
    exclusion = ABSTAINED if first_question.is_abstention(first_answer) else None
    return NewAnswer(answers=parsed_answers, raw=raw_text, exclusion=exclusion)


def write_judgement(
    opened: OpenedAssignment,
    new_answer: NewAnswer,
    *,
    revision: int,
    exclusion: Exclusion | None,
    post_hoc: bool = False,
    now: datetime,
) -> JudgementRow:
    """Write one revision of an answer to an assignment, and return it.

    The time of an answer in Telegram is the time since the item was shown, in seconds; that of an answer from Label
    Studio comes with it. One that cannot be is stored as unknown, with the reason. `exclusion` is stored with it, None
    where the answer counts; `post_hoc` as in `Judgement`.
    """
    questions, assignment = opened.context.definition.all_questions, opened.assignment
    seconds, seconds_unknown = (
        _measure_duration(assignment, now=now)
        if new_answer.at is None
        else vocabulary.check_duration(new_answer.seconds)
    )
    return models.JUDGEMENTS.insert(
        opened.session,
        assignment_id=opened.assignment_id,
        revision=revision,
        response=new_answer.answers.get(questions[0].name, ""),
        response_raw=new_answer.raw,
        answers=(dict(new_answer.answers) or None) if len(questions) > 1 else None,
        seconds=seconds,
        seconds_unknown=seconds_unknown,
        answered_at=new_answer.at or now,
        main_project_id=assignment.project_id if revision == 0 and assignment.stage is Stage.MAIN else None,
        skip_reason=new_answer.skip_reason,
        post_hoc=post_hoc,
        on_page=opened.transaction.on_page,
        **table_base.list_exclusion_values(exclusion),
    )


def _measure_duration(assignment: AssignmentRow, *, now: datetime) -> vocabulary.Duration:
    """The time from showing an item to its answer now, by one clock, or why it is not known.

    Where the clock was set in between, the difference is no duration, even if it looks like one.
    """
    if assignment.clock_changed:
        return None, UnknownDuration.CLOCK_CHANGED
    shown_at = assignment.shown_at or assignment.assigned_at or now
    seconds = (now - shown_at).total_seconds()
    return (seconds, None) if seconds >= 0 else (None, UnknownDuration.BEFORE_SHOWN)


def get_judgement(opened: OpenedAssignment, *, revision: int) -> Judgement | None:
    """One revision of an answer; None where it was never stored."""
    revisions = select(Judgement).where(Judgement.assignment_id == opened.assignment_id, Judgement.revision == revision)
    return opened.session.exec(revisions).first()


def get_stored_answers(context: AnnotatorContext, judgement: JudgementRow) -> dict[str, str]:
    """The answers of a judgement by question name, as they are stored; empty for a skip."""
    if judgement.answers is not None:
        return dict(judgement.answers)
    return {context.definition.all_questions[0].name: judgement.response} if judgement.response else {}


def build_saved_judgement(
    opened: OpenedAssignment,
    judgement: JudgementRow,
    *,
    repeated: bool = False,
    decision: QualificationDecision | None = None,
) -> SavedJudgement:
    """Build what the annotator is shown of a stored answer."""
    context, assignment, item = opened.context, opened.assignment, opened.item
    questions = assigned_items.list_questions(context, item)
    shown_questions = assigned_items.get_shown_questions(opened)
    way = assigned_items.find_journey(opened)
    given = get_stored_answers(context, judgement)
    stored_answers = {shown.name: given[shown.name] for shown in shown_questions if shown.name in given}
    return SavedJudgement(
        assignment_id=opened.assignment_id,
        revision=judgement.revision,
        number=assigned_items.get_number(opened) if way is None else way.number,
        journey=way,
        project_id=context.project_id,
        language=context.project.language,
        stage=assignment.stage,
        stimulus=item.stimulus,
        pieces=assigned_items.list_shown_pieces(opened),
        questions=shown_questions,
        stored_answers=stored_answers,
        answers={name: get_answer_text(questions, item, name, label) for name, label in stored_answers.items()},
        repeated=repeated,
        changeable=_can_offer_undo(opened, judgement, decision),
        reopened=assignment.open_revision is not None,
        extra=judgement.excluded_kind is ExclusionKind.EXTRA,
        skipped=judgement.skip_reason is not None,
        is_second_pass=opened.is_second_pass,
        feedback=get_training_feedback(context, item, assignment.stage, stored_answers),
        decision=decision,
    )


def _can_offer_undo(opened: OpenedAssignment, judgement: JudgementRow, decision: QualificationDecision | None) -> bool:
    """Whether to offer an undo; whether another item of the group was shown since is checked only when undo is used."""
    is_training = opened.assignment.stage is Stage.TRAINING
    has_steps = opened.context.definition.asks_in_steps
    is_told = has_steps and second_pass.is_followed_at_once(opened, judgement)
    is_final = is_training or is_told or decision is not None or judgement.excluded_kind is ExclusionKind.EXTRA
    return opened.assignment.status in {AssignmentStatus.DONE, AssignmentStatus.SKIPPED} and not is_final


@dataclass(frozen=True, kw_only=True)
class TrainingFeedback:
    """What an annotator is told about an answer in training.

    `right` says whether the answer was right, None where the item has no gold, and `marks` the same of each question
    that has gold. `gold` are the texts of the right answers by question name. `explanation` is the item's explanation,
    None where there is none or the project shows none.
    """

    right: bool | None
    marks: Mapping[str, bool]
    gold: Mapping[str, str]
    explanation: str | None


def get_training_feedback(
    context: AnnotatorContext, item: ItemRow, stage: Stage, stored_answers: Mapping[str, str]
) -> TrainingFeedback | None:
    """The feedback on an answer in the training; None in any other stage."""
    section = context.definition.stages.training
    if stage is not Stage.TRAINING or section is None:
        return None
    questions = assigned_items.list_questions(context, item)
    gold = gold_answers.get_gold_answers(item, questions)
    marks = gold_answers.mark_answers(questions, stored_answers, golds=gold, accepted=tuple(item.accepted or ()))
    return TrainingFeedback(
        right=gold_answers.are_all_right(marks),
        marks=marks,
        gold={name: get_answer_text(questions, item, name, label) for name, label in gold.items()},
        explanation=item.explanation if section.explain else None,
    )


def get_answer_text(questions: tuple[Question, ...], item: ItemRow, question_name: str, label: str) -> str:
    """The text of the stored answer `label`: the option's text for a choice question, else the answer as stored."""
    question = next((question for question in questions if question.name == question_name), None)
    return label if question is None else question.get_option_text(label, item.options)
