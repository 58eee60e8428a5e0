"""Questions that compare texts: which of an item's texts is better, with a tie and "both bad" as answers that count."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from aggregation import sides, spelling
from aggregation.planning.assumed_variance import PlannedResult, plan_win_rate
from aggregation.sides import BOTH_BAD, SIDES, TIE
from annotation.campaigns.questions import question_base
from annotation.campaigns.questions.choice import CLASS_METHODS, OptionQuestion, refuse_duplicates
from annotation.campaigns.sections.base import Column, Text

if TYPE_CHECKING:
    from aggregation.answers import AnswerTypeName

TIE_RATE, BOTH_BAD_RATE = 0.15, 0.05
"""The chances of a tie and of "both bad" in generated truths, where the question has these answers."""
NEAR_TIE_RATE = 0.6
"""In a simulation, the chance that a wrong answer is a tie or "both bad", where the question has these answers."""
STRENGTH_SPREAD = 0.8
"""The standard deviation of the strengths of simulated systems: the better of two wins two times in three."""


class PreferenceQuestion(OptionQuestion):
    """Which of the texts in the columns `sides` is better.

    Answers are stored as `SIDES` by the place of the column in the project file, whatever side the text was shown on,
    or as `TIE` and `BOTH_BAD`, where the project file has the words of these answers in `tie` and `both_bad`. The texts
    are the item's own options (`option_columns`). `systems` are the columns that say who wrote them, which nobody is
    shown. `shuffle` shows each annotator each column in each place equally often; `order_reason` says why not.
    """

    kind: ClassVar[str] = "preference"
    answer_type: ClassVar[AnswerTypeName] = "preference"
    usual_seconds: ClassVar[float] = 25.0
    takes_item_options: ClassVar[bool] = True
    balances_order: ClassVar[bool] = True

    type: Literal["preference"]
    sides: Annotated[tuple[Column, ...], Field(min_length=2, max_length=len(SIDES))]
    systems: Annotated[tuple[Column, ...], Field(min_length=2, max_length=len(SIDES))] | None = None
    tie: Text | None = None
    both_bad: Text | None = None
    shuffle: bool = True
    order_reason: Text | None = None

    @model_validator(mode="after")
    def _consistent(self) -> PreferenceQuestion:
        refuse_duplicates(self.sides, "side")
        if self.systems is not None and len(self.systems) != len(self.sides):
            raise ValueError(f"Each of the {len(self.sides)} sides has its column in `systems`, in the same order")
        refuse_duplicates(self.systems or (), "column of systems")
        shared = next((column for column in self.systems or () if column in self.sides), None)
        if shared is not None:
            raise ValueError(f"The column {shared!r} is a side and names a system; name another one in `systems`")
        if self.tie is not None and self.both_bad is not None:
            refuse_duplicates((self.tie, self.both_bad), "answer")
        if not self.shuffle and self.order_reason is None:
            raise ValueError("With `shuffle: no` one column is always first: write why in `order_reason`")
        if self.shuffle and self.order_reason is not None:
            raise ValueError("`order_reason` is for `shuffle: no`; leave it out")
        return self

    @property
    def methods(self) -> question_base.QuestionMethods:
        """The methods of classes: sides, a tie and "both bad" are labels that all items have."""
        return CLASS_METHODS

    @property
    def option_columns(self) -> tuple[str, ...]:
        """The columns with the texts to compare."""
        return self.sides

    @property
    def system_columns(self) -> tuple[str, ...]:
        """The columns with the systems that wrote them."""
        return self.systems or ()

    @property
    def planned_result(self) -> PlannedResult:
        """The win rate."""
        return plan_win_rate()

    @property
    def is_shuffled(self) -> bool:
        """Whether the sides change their places."""
        return self.shuffle

    @property
    def classes(self) -> tuple[str, ...]:
        """All labels: the sides, the tie and "both bad"."""
        return self.get_labels(None)

    @property
    def closed_answers(self) -> tuple[str, ...]:
        """All labels, which are the same for all items."""
        return self.get_labels(None)

    @property
    def side_labels(self) -> tuple[str, ...]:
        """The labels of the sides, in the order of their columns."""
        return SIDES[: len(self.sides)]

    @property
    def last_options(self) -> int:
        """The tie and "both bad" come after the sides."""
        return len(self._list_undecided())

    def get_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the texts of an item, then the words for a tie and "both bad"; the labels of the sides without one."""
        return (*(item_options or self.side_labels), *(text for _, text in self._list_undecided()))

    def get_labels(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the labels in the order of `get_options`."""
        sides = self.side_labels if item_options is None else SIDES[: len(item_options)]
        return (*sides, *(label for label, _ in self._list_undecided()))

    def find_option_problem(
        self,
        item_options: Sequence[str] | None,
        *,
        max_buttons: int | None,  # noqa: ARG002  # there are never so many
    ) -> tuple[str, str] | None:
        """Return whether a side is empty."""
        n_texts = len(item_options or ())
        if n_texts == len(self.sides):
            return None
        return f"The item has {n_texts} of the {len(self.sides)} texts to compare.", "Fill all `sides`."

    def parse_answer(self, raw: object, content: question_base.QuestionContent) -> question_base.Answer:
        """Return the label of an answer; raises BadInput for one that no side, column, system or word has."""
        written, labels = question_base.require_text(self, raw), self.get_labels(content.options)
        label = self.find_label(written, content)
        if label is None:
            raise self.build_refusal(
                f"cannot be answered with {spelling.quote_word(written, beside=labels)}.",
                f"The answers are: {spelling.list_words(labels, beside=(written,))}.",
            )
        return label

    def find_label(self, written: str, content: question_base.QuestionContent) -> str | None:
        """Return the label that a text of a file means: a label, `A`, `1`, a column, its system, or a word for a tie.

        Raises BadInput for a text that means two of them, and for a side as it was shown.
        """
        if spelling.build_key(written).casefold() in sides.SHOWN_SIDES:
            raise self.build_refusal(
                f"cannot be answered with {written!r}: nothing says which text was there.",
                f"Write {self.side_labels[0]}, or the name of its column, {self.sides[0]}.",
            )
        names = [
            (column, *((system, content.fields.get(system, "")) if system is not None else ()))
            for column, system in zip_longest(self.sides, self.systems or ())
        ]
        meant = sides.find_meanings(written, n_sides=len(self.sides), names=names, undecided=self._list_undecided())
        if len(meant) > 1:
            raise self.build_refusal(
                f"has the answer {written!r}, which can mean {' and '.join(meant)}.",
                f"Write {self.side_labels[0]} or {self.side_labels[1]}.",
            )
        return meant[0] if meant else None

    def spell_label(self, written: str, item_options: Sequence[str] | None) -> str:  # noqa: ARG002  # labels are the same for all
        """Return the label that a text means without its item; a text that means none is returned unchanged.

        So is a side as it was shown: the control Pairwise says which text was there.
        """
        if spelling.build_key(written).casefold() in sides.SHOWN_SIDES:
            return written
        return self.find_label(written, question_base.QuestionContent()) or written

    def lint_gold(self, stored: str) -> tuple[str, ...]:
        """Return the gold if it is a side: a tie has no place among the options."""
        return (stored,) if stored in self.side_labels else ()

    def draw_truth(self, content: question_base.QuestionContent, rng: random.Random) -> str:
        """Draw a tie or "both bad" with their usual chances, else a side: that of a stronger system more often."""
        chances = {TIE: TIE_RATE, BOTH_BAD: BOTH_BAD_RATE}
        drawn = rng.random()
        for label, _ in self._list_undecided():
            drawn -= chances[label]
            if drawn < 0:
                return label
        strengths = [_draw_strength(content.fields.get(column, "")) for column in self.systems or self.sides]
        return rng.choices(self.side_labels, list(map(math.exp, strengths)))[0]

    def draw_wrong(self, content: question_base.QuestionContent, right: str, rng: random.Random) -> str:  # noqa: ARG002
        """Draw another answer, more often one that chooses no side: people differ on close texts."""
        undecided = [label for label, _ in self._list_undecided() if label != right]
        if undecided and rng.random() < NEAR_TIE_RATE:
            return undecided[0]
        return rng.choice([label for label in self.side_labels if label != right])

    def _list_undecided(self) -> tuple[tuple[str, str], ...]:
        """The labels of the answers that choose no side, with their words, as far as the project file has them."""
        pairs = ((TIE, self.tie), (BOTH_BAD, self.both_bad))
        return tuple((label, text) for label, text in pairs if text is not None)


def _draw_strength(system: str) -> float:
    """The strength of a system in a simulation, the same in every one."""
    return random.Random(f"strength {system}").gauss(0.0, STRENGTH_SPREAD)  # noqa: S311  # a simulation, not a secret
