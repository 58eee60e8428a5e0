"""Simulated people: how able, quick and careful each one is, and when she works. Seeded; nothing here reads a clock."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

FIRST_HOUR, LAST_HOUR = 8, 21
LEAST_SKILL, MOST_SKILL = 0.01, 0.999
HASTE = 0.2
"""A careless person takes this share of the time that others take."""


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """What is asked of a simulation: how many people, and what they are like.

    `skill` is the mean chance of a right answer, `spread` the standard deviation among people. `pace` is the median of
    the seconds an item takes, None for what the project expects. The shares are chances per item, `careless` that of
    people: so many of them, rounded, answer at random and in haste. `sitting` is the median length of a sitting in
    seconds, `days` the share of days on which a person comes.
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
class Person:
    """One simulated person; `tempo` multiplies the crowd's pace, `hour` is that of the day at which she sits down."""

    number: int
    skill: float
    careless: bool
    tempo: float
    hour: float
    crowd: Crowd

    def rng(self, *about: object) -> random.Random:
        """Her own draws about something: the same thing, the same draws, whatever else happens."""
        named = "\x1f".join(map(str, (self.crowd.seed, self.number, *about)))
        return random.Random(named)  # noqa: S311  # a simulation, not a secret

    def seconds(self, pace: float, *about: object) -> float:
        """How long she takes, log-normal around her own pace; half a second at the least."""
        drawn = self.rng("seconds", *about).lognormvariate(0, 0.4)
        return max(0.5, drawn * pace * self.tempo * (HASTE if self.careless else 1.0))

    def first_sitting(self, begin: datetime) -> datetime:
        """When she comes for the first time: at her hour, on the first day or one soon after."""
        return self._sitting(begin.replace(hour=0, minute=0, second=0, microsecond=0), begin)

    def next_sitting(self, now: datetime) -> datetime:
        """When she comes again: at her hour of a later day."""
        tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return self._sitting(tomorrow, now)

    def length(self, start: datetime) -> timedelta:
        """How long the sitting that begins then is."""
        drawn = self.rng("length", start.date()).lognormvariate(0, 0.4)
        return timedelta(seconds=self.crowd.sitting * drawn)

    def _sitting(self, midnight: datetime, after: datetime) -> datetime:
        while True:
            rng = self.rng("day", midnight.date())
            start = midnight + timedelta(hours=self.hour, minutes=round(rng.uniform(0, 40), 1))
            if rng.random() < self.crowd.days and start > after:
                return start
            midnight += timedelta(days=1)


def cast(crowd: Crowd) -> tuple[Person, ...]:
    """The people of a crowd; the same crowd, the same people."""
    careless = round(crowd.careless * crowd.people)
    rng = random.Random(f"{crowd.seed} cast")  # noqa: S311  # a simulation, not a secret
    lazy = set(rng.sample(range(1, crowd.people + 1), careless))
    return tuple(
        Person(
            number=number,
            skill=min(MOST_SKILL, max(LEAST_SKILL, rng.gauss(crowd.skill, crowd.spread))),
            careless=number in lazy,
            tempo=rng.lognormvariate(0, 0.3),
            hour=rng.uniform(FIRST_HOUR, LAST_HOUR),
            crowd=crowd,
        )
        for number in range(1, crowd.people + 1)
    )
