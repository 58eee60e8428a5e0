"""The candidates of a case: the answers among which an adjudicator chooses, in an order that tells nothing. Pure.

Options that are the same for all items keep their order; everything else is in a random order of the adjudicator's own.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aggregation.scoring import normalise_answer
from annotation.campaigns.questions import ChoiceQuestion, ChoicesQuestion, Question, QuestionContent, ScaleQuestion
from annotation.errors import BadInput
from annotation.loading.drafts import format_value
from annotation.store.models import Item


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An answer to choose: as it is stored, and as it is shown.

    `votes` is how many answers that count say it; None where that is not told.
    """

    answer: str
    text: str
    votes: int | None


def build_content(item: Item) -> QuestionContent:
    """The content of an item for its questions."""
    return QuestionContent(
        options=None if item.options is None else tuple(item.options),
        fields={name: format_value(value) for name, value in item.data.items()},
    )


def list_candidates(
    question: Question,
    item: Item,
    *,
    votes: Sequence[str],
    others: Iterable[str],
    order_key: str,
    with_votes: bool,
) -> tuple[Candidate, ...]:
    """The candidates of an item: all its options, or all different answers.

    `votes` are answers that count, `others` further candidates: gold, excluded answers, answers of models. Answers that
    are equal under the question's normalisation are one candidate, in its most frequent form. `order_key` names the
    adjudicator.
    """
    options = _list_options(question, item)
    counted: dict[str, Counter[str]] = {}
    for answer in votes:
        counted.setdefault(normalise_answer(question.normalisation, answer), Counter())[answer] += 1
    for answer in others:
        counted.setdefault(normalise_answer(question.normalisation, answer), Counter({answer: 0}))
    abstention = question.abstain if isinstance(question, ChoiceQuestion) else None
    forms = {
        same: min(found, key=lambda answer: (-found[answer], answer))
        for same, found in counted.items()
        if same != abstention
    }
    is_fixed = isinstance(question, ScaleQuestion) or (isinstance(question, ChoiceQuestion) and bool(question.options))
    answers = [*options, *(form for form in forms.values() if form not in options)]
    if not is_fixed:
        answers.sort(
            key=lambda answer: hashlib.sha256(f"{order_key}\x1f{item.external_id}\x1f{answer}".encode()).digest()
        )
    return tuple(
        Candidate(
            answer=answer,
            text=describe_answer(question, item, answer),
            votes=counted.get(normalise_answer(question.normalisation, answer), Counter()).total()
            if with_votes
            else None,
        )
        for answer in answers
    )


def describe_answer(question: Question, item: Item, answer: str) -> str:
    """An answer as people read it: the option behind a label, boxes and parts of a text in a line."""
    if isinstance(question, ChoiceQuestion):
        texts = dict(zip(question.get_labels(item.options), question.get_options(item.options), strict=False))
        return texts.get(answer, answer)
    if isinstance(question, ChoicesQuestion):
        return _describe_boxes(question, item, answer)
    if question.kind == "span":
        return _describe_spans(question, item, answer)
    return answer


def parse_label(question: Question, item: Item, raw: str) -> str:
    """An answer of the adjudicator's own as answers are stored; raises BadInput for one that does not fit."""
    content = build_content(item)
    if question.is_unanswered(raw):
        raise question.build_refusal("is not answered.", "It needs an answer.")
    label = question.encode_answer(question.parse_answer(raw, content))
    if isinstance(question, ChoiceQuestion) and label == question.abstain:
        raise question.build_refusal("has an abstention for gold.", "Choose an option, or say that the item is broken.")
    return label


def _list_options(question: Question, item: Item) -> tuple[str, ...]:
    """The labels of all options of the item without the abstention; none where no single option is chosen."""
    if isinstance(question, ChoiceQuestion):
        return tuple(label for label in question.get_labels(item.options) if label != question.abstain)
    return question.options if isinstance(question, ScaleQuestion) else ()


def _describe_boxes(question: Question, item: Item, answer: str) -> str:
    try:
        parsed = question.parse_answer(answer, build_content(item))
    except BadInput:
        return answer
    return ", ".join(str(part) for part in parsed) if not isinstance(parsed, str) and parsed else "–"


def _describe_spans(question: Question, item: Item, answer: str) -> str:
    try:
        parsed = question.parse_answer(answer, build_content(item))
    except BadInput:
        return answer
    spans = [
        f"«{part.text}» ({part.start}–{part.end}){f' {part.label}' if part.label else ''}"
        for part in parsed
        if not isinstance(part, str)
    ]
    return " … ".join(spans) or str(getattr(question, "none", None) or "–")
