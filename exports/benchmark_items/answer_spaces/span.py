"""Marked parts of a text in published files: a model quotes them, one a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from aggregation.answer_types.span import LabelledSpan, format_spans
from exports.benchmark_items import readers, task_functions
from exports.benchmark_items.answer_spaces.answer_space import AnswerSpace, Cue, ItemReader, translate_cue
from exports.benchmark_items.sources import TaskSource
from exports.benchmark_items.task_functions import Doc
from exports.inputs import DataSet

CLASSES = "its parts have classes, and no task asks models for the class of a part"

PARTS_CUE: Cue = MappingProxyType(
    {
        "uk": "Частина тексту дослівно:",
        "ru": "Часть текста дословно:",
        "en": "The part of the text, word for word:",
    }
)
PARTS_OR_NONE_CUE: Cue = MappingProxyType(
    {
        "uk": "Частина тексту дослівно, або «{}»:",
        "ru": "Часть текста дословно, или «{}»:",
        "en": "The part of the text, word for word, or “{}”:",
    }
)


class SpanSpace(AnswerSpace):
    """Parts of the item's text."""

    question = "span"
    category = "question-answering"
    cue = PARTS_CUE
    scorer = "score_span"
    metrics = ("exact_match", "exact_match_strict", "f1", "f1_char")

    def find_obstacle(self, question: Any) -> str | None:
        """Classes of parts cannot be quoted."""
        return None if question.labels is None else CLASSES

    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """The texts in which parts are marked, and their classes."""
        return {"texts": items.read_texts(question.field), "span_classes": question.labels}

    def build_source_fields(self, question: Any) -> dict[str, Any]:
        """The words for no part."""
        return {"no_answer": question.none}

    def build_cue(self, source: TaskSource) -> str:
        """With the words for no part, if people had them."""
        if source.no_answer is None:
            return super().build_cue(source)
        return translate_cue(PARTS_OR_NONE_CUE, source).format(source.no_answer)

    def build_fields(self, source: TaskSource, *, options: list[str], text: str | None) -> dict[str, Any]:
        """The text, and the words for no part."""
        return {"text": text, "no_answer": source.no_answer}

    def encode_answer(self, stored: str, doc: Doc) -> str | None:
        """The parts, one a line; as JSON where a quoted part would be found elsewhere in the text."""
        ends = task_functions.parse_ends(stored)
        if not ends:
            return None if doc["no_answer"] is None else str(doc["no_answer"])
        quoted = "\n".join(doc["text"][start:end] for start, end in ends)
        return quoted if task_functions.read_spans(doc, [quoted], strict=True) == ends else stored

    def read_reply(self, doc: Doc, replies: Sequence[Any]) -> str | None:
        """The parts that the reply quotes."""
        spans = task_functions.read_spans(doc, replies)
        if spans is None:
            return None
        marked = [LabelledSpan(start=start, end=end, label="") for start, end in spans]
        return format_spans(marked, doc["text"])

    def read_answer(self, written: object, item: str, data: DataSet, *, gold: object) -> str | None:
        """A list of {start, end} within the item's text, also as JSON, or a reply that quotes parts without classes.

        Parts with classes have a `label`.
        """
        text, labels = data.texts.get(item, ""), data.span_classes or ("",)
        if isinstance(written, str) and data.span_classes is None:
            ends = readers.read_quoted_parts(written, text=text).lenient
            if ends is not None:
                written = [{"start": start, "end": end} for start, end in ends]
        try:
            parts: Any = json.loads(written) if isinstance(written, str) else written
            spans = [
                LabelledSpan(start=int(part["start"]), end=int(part["end"]), label=str(part.get("label", "")))
                for part in parts
            ]
        except (ValueError, TypeError, KeyError, OverflowError):
            return None
        if any(not 0 <= span.start < span.end <= len(text) or span.label not in labels for span in spans):
            return None
        return format_spans(sorted(spans), text)
