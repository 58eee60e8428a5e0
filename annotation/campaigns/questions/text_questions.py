"""Questions answered with a text: a free text, or a corrected one."""

from __future__ import annotations

import unicodedata
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from aggregation.scoring import Normalisation
from annotation.campaigns.questions.question_base import (
    Answer,
    Question,
    QuestionContent,
    QuestionMethods,
    require_text,
)
from annotation.campaigns.sections.base import Count, Text


class TextQuestion(Question):
    """A free text of `shortest` to `longest` characters; stored stripped, in Unicode's form NFC.

    `normalise` is the rule of `aggregation.scoring` under which texts are compared, with each other and with gold.
    """

    kind: ClassVar[str] = "text"

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
    def methods(self) -> QuestionMethods:
        """Methods for free texts."""
        return QuestionMethods(
            consensus=("majority", "closest", "rover", "adjudication"),
            agreement=("exact_match", "mean_chrf"),
            scores=("exact_match", "f1"),
        )

    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:  # noqa: ARG002  # any item takes any text
        """Return the text; raises BadInput for a wrong length."""
        text = unicodedata.normalize("NFC", require_text(self, raw))
        if not self.shortest <= len(text) <= self.longest:
            raise self.build_refusal(
                f"has an answer of {len(text)} characters.", f"Write {self.shortest} to {self.longest} of them."
            )
        return text


class EditQuestion(Question):
    """A corrected copy of a text, the item's `field`; with `must_change` an unchanged copy is refused."""

    kind: ClassVar[str] = "edit"

    type: Literal["edit"]
    field: Text
    must_change: bool = False
    longest: Annotated[int, Field(ge=1)] = 20_000

    @property
    def methods(self) -> QuestionMethods:
        """Methods for corrected texts."""
        return QuestionMethods(
            consensus=("majority", "closest", "rover", "adjudication"),
            agreement=("exact_match", "mean_cer", "mean_chrf"),
            scores=("exact_match", "wer", "cer", "chrf"),
        )

    @property
    def normalisation(self) -> Normalisation:
        """Every sign counts in a correction."""
        return "exact"

    def required_columns(self) -> tuple[str, ...]:
        """The column of the text to correct."""
        return (self.field,)

    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:
        """Return the corrected text; raises BadInput for an empty, a too long, or a wrongly unchanged text."""
        if not isinstance(raw, str) or not raw.strip():
            raise self.build_refusal("has an empty text for an answer.", "Correct the text, do not delete it.")
        text = unicodedata.normalize("NFC", raw)
        if len(text) > self.longest:
            raise self.build_refusal(f"has an answer of {len(text)} characters.", f"At most {self.longest} are taken.")
        shown = unicodedata.normalize("NFC", content.fields.get(self.field, ""))
        if self.must_change and text.strip() == shown.strip():
            raise self.build_refusal(
                "has an unchanged text for an answer.", "Correct it, or answer that it needs nothing."
            )
        return text
