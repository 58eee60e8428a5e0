"""Tasks on which adjudicators and reviewers decide, and their decisions from annotations; pure functions.

No task tells who answered. What is not to be known of a case (gold, votes, reasons), `OpenCase` does not hold.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question, QuestionContent
from annotation.label_studio import payloads
from annotation.label_studio.texts import InterfaceTexts, load_texts
from annotation.label_studio_controls import decision_controls, elements, get_control, results
from annotation.label_studio_controls.control_base import ControlResult
from annotation.loading.judgements import label_studio_values
from annotation.store.models import Item
from annotation.workflow.review.adjudication_queue import OpenCase
from annotation.workflow.review.cases import Candidate, build_content
from annotation.workflow.review.submissions import Submission


def render_candidates(
    question: Question, item: Item, candidates: Sequence[Candidate], reports: Sequence[str], texts: InterfaceTexts
) -> str:
    """The question, the candidates where they need room, and what was reported."""
    control, content = get_control(question), build_content(item)
    compared = control.show_compared(question, content, [candidate.answer for candidate in candidates], texts)
    parts = [f'<div class="hr-asked">{html.escape(question.text)}</div>', compared]
    if control.is_shown_apart:
        parts += [
            _render_card(
                describe_candidate(number, candidate, texts), control.show_value(question, content, candidate.answer)
            )
            for number, candidate in enumerate(candidates, start=1)
        ]
    parts += [
        f'<p class="hr-report"><b>{html.escape(texts("reported"))}:</b> {elements.escape_html(report)}</p>'
        for report in reports
    ]
    return "".join(parts)


def render_submission(item: Item, answers: Sequence[tuple[Question, str]], texts: InterfaceTexts) -> str:
    """All answers of a submission, each under its question, and above them the texts that they compare."""
    content, compared, cards = build_content(item), "", ""
    for question, answer in answers:
        control, labels = get_control(question), question.get_labels(content.options)
        name = control.name_answers(question, labels, texts).get(answer)
        compared = compared or control.show_compared(question, content, labels, texts)
        shown = control.show_value(question, content, answer) if name is None else elements.escape_html(name)
        cards += _render_card(question.text, shown)
    return compared + cards


def describe_candidate(number: int, candidate: Candidate, texts: InterfaceTexts) -> str:
    """The name of a candidate with its votes, where they are told."""
    name = texts("candidate", number=number)
    return name if candidate.votes is None else f"{name} · {texts('votes', count=candidate.votes)}"


def _render_card(title: str, body: str) -> str:
    heading = f'<div class="hr-title">{html.escape(title)}</div>'
    return f'<div class="hr-piece">{heading}<div class="hr-words">{body}</div></div>'


NOT_ASKED = "which is not asked"
NOT_DECIDED = "Nothing is chosen in Label Studio."


@dataclass(frozen=True, kw_only=True)
class CaseVerdict:
    """What an adjudicator decided: right answers, the gold first, or none and a comment."""

    labels: tuple[str, ...]
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class SubmissionVerdict:
    """What a reviewer decided; `reason` is why an answer is rejected, None where it is accepted."""

    reason: str | None


def build_case_task(
    definition: ProjectFile, opened: OpenCase, *, number: int, pictures: Mapping[str, str] = payloads.NO_PICTURES
) -> dict[str, Any]:
    """A case as a task; `number` is ours, `pictures` are `data:` URIs by the name of the picture."""
    texts, question, item = load_texts(definition.language), opened.question, opened.item
    control, fields = get_control(question), question.required_columns() if question.marks_parts else ()
    names = control.name_answers(question, [candidate.answer for candidate in opened.candidates], texts)
    opened = replace(
        opened,
        candidates=tuple(replace(one, text=names.get(one.answer, one.text)) for one in opened.candidates),
    )
    data: dict[str, Any] = {decision_controls.TASK_KEY: number, label_studio_values.ITEM_KEY: item.external_id}
    data |= payloads.build_item_data(definition, item, fields, pictures=pictures)
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
        for alias in control.list_own_choices(len(candidates))
    ]
    verdicts = [*candidates, *own, {"value": texts("broken"), "alias": decision_controls.BROKEN}]
    keys, unused = elements.DIGIT_HOTKEYS, elements.UNUSED_HOTKEYS[::-1]  # the first ones are the question's
    data[decision_controls.VERDICTS_KEY] = elements.drop_letter_keys(
        [verdict | {"hotkey": key} for verdict, key in zip(verdicts, keys, strict=False)] + verdicts[len(keys) :]
    )
    data[decision_controls.OTHERS_KEY] = [
        {"value": _describe_choice(question, place, replace(candidate, votes=None), texts), "alias": choice["alias"]}
        | ({"hotkey": unused[place - 1]} if place <= len(unused) else {})
        for place, (candidate, choice) in enumerate(zip(opened.candidates, candidates, strict=True), start=1)
    ]
    answers = [candidate.answer for candidate in opened.candidates]
    data |= control.build_decision_data(question, build_content(item), answers)
    if elements.has_task_options(question):
        content = build_content(item)
        data[elements.get_options_key(question)] = control.build_options(
            question, content, None, elements.UNUSED_HOTKEYS, texts
        )
    return _build_task(definition, item, data)


def build_submission_task(
    definition: ProjectFile, submission: Submission, *, number: int, pictures: Mapping[str, str] = payloads.NO_PICTURES
) -> dict[str, Any]:
    """An answer as a task; `number` is ours, `pictures` are `data:` URIs by the name of the picture."""
    item, given = submission.item, submission.answers
    answers = [(question, given[question.name]) for question in definition.all_questions if given.get(question.name)]
    data: dict[str, Any] = {decision_controls.TASK_KEY: number, label_studio_values.ITEM_KEY: item.external_id}
    data |= payloads.build_item_data(definition, item, (), pictures=pictures)
    data[decision_controls.ANSWERS_KEY] = render_submission(item, answers, load_texts(definition.language))
    return _build_task(definition, item, data)


def read_case_verdict(
    question: Question, item: Item, result: Sequence[Mapping[str, Any]], *, candidates: Sequence[str]
) -> CaseVerdict:
    """The decision of an annotation; `candidates` are the answers that the task shows, or did. Raises BadInput."""
    controls = [decision_controls.VERDICT, decision_controls.OTHERS, decision_controls.REASON]
    controls += [decision_controls.get_beginning_control(place) for place in range(decision_controls.N_BEGINNINGS)]
    control = get_control(question)
    controls += control.list_names(question) if control.is_in_decisions else ()
    values = results.group_values(result, controls, problem=NOT_ASKED)
    verdict = _read_verdict(values)
    if verdict == decision_controls.BROKEN:
        return CaseVerdict(labels=(), comment=_read_reason(values))
    if verdict in control.list_own_choices(decision_controls.N_BEGINNINGS):
        content = build_content(item)
        given = ControlResult(values=values, content=content, verdict=verdict, candidates=candidates)
        raw = results.complete_answer(question, control.read_decision(question, given))
        label = _encode_own_answer(question, raw, content)
    else:
        label = _get_candidate(candidates, verdict)
    others = [
        _get_candidate(candidates, alias)
        for alias in decision_controls.read_choices(values.get(decision_controls.OTHERS, []))
    ]
    return CaseVerdict(labels=tuple(dict.fromkeys((label, *others))))


def read_submission_verdict(reasons: Sequence[str], result: Sequence[Mapping[str, Any]]) -> SubmissionVerdict:
    """The decision of an annotation; `reasons` are those of the project file. Raises BadInput."""
    controls = [decision_controls.VERDICT, decision_controls.REASON]
    values = results.group_values(result, controls, problem=NOT_ASKED)
    verdict = _read_verdict(values)
    if verdict == decision_controls.ACCEPT:
        return SubmissionVerdict(reason=None)
    if verdict == decision_controls.REJECT:
        return SubmissionVerdict(reason=_read_reason(values))
    for place, reason in enumerate(reasons, start=1):
        if verdict == decision_controls.name_reason(place):
            return SubmissionVerdict(reason=reason)
    raise decision_controls.build_refusal(
        f"{verdict!r} was chosen in Label Studio, which is not a reason in `review.reasons`."
    )


def _build_task(definition: ProjectFile, item: Item, data: dict[str, Any]) -> dict[str, Any]:
    return {"data": data, "meta": {"project": definition.project, "revision": item.revision}}


def _describe_choice(question: Question, place: int, candidate: Candidate, texts: InterfaceTexts) -> str:
    if get_control(question).is_shown_apart:
        return describe_candidate(place, candidate, texts)
    return candidate.text if candidate.votes is None else f"{candidate.text} · {texts('votes', count=candidate.votes)}"


def _describe_own_choice(alias: str, texts: InterfaceTexts) -> str:
    if alias == decision_controls.OWN_MARKS:
        return texts("own-marks")
    if alias == decision_controls.OWN:
        return texts("own-answer")
    number = next(n for n in range(decision_controls.N_BEGINNINGS) if decision_controls.name_beginning(n) == alias)
    return texts("edit-candidate", number=number) if number else texts("edit-original")


def _read_verdict(values: Mapping[str, Sequence[Any]]) -> str:
    chosen = decision_controls.read_choices(values.get(decision_controls.VERDICT, []))
    if len(chosen) != 1:
        raise decision_controls.build_refusal(NOT_DECIDED)
    return chosen[0]


def _read_reason(values: Mapping[str, Sequence[Any]]) -> str:
    return "\n".join(decision_controls.read_texts(values.get(decision_controls.REASON, [])))


def _encode_own_answer(question: Question, raw: object, content: QuestionContent) -> str:
    """The adjudicator's own answer, as it is stored."""
    if question.is_unanswered(raw):
        raise decision_controls.build_refusal("An answer of one's own was chosen in Label Studio, and there is none.")
    return question.encode_answer(question.parse_answer(raw, content))


def _get_candidate(candidates: Sequence[str], alias: str) -> str:
    candidate = next((answer for answer in candidates if decision_controls.name_candidate(answer) == alias), None)
    if candidate is None:
        raise decision_controls.build_refusal(f"{alias!r} was chosen in Label Studio, which is not a candidate.")
    return candidate
