"""Generates answers to questions: a truth where no gold is known, a wrong answer, a careless answer.

Answers are encoded as they are stored. Pure functions; all randomness comes from `rng`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence

from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    Question,
    QuestionContent,
    ScaleQuestion,
    SpanQuestion,
    TextQuestion,
)

TICK_RATE = 0.3
"""The chance of each box to be ticked in a generated truth."""
NEIGHBOUR_RATE = 0.8
"""The chance that a wrong point of a scale is a neighbour of the right one."""
BLANK_RATE = 0.8
"""The chance that an optional text stays empty."""
SYLLABLES = ("ба", "во", "ге", "ду", "жи", "зо", "ка", "лі", "мо", "не", "па", "ру", "си", "та", "ха", "че")
_WORD = re.compile(r"\w+")


def draw_truth(question: Question, content: QuestionContent, rng: random.Random) -> str | None:
    """Draw a truth for a question without gold; None where an optional question stays unanswered."""
    if isinstance(question, ChoiceQuestion):
        return rng.choice(_list_labels(question, content))
    if isinstance(question, ScaleQuestion):
        return rng.choice(question.options)
    if isinstance(question, ChoicesQuestion):
        boxes = question.get_options(content.options)
        return complete_boxes(question, content, [box for box in boxes if rng.random() < TICK_RATE], rng)
    if not question.required and rng.random() < BLANK_RATE:
        return None
    return _draw_text(question, content, rng)


def draw_wrong_answer(question: Question, content: QuestionContent, right: str, rng: random.Random) -> str:
    """Draw an answer other than the right one, if there is any."""
    if isinstance(question, ChoiceQuestion):
        others = [label for label in _list_labels(question, content) if label != right]
        return rng.choice(others) if others else right
    if isinstance(question, ScaleQuestion):
        return _draw_wrong_point(question.options, right, rng)
    if isinstance(question, EditQuestion):
        return _draw_edit(right, rng)
    return _draw_text(question, content, rng)


def draw_careless_answer(question: Question, content: QuestionContent, rng: random.Random) -> str | None:
    """Draw a careless answer: any option, each box with chance 1/2, random words."""
    if isinstance(question, ChoiceQuestion):
        return rng.choice(_list_labels(question, content))
    if isinstance(question, ScaleQuestion):
        return rng.choice(question.options)
    if isinstance(question, ChoicesQuestion):
        boxes = question.get_options(content.options)
        return complete_boxes(question, content, [box for box in boxes if rng.random() < 0.5], rng)
    return _draw_text(question, content, rng) if question.required else None


def complete_boxes(
    question: ChoicesQuestion, content: QuestionContent, chosen: Sequence[str], rng: random.Random
) -> str:
    """Encode ticked boxes, adding or removing random ones where the question requires more or allows fewer."""
    boxes = question.get_options(content.options)
    ticked = [box for box in boxes if box in chosen]
    while len(ticked) < question.least:
        ticked.append(rng.choice([box for box in boxes if box not in ticked]))
    while len(ticked) > (question.most or len(boxes)):
        ticked.remove(rng.choice(ticked))
    return json.dumps([box for box in boxes if box in ticked], ensure_ascii=False)


def _list_labels(question: ChoiceQuestion, content: QuestionContent) -> tuple[str, ...]:
    """The labels without the abstention."""
    return question.get_labels(content.options)[: len(question.get_substantive_options(content.options))]


def _draw_wrong_point(points: Sequence[str], right: str, rng: random.Random) -> str:
    """Draw a wrong point of a scale, mostly a neighbour of the right one."""
    position = points.index(right)
    near = [points[index] for index in (position - 1, position + 1) if 0 <= index < len(points)]
    return rng.choice(near if rng.random() < NEIGHBOUR_RATE else [point for point in points if point != right])


def _draw_text(question: Question, content: QuestionContent, rng: random.Random) -> str:
    if isinstance(question, SpanQuestion):
        return _draw_span(question, content.fields.get(question.field, ""), rng)
    if isinstance(question, EditQuestion):
        return _draw_edit(content.fields.get(question.field, ""), rng)
    text = " ".join("".join(rng.choices(SYLLABLES, k=3)) for _ in range(2))
    if isinstance(question, TextQuestion):
        while len(text) < question.shortest:
            text += " " + "".join(rng.choices(SYLLABLES, k=3))
        return text[: question.longest].strip() or "1" * question.shortest
    return text


def _draw_span(question: SpanQuestion, text: str, rng: random.Random) -> str:
    """Draw a span of one to three neighbouring words."""
    words = list(_WORD.finditer(text))
    if not words:
        return json.dumps([] if question.none is not None else [{"start": 0, "end": len(text), "text": text}])
    first = rng.randrange(len(words))
    last = min(len(words) - 1, first + rng.randrange(3))
    start, end = words[first].start(), words[last].end()
    return json.dumps([{"start": start, "end": end, "text": text[start:end]}], ensure_ascii=False)


def _draw_edit(text: str, rng: random.Random) -> str:
    """Remove a random word of the text; a text of one word gets a full stop."""
    words = text.split(" ")
    if len(words) < 2:
        return text + "."
    del words[rng.randrange(len(words))]
    return " ".join(words) if any(word.strip() for word in words) else text + "."
