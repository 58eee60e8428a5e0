"""The question types: each parses, validates and encodes its answers, and names the methods that suit them."""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Discriminator, Tag

from annotation.campaigns.questions.choice import ChoiceQuestion, Positions
from annotation.campaigns.questions.choices import ChoicesQuestion
from annotation.campaigns.questions.edit import EditQuestion
from annotation.campaigns.questions.preference import PreferenceQuestion
from annotation.campaigns.questions.question_base import Answer, Question, QuestionContent, QuestionMethods, TextSpan
from annotation.campaigns.questions.scale import ScaleQuestion
from annotation.campaigns.questions.span import SpanQuestion
from annotation.campaigns.questions.text import TextQuestion

__all__ = [
    "KINDS",
    "Answer",
    "AnyQuestion",
    "ChoiceQuestion",
    "ChoicesQuestion",
    "EditQuestion",
    "Positions",
    "PreferenceQuestion",
    "Question",
    "QuestionContent",
    "QuestionMethods",
    "ScaleQuestion",
    "SpanQuestion",
    "TextQuestion",
    "TextSpan",
]  # fmt: skip


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
    | Annotated[EditQuestion, Tag("<edit>")]
    | Annotated[PreferenceQuestion, Tag("<preference>")],
    Discriminator(_get_kind_tag),
]
"""Any question, as pydantic reads it: the table of the types, to which a new one is added with its tag."""

KINDS: dict[str, type[Question]] = {
    question.kind: question for question, _tag in map(get_args, get_args(get_args(AnyQuestion)[0]))
}
"""The classes of questions by the name of their type."""
