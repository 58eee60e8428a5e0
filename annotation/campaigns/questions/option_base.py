"""The base classes of questions with options."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, model_validator

from aggregation import spelling
from annotation.campaigns.questions.question_base import Question, QuestionContent
from annotation.campaigns.sections.base import Text

if TYPE_CHECKING:
    from aggregation.answers import AnswerType

Options = Annotated[tuple[Text, ...], Field(min_length=2)]
"""Two options or more."""


def refuse_duplicates(options: Sequence[str], noun: str) -> None:
    """Raise ValueError for an option that is written twice."""
    keys = [spelling.build_key(option) for option in options]
    duplicate = next((option for option, key in zip(options, keys, strict=True) if keys.count(key) > 1), None)
    if duplicate is not None:
        raise ValueError(f"The {noun} {duplicate!r} stands twice")


def find_option(written: str, options: Sequence[str]) -> str | None:
    """Return the option that a text names, as it is spelled; None if it names none."""
    return written if written in options else spelling.find_name(written, options)


class OptionQuestion(Question):
    """A question with options, of which one is the answer."""

    answer_type: ClassVar[AnswerType] = "label"
    is_closed: ClassVar[bool] = True
    takes_one_option: ClassVar[bool] = True

    def get_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the options of an item; `item_options` are the item's own."""
        return self.fixed_options if self.fixed_options is not None else tuple(item_options or ())

    def list_choices(self, item_options: Sequence[str] | None) -> tuple[str, ...]:  # noqa: ARG002  # one for all items
        """Return the question's name: an answer is one choice."""
        return (self.name,)

    def read_choices(self, stored: str) -> Mapping[str, str]:
        """Return the label by the question's name, or nothing for an abstention."""
        return {} if self.is_abstention(stored) else {self.name: stored}

    def count_labels(self, item_options: Sequence[str] | None) -> int:
        """Return the number of options without the abstention."""
        return len(self.get_substantive_options(item_options))

    def draw_truth(self, content: QuestionContent, rng: random.Random) -> str:
        """Draw any label but the abstention."""
        return rng.choice(self.get_substantive_labels(content.options))

    def draw_careless(self, content: QuestionContent, rng: random.Random) -> str:
        """Draw any label but the abstention."""
        return rng.choice(self.get_substantive_labels(content.options))


class ItemOptionQuestion(OptionQuestion):
    """A question whose `options` are the same for all items, or None where every item has its own.

    With `shuffle` each annotator sees the options of each item in another order.
    """

    takes_item_options: ClassVar[bool] = True

    options: Options | None = None
    shuffle: bool = False

    @model_validator(mode="after")
    def _options_differ(self) -> ItemOptionQuestion:
        refuse_duplicates(self.options or (), "option")
        return self

    @property
    def fixed_options(self) -> tuple[str, ...] | None:
        """The options of the project file."""
        return self.options

    @property
    def is_shuffled(self) -> bool:
        """Whether the project file shuffles the options."""
        return self.shuffle
