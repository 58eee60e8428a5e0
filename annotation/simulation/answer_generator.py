"""Simulated annotators, and the true answers to items: gold, or generated where no gold is known.

Answers are encoded as they are stored; each question draws its own (`Question.draw_truth` and its neighbours).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from annotation.campaigns import project_file
from annotation.campaigns.questions import Question, QuestionContent
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
    drawn = {question.name: question.draw_truth(content, rng) for question in questions}
    given = {name: answer for name, answer in drawn.items() if answer is not None}
    return ItemTruth(content=content, answers=given | dict(golds), accepted=tuple(accepted))


def read_truths(session: Session, *, projects: Iterable[Project], seed: int) -> dict[tuple[int, str], ItemTruth]:
    """Read the true answers of all items, by project id and external id; the same seed draws the same truth."""
    truths = {}
    for project in projects:
        definition_questions = project_file.parse_definition(project.definition).all_questions
        for item in session.exec(select(Item).where(Item.project_id == project.id).order_by(col(Item.rank))):
            questions = [question.with_positions(len(item.options or ())) for question in definition_questions]
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
