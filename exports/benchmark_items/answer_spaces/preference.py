"""Preferences in published files: a model reads all texts, and chooses one of them, a tie, or "both bad"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from aggregation.sides import LETTERS, SIDES, find_meanings
from exports.benchmark_items import readers
from exports.benchmark_items.answer_spaces.answer_space import ItemReader
from exports.benchmark_items.answer_spaces.label import ChoiceSpace
from exports.benchmark_items.sources import AnswerForm, TaskSource
from exports.inputs import DataSet


class PreferenceSpace(ChoiceSpace):
    """Which of an item's texts is better, asked for by its letter; the labels are the same for all items."""

    question = "preference"
    names_reasons = False
    has_norm = False

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
        """The labels of all answers, and the words of those that choose no text."""
        undecided = question.get_options(None)[len(question.side_labels) :]
        return {"labels": question.classes, "undecided": undecided}

    def choose_answer_form(self, source: TaskSource) -> AnswerForm:
        """Always the letter."""
        return "letter"

    def build_fields(self, source: TaskSource, *, options: list[str], text: str | None) -> dict[str, Any]:
        """The texts, then the words for a tie and "both bad", each with a letter."""
        return super().build_fields(source, options=[*options, *source.undecided], text=text)

    def read_answer(self, written: object, item: str, data: DataSet, *, gold: object) -> str | None:
        """The label that a letter, number, system or label means; None if it means none, or several."""
        text = super(ChoiceSpace, self).read_answer(written, item, data, gold=gold)
        if text is None:
            return None
        systems = data.systems.get(item, ())
        n_sides = len([label for label in data.classes or () if label in SIDES])
        undecided = [(label, "") for label in data.classes or () if label not in SIDES]
        names = [(system,) for system in systems] if len(systems) == n_sides else ()
        meant = find_meanings(text, n_sides=n_sides, names=names, undecided=undecided)
        if meant:
            return meant[0] if len(meant) == 1 else None
        labels = [*SIDES[:n_sides], *(label for label, _ in undecided)]
        number = readers.read_choice(text, marks=LETTERS[0][:n_sides], texts=labels).lenient
        return None if number is None else labels[number]
