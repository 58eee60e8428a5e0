"""Simulated annotators: their skill, speed, carefulness and working hours, all drawn from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

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
