"""Questions with options: the base of all of them, and the plainest, one of several options."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from aggregation import spelling
from annotation.campaigns.questions import question_base
from annotation.campaigns.sections.base import Section, Text

if TYPE_CHECKING:
    from aggregation.answers import AnswerTypeName

Options = Annotated[tuple[Text, ...], Field(min_length=2)]
"""Two options or more."""


def refuse_duplicates(options: Sequence[str], noun: str) -> None:
    """Raise ValueError for an option that is written twice."""
    keys = [spelling.build_key(option) for option in options]
    duplicate = next((option for option, key in zip(options, keys, strict=True) if keys.count(key) > 1), None)
    if duplicate is not None:
        raise ValueError(f"The {noun} {duplicate!r} occurs twice")


def find_option(written: str, options: Sequence[str]) -> str | None:
    """Return the option that a text names, as it is spelled; None if it names none."""
    return written if written in options else spelling.find_name(written, options)


class OptionQuestion(question_base.Question):
    """A question with options, of which one is the answer."""

    answer_type: ClassVar[AnswerTypeName] = "label"
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

    def draw_truth(self, content: question_base.QuestionContent, rng: random.Random) -> str:
        """Draw any label but the abstention."""
        return rng.choice(self.get_substantive_labels(content.options))

    def draw_careless(self, content: question_base.QuestionContent, rng: random.Random) -> str:
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


CLASS_METHODS = question_base.QuestionMethods(
    consensus=("majority", "dawid_skene"),
    agreement=("percent_agreement", "krippendorff_alpha_nominal", "fleiss_kappa", "gwet_ac1"),
    scores=("accuracy", "macro_f1", "weighted_f1", "mcc"),
)
"""The methods where labels are classes: all items have the same labels."""
CLASSLESS_METHODS = question_base.QuestionMethods(
    consensus=("majority", "one_coin"),
    agreement=("percent_agreement", "percent_agreement_chance_corrected_per_item"),
    scores=("accuracy",),
)
"""The methods where each item has its own options, so that labels cannot be counted over items."""


class Positions(Section):
    """`labels: {positions: [A, B, C, D]}`: the code under which the option at each position is stored."""

    positions: Options

    @model_validator(mode="after")
    def _differ(self) -> Positions:
        refuse_duplicates(self.positions, "position")
        return self


Labels = Annotated[
    Annotated[Literal["positions"], Tag("<word>")] | Annotated[Positions, Tag("<codes>")],
    Discriminator(lambda value: "<word>" if isinstance(value, str) else "<codes>"),
]


class ChoiceQuestion(ItemOptionQuestion):
    """One of several options.

    With `labels` an answer is stored as the code of the option's position; positions are then classes, the same for all
    items. `labels: positions` numbers them from 0. `abstain` is the text of an additional last option for annotators
    who cannot decide: it fills a place of the overlap, and is no class.
    """

    kind: ClassVar[str] = "choice"
    usual_seconds: ClassVar[float] = 8.0
    is_nominal: ClassVar[bool] = True

    type: Literal["choice"]
    labels: Labels | None = None
    abstain: Text | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ChoiceQuestion:
        if self.options is not None and self.labels is not None:
            raise ValueError(
                "Positions are for options that differ from item to item; fixed options are classes already"
            )
        others = (*(self.options or ()), *(self.positions or ()))
        if self.abstain is not None and spelling.find_name(self.abstain, others) is not None:
            raise ValueError(f"{self.abstain!r} is among the options already; `abstain` adds it")
        return self

    @property
    def abstention(self) -> str | None:
        """The text of `abstain`."""
        return self.abstain

    @property
    def positions(self) -> tuple[str, ...] | None:
        """The codes of the positions; None for `labels: positions` until `with_positions` has numbered them."""
        return self.labels.positions if isinstance(self.labels, Positions) else None

    def with_positions(self, most_options: int) -> ChoiceQuestion:
        """Return the question with numbers as codes; `most_options` is the largest number of options of an item."""
        if self.labels != "positions" or most_options < 2:
            return self
        codes = Positions(positions=tuple(str(position) for position in range(most_options)))
        return self.model_copy(update={"labels": codes})

    def get_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the options of an item, the abstention included; `item_options` are the item's own."""
        options = super().get_options(item_options)
        return options if self.abstain is None else (*options, self.abstain)

    def get_substantive_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the options of an item without the abstention."""
        return super().get_options(item_options)

    def get_labels(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the labels under which an item's options are stored and published, in the order of `get_options`."""
        options = self.get_options(item_options)
        if self.labels is None:
            return options
        n_substantive = len(options) - (self.abstain is not None)
        codes = self.positions or tuple(str(position) for position in range(n_substantive))
        return (*codes[:n_substantive], *options[n_substantive:])

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The labels that all items have, without the abstention; None where options differ from item to item."""
        return self.positions if self.labels is not None else self.options

    @property
    def methods(self) -> question_base.QuestionMethods:
        """All methods for classes, fewer for options that differ from item to item."""
        return CLASSLESS_METHODS if self.options is None and self.labels is None else CLASS_METHODS

    def find_option_problem(
        self, item_options: Sequence[str] | None, *, max_buttons: int | None
    ) -> tuple[str, str] | None:
        """Return whether there are more options than buttons or positions, or the abstention is among them."""
        number = len(self.get_options(item_options))
        if max_buttons is not None and number > max_buttons:
            return f"The item has {number} options; Telegram shows at most {max_buttons} buttons.", "Offer fewer."
        others = (*self.get_substantive_options(item_options), *self.get_substantive_labels(item_options))
        if self.abstain is not None and spelling.find_name(self.abstain, others) is not None:
            problem = f"The item has the option {self.abstain!r} already, which `abstain` adds."
            return problem, "Take it out of the item's options."
        if self.positions is not None and len(item_options or ()) > len(self.positions):
            problem = f"The item has {len(item_options or ())} options, `labels` only {len(self.positions)} positions."
            return problem, "Add positions."
        return None

    def parse_answer(self, raw: object, content: question_base.QuestionContent) -> question_base.Answer:
        """Return the label of an option; raises BadInput for anything else."""
        written, labels = question_base.require_text(self, raw), self.get_labels(content.options)
        label = find_option(written, labels)
        if label is None:
            raise self.build_refusal(
                f"cannot be answered with {spelling.quote_word(written, beside=labels)}.",
                f"The options are: {spelling.list_words(labels, beside=(written,))}.",
            )
        return label

    def read_gold(self, written: str, content: question_base.QuestionContent) -> str:
        """Return the label; one that no option has stays as it is written, because the lint reports it."""
        return self.spell_label(written, content.options)

    def spell_label(self, written: str, item_options: Sequence[str] | None) -> str:
        """Return the label as the options spell it."""
        return spelling.find_name(written, self.get_labels(item_options)) or written

    def draw_wrong(self, content: question_base.QuestionContent, right: str, rng: random.Random) -> str:
        """Draw another label; the right one if there is no other."""
        others = [label for label in self.get_substantive_labels(content.options) if label != right]
        return rng.choice(others) if others else right
