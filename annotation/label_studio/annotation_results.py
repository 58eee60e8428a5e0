"""Raw answers from the result of an annotation: the regions and values of each control become one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.project_file import ProjectFile
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
from annotation.label_studio import passes

PUSH_AGAIN_REMEDY = "Push the project again; its configuration was changed in Label Studio."


def read_results(
    definition: ProjectFile,
    questions: Sequence[Question],
    result: Sequence[Mapping[str, Any]],
    content: QuestionContent,
    *,
    first: Mapping[str, str],
) -> dict[str, object]:
    """The answers by question; controls that were not touched have none."""
    by_control = {question.name: question for question in questions}
    by_control |= {
        passes.get_none_control(question): question for question in questions if isinstance(question, SpanQuestion)
    }
    values: dict[str, list[Any]] = {}
    for region in result:
        name = str(region.get("from_name"))
        if name not in by_control:
            raise BadInput(
                f"Label Studio has an answer of {name!r}, which {definition.project!r} does not ask.",
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
            written = _read_texts(given)
            filled = {(first.get(question.name) or content.fields.get(question.field, "")).strip()}
            return _take_single_text(question, [text for text in written if text.strip() not in filled] or written[:1])
        case TextQuestion():
            return _take_single_text(question, _read_texts(given))
        case SpanQuestion():
            nothing = bool(values.get(passes.get_none_control(question)))
            return _read_spans(question, given, content, nothing=nothing)
    return None


def _read_labels(question: Question, given: Sequence[Any], content: QuestionContent) -> list[str]:
    """The chosen labels, in the order of the result."""
    labels = passes.list_option_labels(question, content.options)
    chosen: list[str] = []
    for value in given:
        listed = value.get("choices") if isinstance(value, Mapping) else value
        for one in [listed] if isinstance(listed, str) else listed or []:
            label = one[0] if isinstance(one, list) and len(one) == 1 else one
            if label not in labels:
                raise question.build_refusal(f"has {label!r} in Label Studio, which is no option.", PUSH_AGAIN_REMEDY)
            chosen.append(label)
    return list(dict.fromkeys(chosen))


def _read_texts(given: Sequence[Any]) -> list[str]:
    """Every text once: a TextArea returns "…", ["…"] or {"text": …} of either."""
    texts: list[str] = []
    for value in given:
        inner = value.get("text") if isinstance(value, Mapping) else value
        texts += [inner] if isinstance(inner, str) else [str(text) for text in inner or []]
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _take_single_text(question: Question, texts: Sequence[str]) -> str | None:
    return None if not texts else texts[0] if len(texts) == 1 else _refuse_several(question, texts)


def _refuse_several(question: Question, answers: Sequence[str]) -> str:
    raise question.build_refusal(
        f"has {len(answers)} answers in Label Studio: {' · '.join(answer[:40] for answer in answers)}.",
        "Open the task there and leave one.",
    )


def _read_spans(question: SpanQuestion, given: Sequence[Any], content: QuestionContent, *, nothing: bool) -> object:
    text = content.fields.get(question.field, "")
    spans = [_read_span(question, value, text) for value in given]
    if spans and nothing:
        raise question.build_refusal(
            "is marked and said not to be there, in Label Studio.", "Open the task, leave one."
        )
    return spans or (question.none if nothing else None)


def _read_span(question: SpanQuestion, value: Any, text: str) -> dict[str, object]:
    """A span; Label Studio counts characters as we do, and writes line breaks of the marked text as `\\n`."""
    value = value if isinstance(value, Mapping) else {}
    offsets = value.get("globalOffsets") or value
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
