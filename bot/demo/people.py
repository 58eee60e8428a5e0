"""Scripted people: they see a screen, know the right answer, and are diligent to different degrees."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.emulator.model import Message


@dataclass(frozen=True, kw_only=True)
class Script:
    """One person: the chance of a right answer, the median seconds an answer takes, a seed of her own.

    `overrides` says what she taps on an item whatever she would have tapped, by the text shown.
    """

    telegram_id: int
    skill: float
    pace: float
    overrides: Mapping[str, str] = field(default_factory=dict)

    def answer(self, shown: Message, *, gold: Mapping[str, str]) -> str:
        """The label that she taps, from what she sees; `gold` is the right label by the text of the item."""
        item = next(text for text in gold if text in shown.text)
        if item in self.overrides:
            return self.overrides[item]
        rng = self._rng(item)
        labels = [label for label, _ in shown.buttons]
        right = gold[item]
        return right if rng.random() < self.skill else rng.choice([label for label in labels if label != right])

    def seconds(self, shown: Message) -> float:
        """How long she takes."""
        return round(self._rng("time " + shown.text).lognormvariate(0, 0.4) * self.pace, 1)

    def _rng(self, about: str) -> random.Random:
        return random.Random(f"{self.telegram_id} {about}")  # noqa: S311  # a simulation, not a secret


CAST: Sequence[Script] = (
    Script(telegram_id=101, skill=0.99, pace=6.0),
    Script(telegram_id=102, skill=0.96, pace=4.5),
    Script(telegram_id=104, skill=0.90, pace=3.5),
    Script(telegram_id=105, skill=0.82, pace=2.5),
    Script(telegram_id=106, skill=0.65, pace=1.2),
)
