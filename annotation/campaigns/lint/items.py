"""What the lint looks at: items as people would meet them, whatever file or question type they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One question of an item.

    `options` are the texts to choose from, `labels` the codes they are stored under, place by place; both are empty
    for a `free` answer. `classes` says that every item has the same options. `gold` holds labels, or accepted answers.
    `least` is how many options it takes: a box to tick is enough alone.
    """

    name: str = "answer"
    text: str = ""
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    classes: bool = False
    free: bool = False
    least: int = 2

    @property
    def gold_at(self) -> int | None:
        """The place of the only gold label among the labels, from 0; None where there is no such place."""
        if len(self.gold) != 1 or self.gold[0] not in self.labels:
            return None
        return self.labels.index(self.gold[0])


@dataclass(frozen=True, kw_only=True, slots=True)
class LintItem:
    """One item. `shown` are the fields that people see before they answer, `hidden` all others but id, group and gold.

    `group` is None where none is declared.
    """

    id: str
    group: str | None = None
    pool: str = "main"
    shown: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, object] = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Surface:
    """What fits where items are shown: UTF-16 units in a message, characters on a button, options under an item."""

    name: str
    message: int
    button: int
    options: int


TELEGRAM = Surface(name="Telegram", message=4000, button=20, options=100)
"""A message takes 4,096 units, of which the header needs some; longer options are listed by letters or numbers, and
their buttons are 100 at the most."""


Questions = Mapping[str, Sequence[tuple[LintItem, Asked]]]
"""Every item with each of its questions, by the question's name."""


def by_question(items: Iterable[LintItem]) -> Questions:
    """Every item with each of its questions, by the question's name."""
    found: dict[str, list[tuple[LintItem, Asked]]] = {}
    for item in items:
        for asked in item.asked:
            found.setdefault(asked.name, []).append((item, asked))
    return found


def plain(text: str) -> str:
    """A text with every run of white space as one space, so that line breaks make no difference."""
    return " ".join(text.split())
