"""The question types: each parses, validates and encodes its answers, and names the methods that suit them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Tag

from annotation.campaigns.questions.option_questions import ChoiceQuestion, ChoicesQuestion, Positions, ScaleQuestion
from annotation.campaigns.questions.question_base import Answer, Question, QuestionContent, QuestionMethods, TextSpan
from annotation.campaigns.questions.span_questions import SpanQuestion
from annotation.campaigns.questions.text_questions import EditQuestion, TextQuestion

__all__ = [
    "KINDS",
    "Answer",
    "AnyQuestion",
    "ChoiceQuestion",
    "ChoicesQuestion",
    "EditQuestion",
    "Positions",
    "Question",
    "QuestionContent",
    "QuestionMethods",
    "ScaleQuestion",
    "SpanQuestion",
    "TextQuestion",
    "TextSpan",
]  # fmt: skip

KINDS: dict[str, type[Question]] = {
    kind.kind: kind
    for kind in (ChoiceQuestion, ChoicesQuestion, ScaleQuestion, TextQuestion, SpanQuestion, EditQuestion)
}
"""The classes of questions by the name of their type."""


def _get_kind_tag(value: object) -> str:
    """The tag of a question's type; an unknown type is read as a choice, whose `type` then reports the known ones."""
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "kind", None)
    return f"<{kind if isinstance(kind, str) and kind in KINDS else 'choice'}>"


AnyQuestion = Annotated[
    Annotated[ChoiceQuestion, Tag("<choice>")]
    | Annotated[ChoicesQuestion, Tag("<choices>")]
    | Annotated[ScaleQuestion, Tag("<scale>")]
    | Annotated[TextQuestion, Tag("<text>")]
    | Annotated[SpanQuestion, Tag("<span>")]
    | Annotated[EditQuestion, Tag("<edit>")],
    Discriminator(_get_kind_tag),
]
