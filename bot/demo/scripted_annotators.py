"""Simulated annotators of the demo: they read a message, know the right answer, and err at different rates."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.conversation.callbacks import ButtonAction
from bot.emulator.model import Message


@dataclass(frozen=True, kw_only=True)
class ScriptedAnnotator:
    """One annotator: the chance of a right answer and the median seconds of an answer, seeded with `telegram_id`.

    `overrides` are fixed answers by the text of the item.
    """

    telegram_id: int
    skill: float
    pace: float
    overrides: Mapping[str, str] = field(default_factory=dict)

    def answer(self, shown: Message, *, gold: Mapping[str, str]) -> str:
        """The label of the button to tap; `gold` is the right option by the text of the item."""
        item = next(text for text in gold if text in shown.text)
        options = _read_options(shown)
        if item in self.overrides:
            return options[self.overrides[item]]
        rng, right = self._rng(item), gold[item]
        wrong = [option for option in options if option != right]
        return options[right if rng.random() < self.skill else rng.choice(wrong)]

    def seconds(self, shown: Message) -> float:
        """How many seconds the answer takes."""
        return round(self._rng("time " + shown.text).lognormvariate(0, 0.4) * self.pace, 1)

    def _rng(self, about: str) -> random.Random:
        return random.Random(f"{self.telegram_id} {about}")  # noqa: S311  # a simulation, not a secret


def _read_options(shown: Message) -> Mapping[str, str]:
    """The options with the labels of their buttons: options on buttons, or listed with the letters that stand there."""
    labels = [label for label, data in shown.buttons if data.startswith(f"{ButtonAction.ANSWER}:")]
    listed = re.findall(r"^(\w{1,2})\) (.+)$", shown.text, re.MULTILINE)
    if not listed:
        return {label: label for label in labels}
    return {option: next(label for label in labels if label.split(" · ")[0] == letter) for letter, option in listed}


SCRIPTED_ANNOTATORS: Sequence[ScriptedAnnotator] = (
    ScriptedAnnotator(telegram_id=101, skill=0.99, pace=6.0),
    ScriptedAnnotator(telegram_id=102, skill=0.96, pace=4.5),
    ScriptedAnnotator(telegram_id=104, skill=0.90, pace=3.5),
    ScriptedAnnotator(telegram_id=105, skill=0.82, pace=2.5),
    ScriptedAnnotator(telegram_id=106, skill=0.65, pace=1.2),
)
