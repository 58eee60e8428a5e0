"""Questions answered with a corrected text."""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from aggregation.scoring import Normalisation
from annotation.campaigns.questions.question_base import Answer, Question, QuestionContent, QuestionMethods
from annotation.campaigns.sections.base import Text

if TYPE_CHECKING:
    from aggregation.answers import AnswerTypeName


class EditQuestion(Question):
    """A corrected copy of a text, the item's `field`; with `must_change` an unchanged copy is refused."""

    kind: ClassVar[str] = "edit"
    usual_seconds: ClassVar[float] = 180.0
    answer_type: ClassVar[AnswerTypeName] = "edit"
    corrects_text: ClassVar[bool] = True

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
            scores=("exact_match", "wer", "cer", "chrf", "wer_corpus", "cer_corpus"),
        )

    @property
    def normalisation(self) -> Normalisation:
        """Every sign counts in a correction."""
        return "exact"

    @property
    def text_column(self) -> str:
        """The column of the text to correct."""
        return self.field

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

    def lint_gold(self, stored: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing: gold that is equal to the shown text may need no correction."""
        return ()

    def draw_text(self, content: QuestionContent, rng: random.Random) -> str:
        """Draw a correction of the item's text."""
        return _remove_word(content.fields.get(self.field, ""), rng)

    def draw_wrong(self, content: QuestionContent, right: str, rng: random.Random) -> str:  # noqa: ARG002
        """Draw a correction that has one mistake more than the right one."""
        return _remove_word(right, rng)


def _remove_word(text: str, rng: random.Random) -> str:
    """Remove a random word of the text; a text of one word gets a full stop."""
    words = text.split(" ")
    if len(words) < 2:
        return text + "."
    del words[rng.randrange(len(words))]
    return " ".join(words) if any(word.strip() for word in words) else text + "."
