"""Answers on which somebody decides, as HTML: corrections with their differences, marked parts with the text around."""

from __future__ import annotations

import html
from collections.abc import Sequence

from aggregation.text_difference import compute_difference
from annotation.campaigns.questions import EditQuestion, Question, SpanQuestion
from annotation.campaigns.questions.question_base import decode_json
from annotation.label_studio.texts import InterfaceTexts
from annotation.loading.drafts import format_value
from annotation.store.models import Item
from annotation.workflow.review.candidates import Candidate, describe_answer

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
    return _escape(describe_answer(question, item, answer))


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
        return _escape(describe_answer(question, item, answer))
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
