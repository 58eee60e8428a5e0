"""What an item asks: one definition that parses, validates and stores its answers and knows which methods fit them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Tag

from annotation.campaigns.questions.base import Answer, Fit, Material, Question, Span
from annotation.campaigns.questions.options import Choice, Choices, Positions, Scale
from annotation.campaigns.questions.spans import SpanOf
from annotation.campaigns.questions.writing import Edit, FreeText

__all__ = [
    "KINDS", "Answer", "AnyQuestion", "Choice", "Choices", "Edit", "Fit", "FreeText", "Material", "Positions",
    "Question", "Scale", "Span", "SpanOf",
]  # fmt: skip

KINDS: dict[str, type[Question]] = {kind.kind: kind for kind in (Choice, Choices, Scale, FreeText, SpanOf, Edit)}


def _kind(value: object) -> str:
    """The tag of a question's type; an unknown one is read as a choice, whose `type` then says what is known."""
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "kind", None)
    return f"<{kind if isinstance(kind, str) and kind in KINDS else 'choice'}>"


AnyQuestion = Annotated[
    Annotated[Choice, Tag("<choice>")]
    | Annotated[Choices, Tag("<choices>")]
    | Annotated[Scale, Tag("<scale>")]
    | Annotated[FreeText, Tag("<text>")]
    | Annotated[SpanOf, Tag("<span>")]
    | Annotated[Edit, Tag("<edit>")],
    Discriminator(_kind),
]
