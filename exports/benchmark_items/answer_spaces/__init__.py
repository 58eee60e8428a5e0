"""One object for each type of question: how models are asked it, and how their answers and people's are written."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aggregation.answer_types import TYPES_BY_QUESTION
from aggregation.answers import AnswerTypeName
from exports.benchmark_items.answer_spaces.answer_space import AnswerSpace
from exports.benchmark_items.answer_spaces.boxes import BoxesSpace
from exports.benchmark_items.answer_spaces.label import ChoiceSpace, ScaleSpace
from exports.benchmark_items.answer_spaces.preference import PreferenceSpace
from exports.benchmark_items.answer_spaces.span import SpanSpace
from exports.benchmark_items.answer_spaces.text import EditSpace, TextSpace

__all__ = ["ANSWER_SPACES", "SPACES_BY_TYPE", "AnswerSpace"]

ANSWER_SPACES: Mapping[str, AnswerSpace] = MappingProxyType(
    {
        space.question: space
        for space in (
            ScaleSpace(),
            ChoiceSpace(),
            BoxesSpace(),
            TextSpace(),
            EditSpace(),
            SpanSpace(),
            PreferenceSpace(),
        )
    }
)
"""By the type of the question."""
SPACES_BY_TYPE: Mapping[AnswerTypeName, AnswerSpace] = MappingProxyType(
    {TYPES_BY_QUESTION[question].name: one for question, one in ANSWER_SPACES.items()}
)
"""By the type of its answers, for what does not differ between questions with such answers."""
