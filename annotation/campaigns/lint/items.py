"""The input of the lint: items as annotators would see them, whatever their file or question type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class LintQuestion:
    """A question of an item.

    `options` are the texts to choose from, `labels` their stored codes in the same order; both are empty for a `free`
    answer. `classes` is true where all items have the same options. `gold` holds labels, or accepted answers.
    `min_options` is the minimum of options: 1 where boxes are ticked.
    """

    name: str = "answer"
    text: str = ""
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    classes: bool = False
    free: bool = False
    min_options: int = 2

    @property
    def gold_index(self) -> int | None:
        """The index of the only gold label among the labels; None without exactly one gold, or where it is no label."""
        if len(self.gold) != 1 or self.gold[0] not in self.labels:
            return None
        return self.labels.index(self.gold[0])


@dataclass(frozen=True, kw_only=True, slots=True)
class LintItem:
    """An item. `shown` are the fields visible before the answer, `hidden` all others except id, group and gold.

    `group` is None where none is declared.
    """

    id: str
    group: str | None = None
    pool: str = "main"
    shown: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, object] = field(default_factory=dict)
    questions: tuple[LintQuestion, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SurfaceLimits:
    """The limits of a surface: UTF-16 units in a message, characters on a button, options of an item."""

    name: str
    message: int
    button: int
    options: int


TELEGRAM = SurfaceLimits(name="Telegram", message=4000, button=20, options=100)
"""A message holds 4,096 units including its header. Longer options are listed in the message, with at most 100 buttons
of letters or numbers."""


ItemsByQuestion = Mapping[str, Sequence[tuple[LintItem, LintQuestion]]]
"""Pairs of an item and one of its questions, by the name of the question."""


def group_by_question(items: Iterable[LintItem]) -> ItemsByQuestion:
    """Pairs of an item and one of its questions, by the name of the question."""
    by_name: dict[str, list[tuple[LintItem, LintQuestion]]] = {}
    for item in items:
        for question in item.questions:
            by_name.setdefault(question.name, []).append((item, question))
    return by_name


def collapse_spaces(text: str) -> str:
    """Replace every run of white space by one space, so that line breaks make no difference."""
    return " ".join(text.split())
