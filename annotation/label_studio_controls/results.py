"""Reads the answers to all questions of an item from the result of one annotation in Label Studio."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.questions import Question, QuestionContent, question_base
from annotation.errors import BadInput, Where
from annotation.label_studio_controls import get_control
from annotation.label_studio_controls.control_base import PUSH_AGAIN_REMEDY, ControlResult

SEEN_CONTROL = "second:seen"
"""The box that confirms, in the second pass, that the right answers were seen; it is not read as an answer."""


def list_pass_questions(questions: Sequence[Question], *, second_pass: bool) -> tuple[Question, ...]:
    """The questions of a pass: those of step 1; in the second pass those of later steps, or else all."""
    later = tuple(question for question in questions if question.step > 1)
    if not second_pass:
        return tuple(question for question in questions if question.step == 1)
    return later or tuple(questions)


def read_answers(
    questions: Sequence[Question],
    result: Sequence[Mapping[str, Any]],
    content: QuestionContent,
    *,
    first: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """The raw answers by question of an annotation, as the answer parser of `questions` takes them.

    In the second pass `first` are the annotator's stored first answers, which stay where a question is not asked again.
    Answers to questions that were hidden at the end are left out. Raises BadInput for unknown controls and options, and
    for several texts where one is asked for.
    """
    asked = list_pass_questions(questions, second_pass=first is not None)
    given = _read_results(asked, result, content, first=first or {})
    return select_visible_answers(questions, {**(first or {}), **given}, content)


def describe_answers(
    questions: Sequence[Question], raw: Mapping[str, object], parsed: Mapping[str, str], content: QuestionContent
) -> str:
    """What is kept of an annotation as it was received: the option's text or the answer; of several questions JSON.

    Of compared texts the label is kept.
    """
    if len(questions) > 1:
        return json.dumps(dict(raw), ensure_ascii=False, default=str)
    question = questions[0]
    answer = parsed.get(question.name, "")
    return answer if question.option_columns else question.get_option_text(answer, content.options)


def _read_results(
    questions: Sequence[Question],
    result: Sequence[Mapping[str, Any]],
    content: QuestionContent,
    *,
    first: Mapping[str, str],
) -> dict[str, object]:
    """The answers by question; controls that were not touched have none."""
    control_names = [name for question in questions for name in get_control(question).list_names(question)]
    values = group_values(result, [*control_names, SEEN_CONTROL], problem="which the project does not ask")
    given = ControlResult(values=values, content=content, first=first)
    answers = {question.name: get_control(question).read_result(question, given) for question in questions}
    return {name: answer for name, answer in answers.items() if answer is not None}


def group_values(result: Sequence[Mapping[str, Any]], known: Sequence[str], *, problem: str) -> dict[str, list[Any]]:
    """The values of a result by control; raises BadInput with the problem for a control that is not known."""
    values: dict[str, list[Any]] = {}
    for region in result:
        name = str(region.get("from_name"))
        if name not in known:
            raise BadInput(
                f"Label Studio has an answer of {name!r}, {problem}.", where=Where(field=name), remedy=PUSH_AGAIN_REMEDY
            )
        values.setdefault(name, []).append(region.get("value"))
    return values


def select_visible_answers(
    questions: Sequence[Question], raw: Mapping[str, object], content: QuestionContent
) -> dict[str, object]:
    """The answers to the questions that were visible at the end; no ticked box is an answer where that is allowed."""
    encoded: dict[str, str] = {}
    kept: dict[str, object] = {}
    for question in questions:
        if not question_base.is_asked(question, encoded):
            continue
        given = complete_answer(question, raw.get(question.name))
        if question.is_unanswered(given):
            continue
        kept[question.name] = given
        encoded[question.name] = question.encode_answer(question.parse_answer(given, content))
    return kept


def complete_answer(question: Question, raw: object) -> object:
    """The raw answer; nothing is the empty answer where that is required."""
    if raw is None and question.required and question.takes_empty_answer:
        return question_base.decode_json(question.empty_answer)
    return raw
