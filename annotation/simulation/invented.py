"""Answers made up for a question: a truth where nobody knows one, a wrong answer beside a truth, a thoughtless one.

All are in the form in which answers are stored, which every question reads as well. Pure; `rng` decides.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence

from annotation.campaigns.questions import Choice, Choices, Edit, FreeText, Material, Question, Scale, SpanOf

TICKED = 0.3
"""How often a box of several is ticked in a made-up truth."""
NEAR = 0.8
"""How often a wrong point of a scale is the next one."""
BLANK = 0.8
"""How often an optional text stays empty."""
SYLLABLES = ("ба", "во", "ге", "ду", "жи", "зо", "ка", "лі", "мо", "не", "па", "ру", "си", "та", "ха", "че")
_WORD = re.compile(r"\w+")


def truth(question: Question, material: Material, rng: random.Random) -> str | None:
    """A right answer where no gold is known; None where an optional question is left open."""
    if isinstance(question, Choice):
        return rng.choice(_substantive(question, material))
    if isinstance(question, Scale):
        return rng.choice(question.options)
    if isinstance(question, Choices):
        boxes = question.options_of(material.options)
        return ticks(question, material, [box for box in boxes if rng.random() < TICKED], rng)
    if not question.required and rng.random() < BLANK:
        return None
    return _written(question, material, rng)


def wrong(question: Question, material: Material, right: str, rng: random.Random) -> str:
    """An answer that is not the right one, where the question leaves any."""
    if isinstance(question, Choice):
        others = [label for label in _substantive(question, material) if label != right]
        return rng.choice(others) if others else right
    if isinstance(question, Scale):
        return _beside(question.options, right, rng)
    if isinstance(question, Edit):
        return _edited(right, rng)
    return _written(question, material, rng)


def thoughtless(question: Question, material: Material, rng: random.Random) -> str | None:
    """An answer that nobody thought about: any option, each box by a coin, the first words that come."""
    if isinstance(question, Choice):
        return rng.choice(_substantive(question, material))
    if isinstance(question, Scale):
        return rng.choice(question.options)
    if isinstance(question, Choices):
        boxes = question.options_of(material.options)
        return ticks(question, material, [box for box in boxes if rng.random() < 0.5], rng)
    return _written(question, material, rng) if question.required else None


def ticks(question: Choices, material: Material, chosen: Sequence[str], rng: random.Random) -> str:
    """Those boxes, with others added or taken away by lot where the question wants more or fewer."""
    boxes = question.options_of(material.options)
    found = [box for box in boxes if box in chosen]
    while len(found) < question.least:
        found.append(rng.choice([box for box in boxes if box not in found]))
    while len(found) > (question.most or len(boxes)):
        found.remove(rng.choice(found))
    return json.dumps([box for box in boxes if box in found], ensure_ascii=False)


def _substantive(question: Choice, material: Material) -> tuple[str, ...]:
    """The labels that are no abstention."""
    return question.labels_of(material.options)[: len(question.substantive(material.options))]


def _beside(points: Sequence[str], right: str, rng: random.Random) -> str:
    """Mostly a neighbour of the right point."""
    at = points.index(right)
    near = [points[one] for one in (at - 1, at + 1) if 0 <= one < len(points)]
    return rng.choice(near if rng.random() < NEAR else [point for point in points if point != right])


def _written(question: Question, material: Material, rng: random.Random) -> str:
    if isinstance(question, SpanOf):
        return _span(question, material.fields.get(question.field, ""), rng)
    if isinstance(question, Edit):
        return _edited(material.fields.get(question.field, ""), rng)
    text = " ".join("".join(rng.choices(SYLLABLES, k=3)) for _ in range(2))
    if isinstance(question, FreeText):
        while len(text) < question.shortest:
            text += " " + "".join(rng.choices(SYLLABLES, k=3))
        return text[: question.longest].strip() or "1" * question.shortest
    return text


def _span(question: SpanOf, text: str, rng: random.Random) -> str:
    """One to three neighbouring words of the text."""
    words = list(_WORD.finditer(text))
    if not words:
        return json.dumps([] if question.none is not None else [{"start": 0, "end": len(text), "text": text}])
    first = rng.randrange(len(words))
    last = min(len(words) - 1, first + rng.randrange(3))
    start, end = words[first].start(), words[last].end()
    return json.dumps([{"start": start, "end": end, "text": text[start:end]}], ensure_ascii=False)


def _edited(text: str, rng: random.Random) -> str:
    """The text without one of its words; a text of one word gets a full stop."""
    words = text.split(" ")
    if len(words) < 2:
        return text + "."
    del words[rng.randrange(len(words))]
    return " ".join(words) if any(word.strip() for word in words) else text + "."
