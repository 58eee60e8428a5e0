"""Preferences in published files: a model reads all texts, and chooses one of them, a tie, or "both bad"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from exports.benchmark_items.answer_spaces.answer_space import ItemReader
from exports.benchmark_items.answer_spaces.label import ChoiceSpace


class PreferenceSpace(ChoiceSpace):
    """Which of an item's texts is better; the labels are positions of texts, the same for all items."""

    question = "preference"
    names_reasons = False

    def number_positions(self, question: Any, options: Iterable[Sequence[str] | None]) -> Any:
        """The labels of sides are the same for all items, so no codes are added."""
        return question

    def name_order(self, question: Any, order: Sequence[int]) -> Sequence[int | str]:
        """The labels of the sides as they were shown: `["second", "first"]`."""
        return [question.side_labels[index] for index in order if index < len(question.side_labels)]

    def read_order(self, question: Any, written: Sequence[int | str]) -> Sequence[int]:
        """The indices of the sides in the order shown."""
        return [question.side_labels.index(label) for label in written]

    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """The labels of the sides, of the tie and of "both bad"."""
        return {"classes": question.classes, "classes_are_positions": True}

    def build_source_fields(self, question: Any) -> dict[str, Any]:
        """The labels of the texts, in the order of their columns."""
        return {"labels": question.classes}
