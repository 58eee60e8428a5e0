"""Choices and scales in published files: a model makes one option the most likely, or writes which one it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase
from types import MappingProxyType
from typing import Any, ClassVar

from aggregation import spelling
from exports.benchmark_items import readers, task_functions
from exports.benchmark_items.answer_spaces.answer_space import (
    AnswerSpace,
    Cue,
    FieldType,
    ItemReader,
    translate_cue,
)
from exports.benchmark_items.sources import AnswerForm, TaskSource
from exports.benchmark_items.task_functions import Doc
from exports.inputs import DataSet

MOST_WORDS = 3
"""An option with more words is asked for by its letter, unless the project file says otherwise."""
MARK_CUES: Mapping[AnswerForm, Cue] = MappingProxyType(
    {
        "letter": {"uk": "Відповідь (лише літера):", "ru": "Ответ (только буква):", "en": "Answer (the letter only):"},
        "number": {"uk": "Відповідь (лише номер):", "ru": "Ответ (только номер):", "en": "Answer (the number only):"},
    }
)
"""The last line of a prompt that asks for the mark of an option."""


class ChoiceSpace(AnswerSpace):
    """One of several options: classes where all items have the same ones, or answers are stored as positions."""

    question = "choice"
    category = "multiple-choice"
    primary = "accuracy"
    scorer = "score_choice"
    metrics = ("accuracy",)
    chooses = True
    has_norm = True
    counts_options = True
    names_reasons = True
    field_types: ClassVar[Mapping[str, FieldType]] = MappingProxyType(
        {"marks": "texts", "options": "texts", "labels": "texts", "label": "integer"}
    )

    def number_positions(self, question: Any, options: Iterable[Sequence[str] | None]) -> Any:
        """If answers are stored as positions, the question with as many codes as the longest list of options needs."""
        return question.with_positions(max((len(listed) for listed in options if listed is not None), default=0))

    def list_options(self, question: Any, listed: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
        """The label and the text of each option; the label is a code where answers are stored as positions."""
        return tuple(zip(question.get_labels(listed), question.get_substantive_options(listed), strict=False))

    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """The classes, or else the options of each item."""
        own_options: dict[str, tuple[str, ...]] = {}
        if question.classes is None:
            own_options = {item: question.get_substantive_labels(options) for item, options in items.options.items()}
        return {
            "classes": question.classes,
            "classes_are_positions": question.positions is not None,
            "own_options": own_options,
        }

    def build_source_fields(self, question: Any) -> dict[str, Any]:
        """The options, their codes, and the option to abstain, which only people had."""
        return {"options": question.options, "labels": question.positions, "abstain": question.abstain}

    def choose_scorer(self, source: TaskSource) -> tuple[str, tuple[str, ...]]:
        """With classes there are more metrics."""
        if source.data.classes is None:
            return super().choose_scorer(source)
        return "score_class", ("accuracy", "macro_f1", "weighted_f1", "mcc")

    def choose_answer_form(self, source: TaskSource) -> AnswerForm:
        """As the project file says; else the words of short options, and the letter of others.

        Options stored by their positions have letters, and so have those whose words cannot be told apart.
        """
        listed = [source.options] if source.options else [*source.texts["options"], *source.examples["options"]]
        lists = {tuple(options) for options in listed if options is not None}
        most = max(map(len, lists), default=0)
        if source.answer_form == "number" or most > len(ascii_uppercase):
            return "number"
        wanted = source.answer_form or ("letter" if source.labels is not None or not are_short(lists) else "word")
        return "word" if wanted == "word" and all(map(can_be_named, lists)) else "letter"

    def build_cue(self, source: TaskSource) -> str:
        """The last line of a prompt, which asks for the mark where options have one."""
        return translate_cue(MARK_CUES.get(source.answer_form or "word", self.cue), source)

    def build_fields(self, source: TaskSource, *, options: list[str], text: str | None) -> dict[str, Any]:
        """The options, their letters or numbers, and the labels under which they are stored."""
        labels = options if source.labels is None else list(source.labels[: len(options)])
        marks = {"letter": ascii_uppercase, "number": range(1, len(options) + 1)}.get(source.answer_form or "word")
        listed = {} if marks is None else {"marks": [str(mark) for mark in marks[: len(options)]]}
        return {**listed, "options": options, "labels": labels}

    def build_gold_fields(self, source: TaskSource, doc: Doc) -> dict[str, Any]:
        """Also the index of the gold option, which the harness calls `label`."""
        number = doc["labels"].index(doc["gold"]) if doc["gold"] in doc["labels"] else None
        return super().build_gold_fields(source, doc) | {"label": number}

    def encode_answer(self, stored: str, doc: Doc) -> str | None:
        """The option's mark, or its text; None for an answer that is none of the item's options."""
        return str(task_functions.list_names(doc)[doc["labels"].index(stored)]) if stored in doc["labels"] else None

    def find_option(self, stored: str | None, doc: Doc) -> int | None:
        """The index of the option; None for a skip. Raises ValueError for an answer that is no option."""
        return None if stored is None else doc["labels"].index(stored)

    def read_reply(self, doc: Doc, replies: Sequence[Any]) -> str | None:
        """The label of the most likely option, or of the one that the reply names."""
        return task_functions.read_label(doc, replies)

    def read_answer(self, written: object, item: str, data: DataSet, *, gold: object) -> str | None:
        """The label, spelled as the class and as the item's gold; None if it is none of the classes."""
        label = super().read_answer(written, item, data, gold=gold)
        if label is None:
            return None
        offered = data.classes or data.own_options.get(item, ())
        named = find_option(label, offered)
        if named is None and data.classes:
            return None
        label = named or label
        return spelling.find_name(label, (gold,)) or label if isinstance(gold, str) else label


def find_option(written: str, options: Sequence[str]) -> str | None:
    """The option that is spelled like a text, or else the one that a reply with this text chooses by its words."""
    named = spelling.find_name(written, options)
    if named is not None:
        return named
    number = readers.read_choice(written, marks=(), texts=options).lenient
    return None if number is None else options[number]


class ScaleSpace(ChoiceSpace):
    """A point of a scale; the points are classes."""

    question = "scale"
    category = "text-classification"
    names_reasons = False

    def number_positions(self, question: Any, options: Iterable[Sequence[str] | None]) -> Any:
        """Points are stored as they are, so no codes are added."""
        return question

    def list_options(self, question: Any, listed: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
        """The points, which are their own labels."""
        return tuple(zip(question.options, question.options, strict=True))

    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """The points and their level of measurement."""
        return {"classes": question.options, "measurement_level": question.level}

    def build_source_fields(self, question: Any) -> dict[str, Any]:
        """The points, and what the ends mean."""
        return {"options": question.options, "ends": question.ends}

    def choose_answer_form(self, source: TaskSource) -> AnswerForm:
        """What the project file says of choices is not of scales."""
        return super().choose_answer_form(replace(source, answer_form=None))

    def build_cue(self, source: TaskSource) -> str:
        """The last line of the prompt, after the meaning of the scale's ends."""
        cue = super().build_cue(source)
        if source.ends is None or not source.options:
            return cue
        (low, high), (first, *_, last) = source.ends, source.options
        return f"({first} – {low}, {last} – {high})\n{cue}"


def are_short(lists: Iterable[Sequence[str]]) -> bool:
    """Whether every option of all lists has few words."""
    return all(len(option.split()) <= MOST_WORDS for options in lists for option in options)


def can_be_named(options: Sequence[str]) -> bool:
    """Whether each option of a list is read from a reply that has its words alone."""
    readings = [readers.read_choice(option, marks=(), texts=options) for option in options]
    return all(reading == readers.Reading(number, number) for number, reading in enumerate(readings))
