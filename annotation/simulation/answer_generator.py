"""Generates answers to questions: a truth where no gold is known, a wrong answer, a careless answer.

Answers are encoded as they are stored. Pure functions; all randomness comes from `rng`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from annotation.campaigns import project_file
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
from annotation.store.models import Item, Project
from annotation.workflow.quality import gold_answers

FIRST_HOUR, LAST_HOUR = 8, 21
MIN_SKILL, MAX_SKILL = 0.01, 0.999
CARELESS_SPEED = 0.2
"""A careless annotator takes this share of the usual time."""


@dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """The settings of a simulation: how many annotators, and their behaviour.

    `skill` is the mean chance of a right answer, `spread` its standard deviation among annotators. `pace` is the median
    of seconds per item, None for what the project expects. `skips`, `undos`, `reports` and `leaves` are chances per
    item; `careless` is the share of annotators who answer at random and in haste. `sitting` is the median length of a
    work session in seconds, `days` the share of days with a work session.
    """

    people: int = 20
    skill: float = 0.85
    spread: float = 0.05
    careless: float = 0.05
    pace: float | None = None
    skips: float = 0.01
    undos: float = 0.02
    reports: float = 0.002
    leaves: float = 0.01
    sitting: float = 1800.0
    days: float = 0.6
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class SimulatedAnnotator:
    """A simulated annotator; `pace_factor` multiplies the pace, `hour` is the hour at which work sessions start."""

    number: int
    skill: float
    careless: bool
    pace_factor: float
    hour: float
    settings: SimulationSettings

    def rng(self, *key: object) -> random.Random:
        """A random generator of the annotator for a key: the same key always gives the same draws."""
        named = "\x1f".join(map(str, (self.settings.seed, self.number, *key)))
        return random.Random(named)  # noqa: S311  # a simulation, not a secret

    def draw_seconds(self, pace: float, *key: object) -> float:
        """Draw the seconds for an item, log-normal around the annotator's pace; half a second at least."""
        drawn = self.rng("seconds", *key).lognormvariate(0, 0.4)
        return max(0.5, drawn * pace * self.pace_factor * (CARELESS_SPEED if self.careless else 1.0))

    def first_session(self, begin: datetime) -> datetime:
        """The start of the first work session: at the annotator's hour, on the first day or soon after."""
        return self._find_session_start(begin.replace(hour=0, minute=0, second=0, microsecond=0), begin)

    def next_session(self, now: datetime) -> datetime:
        """The start of the next work session: at the annotator's hour of a later day."""
        tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return self._find_session_start(tomorrow, now)

    def session_length(self, start: datetime) -> timedelta:
        """Draw the length of the work session with this start."""
        drawn = self.rng("length", start.date()).lognormvariate(0, 0.4)
        return timedelta(seconds=self.settings.sitting * drawn)

    def _find_session_start(self, midnight: datetime, after: datetime) -> datetime:
        while True:
            rng = self.rng("day", midnight.date())
            start = midnight + timedelta(hours=self.hour, minutes=round(rng.uniform(0, 40), 1))
            if rng.random() < self.settings.days and start > after:
                return start
            midnight += timedelta(days=1)


def draw_annotators(settings: SimulationSettings) -> tuple[SimulatedAnnotator, ...]:
    """Draw the annotators; the same settings give the same annotators."""
    n_careless = round(settings.careless * settings.people)
    rng = random.Random(f"{settings.seed} cast")  # noqa: S311  # a simulation, not a secret
    careless_numbers = set(rng.sample(range(1, settings.people + 1), n_careless))
    return tuple(
        SimulatedAnnotator(
            number=number,
            skill=min(MAX_SKILL, max(MIN_SKILL, rng.gauss(settings.skill, settings.spread))),
            careless=number in careless_numbers,
            pace_factor=rng.lognormvariate(0, 0.3),
            hour=rng.uniform(FIRST_HOUR, LAST_HOUR),
            settings=settings,
        )
        for number in range(1, settings.people + 1)
    )


@dataclass(frozen=True, kw_only=True)
class ItemTruth:
    """The true answers to an item by question name, as stored, and further right answers to the first question.

    A question whose true answer is none is not among `answers`.
    """

    content: QuestionContent
    answers: Mapping[str, str]
    accepted: tuple[str, ...] = ()


def draw_item_truth(
    questions: Sequence[Question],
    content: QuestionContent,
    *,
    golds: Mapping[str, str],
    accepted: Sequence[str],
    rng: random.Random,
) -> ItemTruth:
    """Draw the true answers of an item: its gold, and generated answers to questions without gold."""
    drawn = {question.name: draw_truth(question, content, rng) for question in questions}
    known = {name: answer for name, answer in drawn.items() if answer is not None}
    return ItemTruth(content=content, answers=known | dict(golds), accepted=tuple(accepted))


def read_truths(session: Session, *, projects: Iterable[Project], seed: int) -> dict[tuple[int, str], ItemTruth]:
    """Read the true answers of all items, by project id and external id; the same seed draws the same truth."""
    truths = {}
    for project in projects:
        definition_questions = project_file.parse_definition(project.definition).all_questions
        for item in session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))):
            questions = [
                question.with_positions(len(item.options or ())) if isinstance(question, ChoiceQuestion) else question
                for question in definition_questions
            ]
            truths[project.id or 0, item.external_id] = draw_item_truth(
                questions,
                _build_content(item),
                golds=gold_answers.get_gold_answers(item, questions),
                accepted=item.accepted or (),
                rng=random.Random(f"{seed} truth {project.name} {item.external_id}"),  # noqa: S311  # no secret
            )
    return truths


def _build_content(item: Item) -> QuestionContent:
    return QuestionContent(
        options=None if item.options is None else tuple(item.options),
        fields={name: value if isinstance(value, str) else str(value) for name, value in item.data.items()},
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
