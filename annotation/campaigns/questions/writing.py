"""Questions answered in one's own words: a free text, or a corrected one."""

from __future__ import annotations

import unicodedata
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from annotation.campaigns.questions.base import Answer, Fit, Material, Question, as_text
from annotation.campaigns.sections import Count, Text


class FreeText(Question):
    """A free answer of `shortest` to `longest` characters; stored trimmed, in Unicode's composed form."""

    kind: ClassVar[str] = "text"

    type: Literal["text"]
    shortest: Count = 1
    longest: Count = 2000

    @model_validator(mode="after")
    def _consistent(self) -> FreeText:
        if self.shortest > self.longest:
            raise ValueError(f"From {self.shortest} to {self.longest} characters leaves no answer")
        return self

    @property
    def fit(self) -> Fit:
        """Answers in many wordings: people look at them, accepted answers grow."""
        return Fit(
            consensus=("majority", "closest", "rover", "adjudication"),
            agreement=("exact_match", "mean_chrf"),
            scores=("exact_match", "f1"),
        )

    def parse(self, raw: object, material: Material) -> Answer:  # noqa: ARG002  # any item takes any text
        """The text, if its length is right."""
        text = unicodedata.normalize("NFC", as_text(self, raw))
        if not self.shortest <= len(text) <= self.longest:
            raise self.refusal(
                f"has an answer of {len(text)} characters.", f"Write {self.shortest} to {self.longest} of them."
            )
        return text


class Edit(Question):
    """A corrected copy of the item's `field`; where `must_change`, an untouched copy is refused."""

    kind: ClassVar[str] = "edit"

    type: Literal["edit"]
    field: Text
    must_change: bool = False
    longest: Annotated[int, Field(ge=1)] = 20_000

    @property
    def fit(self) -> Fit:
        """Corrections are compared by the words and characters that they change."""
        return Fit(
            consensus=("majority", "closest", "rover", "adjudication"),
            agreement=("exact_match", "mean_cer", "mean_chrf"),
            scores=("exact_match", "wer", "cer", "chrf"),
        )

    def required_columns(self) -> tuple[str, ...]:
        """The text that is corrected."""
        return (self.field,)

    def parse(self, raw: object, material: Material) -> Answer:
        """The corrected text."""
        if not isinstance(raw, str) or not raw.strip():
            raise self.refusal("has an empty text for an answer.", "Correct the text, do not delete it.")
        text = unicodedata.normalize("NFC", raw)
        if len(text) > self.longest:
            raise self.refusal(f"has an answer of {len(text)} characters.", f"At most {self.longest} are taken.")
        shown = unicodedata.normalize("NFC", material.fields.get(self.field, ""))
        if self.must_change and text.strip() == shown.strip():
            raise self.refusal("has an unchanged text for an answer.", "Correct it, or answer that it needs nothing.")
        return text
