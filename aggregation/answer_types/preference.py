"""Questions that compare texts: the answer is a side, a tie, or "both bad"."""

from __future__ import annotations

from typing import ClassVar

from aggregation.answer_types.answer_type import AnswerType
from aggregation.answer_types.label import LabelType
from aggregation.answers import AnswerTypeName
from aggregation.consensus.methods import Method
from aggregation.findings import Finding


class PreferenceType(LabelType):
    """One of the texts of an item, by the column that it is in, or none of them; consensus and scores are of labels."""

    name: ClassVar[AnswerTypeName] = "preference"
    plural = Finding("preferences")
    methods: ClassVar[tuple[Method, ...]] = AnswerType.methods
    questions: ClassVar[tuple[str, ...]] = ("preference",)
    compares_texts = True
