"""Boxes in published files: any number of options, which a model writes as numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from aggregation import spelling
from exports.benchmark_items import readers, task_functions
from exports.benchmark_items.answer_spaces.answer_space import AnswerSpace, Cue, FieldType, ItemReader
from exports.benchmark_items.sources import TaskSource
from exports.benchmark_items.task_functions import Doc, name_box_metric
from exports.inputs import DataSet

NUMBERS_CUE: Cue = MappingProxyType(
    {
        "uk": "Номери всіх правильних варіантів через кому (0, якщо таких немає):",
        "ru": "Номера всех верных вариантов через запятую (0, если таких нет):",
        "en": "The numbers of all right options, separated by commas (0 if there are none):",
    }
)


class BoxesSpace(AnswerSpace):
    """Any number of options; where all items have the same, each has a metric of its own."""

    question = "choices"
    category = "multiple-choice"
    cue = NUMBERS_CUE
    scorer = "score_boxes"
    metrics = ("exact_match", "exact_match_strict", "f1a", "f1m", "f1m_of_averages")
    names_reasons = True
    counts_options = True
    field_types: ClassVar[Mapping[str, FieldType]] = MappingProxyType({"options": "texts"})

    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """The boxes of all items, or of each."""
        own = {} if question.options else {item: question.get_options(own) for item, own in items.options.items()}
        return {"boxes": question.options, "own_boxes": own}

    def build_source_fields(self, question: Any) -> dict[str, Any]:
        """The options of all items."""
        return {"options": question.options}

    def choose_scorer(self, source: TaskSource) -> tuple[str, tuple[str, ...]]:
        """Boxes of all items are scored one by one, too."""
        if not source.options:
            return super().choose_scorer(source)
        return "score_fixed_boxes", (*self.metrics, *map(name_box_metric, source.options))

    def build_fields(self, source: TaskSource, *, options: list[str], text: str | None) -> dict[str, Any]:
        """The options."""
        return {"options": options}

    def encode_answer(self, stored: str, doc: Doc) -> str | None:
        """The numbers of the ticked options, 0 for none."""
        ticked = json.loads(stored)
        numbers = [str(number) for number, option in enumerate(doc["options"], start=1) if option in ticked]
        return ", ".join(numbers) or "0"

    def read_reply(self, doc: Doc, replies: Sequence[Any]) -> str | None:
        """The options whose numbers are in the reply."""
        boxes = task_functions.read_boxes(doc, replies)
        return None if boxes is None else json.dumps(boxes, ensure_ascii=False)

    def read_answer(self, written: object, item: str, data: DataSet, *, gold: object) -> str | None:
        """A list of the item's boxes, also as JSON, or a reply that lists their texts or their numbers from 1."""
        boxes = data.boxes if data.boxes is not None else data.own_boxes.get(item, ())
        try:
            parts = json.loads(written) if isinstance(written, str) else written
        except ValueError:
            parts = None
        named: list[str | None] = [None]
        if isinstance(parts, list):
            named = [spelling.find_name(str(part), boxes) for part in parts]
        if None in named and not any(box.strip().isdigit() for box in boxes):
            reply = written if isinstance(written, str) else json.dumps(written)
            ticked = readers.read_boxes_reply(reply, texts=boxes).lenient
            named = [None] if ticked is None else [boxes[index] for index in ticked]
        if None in named:
            return None
        return json.dumps([box for box in boxes if box in named], ensure_ascii=False)
