"""Questions answered with a free text."""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import model_validator

from aggregation.scoring import Normalisation
from annotation.campaigns.questions import question_base
from annotation.campaigns.sections.base import Count

if TYPE_CHECKING:
    from aggregation.answers import AnswerTypeName

SYLLABLES = ("ба", "во", "ге", "ду", "жи", "зо", "ка", "лі", "мо", "не", "па", "ру", "си", "та", "ха", "че")
"""What the words of simulated annotators are made of."""


class TextQuestion(question_base.Question):
    """A free text of `shortest` to `longest` characters; stored stripped, in Unicode's form NFC.

    `normalise` is the rule of `aggregation.scoring` under which texts are compared, with each other and with gold.
    """

    kind: ClassVar[str] = "text"
    usual_seconds: ClassVar[float] = 25.0
    answer_type: ClassVar[AnswerTypeName] = "text"
    can_name_problems: ClassVar[bool] = True

    type: Literal["text"]
    shortest: Count = 1
    longest: Count = 2000
    normalise: Normalisation = "words"

    @model_validator(mode="after")
    def _consistent(self) -> TextQuestion:
        if self.shortest > self.longest:
            raise ValueError(f"From {self.shortest} to {self.longest} characters leaves no answer")
        return self

    @property
    def normalisation(self) -> Normalisation:
        """The rule that the project names."""
        return self.normalise

    @property
    def longest_message(self) -> int:
        """The longest answer, which is one message."""
        return self.longest

    @property
    def methods(self) -> question_base.QuestionMethods:
        """Methods for free texts."""
        return question_base.QuestionMethods(
            consensus=("majority", "closest", "rover", "adjudication"),
            agreement=("exact_match", "mean_chrf"),
            scores=("exact_match", "f1"),
        )

    def parse_answer(self, raw: object, content: question_base.QuestionContent) -> question_base.Answer:  # noqa: ARG002  # any item takes any text
        """Return the text; raises BadInput for a wrong length."""
        text = unicodedata.normalize("NFC", question_base.require_text(self, raw))
        if not self.shortest <= len(text) <= self.longest:
            raise self.build_refusal(
                f"has an answer of {len(text)} characters.", f"Write {self.shortest} to {self.longest} of them."
            )
        return text

    def draw_text(self, content: question_base.QuestionContent, rng: random.Random) -> str:  # noqa: ARG002  # any item takes any text
        """Draw words without a meaning."""
        text = " ".join(_draw_word(rng) for _ in range(2))
        while len(text) < self.shortest:
            text += f" {_draw_word(rng)}"
        return text[: self.longest].strip() or "1" * self.shortest


def _draw_word(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=3))
