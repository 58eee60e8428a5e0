"""Raw answers from the result of an annotation of our own tasks: what each control holds becomes one answer.

Pulled annotations and those of an export are read by the same functions. In our tasks a control has the name of its
question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    Question,
    QuestionContent,
    ScaleQuestion,
    SpanQuestion,
    TextQuestion,
    question_base,
)
from annotation.errors import BadInput, Where
from annotation.loading.judgements.label_studio_values import read_classes

ASSIGNMENT_KEY = "hromada"
"""The data key of our assignment id, since Label Studio has ids of its own only."""
ITEM_KEY = "item"
"""The data key of the item's id."""
SECOND_PASS_KEY = "second"  # noqa: S105  # no password, a pass over the items
"""The data key of the HTML of the second pass: first answers, right answers, the explanation."""
SKIP_REASON = "skipped in Label Studio"
PUSH_AGAIN_REMEDY = "Push the project again; its configuration was changed in Label Studio."


def list_pass_questions(questions: Sequence[Question], *, second_pass: bool) -> tuple[Question, ...]:
    """The questions of a pass: those of step 1; in the second pass those of later steps, or else all."""
    later = tuple(question for question in questions if question.step > 1)
    if not second_pass:
        return tuple(question for question in questions if question.step == 1)
    return later or tuple(questions)


def get_none_control(question: SpanQuestion) -> str:
    """The name of the checkbox for "nothing to mark"."""
    return f"{question.name}:none"


def list_option_texts(question: Question, own: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The texts of the options, in the order of the project file."""
    if isinstance(question, ChoiceQuestion | ChoicesQuestion):
        return question.get_options(own)
    return question.options if isinstance(question, ScaleQuestion) else ()


def list_option_labels(question: Question, own: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The labels under which the options are stored, by us and, as aliases, by Label Studio."""
    return question.get_labels(own) if isinstance(question, ChoiceQuestion) else list_option_texts(question, own)


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
    """What is kept of an annotation as it was received: the option's text or the answer; of several questions JSON."""
    if len(questions) > 1:
        return json.dumps(dict(raw), ensure_ascii=False, default=str)
    question, answer = questions[0], parsed.get(questions[0].name, "")
    texts = list_option_texts(question, content.options)
    return dict(zip(list_option_labels(question, content.options), texts, strict=True)).get(answer, answer)


def _read_results(
    questions: Sequence[Question],
    result: Sequence[Mapping[str, Any]],
    content: QuestionContent,
    *,
    first: Mapping[str, str],
) -> dict[str, object]:
    """The answers by question; controls that were not touched have none."""
    by_control = {question.name: question for question in questions}
    by_control |= {get_none_control(question): question for question in questions if isinstance(question, SpanQuestion)}
    values: dict[str, list[Any]] = {}
    for region in result:
        name = str(region.get("from_name"))
        if name not in by_control:
            raise BadInput(
                f"Label Studio has an answer of {name!r}, which the project does not ask.",
                where=Where(field=name),
                remedy=PUSH_AGAIN_REMEDY,
            )
        values.setdefault(name, []).append(region.get("value"))
    answers = {question.name: _read_answer(question, values, content, first) for question in questions}
    return {name: answer for name, answer in answers.items() if answer is not None}


def select_visible_answers(
    questions: Sequence[Question], raw: Mapping[str, object], content: QuestionContent
) -> dict[str, object]:
    """The answers to the questions that were visible at the end; no ticked box is an answer where that is allowed."""
    encoded: dict[str, str] = {}
    kept: dict[str, object] = {}
    for question in questions:
        if not question_base.is_asked(question, encoded):
            continue
        given = raw.get(question.name)
        if given is None and isinstance(question, ChoicesQuestion) and question.required and question.least == 0:
            given = []
        if question.is_unanswered(given):
            continue
        kept[question.name] = given
        encoded[question.name] = question.encode_answer(question.parse_answer(given, content))
    return kept


def _read_answer(
    question: Question, values: Mapping[str, list[Any]], content: QuestionContent, first: Mapping[str, str]
) -> object:
    given = values.get(question.name, [])
    match question:
        case ChoiceQuestion() | ScaleQuestion():
            chosen = _read_labels(question, given, content)
            return None if not chosen else chosen[0] if len(chosen) == 1 else _refuse_several(question, chosen)
        case ChoicesQuestion():
            return _read_labels(question, given, content) or None
        case EditQuestion():
            written = _read_texts(question, given)
            filled = {(first.get(question.name) or content.fields.get(question.field, "")).strip()}
            return _take_single_text(question, [text for text in written if text.strip() not in filled] or written[:1])
        case TextQuestion():
            return _take_single_text(question, _read_texts(question, given))
        case SpanQuestion():
            nothing = bool(values.get(get_none_control(question)))
            return _read_spans(question, given, content, nothing=nothing)
    return None


def _read_labels(question: Question, given: Sequence[Any], content: QuestionContent) -> list[str]:
    """The chosen labels, in the order of the result."""
    labels = list_option_labels(question, content.options)
    chosen: list[str] = []
    for value in given:
        listed = value.get("choices") if isinstance(value, Mapping) else value
        for one in _read_list(question, listed):
            label = one[0] if isinstance(one, list) and len(one) == 1 else one
            if label not in labels:
                raise question.build_refusal(f"has {label!r} in Label Studio, which is no option.", PUSH_AGAIN_REMEDY)
            chosen.append(label)
    return list(dict.fromkeys(chosen))


def _read_texts(question: Question, given: Sequence[Any]) -> list[str]:
    """Every text once: a TextArea returns "…", ["…"] or {"text": …} of either."""
    texts: list[str] = []
    for value in given:
        inner = value.get("text") if isinstance(value, Mapping) else value
        texts += [str(text) for text in _read_list(question, inner)]
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _read_list(question: Question, value: Any) -> list[Any]:
    """A value of a control as a list: one text is a list of one, nothing an empty list."""
    if isinstance(value, str):
        return [value]
    if value is not None and not isinstance(value, list):
        raise question.build_refusal("has a value in Label Studio that no control writes.", "Answer the task anew.")
    return value or []


def _take_single_text(question: Question, texts: Sequence[str]) -> str | None:
    return None if not texts else texts[0] if len(texts) == 1 else _refuse_several(question, texts)


def _refuse_several(question: Question, answers: Sequence[str]) -> str:
    raise question.build_refusal(
        f"has {len(answers)} answers in Label Studio: {' · '.join(answer[:40] for answer in answers)}.",
        "Open the task there and leave one.",
    )


def _read_spans(question: SpanQuestion, given: Sequence[Any], content: QuestionContent, *, nothing: bool) -> object:
    text = content.fields.get(question.field, "")
    spans = [
        span | ({"label": label} if question.labels is not None and label else {})
        for value in given
        for span in [_read_span(question, value, text)]
        for label in read_classes(value if isinstance(value, Mapping) else {}) or [""]
    ]
    if spans and nothing:
        raise question.build_refusal(
            "is marked and said not to be there, in Label Studio.", "Open the task, leave one."
        )
    return spans or (question.none if nothing else None)


def _read_span(question: SpanQuestion, value: Any, text: str) -> dict[str, object]:
    """A span; Label Studio counts characters as we do, and writes line breaks of the marked text as `\\n`."""
    value = value if isinstance(value, Mapping) else {}
    offsets = value.get("globalOffsets") or value
    offsets = offsets if isinstance(offsets, Mapping) else {}
    start, end = offsets.get("start"), offsets.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        raise question.build_refusal("has a part without a place in Label Studio.", "Open the task and mark it again.")
    marked_text = value.get("text")
    if isinstance(marked_text, str) and marked_text.replace("\\n", "\n") != text[start:end].replace("\\n", "\n"):
        raise question.build_refusal(
            f"has {marked_text!r} marked in Label Studio, where the item says {text[start:end]!r}.",
            "The item was changed; push it again.",
        )
    return {"start": start, "end": end, "text": text[start:end]}
