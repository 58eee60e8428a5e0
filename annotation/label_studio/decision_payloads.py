"""Tasks on which adjudicators and reviewers decide, and their decisions from annotations; pure functions.

No task tells who answered. What is not to be known of a case (gold, votes, reasons), `OpenCase` does not hold.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aggregation.text_difference import compute_difference
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import ChoicesQuestion, EditQuestion, Question, SpanQuestion
from annotation.campaigns.questions.question_base import decode_json
from annotation.errors import BadInput, Where
from annotation.label_studio import decision_controls, passes, payloads
from annotation.label_studio.texts import InterfaceTexts, load_texts
from annotation.loading.drafts import format_value
from annotation.loading.judgements import label_studio_json
from annotation.store.models import Item
from annotation.workflow.review.adjudication import OpenCase
from annotation.workflow.review.cases import Candidate, build_content
from annotation.workflow.review.submissions import Submission

CONTEXT_LENGTH = 60
"""How many characters are shown on either side of a marked part."""
SIGN_CLASSES = {"-": "removed", "+": "inserted"}


def is_shown_apart(question: Question) -> bool:
    """Whether answers need more room than the line of a choice: their differences, or the text around them."""
    return isinstance(question, EditQuestion | SpanQuestion)


def render_candidates(
    question: Question, item: Item, candidates: Sequence[Candidate], reports: Sequence[str], texts: InterfaceTexts
) -> str:
    """The question, the candidates where they need room, and what was reported."""
    parts = [f'<div class="hr-asked">{html.escape(question.text)}</div>']
    if is_shown_apart(question):
        parts += [
            _render_card(describe_candidate(number, candidate, texts), render_answer(question, item, candidate.answer))
            for number, candidate in enumerate(candidates, start=1)
        ]
    parts += [f'<p class="hr-report"><b>{html.escape(texts("reported"))}:</b> {_escape(one)}</p>' for one in reports]
    return "".join(parts)


def render_submission(item: Item, answers: Sequence[tuple[Question, str]]) -> str:
    """All answers of a submission, each under its question."""
    return "".join(_render_card(question.text, render_answer(question, item, answer)) for question, answer in answers)


def describe_candidate(number: int, candidate: Candidate, texts: InterfaceTexts) -> str:
    """The name of a candidate with its votes, where they are told."""
    name = texts("candidate", number=number)
    return name if candidate.votes is None else f"{name} · {texts('votes', count=candidate.votes)}"


def render_answer(question: Question, item: Item, answer: str) -> str:
    """An answer as HTML."""
    match question:
        case EditQuestion():
            return _render_difference(get_original(question, item), answer)
        case SpanQuestion():
            return _render_spans(question, item, answer)
    return _escape(question.describe_answer(answer, build_content(item)))


def get_original(question: EditQuestion, item: Item) -> str:
    """The text that was to be corrected."""
    return format_value(item.data.get(question.field)) or ""


def _render_difference(original: str, corrected: str) -> str:
    parts = compute_difference(original, corrected)
    return "".join(
        f'<span class="hr-{SIGN_CLASSES[part.sign]}">{_escape(part.text)}</span>'
        if part.sign in SIGN_CLASSES
        else _escape(part.text)
        for part in parts
    )


def _render_spans(question: SpanQuestion, item: Item, answer: str) -> str:
    found = decode_json(answer)
    if not isinstance(found, list):
        return _escape(question.describe_answer(answer, build_content(item)))
    text = format_value(item.data.get(question.field)) or ""
    return "<br>".join(_render_span(text, part["start"], part["end"], part.get("label", "")) for part in found)


def _render_span(text: str, start: int, end: int, label: str) -> str:
    before, after = text[max(0, start - CONTEXT_LENGTH) : start], text[end : end + CONTEXT_LENGTH]
    left, right = "…" * (start > CONTEXT_LENGTH), "…" * (end + CONTEXT_LENGTH < len(text))
    marked = f'{left}{_escape(before)}<span class="hr-mark">{_escape(text[start:end])}</span>{_escape(after)}{right}'
    return f"<b>{_escape(label)}</b>: {marked}" if label else marked


def _render_card(title: str, body: str) -> str:
    heading = f'<div class="hr-title">{html.escape(title)}</div>'
    return f'<div class="hr-piece">{heading}<div class="hr-words">{body}</div></div>'


def _escape(text: str) -> str:
    return html.escape(text).replace("\r", "&#13;")


NOT_DECIDED = "Nothing is chosen in Label Studio."
CHOOSE_REMEDY = "Open the task there, choose, and press Update."


@dataclass(frozen=True, kw_only=True)
class CaseVerdict:
    """What an adjudicator decided: right answers, the gold first, or none and a comment."""

    labels: tuple[str, ...]
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class SubmissionVerdict:
    """What a reviewer decided; `reason` is why an answer is rejected, None where it is accepted."""

    reason: str | None


def build_case_task(definition: ProjectFile, opened: OpenCase, *, number: int) -> dict[str, Any]:
    """A case as a task; `number` is ours."""
    texts, question, item = load_texts(definition.language), opened.question, opened.item
    fields = (question.field,) if isinstance(question, SpanQuestion) else ()
    data: dict[str, Any] = {decision_controls.TASK_KEY: number, label_studio_json.ITEM_KEY: item.external_id}
    data |= payloads.build_item_data(definition, item, fields)
    data[decision_controls.ANSWERS_KEY] = render_candidates(question, item, opened.candidates, opened.reports, texts)
    candidates = [
        {
            "value": _describe_choice(question, place, candidate, texts),
            "alias": decision_controls.name_candidate(candidate.answer),
        }
        for place, candidate in enumerate(opened.candidates, start=1)
    ]
    own = [
        {"value": _describe_own_choice(alias, texts), "alias": alias}
        for alias in decision_controls.list_own_choices(question, len(candidates))
    ]
    verdicts = [*candidates, *own, {"value": texts("broken"), "alias": decision_controls.BROKEN}]
    keys = passes.DIGIT_HOTKEYS
    data[decision_controls.VERDICTS_KEY] = [
        one | ({"hotkey": keys[place]} if place < len(keys) else {}) for place, one in enumerate(verdicts)
    ]
    data[decision_controls.OTHERS_KEY] = [
        {"value": _describe_choice(question, place, replace(candidate, votes=None), texts), "alias": one["alias"]}
        for place, (candidate, one) in enumerate(zip(opened.candidates, candidates, strict=True), start=1)
    ]
    if isinstance(question, EditQuestion):
        beginnings = _list_beginnings(question, item, [candidate.answer for candidate in opened.candidates])
        data |= {decision_controls.get_beginning_key(place): text for place, text in enumerate(beginnings)}
    if passes.has_task_options(question):
        data[passes.get_options_key(question)] = payloads.build_options(question, item, None, ())
    return _build_task(definition, item, data)


def build_submission_task(definition: ProjectFile, submission: Submission, *, number: int) -> dict[str, Any]:
    """An answer as a task; `number` is ours."""
    item, given = submission.item, submission.answers
    answers = [(question, given[question.name]) for question in definition.all_questions if given.get(question.name)]
    data: dict[str, Any] = {decision_controls.TASK_KEY: number, label_studio_json.ITEM_KEY: item.external_id}
    data |= payloads.build_item_data(definition, item, ())
    data[decision_controls.ANSWERS_KEY] = render_submission(item, answers)
    return _build_task(definition, item, data)


def read_case_verdict(
    question: Question, item: Item, result: Sequence[Mapping[str, Any]], *, candidates: Sequence[str]
) -> CaseVerdict:
    """The decision of an annotation; `candidates` are the answers that the task shows, or did. Raises BadInput."""
    controls = [decision_controls.VERDICT, decision_controls.OTHERS, decision_controls.REASON]
    controls += [decision_controls.get_beginning_control(place) for place in range(decision_controls.N_BEGINNINGS)]
    own = question.model_copy(update={"show_if": None, "step": 1})
    if isinstance(question, ChoicesQuestion | SpanQuestion):
        controls.append(question.name)
    if isinstance(question, SpanQuestion):
        controls.append(label_studio_json.get_none_control(question))
    values = decision_controls.read_controls(result, controls)
    verdict = _read_verdict(values)
    if verdict == decision_controls.BROKEN:
        return CaseVerdict(labels=(), comment=_read_reason(values))
    if verdict in decision_controls.list_own_choices(question, decision_controls.N_BEGINNINGS):
        label = _read_own_answer(own, item, verdict, values, result, candidates)
    else:
        label = _get_candidate(candidates, verdict)
    others = [
        _get_candidate(candidates, alias)
        for alias in decision_controls.read_choices(values.get(decision_controls.OTHERS, []))
    ]
    return CaseVerdict(labels=tuple(dict.fromkeys((label, *others))))


def read_submission_verdict(reasons: Sequence[str], result: Sequence[Mapping[str, Any]]) -> SubmissionVerdict:
    """The decision of an annotation; `reasons` are those of the project file. Raises BadInput."""
    values = decision_controls.read_controls(result, [decision_controls.VERDICT, decision_controls.REASON])
    verdict = _read_verdict(values)
    if verdict == decision_controls.ACCEPT:
        return SubmissionVerdict(reason=None)
    if verdict == decision_controls.REJECT:
        return SubmissionVerdict(reason=_read_reason(values))
    for place, reason in enumerate(reasons, start=1):
        if verdict == decision_controls.name_reason(place):
            return SubmissionVerdict(reason=reason)
    raise _build_refusal(f"{verdict!r} was chosen in Label Studio, which is no reason of `review.reasons`.")


def _build_task(definition: ProjectFile, item: Item, data: dict[str, Any]) -> dict[str, Any]:
    return {"data": data, "meta": {"project": definition.project, "revision": item.revision}}


def _describe_choice(question: Question, place: int, candidate: Candidate, texts: InterfaceTexts) -> str:
    if is_shown_apart(question):
        return describe_candidate(place, candidate, texts)
    return candidate.text if candidate.votes is None else f"{candidate.text} · {texts('votes', count=candidate.votes)}"


def _describe_own_choice(alias: str, texts: InterfaceTexts) -> str:
    if alias == decision_controls.OWN_MARKS:
        return texts("own-marks")
    if alias == decision_controls.OWN:
        return texts("own-answer")
    number = next(n for n in range(decision_controls.N_BEGINNINGS) if decision_controls.name_beginning(n) == alias)
    return texts("edit-candidate", number=number) if number else texts("edit-original")


def _list_beginnings(question: EditQuestion, item: Item, candidates: Sequence[str]) -> list[str]:
    """What the text fields begin with; the task has all of them, for Label Studio asks for every key that is shown."""
    texts = [get_original(question, item), *candidates][: decision_controls.N_BEGINNINGS]
    return texts + [""] * (decision_controls.N_BEGINNINGS - len(texts))


def _read_verdict(values: Mapping[str, Sequence[Any]]) -> str:
    chosen = decision_controls.read_choices(values.get(decision_controls.VERDICT, []))
    if len(chosen) != 1:
        raise _build_refusal(NOT_DECIDED)
    return chosen[0]


def _read_reason(values: Mapping[str, Sequence[Any]]) -> str:
    return "\n".join(decision_controls.read_texts(values.get(decision_controls.REASON, [])))


def _read_own_answer(
    question: Question,
    item: Item,
    verdict: str,
    values: Mapping[str, Sequence[Any]],
    result: Sequence[Mapping[str, Any]],
    candidates: Sequence[str],
) -> str:
    """The adjudicator's own answer, as it is stored."""
    content = build_content(item)
    raw: object
    if verdict in {decision_controls.OWN_MARKS, decision_controls.OWN} and isinstance(
        question, ChoicesQuestion | SpanQuestion
    ):
        own = [region for region in result if not str(region.get("from_name")).startswith("decision:")]
        raw = label_studio_json.read_answers([question], own, content).get(question.name)
    elif isinstance(question, EditQuestion):
        places = range(decision_controls.N_BEGINNINGS)
        number = next(place for place in places if decision_controls.name_beginning(place) == verdict)
        raw = _read_text(values, number, [get_original(question, item), *candidates])
    else:
        raw = _read_text(values, 0, ())
    if question.is_unanswered(raw):
        raise _build_refusal("An answer of one's own was chosen in Label Studio, and there is none.")
    return question.encode_answer(question.parse_answer(raw, content))


def _read_text(values: Mapping[str, Sequence[Any]], number: int, begun: Sequence[str]) -> str:
    """What a text field holds in the end; Label Studio may give the text that it began with beside it."""
    written = decision_controls.read_texts(values.get(decision_controls.get_beginning_control(number), []))
    known = {text.strip() for text in begun}
    found = [text for text in written if text.strip() not in known] or written
    if len(found) > 1:
        raise _build_refusal("A field has several texts in Label Studio.")
    return found[0] if found else ""


def _get_candidate(candidates: Sequence[str], alias: str) -> str:
    found = next((answer for answer in candidates if decision_controls.name_candidate(answer) == alias), None)
    if found is None:
        raise _build_refusal(f"{alias!r} was chosen in Label Studio, which is no candidate.")
    return found


def _build_refusal(sentence: str) -> BadInput:
    return BadInput(sentence, where=Where(field=decision_controls.VERDICT), remedy=CHOOSE_REMEDY)
