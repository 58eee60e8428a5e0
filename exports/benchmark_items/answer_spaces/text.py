"""Free and corrected texts in published files: a model writes them as people do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from aggregation.scoring import normalise_answer
from exports.benchmark_items import readers, task_functions
from exports.benchmark_items.answer_spaces.answer_space import MOST_TOKENS, AnswerSpace, Cue, FieldType, ItemReader
from exports.benchmark_items.sources import TaskSource
from exports.benchmark_items.task_functions import Doc
from exports.inputs import DataSet

REMARK = "its texts are remarks, which need not be written"

CORRECTION_CUE: Cue = MappingProxyType(
    {"uk": "Виправлений текст:", "ru": "Исправленный текст:", "en": "The corrected text:"}
)


class TextSpace(AnswerSpace):
    """A free text, compared with the gold and with other accepted answers."""

    question = "text"
    category = "question-answering"
    scorer = "score_text"
    metrics: ClassVar[tuple[str, ...]] = ("exact_match", "exact_match_strict", "f1")
    field_types: ClassVar[Mapping[str, FieldType]] = MappingProxyType({"accepted": "texts"})

    def find_obstacle(self, question: Any) -> str | None:
        """A text that need not be written is a remark."""
        return None if question.required else REMARK

    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """Further right answers; items have those of the first question."""
        return {"accepted": items.read_accepted()} if is_first else {}

    def build_source_fields(self, question: Any) -> dict[str, Any]:
        """None."""
        return {}

    def build_fields(self, source: TaskSource, *, options: list[str], text: str | None) -> dict[str, Any]:
        """How texts are compared."""
        return {"normalise": source.data.normalise}

    def build_gold_fields(self, source: TaskSource, doc: Doc) -> dict[str, Any]:
        """With the other right answers."""
        accepted = list(source.data.accepted.get(doc["item_id"], ()))
        return super().build_gold_fields(source, doc) | {"accepted": accepted}

    def build_reply(self, stored: str | None, doc: Doc) -> Any:
        """The text; in a frame if it would be read as another one, because it has words that announce an answer."""
        if stored is None:
            return ""
        rule, said = doc["normalise"], task_functions.read_text(doc, [stored])
        is_same = said is not None and normalise_answer(rule, said) == normalise_answer(rule, stored)
        return stored if is_same else json.dumps({"answer": stored}, ensure_ascii=False)

    def read_reply(self, doc: Doc, replies: Sequence[Any]) -> str | None:
        """The text of the reply."""
        return task_functions.read_text(doc, replies)

    def read_answer(self, written: object, item: str, data: DataSet, *, gold: object) -> str | None:
        """The text, read as that of a reply."""
        text = super().read_answer(written, item, data, gold=gold)
        return None if text is None else readers.read_typed(text, rule=data.normalise).lenient


class EditSpace(TextSpace):
    """A corrected text, which can have paragraphs."""

    question = "edit"
    category = "text-generation"
    cue = CORRECTION_CUE
    scorer = "score_edit"
    metrics = ("exact_match", "exact_match_strict", "wer", "cer", "chrf")
    most_tokens = 2 * MOST_TOKENS

    def find_obstacle(self, question: Any) -> str | None:
        """A correction that need not be made is asked like any other."""
        return None

    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """None: the gold alone is right."""
        return {}

    def build_fields(self, source: TaskSource, *, options: list[str], text: str | None) -> dict[str, Any]:
        """With the text that is corrected."""
        return super().build_fields(source, options=options, text=text) | {"text": text}

    def read_answer(self, written: object, item: str, data: DataSet, *, gold: object) -> str | None:
        """The corrected text, read as that of a reply."""
        text = super(TextSpace, self).read_answer(written, item, data, gold=gold)
        return None if text is None else readers.read_edited(text, text=data.texts.get(item, "")).lenient
