"""The input of the lint: items as annotators would see them, whatever their file or question type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from aggregation import spelling


class LintQuestion(NamedTuple):
    """A question of an item.

    `options` are the texts to choose from, `labels` the codes under which they are stored, in the same order; both are
    empty where the answer is free (`free`): a text, a correction, marked parts. `gold` holds the labels that are right,
    or for a free answer the texts that are accepted. `has_shared_options` is true where all items have the same
    options. `min_options` is the smallest number of options that the question can be asked with: 1 where boxes are
    ticked. `compares` says that the options are texts to compare, which are read in full, not on buttons.
    """

    name: str = "answer"
    text: str = ""
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    has_shared_options: bool = False
    free: bool = False
    min_options: int = 2
    compares: bool = False

    @property
    def gold_index(self) -> int | None:
        """The position of the gold among the labels, from 0; None unless it has one gold, which is a label."""
        if len(self.gold) != 1 or self.gold[0] not in self.labels:
            return None
        return self.labels.index(self.gold[0])


class LintItem(NamedTuple):
    """An item, with its fields by name.

    `shown` are the texts of the fields that annotators see before they answer; `hidden` are the values of all other
    fields except id, group and gold. `group` is None where the project file names no column of groups.
    """

    id: str
    group: str | None = None
    pool: str = "main"
    shown: Mapping[str, str] = MappingProxyType({})
    hidden: Mapping[str, object] = MappingProxyType({})
    questions: tuple[LintQuestion, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SurfaceLimits:
    """The limits of a surface: the program in which annotators answer, such as Telegram.

    `message_units` is the longest message in UTF-16 units, `button_characters` the longest text of a button, and
    `n_buttons` the largest number of buttons.
    """

    message_units: int
    button_characters: int
    n_buttons: int


TELEGRAM = SurfaceLimits(message_units=4000, button_characters=20, n_buttons=100)
"""A message holds 4,096 units with its header. Options too long for a button are listed in the message, and at most
100 buttons carry their letters or numbers."""


PairsByQuestion = Mapping[str, Sequence[tuple[LintItem, LintQuestion]]]
"""For each name of a question, the items that it is asked about, each paired with the question as asked there."""


def pair_items_with_questions(items: Iterable[LintItem]) -> PairsByQuestion:
    """Pair every item with each of its questions, by the name of the question."""
    pairs_by_question: dict[str, list[tuple[LintItem, LintQuestion]]] = {}
    for item in items:
        for question in item.questions:
            pairs_by_question.setdefault(question.name, []).append((item, question))
    return pairs_by_question


def collapse_spaces(text: str) -> str:
    """Replace every run of white space by one space, so that line breaks make no difference; the text is in NFC."""
    text = spelling.build_key(text)
    has_single_spaces = text.isprintable() and "  " not in text  # as most texts have
    return text if has_single_spaces else " ".join(text.split())
